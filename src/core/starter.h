// Who started a workflow, as far as that is remembered once it is over.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/keys.h"

namespace parlance::core {

/// A workflow's id together with who started it: tells a repeat by that one from another's. No
/// sender of messages has a space in its name.
inline std::uint64_t starter_key(const HashKey& key, std::string_view by, std::string_view id) {
    return message_key(key, "started by " + std::string{by}, id);
}

}  // namespace parlance::core
