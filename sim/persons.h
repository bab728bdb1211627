// Personal data in the messages of agents: addresses, numbers and cards, in messages of every
// dialect, and the policy of who may see the data. Active in some lives only, and drawn from a
// separate random stream, so that all other lives stay unchanged.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "model/claim.h"
#include "model/command.h"
#include "model/personal.h"
#include "sim/entropy.h"
#include "sim/history.h"

namespace parlance::sim {

class Persons {
  public:
    Persons(std::uint64_t seed, History& history);

    /// True if agents write personal data in this life.
    bool are_there() const { return are_there_; }
    const PersonalPolicy& policy() const { return history_.personal; }
    std::uint64_t bits() { return entropy_.bits(); }

    Dialect dialect_of(std::uint64_t agent) const;
    /// Sometimes replaces the message by a message of a random dialect with personal data.
    void write_into(Header& header, std::string& body, Claim* claim);
    /// Makes the body of an answer quote the request as `reader` saw the request.
    void quote_into(std::string_view reader, const Envelope& asked, std::string& body) const;
    /// `plain`, or sometimes a sentence with personal data.
    std::string words(std::string plain);

    /// Notes the text in which `reader` received the message.
    void note_read(const std::string& reader, const Envelope& message, std::string text);

  private:
    std::string sentence(std::string_view pointer);
    std::string value(personal::Kind kind);
    std::string digits(std::size_t count);

    Entropy entropy_;
    History& history_;
    bool are_there_ = false;
    std::map<std::pair<std::string, std::string>, std::string> read_;  ///< By reader and id.
};

}  // namespace parlance::sim
