// Splits a request for several things into parts: at sentence ends, and at words such as "and then"
// that join one intent step to the next.
#pragma once

#include <string_view>
#include <vector>

namespace parlance::intents {

inline constexpr std::size_t kPartsMax = 8;  ///< The last part keeps all text after the limit.

/// In text order; the whole text if nothing separates it.
std::vector<std::string_view> parts_of(std::string_view text);

}  // namespace parlance::intents
