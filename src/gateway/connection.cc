#include "gateway/connection.h"

#include <array>

#include "base/json_write.h"
#include "base/plain_text.h"
#include "dialects/claim.h"
#include "gateway/admission.h"
#include "gateway/handlers.h"
#include "gateway/instance_name.h"
#include "gateway/intake.h"
#include "gateway/personal.h"
#include "gateway/problem.h"
#include "gateway/unreadable.h"
#include "gateway/verb_table.h"

namespace parlance::gateway {

namespace {

/// A frame is sent once it has this size; agents need not take larger frames.
constexpr std::size_t kFrameBytes = std::size_t{256} << 10;

/// Limit, in bytes, of the refusals for one frame of an agent: the refusals of many small invalid
/// items would be hundreds of times as large as the frame.
constexpr std::size_t kRefusedBytesPerFrameMax = std::size_t{1} << 20;

constexpr std::size_t kDeliveryIdShown = 64;

/// How many answers a connection follows at a time.
constexpr std::size_t kFollowedMax = 64;
constexpr const char* kNoSuchRequest = "there is no such request of this agent";
constexpr std::uint16_t kTurnedAway = 1008;

/// Empty without a delivery.
std::string name_of(const DeliveryToken& delivery) {
    return delivery == DeliveryToken{} ? std::string{} : delivery_id(delivery);
}

std::string text_of(json::Value object, std::string_view key) {
    std::string spare;
    const auto value = json::find(object, key);
    return value && value->is_string() ? std::string{value->text(spare)} : std::string{};
}

std::shared_ptr<InboxShare> share_of(Desk& desk, const std::string& agent) {
    auto& known = desk.shares[agent];
    auto share = known.lock();
    if (share) return share;
    share = std::make_shared<InboxShare>();
    known = share;
    // Shares of agents without a connection stay in the map for a while.
    if (desk.shares.size() > 2 * (desk.connections.size() + 16)) {
        std::erase_if(desk.shares, [](const auto& row) { return row.second.expired(); });
    }
    return share;
}

void append_member(std::string& frame, std::string_view key, std::string_view value) {
    if (frame.size() > 1) frame.push_back(',');
    frame.push_back('"');
    frame.append(key).append("\":").append(value);
}

void append_list(std::string& frame, std::string_view key, std::string& items) {
    if (items.empty()) return;
    if (frame.size() > 1) frame.push_back(',');
    frame.push_back('"');
    frame.append(key).append("\":[").append(items).push_back(']');
    items.clear();
}

}  // namespace

Connection::Connection(Desk& desk,
                       std::shared_ptr<transport::Socket> socket,
                       CallerPtr caller,
                       ReplyTarget reply_target)
    : desk_(desk),
      socket_(std::move(socket)),
      caller_(std::move(caller)),
      reply_target_(reply_target),
      opened_at_(desk.clock()) {}

void Connection::listen() {
    const auto self = shared_from_this();
    socket_->on_frame([self](std::string_view frame) { self->hear(frame); });
    socket_->on_gone([self] { self->leave(); });
}

void Connection::leave() {
    if (is_gone_) return;
    is_gone_ = true;
    end_streams();
    if (instance_ != InstanceNumber{}) {
        desk_.by_instance.erase(instance_.value);
        submit(desk_, LeaveInstance{instance_, "the connection ended"}, nullptr, {});
    }
    desk_.connections.erase(reply_target_.value);
}

void Connection::let_go(const std::string& reason) {
    if (is_gone_) return;
    is_gone_ = true;
    end_streams();
    desk_.by_instance.erase(instance_.value);
    desk_.connections.erase(reply_target_.value);
    const bool is_replaced = reason.starts_with("replaced");
    say_error(Refusal::InstanceUnknown, reason);
    socket_->close(is_replaced ? 4000 : 4001, reason);
}

void Connection::say_error(Refusal refusal, std::string_view what) {
    socket_->send(
        "{\"" + std::string{kError.name} + "\":" +
        json::ObjectWriter{}.text("code", refusal_row(refusal).code).text("message", what).done() +
        "}");
}

void Connection::break_off(std::string_view what) { break_off(Refusal::MessageMalformed, what); }

void Connection::break_off(Refusal refusal, std::string_view what, std::uint16_t close_code) {
    flush();
    say_error(refusal, what);
    socket_->close(close_code, std::string{cut(what, 100)});
    leave();
}

/// The hub's stop does not end the instance; the next start does, as after a crash. So the agent's
/// open deliveries do not count as failed attempts.
void Connection::dismiss() {
    if (is_gone_) return;
    flush();
    is_gone_ = true;
    end_streams();
    desk_.by_instance.erase(instance_.value);
    desk_.connections.erase(reply_target_.value);
    say_error(Refusal::HubStopping, kHubStops);
    socket_->close(1001, std::string{kHubStops});
}

void Connection::show_out() {
    if (!is_gone_) break_off(Refusal::IdentityRequired, kNoLongerProved);
}

void Connection::give_up() {
    if (!is_gone_) break_off(Refusal::InstanceUnknown, "hello was not said in time", kTurnedAway);
}

void Connection::touch() {
    if (is_touched_) return;
    is_touched_ = true;
    desk_.touched.push_back(shared_from_this());
}

// --- what the agent says -------------------------------------------------------------------

void Connection::hear(std::string_view frame) {
    if (is_gone_) return;
    refused_bytes_ = 0;
    if (const auto checked = json::check(frame, desk_.outline); !checked) {
        return break_off(Refusal::MessageMalformed, checked.error().message, 1007);
    }
    const auto root = json::root(frame, desk_.outline);
    if (!root.is_object()) return break_off("a frame is an object of verbs");

    std::array<json::Value, kVerbs.size()> said{};
    json::Members members{root};
    while (members.next()) {
        std::size_t verb = 0;
        while (verb < kVerbs.size() && kVerbs[verb].name != members.key) ++verb;
        if (verb == kVerbs.size()) {
            return break_off("unknown verb '" + std::string{cut(members.key, 64)} + "'");
        }
        said[verb] = members.value;
    }
    beat();
    for (std::size_t verb = 0; verb < kVerbs.size(); ++verb) {
        if (has_too_many_items(kVerbs[verb].name, said[verb])) return;
    }
    for (std::size_t verb = 0; verb < kVerbs.size() && !is_gone_; ++verb) {
        if (said[verb].raw.empty()) continue;
        if (kVerbs[verb].needs_hello && !has_greeted_) return break_off("say hello first");
        (this->*kVerbs[verb].hear)(said[verb]);
    }
}

/// The hub processes a frame as a whole while all other callers wait, so a frame with a list of
/// more than frame_items_max items is refused as a whole.
bool Connection::has_too_many_items(std::string_view verb, json::Value value) {
    const auto items_max = desk_.engine->state().limits.frame_items_max;
    constexpr std::size_t kItemBytesMin = 2;  // A digit and a comma.
    if (value.raw.size() / kItemBytesMin <= items_max || !value.is_array()) return false;
    std::uint64_t count = 0;
    for (json::Elements items{value}; items.next();) ++count;
    if (count <= items_max) return false;
    break_off(Refusal::InputValidationFailed,
              "\"" + std::string{verb} + "\" has " + std::to_string(count) +
                  " items, and frame_items_max is " + std::to_string(items_max) +
                  "; send it in several frames. Nothing of this frame was done");
    return true;
}

Refusal Connection::hand_in(Command command, ReplyTarget reply_target) {
    const auto& engine = *desk_.engine;
    if (share_ && share_->is_full(engine.commands_left())) return Refusal::HubOverloaded;
    const auto refusal = submit(desk_, std::move(command), caller_, reply_target);
    if (share_ && refusal == Refusal::None) {
        share_->add(engine.commands_left() + engine.inbox_size());
    }
    return refusal;
}

std::string Connection::why_not(Refusal refusal) const {
    auto reason = desk_.engine->health().reason;
    if (refusal != Refusal::HubOverloaded || !reason.empty()) return reason;
    if (!share_ || !share_->is_full(desk_.engine->commands_left())) return reason;
    return "this agent has as many commands with the hub as it may (" +
           std::to_string(InboxShare::kCommandsMax) + "); wait for answers before sending on";
}

void Connection::bring(Command command, const DeliveryToken& delivery) {
    const auto refusal = hand_in(std::move(command), reply_target_);
    if (refusal == Refusal::None) return;
    refuse({.delivery_id = name_of(delivery), .refusal = refusal, .detail = why_not(refusal)});
}

/// Every frame is a sign of life, but the core hears of at most one frame per quarter of the
/// heartbeat timeout.
void Connection::beat() {
    if (instance_ == InstanceNumber{}) return;
    const auto now = desk_.clock();
    if (now - last_beat_ < desk_.options.heartbeat_timeout / 4) return;
    last_beat_ = now;
    submit(desk_, Heartbeat{instance_}, caller_, {});
}

/// The hub does not read a connection with a large backlog, and so would not hear its heartbeats.
void Connection::beat_while_paused() {
    if (!is_gone_ && socket_->is_paused_and_draining()) beat();
}

void Connection::hear_hello(json::Value value) {
    if (has_greeted_) return break_off("hello was said already");
    if (!value.is_object()) return break_off("hello takes an object with an \"agent\"");
    const AgentId agent{text_of(value, "agent")};
    if (!caller_->agent.value.empty() && !agent.value.empty() && agent != caller_->agent) {
        const auto what = "this connection proved to be '" + caller_->agent.value +
                          "' and cannot be '" + std::string{cut(agent.value, kIdBytesMax)} + "'";
        record_refusal(desk_, Refusal::IdentityMismatch, what, caller_);
        return break_off(Refusal::IdentityMismatch, what);
    }
    if (caller_->agent.value.empty()) {
        auto named = *caller_;
        named.agent = agent;
        caller_ = std::make_shared<Caller>(std::move(named));
    }
    if (caller_->agent.value.empty()) return break_off("hello names no agent");
    if (!is_agent_id(caller_->agent.value)) {
        return break_off("hello must name an agent by 1 to 128 letters, digits or ._-:/@");
    }
    auto name = text_of(value, "instance");
    if (!name.empty() && !is_instance_name(name)) return break_off(kNoInstanceName);
    // With --dev the agent is known only from hello on, and then counts this connection too.
    if (desk_.options.is_dev) {
        if (const auto lack = lack_of_lines(desk_, *caller_, 1)) {
            return break_off(Refusal::ConnectionLimitExceeded, *lack);
        }
    }
    has_greeted_ = true;
    share_ = share_of(desk_, caller_->agent.value);

    if (const auto profile_value = json::find(value, "register")) {
        auto profile = read_profile(desk_, profile_value->raw);
        if (!profile) {
            const auto why = profile.error().summary();
            reject(std::move(profile).error());
            return turn_away(why);
        }
        if (const auto no = cannot_register(desk_, *caller_, caller_->agent, *profile);
            !no.empty()) {
            record_refusal(desk_, Refusal::RouteNotPermitted, no, caller_);
            return break_off(Refusal::RouteNotPermitted, no);
        }
        // The success of the registration is not answered; the join is.
        bring(RegisterAgent{caller_->agent, std::move(*profile)});
    }
    if (name.empty())
        name = "connection-" + std::to_string(reply_target_.value - kConnectionReplyTargets);
    const auto credit = json::find(value, "credit");
    const auto wanted = credit ? credit->integer().value_or(-1) : 1;
    if (wanted < 0) return break_off("credit must be a whole number from 0");
    is_joining_ = true;
    bring(JoinInstance{caller_->agent,
                       std::move(name),
                       InstanceKind::Socket,
                       static_cast<std::uint32_t>(std::min<std::int64_t>(wanted, 1'000'000))});
}

void Connection::hear_credit(json::Value value) {
    const auto credit = value.integer();
    if (!credit || *credit < 0) return break_off("credit must be a whole number from 0");
    const auto total = static_cast<std::uint32_t>(std::min<std::int64_t>(*credit, 1'000'000));
    if (is_joining_) {
        early_credit_ = total;
        return;
    }
    bring(GrantCredit{instance_, total});
}

/// Calls `use(topic)` for each topic of the list with a valid name.
template <class Use>
void Connection::each_topic(json::Value list, Use use) {
    if (!list.is_array()) return break_off("this verb takes a list of topics");
    json::Elements topics{list};
    std::string spare;
    while (topics.next() && !is_gone_) {
        if (!topics.value.is_string()) return break_off("a topic is a string");
        const TopicName topic{std::string{topics.value.text(spare)}};
        if (is_topic_name(topic.value)) {
            use(topic);
        } else {
            refuse(
                {.refusal = Refusal::InputValidationFailed, .detail = no_topic_name(topic.value)});
        }
    }
}

void Connection::hear_subscribe(json::Value value) {
    each_topic(value, [&](const TopicName& topic) { bring(Subscribe{caller_->agent, topic}); });
}

void Connection::hear_unsubscribe(json::Value value) {
    each_topic(value, [&](const TopicName& topic) { bring(Unsubscribe{caller_->agent, topic}); });
}

void Connection::hear_ack(json::Value value) {
    if (!value.is_array()) return break_off("ack takes a list of delivery ids");
    json::Elements ids{value};
    std::string spare;
    while (ids.next() && !is_gone_) {
        const auto id = ids.value.is_string() ? ids.value.text(spare) : ids.value.raw;
        if (const auto delivery = parse_delivery_id(id)) {
            bring(AckDelivery{*delivery}, *delivery);
        } else {
            refuse_delivery(id);
        }
    }
}

void Connection::refuse_delivery(std::string_view id) {
    id = cut(id, kDeliveryIdShown);
    refuse({.delivery_id = id,
            .refusal = Refusal::DeliveryNotFound,
            .detail = "'" + std::string{id} + kNoDeliveryId});
}

/// Calls `use(delivery, item)` for each {"delivery_id",…} of a list.
template <class Use>
void Connection::each_delivery(json::Value list, Use use) {
    if (!list.is_array()) return break_off("this verb takes a list of objects with a delivery_id");
    json::Elements items{list};
    while (items.next() && !is_gone_) {
        const auto id = items.value.is_object() ? text_of(items.value, "delivery_id") : "";
        if (const auto delivery = parse_delivery_id(id)) {
            use(*delivery, items.value);
        } else {
            refuse_delivery(id);
        }
    }
}

void Connection::hear_nack(json::Value value) {
    each_delivery(value, [&](const DeliveryToken& delivery, json::Value item) {
        if (const auto flaw = flaw_of_nack(item); !flaw.empty()) {
            return refuse({.delivery_id = delivery_id(delivery),
                           .refusal = Refusal::InputValidationFailed,
                           .detail = flaw});
        }
        const auto final = json::find(item, "final");
        bring(NackDelivery{.delivery = delivery,
                           .reason = text_of(item, "reason"),
                           .is_final = final && final->raw == "true"},
              delivery);
    });
}

void Connection::hear_extend(json::Value value) {
    each_delivery(value, [&](const DeliveryToken& delivery, json::Value item) {
        ExtendLease extend{.delivery = delivery};
        const auto by = json::find(item, "by_ms");
        if (by && by->integer().value_or(0) > 0) extend.by = Duration{*by->integer()};
        bring(extend, delivery);
    });
}

void Connection::hear_progress(json::Value value) {
    each_delivery(value, [&](const DeliveryToken& delivery, json::Value item) {
        const auto note = json::find(item, "note");
        bring(ReportProgress{delivery, note ? std::string{note->raw} : "null"}, delivery);
    });
}

void Connection::hear_reply(json::Value value) {
    each_delivery(value, [&](const DeliveryToken& delivery, json::Value item) {
        const auto message = json::find(item, "message");
        const auto held = desk_.engine->delivery(delivery);
        // The core refuses and records a delivery that is stale or held by another agent.
        if (!held || !held->is_current || !may_act_for(*caller_, held->holder.value)) {
            return bring(AckDelivery{delivery}, delivery);
        }
        if (!message) {
            return refuse({.delivery_id = delivery_id(delivery),
                           .refusal = Refusal::InputValidationFailed,
                           .detail = "a reply has the answer in \"message\""});
        }
        auto reply = read_answer(desk_, {delivery, *held->envelope, held->holder}, message->raw);
        if (!reply) return reject(std::move(reply).error(), delivery);
        bring(*std::move(reply), delivery);
    });
}

void Connection::hear_send(json::Value value) {
    if (!value.is_array()) return break_off("send takes a list of messages");
    json::Elements messages{value};
    std::string fresh_id;
    while (messages.next() && !is_gone_) {
        if (fresh_id.empty()) fresh_id = fresh_uuid(desk_);
        auto message = take_in(desk_,
                               {.text = messages.value.raw,
                                .outlined = messages.value,
                                .sender = caller_->agent.value,
                                .fresh_id = fresh_id});
        if (!message) {
            auto rejection = std::move(message).error();
            if (rejection.id == fresh_id) fresh_id.clear();
            dialects::note_claim(rejection, messages.value.raw);
            reject(std::move(rejection));
            continue;
        }
        if (message->envelope->id() == fresh_id) fresh_id.clear();
        const std::string_view id = message->envelope->id();
        const auto envelope = message->envelope;  // Keeps `id` alive.
        const auto refusal = hand_in(std::move(*message), reply_target_);
        if (refusal == Refusal::None) continue;
        refuse({.message_id = id,
                .refusal = refusal,
                .detail = why_not(refusal),
                .correlation = envelope->correlation()});
    }
}

/// hear() has already taken the frame for a sign of life.
void Connection::hear_heartbeat(json::Value) {}

void Connection::hear_stream(json::Value value) {
    if (!value.is_array()) return break_off("stream takes a list of objects with a message_id");
    for (json::Elements items{value}; items.next() && !is_gone_;) {
        const auto id = items.value.is_object() ? text_of(items.value, "message_id") : "";
        const auto after =
            items.value.is_object() ? json::find(items.value, "after") : std::nullopt;
        const auto from = after ? after->integer().value_or(-1) : 0;
        const auto no = [&](Refusal refusal, std::string_view detail) {
            refuse({.message_id = id, .refusal = refusal, .detail = std::string{detail}});
        };
        const auto standing = desk_.engine->stream({.asker = caller_->agent.value, .id = id});
        if (from < 0) {
            no(Refusal::InputValidationFailed, "after must be the number of a part");
        } else if (!standing || standing->is_forgotten) {
            no(Refusal::DelegationNotFound,
               standing ? "its parts are no longer kept" : kNoSuchRequest);
        } else if (is_beyond(*standing, static_cast<std::uint64_t>(from))) {
            no(Refusal::SequenceNotFound,
               beyond_words(*standing, static_cast<std::uint64_t>(from)));
        } else {
            const auto place = std::min(static_cast<std::uint64_t>(from), standing->parts_count);
            const bool is_taken =
                with_asked(desk_,
                           *caller_,
                           standing->request,
                           [self = shared_from_this(), id, place, request = standing->request](
                               const Result<EnvelopePtr>& asked) {
                               if (self->is_gone_) return;
                               if (!asked) return self->refuse_unread(id, asked.error());
                               self->follow_asked(id, place, request, *asked);
                           });
            if (!is_taken) no(Refusal::HubOverloaded, too_many_reads_words());
        }
    }
}

void Connection::follow_asked(const std::string& id,
                              std::uint64_t after,
                              Ticket request,
                              const EnvelopePtr& asked) {
    const auto no = [&](Refusal refusal, const char* detail) {
        refuse({.message_id = id, .refusal = refusal, .detail = detail});
    };
    if (asked == nullptr || !may_follow(desk_, *caller_, request, *asked)) {
        return no(Refusal::DelegationNotFound, kNoSuchRequest);
    }
    if (followed_.size() >= kFollowedMax && !followed_.contains(id)) {
        return no(Refusal::HubOverloaded,
                  "this connection follows as many requests as it may (64)");
    }
    begin_stream(id, after);
}

/// Refuses to stream a request whose record in the journal cannot be read.
void Connection::refuse_unread(const std::string& request, const Error& error) {
    refuse({.message_id = request, .refusal = refusal_of_read(error), .detail = error.message});
}

void Connection::begin_stream(const std::string& request, std::uint64_t after) {
    if (const auto before = followed_.find(request); before != followed_.end()) {
        unfollow(desk_, *before->second);
    }
    const auto follower = std::make_shared<Follower>();
    follower->caller = caller_;
    follower->asker = caller_->agent.value;
    follower->request = request;
    follower->told = after;
    follower->is_on_connection = true;
    follower->tell = [this, request](const PartTold& said) { say_part(request, said); };
    follower->fail = [this, request](const Error& error) { refuse_unread(request, error); };
    follower->end = [this, request] { followed_.erase(request); };
    follower->backlog_bytes = [this] { return socket_->backlog_bytes(); };
    followed_.insert_or_assign(request, follower);
    follow(desk_, follower);
}

void Connection::end_streams() {
    for (const auto& [request, follower] : followed_) unfollow(desk_, *follower);
    followed_.clear();
}

// --- what the hub says ---------------------------------------------------------------------

void Connection::refuse(const Refused& refused) {
    if (is_gone_) return;
    const auto bytes_before = refused_.size();
    append_refused(
        refused_,
        refused,
        dialects::write_refusal(dialect().value_or(Dialect::Taskwire),
                                refused.about.empty() ? refused.message_id : refused.about,
                                caller_->agent.value,
                                refused.refusal,
                                refused.detail,
                                desk_.clock(),
                                refused.correlation));
    touch();
    refused_bytes_ += refused_.size() - bytes_before;
    if (refused_.size() >= kFrameBytes) flush();
    if (refused_bytes_ <= kRefusedBytesPerFrameMax) return;
    break_off(Refusal::MessageTooLarge,
              "the refusals of one frame are larger than " +
                  std::to_string(kRefusedBytesPerFrameMax) + " bytes, and its rest was not read");
}

void Connection::reject(dialects::Rejection rejection, const DeliveryToken& delivery) {
    hand_in(record_of(desk_, rejection, delivery), {});
    const auto summary = rejection.summary();
    refuse({.message_id = rejection.id,
            .delivery_id = name_of(delivery),
            .refusal = rejection.refusal,
            .detail = summary,
            .about = rejection.answers,
            .correlation = rejection.correlation});
}

void Connection::tell(const TellAccepted& accepted) {
    if (accepted.is_settlement) return count_settled();
    if (!accepted_.empty()) accepted_.push_back(',');
    accepted_ += "{\"message_id\":";
    json::append_quoted(accepted_, accepted.envelope ? accepted.envelope->id() : accepted.id);
    if (accepted.envelope && !accepted.envelope->correlation().empty()) {
        accepted_ += ",\"correlation_id\":";
        json::append_quoted(accepted_, accepted.envelope->correlation());
    }
    accepted_ += ",\"sequence\":";
    accepted_ += std::to_string(accepted.sequence.value);
    if (accepted.is_duplicate) accepted_ += ",\"duplicate\":true";
    if (accepted.missed_count > 0) {
        accepted_ += ",\"missed\":" + std::to_string(accepted.missed_count);
    }
    accepted_.push_back('}');
    touch();
}

void Connection::tell(const TellRefused& refused) {
    const bool is_unwelcome = is_joining_;
    is_joining_ = false;
    const Envelope* const brought = refused.envelope.get();
    const bool is_answer = brought != nullptr && refused.delivery != DeliveryToken{};
    refuse({.message_id = refused.id,
            .delivery_id = name_of(refused.delivery),
            .refusal = refused.refusal,
            .detail = refused.detail,
            .retry_after_ms = refused.retry_after_ms,
            .about = is_answer ? brought->answers() : std::string_view{},
            .correlation = brought != nullptr ? brought->correlation() : std::string_view{}});
    if (is_unwelcome) turn_away(refused.detail);
}

/// Closes the connection, with the reason, after its hello was refused.
void Connection::turn_away(std::string_view why) {
    flush();
    socket_->close(kTurnedAway, std::string{cut(why, 100)});
    leave();
}

void Connection::tell(const TellJoined& joined) {
    instance_ = joined.instance;
    last_beat_ = desk_.clock();
    is_joining_ = false;
    if (early_credit_) bring(GrantCredit{instance_, *early_credit_});
    early_credit_.reset();
    desk_.by_instance.insert_or_assign(instance_.value, shared_from_this());
    const auto heartbeat = desk_.options.heartbeat_timeout.count() / 3;
    welcome_ =
        json::ObjectWriter{}
            .text("hub", desk_.engine->state().hub_id)
            .text("version", desk_.options.version)
            .text("agent", joined.agent.value)
            .text("instance", std::to_string(instance_.value))
            .integer("send_credit", desk_.options.send_credit)
            .integer("heartbeat_ms", heartbeat)
            .integer("frame_bytes_max", static_cast<std::int64_t>(desk_.options.frame_bytes_max))
            .done();
    touch();
}

void Connection::tell(const Deliver& deliver) {
    if (deliver_.empty()) reader_ = dialect();  // No agent registers while a turn is carried.
    append_delivery(desk_, deliver_, deliver, {caller_->agent, reader_});
    touch();
    if (deliver_.size() >= kFrameBytes) flush();
}

void Connection::tell(const TellProgress& progress) {
    const auto id = progress.asked->id();
    if (followed_.contains(id)) return;  // A follower is told from the journal, in order and once.
    say_part(
        id,
        {.number = progress.number,
         .attempt = progress.attempt,
         .json = restored_for_asker(desk_, *progress.asked, progress.asked->to(), progress.note)});
}

void Connection::say_part(std::string_view request, const PartTold& said) {
    if (!progress_.empty()) progress_.push_back(',');
    json::ObjectWriter part;
    part.text("message_id", request).integer("number", static_cast<std::int64_t>(said.number));
    if (!said.is_answer) part.integer("attempt", said.attempt);
    progress_ += part.raw(said.is_answer ? "answer" : "note", said.json).done();
    touch();
    if (progress_.size() >= kFrameBytes) flush();
}

void Connection::tell(const TellCancelled& cancelled) {
    if (!cancelled_.empty()) cancelled_.push_back(',');
    cancelled_ += json::ObjectWriter{}
                      .text("delivery_id", delivery_id(cancelled.delivery))
                      .text("reason", cancelled.reason)
                      .done();
    touch();
}

/// A success other than a settlement is not answered: agents hear only of failures.
void Connection::tell(const TellDone& done) {
    if (done.is_settlement) count_settled();
}

void Connection::count_settled() {
    ++settled_;
    touch();
}

void Connection::flush() {
    is_touched_ = false;
    std::string frame = "{";
    frame.reserve(accepted_.size() + refused_.size() + deliver_.size() + 128);
    if (!welcome_.empty()) append_member(frame, kWelcome.name, welcome_);
    welcome_.clear();
    append_list(frame, kAccepted.name, accepted_);
    append_list(frame, kRefused.name, refused_);
    append_list(frame, kProgress.name, progress_);
    append_list(frame, kCancelled.name, cancelled_);
    append_list(frame, kDeliver.name, deliver_);
    if (settled_ > 0) append_member(frame, kSettled.name, std::to_string(settled_));
    settled_ = 0;
    if (frame.size() == 1 || is_gone_) return;
    frame.push_back('}');
    socket_->send(std::move(frame));
}

}  // namespace parlance::gateway
