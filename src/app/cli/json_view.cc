#include "app/cli/json_view.h"

#include <algorithm>

namespace parlance::cli {

namespace {

constexpr int kStep = 2;

Tone tone_of(json::Value value) {
    if (value.is_string()) return Tone::Green;
    if (value.is_number()) return Tone::Cyan;
    return Tone::Magenta;  // true, false, null.
}

std::string quoted(std::string_view text) {
    std::string out;
    json::append_quoted(out, text);
    return out;
}

/// "{" item ", " item "}" in one line, for short values.
std::string inline_form(const Screen& screen, json::Value value) {
    if (value.is_object()) {
        std::string out = "{";
        for (json::Members members{value}; members.next();) {
            if (out.size() > 1) out += ", ";
            out += paint(screen, Tone::Blue, harmless(quoted(members.key))) + ": ";
            out += inline_form(screen, members.value);
        }
        return out + "}";
    }
    if (value.is_array()) {
        std::string out = "[";
        for (json::Elements elements{value}; elements.next();) {
            if (out.size() > 1) out += ", ";
            out += inline_form(screen, elements.value);
        }
        return out + "]";
    }
    return paint(screen, tone_of(value), harmless(value.raw));
}

}  // namespace

std::string pretty(const Screen& screen, json::Value value, int indent) {
    const bool is_nested = value.is_object() || value.is_array();
    const int room = (screen.is_terminal ? screen.width : 100) - indent;
    const std::string plain = one_line(value.raw);
    // Spaces will follow commas and colons: a fifth more is a fair guess.
    if (!is_nested || width_of(plain) * 6 / 5 <= room) return inline_form(screen, value);

    const std::string inner(static_cast<std::size_t>(indent + kStep), ' ');
    std::string out = value.is_object() ? "{" : "[";
    bool is_first = true;
    const auto next = [&] {
        out += (is_first ? "\n" : ",\n") + inner;
        is_first = false;
    };
    if (value.is_object()) {
        for (json::Members members{value}; members.next();) {
            next();
            out += paint(screen, Tone::Blue, harmless(quoted(members.key))) + ": ";
            out += pretty(screen, members.value, indent + kStep);
        }
    } else {
        for (json::Elements elements{value}; elements.next();) {
            next();
            out += pretty(screen, elements.value, indent + kStep);
        }
    }
    return out + "\n" + std::string(static_cast<std::size_t>(indent), ' ') +
           (value.is_object() ? "}" : "]");
}

std::string one_line(std::string_view checked) {
    std::string out;
    out.reserve(checked.size());
    bool is_in_string = false;
    for (std::size_t i = 0; i < checked.size(); ++i) {
        const char c = checked[i];
        if (is_in_string) {
            out.push_back(c);
            if (c == '\\') out.push_back(checked[++i]);
            if (c == '"') is_in_string = false;
        } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
            out.push_back(c);
            is_in_string = c == '"';
        }
    }
    return out;
}

json::Value member(json::Value object, std::string_view key) {
    if (!object.is_object()) return {"null"};
    return json::find(object, key).value_or(json::Value{"null"});
}

std::string text_member(json::Value object, std::string_view key) {
    const json::Value value = member(object, key);
    if (!value.is_string()) return {};
    std::string spare;
    return std::string(value.text(spare));
}

std::optional<std::int64_t> number_member(json::Value object, std::string_view key) {
    return member(object, key).integer();
}

}  // namespace parlance::cli
