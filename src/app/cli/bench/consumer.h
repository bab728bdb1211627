// The receiving half of a lane: one connection per recipient, and its acknowledgements.
#pragma once

#include <vector>

#include <poll.h>

#include "app/cli/bench/sender.h"

namespace parlance::cli::bench {

/// Messages acknowledged here and not yet confirmed, in the order of the acknowledgements.
class Unsettled {
  public:
    explicit Unsettled(std::uint64_t most) : ring_(most + 1) {}
    void push(std::uint64_t index) { ring_[tail_++ % ring_.size()] = index; }
    bool empty() const { return head_ == tail_; }
    std::uint64_t pop() { return ring_[head_++ % ring_.size()]; }

  private:
    std::vector<std::uint64_t> ring_;
    std::uint64_t head_ = 0;
    std::uint64_t tail_ = 0;
};

struct Consumer {
    sdk::Agent agent;
    Unsettled unsettled;
};

inline Result<std::vector<Consumer>> connect_consumers(const LanePlan& plan, std::uint32_t credit) {
    std::vector<Consumer> consumers;
    for (const auto& recipient : plan.generator.to) {
        consumers.push_back(
            {TRY(sdk::Agent::connect(
                 {.hub = plan.hub, .hello = {.agent = recipient, .credit = credit}})),
             Unsettled{credit}});
    }
    return consumers;
}

/// Waits for input on any connection; false after kPatience without input.
inline bool await_any(std::vector<pollfd>& sockets) {
    const auto most = std::chrono::milliseconds{kPatience}.count();
    return ::poll(sockets.data(), sockets.size(), static_cast<int>(most)) > 0;
}

inline std::vector<pollfd> sockets_of(const sdk::Agent& producer,
                                      const std::vector<Consumer>& consumers) {
    std::vector<pollfd> sockets{{.fd = producer.socket(), .events = POLLIN, .revents = 0}};
    for (const Consumer& consumer : consumers) {
        sockets.push_back({.fd = consumer.agent.socket(), .events = POLLIN, .revents = 0});
    }
    return sockets;
}

}  // namespace parlance::cli::bench
