#include "gateway/problem.h"

#include <algorithm>
#include <array>

#include "base/json_write.h"
#include "model/advice.h"

namespace parlance::gateway {

namespace {

constexpr std::uint64_t kRetryAfterMs = 1000;  // If no better time is known.

std::string list(const std::vector<dialects::Problem>& problems) {
    std::string out = "[";
    for (const auto& problem : problems) {
        if (out.size() > 1) out.push_back(',');
        out += json::ObjectWriter{}
                   .text("pointer", problem.pointer)
                   .text("value", problem.value)
                   .text("rule", problem.rule)
                   .text("section", problem.section)
                   .done();
    }
    return out + "]";
}

struct DoorRow {
    int status;
    Refusal refusal;
    std::string_view advice{};  ///< Replaces the refusal's own advice, which is about messages.
};
constexpr std::array kDoorRefusals{
    DoorRow{408, Refusal::MessageMalformed, "Send the whole request in one go."},
    DoorRow{413, Refusal::MessageTooLarge},
    DoorRow{426, Refusal::ConnectionUpgradeRequired},
    DoorRow{429, Refusal::ConnectionLimitExceeded},
    DoorRow{431, Refusal::MessageTooLarge, "Send fewer and shorter header fields."},
    DoorRow{503, Refusal::HubOverloaded},
};
constexpr DoorRow kOtherwise{
    400, Refusal::MessageMalformed, "Send a well-formed HTTP/1.1 request."};

/// The status in the body is the status of the response.
transport::Response write_problem(int status,
                                  Refusal refusal,
                                  const std::string& detail,
                                  const std::vector<dialects::Problem>& problems,
                                  std::string_view dialect_error,
                                  std::uint64_t retry_after_ms = 0) {
    const auto& row = refusal_row(refusal);
    json::ObjectWriter body;
    body.text("type", "about:blank")
        .text("title", row.code)
        .integer("status", status)
        .text("code", row.code)
        .text("detail", detail)
        .boolean("retryable", row.retryable);
    if (retry_after_ms > 0) {
        body.integer("retry_after_ms", static_cast<std::int64_t>(retry_after_ms));
    }
    if (!problems.empty()) body.raw("problems", list(problems));
    if (!dialect_error.empty()) body.raw("dialect_error", dialect_error);
    transport::Response response{.status = status,
                                 .content_type = "application/problem+json",
                                 .headers = {},
                                 .body = body.done()};
    if (row.retryable) {
        // Whole seconds, rounded up.
        const auto wait = retry_after_ms > 0 ? retry_after_ms : kRetryAfterMs;
        response.headers.emplace_back("Retry-After", std::to_string((wait + 999) / 1000));
    }
    return response;
}

}  // namespace

std::string_view subject_of(const dialects::Rejection& rejection) {
    return rejection.answers.empty() ? rejection.id : rejection.answers;
}

transport::Response problem(Refusal refusal, std::string_view detail) {
    return problem(refusal, detail, {}, {});
}

transport::Response problem(const dialects::Rejection& rejection, Dialect dialect, Time now) {
    const auto summary = rejection.summary();
    return problem(rejection.refusal,
                   summary,
                   rejection.problems,
                   dialects::write_refusal(dialect,
                                           subject_of(rejection),
                                           rejection.from,
                                           rejection.refusal,
                                           summary,
                                           now,
                                           rejection.correlation));
}

transport::Response problem(Refusal refusal,
                            std::string_view detail,
                            const std::vector<dialects::Problem>& problems,
                            std::string_view dialect_error,
                            std::uint64_t retry_after_ms) {
    return write_problem(refusal_row(refusal).http_status,
                         refusal,
                         sentence(refusal, detail),
                         problems,
                         dialect_error,
                         retry_after_ms);
}

transport::Response door_problem(int status, std::string_view what) {
    const auto found = std::ranges::find(kDoorRefusals, status, &DoorRow::status);
    const DoorRow& row = found == kDoorRefusals.end() ? kOtherwise : *found;
    const auto advice = row.advice.empty() ? refusal_row(row.refusal).advice : row.advice;
    return write_problem(status, row.refusal, sentence(what, advice), {}, {});
}

void append_refused(std::string& out, const Refused& refused, std::string_view dialect_error) {
    const auto& row = refusal_row(refused.refusal);
    json::ObjectWriter item;
    if (!refused.message_id.empty()) item.text("message_id", refused.message_id);
    if (!refused.delivery_id.empty()) item.text("delivery_id", refused.delivery_id);
    item.text("code", row.code)
        .text("message", sentence(refused.refusal, refused.detail))
        .boolean("retryable", row.retryable);
    if (row.retryable) {
        const auto wait = refused.retry_after_ms > 0 ? refused.retry_after_ms : kRetryAfterMs;
        item.integer("retry_after_ms", static_cast<std::int64_t>(wait));
    }
    if (!dialect_error.empty()) item.raw("dialect_error", dialect_error);
    if (!out.empty()) out.push_back(',');
    out += item.done();
}

}  // namespace parlance::gateway
