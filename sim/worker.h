// Runs seeds in processes of their own: a planted bug is a global of the process, and a broken
// CHECK ends the process. Each worker reports over a pipe; a worker that dies has failed its seed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/mutant.h"
#include "sim/sim.h"

namespace parlance::sim {

/// Seeds from `first` to `last`, every `stride`-th, with or without a planted bug.
struct Task {
    std::uint64_t first = 1;
    std::uint64_t last = 1;
    std::uint64_t stride = 1;
    std::optional<MutantRow> mutant{};
    bool is_plain = false;  ///< All lives of the task are plain.
    bool is_over = false;   ///< No seed follows the last one done.

    bool is_done() const { return is_over || first > last; }
    /// Goes on behind `seed`, which may be the greatest number of the type.
    void advance(std::uint64_t seed) {
        is_over = last - seed < stride;
        first = is_over ? last : seed + stride;
    }
};

/// Returns true to go on with the task after this seed.
using OnVerdict = std::function<bool(const Task& task, const Verdict& verdict)>;

/// Runs the tasks, up to `jobs` at a time.
void run_tasks(std::vector<Task> tasks, unsigned jobs, const OnVerdict& on_verdict);

}  // namespace parlance::sim
