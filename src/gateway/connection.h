// An agent's duplex connection: frames of verbs in, frames of verbs out. See
// docs/reference/websocket.md. All effects of a turn leave in one frame.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "gateway/desk.h"
#include "gateway/follower.h"
#include "gateway/problem.h"

namespace parlance::gateway {

/// Reply targets at or above this number belong to connections.
inline constexpr std::uint64_t kConnectionReplyTargets = std::uint64_t{1} << 62U;

/// How long a connection may take to say hello.
inline constexpr Duration kHelloTimeMax{std::chrono::seconds{10}};

class Connection : public std::enable_shared_from_this<Connection> {
  public:
    Connection(Desk& desk,
               std::shared_ptr<transport::Socket> socket,
               CallerPtr caller,
               ReplyTarget reply_target);

    void listen();

    // Effects for the agent, kept until flush().
    void tell(const TellAccepted& accepted);
    void tell(const TellRefused& refused);
    void tell(const TellJoined& joined);
    void tell(const Deliver& deliver);
    void tell(const TellProgress& progress);
    void tell(const TellCancelled& cancelled);
    void tell(const TellDone& done);
    void flush();
    /// The hub stops.
    void dismiss();
    /// The core let the instance go.
    void let_go(const std::string& reason);

    /// The caller's credential was revoked or has expired.
    void show_out();
    /// The connection took too long to say hello.
    void give_up();

    const Caller& caller() const { return *caller_; }
    /// While the hub does not read a busy connection, the agent's reading counts as its heartbeat.
    void beat_while_paused();
    /// The connection has said hello, or still has time to do so.
    bool is_welcome(Time now) const { return has_greeted_ || now - opened_at_ < kHelloTimeMax; }
    const AgentId& agent() const { return caller_->agent; }
    InstanceNumber instance() const { return instance_; }

    // Frames of the agent; one function per verb, named in verb_table.h.
    void hear_hello(json::Value value);
    void hear_credit(json::Value value);
    void hear_subscribe(json::Value value);
    void hear_unsubscribe(json::Value value);
    void hear_ack(json::Value value);
    void hear_nack(json::Value value);
    void hear_extend(json::Value value);
    void hear_progress(json::Value value);
    void hear_reply(json::Value value);
    void hear_send(json::Value value);
    void hear_heartbeat(json::Value value);
    void hear_stream(json::Value value);

  private:
    void hear(std::string_view frame);
    void follow_asked(const std::string& id,
                      std::uint64_t after,
                      Ticket request,
                      const EnvelopePtr& asked);
    void refuse_unread(const std::string& request, const Error& error);
    void begin_stream(const std::string& request, std::uint64_t after);
    void say_part(std::string_view request, const PartTold& said);
    void end_streams();
    /// The agent's dialect as registered now, which may be later than the connection. A registry
    /// lookup.
    std::optional<Dialect> dialect() const { return dialect_of(desk_, caller_->agent); }
    void beat();
    void leave();
    void touch();
    /// Submits a command, within the agent's share of the hub's inbox.
    Refusal hand_in(Command command, ReplyTarget reply_target);
    std::string why_not(Refusal refusal) const;
    bool has_too_many_items(std::string_view verb, json::Value value);
    void bring(Command command, const DeliveryToken& delivery = {});
    void refuse(const Refused& refused);
    void refuse_delivery(std::string_view id);
    void count_settled();
    void reject(dialects::Rejection rejection, const DeliveryToken& delivery = {});
    void turn_away(std::string_view why);
    void break_off(std::string_view what);
    void break_off(Refusal refusal, std::string_view what, std::uint16_t close_code = 1008);
    void say_error(Refusal refusal, std::string_view what);
    template <class Use>
    void each_delivery(json::Value list, Use use);
    template <class Use>
    void each_topic(json::Value list, Use use);

    Desk& desk_;
    std::shared_ptr<transport::Socket> socket_;
    CallerPtr caller_;
    ReplyTarget reply_target_;
    Time opened_at_;
    InstanceNumber instance_;
    std::shared_ptr<InboxShare> share_;  ///< Of the connection's agent; null before hello.
    bool has_greeted_ = false;
    bool is_joining_ = false;
    std::optional<std::uint32_t> early_credit_;  ///< Granted in the same frame as hello.
    bool is_gone_ = false;
    bool is_touched_ = false;
    Time last_beat_{};
    std::uint64_t settled_ = 0;
    std::size_t refused_bytes_ = 0;  ///< Bytes of refusals since the agent's last frame.
    std::string accepted_;
    std::string refused_;
    std::string deliver_;
    std::optional<Dialect> reader_;  ///< The dialect of the text in deliver_.
    std::string progress_;
    std::map<std::string, FollowerPtr, std::less<>> followed_;  ///< By the request's id.
    std::string cancelled_;
    std::string welcome_;
};

}  // namespace parlance::gateway
