// The hub as a process on a machine: the real engine and journal on a simulated disk. The process
// can be killed at any time and restarts. The class also keeps the history and, at every start,
// compares the disk with the effects already shown outside.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/core.h"
#include "engine/engine.h"
#include "journal/journal.h"
#include "journal/testing/memory_disk.h"
#include "sim/entropy.h"
#include "sim/history.h"
#include "sim/plan.h"
#include "sim/timeline.h"
#include "sim/window.h"

namespace parlance::sim {

class Hub {
  public:
    struct Listener {
        std::function<void(const Effect&)> on_effect;
        std::function<void()> on_down;
        std::function<void()> on_restored;  ///< An older copy replaced the data.
    };

    Hub(const Plan& plan, Entropy& entropy, Timeline& timeline, History& history, Persons& persons);
    void listen(Listener listener) { listener_ = std::move(listener); }

    bool is_up() const { return engine_ != nullptr; }
    const engine::Engine& engine() const { return *engine_; }
    std::uint64_t crashes() const { return crashes_; }
    /// True when the life must end: after a start with a flipped bit, or after a failure that
    /// leaves nothing to run.
    bool is_over() const { return is_over_; }
    std::uint64_t trace_hash() const { return trace_hash_; }
    void trace(std::uint64_t word);

    /// Brings a command to a hub that is up. Returns the reply target of the command's answer, or
    /// none when the inbox refused the command.
    ReplyTarget submit(Command command,
                       const std::string& caller,
                       bool is_operator,
                       bool wants_answer);

    void start();
    void kill(bool loses_power);
    /// Takes turns until the hub has nothing to do now.
    void work();
    /// When work() is next needed, in true time.
    Time wake_at() const;

    void plan_disk_fault();
    void fill_disk(bool is_full);
    /// While exhausted, no file can be opened or created.
    void exhaust_descriptors(bool are_exhausted);
    /// An operator copies the data directory; a later start may be from the copy.
    void copy_data();
    void note(FaultKind fault) { history_.coverage.note(fault); }
    void note(Act act) { history_.coverage.note(act); }
    void jump_wall_clock(Duration by);
    /// No more faults. The wall clock keeps its error.
    void calm();
    /// The disk, or null after a bit flip: its contents prove nothing then.
    const journal::testing::MemoryDisk* disk() const { return was_flipped_ ? nullptr : &disk_; }
    Sequence told() const { return told_; }
    /// The final checks: the journal verifies, and snapshot plus journal give the hub's state.
    void close();

  private:
    Time wall_clock() const { return timeline_.now() + skew_; }
    /// Hub time; while the hub is down, the wall clock.
    Time clock() const { return is_up() ? engine_->now() : wall_clock(); }
    engine::World world();
    void open();
    void fall(bool loses_power);
    void come_back();
    void show(Effects&& effects);
    Sequence safe_sequence() const;
    void note_records(Sequence last, Time world);
    void note_condition();
    void begin_pause();
    void end_pause();
    void begin_process(Sequence found);
    void end_process();
    void check_time();
    void read_journal();
    void compare_states(const std::string& lived, const std::string& when);
    void look_for_altered();
    void flip_bit();
    void find(std::string promise, std::string what);
    void cover(const Effect& effect);
    bool may_restore() const;
    void restore_copy();
    void expect_new_token(const Deliver& deliver);

    /// A copy of the data directory, with the length of each part of the history at that time.
    struct DataCopy {
        std::unique_ptr<journal::testing::MemoryDisk> disk;
        Time at{};  ///< True time.
        Sequence told;
        std::size_t processes = 0;
        std::size_t starts = 0;
        std::size_t asked = 0;
        std::size_t shown = 0;
        std::size_t told_people = 0;
    };

    const Plan& plan_;
    Entropy& entropy_;
    Timeline& timeline_;
    History& history_;
    Listener listener_;

    journal::testing::MemoryDisk disk_;
    std::unique_ptr<engine::Engine> engine_;
    journal::Journal* journal_ = nullptr;
    std::unique_ptr<Window> window_;  ///< None in a life without personal data.
    core::State shadow_;              ///< Every record ever, applied in order.
    Sequence told_{};                 ///< The last record that the outside knows of.
    Duration skew_{};                 ///< Error of the wall clock, which may be set at any time.
    Duration hub_time_ahead_{};       ///< Hub time minus true time, since the last start.
    std::vector<Time> written_;       ///< When each record reached the disk; true time.
    std::optional<Time> paused_at_;   ///< When the hub stopped serving; none while the hub serves.
    std::uint64_t life_ = 0;
    std::uint64_t crashes_ = 0;
    std::uint64_t trace_hash_ = 0;
    bool is_calm_ = false;
    bool is_over_ = false;
    bool was_flipped_ = false;
    Entropy verbs_entropy_;
    std::uint64_t descriptor_refusals_ = 0;
    std::optional<DataCopy> copy_;
    /// Delivery tokens of runs that a restored copy replaced.
    std::set<std::tuple<Ticket, std::uint32_t, Epoch>> lost_tokens_;
};

}  // namespace parlance::sim
