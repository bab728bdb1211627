// The whole state as bytes, and back. Canonical: two states that behave alike have equal bytes,
// however they came about, so that a replayed state can be compared with the original.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/core.h"

namespace parlance::core {

std::string encode_state(const State& state);

/// Decodes a state under these limits. Fault::Unsupported for a newer form, Fault::Corrupt for
/// garbage.
Result<State> decode_state(std::string_view bytes, const Limits& limits);

}  // namespace parlance::core
