// A text as what can be counted in it: its words, its pairs of neighbouring words, and the pieces
// of each word, by which a word is recognised whatever its ending and however it was mistyped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parlance::intents {

enum class GramKind : std::uint8_t { Word, Piece };

/// Known by its hash, which is the same on every machine.
struct Gram {
    std::uint64_t key = 0;
    GramKind kind = GramKind::Word;
    auto operator<=>(const Gram&) const = default;
};

/// Folded, and cut at whatever is no letter or digit; "what's" is "what" and "'s".
std::vector<std::string> words_of(std::string_view text);

/// In no particular order, each as often as it is there.
std::vector<Gram> grams_of(std::string_view text);

/// Those of the words that most sentences have, whatever they are about.
const std::vector<Gram>& common_grams();

}  // namespace parlance::intents
