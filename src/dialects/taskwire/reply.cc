// An agent's answer to a delivered request. The agent may write a whole message, leave out what the
// request settles, or write the bare result; what comes out is always a whole message.
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

/// What an answer must say, because the request settles it. Empty: it settles nothing.
struct Settled {
    std::string_view from;
    std::string_view to;
    std::string_view correlation;
    std::string_view request_id;
    std::string child_session;  ///< Where the work was done.
};

Settled settled_by(const Envelope& request, const Reception& reception) {
    const bool was_for_a_topic = request.to().starts_with("topic:");
    // The hub knows which of its own questions it is, and what an agent says to a step is its
    // output as it stands.
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

/// Which request a payload answers, and where that was worked on: of several that belong to one
/// workflow its correlation id does not tell which one is meant.
std::vector<NewMember> missing_in_payload(json::Value payload, const Settled& settled) {
    std::vector<NewMember> members;
    const auto fill = [&](std::string_view key, std::string_view value) {
        if (!value.empty() && lacks(payload, key)) members.push_back({key, quoted(value)});
    };
    fill("request_id", settled.request_id);
    fill("child_session_id", settled.child_session);
    return members;
}

/// The answer with what it leaves out, every other byte as it came.
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
    // A task that only stands in for the workflow's id is not one that the requester named.
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

/// What the answer says otherwise than the request settled it.
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

/// Nothing, if the message is of a type that answers.
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

/// Whether a whole message says that somebody else than the caller sends it.
bool is_as_another(json::Value answer, const Settled& settled, const Reception& reception) {
    const auto from = json::find(answer, "from");
    if (!from || !from->is_string() || settled.from.empty()) return false;
    std::string spare;
    const auto name = from->text(spare);
    return name != settled.from && name != reception.caller;
}

/// Who speaks as another has not answered, whatever else is wrong with it.
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
