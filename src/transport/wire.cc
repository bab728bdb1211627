#include "transport/wire.h"

#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

namespace parlance::transport {
namespace {

/// How long a closed connection is still read, so that a reset does not overtake our last words.
constexpr std::chrono::seconds kDrainTime{2};
/// Empty buffers up to this size are kept; larger ones go back when the connection falls silent.
constexpr std::size_t kIdleBufferBytesMax = 1024;
constexpr std::size_t kCompactBytes = std::size_t{1} << 20;

void release_if_idle(std::string& buffer) {
    if (buffer.empty() && buffer.capacity() > kIdleBufferBytesMax) std::string{}.swap(buffer);
}

}  // namespace

Response Hall::refusal(int status, std::string_view what) const {
    if (doors.on_refused) return doors.on_refused(status, what);
    return {
        .status = status, .content_type = "text/plain", .headers = {}, .body = std::string{what}};
}

void Hall::admit(const std::shared_ptr<Wire>& wire) {
    wire->index_ = wires.size();
    wires.push_back(wire);
    ++wires_per_peer[wire->peer_address()];
    ++counts.connections_open;
    ++counts.connections_total;
}

void Hall::forget(Wire& wire) {
    const auto peer = wires_per_peer.find(wire.peer_address());
    if (--peer->second == 0) wires_per_peer.erase(peer);
    const auto index = wire.index_;
    wires[index].swap(wires.back());
    wires[index]->index_ = index;
    wires.pop_back();
    --counts.connections_open;
}

Wire::Wire(std::shared_ptr<Hall> hall, TcpSocket socket, net::ip::tcp::endpoint peer)
    : hall_{std::move(hall)},
      socket_{std::move(socket)},
      peer_{std::move(peer)},
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
    const bool is_wanted = speaker_ && speaker_->wants_more(in_.size());
    if (!drain_until_ && !is_wanted) return;
    reading_ = true;
    socket_->async_wait(TcpSocket::wait_read,
                        [self = shared_from_this()](const boost::system::error_code& error) {
                            self->reading_ = false;
                            if (!error && self->socket_) self->on_readable();
                        });
}

void Wire::on_readable() {
    boost::system::error_code error;
    const auto count = socket_->read_some(net::buffer(hall_->scratch), error);
    if (error == net::error::would_block) return await_readable();
    if (error == net::error::eof) return on_end();
    if (error) return drop();

    hall_->counts.bytes_in_total += count;
    heard_at_ = hall_->loop.now;
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
    out();  // What TLS itself has to say goes with the rest.
    if (was_shaking_hands && tls_->is_open()) certificate_ = tls_->certificate();
    if (!opened.empty()) feed_new(opened.data(), opened.size());
    if (!socket_) return;
    if (outcome == TlsSession::Outcome::Broken) return break_off();
    if (outcome == TlsSession::Outcome::Ended) return on_end();
    await_readable();
}

/// TLS is broken: its last word, which says why, still goes out.
void Wire::break_off() {
    const auto self = shared_from_this();
    said_.clear();
    finish();
    if (const auto speaker = std::exchange(speaker_, nullptr)) speaker->wire_lost();
}

/// What comes behind the end is read, so that the peer can finish sending, and goes to nobody.
void Wire::feed_new(char* bytes, std::size_t count) {
    if (finishing_) return;
    if (!in_.empty()) {
        in_.append(bytes, count);
        return feed_waiting();
    }
    const auto used = feed(bytes, count);
    if (used < count) in_.assign(bytes + used, count - used);
}

void Wire::feed_waiting() {
    if (in_.empty() || finishing_ || !socket_) return;
    in_.erase(0, feed(in_.data(), in_.size()));
}

std::size_t Wire::feed(char* bytes, std::size_t count) {
    std::size_t used = 0;
    feeding_ = true;
    for (;;) {
        const auto speaker = speaker_;  // It may be replaced, or the wire dropped, inside.
        used += speaker->take(bytes + used, count - used);
        if (finishing_ || !socket_) used = count;
        if (speaker == speaker_ || used == count) break;
    }
    feeding_ = false;
    return used;
}

void Wire::resume() {
    if (feeding_ || feed_posted_) return;
    if (in_.empty() && !ended_) return await_readable();
    // In a turn of its own: the speaker calls from inside someone's answer.
    feed_posted_ = true;
    net::post(hall_->loop.io, [self = shared_from_this()] {
        self->feed_posted_ = false;
        if (!self->socket_ || self->finishing_) return;
        self->feed_waiting();
        if (!self->socket_ || self->finishing_) return self->await_readable();
        if (self->ended_) return self->speaker_->peer_finished();
        self->await_readable();
    });
}

void Wire::on_end() {
    ended_ = true;
    if (drain_until_) return drop();
    if (finishing_) return;
    const auto speaker = speaker_;
    speaker->peer_finished();
}

void Wire::finish() {
    finishing_ = true;
    out();
}

void Wire::shed() {
    if (doomed_ || !socket_) return;
    ++hall_->counts.connections_shed;
    drop_soon();
}

// Whoever is told of the loss must hear it in a handler, before the engine's next turn.
void Wire::drop_soon() {
    if (std::exchange(doomed_, true)) return;
    net::post(hall_->loop.io, [self = shared_from_this()] { self->drop(); });
}

void Wire::drop() {
    if (!socket_) return;
    const auto self = shared_from_this();
    socket_.reset();
    hall_->forget(*this);
    in_.clear();
    said_.clear();
    out_.clear();
    out_sent_ = 0;
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
    if (drain_until_) {
        if (now >= *drain_until_) drop();
        return;
    }
    if (backlog_bytes() > 0 && now - progress_at_ >= hall_->limits.idle_time_max) return shed();
    if (is_shaking_hands() && now - opened_at_ >= hall_->limits.handshake_time_max) return shed();
    release_if_idle(in_);
    release_if_idle(out_);
    release_if_idle(said_);
    if (!finishing_) speaker_->sweep();
}

void Wire::flush() {
    dirty_ = false;
    if (!socket_ || doomed_) return;
    if (tls_) seal_said();
    if (!writing_) send_queued();
    if (backlog_bytes() > hall_->limits.write_backlog_bytes_max) shed();
}

/// What was said before hands are shaken waits for that.
void Wire::seal_said() {
    if (is_shaking_hands()) return;
    tls_->seal(said_, out_);
    said_.clear();
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
    if (!finishing_ || drain_until_ || !said_.empty()) return;
    if (ended_) return drop_soon();
    boost::system::error_code ignored;
    socket_->shutdown(TcpSocket::shutdown_send, ignored);
    drain_until_ = hall_->loop.now + kDrainTime;
    await_readable();
}

void Wire::await_writable() {
    if (out_sent_ > kCompactBytes && out_sent_ > out_.size() / 2) {
        out_.erase(0, out_sent_);
        out_sent_ = 0;
    }
    writing_ = true;
    socket_->async_wait(TcpSocket::wait_write,
                        [self = shared_from_this()](const boost::system::error_code& error) {
                            self->writing_ = false;
                            if (!error && self->socket_ && !self->doomed_) self->send_queued();
                        });
}

}  // namespace parlance::transport
