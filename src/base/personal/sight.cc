#include <algorithm>

#include "base/personal/characters.h"
#include "base/personal/detectors.h"

namespace parlance::personal {

namespace {

constexpr std::size_t kLettersMax = 12;

}  // namespace

std::size_t Sight::word_begin() const {
    std::size_t begin = group(0).begin;
    const std::size_t lowest = std::max(floor_, begin - std::min<std::size_t>(begin, kLettersMax));
    while (begin > lowest && is_alnum(text[begin - 1])) --begin;
    return begin;
}

bool Sight::is_apart_left(std::size_t place, Cues words) const {
    if (!is_tied_left(text, place)) return true;
    return !continues_left(text, place) && has_cue(words);
}

Cues Sight::cues() const {
    // A later group of a number has digits, not words, before it.
    if (is_in_row()) return label_cues_;
    if (!cues_) {
        std::size_t begin = group(0).begin;
        // A known word attached to the number is one of the words before it; other attached letters
        // belong to the number.
        if (cues_of_last_word(text, begin) == 0) begin = word_begin();
        const bool may_have_plus = begin == group(0).begin;
        while (before(text, begin) == '(' || (may_have_plus && before(text, begin) == '+')) --begin;
        cues_ = cues_before(text, begin) | label_cues_;
    }
    return *cues_;
}

}  // namespace parlance::personal
