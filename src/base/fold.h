// Text as it is compared when only what it says matters: whatever its case, its spaces and the way
// its characters are encoded.
#pragma once

#include <string>
#include <string_view>

namespace parlance {

/// Compatibility forms made one (NFKC), case folded, what cannot be seen left out, and each run of
/// white space and control characters one space with none at the ends. Bytes that are no UTF-8 stay
/// as they are, and so does text that no script has (more than 30 marks on one letter): this takes
/// no longer than the text is long.
std::string folded(std::string_view text);

}  // namespace parlance
