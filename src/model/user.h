// The name of a user in a message.
#pragma once

#include <string>
#include <string_view>

namespace parlance {

/// The user named by a message; empty if none. Where a dialect requires a user and none is known,
/// the hub writes "unknown"; an agent that repeats "unknown" names no user.
std::string user_named(std::string_view said);

}  // namespace parlance
