// Parses bytes into requests and answers with Beast's parser: strict where two parsers could
// disagree.
//
// Only parser.cc includes Beast, because Beast is expensive to compile.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "transport/transport.h"

namespace parlance::transport {

enum class Progress { NeedMore, HeaderDone, Done, Refused };

struct ParserRefusal {
    int status = 400;
    std::string what;
};

/// Reads one request after another; reset() in between.
class RequestParser {
  public:
    explicit RequestParser(const DoorLimits& limits);
    ~RequestParser();
    RequestParser(const RequestParser&) = delete;
    RequestParser& operator=(const RequestParser&) = delete;

    /// Takes bytes from the front and adds their number to `used`. Stops once at the end of the
    /// header, so that the caller can answer "continue" or upgrade, and at the end of the request.
    Progress put(std::string_view bytes, std::size_t& used);
    void reset();

    Request& request();
    const ParserRefusal& refusal() const;
    bool is_begun() const;  ///< Some byte of the request has arrived.
    bool is_header_done() const;
    bool is_keep_alive() const;
    bool is_http_11() const;
    bool expects_continue() const;
    bool has_body() const;           ///< Whether a body follows; valid once the header is done.
    std::size_t body_bytes() const;  ///< The size of the body received so far.

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Reads one answer of a server.
class ResponseParser {
  public:
    explicit ResponseParser(std::size_t body_bytes_max);
    ~ResponseParser();
    ResponseParser(const ResponseParser&) = delete;
    ResponseParser& operator=(const ResponseParser&) = delete;

    Progress put(std::string_view bytes, std::size_t& used);
    /// The peer closed: the end of an answer without a length, or a truncated answer.
    Progress put_end();
    Response take();
    const ParserRefusal& refusal() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace parlance::transport
