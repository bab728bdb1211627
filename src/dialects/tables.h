// Reads and writes any dialect that is described by tables alone.
//
// Taskwire, which has by far the most messages, has its own reader for incoming messages.
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

/// An answer completed with the ids of its request and its workflow, if only its header has them.
std::string with_ids_by_tables(const Envelope& envelope, Time now);

/// The session that a request opens for its work; empty if the dialect has no such field.
std::string child_session_of(const Envelope& request);

/// True if text made from the message is valid without a check. A shallow message cannot become too
/// deep: its content moves by a level or two, and into an extension by a few.
bool stays_json(json::Value message, std::string_view made);

/// Checks `made`, a valid message completed by the hub: the completion may make it too long or too
/// deep. Outlines `made`.
std::optional<Rejection> outgrown(std::string_view text,
                                  std::string_view made,
                                  json::Outline& outline,
                                  std::size_t depth_max = json::kDepthMax);

}  // namespace parlance::dialects
