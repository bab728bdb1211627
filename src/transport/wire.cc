#include "transport/wire.h"

#include <algorithm>
#include <new>
#include <span>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace parlance::transport {
namespace {

/// How long a closed connection is still read, so that a reset does not overtake the last bytes
/// sent.
constexpr std::chrono::seconds kDrainTime{2};
/// Empty buffers up to this size are kept; larger buffers are freed when the connection is silent.
constexpr std::size_t kIdleBufferBytesMax = 1024;
/// Larger buffers are freed as soon as empty: many connections could grow theirs in turn.
constexpr std::size_t kReadyBufferBytesMax = std::size_t{16} * 1024;
/// A larger buffer is shrunk when few bytes remain, because those bytes may wait for long.
constexpr std::size_t kSparseBufferBytesMax = std::size_t{4} * 1024;
/// While deferred requests wait, an idle connection that begins with more bytes than this must wait
/// too: the bytes are many requests, or a large request. A single small request is answered first.
constexpr std::size_t kPromptBytesMax = std::size_t{4} * 1024;

void release_if_larger(std::string& buffer, std::size_t bytes_max) {
    if (buffer.empty() && buffer.capacity() > bytes_max) std::string{}.swap(buffer);
}

void release_if_sparse(std::string& buffer) {
    const auto capacity = buffer.capacity();
    if (capacity > kSparseBufferBytesMax && buffer.size() < capacity / 4) buffer.shrink_to_fit();
}

/// Whether the bytes begin a GET of one of these paths.
bool asks_for(std::string_view bytes, std::span<const std::string_view> paths) {
    constexpr std::string_view kGet = "GET ";
    if (!bytes.starts_with(kGet)) return false;
    bytes.remove_prefix(kGet.size());
    return std::ranges::any_of(paths, [&](std::string_view path) {
        return !path.empty() && bytes.starts_with(path) &&
               bytes.substr(path.size()).find_first_of(" ?") == 0;
    });
}

/// The memory that an empty buffer keeps. Non-empty buffers are mostly full, and their bytes are
/// counted.
std::size_t spare_bytes(const std::string& buffer) {
    return buffer.empty() && buffer.capacity() > kIdleBufferBytesMax ? buffer.capacity() : 0;
}

}  // namespace

Wire::Wire(std::shared_ptr<Hall> hall, TcpSocket socket, net::ip::tcp::endpoint peer)
    : hall_{std::move(hall)},
      socket_{std::move(socket)},
      peer_{std::move(peer)},
      buffered_since_{hall_->loop.now},
      opened_at_{hall_->loop.now},
      heard_at_{hall_->loop.now},
      progress_at_{hall_->loop.now} {
    if (hall_->tls) tls_ = TlsSession::of_server(*hall_->tls);
}

void Wire::start(std::shared_ptr<Speaker> speaker) {
    speaker_ = std::move(speaker);
    boost::system::error_code ignored;
    socket_->non_blocking(true, ignored);
    socket_->set_option(net::ip::tcp::no_delay{true}, ignored);
    // Otherwise the kernel would buffer megabytes for a peer that reads nothing.
    using KernelUnsentMax = net::detail::socket_option::integer<IPPROTO_TCP, TCP_NOTSENT_LOWAT>;
    socket_->set_option(KernelUnsentMax{static_cast<int>(hall_->limits.unsent_bytes_pause)},
                        ignored);
    await_readable();
}

void Wire::become(std::shared_ptr<Speaker> speaker) { speaker_ = std::move(speaker); }

std::string Wire::peer_text() const {
    const auto address = peer_.address().to_string();
    return peer_.address().is_v6() ? fmt::format("[{}]:{}", address, peer_.port())
                                   : fmt::format("{}:{}", address, peer_.port());
}

std::string& Wire::out() {
    if (!dirty_) {
        dirty_ = true;
        hall_->loop.dirty.push_back(shared_from_this());
    }
    return tls_ ? said_ : out_;
}

// Waiting for readiness, rather than for bytes, lets all connections share one large buffer.
void Wire::await_readable() {
    if (reading_ || ended_ || !socket_) return;
    if (!drain_until_ && is_paused()) waits_ = true;
    if (!drain_until_ && waits_) return;
    const bool is_wanted = speaker_ && speaker_->wants_more(in_.size());
    if (!drain_until_ && !is_wanted) return;
    reading_ = true;
    socket_->async_wait(TcpSocket::wait_read,
                        [self = shared_from_this()](const boost::system::error_code& error) {
                            self->reading_ = false;
                            if (error || !self->socket_) return;
                            self->with_memory([&] { self->on_readable(); });
                        });
}

