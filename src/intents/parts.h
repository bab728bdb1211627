// A request that asks for several things at once, taken apart: at the ends of its sentences, and at
// the words by which people add one wish to another.
#pragma once

#include <string_view>
#include <vector>

namespace parlance::intents {

inline constexpr std::size_t kPartsMax = 8;  ///< What is behind stays in the last.

/// In their order; the whole text if there is nothing to part.
std::vector<std::string_view> parts_of(std::string_view text);

}  // namespace parlance::intents
