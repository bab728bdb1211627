// The words that tell what a number is, or is not.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/personal/cues.h"

namespace parlance::personal {

inline constexpr std::size_t kWordBytesMax = 18;

/// The cues of a word; 0 if unknown.
Cues cues_of_word(std::string_view written);

}  // namespace parlance::personal
