// Workflows of a simulated world: plans drawn by chance, started by agents who ask until they are
// heard, now and then once too often or with other words, and called off when nobody wants them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/door.h"

namespace parlance::sim {

/// A plan over the agents of the world: chains, branches, lists, conditions, retries, fallbacks,
/// people, and what takes a step back.
std::string draw_workflow(Chance& chance, const Plan& plan);

/// What an agent says to a step that it was asked for: done, more or less surely, or not.
std::string step_answer(Chance& chance, std::uint64_t number);

class Flows {
  public:
    Flows(const Plan& plan, Chance& chance, Timeline& timeline, Door& door)
        : plan_(plan), chance_(chance), timeline_(timeline), door_(door) {}

    void start();
    void cancel();
    /// From now on nobody starts anything new.
    void calm() { is_calm_ = true; }

  private:
    const std::string& some_plan();
    void bring(const std::string& caller, const StartWorkflow& order, int tries);

    const Plan& plan_;
    Chance& chance_;
    Timeline& timeline_;
    Door& door_;
    std::vector<std::pair<std::string, std::string>> started_;  ///< Id, and by whom.
    std::vector<std::string> plans_;
    bool is_calm_ = false;
};

}  // namespace parlance::sim
