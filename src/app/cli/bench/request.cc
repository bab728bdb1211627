// request: time from request to answer, with an agent that echoes.
#include "app/cli/bench/consumer.h"

namespace parlance::cli::bench {

namespace {

constexpr std::string_view kEcho = R"("echo":")";
constexpr std::size_t kIdBytes = 36;
constexpr std::size_t kIdAt = 7;  ///< Behind {"id":" of a message made by a generator.

/// The number of the request that an answer echoes.
std::optional<std::uint64_t> echoed_index(std::string_view message) {
    const std::size_t at = message.find(kEcho);
    if (at == std::string_view::npos) return {};
    return MessageGenerator::index_of_id(message.substr(at + kEcho.size(), kIdBytes));
}

Result<void> answer(Consumer& echo, sdk::HubFrame& frame) {
    std::string reply =
        R"({"type":"TASK_COMPLETE","payload":{"echo":"000000000000000000000000000000000000"}})";
    const std::size_t at = reply.find(kEcho) + kEcho.size();
    while (TRY(echo.agent.receive_ready(frame))) {
        if (!frame.refused.empty()) return refusal_error(frame.refused.front());
        for (const sdk::Delivery& delivery : frame.deliveries) {
            if (delivery.message.size() < kIdAt + kIdBytes) continue;
            reply.replace(at, kIdBytes, delivery.message.substr(kIdAt, kIdBytes));
            echo.agent.say().reply(delivery.delivery_id, reply);
        }
    }
    return echo.agent.flush();
}

Result<void> hear_answers(sdk::Agent& requester,
                          const Sender& sender,
                          LaneResult& result,
                          sdk::HubFrame& frame) {
    while (TRY(requester.receive_ready(frame))) {
        if (!frame.refused.empty()) return refusal_error(frame.refused.front());
        const auto now = Clock::now();
        for (const sdk::Delivery& delivery : frame.deliveries) {
            requester.say().ack(delivery.delivery_id);
            const auto index = echoed_index(delivery.message);
            if (!index)
                return fail(Fault::Malformed, "a request failed: " + std::string(delivery.message));
            if (delivery.attempt > 1) {
                ++result.redeliveries;
                continue;
            }
            result.latency.record(sender.times().since(*index, now));
            ++result.messages;
        }
    }
    return requester.flush();
}

}  // namespace

Result<LaneResult> run_request(const LanePlan& plan, Scoreboard& board, Start& start) {
    const auto credit = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.outstanding, 4096));
    auto requester = TRY(sdk::Agent::connect(
        {.hub = plan.hub, .hello = {.agent = plan.generator.from, .credit = credit}}));
    auto echoes = TRY(connect_consumers(plan, credit));
    MessageGenerator generator = TRY(MessageGenerator::make(plan.generator));
    auto sockets = sockets_of(requester, echoes);
    const std::uint64_t window = std::min<std::uint64_t>(credit, requester.terms().send_credit);
    sdk::HubFrame frame;
    LaneResult result;
    start.arrive();
    result.begin = Clock::now();
    Sender sender{plan, std::move(generator), board};
    while (true) {
        TRY(sender.fill(requester, sender.sent() - result.messages, window));
        if (result.messages >= sender.sent() && sender.is_over()) break;
        if (!await_any(sockets)) {
            return fail(Fault::Unavailable, "no answer came for 20 seconds");
        }
        const std::uint64_t before = result.messages;
        if (sockets[0].revents != 0) TRY(hear_answers(requester, sender, result, frame));
        for (std::size_t i = 0; i < echoes.size(); ++i) {
            if (sockets[i + 1].revents != 0) TRY(answer(echoes[i], frame));
        }
        board.done.fetch_add(result.messages - before, std::memory_order_relaxed);
    }
    result.end = Clock::now();
    requester.close();
    for (Consumer& echo : echoes) echo.agent.close();
    return result;
}

}  // namespace parlance::cli::bench
