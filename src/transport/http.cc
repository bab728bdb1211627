#include "transport/http.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "transport/frames.h"
#include "transport/request.h"
#include "transport/socket.h"

namespace parlance::transport {
namespace {

/// Pipelined requests are read up to this size; further bytes stay in the kernel, which slows the
/// client down.
constexpr std::size_t kReadAheadBytesMax = std::size_t{64} * 1024;
constexpr int kTooLarge = 413;
constexpr int kUnavailable = 503;
constexpr std::string_view kOutOfMemory = "the hub is out of memory for this request";

}  // namespace

/// The gateway's handle on a request. Holds the speaker until the answer is complete.
class HttpExchange final : public Exchange {
  public:
    HttpExchange(std::shared_ptr<HttpSpeaker> speaker, Request request)
        : speaker_{std::move(speaker)}, request_{std::move(request)} {
        speaker_->exchange_ = this;
    }

    ~HttpExchange() override {
        if (std::uncaught_exceptions() > 0) fail_allocation();  // Releases the speaker.
        const auto speaker = let_go();
        if (!speaker || !speaker->is_open()) return;
        if (speaker->streaming_) {
            speaker->end_stream();
        } else {
            speaker->answer(speaker->wire_->hall().refusal(500, "the request was not answered"));
        }
    }

    /// Memory ran out while the request was handled: only this request fails.
    void fail_allocation() noexcept {
        const auto speaker = let_go();
        if (!speaker || !speaker->is_open()) return;
        try {
            // An answer that has begun can only be broken off by closing the connection.
            if (speaker->streaming_) return speaker->wire_->drop();
            speaker->answer(speaker->wire_->hall().refusal(kUnavailable, kOutOfMemory));
        } catch (const std::bad_alloc&) {
            if (speaker->wire_ != nullptr) speaker->wire_->drop();
        }
    }

    const Request& request() const override { return request_; }

    void release_body() override { std::string{}.swap(request_.body); }

    std::size_t request_bytes() const {
        auto bytes = request_.path.size() + request_.body.capacity();
        for (const auto& [name, value] : request_.headers) bytes += name.size() + value.size();
        for (const auto& [name, value] : request_.query) bytes += name.size() + value.size();
        return bytes;
    }

    void respond(Response response) override {
        if (!speaker_ || speaker_->streaming_) return;
        let_go()->answer(response);
    }

    void begin_stream(Response head) override {
        if (!speaker_ || speaker_->streaming_) return;
        release_body();
        speaker_->begin_stream(head);
    }

    void write(std::string chunk) override {
        if (speaker_) speaker_->write_chunk(chunk);
    }

    std::size_t backlog_bytes() const override {
        return speaker_ && speaker_->wire_ != nullptr ? speaker_->wire_->backlog_bytes() : 0;
    }

    void end_stream() override {
        if (speaker_ && speaker_->streaming_) let_go()->end_stream();
    }

    void on_gone(std::function<void()> gone) override {
        if (!speaker_) return;
        if (gone_told_) return gone();  // Too late, but still called once.
        gone_ = std::move(gone);
    }

    /// The callback may destroy this exchange: no member is touched after the call.
    void tell_gone() {
        if (std::exchange(gone_told_, true)) return;
        if (const auto gone = std::exchange(gone_, nullptr)) gone();
    }

  private:
    /// The answer is complete. Drops the callback, which may hold this very exchange alive.
    std::shared_ptr<HttpSpeaker> let_go() {
        if (speaker_) speaker_->exchange_ = nullptr;
        if (speaker_) speaker_->awaiting_bytes_ = 0;
        gone_ = nullptr;
        return std::exchange(speaker_, nullptr);
    }

