// Every verb of a frame on /v1/connect, in both directions, with its value and meaning. The
// connection (connection.cc) and /asyncapi.json (asyncapi.cc) follow this table.
#pragma once

#include <array>
#include <string_view>

#include "base/json.h"
#include "gateway/connection.h"

namespace parlance::gateway {

/// A verb of agents.
struct Verb {
    std::string_view name;
    void (Connection::*hear)(json::Value);
    bool needs_hello;
    std::string_view meaning;
    std::string_view value;  ///< JSON Schema of the verb's value.
};

// A row has three lines, so that the table can be read as a table.
// clang-format off
/// In the order in which a frame's verbs are processed: room is made before more is asked for.
inline constexpr std::array kVerbs{
    Verb{"hello", &Connection::hear_hello, false,
         "First of all, once: who is here, and how many unsettled deliveries it can hold.",
         R"({"type":"object","properties":{"agent":{"type":"string"},"instance":{"type":"string","maxLength":128,"pattern":"^[!#-&(-~]*$"},"credit":{"type":"integer","minimum":0,"default":1},"register":{"$ref":"#/components/schemas/Profile"}}})"},
    Verb{"credit", &Connection::hear_credit, true,
         "The new total of unsettled deliveries that this instance can hold.",
         R"({"type":"integer","minimum":0})"},
    Verb{"subscribe", &Connection::hear_subscribe, true,
         "Topics from now on; this outlives the connection.",
         R"({"type":"array","maxItems":4096,"items":{"type":"string"}})"},
    Verb{"unsubscribe", &Connection::hear_unsubscribe, true,
         "Topics no more.",
         R"({"type":"array","maxItems":4096,"items":{"type":"string"}})"},
    Verb{"ack", &Connection::hear_ack, true,
         "Deliveries that are done.",
         R"({"type":"array","maxItems":4096,"items":{"type":"string","description":"A delivery_id."}})"},
    Verb{"nack", &Connection::hear_nack, true,
         "Deliveries that cannot be done now, or never.",
         R"({"type":"array","maxItems":4096,"items":{"type":"object","required":["delivery_id"],"properties":{"delivery_id":{"type":"string"},"reason":{"type":"string"},"final":{"type":"boolean"}}}})"},
    Verb{"extend", &Connection::hear_extend, true,
         "Still working: the lease ends by_ms from now.",
         R"({"type":"array","maxItems":4096,"items":{"type":"object","required":["delivery_id"],"properties":{"delivery_id":{"type":"string"},"by_ms":{"type":"integer","minimum":1}}}})"},
    Verb{"progress", &Connection::hear_progress, true,
         "Still working, and how far; the requester is told.",
         R"({"type":"array","maxItems":4096,"items":{"type":"object","required":["delivery_id"],"properties":{"delivery_id":{"type":"string"},"note":{}}}})"},
    Verb{"reply", &Connection::hear_reply, true,
         "The answers, in the agent's own dialect; each settles its delivery.",
         R"({"type":"array","maxItems":4096,"items":{"type":"object","required":["delivery_id","message"],"properties":{"delivery_id":{"type":"string"},"message":{"$ref":"#/components/schemas/Reply"}}}})"},
    Verb{"send", &Connection::hear_send, true,
         "Messages; at most send_credit unanswered at a time.",
         R"({"type":"array","maxItems":4096,"items":{"$ref":"#/components/schemas/Message"}})"},
    Verb{"stream", &Connection::hear_stream, true,
         "Requests of this agent whose parts behind a number are told again, and then as they come.",
         R"({"type":"array","maxItems":4096,"items":{"type":"object","required":["message_id"],"properties":{"message_id":{"type":"string"},"after":{"type":"integer","minimum":0,"default":0}}}})"},
    Verb{"heartbeat", &Connection::hear_heartbeat, true,
         "A sign of life; every other frame is one too.",
         R"({"description":"Anything."})"},
};

/// A verb of the hub.
struct Word {
    std::string_view name;
    std::string_view meaning;
    std::string_view value;  ///< JSON Schema of the verb's value.
};

inline constexpr Word kWelcome{"welcome",
    "Answers hello; be heard of at least every heartbeat_ms, in frames of at most frame_bytes_max.",
    R"({"type":"object","required":["hub","version","agent","instance","send_credit","heartbeat_ms","frame_bytes_max"],"properties":{"hub":{"type":"string"},"version":{"type":"string"},"agent":{"type":"string"},"instance":{"type":"string"},"send_credit":{"type":"integer"},"heartbeat_ms":{"type":"integer"},"frame_bytes_max":{"type":"integer"}}})"};
inline constexpr Word kAccepted{"accepted",
    "Messages that are on disk.",
    R"({"type":"array","items":{"$ref":"#/components/schemas/Accepted"}})"};
inline constexpr Word kRefused{"refused",
    "What was not taken; nothing of it is kept but the record.",
    R"({"type":"array","items":{"$ref":"#/components/schemas/Refused"}})"};
inline constexpr Word kProgress{"progress",
    "How far requests of this agent are: the parts of their answers, numbered from 1, and of one that is followed also the whole.",
    R"({"type":"array","items":{"type":"object","required":["message_id","number"],"properties":{"message_id":{"type":"string"},"number":{"type":"integer","minimum":0},"attempt":{"type":"integer"},"note":{},"answer":{}}}})"};
inline constexpr Word kDeliver{"deliver",
    "Messages that are leased to this instance until it settles them.",
    R"({"type":"array","items":{"$ref":"#/components/schemas/Delivery"}})"};
inline constexpr Word kCancelled{"cancelled",
    "Deliveries of this instance whose answer nobody wants any more; they are settled.",
    R"({"type":"array","items":{"type":"object","required":["delivery_id","reason"],"properties":{"delivery_id":{"type":"string"},"reason":{"type":"string"}}}})"};
inline constexpr Word kSettled{"settled",
    "So many more of this connection's ack, nack and reply are on disk.",
    R"({"type":"integer","minimum":1})"};
inline constexpr Word kError{"error",
    "The frame could not be read, the hub lets this instance go, or it stops; the connection closes.",
    R"({"type":"object","required":["code","message"],"properties":{"code":{"$ref":"#/components/schemas/RefusalCode"},"message":{"type":"string"}}})"};
// clang-format on

/// In the order within a frame.
inline constexpr std::array kWords{
    kWelcome, kAccepted, kRefused, kProgress, kDeliver, kCancelled, kSettled, kError};

}  // namespace parlance::gateway
