// The parts of HTTP that need no socket: targets, queries, percent-encoding, and the head of an
// answer.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "transport/transport.h"

namespace parlance::transport {

bool equals_ignoring_case(std::string_view left, std::string_view right);
/// Whether a comma-separated header value contains `token`, ignoring case.
bool has_token(std::string_view list, std::string_view token);

/// Decodes %41; with `plus_is_space`, as in queries, also '+'. Fails for a broken escape, and if
/// the decoded text is not UTF-8 or has control characters: decoded names are shown to other users.
Result<std::string> percent_decode(std::string_view text, bool plus_is_space);

/// Splits a request target into the decoded path and query of `request`.
Result<void> read_target(std::string_view target, Request& request);

/// Whether the request asks for an upgrade to WebSocket.
bool asks_for_websocket(const Request& request);

struct AnswerStyle {
    bool http_11 = true;
    bool keep_alive = true;
    bool head_only = false;  ///< The answer to HEAD: no body.
    bool chunked = false;    ///< Chunks follow; the body in the response is ignored.
};

std::string_view reason_phrase(int status);
/// Appends the whole answer. Line ends inside header values are removed, so a value cannot split
/// the answer.
void append_response(std::string& out, const Response& response, AnswerStyle style);
void append_chunk(std::string& out, std::string_view chunk);

}  // namespace parlance::transport
