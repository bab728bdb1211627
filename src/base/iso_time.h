// Instants as ISO 8601 writes them: 2025-11-23T10:00:00.123Z.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace parlance {

/// Reads a date with or without a time of day, a fraction and an offset. What has no offset is
/// UTC; digits beyond the millisecond are dropped. Years 0000 to 9999, no leap seconds.
Result<Time> parse_iso_time(std::string_view text);
/// The same where nobody asks what is wrong.
std::optional<Time> iso_time_in(std::string_view text);

/// In UTC, with milliseconds: 24 characters for every year that parse_iso_time() reads.
std::string print_iso_time(Time time);

}  // namespace parlance
