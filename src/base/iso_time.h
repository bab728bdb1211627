// Instants in ISO 8601: 2025-11-23T10:00:00.123Z.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace parlance {

/// Reads a date with optional time of day, fraction and offset. Without an offset the time is UTC;
/// digits beyond the millisecond are dropped. Years 0000 to 9999, no leap seconds.
Result<Time> parse_iso_time(std::string_view text);
/// Like parse_iso_time(), without the reason of a failure.
std::optional<Time> iso_time_in(std::string_view text);

/// Prints UTC with milliseconds: 24 characters for every year that parse_iso_time() reads.
std::string print_iso_time(Time time);

}  // namespace parlance
