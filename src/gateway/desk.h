// What the parts of the front desk share: who waits for what, and the ways to say it.
//
// Everything here lives on the loop's thread. Nothing is decided here: a command goes to the
// engine, and its effects come back to the ask under which it was brought.
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
#include "gateway/beginnings.h"
#include "gateway/capabilities.h"
#include "gateway/inbox_share.h"
#include "gateway/read_queue.h"
#include "gateway/tutor.h"
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

inline constexpr std::string_view kHubStops = "the hub stops";

class Notifier;

struct Options {
    bool is_dev = false;
    std::string version;
    std::size_t message_bytes_max = std::size_t{1} << 20;
    std::size_t frame_bytes_max = std::size_t{1} << 20;  ///< Of one WebSocket message.
    std::uint32_t send_credit = 4096;
    std::size_t connections_per_identity_max = 64;  ///< Sockets and streams of one caller.
    Duration heartbeat_timeout{std::chrono::seconds{30}};
    Duration endpoint_timeout{std::chrono::seconds{25}};
    std::shared_ptr<identity::Guard> guard{};  ///< Without one, as with --dev, nothing is proved.
    PersonalPolicy personal;
    std::string personal_key;              ///< Secret, and the same as long as messages live.
    std::shared_ptr<Notifier> notifier{};  ///< Without one, people look for themselves.
    /// Called although their addresses are private. With --dev all are.
    std::vector<std::string> hosts_allowed{};
    /// What the hub is called beside its addresses and localhost. With --dev nothing else.
    std::vector<std::string> names{};
    std::function<void(const std::string& line)> log{};  ///< For whoever runs the hub.
};

/// One HTTP call whose command is with the engine.
struct Pending {
    enum class Kind { Done, Send, Take, Reply, Leave, Tool, Workflow, Asked };
    Kind kind = Kind::Done;
    ExchangePtr exchange;
    EnvelopePtr envelope;  ///< Send, Reply: what was brought.
    Duration wait{};       ///< Send: how long the line is held. Take: how long to wait for mail.
    AgentId agent;         ///< Take.
    Ticket request{};      ///< Leave: whose answer is waited for no longer.
    std::string instance;
    std::uint32_t count_max = 1;
    CallerPtr caller;
    std::string deliveries;  ///< Take: the answer so far, from its "{" on; empty: nothing came.
    bool is_answered = false;
    bool is_parked = false;
    Time beat_at{};  ///< Take: when the engine last heard that it waits.
    bool has_rejoined = false;
    std::function<transport::Response()> show{};  ///< Done: what to say, once it is true.
};

/// One that holds the line for the answer to a request.
struct Holder {
    std::uint64_t number = 0;
    ExchangePtr exchange;
    EnvelopePtr asked;
    transport::Response meanwhile;  ///< What it hears when it can wait no longer.
    CallerPtr caller;
};

/// All that hold the line for one request: who asked, and who asked the same again.
struct Waiter {
    std::vector<Holder> holders;
    Ask leaving{};  ///< The last of them has let go, and the engine has not heard of it yet.
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
    std::function<Time()> wall_clock;  ///< For what the outside dates: tokens and certificates.
    std::function<std::uint64_t()> chance;
    engine::Engine* engine = nullptr;
    dialects::RoleOf role_of{};  ///< In correlation, whose types go from role to role.
    const transport::Server* server = nullptr;
    views::Bookkeeper* bookkeeper = nullptr;  ///< None: nobody keeps the views.
    views::Scrubber* scrubber = nullptr;      ///< None: the journal is not scrubbed.

    /// Of the frame or body that is being read, as far in as a dialect's tables look.
    json::Outline outline{.depth_max = 6};
    std::uint64_t ask_last = 0;
    boost::unordered_flat_map<std::uint64_t, Pending> pending;  ///< By ask.
    std::vector<std::uint64_t> takes;  ///< Asks that nothing came for in this batch.
    std::uint64_t filling_take = 0;  ///< The ask whose deliveries are just being written; 0: none.
    boost::unordered_flat_map<std::uint64_t, Waiter> waiters;     ///< By the request's ticket.
    std::map<std::string, std::vector<Holder>> workflow_waiters;  ///< By the workflow's id.
    std::map<std::pair<std::string, std::string>, InstanceNumber> pollers;
    std::map<std::string, std::deque<std::uint64_t>> parked;  ///< By agent: asks of takes.

    std::string damage_told;  ///< What was last logged of a record that cannot be read.

    /// Questions to which an answer that names none was brought, and is not decided yet.
    std::vector<EnvelopePtr> answering;

    std::unique_ptr<Beginnings> beginnings = std::make_unique<Beginnings>();

    std::map<std::uint64_t, std::shared_ptr<Connection>> connections;  ///< By ask.
    boost::unordered_flat_map<std::uint64_t, std::shared_ptr<Connection>> by_instance;
    std::vector<std::shared_ptr<Connection>> touched;  ///< Those with frames to send.
    std::map<std::string, std::shared_ptr<Endpoint>> endpoints;
    boost::unordered_flat_map<std::uint64_t, std::shared_ptr<Endpoint>> endpoint_by_instance;
    std::map<std::uint64_t, std::shared_ptr<Endpoint>> endpoint_by_ask;
    std::vector<std::shared_ptr<Stream>> streams;
    ReadQueue reads;  ///< Of the journal, for streams and followers.
    std::map<std::string, std::weak_ptr<InboxShare>, std::less<>> shares;  ///< By agent.
    std::vector<std::shared_ptr<Follower>> followers;
    CapabilityShelf capabilities;
    std::unique_ptr<Tutor> tutor;  ///< Made when something is first to be classified.

