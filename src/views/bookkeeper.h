// Keeps the ledger: a thread follows the journal and folds durable records into the ledger.
//
// The hub never waits for the ledger: the hub publishes its last durable sequence as one number,
// and the thread polls. Failures of the ledger (a full disk, a damaged file) are logged and retried
// while the hub serves on. Unreadable records are left out and noted in the ledger; when they
// become readable again, after a repair, the ledger is rebuilt.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "journal/journal.h"
#include "views/ledger.h"

namespace parlance::views {

struct BookkeeperOptions {
    std::string path;
    /// Reduces an objective or a reason to the text that the ledger may show.
    Harmless harmless = [](std::string_view text, std::string_view) { return std::string{text}; };
    std::function<void(const std::string& line)> log = [](const std::string&) {};
    Duration look_pause{25};  ///< Pause between two checks of the journal's end.
    Duration retry_pause{std::chrono::seconds{1}};  ///< Pause after a failure.
    /// A hub that wrote this many records since the last check has the machine for itself, until a
    /// read waits or the ledger lags by `lag_max` records, a few seconds of work. A hub at its
    /// limit over HTTP writes about 1,500 records per check.
    std::uint64_t busy_records = 1'000;
    std::uint64_t lag_max = 2'000'000;
};

/// Positions of hub and ledger at a check.
struct Pace {
    std::uint64_t looked = 0;   ///< The journal's end at the last check.
    std::uint64_t durable = 0;  ///< The journal's end now.
    std::uint64_t folded = 0;
    bool is_asked = false;  ///< Whether a read waits for the ledger.
};

/// Whether to postpone folding. Rows can be written when the hub has less to do; a busy hub should
/// not share its cores, caches and disk.
bool gives_way(const Pace& pace, const BookkeeperOptions& options);

/// State of the ledger. The ledger lags by the journal's records after `folded`.
struct LedgerStatus {
    Sequence folded{};
    std::uint64_t rebuilds = 0;
    std::uint64_t failures = 0;
    std::string problem{};                   ///< Empty: no failure.
    std::vector<journal::Damage> missing{};  ///< Records left out because they cannot be read.

    std::uint64_t missing_records() const;
};

/// The sources that a read may use, on the keeper's thread.
struct ViewSources {
    Ledger& ledger;
    journal::Disk& disk;
    Sequence folded{};  ///< The ledger holds all records up to here.
};

class Bookkeeper {
  public:
    /// Called once: with the sources, or with the reason for their absence.
    using Look = std::function<void(Result<ViewSources>)>;

    Bookkeeper(journal::Disk& disk, BookkeeperOptions options);
    ~Bookkeeper();
    Bookkeeper(const Bookkeeper&) = delete;
    Bookkeeper& operator=(const Bookkeeper&) = delete;

    /// Announces the last durable sequence. Callable from any thread; costs one store.
    void follow(Sequence durable) { durable_.store(durable.value, std::memory_order_relaxed); }
    LedgerStatus status() const;
    /// Calls `look` on the keeper's thread, once the ledger has reached `current_at`.
    void ask(Sequence current_at, Look look);

  private:
    struct PendingRead {
        Sequence current_at;
        Look look;
    };

    void run();
    Result<bool> fold_some();
    Result<void> open(Sequence durable);
    Result<bool> fold_next(Sequence durable);
    Result<bool> is_of_this_journal(Sequence durable);
    Result<void> check_missing();
    void recover(const Error& error);
    void answer_due();

    journal::Disk& disk_;
    BookkeeperOptions options_;
    std::optional<Ledger> ledger_;  ///< Used by the thread only, like the next two.
    std::optional<journal::Reader> reader_;
    std::uint64_t looked_ = 0;  ///< The journal's end at the last check.
    std::atomic<std::uint64_t> durable_{0};

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    LedgerStatus status_;
    std::deque<PendingRead> pending_reads_;
    bool has_news_ = false;
    bool stops_ = false;
    std::thread thread_;
};

}  // namespace parlance::views
