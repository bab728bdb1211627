// The real disk: one directory of a POSIX file system.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "journal/disk.h"

namespace parlance::journal {

/// `create` makes the directory if missing, durably; the parent directory must exist.
Result<std::unique_ptr<Disk>> open_posix_disk(const std::string& directory, bool create);

}  // namespace parlance::journal
