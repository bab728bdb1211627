#include "app/cli/event_summary.h"

#include <algorithm>
#include <array>

#include "app/cli/json_view.h"
#include "base/json.h"

namespace parlance::cli {

namespace {

/// Shown in separate columns, or of no use to people.
constexpr std::array<std::string_view, 5> kLeftOut{
    "sequence", "at", "event", "fingerprint", "envelope"};

bool says_nothing(json::Value value) {
    constexpr std::array<std::string_view, 5> kNothing{"null", "false", "\"\"", "[]", "{}"};
    return std::ranges::find(kNothing, value.raw) != kNothing.end();
}

/// Ticket 0 means none; other numbers may be meaningfully 0.
bool is_no_ticket(std::string_view key, json::Value value) {
    return value.raw == "0" && (key == "ticket" || key == "answer");
}

void add(std::string& summary, std::string_view words) {
    if (!summary.empty()) summary.push_back(' ');
    summary.append(words);
}

std::string shown(json::Value value) {
    std::string spare;
    const auto text = value.is_string() ? value.text(spare) : std::string_view{};
    const bool is_one_word = !text.empty() && text.find_first_of(" \"=") == std::string_view::npos;
    return is_one_word ? std::string{text} : one_line(value.raw);
}

void add_fields(std::string& summary, json::Value object) {
    for (json::Members members{object}; members.next();) {
        const auto key = members.key;
        const auto value = members.value;
        if (std::ranges::find(kLeftOut, key) != kLeftOut.end()) continue;
        if (says_nothing(value) || is_no_ticket(key, value)) continue;
        if (value.is_object() && key != "note") {
            add_fields(summary, value);
        } else {
            add(summary, std::string{key} + "=" + shown(value));
        }
    }
}

}  // namespace

std::string summary_of_event(std::string_view event) {
    const auto root = json::root(event);
    std::string summary;
    if (const auto envelope = json::find(root, "envelope"); envelope && envelope->is_object()) {
        add(summary, text_member(*envelope, "from") + " → " + text_member(*envelope, "to"));
        add(summary, text_member(*envelope, "type"));
    }
    add_fields(summary, root);
    return summary;
}

}  // namespace parlance::cli
