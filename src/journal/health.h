// Whether the journal may still promise anything. After one failed sync nobody knows what is on the
// disk: no sync is tried again, and everyone who asks hears of the first failure.
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
    /// From here on check() answers with this error, or with an earlier one.
    Result<void> fail_for_good(Error error);

  private:
    std::atomic<bool> has_failed_ = false;
    mutable std::mutex mutex_;
    std::optional<Error> first_;
};

}  // namespace parlance::journal
