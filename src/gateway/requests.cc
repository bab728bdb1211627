// GET /v1/requests/{message_id}: the state of a request, and its answer once there is one (W1).
//
// The answer is read from the journal, so a requester that lost the response or the delivery with
// the answer can fetch it while the hub remembers the request's id, over restarts too.
#include <algorithm>
#include <string>
#include <vector>

#include "base/iso_time.h"
#include "base/json.h"
#include "base/json_write.h"
#include "gateway/admission.h"
#include "gateway/follower.h"
#include "gateway/handlers.h"
#include "gateway/personal.h"
#include "gateway/problem.h"
#include "gateway/unreadable.h"

namespace parlance::gateway {

namespace {

/// A request that the caller may read.
struct Shown {
    ExchangePtr exchange;
    CallerPtr caller;
    Ticket request;
    EnvelopePtr asked;
};

transport::Response not_there(std::string_view id) {
    return problem(Refusal::DelegationNotFound,
                   "there is no request '" + json::shortened(id) + "' of this agent");
}

json::ObjectWriter head_of(const Shown& shown, std::string_view state) {
    const auto& asked = *shown.asked;
    json::ObjectWriter out;
    out.text("message_id", asked.id())
        .text("correlation_id", asked.correlation().empty() ? asked.id() : asked.correlation())
        .text("from", asked.from())
        .text("to", asked.to())
        .text("state", state)
        .integer("sequence", static_cast<std::int64_t>(core::sequence_of(shown.request).value));
    return out;
}

void answer_open(const Desk& desk, const Shown& shown) {
    const auto& requests = desk.engine->state().requests;
    const auto* open = core::broker::find_request(requests, shown.request);
    auto out = head_of(shown, "open");
    if (open != nullptr) {
        out.text("deadline", print_iso_time(core::broker::deadline_of(requests, *open)));
    }
    shown.exchange->respond({.headers = {}, .body = out.done()});
}

/// Answers as the requester would have been answered: in the dialect of the request, and with
/// placeholders for personal data if the caller may see only placeholders.
void answer_ended(Desk& desk, const Shown& shown, Sequence at, const Event& event) {
    const auto* answered = std::get_if<RequestAnswered>(&event);
    const auto* failed = std::get_if<RequestFailed>(&event);
    const auto& said = answered != nullptr ? answered->envelope : shown.asked;
    const auto failure = failed != nullptr ? Failure{failed->refusal, failed->detail} : Failure{};
    auto answer = gateway::shown(desk, said, failure, shown.asked->dialect());
    if (sees_placeholders(*shown.caller)) {
        answer = redacted_answer(desk.options, *shown.asked, answer);
    }
    auto out = head_of(shown, failed != nullptr ? "failed" : "answered");
    out.integer("answer_sequence", static_cast<std::int64_t>(at.value));
    if (failed != nullptr) out.text("code", refusal_row(failed->refusal).code);
    if (answered != nullptr) out.text("answered_by", answered->envelope->from());
    shown.exchange->respond({.headers = {}, .body = out.raw("answer", answer).done()});
}

void answer_from_record(Desk& desk, const Shown& shown, Sequence at) {
    const bool is_taken =
        with_record(desk, *shown.caller, at, [&desk, shown, at](const Result<EventPtr>& event) {
            if (event) return answer_ended(desk, shown, at, **event);
            shown.exchange->respond(unreadable(event.error()));
        });
    if (!is_taken) shown.exchange->respond(too_many_reads());
}

/// How many senders of the same id an answer names.
constexpr std::size_t kSendersNamed = 10;

bool is_there(const Desk& desk, std::string_view asker, std::string_view id) {
    return desk.engine->stream({.asker = asker, .id = id, .count_max = 0}).has_value();
}

/// Whether the caller may act for every agent, and so need not name the requester.
bool may_act_for_anyone(const Caller& caller) {
    return caller.user.empty() && caller.role != OperatorRole::Viewer &&
           (caller.is_operator || caller.agent.value.empty());
}

/// All senders of a request with this id.
std::vector<std::string> senders_of(const Desk& desk, std::string_view id) {
    std::vector<std::string> senders;
    for (const auto& agent : desk.engine->state().registry.agents) {
        if (is_there(desk, agent.id.value, id)) senders.push_back(agent.id.value);
    }
    return senders;
}

transport::Response ambiguous(std::string_view id, const std::vector<std::string>& senders) {
    std::string names;
    for (std::size_t i = 0; i < std::min(senders.size(), kSendersNamed); ++i) {
        names += (i == 0 ? "'" : ", '") + json::shortened(senders[i]) + "'";
    }
    if (senders.size() > kSendersNamed) {
        names += " and " + std::to_string(senders.size() - kSendersNamed) + " more";
    }
    return problem(Refusal::MessageIdConflict,
                   "'" + json::shortened(id) + "' is the id of a request of each of " + names +
                       ": add ?agent=ID to say whose is meant");
}

}  // namespace

void get_request(Desk& desk, Call& call) {
    std::string asker{call.request().parameter("agent")};
    const bool is_named = !asker.empty();
    if (!is_named) asker = call.caller->agent.value;
    const std::string_view id = call.captures.at(0);
    if (!is_named && may_act_for_anyone(*call.caller) && !is_there(desk, asker, id)) {
        const auto senders = senders_of(desk, id);
        if (senders.size() > 1) return call.exchange->respond(ambiguous(id, senders));
        if (senders.size() == 1) asker = senders.front();
    }
    // Another agent's request is answered like a missing request.
    const auto standing = desk.engine->stream({.asker = asker, .id = id, .count_max = 0});
    if (standing && !may_act_for(*call.caller, asker)) {
        record_unseen(desk,
                      Refusal::IdentityMismatch,
                      "request '" + json::shortened(id) + "' of '" + json::shortened(asker) + "'",
                      call.caller);
        return call.exchange->respond(not_there(id));
    }
    if (!standing) return call.exchange->respond(not_there(id));
    const bool is_taken = with_asked(
        desk,
        *call.caller,
        standing->request,
        [&desk, call, standing = *standing](const Result<EnvelopePtr>& asked) {
            if (!asked) return call.exchange->respond(unreadable(asked.error()));
            const bool is_there =
                *asked != nullptr && may_follow(desk, *call.caller, standing.request, **asked);
            if (!is_there) return call.exchange->respond(not_there(call.captures.at(0)));
            const Shown shown{call.exchange, call.caller, standing.request, *asked};
            if (standing.answer == Sequence{}) return answer_open(desk, shown);
            answer_from_record(desk, shown, standing.answer);
        });
    if (!is_taken) call.exchange->respond(too_many_reads());
}

}  // namespace parlance::gateway
