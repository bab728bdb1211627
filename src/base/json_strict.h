// Checks JSON without giving a reason: finding the reason takes longer than checking a short text.
#pragma once

#include <string_view>

namespace parlance::json {

/// Whether check() would succeed.
bool is_strict(std::string_view text);

}  // namespace parlance::json
