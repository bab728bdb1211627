// RFC 7396: a patch that looks like what it changes. A null takes a member away.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"

namespace parlance::json {

/// What becomes of `target`, or of nothing. Members keep their order, and new ones come last.
std::string merged(std::optional<Value> target, Value patch);

}  // namespace parlance::json
