// The whole state as bytes, and back. Canonical: two states that behave alike are equal bytes,
// however they came about, so that replaying the journal can be compared with having lived it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/core.h"

namespace parlance::core {

std::string encode_state(const State& state);

/// The state with these limits. Fault::Unsupported for a newer form, Fault::Corrupt for garbage.
Result<State> decode_state(std::string_view bytes, const Limits& limits);

}  // namespace parlance::core
