// The connections of one server: their list, their buffered bytes, and the order of closing them.
#include <algorithm>
#include <utility>

#include "transport/wire.h"

namespace parlance::transport {

Response Hall::refusal(int status, std::string_view what) const {
    if (doors.on_refused) return doors.on_refused(status, what);
    return {
        .status = status, .content_type = "text/plain", .headers = {}, .body = std::string{what}};
}

void Hall::admit(const std::shared_ptr<Wire>& wire) {
    wire->index_ = wires.size();
    wire->heard_order_ = ++reads;
    wires.push_back(wire);
    ++wires_per_peer[wire->peer_address()];
    ++counts.connections_open;
    ++counts.connections_total;
}

void Hall::forget(Wire& wire) {
    const auto peer = wires_per_peer.find(wire.peer_address());
    if (--peer->second == 0) wires_per_peer.erase(peer);
    const auto index = wire.index_;
    wires[index].swap(wires.back());
    wires[index]->index_ = index;
    wires.pop_back();
    --counts.connections_open;
    if (wire.is_probe_) --probes_open;
}

// A peer that reads empties its buffers again and again; a peer that reads nothing, or only a byte
// now and then to look alive, has had bytes in the buffers for a long time. Connections with few
// bytes stay open: closing them would free little.
void Hall::close_slowest() {
    for (const auto& wire : wires) wire->release_spare();
    if (counts.buffered_bytes <= limits.buffered_bytes_max) return;
    std::size_t holders = 0;
    for (const auto& wire : wires) holders += wire->buffered_ > 0 ? 1U : 0U;
    std::vector<Wire*> slowest;
    for (const auto& wire : wires) {
        // Little is less than a quarter of the average.
        const bool is_much = wire->buffered_ * 4 * holders >= counts.buffered_bytes;
        if (wire->buffered_ > 0 && !wire->doomed_ && is_much) slowest.push_back(wire.get());
    }
    std::ranges::sort(slowest, {}, &Wire::buffered_since_);
    const auto enough = limits.buffered_bytes_max - limits.buffered_bytes_max / 8;
    for (auto* const wire : slowest) {
        if (counts.buffered_bytes <= enough) return;
        wire->shed_slow_reader();
    }
}

void Hall::close_lingering(std::size_t count_max) {
    std::vector<std::shared_ptr<Wire>> lingering;
    for (const auto& wire : wires) {
        if (wire->is_lingering()) lingering.push_back(wire);
    }
    const auto end =
        lingering.begin() + static_cast<std::ptrdiff_t>(std::min(count_max, lingering.size()));
    std::ranges::partial_sort(
        lingering, end, {}, [](const auto& wire) { return wire->heard_order_; });
    for (auto at = lingering.begin(); at != end; ++at) (*at)->drop();
}

std::size_t Hall::close_idle(std::size_t count_max, Duration age_min) {
    struct Idle {
        std::pair<bool, std::uint64_t> order;  ///< Has served; order of the last read.
        std::shared_ptr<Wire> wire;
    };
    std::vector<Idle> idle;
    for (const auto& wire : wires) {
        if (!wire->is_idle(age_min)) continue;
        idle.push_back({{wire->speaker_->has_served(), wire->heard_order_}, wire});
    }
    const auto end = idle.begin() + static_cast<std::ptrdiff_t>(std::min(count_max, idle.size()));
    std::ranges::partial_sort(idle, end, {}, &Idle::order);
    std::size_t count = 0;
    for (auto at = idle.begin(); at != end; ++at) {
        // A request may wait unread behind the requests of all other connections.
        if (at->wire->has_unread()) continue;
        at->wire->drop();
        ++count;
    }
    counts.idle_closed += count;
    return count;
}

}  // namespace parlance::transport
