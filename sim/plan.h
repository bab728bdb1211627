// What one seed is about: how large the world is, how the hub is configured, what goes wrong.
#pragma once

#include <cstdint>

#include "engine/engine.h"
#include "journal/journal.h"
#include "model/limits.h"
#include "model/policy.h"
#include "sim/chance.h"

namespace parlance::sim {

/// What agents and operators do in a life beyond plain messages, and the faults that came with it.
/// Drawn apart from all other chance, so that a life without any of it stays what it was.
struct Verbs {
    std::uint64_t seed = 0;  ///< For whatever follows from here: what is drawn for it alone.

    // How often, on average; 0 is never.
    Duration choose_every{};  ///< An agent lets the hub choose who gets a request, or asks several.
    Duration keep_every{};    ///< An agent or an operator writes allocations, facts and analyses.
    Duration remove_every{};  ///< An operator removes an agent.
    Duration copy_every{};    ///< An operator copies the data directory.
    Duration descriptors_every{};  ///< The process has no file descriptor left for a while.

    // How likely, in percent.
    std::uint64_t handoff = 0;       ///< Whoever has a task in hand offers it to another agent.
    std::uint64_t state = 0;         ///< A request carries its sender's state.
    std::uint64_t restore = 0;       ///< A hub that fell is started from the copy.
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
    std::uint64_t messages = 200;  ///< About so many are sent.
    Duration chaos{};              ///< How long things go wrong.

    // How likely, in percent.
    std::uint64_t naughty = 0;  ///< A consumer does something else than settle.
    std::uint64_t lost = 0;     ///< A message of the network is.
    std::uint64_t doubled = 0;
    std::uint64_t ttl = 20;
    std::uint64_t request = 30;
    std::uint64_t burst = 0;
    std::uint64_t broken_start = 0;  ///< The disk fails during recovery.
    std::uint64_t delegation = 0;    ///< A request is one that says so.
    std::uint64_t passed_on = 0;     ///< Who is asked asks somebody else first.
    std::uint64_t liar = 0;          ///< It says something untrue with that.

    // How often, on average; 0 is never.
    Duration kill_every{};  ///< The process dies, or the power fails.
    Duration disk_fault_every{};
    Duration full_every{};
    Duration jump_every{};
    Duration policy_every{};
    Duration stop_every{};  ///< The fleet is stopped for a while.
    Duration cancel_every{};
    Duration people_every{};  ///< People are asked something.
    Duration workflow_every{};
    Duration sync_max{1};
    bool flips_bit = false;
    Verbs verbs{};
};

Plan draw_plan(Chance& chance);
Verbs draw_verbs(std::uint64_t seed);
/// What an operator may set, in bounds that make a difference within one life.
Settings draw_policy(Chance& chance, const Plan& plan);

}  // namespace parlance::sim
