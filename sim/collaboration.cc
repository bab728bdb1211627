#include "sim/collaboration.h"

#include <array>
#include <memory>

#include <fmt/format.h>

#include "core/testing/plain_message_writer.h"
#include "model/handing.h"
#include "model/plan.h"
#include "sim/letters.h"

namespace parlance::sim {

namespace {

const core::PlainMessageWriter kMessageWriter;

constexpr std::array kPolicies{"earliest", "cheapest", "ablest"};
constexpr std::string_view kHandoff = "TASK_HANDOFF";
constexpr std::string_view kHelp = "HELP_REQUEST";

/// True for the hub's call for proposals: the hub asks an agent for the cost of a task.
bool is_invitation(const Envelope& asked) {
    return asked.from() == kOrchestrator &&
           asked.body().find(R"("inputs":{"call":)") != std::string_view::npos;
}

}  // namespace

Duration Collaboration::pause() {
    return entropy_.ms(1, 2 * static_cast<std::uint64_t>(plan_.verbs.choose_every.count()));
}

std::string Collaboration::some_agent() { return agent_name(entropy_.below(plan_.agents)); }

std::string Collaboration::some_capability() {
    return entropy_.percent(5) ? "CAN_NOTHING" : capability_name(entropy_.below(plan_.agents));
}

/// A capability, or agents by name.
std::string Collaboration::several() {
    if (entropy_.percent(50)) return some_capability();
    auto names = some_agent();
    for (auto more = entropy_.below(3); more > 0; --more) names += "/" + some_agent();
    return entropy_.percent(4) ? names + "/nobody" : names;
}

std::string Collaboration::recipient() {
    switch (entropy_.below(7)) {
        case 0:
            return std::string{kAnyone};
        case 1:
            return std::string{kCapabilityPrefix} + some_capability();
        case 2:
            return std::string{kDomainPrefix} +
                   (entropy_.percent(5) ? "space" : kDomains.at(entropy_.below(kDomains.size())));
        case 3:
            return std::string{kAllPrefix} + several();
        default: {
            const auto* const policy =
                entropy_.percent(3) ? "luckiest" : kPolicies.at(entropy_.below(kPolicies.size()));
            return fmt::format("{}{}:{}", kCallPrefix, policy, several());
        }
    }
}

std::string Collaboration::fallback() {
    switch (entropy_.below(5)) {
        case 0:
            return "human:legal";
        case 1:
            return std::string{kCapabilityPrefix} + some_capability();
        case 2:
            return std::string{kDomainPrefix} + kDomains.at(entropy_.below(kDomains.size()));
        default:
            return some_agent();
    }
}

PassingPtr Collaboration::passing(bool hands_over) {
    Passing passing{.hands_over = hands_over};
    if (entropy_.percent(hands_over ? 30 : 80)) passing.skills = {some_capability()};
    if (entropy_.percent(50)) passing.fallback = fallback();
    return std::make_shared<const Passing>(std::move(passing));
}

/// Some bodies carry a delegation, as a dialect's message would.
std::string Collaboration::body(std::uint64_t from) {
    const auto number = ++number_;
    if (plan_.delegation == 0 || !entropy_.percent(40)) return fmt::format(R"({{"n":{}}})", number);
    return fmt::format(
        R"({{"n":{},"delegation":{{"session":"session-{}-{}","user":"user-{}",)"
        R"("child_session":"errand-{}","objective":"objective-{}","depth_max":{},"tokens_max":{}}}}})",
        number,
        from,
        entropy_.below(2),
        from % 2,
        number,
        entropy_.below(6),
        entropy_.between(2, 6),
        entropy_.percent(30) ? 0 : entropy_.between(1, 1'500));
}

void Collaboration::finish(SendMessage& send) {
    send.priority = static_cast<Priority>(entropy_.below(kPriorities));
    if (entropy_.percent(80)) send.timeout = entropy_.ms(50, 3'000);
    if (entropy_.percent(10)) send.ttl = entropy_.ms(1, 2'500);
    send.waits = send.envelope->intent() == Intent::Request && entropy_.percent(25);
    if (entropy_.percent(plan_.verbs.state)) send.state = fmt::format(R"({{"at":{}}})", number_);
}

SendMessage Collaboration::request(std::uint64_t from) {
    const auto text = body(from);
    const auto id = "c-" + std::to_string(number_);
    const auto sender = agent_name(from);
    const auto to = recipient();
    const bool asks_help = is_for_one_of_many(to) && (to == kAnyone || entropy_.percent(40));
    const auto task = entropy_.percent(50) ? std::string{}
                                           : "task-" + std::to_string(entropy_.below(plan_.tasks));
    const auto workflow = "flow-" + std::to_string(entropy_.below(1'000));
    auto send = send_of({.id = id,
                         .from = sender,
                         .to = to,
                         .type = asks_help ? kHelp : "TEST",
                         .task = task,
                         .correlation = workflow,
                         .intent = entropy_.percent(97) ? Intent::Request : Intent::OneWay},
                        text);
    finish(send);
    if (send.envelope->intent() == Intent::Request)
        send.claim = kMessageWriter.claim(*send.envelope);
    if (asks_help) send.passing = passing(false);
    return send;
}

bool Collaboration::offers(const Envelope& task) {
    return plan_.verbs.handoff > 0 && !task.task().empty() && task.type() != kHandoff &&
           entropy_.percent(plan_.verbs.handoff);
}

SendMessage Collaboration::handoff(std::uint64_t from, const Envelope& task) {
    const auto id = "o-" + std::to_string(++number_);
    const auto sender = agent_name(from);
    auto to = some_agent();
    if (entropy_.percent(25)) to = std::string{kCapabilityPrefix} + some_capability();
    if (entropy_.percent(10)) to = kAnyone;
    // Sometimes a task that the sender does not hold.
    const auto offered = entropy_.percent(8) ? "task-" + std::to_string(entropy_.below(plan_.tasks))
                                             : std::string{task.task()};
    auto send = send_of({.id = id,
                         .from = sender,
                         .to = to,
                         .type = kHandoff,
                         .task = offered,
                         .correlation = task.correlation(),
                         .intent = Intent::Request},
                        fmt::format(R"({{"n":{}}})", number_));
    finish(send);
    send.priority = Priority::High;
    send.passing = passing(true);
    return send;
}

void Collaboration::shape(const Envelope& asked, SendMessage& reply, bool is_calm) {
    if (!is_there()) return;
    if (is_invitation(asked)) {
        const auto text = entropy_.percent(15)
                              ? std::string{R"({"error":"NO_TIME"})"}
                              : fmt::format(R"({{"cost":{},"time":{},"confidence":0.{}}})",
                                            entropy_.below(9),
                                            entropy_.below(900),
                                            entropy_.between(1, 9));
        reply.envelope = Envelope::make(reply.envelope->header(), text);
    }
    if (is_calm) return;
    const bool may_decline = asked.type() == kHandoff || asked.type() == kHelp;
    if (may_decline) reply.falls_short = entropy_.percent(45);
    if (entropy_.percent(15)) reply.facts = {std::to_string(++number_)};
    if (entropy_.percent(15)) reply.owners = {"user-" + std::to_string(entropy_.below(2))};
}

Command Collaboration::keep(const std::string& agent, std::uint64_t allocation_version, Time now) {
    const std::string session = kKeptSessions.at(entropy_.below(kKeptSessions.size()));
    const auto number = std::to_string(++number_);
    switch (entropy_.below(5)) {
        case 0:
            return AddFacts{.session = session,
                            .facts = {{.kind = "note", .about = "case", .value = number}}};
        case 1:
            return KeepAnalysis{.session = session,
                                .key = "key-" + std::to_string(entropy_.below(3)),
                                .capability = some_capability(),
                                .result = number};
        case 2:
            return RecordRefusal{
                .id = "unread-" + number,
                .refusal = static_cast<std::uint8_t>(Refusal::InputValidationFailed),
                .detail = "a member is missing"};
        default: {
            WriteAllocation write{.id = allocation_id(agent), .version = allocation_version};
            if (allocation_version > 0) {
                write.operation =
                    entropy_.percent(30) ? StateOperation::Delete : StateOperation::Update;
            }
            const auto limit = entropy_.between(1, 5) * 1'000'000;
            // An exhausted allocation keeps further work from the agent until the allocation ends.
            write.allocation = {.agent = agent,
                                .resource = "minutes",
                                .allocated = limit,
                                .consumed = entropy_.percent(20) ? limit : 0,
                                .limit = limit};
            if (entropy_.percent(70)) write.allocation.expires_at = now + entropy_.ms(50, 1'500);
            return write;
        }
    }
}

}  // namespace parlance::sim
