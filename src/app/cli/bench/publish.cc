// publish: time until the hub has a message on disk.
#include "app/cli/bench/sender.h"

namespace parlance::cli::bench {

Result<LaneResult> run_publish(const LanePlan& plan, Scoreboard& board, Start& start) {
    auto agent = TRY(sdk::Agent::connect(
        {.hub = plan.hub, .hello = {.agent = plan.generator.from, .credit = 0}}));
    MessageGenerator generator = TRY(MessageGenerator::make(plan.generator));
    const std::uint64_t window =
        std::min<std::uint64_t>(plan.outstanding, agent.terms().send_credit);
    LaneResult result;
    sdk::HubFrame frame;
    start.arrive();
    result.begin = Clock::now();
    Sender sender{plan, std::move(generator), board};
    while (true) {
        TRY(sender.fill(agent, sender.sent() - result.messages, window));
        if (result.messages == sender.sent() && sender.is_over()) break;
        if (!TRY(agent.receive(frame, kPatience))) {
            return fail(Fault::Unavailable, "the hub accepted nothing for 20 seconds");
        }
        if (!frame.refused.empty()) return refusal_error(frame.refused.front());
        const auto now = Clock::now();
        for (const sdk::Accepted& accepted : frame.accepted) {
            const auto index = MessageGenerator::index_of_id(accepted.message_id);
            if (index) result.latency.record(sender.times().since(*index, now));
        }
        result.messages += frame.accepted.size();
        board.done.fetch_add(frame.accepted.size(), std::memory_order_relaxed);
    }
    result.end = Clock::now();
    agent.close();
    return result;
}

Result<LaneResult> run_publish_http(const LanePlan& plan, Scoreboard& board, Start& start) {
    const MessageGenerator generator = TRY(MessageGenerator::make(plan.generator));
    sdk::Client client{plan.hub, {.agent = plan.generator.from}};
    TRY(client.call("GET", "/healthz"));  // Connects before the clock starts.
    std::string message;
    LaneResult result;
    start.arrive();
    result.begin = Clock::now();
    const auto end = result.begin + plan.time;
    const auto is_over = [&] {
        if (board.is_over) return true;
        return plan.messages != 0 ? result.messages >= plan.messages : Clock::now() >= end;
    };
    while (!is_over()) {
        message = generator.blank(result.messages);
        MessageGenerator::number(message.data(), result.messages);
        const auto sent = Clock::now();
        const auto response = TRY(client.call("POST", "/v1/messages", message));
        if (response.status != 202) {
            return fail(
                Fault::Malformed,
                "the hub answered " + std::to_string(response.status) + ": " + response.body);
        }
        result.latency.record(static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - sent).count()));
        ++result.messages;
        board.done.fetch_add(1, std::memory_order_relaxed);
    }
    result.end = Clock::now();
    return result;
}

}  // namespace parlance::cli::bench
