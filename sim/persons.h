// People of whom the agents write: their addresses, numbers and cards, in messages of every
// dialect, and the policy that says from whom they are kept. Only in some lives, and drawn apart
// from all other chance, so that every other life stays what it was.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "model/claim.h"
#include "model/command.h"
#include "model/personal.h"
#include "sim/chance.h"
#include "sim/history.h"

namespace parlance::sim {

class Persons {
  public:
    Persons(std::uint64_t seed, History& history);

    /// Whether anybody writes of people in this life.
    bool are_there() const { return are_there_; }
    const PersonalPolicy& policy() const { return history_.personal; }
    std::uint64_t bits() { return chance_.bits(); }

    /// What this agent speaks.
    Dialect dialect_of(std::uint64_t agent) const;
    /// Now and then another message than the one that was written: of some dialect, about people.
    void write_into(Header& header, std::string& body, Claim* claim);
    /// What an agent says of something that it was sent: it quotes what it read.
    void quote_into(std::string_view reader, const Envelope& asked, std::string& body) const;
    /// A few words, now and then about somebody.
    std::string words(std::string plain);

    /// An agent has read this.
    void note_read(const std::string& reader, const Envelope& message, std::string text);

  private:
    std::string sentence(std::string_view pointer);
    std::string value(personal::Kind kind);
    std::string digits(std::size_t count);

    Chance chance_;
    History& history_;
    bool are_there_ = false;
    std::map<std::pair<std::string, std::string>, std::string> read_;  ///< By reader and id.
};

}  // namespace parlance::sim
