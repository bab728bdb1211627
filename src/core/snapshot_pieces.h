// The whole state as bytes in pieces, and back: neither direction holds a second copy of the state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "core/core.h"

namespace parlance::core {

/// Size of a piece of encode_state(). A piece ends where an item ends, and is larger than this by
/// at most one item.
inline constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

/// Takes the next piece; false if the caller wants no more pieces.
using PieceSink = std::function<bool(std::string piece)>;
/// False if the sink took less than all.
bool encode_state(const State& state, const PieceSink& sink, std::size_t piece_bytes = kPieceBytes);

/// Overwrites `piece` with the next piece, cut as encode_state() cut it; false behind the last one.
using PieceSource = std::function<Result<bool>(std::string& piece)>;
/// Holds one piece at a time. All pieces together have at most `bytes_max` bytes. An error of the
/// source is returned as it is.
Result<State> decode_state(const PieceSource& source,
                           std::uint64_t bytes_max,
                           const Limits& limits);

}  // namespace parlance::core
