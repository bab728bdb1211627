// A disk that reports waits of the loop's thread to the health watch.
//
// Only calls on the thread that made the disk are reported: background work and readers have
// separate threads, and the loop does not wait for them.
#pragma once

#include <memory>

#include "app/health_watch.h"
#include "journal/disk.h"

namespace parlance::app {

/// `watch` may be empty at first: reports begin once set. `watch` outlives every call.
std::unique_ptr<journal::Disk> watched(std::unique_ptr<journal::Disk> disk,
                                       const std::unique_ptr<HealthWatch>& watch);

}  // namespace parlance::app
