// An agent's answer to a delivered request. The agent may write a whole message, leave out members
// that the request determines, or write the bare result; the reading is always a whole message.
#include <algorithm>

#include <fmt/format.h>

#include "base/iso_time.h"
#include "base/json_write.h"
#include "dialects/splice.h"
#include "dialects/tables.h"
#include "dialects/taskwire/tables.h"
#include "dialects/taskwire/taskwire.h"
#include "model/plan.h"

namespace parlance::dialects::taskwire {

namespace {

/// Fields that an answer takes from its request. Empty: not determined.
struct Settled {
    std::string_view from;
    std::string_view to;
    std::string_view correlation;
    std::string_view request_id;
    std::string child_session;  ///< The session of the work.
};

Settled settled_by(const Envelope& request, const Reception& reception) {
    const bool was_for_a_topic = request.to().starts_with("topic:");
    // The hub recognises its own workflow requests, and an agent's answer to a step is the step's
    // output, unchanged.
    const bool is_a_step = request.from() == kOrchestrator;
    return {.from = was_for_a_topic ? reception.caller : request.to(),
            .to = request.from(),
            .correlation = request.correlation(),
            .request_id = is_a_step ? std::string_view{} : request.id(),
            .child_session = is_a_step ? std::string{} : child_session_of(request)};
}

std::string quoted(std::string_view text) {
    std::string out;
    json::append_quoted(out, text);
    return out;
}

std::string correlation_only(std::string_view correlation) {
    return json::ObjectWriter{}.text("correlation_id", correlation).done();
}

bool lacks(json::Value object, std::string_view key) {
    const auto value = json::find(object, key);
    return !value || value->is_null();
}

/// The answered request's id and session: several requests may share the workflow's correlation id.
std::vector<NewMember> missing_in_payload(json::Value payload, const Settled& settled) {
    std::vector<NewMember> members;
    const auto fill = [&](std::string_view key, std::string_view value) {
        if (!value.empty() && lacks(payload, key)) members.push_back({key, quoted(value)});
    };
    fill("request_id", settled.request_id);
    fill("child_session_id", settled.child_session);
    return members;
}

/// The answer with its missing members; every other byte is unchanged.
std::string completed(std::string_view text, const Settled& settled, const Reception& reception) {
    const json::Value answer = json::root(text);
    std::vector<NewMember> members;
    const auto fill = [&](std::string_view key, std::string_view value) {
        if (!value.empty() && lacks(answer, key)) members.push_back({key, quoted(value)});
    };
    fill("id", reception.fresh_id);
    fill("timestamp", print_iso_time(reception.now));
    fill("from", settled.from);
    fill("to", settled.to);

    Splice splice{text};
    if (!settled.correlation.empty()) {
        const auto metadata = json::find(answer, "metadata");
        if (!metadata || metadata->is_null()) {
            members.push_back({"metadata", correlation_only(settled.correlation)});
        } else if (metadata->is_object() && lacks(*metadata, "correlation_id")) {
            splice.set(*metadata, {{"correlation_id", quoted(settled.correlation)}});
        }
    }
    const auto payload = json::find(answer, "payload");
    if (payload && payload->is_object()) {
        splice.set(*payload, missing_in_payload(*payload, settled));
    }
    splice.set(answer, members);
    return splice.is_empty() ? std::string{} : splice.done();
}

/// The result as the payload of the type that answers this request.
std::string wrapped(std::string_view text,
                    const Envelope& request,
                    const Settled& settled,
                    const Reception& reception) {
    const json::Value result = json::root(text);
    std::vector<NewMember> members = missing_in_payload(result, settled);
    // A task equal to the workflow's id is a stand-in: the requester named no task.
    const bool has_own_task = !request.task().empty() && request.task() != request.correlation();
    if (has_own_task && lacks(result, "task_id")) {
        members.insert(members.begin(), {"task_id", quoted(request.task())});
    }
    Splice payload{result.raw};
    payload.set(result, members);

    const auto asked = std::ranges::find(kTypes, request.type(), &TypeRow::name);
    const bool is_known = asked != kTypes.end() && !asked->answered_by.empty();
    return json::ObjectWriter{}
        .text("id", reception.fresh_id)
        .text("timestamp", print_iso_time(reception.now))
        .text("from", settled.from)
        .text("to", settled.to)
        .text("type", is_known ? asked->answered_by : "TASK_COMPLETE")
        .raw("payload", payload.done())
        .raw("metadata", correlation_only(settled.correlation))
        .done();
}

struct Expectation {
    std::string_view parent;
    std::string_view member;
    std::string_view settled;
    std::string_view rule;
};

/// Fields in which the answer contradicts its request.
Problems contradictions(json::Value answer, const Settled& settled) {
    Problems problems;
    const auto expect = [&](json::Value object, const Expectation& expected) {
        const auto value = json::find(object, expected.member);
        std::string spare;
        if (!value || !value->is_string() || expected.settled.empty()) return;
        if (value->text(spare) == expected.settled) return;
        problems.push_back({.pointer = fmt::format("{}/{}", expected.parent, expected.member),
                            .value = shortened(value->raw),
                            .rule = fmt::format("must be {}, {}", expected.rule, expected.settled),
                            .section = std::string{kBaseSection}});
    };
    expect(answer, {"", "from", settled.from, "the agent that the request was for"});
    expect(answer, {"", "to", settled.to, "the agent that asked"});
    const auto metadata = json::find(answer, "metadata");
    if (metadata && metadata->is_object()) {
        expect(*metadata,
               {"/metadata", "correlation_id", settled.correlation, "the request's own"});
    }
    return problems;
}

/// Nothing if the message's type answers.
std::optional<Problem> not_an_answer(const Envelope& message) {
    if (message.intent() == Intent::Reply || message.intent() == Intent::Progress) return {};
    if (message.type() == "TASK_HANDOFF") {
        return Problem{.pointer = "/payload/accepted",
                       .rule = "is missing; must be true or false",
                       .section = "Handoff Response Format"};
    }
    return Problem{.pointer = "/type",
                   .value = quoted(message.type()),
                   .rule =
                       "must be a type that answers: TASK_COMPLETE, TASK_FAILED, HELP_RESPONSE "
                       "or TASK_HANDOFF; or TASK_UPDATE while the answer is still to come",
                   .section = std::string{kTypesSection}};
}

/// True if a whole message names a sender other than the caller.
bool is_as_another(json::Value answer, const Settled& settled, const Reception& reception) {
    const auto from = json::find(answer, "from");
    if (!from || !from->is_string() || settled.from.empty()) return false;
    std::string spare;
    const auto name = from->text(spare);
    return name != settled.from && name != reception.caller;
}

/// An answer in another agent's name is refused as such, whatever its other problems.
Reading<SendMessage> under_its_own_name(Reading<SendMessage> reading, bool is_anothers) {
    if (!reading && is_anothers) reading.error().refusal = Refusal::IdentityMismatch;
    return reading;
}

Reading<SendMessage> checked(Reading<SendMessage> reading, Problems problems) {
    if (reading) {
        if (auto problem = not_an_answer(*reading->envelope)) {
            problems.push_back(*std::move(problem));
        }
        if (problems.empty()) return reading;
        return tl::unexpected(Rejection{.refusal = Refusal::InputValidationFailed,
                                        .id = std::string{reading->envelope->id()},
                                        .from = std::string{reading->envelope->from()},
                                        .problems = std::move(problems)});
    }
    std::ranges::move(problems, std::back_inserter(reading.error().problems));
    return reading;
}

}  // namespace

Reading<SendMessage> read_reply(const DialectRow& /*row*/,
                                std::string_view text,
                                const Envelope& request,
                                const Reception& reception) {
    const json::Value answer = json::root(text);
    const Settled settled = settled_by(request, reception);
    const bool is_message = json::find(answer, "type").has_value();
    const std::string made = is_message ? completed(text, settled, reception)
                                        : wrapped(text, request, settled, reception);
    json::Outline outline;
    if (auto problem = outgrown(text, made, outline)) return tl::unexpected(*std::move(problem));
    Reception received = reception;
    if (!made.empty()) received.message = json::root(made, outline);
    return under_its_own_name(
        checked(read_answer(made.empty() ? text : made, received, request.id()),
                is_message ? contradictions(answer, settled) : Problems{}),
        is_message && is_as_another(answer, settled, reception));
}

}  // namespace parlance::dialects::taskwire
