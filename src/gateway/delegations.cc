// POST /v1/delegations: a delegation request in the HTTP form of its specification, with the origin
// in headers, answered while the caller waits (X12).
#include <algorithm>
#include <memory>
#include <string>

#include "base/json_merge.h"
#include "base/json_write.h"
#include "dialects/delegation/delegation.h"
#include "gateway/handlers.h"
#include "gateway/headers.h"
#include "gateway/intake.h"
#include "gateway/meanwhile.h"
#include "gateway/problem.h"

namespace parlance::gateway {

namespace {

/// How much longer than the deadline the line is held: the hub's own answer comes at the deadline.
constexpr Duration kGrace{std::chrono::seconds{5}};
constexpr Duration kWaitMax{std::chrono::minutes{10}};

/// The refusal of headers that contradict the body; a wrong origin is a refusal of identity.
dialects::Rejection contradicted(dialects::Problems problems) {
    const bool is_origin = std::ranges::any_of(problems, [](const dialects::Problem& problem) {
        return problem.pointer == dialects::delegation::kOriginPointer;
    });
    return {.refusal = is_origin ? Refusal::IdentityMismatch : Refusal::InputValidationFailed,
            .dialect = Dialect::Delegation,
            .problems = std::move(problems)};
}

dialects::Rejection says_nothing(std::string_view header) {
    return {.refusal = Refusal::InputValidationFailed,
            .dialect = Dialect::Delegation,
            .problems = {{.pointer = std::string{header},
                          .rule = "must say something, or be left out",
                          .section = "Request Headers (HTTP)"}}};
}

dialects::Rejection not_a_request(const Envelope& message) {
    return {.refusal = Refusal::InputValidationFailed,
            .dialect = Dialect::Delegation,
            .id = std::string{message.id()},
            .from = std::string{message.from()},
            .problems = {{.rule = "must be a DelegationRequest; a response goes to /v1/messages",
                          .section = "Request Envelope"}}};
}

/// The response to a request whose deadline passes before people have approved it.
std::string partial_response(const Desk& desk, const EnvelopePtr& asked) {
    const Failure unanswered{Refusal::RequestTimedOut, "it waits for people's approval"};
    const auto failed = shown(desk, asked, unanswered, Dialect::Delegation);
    const auto summary =
        "The request waits for people's approval and stays open: its answer comes to the "
        "inbox of '" +
        std::string{asked->from()} + "' and to GET /v1/requests/" + std::string{asked->id()} + ".";
    const auto patch = json::ObjectWriter{}
                           .text("status", "partial")
                           .text("summary", summary)
                           .boolean("requires_followup", true)
                           .raw("error", "null")
                           .raw("error_code", "null")
                           .done();
    return json::merged(json::root(failed), json::root(patch));
}

/// Before approval, a request that waits for people has no deadline, but its caller has.
void answer_if_held(Desk& desk,
                    const std::string& from,
                    const std::string& id,
                    const transport::Exchange& exchange) {
    const auto standing = desk.engine->stream({.asker = from, .id = id, .count_max = 0});
    if (!standing) return;
    const auto& requests = desk.engine->state().requests;
    const auto* open = core::broker::find_request(requests, standing->request);
    if (open == nullptr || !open->is_held) return;
    answer_meanwhile(desk,
                     standing->request,
                     exchange,
                     {.status = 200, .body = partial_response(desk, open->asked)});
}

}  // namespace

void post_delegation(Desk& desk, Call& call) {
    if (const auto name = empty_in(call.request()); !name.empty()) {
        return refuse_message(desk, call, says_nothing(name));
    }
    const auto body = read_object(call);
    if (!body) return;
    const auto current = dialects::delegation::in_current_version(body->raw);
    if (!current) {
        auto rejection = current.error();
        rejection.dialect = Dialect::Delegation;
        return refuse_message(desk, call, std::move(rejection));
    }
    const json::Value request = json::root(*current);
    const auto header = [&](std::string_view name) { return call.request().header(name); };
    auto problems = dialects::delegation::check_headers(request, header);
    if (!problems.empty()) return refuse_message(desk, call, contradicted(std::move(problems)));

    const std::string text = dialects::delegation::with_headers(request, header);
    // A header may have any bytes.
    if (const auto checked = json::check(text); !checked) {
        return call.exchange->respond(problem(Refusal::MessageMalformed, checked.error().message));
    }
    const auto fresh_id = fresh_uuid(desk);
    auto message = read_incoming(desk,
                                 {.text = text,
                                  .dialect = Dialect::Delegation,
                                  .sender = call.caller->agent.value,
                                  .fresh_id = fresh_id});
    if (!message) return refuse_message(desk, call, message.error());
    if (message->envelope->intent() != Intent::Request) {
        return refuse_message(desk, call, not_a_request(*message->envelope));
    }
    if (auto unfit = complete(desk, *message)) {
        return refuse_message(desk, call, *std::move(unfit));
    }
    message->waits = true;
    const auto patience = std::min(message->timeout.value_or(Duration{}), kWaitMax);
    desk.loop.after(patience,
                    [&desk,
                     from = std::string{message->envelope->from()},
                     id = std::string{message->envelope->id()},
                     line = std::weak_ptr{call.exchange}] {
                        const auto exchange = line.lock();
                        if (exchange) answer_if_held(desk, from, id, *exchange);
                    });
    Pending pending{.kind = Pending::Kind::Send,
                    .exchange = std::move(call.exchange),
                    .envelope = message->envelope,
                    .wait = patience + kGrace,
                    .caller = call.caller};
    bring(desk, std::move(*message), std::move(pending), std::move(call.caller));
}

}  // namespace parlance::gateway
