// Streamed answers as bytes, and back.
#include "core/snapshot_words.h"

namespace parlance::core {

namespace {

/// Ascending sequences are written as their differences.
void put_rising(std::string& out, const std::vector<Sequence>& rising) {
    put(out, rising.size());
    std::uint64_t last = 0;
    for (const auto each : rising) {
        put(out, each.value - last);
        last = each.value;
    }
}

std::vector<Sequence> take_rising(ByteReader& in, Sequence most) {
    std::vector<Sequence> rising;
    std::uint64_t last = 0;
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto step = take_number(in, most.value - last);
        expect(in, step > 0);
        last += step;
        rising.push_back({last});
    }
    return rising;
}

}  // namespace

void put_streams(PieceWriter& pieces, const broker::Streams& streams) {
    auto& out = pieces.bytes();
    put(out, streams.forgotten.value);
    put(out, streams.all.size());
    for (const auto& [request, stream] : streams.all) {
        if (!pieces.spill()) return;
        put(out, request.value);
        put_rising(out, stream.parts);
        put(out, stream.bytes);
        put(out, stream.ended.value);
    }
}

void take_streams(PieceReader& in, State& state) {
    auto& streams = state.streams;
    streams.forgotten.value = take_number(in, state.sequence.value);
    const auto count = take_count(in);
    TicketOrder tickets{state.sequence};
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        in.refill();
        const auto request = tickets.take(in);
        broker::Stream stream{.parts = take_rising(in, state.sequence)};
        stream.bytes = in.varint();
        stream.ended.value = take_number(in, state.sequence.value);
        const bool is_open = broker::find_request(state.requests, request) != nullptr;
        expect(in, is_open == (stream.ended == Sequence{}) && !stream.parts.empty());
        if (!is_open) expect(in, streams.ended.emplace(stream.ended, request).second);
        streams.all.emplace(request, std::move(stream));
    }
}

}  // namespace parlance::core
