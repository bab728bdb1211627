// Where a text stands among those that were learnt from: each gram is a direction, and the rarer
// it is the more it counts.
//
// A text's place has length 1 as long as all of it is known. What was never seen takes its share
// of the length with it: who says mostly new things is near the middle, and so near nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "intents/grams.h"

namespace parlance::intents {

struct Term {
    std::uint32_t gram = 0;
    float weight = 0;
};
using Place = std::vector<Term>;  ///< By gram, ascending.

class Space {
  public:
    explicit Space(std::span<const std::string_view> texts);

    Place place_of(std::string_view text) const;
    std::size_t size() const { return rarity_.size(); }

  private:
    float rarity_of_new(const Gram& gram) const;

    std::unordered_map<std::uint64_t, std::uint32_t> index_;  ///< By the gram's key.
    std::vector<float> rarity_;                               ///< By index.
    double text_count_ = 0;
};

}  // namespace parlance::intents
