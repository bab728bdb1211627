#include "journal/repair.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/sha256.h"
#include "journal/format.h"
#include "journal/high_water.h"
#include "journal/segments.h"
#include "journal/snapshots.h"
#include "journal/survey.h"
#include "journal/walk.h"

namespace parlance::journal {

namespace {

constexpr std::string_view kAsideSuffix = ".damaged";

auto mismatch(std::string what) {
    return fail(Fault::Corrupt, "the copy does not match this journal: " + std::move(what));
}

/// A segment to be written: first the copy's bytes, then the damaged file's own bytes, then zeros.
struct Planned {
    RestoredSegment told;
    std::uint64_t bytes = 0;
    std::uint64_t copied_end = 0;  ///< Where the bytes from the copy end.
    std::uint64_t own_end = 0;     ///< Where the bytes from the damaged file end.
    Chain chain{};
};

const ChainMark* find_mark(const std::vector<ChainMark>& marks, Sequence last) {
    const auto found = std::ranges::lower_bound(marks, last, {}, &ChainMark::last);
    return found != marks.end() && found->last == last ? &*found : nullptr;
}

Sequence last_of(const std::vector<ChainMark>& marks) {
    return marks.empty() ? Sequence{} : marks.back().last;
}

/// Appends, after the copy's last batch, the batches of the damaged file that continue the copy's
/// chain.
Result<std::uint64_t> extend(Disk& disk, const Survey& own, Survey& survey) {
    const auto window = TRY(Window::open(disk, own.name));
    Sha256 hasher;
    auto offset = survey.end;
    for (;;) {
        const auto found = TRY(find_batch(*window, offset, {survey.last.value + 1}));
        if (found.kind != Found::Kind::Batch) return offset;
        if (link(hasher, survey.chain, found.frame) != found.head.chain) return offset;
        survey.last = found.head.last();
        survey.chain = found.head.chain;
        survey.marks.push_back({survey.last, survey.chain});
        offset += found.head.frame_bytes();
    }
}

Result<void> copy_bytes(File& from, File& to, std::uint64_t begin, std::uint64_t end) {
    static constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;
    std::string piece;
    for (auto at = begin; at < end; at += piece.size()) {
        piece.resize(std::min(kPieceBytes, end - at));
        piece.resize(TRY(from.read_at(at, piece)));
        if (piece.empty()) return fail(Fault::Corrupt, "a file ended while it was copied");
        TRY(to.write_at(at, piece));
    }
    return {};
}

class Repairer {
  public:
    Repairer(Disk& disk, Disk& copy, Sequence viewed)
        : disk_(disk), copy_(copy), known_last_(viewed) {}

    Result<void> look() {
        // The mark first: if a hub is writing, the segments can only be further than the mark.
        mark_ = TRY(read_high_water(disk_)).mark;
        names_ = TRY(disk_.list());
        copy_firsts_ = segment_firsts(TRY(copy_.list()));
        if (copy_firsts_.empty()) {
            return fail(Fault::NotFound,
                        "there is no journal in the copy: no file of it is a segment");
        }
        TRY(survey_own());
        if (mark_) known_last_ = std::max(known_last_, mark_->sequence);
        TRY(read_snapshots());
        find_lost_tail();
        return {};
    }

    Result<void> plan() {
        while (true) {
            const auto own = own_.find(due_);
            const bool is_there = own != own_.end();
            const bool is_behind_all = own_.empty() || due_ > own_.rbegin()->first;
            if (is_there && own->second.problem.empty()) {
                TRY(accept(own->second));
            } else if (!is_there && TRY(pass_accepted_loss())) {
                continue;
            } else if (!is_there && is_behind_all && due_ > known_last_ &&
                       !TRY(does_copy_go_on())) {
                break;
            } else {
                is_end_lost_ = is_end_lost_ || (!is_there && is_behind_all);
                TRY(take_from_copy(is_there ? &own->second : nullptr));
            }
            // An empty segment is the newest one, or an accepted loss follows it.
            const bool is_empty = due_ == before_;
            if (is_empty && !TRY(pass_accepted_loss())) break;
        }
        if (planned_.empty() || anchors_ > 0) return {};
        return fail(Fault::Corrupt,
                    "nothing that is whole here says which journal this is; put the whole copy in "
                    "the place of the data directory instead");
    }

    /// No segment is replaced before all of them are written.
    Result<void> restore_all() {
        for (const auto& planned : planned_) {
            auto written = write(planned, temporary_of(planned));
            if (written) continue;
            for (const auto& each : planned_) (void)disk_.remove(temporary_of(each));
            return written;
        }
        for (auto& planned : planned_) TRY(replace(planned));
        return {};
    }

    Repair told() const {
        Repair repair;
        for (const auto& planned : planned_) repair.restored.push_back(planned.told);
        return repair;
    }