/// Runs `work`, which takes bytes. If memory runs out, only this connection fails.
template <class Work>
void Wire::with_memory(Work work) {
    try {
        work();
    } catch (const std::bad_alloc&) {
        feeding_ = false;
        ++hall_->counts.out_of_memory;
        std::string{}.swap(in_);
        if (!socket_ || finishing_ || !speaker_) return drop();
        const auto speaker = speaker_;
        speaker->fail_allocation();
        if (socket_) await_readable();
    }
}

void Wire::on_readable() {
    if (waits_ && !drain_until_) return;  // go_on() asks again.
    boost::system::error_code error;
    const auto bytes_max = speaker_ ? std::min(speaker_->read_bytes_max(), hall_->scratch.size())
                                    : hall_->scratch.size();
    const auto count = socket_->read_some(net::buffer(hall_->scratch.data(), bytes_max), error);
    if (error == net::error::would_block) return await_readable();
    if (error == net::error::eof) return on_end();
    if (error) return drop();

    hall_->counts.bytes_in_total += count;
    heard_at_ = hall_->loop.now;
    heard_order_ = ++hall_->reads;
    if (tls_ && !drain_until_) return on_sealed(count);
    if (!drain_until_) feed_new(hall_->scratch.data(), count);
    await_readable();
}

void Wire::on_sealed(std::size_t count) {
    if (!speaker_) return;  // Broken off already.
    auto& opened = hall_->opened;
    opened.clear();
    const bool was_shaking_hands = is_shaking_hands();
    const auto outcome = tls_->take({hall_->scratch.data(), count}, opened, out_);
    out();  // Sends the TLS layer's own bytes.
    if (was_shaking_hands && tls_->is_open()) certificate_ = tls_->certificate();
    if (!opened.empty()) feed_new(opened.data(), opened.size());
    if (!socket_) return;
    if (outcome == TlsSession::Outcome::Broken) return break_off();
    if (outcome == TlsSession::Outcome::Ended) return on_end();
    await_readable();
}

/// TLS is broken: the final alert, which says why, is still sent.
void Wire::break_off() {
    const auto self = shared_from_this();
    said_.clear();
    finish();
    if (const auto speaker = std::exchange(speaker_, nullptr)) speaker->wire_lost();
}

/// Whether a request waits behind the deferred requests. A request for the hub's health never does.
bool Wire::is_put_off(std::string_view bytes) const {
    const auto& loop = hall_->loop;
    const bool is_large = bytes.size() > kPromptBytesMax && !loop.deferred.empty();
    return (is_large || loop.defers_requests()) && !asks_for(bytes, hall_->limits.probe_paths);
}

/// Bytes after the end are read, so that the peer can finish sending, and dropped.
void Wire::feed_new(char* bytes, std::size_t count) {
    if (finishing_) return;
    if (!in_.empty()) {
        in_.append(bytes, count);
        return feed_waiting();
    }
    if (speaker_->is_idle() && is_put_off({bytes, count})) {
        in_.assign(bytes, count);
        count_buffered();
        return yield();
    }
    const auto used = feed(bytes, count);
    if (used < count) in_.assign(bytes + used, count - used);
    count_buffered();
}

void Wire::feed_waiting() {
    if (in_.empty() || finishing_ || !socket_) return;
    const auto used = feed(in_.data(), in_.size());
    in_.erase(0, used);
    release_if_sparse(in_);
    release_if_larger(in_, kIdleBufferBytesMax);
    count_buffered();
}

std::size_t Wire::feed(char* bytes, std::size_t count) {
    std::size_t used = 0;
    feeding_ = true;
    for (;;) {
        const auto speaker = speaker_;  // take() may replace the speaker or drop the wire.
        used += speaker->take(bytes + used, count - used);
        if (finishing_ || doomed_ || !socket_) used = count;
        if (speaker == speaker_ || used == count) break;
    }
    feeding_ = false;
    return used;
}

void Wire::yield() {
    waits_ = true;
    out();  // flush() continues after the turn.
}

/// Called after bytes have left: resumes reading and parsing if the wire was paused.
void Wire::go_on() {
    if (!waits_ || !socket_ || doomed_ || is_paused()) return;
    waits_ = false;
    heard_at_ = std::max(heard_at_, progress_at_);
    resume();
}

