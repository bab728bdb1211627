// The name of a user, as a message gives it.
#pragma once

#include <string>
#include <string_view>

namespace parlance {

/// Whom a message names as its user; empty if that is nobody. Where a dialect must name one and
/// there is none, the hub writes "unknown", and who gives that back has named nobody.
std::string user_named(std::string_view said);

}  // namespace parlance
