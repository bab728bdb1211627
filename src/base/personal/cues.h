// The words before a number that say what it is: "call me at", "SSN:", "was born on".
#pragma once

#include <cstdint>
#include <string_view>

#include "base/personal/personal.h"

namespace parlance::personal {

/// A set of hints, one bit each.
using Cues = std::uint32_t;

inline constexpr Cues kFiller = 1U << 0U;  ///< Says nothing, and is looked past.
inline constexpr Cues kToward = 1U << 1U;  ///< The same: "at", "on", "to".
inline constexpr Cues kPhone = 1U << 2U;   ///< Names a telephone.
inline constexpr Cues kCall = 1U << 3U;    ///< Says that somebody calls.
inline constexpr Cues kReach = 1U << 4U;   ///< Says so if "at" or the like follows.
inline constexpr Cues kSsn = 1U << 5U;
inline constexpr Cues kItin = 1U << 6U;
inline constexpr Cues kSin = 1U << 7U;
inline constexpr Cues kNino = 1U << 8U;
inline constexpr Cues kBirth = 1U << 9U;
inline constexpr Cues kDriver = 1U << 10U;  ///< Only together with kLicence.
inline constexpr Cues kLicence = 1U << 11U;
inline constexpr Cues kPassport = 1U << 12U;
inline constexpr Cues kCard = 1U << 13U;
inline constexpr Cues kVersion = 1U << 14U;
inline constexpr Cues kInsurance = 1U << 15U;  ///< Only together with kSocial or kNational.
inline constexpr Cues kSocial = 1U << 16U;
inline constexpr Cues kNational = 1U << 17U;
inline constexpr Cues kSecurity = 1U << 18U;  ///< Only together with kSocial.

inline constexpr Cues kIban = 1U << 19U;

/// What the word says that a number hangs on without a gap: "SSN078051121". 0: no known word.
Cues cues_of_last_word(std::string_view text, std::size_t place);
/// What the words say that stand right before this place: those that are known, and no further.
Cues cues_before(std::string_view text, std::size_t place);
/// Whether one of the last few words speaks of a birth, whatever the others say.
bool is_birth_before(std::string_view text, std::size_t place);
/// What a member's key says: phone_number, dateOfBirth.
Cues cues_of_label(const Label& label);
/// Whether the word right behind a number says that it is a telephone's, as in an address block.
bool names_phone_behind(std::string_view text, std::size_t place);

}  // namespace parlance::personal
