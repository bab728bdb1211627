// Compact encodings for the three most frequent records: a message accepted, leased and
// acknowledged. Sequences and times are written relative to the record's own.
//
//   accepted       number, flags, retries, four bytes of fingerprint, times as flagged, envelope
//   leased         number, ticket, instance, until when
//   acknowledged   number, ticket
//   ticket         distance in records to the record that created the ticket, above two flags;
//                  copy and attempt as flagged
//
// An event with any unusual value takes the long form, which can encode every event.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"
#include "model/event.h"
#include "model/ids.h"

namespace parlance::journal {

/// The sequence and time of a record.
struct Position {
    Sequence sequence{};
    Time at{};
};

/// Numbers of short forms. They share one byte with the event numbers and are taken from the upper
/// end.
enum class ShortForm : std::uint8_t { Accepted = 125, Leased, Acknowledged };

/// False: the event has no short form, and nothing was written.
bool encode_short(const Event& event, const Position& position, std::string& out);

/// Decodes the bytes after the number.
Result<Event> decode_short(ShortForm form, ByteReader& in, const Position& position);

}  // namespace parlance::journal
