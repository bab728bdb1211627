#include "sim/letters.h"

#include "base/hash.h"

namespace parlance::sim {

namespace {

SendMessage send_of(const Header& header, const std::string& body) {
    SendMessage send{.envelope = Envelope::make(header, body)};
    const auto content = std::string{header.to} + '\n' + std::string{header.task} + '\n' +
                         std::string{header.correlation} + '\n' + body;
    send.fingerprint = siphash({1, 2}, content);
    return send;
}

}  // namespace

std::string agent_name(std::uint64_t number) { return "agent-" + std::to_string(number); }

std::string LetterWriter::body() {
    return R"({"n":)" + std::to_string(chance_.below(1'000'000)) + R"(,"text":")" +
           std::string(chance_.between(0, chance_.percent(5) ? 1'500 : 60), 'x') + R"("})";
}

std::string LetterWriter::recipient() {
    if (chance_.percent(2)) return "nobody";
    if (chance_.percent(8)) return "topic:news-" + std::to_string(chance_.below(2));
    // The first agent is everybody's favourite: that is how queues come about.
    return agent_name(chance_.percent(40) ? 0 : chance_.below(plan_.agents));
}

SendMessage LetterWriter::write(std::uint64_t from) {
    const auto id = "m-" + std::to_string(++number_);
    const auto sender = agent_name(from);
    const auto to = recipient();
    const auto task =
        chance_.percent(30) ? std::string{} : "task-" + std::to_string(chance_.below(plan_.tasks));
    const auto workflow = "flow-" + std::to_string(chance_.below(1'000));
    const bool is_request = chance_.percent(plan_.request);
    auto send = send_of({.id = id,
                         .from = sender,
                         .to = to,
                         .type = "TEST",
                         .task = task,
                         .correlation = workflow,
                         .intent = is_request ? Intent::Request : Intent::OneWay},
                        body());
    send.priority = static_cast<Priority>(chance_.below(kPriorities));
    if (chance_.percent(plan_.ttl)) send.ttl = chance_.ms(1, 2'500);
    if (chance_.percent(50)) send.timeout = chance_.ms(50, 3'000);
    if (chance_.percent(30)) {
        send.retry_count_max = static_cast<std::uint32_t>(chance_.below(4));
    }
    send.waits = is_request && chance_.percent(30);
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
    auto send = send_of({.id = id,
                         .from = from,
                         .to = asked.from(),
                         .type = "ANSWER",
                         .task = asked.task(),
                         .correlation = correlation,
                         .answers = asked.id(),
                         .intent = Intent::Reply},
                        body());
    send.priority = static_cast<Priority>(chance_.below(kPriorities));
    return send;
}

}  // namespace parlance::sim
