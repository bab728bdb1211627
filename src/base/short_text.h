// Texts in few bytes: a UUID takes 16, other hexadecimal half of its characters, the rest as it is.
//
// Only what is written in lower case is shortened, so that every text comes back as it was.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"

namespace parlance {

void append_short(std::string& out, std::string_view text);
/// Empty if the bytes are none, and then the reader is not ok.
std::string take_short(ByteReader& in);

}  // namespace parlance
