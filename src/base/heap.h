// Memory settings of the process, shared by the hub and its benchmarks.
#pragma once

#include <malloc.h>

namespace parlance {

/// Returns freed large blocks to the system instead of raising glibc's threshold for large blocks:
/// growing tables would leave their smaller versions behind.
inline void give_back_large_blocks() { mallopt(M_MMAP_THRESHOLD, 1 << 20); }

}  // namespace parlance
