#include "journal/scrub.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "journal/damage.h"
#include "journal/format.h"
#include "journal/segments.h"

namespace parlance::journal {

Result<ScrubStep> Scrub::step(Sequence durable, std::uint64_t bytes_max) {
    step_.bytes = 0;  // Damage found by an earlier step that failed is reported with this step.
    while (step_.bytes < bytes_max && !step_.is_round_over) {
        if (window_ == nullptr) {
            TRY(enter_next(durable));
        } else if (is_behind_last_batch_) {
            TRY(read_padding());
        } else {
            TRY(read_batch(durable));
        }
    }
    return std::exchange(step_, {});
}

std::vector<Damage> Scrub::damages() const {
    std::vector<Damage> damages;
    damages.reserve(known_.size());
    for (const auto& [place, known] : known_) damages.push_back(known.damage);
    return damages;
}

/// Enters the next segment by number. Records between the two segments are missing.
Result<void> Scrub::enter_next(Sequence durable) {
    const auto firsts = segment_firsts(TRY(disk_.list()));
    const auto next = std::ranges::upper_bound(firsts, segment_first_);
    const bool is_end = next == firsts.end() || *next > durable;
    const Sequence due{last_.value + 1};
    const Sequence last_missing = is_end ? durable : Sequence{next->value - 1};
    const auto accepted = TRY(segment_after_accepted_loss(disk_, due));
    if (accepted) {
        last_ = last_missing;
    } else if (due <= last_missing) {
        report({segment_name(due), 0, due, last_missing, "the segment is missing"});
        last_ = last_missing;
        chain_.reset();
    }
    if (is_end) {
        finish_round();
        return {};
    }
    auto window = Window::open(disk_, segment_name(*next));
    if (!window) return tl::unexpected(std::move(window).error());
    window_ = *std::move(window);
    segment_first_ = *next;
    segment_ = segment_name(segment_first_);
    offset_ = kSegmentHeadBytes;
    is_behind_last_batch_ = false;
    check_header(load_segment(disk_, segment_, segment_first_));
    count(kSegmentHeadBytes);
    return {};
}

/// Records can be read without a header; only a start needs the header.
void Scrub::check_header(Result<Segment> segment) {
    if (!segment) {
        const auto& [fault, message] = segment.error();
        const bool is_damage = fault == Fault::Corrupt || fault == Fault::Unsupported;
        const auto place = segment_ + ":0: ";
        if (is_damage) {
            report({segment_,
                    0,
                    {},
                    {},
                    message.starts_with(place) ? message.substr(place.size()) : message});
        }
        return;
    }
    const auto& before = segment->head.chain_before;
    if (chain_ && before != *chain_) {
        report({segment_, 0, {}, {}, "the chain in the header is not that of the segment before"});
    }
    if (!chain_) chain_ = before;
}

Result<void> Scrub::read_batch(Sequence durable) {
    if (last_ >= durable) {
        finish_round();
        return {};
    }
    if (last_ >= trusted_) {
        // Bytes read before their records were durable may have been half-written at that time.
        window_->forget();
        trusted_ = durable;
    }
    auto found = find_batch(*window_, offset_, {last_.value + 1});
    if (!found) {  // If the disk cannot read the bytes, no reader can.
        count(kSegmentHeadBytes);
        return pass_damage(found.error().message, durable);
    }
    if (found->kind != Found::Kind::Batch) return end_or_pass(found->problem, durable);
    take_batch(*found);
    return {};
}

void Scrub::take_batch(const Found& found) {
    if (chain_ && link(hasher_, *chain_, found.frame) != found.head.chain) {
        report({segment_,
                offset_,
                {},
                {},
                fmt::format("the chain breaks at record {}", found.head.first.value)});
    }
    chain_ = found.head.chain;
    counts_.records += found.head.count;
    last_ = found.head.last();
    offset_ += found.head.frame_bytes();
    count(found.head.frame_bytes());
}

/// No whole batch begins here: either this segment is full and the journal continues in the next
/// segment, or the batch is damaged.
Result<void> Scrub::end_or_pass(const std::string& problem, Sequence durable) {
    const auto names = TRY(disk_.list());
    const Sequence due{last_.value + 1};
    const bool goes_on =
        due != segment_first_ && std::ranges::find(names, segment_name(due)) != names.end();
    if (goes_on || TRY(segment_after_accepted_loss(disk_, due))) {
        is_behind_last_batch_ = true;
        return {};
    }
    return pass_damage(problem.empty() ? missing_problem(due) : problem, durable);
}

Result<void> Scrub::pass_damage(const std::string& problem, Sequence durable) {
    if (const auto passed = pass_in_batch(problem); passed && *passed) return {};
    const Place damaged{segment_first_, offset_, {last_.value + 1}};
    auto place = find_next_place(disk_, window_.get(), damaged, durable);
    // If part of the file cannot be read, the scrub leaves the file; the records after the part
    // count as lost.
    if (!place) {
        place = TRY(find_next_place(disk_, nullptr, damaged, durable));
    }
    auto damage = damage_between(disk_, damaged, *place, durable, problem);
    count(kBatchHeadBytes);
    last_ = damage.last;
    report(std::move(damage));
    chain_.reset();
    if (*place && (*place)->segment == segment_first_) {
        offset_ = (*place)->offset;
    } else {
        leave();
    }
    return {};
}

/// A whole batch head says which records the batch holds and where the next batch begins. False:
/// the head is not whole.
Result<bool> Scrub::pass_in_batch(const std::string& problem) {
    const auto head = TRY(find_whole_head(*window_, offset_, {last_.value + 1}));
    if (!head) return false;
    auto records = records_of(TRY(window_->at(offset_, head->frame_bytes())));
    Damage damage{segment_, offset_, {}, {}, problem};
    for (auto sequence = head->first; sequence <= head->last(); ++sequence.value) {
        if (is_record_whole(records, head->lengths, sequence)) {
            Record record;
            take_record(records, head->lengths, record);
            continue;
        }
        if (damage.first == Sequence{}) damage.first = sequence;
        const auto run = measure_damaged_run(records, head->lengths, sequence, head->last());
        records.remove_prefix(run.bytes);
        damage.last = sequence = run.last;
    }
    report(std::move(damage));
    chain_ = head->chain;
    last_ = head->last();
    offset_ += head->frame_bytes();
    count(head->frame_bytes());
    return true;
}

/// The bytes after the last batch of a full segment must be zeros.
Result<void> Scrub::read_padding() {
    static constexpr std::uint64_t kPieceBytes = std::uint64_t{256} << 10;
    if (offset_ >= window_->file_bytes()) {
        window_->let_go();  // Makes the next round read the disk instead of the system's cache.
        leave();
        return {};
    }
    const auto piece = TRY(window_->at(offset_, kPieceBytes));
    count(piece.size());
    if (is_blank(piece)) {
        offset_ += std::max<std::uint64_t>(piece.size(), 1);
        return {};
    }
    const auto why = window_->unreadable(offset_, piece.size());
    report({segment_,
            offset_,
            {},
            {},
            !why.empty()
                ? why
                : fmt::format("there are bytes behind record {}, the last one here", last_.value)});
    leave();
    return {};
}

void Scrub::leave() {
    window_.reset();
    is_behind_last_batch_ = false;
}

void Scrub::finish_round() {
    step_.is_round_over = true;
    std::erase_if(known_, [this](const auto& each) { return each.second.round != counts_.rounds; });
    ++counts_.rounds;
    leave();
    segment_first_ = {};
    last_ = {};
    trusted_ = {};
    chain_.reset();
}

void Scrub::count(std::uint64_t bytes) {
    counts_.bytes += bytes;
    step_.bytes += bytes;
}

void Scrub::report(Damage damage) {
    const std::pair place{damage.segment, damage.offset};
    const auto known = known_.find(place);
    if (known != known_.end()) {
        known->second = {std::move(damage), counts_.rounds};
    } else if (known_.size() < kDamagesMax) {
        known_.emplace(place, Known{damage, counts_.rounds});
        step_.found.push_back(std::move(damage));
    }
}

}  // namespace parlance::journal
