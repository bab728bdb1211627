// The messages that simulated agents write, and the fingerprint by which a repeat is told from a
// conflict, as a dialect would make it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/command.h"
#include "model/envelope.h"
#include "sim/chance.h"
#include "sim/persons.h"
#include "sim/plan.h"

namespace parlance::sim {

std::string agent_name(std::uint64_t number);
/// What every third agent can do.
std::string capability_name(std::uint64_t number);
/// The tools that anybody may ask for, and those of one agent.
inline constexpr std::array kTools{"mail", "ocr", "sql", "web"};
/// What the domains of some agents are called; entities that nobody's is called by come besides.
inline constexpr std::array kDomains{"vendor", "audit"};
/// Sessions of which something is kept, each for whichever user came first.
inline constexpr std::array kKeptSessions{"chat-0", "chat-1", "chat-2"};
Profile profile_of(std::uint64_t agent, Dialect dialect);

/// A message with the fingerprint of its content.
SendMessage send_of(const Header& header, const std::string& body);

class LetterWriter {
  public:
    LetterWriter(const Plan& plan, Chance& chance, Persons& persons)
        : plan_(plan), chance_(chance), persons_(persons) {}

    /// A message of `from` to whoever chance says: an agent, a topic, somebody unknown.
    SendMessage write(std::uint64_t from);
    /// Something that `from` asks of another because of what it was asked itself, in its own words
    /// or in those that it was given. `given` is null if that was no delegation.
    SendMessage delegate(std::uint64_t from, const Envelope& asked, const Claim* given);
    /// Something that `from` asks as if it worked on nothing: for nobody, out of a session or in a
    /// conversation that nobody ever heard of.
    SendMessage slip_away(std::uint64_t from);
    /// The same id with other words.
    SendMessage rewrite(const SendMessage& letter);
    /// An answer to what was asked; `correlation` is usually the question's own.
    SendMessage reply(const std::string& from, const Envelope& asked, std::string_view correlation);

  private:
    std::string body();
    std::string recipient();
    Claim claim(const std::string& session, const std::string& user);
    void lie(Claim& claim);
    std::uint64_t tokens();

    const Plan& plan_;
    Chance& chance_;
    Persons& persons_;
    std::uint64_t number_ = 0;
    std::vector<std::string> sessions_;  ///< That anybody was ever given.
};

}  // namespace parlance::sim
