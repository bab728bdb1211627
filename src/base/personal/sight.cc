#include <algorithm>

#include "base/personal/characters.h"
#include "base/personal/detectors.h"

namespace parlance::personal {

namespace {

constexpr std::size_t kLettersMax = 4;

}  // namespace

std::size_t Sight::word_begin() const {
    std::size_t begin = group(0).begin;
    const std::size_t lowest = std::max(floor_, begin - std::min<std::size_t>(begin, kLettersMax));
    while (begin > lowest && is_alnum(text[begin - 1])) --begin;
    return begin;
}

bool Sight::has_letters_before(std::size_t count) const {
    const std::size_t begin = group(0).begin;
    if (begin < floor_ + count || is_glued_left(text, begin - count)) return false;
    return std::ranges::all_of(text.substr(begin - count, count), is_letter);
}

Cues Sight::cues() const {
    if (!cues_) {
        std::size_t begin = word_begin();
        while (before(text, begin) == '(' || before(text, begin) == '+') --begin;
        cues_ = cues_before(text, begin) | label_cues_;
    }
    return *cues_;
}

}  // namespace parlance::personal
