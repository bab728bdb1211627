#include "app/cli/exec/verdict.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/cli/json_view.h"
#include "base/json_write.h"

namespace parlance::cli::exec {

namespace {

struct AnswerRow {
    std::string_view request;
    std::string_view answer;  ///< Message type for a bare payload.
};

constexpr std::array kAnswers{AnswerRow{"TASK_ASSIGNMENT", "TASK_COMPLETE"},
                              AnswerRow{"TASK_HANDOFF", "TASK_COMPLETE"},
                              AnswerRow{"HELP_REQUEST", "HELP_RESPONSE"}};

constexpr std::array<std::string_view, 3> kAnswerTypes{
    "TASK_COMPLETE", "TASK_FAILED", "HELP_RESPONSE"};

/// A whole answer rather than a payload: an answer type, or a handoff with `accepted`.
bool is_whole_answer(json::Value value) {
    if (!value.is_object()) return false;
    const std::string type = text_member(value, "type");
    if (std::ranges::find(kAnswerTypes, type) != kAnswerTypes.end()) return true;
    return type == "TASK_HANDOFF" && member(member(value, "payload"), "accepted").is_bool();
}

std::string payload_of(std::string_view line) {
    if (line.empty()) return "{}";
    if (json::check(line)) return std::string(line);
    std::string text = json::ObjectWriter{}.text("text", line).done();
    // Bytes that are not UTF-8 cannot be carried in JSON.
    return json::check(text) ? text : json::ObjectWriter{}.text("text", harmless(line)).done();
}

Verdict taskwire_verdict(json::Value message, std::string_view line) {
    const std::string type = text_member(message, "type");
    const auto row = std::ranges::find(kAnswers, type, &AnswerRow::request);
    const bool is_answer = member(member(message, "payload"), "accepted").is_bool();
    if (row == kAnswers.end() || (type == "TASK_HANDOFF" && is_answer)) return {};
    const std::string payload = payload_of(line);
    if (is_whole_answer(json::root(payload))) return {Verdict::Kind::Reply, payload};
    return {Verdict::Kind::Reply,
            json::ObjectWriter{}.text("type", row->answer).raw("payload", payload).done()};
}

}  // namespace

Verdict within(Verdict verdict, std::size_t answer_bytes_max) {
    const auto bytes = verdict.text.size();
    if (verdict.kind != Verdict::Kind::Reply || bytes <= answer_bytes_max) return verdict;
    return {.kind = Verdict::Kind::Nack,
            .text = fmt::format("the answer has {} bytes, {} is the most", bytes, answer_bytes_max),
            .is_final = true};
}

Verdict verdict_of(std::string_view dialect, std::string_view message, std::string_view line) {
    line = json::root(line).raw;
    if (dialect == "taskwire") return taskwire_verdict(json::root(message), line);
    if (line.empty()) return {};
    if (json::check(line) && json::root(line).is_object()) {
        return {Verdict::Kind::Reply, std::string(line)};
    }
    return {Verdict::Kind::Nack, "the program answered with a line that is no JSON object"};
}

}  // namespace parlance::cli::exec
