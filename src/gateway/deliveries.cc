// Deliveries over HTTP, settled by agents, and dead letters for operators.
#include <fmt/format.h>

#include "base/iso_time.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/plain_text.h"
#include "gateway/admission.h"
#include "gateway/handlers.h"
#include "gateway/marked_id.h"
#include "gateway/personal.h"
#include "gateway/problem.h"
#include "model/names.h"

namespace parlance::gateway {

namespace {

std::optional<DeliveryToken> delivery_of(Call& call) {
    const auto text = call.captures.at(0);
    const auto delivery = parse_delivery_id(text);
    if (!delivery) {
        call.exchange->respond(
            problem(Refusal::DeliveryNotFound, "'" + std::string{cut(text, 64)} + kNoDeliveryId));
    }
    return delivery;
}

void refuse_dead_letter(Call& call, std::string_view before, std::string_view behind) {
    auto detail = fmt::format("{}'{}'{}", before, cut(call.captures.at(0), 64), behind);
    call.exchange->respond(problem(Refusal::DeadLetterNotFound, std::move(detail)));
}

/// The ticket in the path; nothing, with the call answered, if the mark shows an id of a lost
/// continuation of the journal.
std::optional<Ticket> dead_letter_of(const Desk& desk, Call& call) {
    const auto text = call.captures.at(0);
    const auto ticket = parse_ticket(text);
    if (!ticket) {
        refuse_dead_letter(call, "", " is not a dead letter id");
        return std::nullopt;
    }
    const auto letter = desk.engine->dead_letter(*ticket);
    if (letter && !names_id(text, dead_letter_id(*letter))) {
        refuse_dead_letter(call, "there is no dead letter ", "");
        return std::nullopt;
    }
    return ticket;
}

json::ObjectWriter dead_letter_json(const Desk& desk, const DeadLetterListing& letter) {
    json::ObjectWriter out;
    out.text("dead_letter_id", dead_letter_id(letter))
        .text("recipient", letter.recipient.value)
        .text("message_id", letter.envelope->id())
        .text("from", letter.envelope->from())
        .text("type", letter.envelope->type())
        .text("priority", enum_name(letter.priority))
        .text("reason", enum_name(letter.failure))
        .text("detail", redacted_words(desk.options, letter.reason, letter.envelope->correlation()))
        .integer("attempts", letter.attempts)
        .text("died_at", print_iso_time(letter.died_at));
    return out;
}

}  // namespace

void post_ack(Desk& desk, Call& call) {
    if (const auto delivery = delivery_of(call)) bring_done(desk, call, AckDelivery{*delivery});
}

void post_nack(Desk& desk, Call& call) {
    const auto delivery = delivery_of(call);
    if (!delivery) return;
    const auto body = read_object(call);
    if (!body) return;
    if (const auto flaw = flaw_of_nack(*body); !flaw.empty()) {
        return call.exchange->respond(problem(Refusal::InputValidationFailed, std::string{flaw}));
    }
    const auto final = json::find(*body, "final");
    bring_done(desk,
               call,
               NackDelivery{.delivery = *delivery,
                            .reason = text_member(*body, "reason"),
                            .is_final = final && final->raw == "true"});
}

void post_extend(Desk& desk, Call& call) {
    const auto delivery = delivery_of(call);
    if (!delivery) return;
    const auto body = read_object(call);
    if (!body) return;
    ExtendLease extend{.delivery = *delivery};
    if (const auto by = json::find(*body, "by_ms")) {
        const auto ms = by->integer();
        if (!ms || *ms < 1) {
            return call.exchange->respond(
                problem(Refusal::InputValidationFailed, "by_ms must be a number of ms above 0"));
        }
        extend.by = Duration{*ms};
    }
    bring_done(desk, call, extend);
}

void post_progress(Desk& desk, Call& call) {
    const auto delivery = delivery_of(call);
    if (!delivery) return;
    const auto& body = call.request().body;
    if (const auto checked = json::check(body.empty() ? "null" : body); !checked) {
        return call.exchange->respond(problem(Refusal::MessageMalformed, checked.error().message));
    }
    bring_done(desk, call, ReportProgress{*delivery, body.empty() ? "null" : body});
}

void post_reply(Desk& desk, Call& call) {
    const auto delivery = delivery_of(call);
    if (!delivery) return;
    const auto written = read_written(call.request().body, desk.outline);
    if (!written) {
        return call.exchange->respond(problem(Refusal::MessageMalformed, written.error().message));
    }
    const auto held = desk.engine->delivery(*delivery);
    if (!held || !held->is_current || !may_act_for(*call.caller, held->holder.value)) {
        // The core refuses and records a delivery that is stale or held by another agent.
        return bring_done(desk, call, AckDelivery{*delivery});
    }
    auto reply = read_answer(
        desk, {*delivery, *held->envelope, held->holder}, written->text(call.request().body));
    if (!reply) {
        auto rejection = std::move(reply).error();
        submit(desk, record_of(desk, rejection, *delivery), call.caller, {});
        return call.exchange->respond(
            problem(rejection, rejection.dialect.value_or(Dialect::Taskwire), desk.clock()));
    }
    Pending pending{.kind = Pending::Kind::Reply,
                    .exchange = std::move(call.exchange),
                    .envelope = reply->envelope};
    auto caller = call.caller;
    bring(desk, *std::move(reply), std::move(pending), std::move(caller));
}

void get_dead_letters(Desk& desk, Call& call) {
    const auto& request = call.request();
    core::DeadLetterQuery query{.recipient = {std::string{request.parameter("agent")}}};
    if (!may_read_of(*call.caller, query.recipient.value)) {
        // An agent may read only its own dead letters.
        if (!query.recipient.value.empty()) {
            return refuse_identity(desk, call, "read the dead letters of", query.recipient.value);
        }
        query.recipient = call.caller->agent;
    }
    const auto after = read_after(desk, call);
    if (!after) return;
    query.after = *after;
    query.count_max =
        std::min<std::uint64_t>(parse_number(request.parameter("max")).value_or(100), 1000);
    std::string out;
    for (const auto& letter : desk.engine->dead_letters(query)) {
        if (!out.empty()) out.push_back(',');
        out += dead_letter_json(desk, letter).done();
    }
    call.exchange->respond({.headers = {}, .body = "{\"dead_letters\":[" + out + "]}"});
}

void get_dead_letter(Desk& desk, Call& call) {
    const auto ticket = dead_letter_of(desk, call);
    if (!ticket) return;
    const auto letter = desk.engine->dead_letter(*ticket);
    // Another agent's dead letter is answered like a missing dead letter.
    const bool is_own = letter && may_read_of(*call.caller, letter->recipient.value);
    if (letter && !is_own) {
        record_unseen(desk,
                      Refusal::IdentityMismatch,
                      "dead letter '" + std::string{call.captures.at(0)} + "'",
                      call.caller);
    }
    if (!is_own) return refuse_dead_letter(call, "there is no dead letter ", "");
    auto out = dead_letter_json(desk, *letter);
    call.exchange->respond(
        {.headers = {},
         .body = out.raw("message", redacted_body(desk.options, *letter->envelope)).done()});
}

void post_redeliver(Desk& desk, Call& call) {
    if (const auto ticket = dead_letter_of(desk, call)) {
        bring_done(desk, call, RedeliverDeadLetter{*ticket});
    }
}

void post_discard(Desk& desk, Call& call) {
    const auto ticket = dead_letter_of(desk, call);
    if (!ticket) return;
    const auto body = read_order(call, kReasonOnly);
    if (!body) return;
    auto reason = text_member(*body, "reason");
    if (reason.empty()) {
        return call.exchange->respond(
            problem(Refusal::InputValidationFailed,
                    "a dead letter is discarded with a \"reason\", which is kept on record"));
    }
    bring_done(desk, call, DiscardDeadLetter{*ticket, std::move(reason)});
}

}  // namespace parlance::gateway
