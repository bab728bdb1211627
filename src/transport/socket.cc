#include "transport/socket.h"

#include <limits>
#include <new>
#include <utility>

namespace parlance::transport {
namespace {

/// How long a peer may take to answer the hub's close.
constexpr std::chrono::seconds kCloseTime{2};

}  // namespace

SocketSpeaker::SocketSpeaker(Wire& wire, Request request)
    : wire_{&wire},
      request_{std::move(request)},
      reader_{wire.hall().limits.frame_bytes_max},
      asked_at_{wire.hall().loop.now} {}

void SocketSpeaker::send(std::string frame) {
    if (wire_ == nullptr || closing_ || wire_->is_doomed()) return;
    // A turn may queue many frames for a peer that reads none.
    if (wire_->backlog_bytes() > wire_->hall().limits.write_backlog_bytes_max) {
        return wire_->shed_slow_reader();
    }
    append_frame(wire_->out(), Opcode::Text, frame);
    ++wire_->hall().counts.frames_out_total;
    wire_->count_buffered();
}

void SocketSpeaker::close(std::uint16_t code, std::string reason) {
    if (wire_ != nullptr && !closing_) say_close(code, reason);
}

void SocketSpeaker::shut_down(std::uint16_t code, const std::string& reason) {
    close(code, reason);
}

std::size_t SocketSpeaker::backlog_bytes() const {
    return wire_ == nullptr ? 0 : wire_->backlog_bytes();
}

bool SocketSpeaker::is_paused_and_draining() const {
    if (wire_ == nullptr || !wire_->is_paused()) return false;
    return wire_->hall().loop.now - wire_->alive_at() < wire_->hall().limits.ping_interval;
}

void SocketSpeaker::on_frame(std::function<void(std::string_view)> frame) {
    if (!gone_told_) frame_ = std::move(frame);
}

void SocketSpeaker::on_gone(std::function<void()> gone) {
    if (gone_told_) return gone();  // Too late, but still called once.
    gone_ = std::move(gone);
}

std::size_t SocketSpeaker::take(char* bytes, std::size_t count) {
    std::size_t used = 0;
    std::size_t frames = 0;
    bool more = true;
    bool has_yielded = false;
    while (more && wire_ != nullptr && !has_yielded) {
        const auto piece = reader_.next(bytes + used, count - used);
        used += piece.used;
        if (piece.kind == Piece::Kind::Text) partway_since_.reset();
        more = on_piece(piece);
        if (!more || wire_ == nullptr || used == count) continue;
        has_yielded = ++frames >= wire_->hall().limits.frames_per_turn_max || wire_->is_paused();
    }
    if (has_yielded) wire_->yield();
    const bool is_partway =
        wire_ != nullptr && !has_yielded && (used < count || reader_.is_in_message());
    if (!is_partway) partway_since_.reset();
    if (is_partway && !partway_since_) partway_since_ = wire_->hall().loop.now;
    return used;
}

/// Whether to continue reading.
bool SocketSpeaker::on_piece(const Piece& piece) {
    switch (piece.kind) {
        case Piece::Kind::NeedMore:
            return false;
        case Piece::Kind::Text:
            ++wire_->hall().counts.frames_in_total;
            if (frame_ && !closing_) frame_(piece.payload);
            return true;
        case Piece::Kind::Ping:
            if (!closing_) append_frame(wire_->out(), Opcode::Pong, piece.payload);
            return true;
        case Piece::Kind::Pong:
            return true;
        case Piece::Kind::Close:
        case Piece::Kind::Broken:
            if (!closing_) {
                const bool is_answer = piece.kind == Piece::Kind::Close;
                const auto& doors = wire_->hall().doors;
                if (!is_answer && piece.code == kCloseTooBig && doors.on_too_large) {
                    doors.on_too_large(request(), piece.payload);
                }
                say_close(piece.code, is_answer ? std::string_view{} : piece.payload);
            }
            end();
            return false;
    }
    return false;
}

void SocketSpeaker::say_close(std::uint16_t code, std::string_view reason) {
    closing_ = true;
    asked_at_ = wire_->hall().loop.now;
    append_close(wire_->out(), code, reason);
}

void SocketSpeaker::end() {
    std::exchange(wire_, nullptr)->finish();
    tell_gone();
}

void SocketSpeaker::tell_gone() {
    if (std::exchange(gone_told_, true)) return;
    frame_ = nullptr;  // The callback may hold this very socket.
    if (const auto gone = std::exchange(gone_, nullptr)) gone();
}

bool SocketSpeaker::wants_more(std::size_t) const { return true; }

std::size_t SocketSpeaker::read_bytes_max() const {
    return std::numeric_limits<std::size_t>::max();
}

void SocketSpeaker::fail_allocation() {
    if (wire_ == nullptr) return;
    try {
        if (!closing_) say_close(kCloseTryAgainLater, "the hub is out of memory for this message");
    } catch (const std::bad_alloc&) {
        return wire_->drop();
    }
    end();
}

void SocketSpeaker::peer_finished() {
    if (wire_ != nullptr) wire_->drop();
}

void SocketSpeaker::wire_lost() {
    wire_ = nullptr;
    tell_gone();
}

void SocketSpeaker::abandon() {
    wire_ = nullptr;
    gone_told_ = true;
    frame_ = nullptr;
    gone_ = nullptr;
}

void SocketSpeaker::sweep() {
    const auto now = wire_->hall().loop.now;
    if (closing_) {
        if (now - asked_at_ >= kCloseTime) wire_->drop();
        return;
    }
    if (partway_since_ && now - *partway_since_ >= wire_->hall().limits.body_time_max) {
        return wire_->shed();
    }
    const auto interval = wire_->hall().limits.ping_interval;
    if (wire_->alive_at() > asked_at_) asked_ = false;
    if (now - wire_->alive_at() < interval) return;
    if (!asked_) {
        asked_ = true;
        asked_at_ = now;
        append_frame(wire_->out(), Opcode::Ping, {});
    } else if (now - asked_at_ >= interval) {
        wire_->shed();
    }
}

}  // namespace parlance::transport
