// Folds text for comparisons that ignore case, spaces and the encoding of characters.
#pragma once

#include <string>
#include <string_view>

namespace parlance {

/// Normalises compatibility forms (NFKC), folds case, removes invisible characters, and turns each
/// run of white space and control characters into one space, with none at the ends. Bytes that are
/// not UTF-8 stay unchanged, and so does text with more than 30 marks on one letter, which no
/// script has: the time is linear in the text.
std::string folded(std::string_view text);

}  // namespace parlance
