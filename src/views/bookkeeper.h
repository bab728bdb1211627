// Keeps the ledger: follows the journal on a thread of its own and folds what is durable into it.
//
// The hub never waits for it. It is told how far the journal is by one number, and looks by itself.
// What goes wrong with the ledger (a full disk, a damaged file) is said and tried again; the hub
// serves on. Records that cannot be read are left out and noted in the ledger; when they can be
// read again, after a repair, it is written anew.
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
    /// What the log may show of an objective or a reason.
    Harmless harmless = [](std::string_view text, std::string_view) { return std::string{text}; };
    std::function<void(const std::string& line)> log = [](const std::string&) {};
    Duration look_pause{25};  ///< Between two looks at how far the journal is.
    Duration retry_pause{std::chrono::seconds{1}};  ///< After something went wrong.
    /// A hub that wrote so many records since the last look has the machine for itself, until
    /// somebody asks or the ledger lags by `lag_max`: a few seconds of its work. A hub at its limit
    /// over HTTP writes some 1,500.
    std::uint64_t busy_records = 1'000;
    std::uint64_t lag_max = 2'000'000;
};

/// Where the hub and the ledger stand when the keeper looks.
struct Pace {
    std::uint64_t looked = 0;   ///< How far the journal was at the last look.
    std::uint64_t durable = 0;  ///< How far it is now.
    std::uint64_t folded = 0;
    bool is_asked = false;  ///< Whether anybody waits for the ledger.
};

/// Whether records are left for later. Rows can be written when the hub has less to do; until then
/// it is not to share its cores, its caches and its disk.
bool gives_way(const Pace& pace, const BookkeeperOptions& options);

/// How the ledger is. It lags by what the journal has beyond `folded`.
struct LedgerStatus {
    Sequence folded{};
    std::uint64_t rebuilds = 0;
    std::uint64_t failures = 0;
    std::string problem{};                   ///< Empty: it follows.
    std::vector<journal::Damage> missing{};  ///< What it left out, because it cannot be read.

    std::uint64_t missing_records() const;
};

/// What a question may look into, on the keeper's thread.
struct Books {
    Ledger& ledger;
    journal::Disk& disk;
    Sequence folded{};  ///< All of the journal up to here is in the ledger.
};

class Bookkeeper {
  public:
    /// Called once: with the books, or with why there are none.
    using Look = std::function<void(Result<Books>)>;

    Bookkeeper(journal::Disk& disk, BookkeeperOptions options);
    ~Bookkeeper();
    Bookkeeper(const Bookkeeper&) = delete;
    Bookkeeper& operator=(const Bookkeeper&) = delete;

    /// The journal is durable up to here. For any thread; costs one store.
    void follow(Sequence durable) { durable_.store(durable.value, std::memory_order_relaxed); }
    LedgerStatus status() const;
    /// Answered on the keeper's thread, once the ledger has got as far as `current_at`.
    void ask(Sequence current_at, Look look);

  private:
    struct Question {
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
    std::optional<Ledger> ledger_;  ///< These three are the thread's alone.
    std::optional<journal::Reader> reader_;
    std::uint64_t looked_ = 0;  ///< How far the journal was at the last look.
    std::atomic<std::uint64_t> durable_{0};

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    LedgerStatus status_;
    std::deque<Question> questions_;
    bool has_news_ = false;
    bool stops_ = false;
    std::thread thread_;
};

}  // namespace parlance::views
