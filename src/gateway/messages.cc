// POST /v1/messages and its answers.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_write.h"
#include "base/plain_text.h"
#include "dialects/claim.h"
#include "gateway/admission.h"
#include "gateway/handlers.h"
#include "gateway/intake.h"
#include "gateway/meanwhile.h"
#include "gateway/problem.h"
#include "gateway/unreadable.h"

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

constexpr Duration kLeaveAgain{std::chrono::milliseconds{50}};

void let_go(Desk& desk, Ticket request, std::uint64_t number);

void leave_later(Desk& desk, Ticket request, std::uint64_t number) {
    desk.loop.after(kLeaveAgain, [&desk, request, number] { let_go(desk, request, number); });
}

/// The last holder stays until the engine says whether the answer came first, so that a caller sent
/// to its mailbox finds the answer there. False: the engine's inbox is full.
bool leave(Desk& desk, Ticket request, std::uint64_t number, Waiter& waiter) {
    if (waiter.leaving != ReplyTarget{}) return true;
    const ReplyTarget reply_target{++desk.reply_target_last};
    if (submit(desk, StopWaiting{request}, nullptr, reply_target) != Refusal::None) return false;
    waiter.leaving = reply_target;
    waiter.leaver = number;
    desk.pending.emplace(reply_target.value,
                         Pending{.kind = Pending::Kind::Leave, .request = request});
    return true;
}

/// Ends the wait of a holder whose time is over or whose connection has ended.
void let_go(Desk& desk, Ticket request, std::uint64_t number) {
    const auto found = desk.waiters.find(request.value);
    if (found == desk.waiters.end()) return;
    auto& holders = found->second.holders;
    const auto holder = std::ranges::find(holders, number, &Holder::number);
    if (holder == holders.end()) return;
    // The engine has yet to decide a StopWaiting that was submitted before this holder came.
    const auto leaving = found->second.leaving;
    if (leaving != ReplyTarget{} && holder->reply_target.value > leaving.value) {
        return leave_later(desk, request, number);
    }
    if (holders.size() == 1) {
        if (!leave(desk, request, number, found->second)) leave_later(desk, request, number);
        return;
    }
    const auto gone = std::move(*holder);
    holders.erase(holder);
    gone.exchange->respond(gone.meanwhile);
}

/// The requester holds the line until the answer comes, its wait is over or its connection ends.
void hold_the_line(Desk& desk, Pending pending, const TellAccepted& accepted) {
    const auto ticket = accepted.ticket;
    const auto number = ++desk.reply_target_last;
    const auto exchange = pending.exchange;
    const auto place = place_to_wait(desk, *pending.caller);
    transport::Response meanwhile{.status = 202,
                                  .body = accepted_body(accepted, *pending.envelope)};
    desk.waiters[ticket.value].holders.push_back({.number = number,
                                                  .reply_target = accepted.reply_target,
                                                  .exchange = std::move(pending.exchange),
                                                  .asked = std::move(pending.envelope),
                                                  .meanwhile = std::move(meanwhile),
                                                  .caller = std::move(pending.caller)});
    const auto let_it_go = [&desk, ticket, number] { let_go(desk, ticket, number); };
    exchange->release_body();
    // The exchange keeps the alarm and the place until the exchange is answered.
    const auto alarm = desk.loop.alarm(place ? pending.wait : Duration{}, let_it_go);
    // Last of all: a connection that ended before the engine decided the request lets go at once.
    exchange->on_gone([let_it_go, alarm, place] { let_it_go(); });
    if (alarm.use_count() == 1) desk.loop.post(let_it_go);  // The exchange kept nothing: it ended.
}

/// Takes the request's holders off the desk.
std::vector<Holder> take_holders(Desk& desk, Ticket request) {
    const auto found = desk.waiters.find(request.value);
    if (found == desk.waiters.end()) return {};
    auto waiter = std::move(found->second);
    desk.waiters.erase(found);
    desk.pending.erase(waiter.leaving.value);
    return std::move(waiter.holders);
}

/// Sends the answer as JSON, or in the dialect's text form to a caller that accepts text.
void tell_answer(transport::Exchange& exchange, std::string message, Dialect dialect) {
    const bool wants_text =
        exchange.request().header("Accept").find("text/plain") != std::string_view::npos;
    auto text = wants_text ? dialects::to_text_form(dialect, message) : std::nullopt;
    if (!text) return exchange.respond({.status = 200, .headers = {}, .body = std::move(message)});
    exchange.respond({.status = 200,
                      .content_type = "text/plain; charset=utf-8",
                      .headers = {},
                      .body = *std::move(text)});
}

