// The hub as a process on a machine: the real engine and journal on a simulated disk, which can
// be killed at any time and comes back. It also keeps the history and, at every start, holds what
// the disk gives back against what the outside was told.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

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
    void jump_clock(Duration by);
    /// No more faults; the clock is right from here on.
    void calm();
    /// What the disk holds at this moment, if it can be believed: no bit of it was flipped.
    const journal::testing::MemoryDisk* disk() const { return was_flipped_ ? nullptr : &disk_; }
    Sequence told() const { return told_; }
    /// The last questions: is the whole journal sound, and does it give the state back?
    void close();

  private:
    Time clock() const { return timeline_.now() + skew_; }
    engine::World world();
    void open();
    void fall(bool loses_power);
    void come_back();
    void show(Effects&& effects);
    Sequence safe_sequence() const;
    void read_journal();
    void compare_states(const std::string& lived, const std::string& when);
    void look_for_altered();
    void flip_bit();
    void find(std::string promise, std::string what);

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
    Duration skew_{};
    std::uint64_t life_ = 0;
    std::uint64_t crashes_ = 0;
    std::uint64_t trace_hash_ = 0;
    bool is_calm_ = false;
    bool is_over_ = false;
    bool was_flipped_ = false;
};

}  // namespace parlance::sim
