// Whether one flipped bit explains why a batch fails its checksums. A disk that flips a bit damages
// acknowledged records; a write torn inside a sector leaves zeros in place of bytes.
#pragma once

#include <string_view>

#include "journal/format.h"
#include "model/ids.h"

namespace parlance::journal {

/// `head` is as long as a batch head and does not decode. True if flipping one bit makes it the
/// head of `next`.
bool is_head_but_for_one_bit(std::string_view head, Sequence next);

/// `frame` has a whole head. True if nothing is wrong, or a single bit.
bool is_frame_but_for_one_bit(const BatchHead& head, std::string_view frame);

}  // namespace parlance::journal
