// Taskwire: the dialect of the Agent Communication Protocols Specification.
//
// tables.h, bodies.h and forms.h are the document as data; message.cc decodes messages, reply.cc
// completes answers, hub_words.cc writes the hub's own messages.
#pragma once

#include "dialects/dialect_row.h"

namespace parlance::dialects::taskwire {

extern const DialectRow kRow;

Reading<SendMessage> read_message(const DialectRow& row,
                                  std::string_view text,
                                  const Reception& reception);

/// The same for a message that answers the request of this id.
Reading<SendMessage> read_answer(std::string_view text,
                                 const Reception& reception,
                                 std::string_view request_id);

Reading<SendMessage> read_reply(const DialectRow& row,
                                std::string_view text,
                                const Envelope& request,
                                const Reception& reception);

std::string write_failure(const DialectRow& row, const Envelope& request, const HubWord& word);

std::string write_refusal(const DialectRow& row, const HubWord& word);

/// T1, W3: the message with the time, the metadata and the ids that it lacks; empty if it lacks
/// none.
std::string with_defaults(const Envelope& envelope, Time now);

}  // namespace parlance::dialects::taskwire
