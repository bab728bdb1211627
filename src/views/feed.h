// The feed of all events from any sequence on, read from the journal off the hot path.
//
// The feed's own thread reads, prints and answers. The thread never reads past the sequence that
// the caller declares durable, and checks every record. For each listener the feed keeps a position
// in the journal; only the most recently served listeners have open files.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
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

using journal::Damage;

/// Part of a feed: server-sent events, and the sequence of the last event.
struct Passage {
    std::string text;
    Sequence last;
    bool is_end = false;  ///< No more events up to the requested sequence.
    /// Unreadable records after `last`; the next passage continues after them.
    std::optional<Damage> damage{};
};

class Feed {
  public:
    /// Bound on listeners with an open file. Each file takes a descriptor and a megabyte.
    static constexpr std::size_t kReadersMax = 8;

    using Told = std::function<void(Result<Passage>)>;

    /// Returns an event's JSON as it may be shown, if different; called on the feed's thread.
    using Edit = std::function<std::optional<std::string>(std::string_view json)>;

    explicit Feed(journal::Disk& disk, Edit edit = {});
    ~Feed();
    Feed(const Feed&) = delete;
    Feed& operator=(const Feed&) = delete;

    /// Reads the next passage for listener `id`, about `bytes_max` long at most. `from` counts only
    /// in the listener's first call.
    void read(std::uint64_t id, Sequence from, Sequence up_to, std::size_t bytes_max, Told told);
    void close(std::uint64_t id);
    /// Reads the events at these sequences, which must ascend across calls of listener `id`.
    void read_each(std::uint64_t id,
                   std::vector<Sequence> at,
                   std::function<void(Result<std::vector<EventPtr>>)> told);
    /// Reads the event at one sequence.
    void read_one(Sequence at, std::function<void(Result<EventPtr>)> told);

  private:
    /// A listener's position.
    struct Spot {
        journal::Place place{};  ///< A batch at or before `next`; empty: nothing read yet.
        Sequence next{};
    };
    struct OpenReader {
        std::uint64_t id = 0;
        journal::Reader reader;
    };
    /// The last passage read, kept for other listeners that want the same passage, as all live
    /// listeners do.
    struct LastPassage {
        Sequence from{};
        Sequence up_to{};
        std::size_t bytes_max = 0;
        Passage passage{};
        Spot after{};
    };

    void run();
    void enqueue(std::function<void()> job);
    Spot& spot_of(std::uint64_t id, Sequence from);
    Result<journal::Reader*> reader_of(std::uint64_t id, const Spot& spot);
    void note_place(Spot& spot, const journal::Reader& reader);
    void drop_reader(std::uint64_t id);
    Result<Passage> read_passage(journal::Reader& reader,
                                 Spot& spot,
                                 Sequence up_to,
                                 std::size_t bytes_max);
    Result<std::vector<EventPtr>> next_events(std::uint64_t id, const std::vector<Sequence>& at);
    Result<Passage> next_passage(std::uint64_t id,
                                 Sequence from,
                                 Sequence up_to,
                                 std::size_t bytes_max);

    journal::Disk& disk_;
    Edit edit_;
    // Used by the thread only.
    std::map<std::uint64_t, Spot> spots_;
    std::list<OpenReader> readers_;  ///< At most kReadersMax; most recently used first.
    journal::Place newest_place_{};  ///< The furthest position of any listener.
    LastPassage last_passage_{};

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> jobs_;
    bool stops_ = false;
    std::thread thread_;
};

}  // namespace parlance::views
