// What agents say when they work together through the hub: requests whose recipient the hub
// chooses, requests to several agents at once, offers of a task to another agent, pleas for help,
// and the answers to all of these.
//
// Draws from a chance of its own, so that a life without collaboration stays what it was.
#pragma once

#include <cstdint>
#include <string>

#include "model/command.h"
#include "sim/chance.h"
#include "sim/plan.h"

namespace parlance::sim {

class Collaboration {
  public:
    explicit Collaboration(const Plan& plan) : plan_(plan), chance_(plan.verbs.seed + 2) {}

    bool is_there() const { return plan_.verbs.seed != 0; }
    /// How long until an agent next asks like this; only where `choose_every` is not zero.
    Duration pause();
    /// A request of `from` to call:, all:, anyone, capability: or domain:, now and then a wrong
    /// one.
    SendMessage request(std::uint64_t from);
    /// Whether an agent offers this delivered request to another one instead of answering it.
    bool offers(const Envelope& task);
    SendMessage handoff(std::uint64_t from, const Envelope& task);
    /// Makes an answer fit what was asked: a proposal, a yes or no, facts and their sources.
    void shape(const Envelope& asked, SendMessage& reply, bool is_calm);
    /// Something that is kept beside messages: an allocation, facts, an analysis, a refusal of what
    /// could not be read. `allocation_version` is the version of allocation `allocation_id()`.
    Command keep(const std::string& agent, std::uint64_t allocation_version, Time now);
    static std::string allocation_id(const std::string& agent) { return "share-of-" + agent; }

    Chance& chance() { return chance_; }

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
    Chance chance_;
    std::uint64_t number_ = 0;
};

}  // namespace parlance::sim
