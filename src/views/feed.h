// Everything that happened, told again from any sequence: read from the journal, off the hot path.
//
// One thread of its own reads and prints; answers come on that thread. It never reads past what
// the caller says is durable, and checks every record that it passes on.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "journal/journal.h"
#include "model/event.h"

namespace parlance::views {

/// Part of a feed: server-sent events, and the last sequence among them.
struct Passage {
    std::string text;
    Sequence last;
    bool is_end = false;  ///< Nothing more up to the asked sequence.
    std::string flaw{};   ///< Why the record behind the last cannot be read, and where it stands.
};

class Feed {
  public:
    using Told = std::function<void(Result<Passage>)>;

    /// An event as it is shown, if that is not as it was; called on the feed's thread.
    using Edit = std::function<std::optional<std::string>(std::string_view json)>;

    explicit Feed(journal::Disk& disk, Edit edit = {});
    ~Feed();
    Feed(const Feed&) = delete;
    Feed& operator=(const Feed&) = delete;

    /// The next passage of the listener `id`, from `from` (only looked at the first time), at most
    /// about `bytes_max` long.
    void read(std::uint64_t id, Sequence from, Sequence up_to, std::size_t bytes_max, Told told);
    void close(std::uint64_t id);
    /// The events at these sequences, which only grow from call to call of the listener `id`.
    void read_each(std::uint64_t id,
                   std::vector<Sequence> at,
                   std::function<void(Result<std::vector<EventPtr>>)> told);
    /// One event, wherever it stands.
    void read_one(Sequence at, std::function<void(Result<EventPtr>)> told);

  private:
    void run();
    void enqueue(std::function<void()> job);
    Result<std::vector<EventPtr>> next_events(std::uint64_t id, const std::vector<Sequence>& at);
    Result<Passage> next_passage(std::uint64_t id,
                                 Sequence from,
                                 Sequence up_to,
                                 std::size_t bytes_max);

    journal::Disk& disk_;
    Edit edit_;
    std::map<std::uint64_t, journal::Reader> readers_;  ///< Touched by the thread alone.
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> jobs_;
    bool stops_ = false;
    std::thread thread_;
};

}  // namespace parlance::views
