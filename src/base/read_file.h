// A whole file as a text; what keeps it from being read is said with its name.
#pragma once

#include <string>

#include "base/result.h"

namespace parlance {

/// What stands in the file: a regular one, or whatever else has an end, such as a pipe.
/// "cannot read 'DIR': it is a directory", "cannot read 'FILE': there is no such file".
Result<std::string> read_file(const std::string& path);

}  // namespace parlance
