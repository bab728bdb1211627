// The messages that simulated agents write, and the fingerprint by which a repeat is told from a
// conflict, as a dialect would make it.
#pragma once

#include <cstdint>
#include <string>

#include "model/command.h"
#include "model/envelope.h"
#include "sim/chance.h"
#include "sim/plan.h"

namespace parlance::sim {

std::string agent_name(std::uint64_t number);

class LetterWriter {
  public:
    LetterWriter(const Plan& plan, Chance& chance) : plan_(plan), chance_(chance) {}

    /// A message of `from` to whoever chance says: an agent, a topic, somebody unknown.
    SendMessage write(std::uint64_t from);
    /// The same id with other words.
    SendMessage rewrite(const SendMessage& letter);
    /// An answer to what was asked; `correlation` is usually the question's own.
    SendMessage reply(const std::string& from, const Envelope& asked, std::string_view correlation);

  private:
    std::string body();
    std::string recipient();

    const Plan& plan_;
    Chance& chance_;
    std::uint64_t number_ = 0;
};

}  // namespace parlance::sim