void Wire::count_buffered() {
    update_buffered();
    if (hall_->counts.buffered_bytes > hall_->limits.buffered_bytes_max) hall_->close_slowest();
}

void Wire::update_buffered() {
    if (!socket_ || doomed_) return;
    const auto held = speaker_ ? speaker_->held_bytes() : 0;
    const auto waiting = in_.size() + backlog_bytes() + held;
    if (!std::exchange(has_waiting_, waiting > 0)) buffered_since_ = hall_->loop.now;
    const auto now_buffered = waiting + spare_bytes(out_) + spare_bytes(said_);
    auto& all = hall_->counts.buffered_bytes;
    all += now_buffered;
    all -= buffered_;
    buffered_ = now_buffered;
}

bool Wire::is_idle(Duration age_min) const {
    if (!socket_ || doomed_ || finishing_ || waits_ || feed_posted_) return false;
    if (backlog_bytes() > 0 || !speaker_) return false;
    const auto now = hall_->loop.now;
    if (in_.empty() && speaker_->is_idle()) {
        return speaker_->has_served() ? now - heard_at_ >= hall_->limits.silence_before_idle
                                      : now - opened_at_ >= age_min;
    }
    // Who begins a request and does not end it would else keep its place for as long as that may
    // take, and everybody else out.
    return speaker_->is_overdue();
}

/// Whether unread bytes have arrived: the wire then only looks idle.
bool Wire::has_unread() const {
    boost::system::error_code ignored;
    return socket_ && socket_->available(ignored) > 0;
}

void Wire::mark_as_probe() {
    is_probe_ = true;
    ++hall_->probes_open;
}

std::optional<int> Wire::idle_socket() {
    if (!socket_ || tls_ || doomed_ || finishing_ || ended_ || waits_) return std::nullopt;
    const bool is_quiet = in_.empty() && backlog_bytes() == 0 && speaker_ && speaker_->is_idle();
    return is_quiet ? std::optional{socket_->native_handle()} : std::nullopt;
}

void Wire::send_early() {
    const bool is_queued = socket_ && !tls_ && !doomed_ && !writing_ && out_sent_ < out_.size();
    if (!is_queued) return;
    const auto sent = ::send(socket_->native_handle(),
                             out_.data() + out_sent_,
                             out_.size() - out_sent_,
                             MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent <= 0) return;  // flush() finds out why.
    out_sent_ += static_cast<std::size_t>(sent);
    hall_->counts.bytes_out_total += static_cast<std::uint64_t>(sent);
}

void Wire::resume() {
    if (feeding_ || feed_posted_ || waits_) return;
    if (in_.empty() && !ended_) return await_readable();
    // Deferred, because the speaker calls from inside an exchange's answer. Deferred work also runs
    // after the requests of other connections: these bytes were sent ahead of an answer.
    feed_posted_ = true;
    hall_->loop.deferred.push_back(shared_from_this());
}

void Wire::proceed() {
    feed_posted_ = false;
    if (!socket_ || finishing_) return;
    with_memory([&] { feed_waiting(); });
    if (!socket_ || finishing_) return await_readable();
    if (ended_ && !waits_) return speaker_->peer_finished();
    await_readable();
}

void Wire::on_end() {
    ended_ = true;
    if (drain_until_) return drop();
    if (finishing_) return;
    if (waits_) return;  // Earlier requests wait; proceed() notifies the speaker after them.
    const auto speaker = speaker_;
    speaker->peer_finished();
}

void Wire::finish() {
    finishing_ = true;
    if (std::exchange(is_probe_, false)) --hall_->probes_open;  // It has its answer.
    out();
}

void Wire::shed() {
    if (doomed_ || !socket_) return;
    ++hall_->counts.connections_shed;
    drop_soon();
}

void Wire::shed_slow_reader() {
    if (doomed_ || !socket_) return;
    ++hall_->counts.slow_readers_closed;
    shed();
    release_buffers();
}

// A handler must deliver the loss, before the engine's next turn.
void Wire::drop_soon() {
    if (std::exchange(doomed_, true)) return;
    net::post(hall_->loop.io, [self = shared_from_this()] { self->drop(); });
}

