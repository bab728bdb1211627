// Events as bytes and back, and as JSON for people: all from the tables in event_tables.h.
//
//   event    varint number, then its fields
//   field    varint (tag << 2 | form), then a varint, eight bytes, or a length and bytes
//
// A field that has its default is not written; a tag that is not known is skipped.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "model/event.h"
#include "model/ids.h"

namespace parlance::journal {

void encode(const Event& event, std::string& out);

/// Unsupported for an event or a value that only a newer program knows; Corrupt for anything that
/// encode() does not write.
Result<Event> decode(std::string_view payload);

std::string_view event_name(const Event& event);

/// One object: {"sequence":…,"at":"…","event":"…", and the event's fields}. A time that is not set
/// is null.
void append_json(std::string& out, Sequence sequence, Time at, const Event& event);

}  // namespace parlance::journal
