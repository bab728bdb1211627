// The memory that this process may use: the machine's, or less if the process's cgroup has a lower
// limit.
#pragma once

#include <cstdint>
#include <string>

namespace parlance {

/// Returns bytes; 0 if unknown. `root` is a prefix of /proc and /sys, for tests.
///
/// A cgroup's limit binds its descendants too, so the lowest limit on the way up counts. Both
/// versions of cgroups are read. Inside a container the path in /proc may not exist; then the
/// path's root does.
std::uint64_t machine_memory_bytes(const std::string& root = {});

}  // namespace parlance
