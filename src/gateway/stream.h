// One listener of /v1/events.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "gateway/desk.h"

namespace parlance::gateway {

struct Stream {
    std::uint64_t id = 0;
    ExchangePtr exchange;
    CallerPtr caller;
    Sequence last;                      ///< Told so far.
    std::optional<std::uint64_t> left;  ///< How many more it wants; nothing: no end.
    bool follows = true;
    bool is_reading = false;
    bool is_closed = false;
};

/// Reads on for this listener if there is something new and it keeps up.
void pump(Desk& desk, const std::shared_ptr<Stream>& stream);
void pump_all(Desk& desk);
/// Ends the streams of those whose proof holds no more.
void end_fallen_streams(Desk& desk);

}  // namespace parlance::gateway
