// The condition of a change: which version it was made to.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "transport/transport.h"

namespace parlance::gateway {

/// The version that If-Match names: "3", 3 or W/"3". Nothing if any will do: it is not there, or *.
/// One that cannot be read is an error: a change that was meant to be guarded is not made without.
Result<std::optional<std::uint64_t>> version_matched(const transport::Request& request);

}  // namespace parlance::gateway
