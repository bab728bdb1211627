// The hub as a process on a machine: the real engine and journal on a simulated disk, which can
// be killed at any time and comes back. It also keeps the history and, at every start, holds what
// the disk gives back against what the outside was told.
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
#include "sim/chance.h"
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
        std::function<void()> on_restored;  ///< To an older copy: the run since then never was.
    };

    Hub(const Plan& plan, Chance& chance, Timeline& timeline, History& history, Persons& persons);
    void listen(Listener listener) { listener_ = std::move(listener); }

    bool is_up() const { return engine_ != nullptr; }
    const engine::Engine& engine() const { return *engine_; }
    std::uint64_t crashes() const { return crashes_; }
    /// A bit was flipped: the life of this hub is over, whatever came of it.
    bool is_over() const { return is_over_; }
    std::uint64_t trace_hash() const { return trace_hash_; }
    void trace(std::uint64_t word);

    /// Brings a command to a hub that is up. The Ask by which its answer will be known, or none
    /// when the hub turned it away at the door.
    Ask submit(Command command, const std::string& caller, bool is_operator, bool wants_answer);

    void start();
    void kill(bool loses_power);
    /// Lives through everything that is to be done now.
    void work();
    /// When work() is next needed, in true time.
    Time wake_at() const;

    void plan_disk_fault();
    void fill_disk(bool is_full);
    /// While there are none left, no file can be opened or created.
    void exhaust_descriptors(bool are_exhausted);
    /// An operator copies the data directory; a later start may be from the copy.
    void copy_data();
    void note(FaultKind fault) { history_.coverage.note(fault); }
    void note(Act act) { history_.coverage.note(act); }
    void jump_wall_clock(Duration by);
    /// No more faults. The wall clock stays as wrong as it is.
    void calm();
    /// What the disk holds at this moment, if it can be believed: no bit of it was flipped.
    const journal::testing::MemoryDisk* disk() const { return was_flipped_ ? nullptr : &disk_; }
    Sequence told() const { return told_; }
    /// The last questions: is the whole journal sound, and does it give the state back?
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

    /// The data directory as it was once, and how much of the history was about it.
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
    Chance& chance_;
    Timeline& timeline_;
    History& history_;
    Listener listener_;

    journal::testing::MemoryDisk disk_;
    std::unique_ptr<engine::Engine> engine_;
    journal::Journal* journal_ = nullptr;
    std::unique_ptr<Window> window_;  ///< None in a life without personal data.
    core::State shadow_;              ///< Every record ever, applied one after the other.
    Sequence told_{};                 ///< The outside knows of everything up to here.
    Duration skew_{};                 ///< Of the wall clock: it may be set at any time.
    Duration hub_time_ahead_{};       ///< Of true time, since the last start.
    std::vector<Time> written_;       ///< When each record came to be on the disk; true time.
    std::optional<Time> paused_at_;   ///< Since when the hub can do nothing; none: it serves.
    std::uint64_t life_ = 0;
    std::uint64_t crashes_ = 0;
    std::uint64_t trace_hash_ = 0;
    bool is_calm_ = false;
    bool is_over_ = false;
    bool was_flipped_ = false;
    Chance verbs_chance_;
    std::uint64_t descriptor_refusals_ = 0;
    std::optional<DataCopy> copy_;
    /// Of runs that a copy replaced.
    std::set<std::tuple<Ticket, std::uint32_t, Epoch>> lost_tokens_;
};

}  // namespace parlance::sim