    std::shared_ptr<HttpSpeaker> speaker_;
    Request request_;
    std::function<void()> gone_;
    bool gone_told_ = false;
};

HttpSpeaker::HttpSpeaker(Wire& wire)
    : wire_{&wire},
      parser_{wire.hall().limits},
      peer_{wire.peer_text()},
      since_{wire.hall().loop.now} {}

std::size_t HttpSpeaker::take(char* bytes, std::size_t count) {
    std::size_t used = 0;
    std::size_t requests = 0;
    // One request per turn while deferred requests of other connections wait.
    const auto requests_max = wire_ != nullptr && wire_->hall().loop.deferred.empty()
                                  ? wire_->hall().limits.requests_per_turn_max
                                  : 1;
    bool more = true;
    while (more && is_open() && exchange_ == nullptr) {
        const bool has_enough =
            requests >= requests_max || (wire_->is_paused() && !parser_.is_begun());
        if (has_enough && used < count) {
            wire_->yield();
            break;
        }
        const bool was_begun = parser_.is_begun();
        const auto progress = parser_.put({bytes + used, count - used}, used);
        // Line ends before a request are skipped and do not begin a request: a client that sends
        // only line ends counts as idle.
        if (!was_begun && parser_.is_begun()) since_ = wire_->hall().loop.now;
        first_ = first_ && !parser_.is_begun();
        if (progress == Progress::Done) ++requests;
        more = on_progress(progress);
    }
    return used;
}

/// Whether to continue parsing.
bool HttpSpeaker::on_progress(Progress progress) {
    switch (progress) {
        case Progress::NeedMore:
            if (parser_.is_header_done()) is_refused_by_header();
            return false;
        case Progress::HeaderDone:
            return on_header();
        case Progress::Done:
            on_request();
            return true;
        case Progress::Refused:
            if (parser_.refusal().status == kTooLarge) tell_too_large();
            refuse(parser_.refusal().status, parser_.refusal().what);
            return false;
    }
    return false;
}

void HttpSpeaker::tell_too_large() {
    const auto& doors = wire_->hall().doors;
    if (!doors.on_too_large) return;
    auto& request = parser_.request();
    request.peer = peer_;
    request.certificate = wire_->certificate();
    doors.on_too_large(request, parser_.refusal().what);
}

bool HttpSpeaker::on_header() {
    since_ = wire_->hall().loop.now;
    auto& request = parser_.request();
    request.peer = peer_;
    request.certificate = wire_->certificate();
    http_11_ = parser_.is_http_11();
    keep_alive_ = parser_.is_keep_alive();
    head_only_ = request.method == "HEAD";
    if (probes_only_) {
        keep_alive_ = false;
        if (std::ranges::find(wire_->hall().limits.probe_paths, request.path) ==
            wire_->hall().limits.probe_paths.end()) {
            refuse_for_room();
            return false;
        }
    }
    if (http_11_ && asks_for_websocket(request)) {
        upgrade();
        return false;
    }
    if (parser_.expects_continue() && is_refused_by_header()) return false;
    if (parser_.expects_continue()) wire_->out() += "HTTP/1.1 100 Continue\r\n\r\n";
    return true;
}

/// Asked only while the body is still to come: a complete request is decided as a whole.
bool HttpSpeaker::is_refused_by_header() {
    const auto& doors = wire_->hall().doors;
    if (!doors.on_header || std::exchange(is_header_decided_, true)) return false;
    const auto refusal = doors.on_header(parser_.request());
    if (!refusal) return false;
    ++wire_->hall().counts.requests_total;
    parser_.reset();
    keep_alive_ = false;  // The beginning of the next request is unknown.
    answer(*refusal);
    return true;
}

void HttpSpeaker::on_request() {
    auto& hall = wire_->hall();
    ++hall.counts.requests_total;
    has_served_ = true;
    is_header_decided_ = false;
    auto exchange =
        std::make_shared<HttpExchange>(shared_from_this(), std::move(parser_.request()));
    parser_.reset();
    try {
        hall.doors.on_request(std::move(exchange));
    } catch (const std::bad_alloc&) {
        ++hall.counts.out_of_memory;
        if (exchange_ != nullptr) exchange_->fail_allocation();
    }
}

void HttpSpeaker::fail_allocation() {
    // While a request is being answered, only bytes of later requests can have been lost.
    if (!is_open() || exchange_ != nullptr) return wire_->drop();
    try {
        parser_.reset();
        refuse(kUnavailable, kOutOfMemory);
    } catch (const std::bad_alloc&) {
        wire_->drop();
    }
}

bool HttpSpeaker::is_idle() const {
    return exchange_ == nullptr && !closed_ && !parser_.is_begun();
}

bool HttpSpeaker::is_overdue() const {
    if (exchange_ != nullptr || closed_ || !parser_.is_begun()) return false;
    const auto& hall = wire_->hall();
    const auto& limits = hall.limits;
    const bool is_in_body = parser_.is_header_done();
    return hall.loop.now - since_ >=
           (is_in_body ? limits.body_before_idle : limits.header_before_idle);
}

/// Bytes read ahead are kept in memory: less for each connection leaves room for more connections.
std::size_t HttpSpeaker::read_bytes_max() const { return kReadAheadBytesMax; }

void HttpSpeaker::upgrade() {
    auto& hall = wire_->hall();
    auto& request = parser_.request();
    const std::string key{request.header("Sec-WebSocket-Key")};
    if (request.method != "GET" || parser_.has_body() || !is_websocket_key(key)) {
        return refuse(400, "a WebSocket begins with a GET without a body and a key of 16 bytes");
    }
    if (request.header("Sec-WebSocket-Version") != "13") {
        auto response = hall.refusal(426, "only WebSocket version 13 is spoken here");
        response.headers.emplace_back("Sec-WebSocket-Version", "13");
        keep_alive_ = false;
        return answer(response);
    }
    if (const auto refusal =
            hall.doors.on_upgrade ? hall.doors.on_upgrade(request) : std::nullopt) {
        keep_alive_ = false;  // A body, if any, was not read.
        return answer(*refusal);
    }
    auto& out = wire_->out();
    out += "HTTP/1.1 101 Switching Protocols\r\nServer: parlance\r\nUpgrade: websocket\r\n";
    out += "Connection: Upgrade\r\nSec-WebSocket-Accept: " + websocket_accept(key) + "\r\n\r\n";
    auto socket = std::make_shared<SocketSpeaker>(*wire_, std::move(request));
    std::exchange(wire_, nullptr)->become(socket);
    if (hall.doors.on_socket) hall.doors.on_socket(socket);
}

bool HttpSpeaker::wants_more(std::size_t waiting) const {
    return exchange_ == nullptr || waiting < kReadAheadBytesMax;
}

// A client that closed its sending side may still read or may be gone: the hub cannot tell the two
// apart. So the waiting caller is notified, and an answer that is made nevertheless is sent.
void HttpSpeaker::peer_finished() {
    if (exchange_ == nullptr) return finish();
    const auto self = shared_from_this();
    if (streaming_) return wire_->drop();
    exchange_->tell_gone();
}

void HttpSpeaker::wire_lost() {
    wire_ = nullptr;
    if (exchange_ != nullptr) exchange_->tell_gone();
}

void HttpSpeaker::abandon() { wire_ = nullptr; }

void HttpSpeaker::shut_down(std::uint16_t, const std::string&) {
    keep_alive_ = false;
    if (streaming_) return end_stream();
    if (exchange_ == nullptr) finish();
}

void HttpSpeaker::sweep() {
    if (exchange_ != nullptr) {
        awaiting_bytes_ = exchange_->request_bytes();
        return wire_->count_buffered();
    }
    // While paused, the hub does not read the peer's bytes, so the peer is not late.
    if (wire_->is_paused()) since_ = wire_->hall().loop.now;
    const auto& limits = wire_->hall().limits;
    const auto waited = wire_->hall().loop.now - since_;
    if (parser_.is_header_done()) {
        if (waited >= limits.body_time_max) too_slow("the body did not come in time");
    } else if (parser_.is_begun()) {
        if (waited >= limits.header_time_max) too_slow("the header did not come in time");
    } else if (waited >= (first_ ? limits.header_time_max : limits.idle_time_max)) {
        finish();
    }
}

void HttpSpeaker::too_slow(std::string_view what) {
    ++wire_->hall().counts.connections_shed;
    refuse(408, what);
}

void HttpSpeaker::refuse(int status, std::string_view what) {
    keep_alive_ = false;
    answer(wire_->hall().refusal(status, what));
}

void HttpSpeaker::refuse_for_room() {
    ++wire_->hall().counts.connections_shed;
    refuse(429, "this hub has as many connections as it takes; try again later");
}

void HttpSpeaker::answer(const Response& response) {
    if (!is_open()) return;
    append_response(wire_->out(),
                    response,
                    {.http_11 = http_11_,
                     .keep_alive = keep_alive_,
                     .head_only = head_only_,
                     .chunked = false});
    wire_->count_buffered();
    answer_done();
}

void HttpSpeaker::begin_stream(const Response& head) {
    streaming_ = true;
    if (!is_open()) return;
    keep_alive_ = keep_alive_ && http_11_;  // Without chunks, closing ends the stream.
    append_response(
        wire_->out(),
        head,
        {.http_11 = http_11_, .keep_alive = keep_alive_, .head_only = head_only_, .chunked = true});
}

void HttpSpeaker::write_chunk(std::string_view chunk) {
    if (!is_open() || !streaming_ || head_only_ || chunk.empty()) return;
    if (http_11_) {
        append_chunk(wire_->out(), chunk);
    } else {
        wire_->out() += chunk;
    }
    wire_->count_buffered();
}

void HttpSpeaker::end_stream() {
    streaming_ = false;
    if (!is_open()) return;
    if (http_11_ && !head_only_) wire_->out() += "0\r\n\r\n";
    answer_done();
}

void HttpSpeaker::answer_done() {
    since_ = wire_->hall().loop.now;
    head_only_ = false;
    if (keep_alive_) return wire_->resume();
    finish();
}

void HttpSpeaker::finish() {
    closed_ = true;
    wire_->finish();
}

}  // namespace parlance::transport
