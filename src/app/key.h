// A secret of the hub's own, made once and kept beside its data.
#pragma once

#include <string>

#include "base/result.h"

namespace parlance::app {

/// The bytes of the file; it is made, readable by its owner alone, if there is none.
Result<std::string> open_key(const std::string& path);

}  // namespace parlance::app
