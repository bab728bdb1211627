// Writes the messages of simulated agents, with the fingerprint by which the hub tells a repeat
// from a conflict, as a dialect would make the fingerprint.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/command.h"
#include "model/envelope.h"
#include "sim/entropy.h"
#include "sim/persons.h"
#include "sim/plan.h"

namespace parlance::sim {

std::string agent_name(std::uint64_t number);
/// A capability that every third agent has.
std::string capability_name(std::uint64_t number);
/// Tools that agents may ask for; each agent's profile allows all but one.
inline constexpr std::array kTools{"mail", "ocr", "sql", "web"};
/// Domains of two agents in three; context entities may also have names outside this list.
inline constexpr std::array kDomains{"vendor", "audit"};
/// Sessions with an owner: the first user to write to a session owns the session.
inline constexpr std::array kKeptSessions{"chat-0", "chat-1", "chat-2"};
Profile profile_of(std::uint64_t agent, Dialect dialect);

/// A message with the fingerprint of its content.
SendMessage send_of(const Header& header, const std::string& body);

class LetterWriter {
  public:
    LetterWriter(const Plan& plan, Entropy& entropy, Persons& persons)
        : plan_(plan), entropy_(entropy), persons_(persons) {}

    /// A message of `from` to a random recipient: an agent, a topic or an unknown name.
    SendMessage write(std::uint64_t from);
    /// A request that `from` makes on behalf of the request `asked`, with a claim that continues
    /// `given` or starts afresh. `given` is null if `asked` was no delegation.
    SendMessage delegate(std::uint64_t from, const Envelope& asked, const Claim* given);
    /// A request that hides the delegation it belongs to: no user, no session, or a conversation
    /// that nobody started.
    SendMessage slip_away(std::uint64_t from);
    /// The same message id with a different body, so a conflict.
    SendMessage rewrite(const SendMessage& letter);
    /// An answer to `asked`; `correlation` is usually the correlation of `asked`.
    SendMessage reply(const std::string& from, const Envelope& asked, std::string_view correlation);

  private:
    std::string body();
    std::string recipient();
    Claim claim(const std::string& session, const std::string& user);
    void lie(Claim& claim);
    std::uint64_t tokens();

    const Plan& plan_;
    Entropy& entropy_;
    Persons& persons_;
    std::uint64_t number_ = 0;
    std::vector<std::string> sessions_;  ///< Every session id handed out so far.
};

}  // namespace parlance::sim