    /// Hub time, by which messages are stamped and deadlines are measured.
    Time clock() const { return engine->now(); }
};

/// One HTTP request on its way through the routes.
struct Call {
    ExchangePtr exchange;
    CallerPtr caller;
    std::vector<std::string_view> captures;  ///< What stood for {…} in the route.
    const transport::Request& request() const { return exchange->request(); }
};

/// Brings a command for an HTTP call. When the engine takes none, the call is answered at once.
void bring(Desk& desk, Command command, Pending pending, CallerPtr caller);
/// The same for a command whose success is all there is to say.
void bring_done(Desk& desk, Call& call, Command command);
/// The same, and how things stand then is the answer.
void bring_shown(Desk& desk,
                 Call& call,
                 Command command,
                 std::function<transport::Response()> show);
/// Puts a command to the engine under an ask that exists already.
Refusal submit(Desk& desk, Command command, CallerPtr caller, Ask ask);

/// What puts a refusal on record. An answer that is refused is the only one its request gets: the
/// requester is told. A reply through a delivery names it; `rejection` says so from then on.
/// What it quotes is on record without personal data.
Command record_of(const Desk& desk, dialects::Rejection& rejection, const DeliveryToken& delivery);

std::string fresh_uuid(Desk& desk);

/// "13312.1" and back.
std::string delivery_id(const DeliveryToken& delivery);
std::optional<DeliveryToken> parse_delivery_id(std::string_view text);
/// Behind a text in quotes that is none.
inline constexpr const char* kNoDeliveryId =
    "' is not a delivery id, which is three numbers joined by dots";
/// What is wrong with what is said in a nack; empty if nothing is.
std::string_view flaw_of_nack(json::Value nack);
std::optional<std::uint64_t> parse_number(std::string_view text);

/// A message as it was written: JSON, or the text form of a dialect made into it.
struct Written {
    std::optional<Dialect> dialect{};  ///< Where the form says so.
    std::string made{};
    /// Strict JSON: the body itself, or what was made of it.
    std::string_view text(std::string_view body) const {
        return dialect ? std::string_view{made} : body;
    }
};
/// Outlines the text.
Result<Written> read_written(std::string_view body, json::Outline& outline);

/// An agent's answer to a question that it holds: in its dialect, and as its capability promises.
/// `said` is strict JSON.
struct Question {
    DeliveryToken delivery;
    const Envelope& asked;
    const AgentId& holder;
};
dialects::Reading<ReplyToDelivery> read_answer(Desk& desk,
                                               const Question& question,
                                               std::string_view said);

/// What an agent speaks; nothing if it is not registered.
std::optional<Dialect> dialect_of(const Desk& desk, const AgentId& agent);
/// A message in another dialect, as it is delivered.
/// `patience`: how long the hub waits for an answer to a request that does not say it.
std::string translated(
    const Envelope& envelope, Dialect reader, Time now, Time began = {}, Duration patience = {});
/// A message as its reader should see it: its own bytes, the same in the reader's dialect, or the
/// hub's error answer.
std::string shown(const Desk& desk,
                  const EnvelopePtr& envelope,
                  const Failure& failure,
                  std::optional<Dialect> reader);
/// Who reads a delivery, and in what dialect.
struct Reader {
    const AgentId& agent;
    std::optional<Dialect> dialect;
};
/// A delivery as its reader should see it.
std::string delivered(const Desk& desk, const Deliver& deliver, const Reader& reader);
/// Appends {"delivery_id","attempt","message","state"?,"grant"?}.
void append_delivery(const Desk& desk,
                     std::string& out,
                     const Deliver& deliver,
                     const Reader& reader);

// The parts, each in a file of its own name.
void answer_accepted(Desk& desk, const TellAccepted& accepted);
void answer_started(Desk& desk, const TellStarted& started);
void answer_ended(Desk& desk, const TellEnded& ended);
void answer_waiter(Desk& desk, const TellAnswer& answer);
void end_wait(Desk& desk, Ticket request);
void leave_again(Desk& desk, Ticket request);
void release_waiters(Desk& desk);
void release_takes(Desk& desk);
// Whoever waits and was proved by what holds no more.
void release_fallen_waiters(Desk& desk);
void refuse_fallen_workflow_waiters(Desk& desk);
void refuse_fallen_takes(Desk& desk);
void park_or_answer(Desk& desk, std::uint64_t ask);
/// The take that was being filled has all of its deliveries: its answer is written at once, so that
/// one answer at a time is put together.
void answer_filled_take(Desk& desk);
/// Whoever waits for mail on an open line is there, however long the wait.
void beat_for_parked(Desk& desk);
void stir(Desk& desk, const AgentId& agent);
void submit_take(Desk& desk, std::uint64_t ask);
void open_endpoint(Desk& desk, const OpenEndpoint& order);
using identity::is_agent_id;
/// An agent as GET /v1/agents/{id} shows it.
std::string agent_body(const Desk& desk, const AgentId& agent);

}  // namespace parlance::gateway
