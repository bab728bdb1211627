// Bytes to requests and answers, on Beast's parser: strict where two readers could disagree.
//
// Beast is behind this header and in one file only, for what it costs to compile.
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

    /// Takes bytes from the front and adds how many to `used`. Stops at the end of the header
    /// once, so that the caller can answer "continue" or upgrade, and at the end of the request.
    Progress put(std::string_view bytes, std::size_t& used);
    void reset();

    Request& request();
    const ParserRefusal& refusal() const;
    bool is_begun() const;  ///< Some byte of the request has come.
    bool is_header_done() const;
    bool is_keep_alive() const;
    bool is_http_11() const;
    bool expects_continue() const;
    bool has_body() const;           ///< Once the header is done: whether anything follows it.
    std::size_t body_bytes() const;  ///< Of the body, as far as it has come.

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Reads one answer of another server.
class ResponseParser {
  public:
    explicit ResponseParser(std::size_t body_bytes_max);
    ~ResponseParser();
    ResponseParser(const ResponseParser&) = delete;
    ResponseParser& operator=(const ResponseParser&) = delete;

    Progress put(std::string_view bytes, std::size_t& used);
    /// The peer closed: the end of an answer without a length, or a broken one.
    Progress put_end();
    Response take();
    const ParserRefusal& refusal() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace parlance::transport
