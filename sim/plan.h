// The random choices of a seed: the size of the world, the configuration of the hub, the faults.
#pragma once

#include <cstdint>

#include "engine/engine.h"
#include "journal/journal.h"
#include "model/limits.h"
#include "model/policy.h"
#include "sim/entropy.h"

namespace parlance::sim {

/// Actions of agents and operators beyond plain messages, and the faults added with them. Drawn
/// from a separate random stream, so that a life without them stays unchanged.
struct Verbs {
    std::uint64_t seed = 0;  ///< Seeds the random streams of the verbs; 0: no verbs.

    // Average interval; 0 is never.
    Duration choose_every{};  ///< An agent lets the hub choose a recipient, or asks several agents.
    Duration keep_every{};    ///< An agent or an operator writes allocations, facts and analyses.
    Duration remove_every{};  ///< An operator removes an agent.
    Duration copy_every{};    ///< An operator copies the data directory.
    Duration descriptors_every{};  ///< The process has no file descriptor left for a while.

    // Probability, in percent.
    std::uint64_t handoff = 0;       ///< An agent offers a received task to another agent.
    std::uint64_t state = 0;         ///< A request carries its sender's state.
    std::uint64_t restore = 0;       ///< A fallen hub is started from the copy.
    std::uint64_t poll_lost = 0;     ///< The response to a poll does not arrive.
    std::uint64_t clock_behind = 0;  ///< The wall clock is behind the journal at a start.
};

struct Plan {
    Limits limits;
    engine::Options engine;
    journal::Options journal;

    std::uint64_t agents = 2;
    std::uint64_t consumers_max = 1;  ///< Of each agent.
    std::uint64_t credit_max = 1;
    std::uint64_t tasks = 3;
    std::uint64_t messages = 200;  ///< About the number of messages sent.
    Duration chaos{};              ///< How long faults occur.

    // Probability, in percent.
    std::uint64_t naughty = 0;  ///< A consumer misbehaves instead of settling.
    std::uint64_t lost = 0;     ///< A message on the network is lost.
    std::uint64_t doubled = 0;
    std::uint64_t ttl = 20;
    std::uint64_t request = 30;
    std::uint64_t burst = 0;
    std::uint64_t broken_start = 0;  ///< The disk fails during recovery.
    std::uint64_t delegation = 0;    ///< A request carries a delegation.
    std::uint64_t passed_on = 0;     ///< An agent asks other agents before it answers.
    std::uint64_t liar = 0;          ///< A delegation carries a falsehood.

    // Average interval; 0 is never.
    Duration kill_every{};  ///< The process dies, or the power fails.
    Duration disk_fault_every{};
    Duration full_every{};
    Duration jump_every{};
    Duration policy_every{};
    Duration stop_every{};  ///< The fleet is stopped for a while.
    Duration cancel_every{};
    Duration people_every{};  ///< People get human tasks.
    Duration workflow_every{};
    Duration sync_max{1};
    bool flips_bit = false;
    Verbs verbs{};
};

Plan draw_plan(Entropy& entropy);
Verbs draw_verbs(std::uint64_t seed);
/// A random policy, with bounds small enough to matter within a life.
Settings draw_policy(Entropy& entropy, const Plan& plan);

}  // namespace parlance::sim
