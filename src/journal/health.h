// Whether the journal may still promise anything. After a failed sync nobody knows what is on the
// disk: no sync is tried again, and every caller gets the first failure.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "base/result.h"
#include "journal/disk.h"

namespace parlance::journal {

/// Safe for any number of threads.
class Health {
  public:
    bool is_well() const { return !has_failed_.load(std::memory_order_acquire); }
    Result<void> check() const;
    Result<void> sync(File& file);
    Result<void> sync_directory(Disk& disk);
    /// From now on check() returns this error, or an earlier error.
    Result<void> fail_for_good(Error error);

  private:
    std::atomic<bool> has_failed_ = false;
    mutable std::mutex mutex_;
    std::optional<Error> first_;
};

}  // namespace parlance::journal
