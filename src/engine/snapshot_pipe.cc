#include "engine/snapshot_pipe.h"

#include <algorithm>
#include <utility>

namespace parlance::engine {

bool SnapshotPipe::put(std::string piece) {
    if (has_failed_) return false;
    const auto is_too_much = [this] {
        const std::lock_guard lock{mutex_};
        return held_ > kBytesMax && !waiting_.empty();
    };
    {
        const std::lock_guard lock{mutex_};
        held_ += piece.size();
        held_max_ = std::max(held_max_, held_);
        waiting_.push_back(std::move(piece));
    }
    wake();
    while (is_too_much()) write_one();
    return !has_failed_;
}

void SnapshotPipe::finish() {
    {
        const std::lock_guard lock{mutex_};
        is_finished_ = true;
    }
    wake();
}

void SnapshotPipe::wake() {
    {
        const std::lock_guard lock{mutex_};
        if (std::exchange(is_awake_, true)) return;
    }
    background_([self = shared_from_this()] { self->drain(); });
}

void SnapshotPipe::drain() {
    while (write_one()) {
    }
}

/// Writes the oldest piece, or finishes the snapshot after the last piece. False if there is no
/// work for now.
bool SnapshotPipe::write_one() {
    const std::lock_guard writing{writing_};
    std::string piece;
    {
        const std::lock_guard lock{mutex_};
        const bool is_last = waiting_.empty() && is_finished_ && !is_done_;
        if (waiting_.empty() && !is_last) {
            is_awake_ = false;
            return false;
        }
        is_done_ = is_last;
        if (!is_last) {
            piece = std::move(waiting_.front());
            waiting_.pop_front();
        }
    }
    if (is_done_) {
        if (written_) written_ = writer_->finish();
        done_(written_);
        return true;
    }
    if (written_) written_ = writer_->add(piece);
    if (!written_) has_failed_ = true;
    const auto bytes = piece.size();
    piece = {};
    const std::lock_guard lock{mutex_};
    held_ -= bytes;
    return true;
}

}  // namespace parlance::engine
