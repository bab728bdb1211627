// If-Match: the version that a change was made to.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "transport/transport.h"

namespace parlance::gateway {

/// The version in If-Match: "3", 3 or W/"3"; nothing if the header is missing or *. An unreadable
/// version is an Error, because a change that was meant to be guarded must not be made unguarded.
Result<std::optional<std::uint64_t>> version_matched(const transport::Request& request);

}  // namespace parlance::gateway