/// Frees the bytes of a closing connection at once, not when the last owner of the wire goes. While
/// the speaker takes bytes of in_, in_ stays.
void Wire::release_buffers() {
    hall_->counts.buffered_bytes -= std::exchange(buffered_, 0);
    if (!feeding_) std::string{}.swap(in_);
    std::string{}.swap(said_);
    std::string{}.swap(out_);
    out_sent_ = 0;
}

void Wire::drop() {
    if (!socket_) return;
    const auto self = shared_from_this();
    socket_.reset();
    hall_->forget(*this);
    release_buffers();
    if (const auto speaker = std::exchange(speaker_, nullptr)) speaker->wire_lost();
}

void Wire::abandon() {
    socket_.reset();
    if (const auto speaker = std::exchange(speaker_, nullptr)) speaker->abandon();
}

void Wire::shut_down(std::uint16_t code, const std::string& reason) {
    if (socket_ && !finishing_) speaker_->shut_down(code, reason);
}

void Wire::sweep() {
    const auto now = hall_->loop.now;
    if (doomed_) return drop();  // Posting the drop may have run out of memory.
    if (drain_until_) {
        if (now >= *drain_until_) drop();
        return;
    }
    if (backlog_bytes() > 0 && now - progress_at_ >= hall_->limits.idle_time_max) {
        return shed_slow_reader();
    }
    if (is_shaking_hands() && now - opened_at_ >= hall_->limits.handshake_time_max) return shed();
    release_spare();
    if (!finishing_) speaker_->sweep();
}

/// Frees empty buffers.
void Wire::release_spare() {
    if (spare_bytes(out_) + spare_bytes(said_) == 0) return;
    release_if_larger(out_, kIdleBufferBytesMax);
    release_if_larger(said_, kIdleBufferBytesMax);
    update_buffered();
}

void Wire::flush() {
    dirty_ = false;
    send([this] {
        if (tls_) seal_said();
        if (!writing_) send_queued();
        if (backlog_bytes() > hall_->limits.write_backlog_bytes_max) shed_slow_reader();
    });
}

/// If memory runs out, part of a TLS record may be queued: the peer could not read anything after
/// that part. The sweep then ends the connection, because posting the drop needs memory too.
template <class Work>
void Wire::send(Work work) {
    if (!socket_ || doomed_) return;
    try {
        work();
        count_buffered();
        go_on();
    } catch (const std::bad_alloc&) {
        ++hall_->counts.out_of_memory;
        doomed_ = true;
    }
}

/// Bytes queued before the end of the handshake wait for the handshake.
void Wire::seal_said() {
    if (is_shaking_hands()) return;
    tls_->seal(said_, out_);
    said_.clear();
    release_if_larger(said_, kReadyBufferBytesMax);
    if (finishing_ && !std::exchange(has_said_goodbye_, true)) tls_->say_goodbye(out_);
}

void Wire::send_queued() {
    // Time without progress counts from when there was something to send.
    if (out_sent_ == 0) progress_at_ = hall_->loop.now;
    while (out_sent_ < out_.size()) {
        boost::system::error_code error;
        const auto sent = socket_->write_some(
            net::buffer(out_.data() + out_sent_, out_.size() - out_sent_), error);
        if (error == net::error::would_block) return await_writable();
        if (error) return drop_soon();
        out_sent_ += sent;
        progress_at_ = hall_->loop.now;
        hall_->counts.bytes_out_total += sent;
    }
    after_sent();
}

void Wire::after_sent() {
    out_.clear();
    out_sent_ = 0;
    release_if_larger(out_, kReadyBufferBytesMax);
    if (!finishing_ || drain_until_ || !said_.empty()) return;
    if (ended_) return drop_soon();
    boost::system::error_code ignored;
    socket_->shutdown(TcpSocket::shutdown_send, ignored);
    drain_until_ = hall_->loop.now + kDrainTime;
    await_readable();
}

void Wire::await_writable() {
    // Frees sent bytes: otherwise each of many connections with a few unread bytes of a large
    // answer would keep the whole answer.
    if (out_sent_ > kReadyBufferBytesMax && out_sent_ > out_.size() / 2) {
        out_.erase(0, out_sent_);
        out_sent_ = 0;
        out_.shrink_to_fit();
    }
    writing_ = true;
    socket_->async_wait(TcpSocket::wait_write,
                        [self = shared_from_this()](const boost::system::error_code& error) {
                            self->writing_ = false;
                            if (!error) self->send([&] { self->send_queued(); });
                        });
}

}  // namespace parlance::transport
