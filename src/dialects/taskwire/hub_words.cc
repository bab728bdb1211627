// The hub's own messages in taskwire: a failed request, and a refused message.
#include <algorithm>

#include "base/check.h"
#include "base/hash.h"
#include "base/iso_time.h"
#include "base/json_write.h"
#include "base/uuid.h"
#include "dialects/taskwire/tables.h"
#include "dialects/taskwire/taskwire.h"
#include "model/limits.h"

namespace parlance::dialects::taskwire {

namespace {

/// Recipient of a report about a message without a sender: a report must name a recipient.
constexpr std::string_view kNobodyKnown = "unknown";

/// An id derived from the message in question: repeated reports have the same id.
std::string derived_id(std::string_view about, Refusal refusal, std::uint64_t salt) {
    const auto number = static_cast<std::uint64_t>(refusal);
    const std::uint64_t high = siphash({number, salt}, about);
    return uuid_v4(high, siphash({high, number}, about));
}

static_assert(std::ranges::all_of(kRefusals,
                                  [](const RefusalRow& row) {
                                      return std::ranges::count(kErrorTypes,
                                                                row.refusal,
                                                                &ErrorTypeRow::refusal) == 1;
                                  }),
              "each refusal has one row in kErrorTypes");

const ErrorTypeRow& error_type_of(Refusal refusal) {
    const auto row = std::ranges::find(kErrorTypes, refusal, &ErrorTypeRow::refusal);
    CHECK(row != kErrorTypes.end());
    return *row;
}

std::string metadata(Priority priority, std::string_view correlation) {
    json::ObjectWriter writer;
    if (!correlation.empty()) writer.text("correlation_id", correlation);
    return writer.text("priority", kPriorityWords[static_cast<std::size_t>(priority)])
        .integer("retry_count", 0)
        .integer("max_retries", Limits{}.retry_count_max)
        .done();
}

std::string_view or_advice(std::string_view detail, Refusal refusal) {
    return detail.empty() ? refusal_row(refusal).advice : detail;
}

}  // namespace

std::string write_failure(const DialectRow& /*row*/, const Envelope& request, const HubWord& word) {
    const RefusalRow& row = refusal_row(word.refusal);
    const bool is_timeout = word.refusal == Refusal::RequestTimedOut;
    json::ObjectWriter payload;
    if (!request.task().empty() && request.task() != request.correlation()) {
        payload.text("task_id", request.task());
    }
    payload.text("request_id", request.id());
    if (!word.child_session.empty()) payload.text("child_session_id", word.child_session);
    payload
        .raw("error",
             json::ObjectWriter{}
                 .text("code", row.code)
                 .text("message", or_advice(word.detail, word.refusal))
                 .boolean("retryable", row.retryable)
                 .done())
        .text("error_type", is_timeout ? "TIMEOUT" : "EXTERNAL_SERVICE_ERROR");

    return json::ObjectWriter{}
        .text("id", derived_id(request.id(), word.refusal, siphash({}, request.from())))
        .text("timestamp", print_iso_time(word.now))
        .text("from", word.from)
        .text("to", word.to)
        .text("type", "TASK_FAILED")
        .raw("payload", payload.done())
        .raw("metadata", metadata(Priority::High, request.correlation()))
        .done();
}

std::string write_refusal(const DialectRow& /*row*/, const HubWord& word) {
    const RefusalRow& row = refusal_row(word.refusal);
    const ErrorTypeRow& error = error_type_of(word.refusal);
    const auto salt = static_cast<std::uint64_t>(word.now.time_since_epoch().count());
    std::string actions = "[";
    json::append_quoted(actions, row.advice);
    actions += ']';

    json::ObjectWriter payload;
    payload.text("error_id", derived_id(word.about, word.refusal, salt))
        .text("agent_id", word.from)
        .text("error_type", error.error_type)
        .text("severity", error.severity)
        .text("message", or_advice(word.detail, word.refusal))
        .raw("context", "{}")
        .raw("recovery_attempts", "[]")
        .raw("suggested_actions", actions)
        .text("code", row.code);
    if (!word.about.empty()) payload.text("message_id", word.about);

    return json::ObjectWriter{}
        .text("id", derived_id(word.about, word.refusal, ~salt))
        .text("timestamp", print_iso_time(word.now))
        .text("from", word.from)
        .text("to", word.to.empty() ? kNobodyKnown : word.to)
        .text("type", "ERROR_REPORT")
        .raw("payload", payload.done())
        .raw("metadata", metadata(Priority::Critical, word.correlation))
        .done();
}

}  // namespace parlance::dialects::taskwire
