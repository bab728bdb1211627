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
inline constexpr Cues kAccount = 1U << 20U;  ///< Speaks of money that goes somewhere.
inline constexpr Cues kHost = 1U << 21U;     ///< Speaks of a machine in a network.
inline constexpr Cues kThing = 1U << 22U;   ///< Says that it is something else: an order, a parcel.
inline constexpr Cues kMine = 1U << 23U;    ///< Says whose it is.
inline constexpr Cues kNumber = 1U << 24U;  ///< Says only that it is a number.
inline constexpr Cues kContact = 1U << 25U;   ///< Names a telephone with kNumber or kColon.
inline constexpr Cues kColon = 1U << 26U;     ///< A colon or the like stands behind the last word.
inline constexpr Cues kNumbered = 1U << 27U;  ///< "My number is": of a telephone that looks so.
inline constexpr Cues kHint = 1U << 28U;      ///< "T:", "text": of one that is as long as most are.

/// What the word says that a number hangs on without a gap: "SSN078051121". 0: no known word.
Cues cues_of_last_word(std::string_view text, std::size_t place);
/// What the words say that stand right before this place: those that are known, and no further.
Cues cues_before(std::string_view text, std::size_t place);
/// The same over a few words that are not known, in one sentence: for what is more than a word.
Cues cues_near(std::string_view text, std::size_t place);
/// Whether one of the last few words speaks of a birth, whatever the others say.
bool is_birth_before(std::string_view text, std::size_t place);
/// What a member's key says: phone_number, dateOfBirth.
Cues cues_of_label(const Label& label);
/// What is said behind a number about it: "… is my SSN", "… (mobile)". Nothing that only a verb
/// says.
Cues cues_behind(std::string_view text, std::size_t place);
/// Whether the word right behind a number says that it is a telephone's, as in an address block.
bool names_phone_behind(std::string_view text, std::size_t place);
/// Whether the word right behind says what is counted: "1234567 times", "160.419.865 Rp".
bool is_counted_behind(std::string_view text, std::size_t place);
/// Whether the word right behind says that it was a version: "6.11.6.14 release".
bool names_version_behind(std::string_view text, std::size_t place);
/// What the words of a name say, as it stands over a column. 0 if one of them is unknown.
Cues cues_of_heading(std::string_view name);

}  // namespace parlance::personal