  private:
    Result<void> survey_own() {
        const auto firsts = segment_firsts(names_);
        for (std::size_t i = 0; i < firsts.size(); ++i) {
            const auto first = firsts[i];
            const bool is_newest = i + 1 == firsts.size();
            const Sequence up_to{is_newest ? UINT64_MAX : firsts[i + 1].value - 1};
            auto survey = TRY(survey_segment(disk_, segment_name(first), first, is_newest, up_to));
            known_last_ = std::max({known_last_, survey.last, last_of(survey.marks)});
            // What is damaged at the end of the newest segment was acknowledged: a torn append is
            // no problem.
            const bool is_end_damaged = is_newest && survey.head && !survey.problem.empty();
            if (is_end_damaged)
                known_last_ = std::max(known_last_, Sequence{survey.last.value + 1});
            own_.emplace(first, std::move(survey));
        }
        for (auto each = own_.begin(); each != own_.end(); ++each) {
            auto& survey = each->second;
            const auto next = std::next(each);
            if (next != own_.end()) TRY(find_lost_end(survey, next->second));
            if (mark_ && is_mark_of_another_journal(survey)) mark_.reset();
            if (survey.problem.empty()) survey.marks = {};  // Only damaged segments need marks.
        }
        return {};
    }

    /// A start ignores such a high-water mark too.
    bool is_mark_of_another_journal(const Survey& own) const {
        const bool has_first_batch =
            own.head && own.head->before == Sequence{} && own.last >= own.first;
        if (has_first_batch && mark_->origin != Chain{} &&
            own.marks.front().chain != mark_->origin) {
            return true;
        }
        if (mark_->sequence < own.first || mark_->sequence > own.last) return false;
        const auto* const batch = find_mark(own.marks, mark_->sequence);
        return batch == nullptr || batch->chain != mark_->chain;
    }

    /// A segment whose last batches were zeroed looks whole; the next segment's head shows the
    /// loss. If the next segment is missing too, or its head is damaged, the copy shows the loss.
    Result<void> find_lost_end(Survey& survey, const Survey& next) {
        if (!survey.problem.empty()) return {};
        const bool is_next = next.head && next.head->before == survey.first;
        const bool is_lost = is_next ? survey.last != next.head->last_before()
                                     : TRY(does_copy_have_more(survey, next.first));
        if (!is_lost) return {};
        survey.problem = fmt::format(
            "{}:{}: record {} is missing", survey.name, survey.end, survey.last.value + 1);
        return {};
    }

    /// Whether the copy's segment of this name goes further, and no segment begins where this
    /// journal's ends.
    Result<bool> does_copy_have_more(const Survey& own, Sequence next_first) {
        const Sequence due{own.last.value + 1};
        const bool begins_another = due != own.first && is_in_copy(due);
        if (due >= next_first || begins_another || !is_in_copy(own.first)) return false;
        const auto copied =
            TRY(survey_segment(copy_, own.name, own.first, own.first == copy_firsts_.back()));
        return copied.last > own.last;
    }

    bool is_in_copy(Sequence first) const {
        return std::ranges::find(copy_firsts_, first) != copy_firsts_.end();
    }

    Result<void> read_snapshots() {
        for (const auto sequence : list_snapshots(names_)) {
            auto stored = check_snapshot(disk_, sequence);
            // A damaged snapshot is no evidence; a running hub may have removed an older snapshot.
            const bool says_nothing = !stored && (stored.error().fault == Fault::Corrupt ||
                                                  stored.error().fault == Fault::NotFound);
            if (says_nothing) continue;
            if (!stored) return tl::unexpected(std::move(stored).error());
            snapshots_.emplace(sequence, stored->chain);
            known_last_ = std::max(known_last_, sequence);
        }
        return {};
    }

    /// The newest segment ends before a record that was certainly acknowledged, and no later
    /// segment of the copy begins there: the segment's own end is missing.
    void find_lost_tail() {
        if (own_.empty()) return;
        auto& newest = own_.rbegin()->second;
        const Sequence next{newest.last.value + 1};
        const bool begins_another = next != newest.first && is_in_copy(next);
        if (!newest.problem.empty() || newest.last >= known_last_ || begins_another) return;
        newest.problem =
            fmt::format("{}:{}: record {} is missing", newest.name, newest.end, next.value);
        is_end_lost_ = true;
    }

    /// The segment, of this journal or else of the copy, that says that the loss of the records
    /// from due_ up to the segment was accepted, and that the segment follows `before`.
    Result<std::optional<Sequence>> segment_behind_loss(Sequence before) {
        auto following = TRY(segment_after_accepted_loss(disk_, due_));
        Disk& teller = following ? disk_ : copy_;
        if (!following) following = TRY(segment_after_accepted_loss(copy_, due_));
        if (!following || !own_.contains(*following)) return std::nullopt;
        const auto segment = TRY(load_segment(teller, segment_name(*following), *following));
        if (segment.head.before != before) return std::nullopt;
        return following;
    }

