// Reads the whole journal again and again and checks everything: headers, frames, checksums, chain.
//
// Bits rot in files that nobody reads. A start checks the newest segment and the records after the
// snapshot; the scrub checks the rest. The scrub continues after damage, so that all damage is
// found, and never writes. The scrub has no thread and no clock: the caller of step() sets the
// pace.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/sha256.h"
#include "journal/disk.h"
#include "journal/journal.h"
#include "journal/walk.h"
#include "journal/window.h"

namespace parlance::journal {

struct ScrubCounts {
    std::uint64_t bytes = 0;
    std::uint64_t records = 0;
    std::uint64_t rounds = 0;  ///< How often the scrub has reached the end.
};

/// The outcome of one step.
struct ScrubStep {
    std::uint64_t bytes = 0;
    bool is_round_over = false;
    std::vector<Damage> found{};  ///< Damage that was not known before.
};

/// For one thread.
class Scrub {
  public:
    /// Further damage beyond this many positions is not reported: a disk with so much damage is
    /// lost.
    static constexpr std::size_t kDamagesMax = 1000;

    explicit Scrub(Disk& disk) : disk_(disk) {}

    /// Reads about `bytes_max` bytes further, in the records up to `durable`. A fault is a fault of
    /// the disk, not of the journal: the next step tries again at the same position.
    Result<ScrubStep> step(Sequence durable, std::uint64_t bytes_max);

    const ScrubCounts& counts() const { return counts_; }
    /// In the order of the journal. Damage that a whole round did not find again is dropped.
    std::vector<Damage> damages() const;

  private:
    Result<void> enter_next(Sequence durable);
    void check_header(Result<Segment> segment);
    Result<void> read_batch(Sequence durable);
    void take_batch(const Found& found);
    Result<void> end_or_pass(const std::string& problem, Sequence durable);
    Result<void> pass_damage(const std::string& problem, Sequence durable);
    Result<bool> pass_in_batch(const std::string& problem);
    Result<void> read_padding();
    void leave();
    void finish_round();
    void count(std::uint64_t bytes);
    void report(Damage damage);

    Disk& disk_;
    ScrubCounts counts_;
    ScrubStep step_;  ///< The step in progress.
    Sha256 hasher_;

    // The scrub's position.
    std::unique_ptr<Window> window_;  ///< Null between two segments.
    std::string segment_;
    Sequence segment_first_{};
    std::uint64_t offset_ = 0;
    Sequence last_{};     ///< Every record up to here was checked in this round.
    Sequence trusted_{};  ///< The window's bytes were read when records up to here were durable.
    std::optional<Chain> chain_;  ///< The chain after last_; unknown after damage.
    bool is_behind_last_batch_ = false;

    struct Known {
        Damage damage;
        std::uint64_t round = 0;  ///< The round that last found the damage.
    };
    std::map<std::pair<std::string, std::uint64_t>, Known> known_;  ///< By segment and offset.
};

}  // namespace parlance::journal
