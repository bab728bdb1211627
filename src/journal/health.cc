#include "journal/health.h"

#include "base/mutant.h"

namespace parlance::journal {

Result<void> Health::check() const {
    if (is_well()) return {};
    const std::lock_guard lock{mutex_};
    return fail(first_->fault, first_->message);
}

Result<void> Health::sync(File& file) {
    TRY(check());
    if (is_planted(Mutant::SkipSync)) return {};
    auto synced = file.sync();
    return synced ? synced : fail_for_good(std::move(synced).error());
}

Result<void> Health::sync_directory(Disk& disk) {
    TRY(check());
    if (is_planted(Mutant::SkipDirectorySync)) return {};
    auto synced = disk.sync_directory();
    return synced ? synced : fail_for_good(std::move(synced).error());
}

Result<void> Health::fail_for_good(Error error) {
    const std::lock_guard lock{mutex_};
    if (!first_) {
        // A sync that failed for want of space is as final as any other failed sync.
        if (error.fault == Fault::Exhausted) error.fault = Fault::Unavailable;
        first_ = std::move(error);
        has_failed_.store(true, std::memory_order_release);
    }
    return fail(first_->fault, first_->message);
}

}  // namespace parlance::journal
