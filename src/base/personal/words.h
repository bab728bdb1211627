// The words that say what a number is, or what it is not.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/personal/cues.h"

namespace parlance::personal {

inline constexpr std::size_t kWordBytesMax = 18;

/// What a word says; 0 if it is not known.
Cues cues_of_word(std::string_view written);

}  // namespace parlance::personal
