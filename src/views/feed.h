// Everything that happened, told again from any sequence: read from the journal, off the hot path.
//
// One thread of its own reads and prints; answers come on that thread. It never reads past what
// the caller says is durable, and checks every record that it passes on. Of a listener it keeps the
// place in the journal; files are open for the few listeners that were read for last.
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

/// Part of a feed: server-sent events, and the last sequence among them.
struct Passage {
    std::string text;
    Sequence last;
    bool is_end = false;  ///< Nothing more up to the asked sequence.
    /// The records behind the last that cannot be read; the next passage goes on behind these.
    std::optional<Damage> damage{};
};

class Feed {
  public:
    /// How many listeners have a file open at a time. Each takes a descriptor and a megabyte.
    static constexpr std::size_t kReadersMax = 8;

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
    /// Where a listener goes on.
    struct Spot {
        journal::Place place{};  ///< Of a batch at or before the next record; none: not read yet.
        Sequence next{};
    };
    struct OpenReader {
        std::uint64_t id = 0;
        journal::Reader reader;
    };
    /// The passage that was read last, for the listeners that want the same one: all that follow
    /// live do.
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
    // Touched by the thread alone.
    std::map<std::uint64_t, Spot> spots_;
    std::list<OpenReader> readers_;  ///< At most kReadersMax; the one used last is the first.
    journal::Place newest_place_{};  ///< The furthest that any listener has come to.
    LastPassage last_passage_{};

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> jobs_;
    bool stops_ = false;
    std::thread thread_;
};

}  // namespace parlance::views
