// RFC 7396, JSON merge patch: a patch has the shape of its target. A null removes a member.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"

namespace parlance::json {

/// Returns the patched target; a missing target is created by the patch. Members keep their order,
/// new members come last.
std::string merged(std::optional<Value> target, Value patch);

}  // namespace parlance::json
