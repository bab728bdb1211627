// An agent without a client: the hub posts each delivery to the agent's address and takes the
// answer.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gateway/desk.h"

namespace parlance::gateway {

/// Reply targets at or above this number, and below those of connections, belong to endpoints.
inline constexpr std::uint64_t kEndpointReplyTargets = std::uint64_t{1} << 61U;

/// Why the hub would not post to this address; empty if the hub would, or if the address is
/// invalid.
std::string flaw_of_endpoint(const Desk& desk, const std::string& url);

/// The address without its possible secrets: user, password and query.
std::string plain_address(std::string_view url);

class Endpoint : public std::enable_shared_from_this<Endpoint> {
  public:
    Endpoint(Desk& desk, AgentId agent, std::string url, ReplyTarget reply_target);

    void join(std::uint32_t credit);
    void joined(InstanceNumber instance);
    void leave();
    void deliver(const Deliver& deliver);

    const std::string& url() const { return url_; }
    InstanceNumber instance() const { return instance_; }

  private:
    void take_answer(const Deliver& deliver, const Result<transport::Response>& answer);
    void take_reply(const Deliver& deliver, const std::string& body);
    void reject(const DeliveryToken& delivery, dialects::Rejection rejection);
    void settle(Command command);

    Desk& desk_;
    CallerPtr caller_;
    std::string url_;
    ReplyTarget reply_target_;
    InstanceNumber instance_;
};

}  // namespace parlance::gateway
