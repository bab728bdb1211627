#include "views/bookkeeper.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace parlance::views {

namespace {

/// Records folded between two commits, and between two checks for waiting reads.
constexpr int kBatchRecords = 4096;
/// The hub's threads get the core first.
constexpr int kNiceness = 10;

/// An unreadable journal is no damage of the ledger: the ledger file is kept.
template <class T>
Result<T> of_the_journal(Result<T> result) {
    if (!result) result.error().fault = Fault::Unavailable;
    return result;
}

}  // namespace

bool gives_way(const Pace& pace, const BookkeeperOptions& options) {
    const bool is_busy = pace.durable - pace.looked >= options.busy_records;
    const bool lags = pace.durable - pace.folded >= options.lag_max;
    return is_busy && !lags && !pace.is_asked;
}

std::uint64_t LedgerStatus::missing_records() const {
    std::uint64_t records = 0;
    for (const auto& damage : missing) records += journal::records_in(damage);
    return records;
}

Bookkeeper::Bookkeeper(journal::Disk& disk, BookkeeperOptions options)
    : disk_(disk), options_(std::move(options)), thread_([this] { run(); }) {}

Bookkeeper::~Bookkeeper() {
    {
        const std::lock_guard lock{mutex_};
        stops_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

LedgerStatus Bookkeeper::status() const {
    const std::lock_guard lock{mutex_};
    return status_;
}

void Bookkeeper::ask(Sequence current_at, Look look) {
    {
        const std::lock_guard lock{mutex_};
        pending_reads_.push_back({current_at, std::move(look)});
        has_news_ = true;
    }
    wake_.notify_one();
}

void Bookkeeper::run() {
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNiceness);  // Of this thread.
    bool was_thrown_away = false;
    std::unique_lock lock{mutex_};
    while (!stops_) {
        has_news_ = false;
        const bool waits = gives_way({.looked = looked_,
                                      .durable = durable_.load(std::memory_order_relaxed),
                                      .folded = status_.folded.value,
                                      .is_asked = !pending_reads_.empty()},
                                     options_);
        lock.unlock();
        const auto folded = waits ? Result<bool>{false} : fold_some();
        if (!folded) recover(folded.error());
        if (folded) answer_due();
        lock.lock();
        // A removed ledger is rebuilt at once; if the rebuild also fails, after a pause.
        const bool is_thrown_away = !folded && folded.error().fault == Fault::Corrupt;
        const bool goes_on = folded ? *folded : is_thrown_away && !was_thrown_away;
        was_thrown_away = is_thrown_away;
        if (goes_on) continue;
        const auto pause = folded ? options_.look_pause : options_.retry_pause;
        looked_ = durable_.load(std::memory_order_relaxed);
        wake_.wait_for(lock, pause, [this] { return stops_ || has_news_; });
    }
    lock.unlock();
    if (ledger_) (void)ledger_->commit(true);
}

/// Folds one batch; true if records are left.
Result<bool> Bookkeeper::fold_some() {
    const Sequence durable{durable_.load(std::memory_order_relaxed)};
    if (durable == Sequence{}) return false;
    if (ledger_ && !std::filesystem::exists(options_.path)) {
        return fail(Fault::Corrupt, "somebody removed it");
    }
    if (!ledger_) TRY(open(durable));
    bool is_end = false;
    for (int i = 0; (i < kBatchRecords || ledger_->is_between()) && !is_end; ++i) {
        is_end = !TRY(fold_next(durable));
    }
    ledger_->traces().note(reader_->place());
    TRY(ledger_->commit());
    const std::lock_guard lock{mutex_};
    status_.folded = ledger_->checkpoint().sequence;
    status_.problem.clear();
    if (status_.missing.size() != ledger_->missing().all().size()) {
        status_.missing = ledger_->missing().all();
    }
    return !is_end;
}

/// Folds the next record, or skips unreadable records; false if no durable record is left.
Result<bool> Bookkeeper::fold_next(Sequence durable) {
    journal::Record record;
    auto is_there = reader_->next(record, durable);
    if (is_there) {
        if (*is_there) TRY(ledger_->fold(record));
        return *is_there;
    }
    if (is_there.error().fault != Fault::Corrupt) return of_the_journal(std::move(is_there));
    TRY(ledger_->skip(reader_->damage()));
    options_.log(options_.path + " leaves out what cannot be read: " + is_there.error().message);
    return true;
}

Result<void> Bookkeeper::open(Sequence durable) {
    ledger_.emplace(TRY(Ledger::open(options_.path, options_.harmless)));
    if (!TRY(is_of_this_journal(durable))) {
        return fail(Fault::Corrupt, "it was written from another journal");
    }
    return check_missing();
}

/// Fails with Corrupt if a record that the ledger lacks can be read again.
Result<void> Bookkeeper::check_missing() {
    for (const auto& damage : ledger_->missing().all()) {
        auto reader = TRY(of_the_journal(journal::Reader::open(disk_, damage.first)));
        journal::Record record;
        auto is_there = reader.next(record, damage.last);
        while (!is_there && is_there.error().fault == Fault::Corrupt) {
            is_there = reader.next(record, damage.last);
        }
        if (!is_there) return tl::unexpected(of_the_journal(std::move(is_there)).error());
        if (!*is_there) continue;
        return fail(Fault::Corrupt,
                    "record " + std::to_string(record.sequence.value) +
                        ", which it lacks, can be read again");
    }
    return {};
}

/// Also moves the reader behind the ledger's checkpoint.
Result<bool> Bookkeeper::is_of_this_journal(Sequence durable) {
    const auto& last = ledger_->checkpoint();
    if (last.sequence > durable) return false;
    const Sequence from{std::max<std::uint64_t>(last.sequence.value, 1)};
    reader_.emplace(TRY(of_the_journal(journal::Reader::open(disk_, from))));
    if (last.sequence == Sequence{}) return true;
    journal::Record record;
    auto is_there = reader_->next(record, durable);
    const bool is_unread = !is_there && is_there.error().fault == Fault::Corrupt;
    if (is_unread || last.mark == kUnreadMark) {
        // The checkpoint's record cannot be read or compared. The records after the checkpoint are
        // read or skipped as usual.
        const Sequence next{last.sequence.value + 1};
        reader_.emplace(TRY(of_the_journal(journal::Reader::open(disk_, next))));
        return true;
    }
    return TRY(of_the_journal(std::move(is_there))) && mark_of(record) == last.mark;
}

/// A damaged ledger is removed and rebuilt; any other failure is retried.
void Bookkeeper::recover(const Error& error) {
    ledger_.reset();
    reader_.reset();
    const bool is_lost = error.fault == Fault::Corrupt;
    if (is_lost) Ledger::remove(options_.path);
    const auto line = options_.path + ": " + error.message +
                      (is_lost ? "; it is written anew from the journal"
                               : "; the hub serves on, and it is tried again");
    bool is_news = false;
    std::deque<PendingRead> unanswered;
    {
        const std::lock_guard lock{mutex_};
        is_news = status_.problem != line;
        status_.problem = line;
        if (is_lost) {
            ++status_.rebuilds;
            status_.folded = {};
            status_.missing.clear();
        } else {
            ++status_.failures;
            unanswered.swap(pending_reads_);
        }
    }
    if (is_news) options_.log(line);
    for (const auto& pending_read : unanswered) {
        pending_read.look(fail(Fault::Unavailable, line));
    }
}

void Bookkeeper::answer_due() {
    if (!ledger_) return;  // Nothing is durable yet.
    std::vector<PendingRead> due;
    {
        const std::lock_guard lock{mutex_};
        std::erase_if(pending_reads_, [&](PendingRead& pending_read) {
            const bool is_due = pending_read.current_at <= status_.folded;
            if (is_due) due.push_back(std::move(pending_read));
            return is_due;
        });
    }
    for (const auto& pending_read : due) {
        pending_read.look(ViewSources{*ledger_, disk_, ledger_->checkpoint().sequence});
    }
}

}  // namespace parlance::views
