// What is written of every message, in as few bytes as it takes: the three records that make an
// interaction, with what they say relative to where and when they stand.
//
//   accepted       number, flags, retries, four bytes of fingerprint, times as flagged, envelope
//   leased         number, ticket, instance, until when
//   acknowledged   number, ticket
//   ticket         how many records ago it was founded, above two flags; copy, attempt as flagged
//
// An event with anything out of the ordinary takes the long form, which can say everything.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"
#include "model/event.h"
#include "model/ids.h"

namespace parlance::journal {

/// Where a record stands, and when it was written.
struct Position {
    Sequence sequence{};
    Time at{};
};

/// Numbers of short forms. They share one byte with those of events, from its end.
enum class ShortForm : std::uint8_t { Accepted = 125, Leased, Acknowledged };

/// False: it has no short form, and nothing was written.
bool encode_short(const Event& event, const Position& position, std::string& out);

/// What follows the number.
Result<Event> decode_short(ShortForm form, ByteReader& in, const Position& position);

}  // namespace parlance::journal
