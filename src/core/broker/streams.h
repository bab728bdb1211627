// Answers that come in parts: for each request that streams, where its parts are on record.
//
// The parts themselves are in the journal and nowhere else, so that a long answer takes a number of
// bytes here, not its own. When the request has ended its stream stays for a while, for who reads
// late; the oldest goes first.
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
    Sequence ended{};             ///< Where the request's end is on record; none: it is open.
};

struct Streams {
    std::map<Ticket, Stream> all;  ///< By request.
    Sequence forgotten{};          ///< The last end whose stream is no longer here.

    // Found again from it.
    std::map<Sequence, Ticket> ended;  ///< The oldest first.
};

const Stream* find_stream(const Streams& streams, Ticket request);
void add_part(Streams& streams, Ticket request, Sequence at, std::uint64_t bytes);
/// Nothing, if it never had a part.
void end_stream(Streams& streams, Ticket request, Sequence at, std::size_t ended_max);

}  // namespace parlance::core::broker
