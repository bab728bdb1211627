// Events as bytes and back, and as JSON for people: all from the tables in event_tables.h.
//
//   event    varint number, then its fields; or one of the short forms (short_form.h)
//   field    varint (tag << 2 | form), then a varint, eight bytes, or a length and bytes
//
// A field with its default value is not written; an unknown tag is skipped.
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

/// The long form, readable at any position.
void encode(const Event& event, std::string& out);
/// As few bytes as possible, for a record at `position`.
void encode(const Event& event, const Position& position, std::string& out);

/// Unsupported for an event or a value that only a newer program knows; Corrupt for bytes that
/// encode() does not write.
Result<Event> decode(std::string_view payload, const Position& position);
Result<Event> decode(const Record& record);

/// The number of the event's row in the tables, for the long and the short form; 0 for an unknown
/// event.
std::uint32_t number_of(std::string_view payload);

std::string_view event_name(const Event& event);

/// Appends one object: {"sequence":…,"at":"…","event":"…", and the event's fields}. An unset time
/// is null.
void append_json(std::string& out, Sequence sequence, Time at, const Event& event);

}  // namespace parlance::journal
