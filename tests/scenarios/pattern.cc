#include "tests/scenarios/pattern.h"

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <vector>

namespace parlance::scenarios {

namespace {

constexpr std::string_view kAnything = "…";

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// The name at the start of the text, after its `$`; empty if none.
std::string_view name_at(std::string_view text) {
    std::size_t end = 1;
    while (end < text.size() && is_name_character(text[end])) ++end;
    const bool is_name = end > 1 && text[1] >= 'a' && text[1] <= 'z';
    return is_name ? text.substr(1, end - 1) : std::string_view{};
}

bool ends_value(char c) {
    return std::string_view{"\"{}[],. \n/"}.find(c) != std::string_view::npos;
}

bool fits(std::string_view pattern, std::string_view text, Names& names);

bool fits_anything(std::string_view rest, std::string_view text, Names& names) {
    for (std::size_t skipped = 0; skipped <= text.size(); ++skipped) {
        Names tried = names;
        if (!fits(rest, text.substr(skipped), tried)) continue;
        names = std::move(tried);
        return true;
    }
    return false;
}

/// A delivery id holds a dot, so a value may too: takes the longest value that lets the rest match.
bool fits_new_name(std::string_view name,
                   std::string_view rest,
                   std::string_view text,
                   Names& names) {
    std::size_t end = 0;
    while (end < text.size() && (!ends_value(text[end]) || text[end] == '.')) ++end;
    for (; end > 0; --end) {
        Names tried = names;
        tried.emplace(name, text.substr(0, end));
        if (!fits(rest, text.substr(end), tried)) continue;
        names = std::move(tried);
        return true;
    }
    return false;
}

bool fits(std::string_view pattern, std::string_view text, Names& names) {
    while (!pattern.empty()) {
        if (pattern.starts_with(kAnything)) {
            const auto rest = pattern.substr(kAnything.size());
            return rest.empty() || fits_anything(rest, text, names);
        }
        if (const auto name = pattern.front() == '$' ? name_at(pattern) : ""; !name.empty()) {
            const auto rest = pattern.substr(1 + name.size());
            const auto known = names.find(std::string{name});
            if (known == names.end()) return fits_new_name(name, rest, text, names);
            if (!text.starts_with(known->second)) return false;
            text.remove_prefix(known->second.size());
            pattern = rest;
            continue;
        }
        if (text.empty() || text.front() != pattern.front()) return false;
        pattern.remove_prefix(1);
        text.remove_prefix(1);
    }
    return text.empty();
}

std::string name_of(const std::string& value, char letter, Names& names) {
    for (const auto& [name, known] : names) {
        if (known == value && name.front() == letter) return name;
    }
    int number = 1;
    while (names.contains(letter + std::to_string(number))) ++number;
    const auto name = letter + std::to_string(number);
    names.emplace(name, value);
    return name;
}

void name_values(std::string& text, const std::string& key, char letter, Names& names) {
    const std::regex pattern{"\"" + key + "\":\"([0-9.]+)\""};
    std::smatch found;
    std::string out;
    while (std::regex_search(text, found, pattern)) {
        out +=
            found.prefix().str() + "\"" + key + "\":\"$" + name_of(found[1], letter, names) + "\"";
        text = found.suffix();
    }
    text = out + text;
}

void shorten_dialect_error(std::string& text) {
    const auto at = text.find("\"dialect_error\":{");
    if (at == std::string::npos) return;
    const auto tail = text.ends_with("}]}") ? "}}]}" : "}}";
    text = text.substr(0, at) + "\"dialect_error\":{…" + tail;
}

struct Argument {
    std::string text;
    std::size_t end = std::string::npos;  ///< After the closing parenthesis.
};

Argument argument_of(std::string_view text, std::size_t open) {
    const auto close = text.find(')', open);
    if (close == std::string_view::npos) return {};
    return {std::string{text.substr(open, close - open)}, close + 1};
}

std::string repeated(const std::string& argument) {
    const auto comma = argument.rfind(',');
    std::string out;
    const auto count = std::atoi(argument.c_str() + comma + 1);
    for (int i = 0; i < count; ++i) out.append(argument, 0, comma);
    return out;
}

std::string from_hex(std::string_view digits) {
    std::string out;
    for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
        out += static_cast<char>(std::stoi(std::string{digits.substr(at, 2)}, nullptr, 16));
    }
    return out;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text, Names& names) {
    Names tried = names;
    if (!fits(pattern, text, tried)) return false;
    names = std::move(tried);
    return true;
}

std::string as_pattern(std::string text, Names& names) {
    static const std::regex uuid{"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"};
    static const std::regex time{"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z"};
    static const std::regex sequence{"\"sequence\":[0-9]+"};
    if (text.size() > 20'000) return text.substr(0, 200) + "…";
    shorten_dialect_error(text);
    if (const auto port = names.find("receiver"); port != names.end()) {
        text = std::regex_replace(text, std::regex{":" + port->second + "/"}, ":$$receiver/");
    }
    text = std::regex_replace(text, uuid, "…");
    text = std::regex_replace(text, time, "…");
    text = std::regex_replace(text, sequence, "\"sequence\":…");
    name_values(text, "delivery_id", 'd', names);
    name_values(text, "dead_letter_id", 'x', names);
    return text;
}

std::string written_out(std::string_view text, const Names& names) {
    std::string out;
    std::size_t fill_at = std::string::npos;
    std::size_t fill_to = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto rest = text.substr(at);
        const auto name = rest.front() == '$' ? name_at(rest) : "";
        if (const auto known = names.find(std::string{name}); known != names.end()) {
            out += known->second;
            at += 1 + name.size();
        } else if (rest.starts_with("%repeat(")) {
            const auto argument = argument_of(text, at + 8);
            out += repeated(written_out(argument.text, names));
            at = argument.end;
        } else if (rest.starts_with("%hex(")) {
            const auto argument = argument_of(text, at + 5);
            out += from_hex(argument.text);
            at = argument.end;
        } else if (rest.starts_with("%fill(")) {
            const auto argument = argument_of(text, at + 6);
            fill_at = out.size();
            fill_to = std::strtoull(argument.text.c_str(), nullptr, 10);
            at = argument.end;
        } else {
            out += rest.front();
            ++at;
        }
    }
    if (fill_at != std::string::npos && fill_to > out.size()) {
        out.insert(fill_at, fill_to - out.size(), 'a');
    }
    return out;
}

}  // namespace parlance::scenarios
