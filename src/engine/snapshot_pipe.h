// Carries the pieces of a snapshot from the hub's thread, which encodes the state, to the
// background, which writes them. The pipe is bounded: the hub never holds a second copy of a large
// state.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "journal/journal.h"

namespace parlance::engine {

class SnapshotPipe : public std::enable_shared_from_this<SnapshotPipe> {
  public:
    /// Bound in bytes on pieces that wait for the disk; a single piece may be larger.
    static constexpr std::size_t kBytesMax = std::size_t{8} << 20;

    using Background = std::function<void(std::function<void()>)>;
    using Done = std::function<void(const Result<void>&)>;

    /// The writer calls `done` once, after the last piece; the captures of `done` live as long as
    /// the writer.
    SnapshotPipe(Background background, std::unique_ptr<journal::SnapshotWriter> writer, Done done)
        : background_(std::move(background)), done_(std::move(done)), writer_(std::move(writer)) {}

    /// False when a piece could not be written: further pieces are useless. While the bound is
    /// exceeded, the caller writes the oldest piece itself, or waits for the piece that the
    /// background is writing. So the caller waits for the disk, as for its own sync, and never for
    /// a background that is busy, late or, as in a simulation, runs on the caller's thread.
    bool put(std::string piece);
    /// No more pieces follow. An incomplete snapshot is discarded.
    void finish();

    /// The peak of bytes held, including pieces being written.
    std::size_t bytes_held_max() const { return held_max_; }

  private:
    void wake();
    void drain();
    bool write_one();

    const Background background_;
    const Done done_;

    std::mutex writing_;  ///< Held while a piece is taken and written, which keeps pieces in order.
    std::unique_ptr<journal::SnapshotWriter> writer_;
    Result<void> written_{};
    std::atomic<bool> has_failed_{false};

    std::mutex mutex_;  ///< Guards the members below.
    std::deque<std::string> waiting_;
    bool is_finished_ = false;  ///< finish() was called: waiting_ gets no more pieces.
    bool is_done_ = false;
    bool is_awake_ = false;  ///< A background job is scheduled for, or working on, waiting_.
    std::size_t held_ = 0;
    std::size_t held_max_ = 0;
};

}  // namespace parlance::engine
