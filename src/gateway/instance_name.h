// Names of instances: listed for all readers, and restricted to the characters of message ids.
#pragma once

#include <algorithm>
#include <string_view>

#include "model/envelope.h"

namespace parlance::gateway {

inline constexpr std::string_view kNoInstanceName =
    "instance must be 1 to 128 printable ASCII characters without spaces and quotes";

inline bool is_instance_name(std::string_view name) {
    return !name.empty() && name.size() <= kIdBytesMax && std::ranges::all_of(name, [](char c) {
        return c > ' ' && c < '\x7f' && c != '"' && c != '\'';
    });
}

}  // namespace parlance::gateway
