#include <map>
#include <optional>

#include <fmt/format.h>

#include "journal/format.h"
#include "journal/high_water.h"
#include "journal/journal.h"
#include "journal/segments.h"
#include "journal/snapshots.h"
#include "journal/tail.h"
#include "journal/walk.h"

namespace parlance::journal {

namespace {

using Progress = std::function<void(std::uint64_t, std::uint64_t)>;

class Verifier {
  public:
    Verifier(Disk& disk, const Progress& progress, Sequence viewed)
        : disk_(disk), progress_(progress), viewed_(viewed) {}

    Result<void> run() {
        // The mark is read first: if a hub is writing, the segments can only be further than the
        // mark.
        check_ = MarkCheck{TRY(read_high_water(disk_))};
        const auto evidence = TRY(gather_evidence(disk_, viewed_));
        TRY(load_snapshots(evidence.names));
        auto listing = list_segments(disk_, evidence.names, evidence.short_first());
        const bool goes_on = !listing.problem || listing.problem->fault == Fault::Corrupt;
        verification.gaps = gaps_of(listing.segments);
        const auto origin = TRY(origin_of(disk_, listing.segments));
        if (goes_on && !listing.segments.empty()) TRY(walk_all(std::move(listing.segments)));
        if (listing.problem) return tl::unexpected(*listing.problem);
        TRY(look_for_loss(evidence, origin));
        if (snapshots_.empty()) {
            verification.is_journal_whole = true;
            if (snapshot_problem_) return tl::unexpected(*snapshot_problem_);
            return {};
        }
        return fail(Fault::Corrupt,
                    fmt::format("{} is there, but no batch ends with its record",
                                snapshot_name(snapshots_.begin()->first)));
    }

    Verification verification;

  private:
    Result<void> load_snapshots(const std::vector<std::string>& names) {
        for (const auto sequence : list_snapshots(names)) {
            auto stored = check_snapshot(disk_, sequence);
            if (stored) {
                snapshots_.emplace(sequence, stored->chain);
            } else if (stored.error().fault == Fault::NotFound) {
                continue;  // A hub that is writing has removed it for a newer one.
            } else if (stored.error().fault != Fault::Corrupt) {
                return tl::unexpected(stored.error());
            } else if (!snapshot_problem_) {
                snapshot_problem_ = stored.error();  // The journal may be whole nonetheless.
            }
        }
        return {};
    }

    Result<void> look_for_loss(const Evidence& evidence, const Chain& origin) {
        const bool is_foreign = check_.is_foreign(last_, origin);
        const bool was_served = check_.stored().is_there || verification.segments > 0;
        if (was_served) verification.mark_note = check_.note(last_, origin);
        verification.lost =
            find_lost_tail(last_, evidence, is_foreign ? std::nullopt : check_.stored().mark);
        if (!verification.lost) return {};
        return fail(Fault::Corrupt, describe(*verification.lost));
    }

    Result<void> walk_all(std::vector<Segment> segments) {
        for (const auto& segment : segments) all_bytes_ += segment.head.bytes;
        verification.segments = segments.size();
        auto walk = TRY(Walk::start(disk_, std::move(segments), 0));
        at_ = {walk.segment().name, walk.offset()};
        check_.pass(walk.last(), walk.chain());
        TRY(take_snapshot(walk));
        TRY(walk_to_tail(walk, [&] { return take_batch(walk); }));
        // If the walk ends in an empty segment, the records before may be an accepted loss.
        check_.pass(walk.last(), walk.chain());
        last_ = walk.last();
        if (progress_) progress_(all_bytes_, all_bytes_);
        return {};
    }

    Result<void> take_batch(const Walk& walk) {
        if (walk.segment().name != at_.segment) TRY(leave_segment());
        at_ = {walk.segment().name, walk.offset()};
        ++verification.batches;
        verification.records += walk.head().count;
        // A mark may stand at the end of an accepted loss, where no batch ends.
        check_.pass({walk.head().first.value - 1}, verification.chain);
        verification.last = walk.last();
        verification.chain = walk.chain();
        check_.pass(walk.last(), walk.chain());
        tell_progress();
        return take_snapshot(walk);
    }

    /// The bytes after the last batch of a segment must be zeros.
    Result<void> leave_segment() {
        const auto window = TRY(Window::open(disk_, at_.segment));
        done_bytes_ += window->file_bytes();
        const auto end = TRY(end_of_writing(*window, at_.offset));
        if (end == at_.offset) return {};
        if (const auto why = window->unreadable(at_.offset, end - at_.offset); !why.empty()) {
            return fail(Fault::Corrupt, fmt::format("{}:{}: {}", at_.segment, at_.offset, why));
        }
        return fail(Fault::Corrupt,
                    fmt::format("{}:{}: there are bytes after record {}, the last one here",
                                at_.segment,
                                end - 1,
                                verification.last.value));
    }

    Result<void> take_snapshot(const Walk& walk) {
        const auto snapshot = snapshots_.find(walk.last());
        if (snapshot == snapshots_.end()) return {};
        const bool fits = snapshot->second == walk.chain();
        snapshots_.erase(snapshot);
        if (fits) return {};
        return fail(
            Fault::Corrupt,
            fmt::format("{} is not a snapshot of this journal", snapshot_name(walk.last())));
    }

    void tell_progress() {
        static constexpr std::uint64_t kStepBytes = std::uint64_t{4} << 20;
        const auto done = done_bytes_ + at_.offset;
        if (!progress_ || done < told_bytes_ + kStepBytes) return;
        told_bytes_ = done;
        progress_(done, all_bytes_);
    }

    struct Place {
        std::string segment;
        std::uint64_t offset = 0;
    };

    Disk& disk_;
    const Progress& progress_;
    Sequence viewed_{};
    MarkCheck check_{{}};
    Sequence last_{};                      ///< Where the walk ended.
    std::map<Sequence, Chain> snapshots_;  ///< Snapshots that the walk has not reached yet.
    std::optional<Error> snapshot_problem_;
    Place at_;
    std::uint64_t done_bytes_ = 0;  ///< The bytes of the segments already left.
    std::uint64_t told_bytes_ = 0;
    std::uint64_t all_bytes_ = 0;
};

}  // namespace

Result<Verification> verify(
    Disk& disk,
    const std::function<void(std::uint64_t done_bytes, std::uint64_t all_bytes)>& progress,
    Sequence viewed) {
    Verifier verifier{disk, progress, viewed};
    const auto ran = verifier.run();
    if (!ran && ran.error().fault != Fault::Corrupt) return tl::unexpected(ran.error());
    if (!ran) verifier.verification.problem = ran.error().message;
    return std::move(verifier.verification);
}

}  // namespace parlance::journal
