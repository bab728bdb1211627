// deliver: accepted, delivered, acknowledged, and the acknowledgement on disk.
#include "app/cli/bench/consumer.h"

namespace parlance::cli::bench {

namespace {

struct Delivering {
    Sender sender;
    LaneResult result{};
    std::uint64_t accepted = 0;
};

Result<void> hear_producer(Delivering& lane, sdk::Agent& producer, sdk::HubFrame& frame) {
    while (TRY(producer.receive_ready(frame))) {
        if (!frame.refused.empty()) return refusal_error(frame.refused.front());
        lane.accepted += frame.accepted.size();
    }
    return {};
}

void take(Delivering& lane, Consumer& consumer, const sdk::HubFrame& frame) {
    const auto now = Clock::now();
    for (const sdk::Delivery& delivery : frame.deliveries) {
        consumer.agent.say().ack(delivery.delivery_id);
        const auto index = MessageGenerator::index_of_message(delivery.message);
        consumer.unsettled.push(index.value_or(0));
        if (delivery.attempt > 1) {
            ++lane.result.redeliveries;
        } else if (index) {
            lane.result.latency.record(lane.sender.times().since(*index, now));
        }
    }
    for (std::uint64_t i = 0; i < frame.settled && !consumer.unsettled.empty(); ++i) {
        lane.result.settled.record(lane.sender.times().since(consumer.unsettled.pop(), now));
        ++lane.result.messages;
    }
}

Result<void> hear_consumer(Delivering& lane, Consumer& consumer, sdk::HubFrame& frame) {
    while (TRY(consumer.agent.receive_ready(frame))) {
        if (!frame.refused.empty()) return refusal_error(frame.refused.front());
        take(lane, consumer, frame);
    }
    return {};
}

/// Sent after the messages of the same moment: the acknowledgements arrive while the hub reads the
/// messages, and one turn takes both.
Result<void> acknowledge(std::vector<Consumer>& consumers) {
    for (Consumer& consumer : consumers) TRY(consumer.agent.flush());
    return {};
}

}  // namespace

Result<LaneResult> run_deliver(const LanePlan& plan, Scoreboard& board, Start& start) {
    auto producer = TRY(sdk::Agent::connect(
        {.hub = plan.hub, .hello = {.agent = plan.generator.from, .credit = 0}}));
    const std::uint64_t window =
        std::min<std::uint64_t>(plan.outstanding, producer.terms().send_credit);
    auto consumers = TRY(connect_consumers(plan, static_cast<std::uint32_t>(window)));
    MessageGenerator generator = TRY(MessageGenerator::make(plan.generator));
    auto sockets = sockets_of(producer, consumers);
    sdk::HubFrame frame;
    start.arrive();
    Delivering lane{.sender = Sender{plan, std::move(generator), board}};
    LaneResult& result = lane.result;
    result.begin = Clock::now();
    while (true) {
        const std::uint64_t sent = lane.sender.sent();
        const std::uint64_t unsettled = sent - std::min(result.messages, sent);
        // With the looser window a backlog may grow, but no further than SendTimes can remember.
        const std::uint64_t under_way = plan.window == Window::Settled ? unsettled
                                        : unsettled + window >= SendTimes::kMost
                                            ? window
                                            : sent - lane.accepted;
        TRY(lane.sender.fill(producer, under_way, window));
        TRY(acknowledge(consumers));
        if (result.messages >= lane.sender.sent() && lane.sender.is_over()) break;
        if (!await_any(sockets)) {
            return fail(Fault::Unavailable, "the hub delivered nothing for 20 seconds");
        }
        const std::uint64_t before = result.messages;
        if (sockets[0].revents != 0) TRY(hear_producer(lane, producer, frame));
        for (std::size_t i = 0; i < consumers.size(); ++i) {
            if (sockets[i + 1].revents != 0) TRY(hear_consumer(lane, consumers[i], frame));
        }
        board.done.fetch_add(result.messages - before, std::memory_order_relaxed);
    }
    result.end = Clock::now();
    producer.close();
    for (Consumer& consumer : consumers) consumer.agent.close();
    return result;
}

Result<void> drain(const sdk::HubAddress& hub,
                   const std::vector<std::string>& agents,
                   std::uint64_t count) {
    constexpr std::uint32_t kCredit = 4096;
    sdk::HubFrame frame;
    for (const auto& name : agents) {
        if (count == 0) break;
        auto agent =
            TRY(sdk::Agent::connect({.hub = hub, .hello = {.agent = name, .credit = kCredit}}));
        // After a second of silence no more messages wait for the agent.
        while (count > 0 && TRY(agent.receive(frame, std::chrono::seconds{1}))) {
            for (const sdk::Delivery& delivery : frame.deliveries)
                agent.say().ack(delivery.delivery_id);
            count -= std::min(count, frame.settled);
        }
        agent.close();
    }
    return {};
}

}  // namespace parlance::cli::bench