/// Answers the repeat of an answered request with the recorded answer.
void answer_from_record(Desk& desk, const Pending& pending, Sequence at) {
    auto& loop = desk.loop;
    desk.feed.read_one(at, [&desk, &loop, pending](const Result<EventPtr>& event) {
        loop.post([&desk, pending, event] {
            if (!event) {
                return pending.exchange->respond(unreadable(event.error()));
            }
            const auto dialect = pending.envelope->dialect();
            std::string said;
            if (const auto* answered = std::get_if<RequestAnswered>(event->get())) {
                said = shown(desk, answered->envelope, {}, dialect);
            } else if (const auto* failed = std::get_if<RequestFailed>(event->get())) {
                said = shown(desk, pending.envelope, {failed->refusal, failed->detail}, dialect);
            }
            tell_answer(*pending.exchange, std::move(said), dialect);
        });
    });
}

/// Cuts off the text before the separator, outside of quotes; the rest stays in `text`.
std::string_view cut(std::string_view& text, char separator) {
    bool is_quoted = false;
    std::size_t end = 0;
    for (; end < text.size() && (is_quoted || text[end] != separator); ++end) {
        if (is_quoted && text[end] == '\\') {
            ++end;
        } else if (text[end] == '"') {
            is_quoted = !is_quoted;
        }
    }
    const auto before = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return before;
}

bool is_same_word(std::string_view one, std::string_view other) {
    return std::ranges::equal(one, other, [](unsigned char a, unsigned char b) {
        return std::tolower(a) == std::tolower(b);
    });
}

}  // namespace

Result<std::optional<Duration>> preferred_wait(std::string_view prefer) {
    while (!prefer.empty()) {
        const auto preference = cut(prefer, ',');
        auto parameters = preference;  // Parameters after the first semicolon are ignored.
        auto value = cut(parameters, ';');
        const auto name = trimmed(cut(value, '='));
        if (!is_same_word(name, "wait")) continue;
        value = trimmed(value);
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
            value = value.substr(1, value.size() - 2);
        }
        const bool is_number =
            !value.empty() && value.find_first_not_of("0123456789") == std::string_view::npos;
        if (!is_number) {
            return fail(Fault::Malformed,
                        "Prefer says '" + std::string{trimmed(preference).substr(0, 64)} +
                            "', and wait is a number of milliseconds, as in wait=1500");
        }
        return Duration{std::min(parse_number(value).value_or(kWaitMsMax), kWaitMsMax)};
    }
    return std::nullopt;
}

std::optional<Duration> preferred_wait(Call& call, Duration otherwise) {
    const auto wait = preferred_wait(call.request().header("Prefer"));
    if (wait) return wait->value_or(otherwise);
    call.exchange->respond(door_problem(400, wait.error().message));
    return std::nullopt;
}

void post_message(Desk& desk, Call& call) {
    const auto wait = preferred_wait(call, {});
    if (!wait) return;
    const auto& request = call.request();
    const auto written = read_written(request.body, desk.outline);
    if (!written) {
        return refuse_message(
            desk,
            call,
            {.refusal = Refusal::MessageMalformed,
             .problems = {{.rule = written.error().message,
                           .is_sentence = !dialects::is_text_form(request.body)}}});
    }
    const std::string_view text = written->text(request.body);
    std::optional<Dialect> dialect = written->dialect;
    if (const auto named = request.header("Parlance-Dialect"); !named.empty()) {
        dialect = dialects::dialect_named(named);
        if (!dialect) {
            return call.exchange->respond(
                problem(Refusal::MessageDialectUnknown,
                        fmt::format("Parlance-Dialect must be {}, not '{}'",
                                    dialects::names_of_all(),
                                    json::shortened(named))));
        }
    }
    const auto fresh_id = fresh_uuid(desk);
    auto message = take_in(desk,
                           {.text = text,
                            .outlined = json::root(text, desk.outline),
                            .dialect = dialect,
                            .sender = call.caller->agent.value,
                            .fresh_id = fresh_id});
    if (!message) return refuse_message(desk, call, message.error());

    const bool holds = *wait > Duration{} && message->envelope->intent() == Intent::Request;
    message->waits = holds;
    Pending pending{.kind = Pending::Kind::Send,
                    .exchange = std::move(call.exchange),
                    .envelope = message->envelope,
                    .wait = holds ? *wait : Duration{},
                    .caller = call.caller};
    bring(desk, std::move(*message), std::move(pending), std::move(call.caller));
}

