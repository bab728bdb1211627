// Reads a whole file as a text; errors name the file.
#pragma once

#include <string>

#include "base/result.h"

namespace parlance {

/// Returns the contents of a regular file, or of any other file with an end, such as a pipe.
/// Errors: "cannot read 'DIR': it is a directory", "cannot read 'FILE': there is no such file".
Result<std::string> read_file(const std::string& path);

}  // namespace parlance