    Result<bool> pass_accepted_loss() {
        const auto following = TRY(segment_behind_loss(before_));
        if (following) due_ = *following;
        return following.has_value();
    }

    /// Where the end of this journal is lost, the remaining evidence may lag behind the
    /// acknowledged records: the repair also takes the copy's further records.
    Result<bool> does_copy_go_on() {
        if (!is_end_lost_ || !is_in_copy(due_)) return false;
        const auto survey =
            TRY(survey_segment(copy_, segment_name(due_), due_, due_ == copy_firsts_.back()));
        return survey.last >= survey.first;
    }

    /// Accepts a whole segment of this journal, which must continue the segment before.
    Result<void> accept(const Survey& own) {
        if (own.head->chain_before != chain_ || own.head->before != before_) {
            return mismatch(
                fmt::format("the chain breaks between record {} and {}", due_.value - 1, own.name));
        }
        if (own.last >= own.first) ++anchors_;
        advance(own);
        return {};
    }

    void advance(const Survey& survey) {
        before_ = survey.first;
        due_ = {survey.last.value + 1};
        chain_ = survey.chain;
    }

    /// Plans the segment that begins with due_; `own` is the damaged file, null if the file is
    /// missing.
    Result<void> take_from_copy(const Survey* own) {
        const auto name = segment_name(due_);
        if (!is_in_copy(due_)) return lacks(name);
        auto survey = TRY(survey_segment(copy_, name, due_, due_ == copy_firsts_.back()));
        if (!survey.problem.empty()) {
            return fail(Fault::Corrupt, "the copy is damaged too: " + survey.problem);
        }
        Planned planned{.told = {.name = name, .first = due_},
                        .bytes = survey.head->bytes,
                        .copied_end = survey.end,
                        .own_end = survey.end};
        planned.told.was_missing = own == nullptr;
        planned.told.problem = own != nullptr ? own->problem : name + " is missing";
        TRY(compare_head(*survey.head, own));
        if (own != nullptr) {
            TRY(compare_marks(*own, survey));
            if (last_of(own->marks) > survey.last) {
                planned.own_end = TRY(extend(disk_, *own, survey));
            }
            if (last_of(own->marks) > survey.last) return loses(survey.last, last_of(own->marks));
        }
        const bool is_empty = survey.last < survey.first;
        if (is_empty && !TRY(segment_behind_loss(due_))) return lacks(name);
        TRY(compare_high_water(survey));
        TRY(compare_snapshots(survey));
        TRY(compare_next(survey));
        planned.told.last = survey.last;
        planned.chain = survey.chain;
        planned_.push_back(std::move(planned));
        advance(survey);
        return {};
    }

    Result<void> lacks(const std::string& name) const {
        const auto until =
            std::ranges::find_if(own_, [&](const auto& each) { return each.first > due_; });
        const auto last =
            until != own_.end() ? until->first.value - 1 : std::max(known_last_, due_).value;
        return fail(Fault::Corrupt,
                    fmt::format("the copy has no records {} to {}: {} is not in it, or ends before",
                                due_.value,
                                last,
                                name));
    }

    static Result<void> loses(Sequence copied, Sequence known) {
        return fail(Fault::Corrupt,
                    fmt::format("the copy ends with record {}, and record {} was acknowledged: "
                                "records {} to {} would be lost",
                                copied.value,
                                known.value,
                                copied.value + 1,
                                known.value));
    }

    Result<void> compare_head(const SegmentHead& head, const Survey* own) const {
        const bool continues = head.chain_before == chain_ && head.before == before_;
        const bool is_same =
            own == nullptr || !own->head ||
            (own->head->chain_before == head.chain_before && own->head->bytes == head.bytes);
        if (continues && is_same) return {};
        return mismatch(fmt::format(
            "its {} does not continue record {} of this one", segment_name(due_), due_.value - 1));
    }

    /// Each whole batch in the damaged file must be in the copy, with the same chain.
    Result<void> compare_marks(const Survey& own, const Survey& copied) {
        for (const auto& mark : own.marks) {
            if (mark.last > copied.last) break;
            const auto* const found = find_mark(copied.marks, mark.last);
            if (found == nullptr || found->chain != mark.chain) {
                return mismatch(
                    fmt::format("the batch that ends with record {} is another", mark.last.value));
            }
            ++anchors_;
        }
        return {};
    }

