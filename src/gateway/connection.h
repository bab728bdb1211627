// One agent's duplex connection: frames of verbs in, frames of verbs out. See
// docs/protocols/connect.md. What one turn says to a connection leaves in one frame.
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

/// Asks at or above this belong to connections.
inline constexpr std::uint64_t kConnectionAsks = std::uint64_t{1} << 62U;

/// How long a connection may take to say who it is.
inline constexpr Duration kHelloTimeMax{std::chrono::seconds{10}};

class Connection : public std::enable_shared_from_this<Connection> {
  public:
    Connection(Desk& desk, std::shared_ptr<transport::Socket> socket, CallerPtr caller, Ask ask);

    void listen();

    // What the hub says; kept until flush().
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

    /// What proved its caller holds no more.
    void show_out();
    /// It has not said who it is for too long.
    void give_up();

    const Caller& caller() const { return *caller_; }
    /// Its reading is taken for its heartbeat where the hub does not read it.
    void beat_while_paused();
    /// It has said who it is, or may still take its time.
    bool is_welcome(Time now) const { return has_greeted_ || now - opened_at_ < kHelloTimeMax; }
    const AgentId& agent() const { return caller_->agent; }
    InstanceNumber instance() const { return instance_; }

    // What the agent says; one function per verb, named in verb_table.h.
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
    /// As it is registered now; the connection may be older. A look into the registry.
    std::optional<Dialect> dialect() const { return dialect_of(desk_, caller_->agent); }
    void beat();
    void leave();
    void touch();
    /// Into the inbox of the hub, as far as the agent's share of it goes.
    Refusal hand_in(Command command, Ask ask);
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
    Ask ask_;
    Time opened_at_;
    InstanceNumber instance_;
    std::shared_ptr<InboxShare> share_;  ///< Of its agent; none before hello.
    bool has_greeted_ = false;
    bool is_joining_ = false;
    std::optional<std::uint32_t> early_credit_;  ///< PartTold in one frame with hello.
    bool is_gone_ = false;
    bool is_touched_ = false;
    Time last_beat_{};
    std::uint64_t settled_ = 0;
    std::size_t refused_bytes_ = 0;  ///< Of refusals since the last frame of the agent.
    std::string accepted_;
    std::string refused_;
    std::string deliver_;
    std::optional<Dialect> reader_;  ///< What deliver_ is written in.
    std::string progress_;
    std::map<std::string, FollowerPtr, std::less<>> followed_;  ///< By the request's id.
    std::string cancelled_;
    std::string welcome_;
};

}  // namespace parlance::gateway
