// Where an answer says how many tokens it took, in the dialects whose documents have no field of an
// answer for it. Of each dialect one field is written, and insisted on to be a number; the others
// are where agents say it too, and may be anything.
#pragma once

#include <array>

#include "dialects/fields.h"

namespace parlance::dialects {

inline constexpr FieldRule kTokensUsed{
    .name = "tokens_used", .kind = Kind::Number, .slot = Slot::TokensUsed, .section = kExtension};

inline constexpr FieldRule kAlsoTokensUsed{
    .name = "tokens_used", .slot = Slot::TokensUsed, .is_only_read = true, .section = kExtension};

inline constexpr std::array kUsageInAllFields{
    FieldRule{
        .name = "total", .slot = Slot::TokensUsed, .is_only_read = true, .section = kExtension},
};
inline constexpr Shape kUsageInAll{
    .name = "usage", .section = kExtension, .fields = kUsageInAllFields, .is_soft = true};
/// As delegation has it.
inline constexpr FieldRule kAlsoTokenUsage{
    .name = "token_usage", .is_only_read = true, .section = kExtension, .shape = &kUsageInAll};

inline constexpr std::array kUsageFields{kAlsoTokenUsage, kAlsoTokensUsed};
inline constexpr Shape kUsage{
    .name = "usage", .section = kExtension, .fields = kUsageFields, .is_soft = true};

}  // namespace parlance::dialects
