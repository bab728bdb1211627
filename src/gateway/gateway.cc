#include "gateway/gateway.h"

#include <new>

#include "base/json_write.h"
#include "base/match.h"
#include "gateway/admission.h"
#include "gateway/connection.h"
#include "gateway/endpoint.h"
#include "gateway/follower.h"
#include "gateway/marked_id.h"
#include "gateway/notifier.h"
#include "gateway/personal.h"
#include "gateway/problem.h"
#include "gateway/routes.h"
#include "gateway/stream.h"

namespace parlance::gateway {

namespace {

/// How late the end of a token's lifetime may be noticed. A revocation changes a file and is
/// noticed at once.
constexpr Duration kReviewInterval{std::chrono::seconds{1}};

std::shared_ptr<Connection> connection_of(const Desk& desk, ReplyTarget reply_target) {
    if (reply_target.value < kConnectionReplyTargets) return nullptr;
    const auto found = desk.connections.find(reply_target.value);
    return found == desk.connections.end() ? nullptr : found->second;
}

void answer_refused(Desk& desk, const TellRefused& refused) {
    const auto found = desk.pending.find(refused.reply_target.value);
    if (found == desk.pending.end()) return;
    auto& pending = found->second;
    if (refused.refusal == Refusal::InstanceUnknown && !pending.has_rejoined) {
        // The hub let the poller go for its silence. The poller is back, so the poller joins again.
        pending.has_rejoined = true;
        desk.pollers.erase({pending.agent.value, pending.instance});
        return submit_take(desk, refused.reply_target.value);
    }
    if (pending.kind == Pending::Kind::Leave) {
        const auto request = pending.request;
        desk.pending.erase(found);
        return leave_again(desk, request);
    }
    const auto exchange = std::move(pending.exchange);
    const auto envelope = std::move(pending.envelope);
    const bool is_reply = pending.kind == Pending::Kind::Reply;
    desk.pending.erase(found);
    const auto error =
        envelope ? dialects::write_refusal(envelope->dialect(),
                                           is_reply ? envelope->answers() : envelope->id(),
                                           envelope->from(),
                                           refused.refusal,
                                           refused.detail,
                                           desk.clock(),
                                           envelope->correlation())
                 : std::string{};
    exchange->respond(problem(refused.refusal, refused.detail, {}, error, refused.retry_after_ms));
}

void answer_done(Desk& desk, const TellDone& done) {
    const auto found = desk.pending.find(done.reply_target.value);
    if (found == desk.pending.end()) return;
    auto& pending = found->second;
    if (pending.kind == Pending::Kind::Take) {
        if (!pending.is_answered) desk.takes.push_back(done.reply_target.value);
        pending.is_answered = true;
        return;
    }
    if (pending.kind == Pending::Kind::Leave)
        return end_wait(desk, pending.request, done.reply_target);
    const auto exchange = std::move(pending.exchange);
    const auto agent = std::move(pending.agent);
    const auto kind = pending.kind;
    const auto show = std::move(pending.show);
    desk.pending.erase(found);
    if (show) return exchange->respond(show());
    if (kind == Pending::Kind::Tool) {
        return exchange->respond({.status = 200, .headers = {}, .body = R"({"allowed":true})"});
    }
    if (agent.value.empty()) return exchange->respond({.status = 204, .headers = {}, .body = {}});
    exchange->respond({.status = 200, .headers = {}, .body = agent_body(desk, agent)});
}

void answer_joined(Desk& desk, const TellJoined& joined) {
    const auto endpoint = desk.endpoint_by_reply_target.find(joined.reply_target.value);
    if (endpoint != desk.endpoint_by_reply_target.end()) {
        endpoint->second->joined(joined.instance);
        desk.endpoint_by_instance.insert_or_assign(joined.instance.value, endpoint->second);
        desk.endpoint_by_reply_target.erase(endpoint);
        return;
    }
    if (joined.reply_target.value >= kConnectionReplyTargets) {
        // The connection ended, or was turned away, during the join.
        submit(desk, LeaveInstance{joined.instance, "the connection ended"}, nullptr, {});
        return;
    }
    const auto found = desk.pending.find(joined.reply_target.value);
    if (found == desk.pending.end()) return;
    if (found->second.kind != Pending::Kind::Take) return answer_done(desk, {joined.reply_target});
    desk.pollers.insert_or_assign({found->second.agent.value, found->second.instance},
                                  joined.instance);
    submit_take(desk, joined.reply_target.value);
}

void deliver(Desk& desk, const Deliver& deliver) {
    if (const auto socket = desk.by_instance.find(deliver.instance.value);
        socket != desk.by_instance.end()) {
        return socket->second->tell(deliver);
    }
    if (const auto endpoint = desk.endpoint_by_instance.find(deliver.instance.value);
        endpoint != desk.endpoint_by_instance.end()) {
        return endpoint->second->deliver(deliver);
    }
    if (desk.filling_take != deliver.reply_target.value) answer_filled_take(desk);
    const auto found = desk.pending.find(deliver.reply_target.value);
    if (found == desk.pending.end()) return;
    desk.filling_take = deliver.reply_target.value;
    auto& take = found->second;
    if (take.deliveries.empty()) take.deliveries = R"({"messages":[)";
    const auto bytes_before = take.deliveries.size();
    try {
        append_delivery(desk, take.deliveries, deliver, {take.agent, dialect_of(desk, take.agent)});
    } catch (const std::bad_alloc&) {
        take.deliveries.resize(bytes_before);  // Keeps the deliveries before.
        throw;
    }
}

void tell_progress(Desk& desk, const TellProgress& progress) {
    for (const auto& [reply_target, connection] : desk.connections) {
        if (connection->agent() == progress.requester) connection->tell(progress);
    }
}

void answer_asked(Desk& desk, const TellAsked& asked) {
    const auto found = desk.pending.find(asked.reply_target.value);
    if (found == desk.pending.end()) return;
    const auto exchange = std::move(found->second.exchange);
    desk.pending.erase(found);
    exchange->respond(
        {.status = 202,
         .headers = {},
         .body = json::ObjectWriter{}.text("id", human_task_id(asked.id, asked.asked_at)).done()});
}

/// Mail and Slack carry no personal data.
void notify(Desk& desk, NotifyPeople notice) {
    if (!desk.options.notifier) return;
    const auto human_task = core::people::find_human_task(desk.engine->state().people, notice.id);
    const auto workflow =
        human_task != nullptr ? workflow_of(desk, *human_task) : std::to_string(notice.id.value);
    notice.question = redacted_words(desk.options, notice.question, workflow);
    desk.options.notifier->post(std::move(notice));
}

/// An agent that polls or is posted to learns of the cancellation when the agent settles the
/// delivery.
void tell_cancelled(Desk& desk, const TellCancelled& cancelled) {
    const auto socket = desk.by_instance.find(cancelled.instance.value);
    if (socket != desk.by_instance.end()) socket->second->tell(cancelled);
}

void close_instance(Desk& desk, const CloseInstance& order) {
    const auto socket = desk.by_instance.find(order.instance.value);
    if (socket == desk.by_instance.end()) return;
    const auto connection = socket->second;
    connection->let_go(order.reason);
}

}  // namespace

Gateway::Gateway(transport::Loop& loop,
                 views::Feed& feed,
                 Options options,
                 std::function<Time()> wall_clock,
                 std::function<std::uint64_t()> entropy)
    : desk_{.loop = loop,
            .feed = feed,
            .options = std::move(options),
            .wall_clock = std::move(wall_clock),
            .entropy = std::move(entropy)} {}

Gateway::~Gateway() = default;

views::Feed::Edit Gateway::edit_of(const Options& options) {
    return [options](std::string_view json) { return redacted_event(options, json); };
}

void Gateway::attach(engine::Engine& engine) {
    desk_.engine = &engine;
    desk_.role_of = [&engine](std::string_view agent) -> std::optional<std::string_view> {
        if (is_no_agent(agent)) return std::string_view{};
        const auto* profile = engine.profile(agent);
        if (profile == nullptr) return std::nullopt;
        if (profile->dialect != Dialect::Correlation) return std::string_view{};
        if (profile->role.empty()) return std::nullopt;
        return profile->role;
    };
    carry(std::exchange(early_, {}));
}

void Gateway::attach(const transport::Server& server) { desk_.server = &server; }

void Gateway::attach(views::Bookkeeper& bookkeeper) { desk_.bookkeeper = &bookkeeper; }
void Gateway::attach(views::Scrubber& scrubber) { desk_.scrubber = &scrubber; }

transport::Doors Gateway::doors() {
    return {.on_request = [this](ExchangePtr exchange) { route(desk_, std::move(exchange)); },
            .on_header =
                [this](const transport::Request& head) { return refusal_by_header(desk_, head); },
            .on_upgrade =
                [this](const transport::Request& request) -> std::optional<transport::Response> {
                if (request.path != "/v1/connect") {
                    return problem(Refusal::RouteNotFound, "WebSockets are at /v1/connect");
                }
                if (auto doubled = refusal_of_doubled(request)) return doubled;
                auto admission = admit(desk_, request, kAgents);
                if (admission.refusal) return admission.refusal;
                auto lack = lack_of_lines(desk_, *admission.caller);
                if (!lack) return std::nullopt;
                record_refusal(desk_, Refusal::ConnectionLimitExceeded, *lack, admission.caller);
                return problem(Refusal::ConnectionLimitExceeded, *lack);
            },
            .on_socket =
                [this](std::shared_ptr<transport::Socket> socket) {
                    auto caller = admit(desk_, socket->request(), kAgents).caller;
                    // Revoked in the moment since the upgrade was granted.
                    if (!caller) return socket->close(1008, std::string{kNoLongerProved});
                    const ReplyTarget reply_target{kConnectionReplyTargets + ++connection_last_};
                    const auto connection = std::make_shared<Connection>(
                        desk_, std::move(socket), std::move(caller), reply_target);
                    desk_.connections.emplace(reply_target.value, connection);
                    connection->listen();
                },
            .on_refused = door_problem,
            .on_too_large = [this](const transport::Request& head,
                                   std::string_view what) { record_too_large(desk_, head, what); }};
}

void Gateway::take(Effects&& effects) {
    if (desk_.engine == nullptr) {
        std::ranges::move(effects, std::back_inserter(early_));
        return;
    }
    carry(effects);
}

/// Senders get their confirmations first, in a separate write: a sender that waits for the
/// confirmation can go on while the hub still writes deliveries.
void Gateway::confirm(const Effects& effects) {
    bool has_confirmed = false;
    for (const auto& effect : effects) {
        const auto* accepted = std::get_if<TellAccepted>(&effect);
        if (accepted == nullptr) continue;
        const auto connection = connection_of(desk_, accepted->reply_target);
        if (connection && accepted->is_settlement) continue;  // Sent by carry(), in order.
        has_confirmed = true;
        if (connection) {
            connection->tell(*accepted);
        } else {
            answer_accepted(desk_, *accepted);
        }
    }
    if (!has_confirmed) return;
    flush();
    desk_.loop.flush();
}

void Gateway::carry(const Effects& effects) {
    confirm(effects);
    std::vector<AgentId> stirred;
    const auto carry_one = [&](const Effect& effect) {
        match(
            effect,
            [&](const TellAccepted& accepted) {
                // confirm() sent the others. A connection is told of its settlements and of refused
                // settlements in the order in which the hub decided them.
                if (!accepted.is_settlement) return;
                if (const auto connection = connection_of(desk_, accepted.reply_target)) {
                    connection->tell(accepted);
                }
            },
            [&](const Deliver& order) { deliver(desk_, order); },
            [&](const TellDone& done) {
                if (const auto connection = connection_of(desk_, done.reply_target)) {
                    return connection->tell(done);
                }
                answer_done(desk_, done);
            },
            [&](const TellRefused& refused) {
                if (const auto connection = connection_of(desk_, refused.reply_target)) {
                    return connection->tell(refused);
                }
                answer_refused(desk_, refused);
            },
            [&](const TellJoined& joined) {
                if (const auto connection = connection_of(desk_, joined.reply_target)) {
                    return connection->tell(joined);
                }
                answer_joined(desk_, joined);
            },
            [&](const TellAnswer& answer) { answer_waiter(desk_, answer); },
            [&](const TellProgress& progress) { tell_progress(desk_, progress); },
            [&](const StirMailbox& order) { stirred.push_back(order.agent); },
            [&](const OpenEndpoint& order) { open_endpoint(desk_, order); },
            [&](const TellCancelled& cancelled) { tell_cancelled(desk_, cancelled); },
            [&](const TellStarted& started) { answer_started(desk_, started); },
            [&](const TellEnded& ended) { answer_ended(desk_, ended); },
            [&](const TellAsked& asked) { answer_asked(desk_, asked); },
            [&](const NotifyPeople& notice) { notify(desk_, notice); },
            [&](const CloseInstance& order) { close_instance(desk_, order); });
    };
    for (const auto& effect : effects) {
        try {
            carry_one(effect);
        } catch (const std::bad_alloc&) {
            // The transport answers a dropped HTTP call with an error, and a dropped delivery is
            // repeated after its lease.
            if (desk_.options.log) desk_.options.log("out of memory: an answer was not sent");
        }
    }
    answer_filled_take(desk_);
    for (const auto reply_target : std::exchange(desk_.takes, {})) {
        const auto found = desk_.pending.find(reply_target);
        if (found != desk_.pending.end()) found->second.is_answered = false;
        park_or_answer(desk_, reply_target);
    }
    // Stirring comes last: a take that found no mail in the turn of the mail's arrival has just
    // been parked.
    for (const auto& agent : stirred) stir(desk_, agent);
    flush();
}

void Gateway::flush() {
    for (const auto& connection : std::exchange(desk_.touched, {})) connection->flush();
}

void Gateway::stop() {
    const auto connections = desk_.connections;  // A copy: dismiss() erases from the map.
    for (const auto& [reply_target, connection] : connections) connection->dismiss();
    release_takes(desk_);
    release_waiters(desk_);
}

void Gateway::review() {
    auto* const guard = desk_.options.guard.get();
    const auto now = desk_.clock();
    const bool has_changed = guard != nullptr && guard->look();
    if (!has_changed && now - reviewed_at_ < kReviewInterval) return;
    reviewed_at_ = now;
    beat_for_parked(desk_);
    const auto connections = desk_.connections;  // A copy: give_up() and show_out() erase.
    for (const auto& [reply_target, connection] : connections) {
        if (!connection->is_welcome(now)) connection->give_up();
        connection->beat_while_paused();
        if (guard != nullptr && !guard->stands(connection->caller(), desk_.wall_clock()))
            connection->show_out();
    }
    if (guard == nullptr) return;
    end_fallen_streams(desk_);
    end_fallen_followers(desk_);
    refuse_fallen_takes(desk_);
    release_fallen_waiters(desk_);
    refuse_fallen_workflow_waiters(desk_);
}

void Gateway::after_turn() {
    if (desk_.engine->inbox_size() == 0) desk_.answering.clear();
    flush();  // Refusals by the desk itself are sent even if the turn has no effects.
    pump_all(desk_);
    tell_followers(desk_);
    if (desk_.bookkeeper != nullptr) desk_.bookkeeper->follow(desk_.engine->durable());
    if (desk_.scrubber != nullptr) desk_.scrubber->follow(desk_.engine->durable());
}

}  // namespace parlance::gateway
