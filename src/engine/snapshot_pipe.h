// Carries the pieces of a snapshot from the hub's thread, which encodes the state, to the
// background, which writes them. Bounded: the hub never holds a second copy of a large state.
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
    /// Pieces that wait for the disk have at most so many bytes, or there is only one of them.
    static constexpr std::size_t kBytesMax = std::size_t{8} << 20;

    using Background = std::function<void(std::function<void()>)>;
    using Done = std::function<void(const Result<void>&)>;

    /// `done` is called once, behind the last piece, by whoever writes it; what it captures is
    /// kept until the writer is gone.
    SnapshotPipe(Background background, std::unique_ptr<journal::SnapshotWriter> writer, Done done)
        : background_(std::move(background)), done_(std::move(done)), writer_(std::move(writer)) {}

    /// False when a piece could not be written: the rest is of no use. While too much waits, the
    /// caller writes the oldest piece itself, or waits for the one that the background is writing.
    /// So it waits for the disk as it does for its own sync, and never for a background that is
    /// busy otherwise, comes later or, as in a simulation, runs on the caller's thread.
    bool put(std::string piece);
    /// No more pieces follow. A snapshot of which not all was taken is given up.
    void finish();

    /// The most that it held at any time, the pieces that were being written included.
    std::size_t bytes_held_max() const { return held_max_; }

  private:
    void wake();
    void drain();
    bool write_one();

    const Background background_;
    const Done done_;

    std::mutex
        writing_;  ///< Held while a piece is taken and written, so that they keep their order.
    std::unique_ptr<journal::SnapshotWriter> writer_;
    Result<void> written_{};
    std::atomic<bool> has_failed_{false};

    std::mutex mutex_;  ///< Of what follows.
    std::deque<std::string> waiting_;
    bool is_finished_ = false;  ///< Nothing follows what waits.
    bool is_done_ = false;
    bool is_awake_ = false;  ///< A job of the background will look, or is looking, at what waits.
    std::size_t held_ = 0;
    std::size_t held_max_ = 0;
};

}  // namespace parlance::engine
