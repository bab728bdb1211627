// A disk that tells the health watch when the loop's thread waits for it.
//
// Only calls of the thread that made the disk are told: chores and readers have threads of their
// own, and nobody waits for those.
#pragma once

#include <memory>

#include "app/health_watch.h"
#include "journal/disk.h"

namespace parlance::app {

/// `watch` may be empty at first: nothing is told until there is one. It outlives every call.
std::unique_ptr<journal::Disk> watched(std::unique_ptr<journal::Disk> disk,
                                       const std::unique_ptr<HealthWatch>& watch);

}  // namespace parlance::app
