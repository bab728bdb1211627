#include "narrative/guard.h"

#include <algorithm>
#include <array>

#include "base/json_write.h"

namespace parlance::narrative {

namespace {

/// Members that hold prose even when their text is a single word.
constexpr std::array<std::string_view, 5> kForReading{
    "answer", "summary", "text", "message", "narrative"};

/// Agents' words for routing, and the users' words that replace them.
constexpr std::array kRoutingWords{
    Internal{"routing to", "asking"},          Internal{"routing this to", "asking"},
    Internal{"routed to", "seen to by"},       Internal{"routed this to", "asked"},
    Internal{"routed by", "seen to by"},       Internal{"delegating to", "asking"},
    Internal{"delegating this to", "asking"},  Internal{"delegated to", "seen to by"},
    Internal{"delegated this to", "asked"},    Internal{"delegated it to", "asked"},
    Internal{"forwarding to", "asking"},       Internal{"forwarding this to", "asking"},
    Internal{"forwarded to", "seen to by"},    Internal{"forwarded this to", "asked"},
    Internal{"forwarded it to", "asked"},      Internal{"handing off to", "asking"},
    Internal{"handing this off to", "asking"}, Internal{"handed off to", "seen to by"},
    Internal{"handed this off to", "asked"},   Internal{"handed this to", "asked"},
    Internal{"handed it to", "asked"},         Internal{"handoff to", "question to"},
    Internal{"target_agent", "who does it"},   Internal{"target_capability", "what is done"}};

/// A lower-case code before one of these words is an internal name.
constexpr std::array<std::string_view, 8> kSaidOfAgents{
    "agent", "says", "said", "reports", "reported", "found", "answered", "replied"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_letter(char c) {
    const auto low = lower(c);
    return is_digit(c) || (low >= 'a' && low <= 'z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

std::string lowered(std::string_view text) {
    std::string low{text};
    std::ranges::transform(low, low.begin(), lower);
    return low;
}

/// "ANL", "tag-ai" and "npv_2" are codes; ordinary lower-case words are not.
bool is_code(std::string_view name) {
    return std::ranges::any_of(name, [](char c) { return c < 'a' || c > 'z'; });
}
/// "tag-ai" and "npv_2" are compound: no natural language has such words, in any case.
bool is_compound(std::string_view name) {
    return std::ranges::any_of(name, [](char c) { return c == '_' || c == '-' || is_digit(c); });
}

struct Place {
    std::string_view text;
    std::string_view low;  ///< `text` in lower case.
    std::size_t at;
};

/// True if the name, in lower case, stands at this position as a whole word.
bool stands_at(const Place& place, std::string_view low_name) {
    if (low_name.empty() || place.low.substr(place.at, low_name.size()) != low_name) return false;
    const auto end = place.at + low_name.size();
    return (place.at == 0 || !is_letter(place.low[place.at - 1])) &&
           (end == place.low.size() || !is_letter(place.low[end]));
}

/// "AUD 500" and "500 AUD" are amounts.
bool is_beside_a_number(const Place& place, std::size_t size) {
    const auto before = place.text.substr(0, place.at);
    const auto behind = place.text.substr(place.at + size);
    const auto last = before.find_last_not_of(' ');
    const auto first = behind.find_first_not_of(' ');
    return (last != std::string_view::npos && is_digit(before[last])) ||
           (first != std::string_view::npos && is_digit(behind[first]));
}

bool is_said_of_an_agent(const Place& place, std::size_t size) {
    auto behind = place.low.substr(place.at + size);
    if (behind.empty() || (behind.front() != ' ' && behind.front() != '-')) return false;
    behind.remove_prefix(1);
    const auto end = std::ranges::find_if(behind, [](char c) { return !is_letter(c); });
    const auto word = behind.substr(0, static_cast<std::size_t>(end - behind.begin()));
    return std::ranges::find(kSaidOfAgents, word) != kSaidOfAgents.end();
}

bool names_ours(const Place& place, std::string_view name) {
    if (!is_code(name) || !stands_at(place, lowered(name))) return false;
    if (is_compound(name)) return true;
    if (is_beside_a_number(place, name.size())) return false;
    const bool is_as_written = place.text.substr(place.at, name.size()) == name;
    return is_as_written || is_said_of_an_agent(place, name.size());
}

/// "the ANL agent" is one name.
std::size_t title_behind(const Place& place, std::size_t size) {
    const auto behind = place.low.substr(place.at + size);
    for (const std::string_view title : {" agent", "-agent", " capability"}) {
        if (!behind.starts_with(title)) continue;
        const bool ends = behind.size() == title.size() || !is_letter(behind[title.size()]);
        if (ends) return title.size();
    }
    return 0;
}
void drop_title_before(std::string& out, std::string_view instead) {
    const auto low = lowered(out);
    for (const std::string_view title :
         {"the agent ", "agent ", "the capability ", "capability "}) {
        if (low.ends_with(title)) return out.resize(out.size() - title.size());
    }
    if (instead.starts_with("our ") && low.ends_with("the ")) out.resize(out.size() - 4);
}

/// A single pass: replacements are not scanned again.
template <class Names, class Stands>
std::string replaced(std::string_view text, const Names& names, bool has_title, Stands stands) {
    const auto low = lowered(text);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const Place place{text, low, at};
        const bool begins = is_letter(text[at]) && (at == 0 || !is_letter(text[at - 1]));
        const auto found =
            begins ? std::ranges::find_if(
                         names, [&](const Internal& each) { return stands(place, each.name); })
                   : std::end(names);
        if (found == std::end(names)) {
            out += text[at++];
            continue;
        }
        if (has_title) drop_title_before(out, found->instead);
        const auto first = out.size();
        out += found->instead;
        // A capital at the start of a sentence stays a capital.
        const bool is_capital = !has_title && text[at] != low[at];
        if (is_capital && out.size() > first) out[first] = upper(out[first]);
        at += found->name.size();
        if (has_title) at += title_behind(place, found->name.size());
    }
    return out;
}

void append_discreet(std::string& out,
                     std::string_view key,
                     json::Value value,
                     const std::vector<Internal>& internals) {
    if (value.is_object()) {
        json::ObjectWriter object;
        for (json::Members members{value}; members.next();) {
            std::string member;
            append_discreet(member, members.key, members.value, internals);
            object.raw(members.key, member);
        }
        out += object.done();
    } else if (value.is_array()) {
        out += '[';
        for (json::Elements elements{value}; elements.next();) {
            if (out.back() != '[') out += ',';
            append_discreet(out, key, elements.value, internals);
        }
        out += ']';
    } else if (value.is_string()) {
        std::string spare;
        const auto text = value.text(spare);
        if (!is_prose(key, text)) {
            out += value.raw;
        } else {
            json::append_quoted(out, discreet(text, internals));
        }
    } else {
        out += value.raw;
    }
}

}  // namespace

void longest_first(std::vector<Internal>& internals) {
    std::ranges::stable_sort(
        internals, std::ranges::greater{}, [](const Internal& each) { return each.name.size(); });
}

bool is_prose(std::string_view key, std::string_view text) {
    return text.find(' ') != std::string_view::npos ||
           std::ranges::find(kForReading, key) != kForReading.end();
}

std::string discreet(std::string_view text, const std::vector<Internal>& internals) {
    const auto unrouted = replaced(text, kRoutingWords, false, stands_at);
    return replaced(unrouted, internals, true, names_ours);
}

std::string discreet_json(json::Value value, const std::vector<Internal>& internals) {
    std::string out;
    append_discreet(out, {}, value, internals);
    return out;
}

}  // namespace parlance::narrative
