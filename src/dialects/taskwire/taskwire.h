// Taskwire: the dialect of the Agent Communication Protocols Specification.
//
// tables.h is the document as data; message.cc reads by it, reply.cc completes answers,
// hub_words.cc writes what the hub itself has to say.
#pragma once

#include "dialects/dialect_row.h"

namespace parlance::dialects::taskwire {

extern const DialectRow kRow;

Reading<SendMessage> read_message(std::string_view text, const Reception& reception);

/// The same for a message that is known to answer the request of this id.
Reading<SendMessage> read_answer(std::string_view text,
                                 const Reception& reception,
                                 std::string_view request_id);

Reading<SendMessage> read_reply(std::string_view text,
                                const Envelope& request,
                                const Reception& reception);

std::string write_failure(const Envelope& request,
                          Refusal refusal,
                          std::string_view detail,
                          Time now);

std::string write_refusal(std::string_view message_id,
                          std::string_view to,
                          Refusal refusal,
                          std::string_view detail,
                          Time now);

}  // namespace parlance::dialects::taskwire
