// Shared by the parts of the front desk: the callers that wait for answers, and the helpers to
// answer the callers.
//
// The desk lives on the loop's thread and decides nothing: a command goes to the engine, and the
// command's effects come back under the command's reply target (`ReplyTarget`).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "dialects/dialects.h"
#include "engine/engine.h"
#include "gateway/capabilities.h"
#include "gateway/classifier_trainer.h"
#include "gateway/fair_lines.h"
#include "gateway/inbox_share.h"
#include "gateway/read_queue.h"
#include "gateway/wait_shares.h"
#include "gateway/workflow_start_times.h"
#include "identity/identity.h"
#include "model/command.h"
#include "model/effect.h"
#include "model/personal.h"
#include "transport/transport.h"
#include "views/bookkeeper.h"
#include "views/feed.h"
#include "views/scrubber.h"

namespace parlance::gateway {

using CallerPtr = std::shared_ptr<const Caller>;
using ExchangePtr = std::shared_ptr<transport::Exchange>;

/// A page of whatever ends behind the item that makes it longer than this.
inline constexpr std::size_t kPageBytesMax = std::size_t{4} << 20;

inline constexpr std::string_view kHubStops = "the hub stops";

class Notifier;

struct Options {
    bool is_dev = false;
    std::string version;
    std::size_t message_bytes_max = std::size_t{1} << 20;
    std::size_t frame_bytes_max = std::size_t{1} << 20;  ///< Size of a WebSocket message.
    std::uint32_t send_credit = 4096;
    std::size_t connections_per_identity_max = 64;  ///< WebSockets and streams of a caller.
    Duration heartbeat_timeout{std::chrono::seconds{30}};
    Duration endpoint_timeout{std::chrono::seconds{25}};
    std::shared_ptr<identity::Guard> guard{};  ///< Null, as with --dev: callers prove nothing.
    PersonalPolicy personal;
    std::string personal_key;              ///< Secret; stays the same as long as messages live.
    std::shared_ptr<Notifier> notifier{};  ///< Null: no mail, no Slack.
    /// Hosts that the hub may call at private addresses. With --dev every host may be called.
    std::vector<std::string> hosts_allowed{};
    /// Host names of the hub beside its addresses and localhost. Unused with --dev, when a request
    /// may name only loopback hosts.
    std::vector<std::string> names{};
    std::function<void(const std::string& line)> log{};  ///< Writes a line for the operator.
};

/// An HTTP call whose command is with the engine.
struct Pending {
    enum class Kind { Done, Send, Take, Reply, Leave, Tool, Workflow, Asked };
    Kind kind = Kind::Done;
    ExchangePtr exchange;
    EnvelopePtr envelope;  ///< Send, Reply: the message that was brought.
    Duration wait{};       ///< Send: how long the line is held. Take: how long to wait for mail.
    AgentId agent;         ///< Take.
    Ticket request{};      ///< Leave: the request whose last holder let go.
    std::string instance;
    std::uint32_t count_max = 1;
    CallerPtr caller;
    std::string deliveries;  ///< Take: the response so far, from "{" on; empty: no delivery came.
    bool is_answered = false;
    bool is_parked = false;
    Time beat_at{};  ///< Take: when the engine last heard that the caller waits.
    bool has_rejoined = false;
    std::function<transport::Response()> show{};  ///< Done: the response after success.
};

/// A caller that holds the line for the answer to a request.
struct Holder {
    std::uint64_t number = 0;
    ReplyTarget reply_target{};  ///< Of the command that made this caller a holder.
    ExchangePtr exchange;
    EnvelopePtr asked;
    transport::Response meanwhile;  ///< The response once the holder can wait no longer.
    CallerPtr caller;
};

/// All callers that hold the line for a request: the requester, and repeats of the same request.
struct Waiter {
    std::vector<Holder> holders;
    ReplyTarget leaving{};  ///< Reply target of the StopWaiting under way.
    std::uint64_t leaver = 0;
};

class Connection;
class Endpoint;
struct Stream;
struct Follower;

struct Desk {
    transport::Loop& loop;
    views::Feed& feed;
    Options options;
    std::function<Time()> wall_clock;  ///< For dates made outside the hub: tokens, certificates.
    std::function<std::uint64_t()> entropy;
    engine::Engine* engine = nullptr;
    dialects::RoleOf role_of{};  ///< Correlation's types go by role.
    const transport::Server* server = nullptr;
    views::Bookkeeper* bookkeeper = nullptr;  ///< Null: no views are kept.
    views::Scrubber* scrubber = nullptr;      ///< Null: the journal is not scrubbed.

