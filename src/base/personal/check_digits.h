// Check digits: what tells a number that somebody issued from any other.
#pragma once

#include <string_view>

namespace parlance::personal {

/// ISO/IEC 7812-1, annex B: of cards and Canadian social insurance numbers. Digits only.
bool passes_luhn(std::string_view digits);

/// ISO 7064 mod 97-10 as IBANs use it: letters and digits only, with the first four at the end.
bool passes_mod97(std::string_view account);

}  // namespace parlance::personal