/// Refuses the message as a whole; only the refusal is recorded.
void refuse_message(Desk& desk, Call& call, dialects::Rejection rejection) {
    dialects::note_claim(rejection, call.request().body);
    submit(desk, record_of(desk, rejection, {}), call.caller, {});
    if (rejection.from.empty()) rejection.from = call.caller->agent.value;
    call.exchange->respond(
        problem(rejection, rejection.dialect.value_or(Dialect::Taskwire), desk.clock()));
}

void answer_accepted(Desk& desk, const TellAccepted& accepted) {
    const auto found = desk.pending.find(accepted.reply_target.value);
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

void answer_meanwhile(Desk& desk,
                      Ticket request,
                      const transport::Exchange& exchange,
                      transport::Response response) {
    const auto found = desk.waiters.find(request.value);
    if (found == desk.waiters.end()) return;
    auto& holders = found->second.holders;
    const auto holder = std::ranges::find_if(
        holders, [&](const Holder& each) { return each.exchange.get() == &exchange; });
    if (holder == holders.end()) return;
    holder->meanwhile = std::move(response);
    let_go(desk, request, holder->number);
}

/// Ends the wait of the holders that came before StopWaiting was submitted: the engine sends the
/// answer to the mailbox. A caller that sent the same request after StopWaiting, even in the same
/// turn, stays a holder, and the engine keeps the answer for that caller.
void end_wait(Desk& desk, Ticket request, ReplyTarget left) {
    auto holders = take_holders(desk, request);
    const auto stays =
        std::stable_partition(holders.begin(), holders.end(), [&](const Holder& holder) {
            return holder.reply_target.value < left.value;
        });
    if (stays != holders.end()) {
        auto& kept = desk.waiters[request.value].holders;
        std::move(stays, holders.end(), std::back_inserter(kept));
    }
    holders.erase(stays, holders.end());
    for (auto& holder : holders) holder.exchange->respond(std::move(holder.meanwhile));
}

/// The engine's inbox was full; StopWaiting is submitted again.
void leave_again(Desk& desk, Ticket request) {
    const auto found = desk.waiters.find(request.value);
    if (found == desk.waiters.end()) return;
    found->second.leaving = {};
    leave_later(desk, request, found->second.leaver);
}

/// The hub stops. Each holder is sent to the mailbox once the engine has decided StopWaiting; an
/// answer that the engine decided before goes out to the holder. An engine without a disk decides
/// nothing more, and the next process begins without holders.
void release_waiters(Desk& desk) {
    const bool is_serving = desk.engine->health().condition == engine::Condition::Serving;
    std::vector<std::pair<Ticket, std::uint64_t>> waiting;
    for (const auto& [request, waiter] : desk.waiters) {
        waiting.emplace_back(Ticket{request}, waiter.holders.back().number);
    }
    for (const auto& [request, number] : waiting) {
        if (!is_serving) {
            end_wait(desk, request, ReplyTarget{UINT64_MAX});
        } else if (!leave(desk, request, number, desk.waiters.at(request.value))) {
            leave_later(desk, request, number);
        }
    }
}

void release_fallen_waiters(Desk& desk) {
    std::vector<std::pair<Ticket, std::uint64_t>> fallen;
    for (const auto& [request, waiter] : desk.waiters) {
        for (const auto& holder : waiter.holders) {
            if (!stands(desk, *holder.caller)) fallen.emplace_back(Ticket{request}, holder.number);
        }
    }
    for (const auto& [request, number] : fallen) let_go(desk, request, number);
}

void answer_waiter(Desk& desk, const TellAnswer& answer) {
    for (const auto& holder : take_holders(desk, answer.request)) {
        // A holder reads the dialect of its request.
        const auto& said = answer.reply ? answer.reply : holder.asked;
        const auto dialect = holder.asked->dialect();
        tell_answer(*holder.exchange, shown(desk, said, answer.failure, dialect), dialect);
    }
}

}  // namespace parlance::gateway
