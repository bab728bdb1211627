// Messages of agents that work together through the hub: requests whose recipient the hub chooses,
// requests to several agents, offers of a task to another agent, requests for help, and the answers
// to all of these.
//
// Draws from a random stream of its own, so that a life without collaboration stays unchanged.
#pragma once

#include <cstdint>
#include <string>

#include "model/command.h"
#include "sim/entropy.h"
#include "sim/plan.h"

namespace parlance::sim {

class Collaboration {
  public:
    explicit Collaboration(const Plan& plan) : plan_(plan), entropy_(plan.verbs.seed + 2) {}

    bool is_there() const { return plan_.verbs.seed != 0; }
    /// The wait until an agent's next request(); only where `choose_every` is not zero.
    Duration pause();
    /// A request of `from` to call:, all:, anyone, capability: or domain:, sometimes malformed.
    SendMessage request(std::uint64_t from);
    /// True if an agent offers the delivered request to another agent instead of answering.
    bool offers(const Envelope& task);
    SendMessage handoff(std::uint64_t from, const Envelope& task);
    /// Makes `reply` fit the request: a proposal, an acceptance or refusal, facts and source
    /// owners.
    void shape(const Envelope& asked, SendMessage& reply, bool is_calm);
    /// A command that writes state kept beside messages: an allocation, facts, an analysis, or the
    /// record of an unreadable message. `allocation_version` is the version of allocation
    /// `allocation_id()`.
    Command keep(const std::string& agent, std::uint64_t allocation_version, Time now);
    static std::string allocation_id(const std::string& agent) { return "share-of-" + agent; }

    Entropy& entropy() { return entropy_; }

  private:
    std::string some_agent();
    std::string some_capability();
    std::string several();
    std::string recipient();
    std::string fallback();
    std::string body(std::uint64_t from);
    PassingPtr passing(bool hands_over);
    void finish(SendMessage& send);

    const Plan& plan_;
    Entropy entropy_;
    std::uint64_t number_ = 0;
};

}  // namespace parlance::sim
