#include "sdk/cpp/agent.h"

#include <algorithm>
#include <utility>

namespace parlance::sdk {

namespace {

Result<void> check_error(const HubFrame& frame) {
    if (!frame.error) return {};
    // A stopping hub will be back; any different error is permanent.
    const bool is_passing = frame.error->code == "HUB_STOPPING";
    return fail(is_passing ? Fault::Unavailable : Fault::Malformed,
                std::string(frame.error->code) + ": " + std::string(frame.error->message));
}

}  // namespace

Result<Agent> Agent::connect(const AgentOptions& options) {
    Identity identity = options.identity;
    if (identity.agent.empty() && identity.operator_name.empty()) {
        identity.agent = options.hello.agent;
    }
    Agent agent{TRY(Connection::open(options.hub, identity, options.timeout))};
    agent.writer_.hello(options.hello);
    TRY(agent.flush());
    TRY(agent.welcome(options.timeout));
    return agent;
}

Result<void> Agent::welcome(std::chrono::milliseconds timeout) {
    const auto deadline = Clock::now() + timeout;
    HubFrame frame;
    while (Clock::now() < deadline) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        const auto text = TRY(connection_.receive(left));
        if (!text) continue;
        TRY(read_frame(*text, frame));
        TRY(check_error(frame));
        if (!frame.refused.empty()) {
            const Refused& refused = frame.refused.front();
            return fail(Fault::Malformed,
                        std::string(refused.code) + ": " + std::string(refused.message));
        }
        if (!frame.welcome) continue;
        terms_ = {.hub = std::string(frame.welcome->hub),
                  .version = std::string(frame.welcome->version),
                  .instance = std::string(frame.welcome->instance),
                  .send_credit = std::max(frame.welcome->send_credit, 1U),
                  .heartbeat = std::chrono::milliseconds{frame.welcome->heartbeat_ms},
                  .frame_bytes_max = frame.welcome->frame_bytes_max};
        connection_.limit_frames(terms_.frame_bytes_max);
        stashed_ = *text;
        return {};
    }
    return fail(Fault::Unavailable, "the hub did not welcome us in time");
}

std::size_t Agent::reply_bytes_max() const {
    constexpr std::size_t kAround = 128;  // The verb, the delivery's id, and perhaps a heartbeat.
    return terms_.frame_bytes_max - std::min(terms_.frame_bytes_max, kAround);
}

Result<void> Agent::flush() {
    if (writer_.empty()) return {};
    heard_ = Clock::now();
    return connection_.send(writer_.take());
}

Result<bool> Agent::receive(HubFrame& frame, std::chrono::milliseconds wait) {
    if (!stashed_.empty()) {
        read_ = std::exchange(stashed_, {});
        TRY(flush());
        TRY(read_frame(read_, frame));
        return true;
    }
    // Half of the hub's limit, so that one late wake-up is not yet a missed sign of life.
    const auto interval = terms_.heartbeat / 2;
    const auto deadline = Clock::now() + wait;
    while (true) {
        if (Clock::now() >= heard_ + interval) writer_.heartbeat();
        TRY(flush());
        const auto until = std::min(deadline, heard_ + interval);
        const auto left =
            std::max(std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()),
                     std::chrono::milliseconds{0});
        const auto text = TRY(connection_.receive(left));
        if (text) {
            TRY(read_frame(*text, frame));
            TRY(check_error(frame));
            return true;
        }
        if (until == deadline) return false;
    }
}

}  // namespace parlance::sdk
