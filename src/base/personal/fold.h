// Text as a careless reader sees it: full-width digits are digits, what has no width is not there.
//
// Whoever wants to slip a number past the hub writes it so; whoever types on a Japanese keyboard
// does it without a thought.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parlance::personal {

struct Folded {
    std::string text;
    std::vector<std::uint32_t> begins;  ///< Where each byte of `text` begins in what was written.
    std::vector<std::uint32_t> ends;    ///< And where it ends there.
};

/// Whether folding could change anything.
bool needs_folding(std::string_view text);

/// `is_escaped`: the text is the inside of a checked JSON string.
void fold(std::string_view text, bool is_escaped, Folded& folded);

}  // namespace parlance::personal
