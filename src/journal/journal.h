// The memory of the hub: an append-only, hash-chained log of records, and snapshots beside it.
//
// It stores bytes under consecutive sequence numbers and knows nothing of what they mean. What
// append() has returned success for survives any crash; anything else may be cut back by the next
// open(), a whole batch at a time, so that a turn of the hub is either there or not.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "journal/disk.h"
#include "model/ids.h"

namespace parlance::journal {

using Chain = std::array<std::uint8_t, 32>;

/// Written into every segment and snapshot. A higher one than this is refused untouched.
inline constexpr std::uint32_t kDataVersion = 1;

struct Options {
    std::uint64_t segment_bytes = std::uint64_t{64} << 20;
    bool is_read_only = false;  ///< Never cuts, creates or prepares anything.
};

/// The records of one turn, framed as they will stand on disk.
class Batch {
  public:
    void add(std::string_view payload);
    bool empty() const { return count_ == 0; }
    std::uint32_t count() const { return count_; }
    void clear();
    /// ... (framing details are the implementation's)
  private:
    friend class Journal;
    std::string bytes_;
    std::uint32_t count_ = 0;
};

struct Record {
    Sequence sequence;
    Time at{};
    std::string_view payload;
};

struct Snapshot {
    Sequence sequence;  ///< The last record it contains.
    Time at{};
    std::string payload;
};

/// What recovery found, for the log and for `parlance journal`.
struct Recovery {
    std::uint64_t bytes_cut = 0;   ///< Of a batch that was never acknowledged.
    std::string cut_from;          ///< "segment:offset", empty if nothing was cut.
};

class Journal {
  public:
    static Result<std::unique_ptr<Journal>> open(Disk& disk, Options options);
    virtual ~Journal() = default;
};

}  // namespace parlance::journal
