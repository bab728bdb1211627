// How much memory this process may use: the machine's, or what its cgroup leaves it if that is
// less.
#pragma once

#include <cstdint>
#include <string>

namespace parlance {

/// Bytes; 0 if it cannot be found out. `root` stands before /proc and /sys, for tests.
///
/// A cgroup's limit binds its descendants too, so the lowest on the way up counts. Both versions of
/// cgroups are read. Inside a container the path in /proc may not exist; then its root does.
std::uint64_t machine_memory_bytes(const std::string& root = {});

}  // namespace parlance
