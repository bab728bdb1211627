// How the process keeps its memory; the same for the hub and for what measures it.
#pragma once

#include <malloc.h>

namespace parlance {

/// Freed large blocks go back to the system instead of raising glibc's idea of what is large:
/// tables that grow would leave their smaller selves behind.
inline void give_back_large_blocks() { mallopt(M_MMAP_THRESHOLD, 1 << 20); }

}  // namespace parlance
