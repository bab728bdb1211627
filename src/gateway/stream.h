// A listener of /v1/events.
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
    Sequence last;                      ///< The last record sent.
    std::optional<std::uint64_t> left;  ///< Events still wanted; nothing: no end.
    bool follows = true;
    bool is_reading = false;
    bool is_closed = false;
};

/// Pause before retrying a read that found no free file descriptor.
inline constexpr Duration kShortagePause{std::chrono::milliseconds{250}};

/// Sends comment lines, so that proxies and clients keep a quiet stream open.
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

/// Reads on for this listener if there are new records and the listener keeps up.
void pump(Desk& desk, const std::shared_ptr<Stream>& stream);
void pump_all(Desk& desk);
/// Ends the streams of callers whose credential was revoked or has expired.
void end_fallen_streams(Desk& desk);

}  // namespace parlance::gateway
