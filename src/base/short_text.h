// Compact texts: a UUID takes 16 bytes, other hexadecimal half its characters, any other text its
// own size.
//
// Only lower case is shortened, so every text is restored exactly.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"

namespace parlance {

void append_short(std::string& out, std::string_view text);
/// Returns an empty text for malformed bytes, and the reader is not ok.
std::string take_short(ByteReader& in);

}  // namespace parlance
