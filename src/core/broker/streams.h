// Streams: for each request with a streamed answer, where the parts are on record.
//
// The parts themselves are only in the journal, so that a long answer costs a number per part here,
// not its bytes. Streams of ended requests stay for late readers; beyond a maximum the oldest goes
// first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "model/ids.h"

namespace parlance::core::broker {

struct Stream {
    std::vector<Sequence> parts;  ///< The first is number 1.
    std::uint64_t bytes = 0;      ///< Of all parts together.
    Sequence ended{};             ///< The record of the request's end; none: the request is open.
};

struct Streams {
    std::map<Ticket, Stream> all;  ///< By request.
    Sequence forgotten{};          ///< The latest end of a request whose stream is forgotten.

    // Derived from `all`.
    std::map<Sequence, Ticket> ended;  ///< The oldest first.
};

const Stream* find_stream(const Streams& streams, Ticket request);
void add_part(Streams& streams, Ticket request, Sequence at, std::uint64_t bytes);
/// Does nothing if the request never had a part.
void end_stream(Streams& streams, Ticket request, Sequence at, std::size_t ended_max);

}  // namespace parlance::core::broker
