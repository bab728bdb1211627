// Reads and writes any dialect that is only tables.
//
// Taskwire, whose messages are by far the most, has its own reader for the door; all else is here.
#pragma once

#include "dialects/dialect_row.h"

namespace parlance::dialects {

Reading<SendMessage> read_by_tables(const DialectRow& row,
                                    std::string_view text,
                                    const Reception& reception);

Reading<SendMessage> read_reply_by_tables(const DialectRow& row,
                                          std::string_view text,
                                          const Envelope& request,
                                          const Reception& reception);

std::string write_failure_by_tables(const DialectRow& row,
                                    const Envelope& request,
                                    const HubWord& word);

std::string write_refusal_by_tables(const DialectRow& row, const HubWord& word);

/// An answer with the ids of its request and its workflow, where its header alone knows them.
std::string with_ids_by_tables(const Envelope& envelope, Time now);

/// Where a request says that it is to be worked on; empty if its dialect has no such place.
std::string child_session_of(const Envelope& request);

/// Whether what was made of a message is surely right, without a look at it. A message that is not
/// deep cannot become too deep: its content moves by a member or two, and into an extension by a
/// few.
bool stays_json(json::Value message, std::string_view made);

/// What was right as it came may be too long or too deep with what was put around it. Outlines
/// what was made.
std::optional<Rejection> outgrown(std::string_view text,
                                  std::string_view made,
                                  json::Outline& outline,
                                  std::size_t depth_max = json::kDepthMax);

}  // namespace parlance::dialects