    /// Outline of the frame or body that is being read, as deep as a dialect's tables look.
    json::Outline outline{.depth_max = 6};
    std::uint64_t reply_target_last = 0;
    boost::unordered_flat_map<std::uint64_t, Pending> pending;  ///< By reply target.
    std::vector<std::uint64_t> takes;  ///< Reply targets of the takes decided in this batch.
    std::uint64_t filling_take = 0;    ///< Take whose deliveries are being written; 0: none.
    boost::unordered_flat_map<std::uint64_t, Waiter> waiters;     ///< By the request's ticket.
    std::map<std::string, std::vector<Holder>> workflow_waiters;  ///< By the workflow's id.
    std::map<std::pair<std::string, std::string>, InstanceNumber> pollers;
    std::map<std::string, std::deque<std::uint64_t>> parked;  ///< By agent: reply targets of takes.

    std::string damage_told;  ///< The unreadable record that was logged last.

    /// Requests matched with an undecided answer that names no request.
    std::vector<EnvelopePtr> answering;

    std::unique_ptr<WorkflowStartTimes> workflow_start_times =
        std::make_unique<WorkflowStartTimes>();

    std::map<std::uint64_t, std::shared_ptr<Connection>> connections;  ///< By reply target.
    boost::unordered_flat_map<std::uint64_t, std::shared_ptr<Connection>> by_instance;
    std::vector<std::shared_ptr<Connection>> touched;  ///< Connections with frames to send.
    std::map<std::string, std::shared_ptr<Endpoint>> endpoints;
    boost::unordered_flat_map<std::uint64_t, std::shared_ptr<Endpoint>> endpoint_by_instance;
    std::map<std::uint64_t, std::shared_ptr<Endpoint>> endpoint_by_reply_target;
    std::vector<std::shared_ptr<Stream>> streams;
    ReadQueue reads;  ///< Of the journal, for streams and followers.
    std::map<std::string, std::weak_ptr<InboxShare>, std::less<>> shares;  ///< By agent.
    std::vector<std::shared_ptr<Follower>> followers;
    CapabilityShelf capabilities;
    std::unique_ptr<ClassifierTrainer> trainer;  ///< Made for the first text to classify.
    FairLines questions;  ///< Queries of the views, in one line for each caller.
    FairLines records;    ///< Reads of single records, in one line for each caller.
    WaitShares waits;     ///< Requests that hold their connection until the answer.

