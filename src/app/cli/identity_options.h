// Shared parts of `parlance token` and `parlance cert`.
#pragma once

#include <string_view>

#include "app/cli/cli.h"
#include "base/result.h"
#include "base/time.h"

namespace parlance::cli {

/// "45s", "15m", "12h", "30d"; at most ten years.
Result<Duration> parse_ttl(std::string_view text);

/// Of "valid", "expired" and "revoked".
Tone tone_of_standing(std::string_view standing);

/// Reports an unusable folder, or an invalid request.
int complain_about_identity(const Context& context, const Error& error);

}  // namespace parlance::cli
