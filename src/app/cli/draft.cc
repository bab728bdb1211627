#include "app/cli/draft.h"

#include <iostream>
#include <iterator>
#include <random>

#include "app/cli/json_view.h"
#include "base/iso_time.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/read_file.h"
#include "base/uuid.h"
#include "model/names.h"

namespace parlance::cli {

namespace {

std::vector<std::string> priority_words() {
    std::vector<std::string> words;
    words.reserve(kEnumNames<Priority>.size());
    for (const auto& row : kEnumNames<Priority>) words.emplace_back(row.name);
    return words;
}

std::string with_task(std::string_view object, std::string_view task) {
    std::string field = R"({"task_id":)";
    json::append_quoted(field, task);
    const std::string_view rest = json::root(object).raw.substr(1);
    const bool is_empty = json::root(rest).raw == "}";
    return field.append(is_empty ? "" : ",").append(rest);
}

bool looks_like_json(std::string_view text) {
    const std::string_view trimmed = json::root(text).raw;
    return !trimmed.empty() && std::string_view{"{[\""}.find(trimmed.front()) != std::string::npos;
}

}  // namespace

void add_draft_options(CLI::App& verb, Draft& draft) {
    verb.add_option("--to", draft.to, "The recipient: an agent, or topic:NAME");
    verb.add_option("--from", draft.from, "The sender (default: --as)");
    verb.add_option("--type", draft.type, "The kind of message")->capture_default_str();
    verb.add_option("--priority", draft.priority, "How urgent it is (default: by its type)")
        ->check(CLI::IsMember(priority_words()));
    verb.add_option("--ttl", draft.ttl_ms, "Milliseconds after which it is not delivered any more")
        ->type_name("MS");
    verb.add_option("--task", draft.task, "Its task: messages of one task stay in order");
    verb.add_option("--correlation", draft.correlation, "The workflow it belongs to");
    verb.add_option("--id", draft.id, "Its id (default: a fresh one); the same id is taken once");
}

Result<std::string> read_payload(const std::string& typed) {
    if (typed == "-") {
        return std::string{std::istreambuf_iterator<char>{std::cin}, {}};
    }
    if (!typed.starts_with('@')) return typed;
    return read_file(typed.substr(1));
}

Result<std::string> shape_payload(std::string_view text, std::string_view task) {
    const auto checked = json::check(text);
    std::string payload;
    if (checked) {
        payload = json::root(text).raw;
    } else if (looks_like_json(text)) {
        return fail(Fault::Malformed, "the payload is not JSON: " + checked.error().message);
    } else {
        std::string_view words = json::root(text).raw;
        payload = words.empty() ? "{}" : json::ObjectWriter{}.text("text", words).done();
    }
    if (task.empty()) return payload;
    if (payload.front() != '{') {
        return fail(Fault::Malformed, "--task needs a payload that is a JSON object");
    }
    const json::Value present = member(json::root(payload), "task_id");
    if (present.is_null()) return with_task(payload, task);
    if (text_member(json::root(payload), "task_id") == task) return payload;
    return fail(Fault::Malformed,
                "the payload already names another task: " + std::string(present.raw));
}

Result<std::string> compose(const Draft& draft, std::string_view payload, Time now) {
    json::ObjectWriter metadata;
    if (!draft.correlation.empty()) metadata.text("correlation_id", draft.correlation);
    if (!draft.priority.empty()) metadata.text("priority", draft.priority);
    if (draft.ttl_ms) metadata.integer("ttl_ms", static_cast<std::int64_t>(*draft.ttl_ms));
    if (draft.timeout_ms) {
        metadata.integer("timeout_ms", static_cast<std::int64_t>(*draft.timeout_ms));
    }
    metadata.integer("retry_count", 0);
    std::string message = json::ObjectWriter{}
                              .text("id", draft.id.empty() ? fresh_id() : draft.id)
                              .text("timestamp", print_iso_time(now))
                              .text("from", draft.from)
                              .text("to", draft.to)
                              .text("type", draft.type)
                              .raw("payload", payload)
                              .raw("metadata", metadata.done())
                              .done();
    // Options may hold bytes outside UTF-8; an error here is clearer than the hub's.
    const auto checked = json::check(message);
    if (!checked) return fail(Fault::Malformed, "an option is no text: " + checked.error().message);
    return message;
}

Result<std::string> write_out(const Draft& draft, Time now) {
    const auto text = TRY(read_payload(draft.payload));
    return compose(draft, TRY(shape_payload(text, draft.task)), now);
}

std::string fresh_id() {
    std::random_device random;
    const auto word = [&] { return std::uint64_t{random()} << 32U | random(); };
    return uuid_v4(word(), word());
}

Time now() { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

}  // namespace parlance::cli
