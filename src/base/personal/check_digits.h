// Check digits, which distinguish issued numbers from other numbers.
#pragma once

#include <string_view>

namespace parlance::personal {

/// ISO/IEC 7812-1, annex B: cards and Canadian social insurance numbers. Digits only.
bool passes_luhn(std::string_view digits);

/// ISO 7064 mod 97-10 for IBANs: letters and digits only, with the first four characters moved to
/// the end.
bool passes_mod97(std::string_view account);

}  // namespace parlance::personal