    /// Hub time: stamps messages and measures deadlines.
    Time clock() const { return engine->now(); }
};

/// An HTTP request on its way through the routes.
struct Call {
    ExchangePtr exchange;
    CallerPtr caller;
    std::vector<std::string_view> captures;  ///< The parts of the path that match {…} in the route.
    const transport::Request& request() const { return exchange->request(); }
};

/// The caller's line in Desk::questions and Desk::records.
inline std::string line_of(const Caller& caller) { return caller.agent.value + '\n' + caller.user; }

/// Brings a command for an HTTP call. If the engine refuses the command, the call is answered at
/// once.
void bring(Desk& desk, Command command, Pending pending, CallerPtr caller);
/// As bring(), for a command whose success needs no body.
void bring_done(Desk& desk, Call& call, Command command);
/// As bring(), for a command whose success is answered with the state after the command.
void bring_shown(Desk& desk,
                 Call& call,
                 Command command,
                 std::function<transport::Response()> show);
/// Submits a command under an existing reply target.
Refusal submit(Desk& desk, Command command, CallerPtr caller, ReplyTarget reply_target);

/// The command that records a refusal. A refused answer ends its request, and the requester is
/// notified; an invalid answer gets the code OutputValidationFailed, in `rejection` too. The record
/// quotes no personal data.
Command record_of(const Desk& desk, dialects::Rejection& rejection, const DeliveryToken& delivery);

std::string fresh_uuid(Desk& desk);

/// "13312.1.2890755431" and back.
std::string delivery_id(const DeliveryToken& delivery);
std::optional<DeliveryToken> parse_delivery_id(std::string_view text);
/// Follows the quoted text that is no delivery id.
inline constexpr const char* kNoDeliveryId =
    "' is not a delivery id, which is three numbers joined by dots";
/// The flaw of a nack's members; empty if there is none.
std::string_view flaw_of_nack(json::Value nack);
std::optional<std::uint64_t> parse_number(std::string_view text);

/// A message as a client wrote the message: JSON, or a dialect's text form converted to JSON.
struct Written {
    std::optional<Dialect> dialect{};  ///< Set by a text form.
    std::string made{};
    /// Strict JSON: the body itself, or the converted text form.
    std::string_view text(std::string_view body) const {
        return dialect ? std::string_view{made} : body;
    }
};
/// Outlines the text.
Result<Written> read_written(std::string_view body, json::Outline& outline);

/// Reads the answer of a request's holder in the holder's dialect and checks the answer against the
/// capability's promises. `said` is strict JSON.
struct AnsweredRequest {
    DeliveryToken delivery;
    const Envelope& asked;
    const AgentId& holder;
};
dialects::Reading<ReplyToDelivery> read_answer(Desk& desk,
                                               const AnsweredRequest& question,
                                               std::string_view said);

/// The agent's dialect; nothing if the agent is not registered.
std::optional<Dialect> dialect_of(const Desk& desk, const AgentId& agent);
/// A message in another dialect, as delivered. `patience`: how long the hub waits for an answer to
/// a request without a timeout of its own.
std::string translated(
    const Envelope& envelope, Dialect reader, Time now, Time began = {}, Duration patience = {});
/// A message as its reader sees the message: the original bytes, the same message in the reader's
/// dialect, or the hub's error answer.
std::string shown(const Desk& desk,
                  const EnvelopePtr& envelope,
                  const Failure& failure,
                  std::optional<Dialect> reader);
/// The recipient of a delivery, and the recipient's dialect.
struct Reader {
    const AgentId& agent;
    std::optional<Dialect> dialect;
};
/// A delivery in its reader's dialect.
std::string delivered(const Desk& desk, const Deliver& deliver, const Reader& reader);
/// Appends {"delivery_id","attempt","message","state"?,"grant"?}.
void append_delivery(const Desk& desk,
                     std::string& out,
                     const Deliver& deliver,
                     const Reader& reader);

// The parts of the desk. Each is defined in the file of its subject.
void answer_accepted(Desk& desk, const TellAccepted& accepted);
void answer_started(Desk& desk, const TellStarted& started);
void answer_ended(Desk& desk, const TellEnded& ended);
void answer_waiter(Desk& desk, const TellAnswer& answer);
void end_wait(Desk& desk, Ticket request, ReplyTarget left);
void leave_again(Desk& desk, Ticket request);
void release_waiters(Desk& desk);
void release_takes(Desk& desk);
// End the waits of callers whose token or certificate was revoked or has expired.
void release_fallen_waiters(Desk& desk);
void refuse_fallen_workflow_waiters(Desk& desk);
void refuse_fallen_takes(Desk& desk);
void park_or_answer(Desk& desk, std::uint64_t reply_target);
/// Answers the take whose deliveries were being written, so that the desk builds a single response
/// at a time.
void answer_filled_take(Desk& desk);
/// Keeps the instances of parked takes alive however long the takes wait.
void beat_for_parked(Desk& desk);
void stir(Desk& desk, const AgentId& agent);
void submit_take(Desk& desk, std::uint64_t reply_target);
void open_endpoint(Desk& desk, const OpenEndpoint& order);
using identity::is_agent_id;
/// An agent as GET /v1/agents/{id} shows the agent.
std::string agent_body(const Desk& desk, const AgentId& agent);

}  // namespace parlance::gateway