    /// The mark names two batches of this journal: the first batch, and the batch at the mark.
    Result<void> compare_high_water(const Survey& copied) {
        if (!mark_) return {};
        if (before_ == Sequence{} && mark_->origin != Chain{} && !copied.marks.empty()) {
            if (copied.marks.front().chain != mark_->origin) {
                return mismatch("the high-water mark is of a journal with another first batch");
            }
            ++anchors_;
        }
        if (mark_->sequence < copied.first || mark_->sequence > copied.last) return {};
        const auto* const found = find_mark(copied.marks, mark_->sequence);
        if (found == nullptr || found->chain != mark_->chain) {
            return mismatch(
                fmt::format("the high-water mark is of another batch that ends with record {}",
                            mark_->sequence.value));
        }
        ++anchors_;
        return {};
    }

    Result<void> compare_snapshots(const Survey& copied) {
        for (auto each = snapshots_.lower_bound(copied.first);
             each != snapshots_.end() && each->first <= copied.last;
             ++each) {
            const auto* const found = find_mark(copied.marks, each->first);
            if (found == nullptr || found->chain != each->second) {
                return mismatch(snapshot_name(each->first) + " is not a snapshot of it");
            }
            ++anchors_;
        }
        return {};
    }

    Result<void> compare_next(const Survey& copied) {
        const auto next = own_.upper_bound(copied.first);
        if (next == own_.end() || copied.last < next->first) return {};
        return mismatch(fmt::format("its {} goes to record {}, and here {} follows",
                                    copied.name,
                                    copied.last.value,
                                    next->second.name));
    }

    static std::string temporary_of(const Planned& planned) {
        return planned.told.name + std::string{kTemporarySuffix};
    }

    Result<void> replace(Planned& planned) {
        auto& told = planned.told;
        if (!told.was_missing) {
            told.kept_as = free_name(told.name + std::string{kAsideSuffix});
            TRY(keep(told.name, told.kept_as));
        }
        TRY(disk_.rename(temporary_of(planned), told.name));
        return disk_.sync_directory();
    }

    /// The damaged file keeps its name until the new file takes the name: with no file of that name
    /// a start could take the last segment for one that never existed, and a second attempt to
    /// repair would lack the whole batches of the damaged file.
    Result<void> keep(const std::string& name, const std::string& kept_as) {
        // On a file system without hard links the name is free for a moment.
        if (!disk_.link(name, kept_as)) return disk_.rename(name, kept_as);
        return disk_.sync_directory();
    }

    Result<void> write(const Planned& planned, const std::string& temporary) {
        (void)disk_.remove(temporary);  // Of an attempt that failed; usually there is none.
        const auto file = TRY(disk_.open(temporary, Disk::Mode::Create));
        const auto copied = TRY(copy_.open(planned.told.name, Disk::Mode::Read));
        TRY(copy_bytes(*copied, *file, 0, planned.copied_end));
        if (planned.own_end > planned.copied_end) {
            const auto own = TRY(disk_.open(planned.told.name, Disk::Mode::Read));
            TRY(copy_bytes(*own, *file, planned.copied_end, planned.own_end));
        }
        TRY(write_zeros(*file, planned.own_end, planned.bytes));
        TRY(file->sync());
        const auto survey = TRY(survey_segment(disk_, temporary, planned.told.first, false));
        if (survey.problem.empty() && survey.chain == planned.chain) return {};
        return fail(Fault::Corrupt,
                    fmt::format("{} does not read back as it was written: {}",
                                temporary,
                                survey.problem.empty() ? "its chain is another" : survey.problem));
    }

    std::string free_name(const std::string& name) const {
        auto free = name;
        for (int i = 2; std::ranges::find(names_, free) != names_.end(); ++i) {
            free = fmt::format("{}-{}", name, i);
        }
        return free;
    }

    Disk& disk_;
    Disk& copy_;
    std::vector<std::string> names_;
    std::vector<Sequence> copy_firsts_;
    std::map<Sequence, Survey> own_;  ///< By first sequence.
    std::map<Sequence, Chain> snapshots_;
    Sequence known_last_{};          ///< The last record known to have been acknowledged.
    std::optional<HighWater> mark_;  ///< Empty: no mark of this journal exists.
    bool is_end_lost_ = false;  ///< The last segments, or the newest segment's end, are missing.

    // The plan's position: every record before due_ is present or planned.
    Sequence due_{1};
    Sequence before_{};
    Chain chain_{};
    std::uint64_t anchors_ = 0;  ///< How often the chain matched evidence of this journal.
    std::vector<Planned> planned_;
};

}  // namespace

Result<Repair> repair(Disk& disk, Disk& copy, const RepairOptions& options) {
    if (!options.is_dry_run) TRY(disk.lock());
    Repairer repairer{disk, copy, options.viewed};
    TRY(repairer.look());
    TRY(repairer.plan());
    if (!options.is_dry_run) TRY(repairer.restore_all());
    return repairer.told();
}

}  // namespace parlance::journal
