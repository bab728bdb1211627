// Vector space of the training texts: each gram is a dimension, and rarer grams weigh more.
//
// The vector of a text has length 1 if every gram is known. Unknown grams take their share of the
// length: a text of mostly unknown grams is near zero, and so near no training example.
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
