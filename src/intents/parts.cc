#include "intents/parts.h"

#include <algorithm>
#include <array>

#include "base/plain_text.h"

namespace parlance::intents {

namespace {

/// Longest first, so that "and then" is removed whole.
constexpr std::array<std::string_view, 8> kJoints{
    "as well as", "and then", "and also", "after that", "afterwards", "then", "also", "and"};
constexpr std::string_view kEnds = ".?!;\n";
constexpr std::string_view kAround = " \t\r\n,.?!;:";

bool is_space(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\n' || c == '\r'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Length in bytes of the separator at this position; 0 if no separator begins here.
std::size_t joint_at(std::string_view text, std::size_t at) {
    // A sentence ends only before white space: "3.5" is not split.
    if (kEnds.find(text[at]) != std::string_view::npos) {
        const bool is_end = text[at] == '\n' || at + 1 == text.size() || is_space(text[at + 1]);
        return is_end ? 1 : 0;
    }
    if (at == 0 || !is_space(text[at - 1])) return 0;
    const auto here = std::ranges::find_if(kJoints, [&](std::string_view joint) {
        const auto rest = text.substr(at);
        return rest.size() > joint.size() && is_space(rest[joint.size()]) &&
               std::ranges::equal(rest.substr(0, joint.size()), joint, {}, lower);
    });
    return here == kJoints.end() ? 0 : here->size();
}

}  // namespace

std::vector<std::string_view> parts_of(std::string_view text) {
    std::vector<std::string_view> parts;
    const auto add = [&](std::string_view part) {
        if (const auto words = trimmed(part, kAround); !words.empty()) parts.push_back(words);
    };
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size() && parts.size() + 1 < kPartsMax;) {
        const auto joint = joint_at(text, at);
        if (joint > 0) {
            add(text.substr(begin, at - begin));
            begin = at + joint;
        }
        at += std::max<std::size_t>(joint, 1);
    }
    add(text.substr(begin));
    return parts;
}

}  // namespace parlance::intents
