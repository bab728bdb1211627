#include "core/broker/streams.h"

namespace parlance::core::broker {

const Stream* find_stream(const Streams& streams, Ticket request) {
    const auto found = streams.all.find(request);
    return found == streams.all.end() ? nullptr : &found->second;
}

void add_part(Streams& streams, Ticket request, Sequence at, std::uint64_t bytes) {
    auto& stream = streams.all[request];
    stream.parts.push_back(at);
    stream.bytes += bytes;
}

void end_stream(Streams& streams, Ticket request, Sequence at, std::size_t ended_max) {
    const auto found = streams.all.find(request);
    if (found == streams.all.end()) return;
    found->second.ended = at;
    streams.ended.emplace(at, request);
    while (streams.ended.size() > ended_max) {
        const auto oldest = streams.ended.begin();
        streams.forgotten = oldest->first;
        streams.all.erase(oldest->second);
        streams.ended.erase(oldest);
    }
}

}  // namespace parlance::core::broker
