#include "sim/letters.h"

#include <memory>

#include "base/hash.h"
#include "model/plan.h"
#include "sim/flows.h"

namespace parlance::sim {

SendMessage send_of(const Header& header, const std::string& body) {
    SendMessage send{.envelope = Envelope::make(header, body)};
    const auto content = std::string{header.to} + '\n' + std::string{header.task} + '\n' +
                         std::string{header.correlation} + '\n' + body;
    send.fingerprint = siphash({1, 2}, content);
    return send;
}

std::string agent_name(std::uint64_t number) { return "agent-" + std::to_string(number); }
std::string capability_name(std::uint64_t number) { return "CAN_" + std::to_string(number % 3); }

/// The profile allows all tools except the tool with the agent's number modulo kTools.
Profile profile_of(std::uint64_t agent, Dialect dialect) {
    Profile profile{.dialect = dialect,
                    .capabilities = R"([{"code":")" + capability_name(agent) + R"("}])"};
    if (agent % 3 != 2) profile.domain = kDomains.at(agent % 3);
    for (std::size_t i = 0; i < kTools.size(); ++i) {
        if (i != agent % kTools.size()) profile.tools_allowed.emplace_back(kTools.at(i));
    }
    return profile;
}

std::string LetterWriter::body() {
    return R"({"n":)" + std::to_string(entropy_.below(1'000'000)) + R"(,"text":")" +
           std::string(entropy_.between(0, entropy_.percent(5) ? 1'500 : 60), 'x') + R"("})";
}

std::string LetterWriter::recipient() {
    if (entropy_.percent(2)) return "nobody";
    if (entropy_.percent(8)) return "topic:news-" + std::to_string(entropy_.below(2));
    // Agent 0 gets 40 % of the messages, so that queues build up.
    return agent_name(entropy_.percent(40) ? 0 : entropy_.below(plan_.agents));
}

SendMessage LetterWriter::write(std::uint64_t from) {
    const auto id = "m-" + std::to_string(++number_);
    const auto sender = agent_name(from);
    const auto to = recipient();
    const auto task = entropy_.percent(30) ? std::string{}
                                           : "task-" + std::to_string(entropy_.below(plan_.tasks));
    const auto workflow = "flow-" + std::to_string(entropy_.below(1'000));
    const bool is_request = entropy_.percent(plan_.request);
    Header header{.id = id,
                  .from = sender,
                  .to = to,
                  .type = "TEST",
                  .task = task,
                  .correlation = workflow,
                  .intent = is_request ? Intent::Request : Intent::OneWay};
    Claim about;
    auto text = body();
    persons_.write_into(header, text, &about);
    auto send = send_of(header, text);
    send.priority = static_cast<Priority>(entropy_.below(kPriorities));
    if (entropy_.percent(plan_.ttl)) send.ttl = entropy_.ms(1, 2'500);
    if (entropy_.percent(50)) send.timeout = entropy_.ms(50, 3'000);
    if (entropy_.percent(30)) {
        send.retry_count_max = static_cast<std::uint32_t>(entropy_.below(4));
    }
    send.waits = is_request && entropy_.percent(30);
    if (is_request && entropy_.percent(plan_.delegation)) {
        auto said =
            claim("session-" + std::to_string(from) + "-" + std::to_string(entropy_.below(2)),
                  "user-" + std::to_string(from % 2));
        said.objective = about.objective;
        if (entropy_.percent(plan_.liar)) lie(said);
        send.claim = std::make_shared<Claim>(std::move(said));
    }
    return send;
}

std::uint64_t LetterWriter::tokens() {
    return entropy_.percent(15) ? 0 : entropy_.between(1, 1'500);
}

Claim LetterWriter::claim(const std::string& session, const std::string& user) {
    Claim claim{.user = user,
                .session = session,
                .child_session = "work-" + std::to_string(++number_),
                .objective_hash = "objective-" + std::to_string(entropy_.below(6)),
                .depth_max = static_cast<std::uint32_t>(entropy_.between(2, 6)),
                .tokens_max = tokens(),
                .has_session = true};
    if (entropy_.percent(60)) {
        for (const auto* tool : kTools) {
            if (entropy_.percent(40)) claim.tools.emplace_back(tool);
        }
    }
    sessions_.push_back(claim.child_session);
    return claim;
}

/// Falsifies the session, the user, the depth, the budget, the tools or the child session.
void LetterWriter::lie(Claim& claim) {
    switch (entropy_.below(9)) {
        case 0:
            claim.session = sessions_[entropy_.below(sessions_.size())];
            break;
        case 1:
            claim.session = "never-heard-of-" + std::to_string(entropy_.below(3));
            break;
        case 2:
            claim.user = entropy_.percent(30) ? "" : "user-" + std::to_string(entropy_.below(3));
            break;
        case 3:
            claim.depth_max = static_cast<std::uint32_t>(entropy_.below(1'000));
            // Not drawn, so that recorded seeds keep their lives.
            claim.depth = claim.depth_max % 4;
            break;
        case 4:
            claim.tokens_max = std::uint64_t{1} << entropy_.below(54);
            break;
        case 5:
            claim.tools = {kTools.at(entropy_.below(kTools.size()))};
            break;
        case 6:
            claim.child_session = kKeptSessions.at(entropy_.below(kKeptSessions.size()));
            break;
        case 7:
            claim.session = kKeptSessions.at(entropy_.below(kKeptSessions.size()));
            break;
        default:
            claim.child_session = sessions_[entropy_.below(sessions_.size())];
            break;
    }
}

SendMessage LetterWriter::delegate(std::uint64_t from, const Envelope& asked, const Claim* given) {
    const auto id = "d-" + std::to_string(++number_);
    const auto sender = agent_name(from);
    const auto to = agent_name(entropy_.below(plan_.agents));
    Header header{.id = id,
                  .from = sender,
                  .to = to,
                  .type = "TEST",
                  .correlation = asked.correlation(),
                  .intent = Intent::Request};
    Claim about;
    auto text = body();
    persons_.write_into(header, text, &about);
    auto send = send_of(header, text);
    send.priority = static_cast<Priority>(entropy_.below(kPriorities));
    send.timeout = entropy_.ms(50, 3'000);
    send.waits = entropy_.percent(30);
    if (given == nullptr && entropy_.percent(50)) return send;
    auto said = claim(given != nullptr ? given->child_session : std::string{},
                      given != nullptr ? given->user : std::string{});
    said.has_session = given != nullptr;
    said.objective = about.objective;
    if (given != nullptr && entropy_.percent(30)) said.objective_hash = given->objective_hash;
    if (entropy_.percent(plan_.liar)) lie(said);
    // A claim without a session is no delegation and has no budget.
    if (!said.has_session) said.tokens_max = 0;
    send.claim = std::make_shared<Claim>(std::move(said));
    return send;
}

SendMessage LetterWriter::slip_away(std::uint64_t from) {
    const auto id = "e-" + std::to_string(++number_);
    const auto sender = agent_name(from);
    const auto to = agent_name(entropy_.below(plan_.agents));
    Header header{.id = id,
                  .from = sender,
                  .to = to,
                  .type = "TEST",
                  .correlation = id,
                  .intent = Intent::Request};
    Claim about;
    auto text = body();
    persons_.write_into(header, text, &about);
    auto send = send_of(header, text);
    send.priority = Priority::High;
    send.timeout = entropy_.ms(50, 3'000);
    if (entropy_.percent(25)) return send;
    auto said = claim("slipped-" + id, {});
    said.objective = about.objective;
    said.has_session = entropy_.percent(50);
    if (!said.has_session) {
        said.session = {};
        said.tokens_max = 0;
    }
    send.claim = std::make_shared<Claim>(std::move(said));
    return send;
}

SendMessage LetterWriter::rewrite(const SendMessage& letter) {
    auto header = letter.envelope->header();
    auto other = send_of(header, body() + " ");
    other.priority = letter.priority;
    return other;
}

SendMessage LetterWriter::reply(const std::string& from,
                                const Envelope& asked,
                                std::string_view correlation) {
    const auto id = "r-" + std::to_string(++number_);
    const bool is_step = asked.from() == kOrchestrator;
    auto text = is_step ? step_answer(entropy_, number_) : body();
    if (!is_step) persons_.quote_into(from, asked, text);
    auto send = send_of({.id = id,
                         .from = from,
                         .to = asked.from(),
                         .type = "ANSWER",
                         .task = asked.task(),
                         .correlation = correlation,
                         .answers = asked.id(),
                         .intent = Intent::Reply},
                        text);
    send.priority = static_cast<Priority>(entropy_.below(kPriorities));
    send.tokens_used = entropy_.percent(20) ? 0 : entropy_.below(2'000);
    return send;
}

}  // namespace parlance::sim
