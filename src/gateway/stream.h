// One listener of /v1/events.
#pragma once

#include <chrono>
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

/// After so long a read for which the system had no descriptor is tried again.
inline constexpr Duration kShortagePause{std::chrono::milliseconds{250}};

/// Lines that say nothing keep proxies and clients from giving the stream up.
template <class Listening>
void comfort(Desk& desk, const std::weak_ptr<Listening>& weak) {
    constexpr Duration kInterval{std::chrono::seconds{15}};
    desk.loop.after(kInterval, [&desk, weak] {
        const auto listener = weak.lock();
        if (!listener || listener->is_closed) return;
        listener->exchange->write(": still here\n\n");
        comfort(desk, weak);
    });
}

/// Reads on for this listener if there is something new and it keeps up.
void pump(Desk& desk, const std::shared_ptr<Stream>& stream);
void pump_all(Desk& desk);
/// Ends the streams of those whose proof holds no more.
void end_fallen_streams(Desk& desk);

}  // namespace parlance::gateway
