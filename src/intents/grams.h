// A text as countable features: its words, its pairs of neighbouring words, and the pieces of each
// word. Pieces recognise a word despite inflection and typing errors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parlance::intents {

enum class GramKind : std::uint8_t { Word, Piece };

/// Identified by a hash that is the same on every machine.
struct Gram {
    std::uint64_t key = 0;
    GramKind kind = GramKind::Word;
    auto operator<=>(const Gram&) const = default;
};

/// Folded words, cut at every character but letters and digits; "what's" is "what" and "'s".
std::vector<std::string> words_of(std::string_view text);

/// Unordered; repeated features are repeated.
std::vector<Gram> grams_of(std::string_view text);

/// Sorted grams of the words that most sentences contain, whatever their subject.
const std::vector<Gram>& common_grams();

}  // namespace parlance::intents
