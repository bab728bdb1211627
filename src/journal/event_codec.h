// Events as bytes and back, and as JSON for people: all from the tables in event_tables.h.
//
//   event    varint number, then its fields; or one of the short forms (short_form.h)
//   field    varint (tag << 2 | form), then a varint, eight bytes, or a length and bytes
//
// A field that has its default is not written; a tag that is not known is skipped.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "journal/short_form.h"
#include "model/event.h"
#include "model/ids.h"

namespace parlance::journal {

struct Record;

/// As it can be read wherever it stands.
void encode(const Event& event, std::string& out);
/// The same in fewer bytes, for the record that stands there.
void encode(const Event& event, const Position& position, std::string& out);

/// Unsupported for an event or a value that only a newer program knows; Corrupt for anything that
/// encode() does not write.
Result<Event> decode(std::string_view payload, const Position& position);
Result<Event> decode(const Record& record);

/// Of the event's row in the tables, whatever form it has here; 0 if it is none.
std::uint32_t number_of(std::string_view payload);

std::string_view event_name(const Event& event);

/// One object: {"sequence":…,"at":"…","event":"…", and the event's fields}. A time that is not set
/// is null.
void append_json(std::string& out, Sequence sequence, Time at, const Event& event);

}  // namespace parlance::journal
