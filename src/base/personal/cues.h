// The words around a number that identify its kind: "call me at", "SSN:", "was born on".
#pragma once

#include <cstdint>
#include <string_view>

#include "base/personal/personal.h"

namespace parlance::personal {

/// A set of hints, one bit each.
using Cues = std::uint32_t;

inline constexpr Cues kFiller = 1U << 0U;  ///< Says nothing and is skipped.
inline constexpr Cues kToward = 1U << 1U;  ///< Like kFiller: "at", "on", "to".
inline constexpr Cues kPhone = 1U << 2U;   ///< Names a telephone.
inline constexpr Cues kCall = 1U << 3U;    ///< Says that somebody calls.
inline constexpr Cues kReach = 1U << 4U;   ///< Means kCall if followed by kToward.
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
inline constexpr Cues kAccount = 1U << 20U;   ///< A payment's account.
inline constexpr Cues kHost = 1U << 21U;      ///< A machine in a network.
inline constexpr Cues kThing = 1U << 22U;     ///< Something else: an order, a parcel.
inline constexpr Cues kMine = 1U << 23U;      ///< Says whose the number is.
inline constexpr Cues kNumber = 1U << 24U;    ///< Says only that a number follows.
inline constexpr Cues kContact = 1U << 25U;   ///< Names a telephone with kNumber or kColon.
inline constexpr Cues kColon = 1U << 26U;     ///< A colon or the like follows the last word.
inline constexpr Cues kNumbered = 1U << 27U;  ///< "My number is": maybe a telephone.
inline constexpr Cues kHint = 1U << 28U;      ///< "T:", "text": a telephone, if of usual length.

/// The cues of a word attached to the number without a gap: "SSN078051121". 0: unknown word.
Cues cues_of_last_word(std::string_view text, std::size_t place);
/// The cues of the known words directly before this position, up to the first unknown word.
Cues cues_before(std::string_view text, std::size_t place);
/// The same, skipping a few unknown words within a sentence: for numbers with a check digit or the
/// like.
Cues cues_near(std::string_view text, std::size_t place);
/// Whether one of the last few words mentions a birth, regardless of the other words.
bool is_birth_before(std::string_view text, std::size_t place);
/// The cues of a member's key: phone_number, dateOfBirth.
Cues cues_of_label(const Label& label);
/// The cues after a number: "… is my SSN", "… (mobile)". Verbs alone give no cue.
Cues cues_behind(std::string_view text, std::size_t place);
/// Whether the word right after a number says telephone, as in an address block.
bool names_phone_behind(std::string_view text, std::size_t place);
/// Whether the word right after a number is a counted unit: "1234567 times", "160.419.865 Rp".
bool is_counted_behind(std::string_view text, std::size_t place);
/// Whether the word right after a number says version: "6.11.6.14 release".
bool names_version_behind(std::string_view text, std::size_t place);
/// The cues of the words of a column heading. 0 if any word is unknown.
Cues cues_of_heading(std::string_view name);

}  // namespace parlance::personal
