// The key under which the dedup window remembers a workflow's starter, also after the workflow's
// end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/keys.h"

namespace parlance::core {

/// Key of a workflow's id together with the starter: tells a repeat by the starter from a start by
/// another caller. No message key can collide: no sender has a space in its name.
inline std::uint64_t starter_key(const HashKey& key, std::string_view by, std::string_view id) {
    return message_key(key, "started by " + std::string{by}, id);
}

}  // namespace parlance::core
