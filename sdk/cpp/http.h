// HTTP/1.1 for a client over a Link: requests out; heads, bodies and chunks in.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "sdk/cpp/client.h"
#include "sdk/cpp/link.h"

namespace parlance::sdk {

struct OutgoingRequest {
    std::string_view method;
    std::string_view target;
    std::string_view body;
    const Headers& headers;
};

/// The whole request, or the reason why the request cannot be written.
Result<std::string> write_request(const HubAddress& hub,
                                  const Identity& identity,
                                  const OutgoingRequest& outgoing);

/// Reads the head of an answer; informational (1xx) heads are skipped.
Result<HttpResponse> read_head(Link& link, Deadline deadline);
/// Reads the body, and closes the link if the link cannot carry a further call.
Result<void> read_body(Link& link, HttpResponse& response, bool is_head, Deadline deadline);
bool is_chunked(const HttpResponse& response);

/// Decodes the chunks of an answer, piece by piece on arrival.
class ChunkReader {
  public:
    bool is_done() const { return done_; }
    /// Moves available bytes into `out`; true on any progress.
    Result<bool> take(Link& link, std::string& out);

  private:
    Result<void> read_line(const Link& link, std::string_view line);

    std::size_t left_ = 0;
    bool after_chunk_ = false;
    bool in_trailer_ = false;
    bool done_ = false;
};

}  // namespace parlance::sdk
