// The real disk: one directory of a POSIX file system.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "journal/disk.h"

namespace parlance::journal {

/// `create` makes the directory if it is not there, durably; its parent must be.
Result<std::unique_ptr<Disk>> open_posix_disk(const std::string& directory, bool create);

}  // namespace parlance::journal
