// Token usage of an answer, for dialects whose documents have no such field. Each dialect has one
// field that the hub writes and that must be a number; the other fields are read if they fit, as
// agents use them too.
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
/// As in the dialect delegation.
inline constexpr FieldRule kAlsoTokenUsage{
    .name = "token_usage", .is_only_read = true, .section = kExtension, .shape = &kUsageInAll};

inline constexpr std::array kUsageFields{kAlsoTokenUsage, kAlsoTokensUsed};
inline constexpr Shape kUsage{
    .name = "usage", .section = kExtension, .fields = kUsageFields, .is_soft = true};

}  // namespace parlance::dialects
