// POST /v1/messages, and what comes back for it.
#include "base/json.h"
#include "base/json_write.h"
#include "gateway/handlers.h"
#include "gateway/problem.h"

namespace parlance::gateway {

namespace {

constexpr std::uint64_t kWaitMsMax = 600'000;

std::string accepted_body(const TellAccepted& accepted, const Envelope& envelope) {
    const auto correlation = envelope.correlation();
    json::ObjectWriter body;
    body.text("message_id", envelope.id())
        .text("correlation_id", correlation.empty() ? envelope.id() : correlation)
        .integer("sequence", static_cast<std::int64_t>(accepted.sequence.value));
    if (accepted.is_duplicate) body.boolean("duplicate", true);
    if (accepted.missed_count > 0) body.integer("missed", accepted.missed_count);
    return body.done();
}

/// "wait=1500", alone or among other preferences.
Duration preferred_wait(const transport::Request& request) {
    const auto prefer = request.header("Prefer");
    const auto at = prefer.find("wait=");
    if (at == std::string_view::npos) return {};
    const auto digits = prefer.substr(at + 5);
    const auto wait = parse_number(digits.substr(0, digits.find_first_not_of("0123456789")));
    return Duration{std::min(wait.value_or(0), kWaitMsMax)};
}

void stop_holding(Desk& desk, Ticket request) {
    if (desk.waiters.erase(request.value) == 0) return;
    submit(desk, StopWaiting{request}, nullptr, {});
}

/// The request is accepted, and its answer will come to the mailbox.
void release_waiter(Desk& desk, Ticket request) {
    const auto found = desk.waiters.find(request.value);
    if (found == desk.waiters.end()) return;
    auto waiter = std::move(found->second);
    stop_holding(desk, request);
    waiter.exchange->respond(std::move(waiter.meanwhile));
}

/// The asker holds the line until the answer, its own patience or its connection ends.
void hold_the_line(Desk& desk, Pending pending, const TellAccepted& accepted) {
    const auto ticket = accepted.ticket;
    transport::Response meanwhile{.status = 202,
                                  .body = accepted_body(accepted, *pending.envelope)};
    pending.exchange->on_gone([&desk, ticket] { stop_holding(desk, ticket); });
    desk.loop.after(pending.wait, [&desk, ticket] { release_waiter(desk, ticket); });
    desk.waiters.insert_or_assign(
        ticket.value,
        Waiter{std::move(pending.exchange), std::move(pending.envelope), std::move(meanwhile)});
}

/// A repeat of a request that has its answer gets that answer, from the record.
void answer_from_record(Desk& desk, const Pending& pending, Sequence at) {
    auto& loop = desk.loop;
    desk.feed.read_one(at, [&desk, &loop, pending](Result<Event> event) {
        loop.post([&desk, pending, event = std::move(event)] {
            if (!event) {
                return pending.exchange->respond(
                    problem(Refusal::HubStorageFailed, event.error().message));
            }
            transport::Response response{.status = 200};
            if (const auto* answered = std::get_if<RequestAnswered>(&*event)) {
                response.body = shown(desk, answered->envelope, {}, pending.envelope->dialect());
            } else if (const auto* failed = std::get_if<RequestFailed>(&*event)) {
                response.body =
                    shown(desk, pending.envelope, {failed->refusal, failed->detail}, std::nullopt);
            }
            pending.exchange->respond(std::move(response));
        });
    });
}

}  // namespace

void post_message(Desk& desk, Call& call) {
    const auto& request = call.request();
    const auto now = desk.clock();
    if (auto checked = json::check(request.body, desk.outline); !checked) {
        return refuse_message(desk,
                              call,
                              {.refusal = Refusal::MessageMalformed,
                               .problems = {{.rule = checked.error().message}}});
    }
    std::optional<Dialect> dialect;
    if (const auto named = request.header("Parlance-Dialect"); !named.empty()) {
        dialect = dialects::dialect_named(named);
        if (!dialect) {
            return call.exchange->respond(
                problem(Refusal::MessageDialectUnknown,
                        "Parlance-Dialect names '" + std::string{named} + "', which is not known"));
        }
    }
    const auto fresh_id = fresh_uuid(desk);
    auto message = dialects::read_message(request.body,
                                          {.message = json::root(request.body, desk.outline),
                                           .dialect = dialect,
                                           .caller = call.caller->agent.value,
                                           .fresh_id = fresh_id,
                                           .now = now});
    if (!message) return refuse_message(desk, call, message.error());

    const auto wait = preferred_wait(request);
    const bool holds = wait > Duration{} && message->envelope->intent() == Intent::Request;
    message->waits = holds;
    Pending pending{.kind = Pending::Kind::Send,
                    .exchange = std::move(call.exchange),
                    .envelope = message->envelope,
                    .wait = holds ? wait : Duration{}};
    bring(desk, std::move(*message), std::move(pending), std::move(call.caller));
}

/// Refused whole: nothing of it is stored but the record of its refusal.
void refuse_message(Desk& desk, Call& call, const dialects::Rejection& rejection) {
    submit(desk,
           RecordRefusal{.id = rejection.id,
                         .refusal = static_cast<std::uint8_t>(rejection.refusal),
                         .detail = rejection.summary()},
           call.caller,
           {});
    call.exchange->respond(
        problem(rejection, rejection.dialect.value_or(Dialect::Taskwire), desk.clock()));
}

void answer_accepted(Desk& desk, const TellAccepted& accepted) {
    const auto found = desk.pending.find(accepted.ask.value);
    if (found == desk.pending.end()) return;
    auto pending = std::move(found->second);
    desk.pending.erase(found);
    const bool holds = pending.kind == Pending::Kind::Send && pending.wait > Duration{};
    if (holds && accepted.is_open_request) return hold_the_line(desk, std::move(pending), accepted);
    if (holds && accepted.answer != Sequence{}) {
        return answer_from_record(desk, pending, accepted.answer);
    }
    pending.exchange->respond(
        {.status = 202, .headers = {}, .body = accepted_body(accepted, *pending.envelope)});
}

void release_waiters(Desk& desk) {
    while (!desk.waiters.empty()) release_waiter(desk, {desk.waiters.begin()->first});
}

void answer_waiter(Desk& desk, const TellAnswer& answer) {
    const auto found = desk.waiters.find(answer.request.value);
    if (found == desk.waiters.end()) return;
    const auto waiter = std::move(found->second);
    desk.waiters.erase(found);
    // Who holds the line speaks as it asked.
    const auto& said = answer.reply ? answer.reply : waiter.asked;
    waiter.exchange->respond({.status = 200,
                              .headers = {},
                              .body = shown(desk, said, answer.failure, waiter.asked->dialect())});
}

}  // namespace parlance::gateway
