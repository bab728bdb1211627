// The version of the program.
#pragma once

#include <string_view>

namespace parlance::app {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace parlance::app
