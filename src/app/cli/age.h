// The age of a time, in words.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"

namespace parlance::cli {

/// "now", "3 s ago", "5 min ago", "2 h ago", "4 d ago". The future is "now": clocks differ.
std::string age_text(Time then, Time now);
/// Of an ISO 8601 text; "–" for invalid text.
std::string age_text(std::string_view iso, Time now);

}  // namespace parlance::cli
