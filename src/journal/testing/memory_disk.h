// A disk in memory that fails on demand: at the n-th operation, for want of space, or by losing its
// power, after which only synced data is sure to be there.
//
// A chooser decides the fate of unsynced work as on a real disk: each 512-byte sector of each
// write, and each creation, rename and removal, survives or not. A failed sync is cruel: its data
// stays readable, counts as written, and is lost when the power fails.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "journal/disk.h"

namespace parlance::journal::testing {

/// The process dies here. The disk throws Crashed; the simulation of the process catches it. Every
/// later operation throws Crashed again until restart() or lose_power().
struct Crashed {};

enum class DiskFailure {
    Error,        ///< Nothing happens but an input/output error.
    Full,         ///< Nothing happens: no space is left.
    ShortError,   ///< Half of a write happens, then an error.
    ShortFull,    ///< Half of a write happens, then no space is left.
    CrashBefore,  ///< The process dies before the operation takes effect,
    CrashWithin,  ///< or in the middle of a write (of other operations: before),
    CrashAfter,   ///< or after the effect, before the call returns.
};
inline constexpr DiskFailure kDiskFailures[] = {DiskFailure::Error,
                                                DiskFailure::Full,
                                                DiskFailure::ShortError,
                                                DiskFailure::ShortFull,
                                                DiskFailure::CrashBefore,
                                                DiskFailure::CrashWithin,
                                                DiskFailure::CrashAfter};

/// A number below `bound`, chosen by the test or the simulation.
using Chooser = std::function<std::uint64_t(std::uint64_t bound)>;

class MemoryDisk final : public Disk {
  public:
    static constexpr std::uint64_t kSectorBytes = 512;

    MemoryDisk() = default;

    // The faults.

    /// The `number`-th operation from now (0 is the next operation) fails as `disk_failure` says.
    /// Every call to the disk or one of its files is an operation.
    void plan(std::uint64_t number, DiskFailure disk_failure) {
        const std::lock_guard lock{mutex_};
        disk_failures_[operations_ + number] = disk_failure;
    }
    void forget_plans() {
        const std::lock_guard lock{mutex_};
        disk_failures_.clear();
    }
    std::uint64_t operations() const {
        const std::lock_guard lock{mutex_};
        return operations_;
    }
    std::uint64_t syncs() const {
        const std::lock_guard lock{mutex_};
        return syncs_;
    }
    /// Writes that would take more than this many bytes in total fill the disk up and fail.
    void set_capacity(std::uint64_t bytes) {
        const std::lock_guard lock{mutex_};
        capacity_bytes_ = bytes;
    }

    /// While the process has no file descriptor left, no file can be opened or created.
    void refuse_opens(bool are_refused) {
        const std::lock_guard lock{mutex_};
        are_opens_refused_ = are_refused;
    }
    std::uint64_t opens_refused() const {
        const std::lock_guard lock{mutex_};
        return opens_refused_;
    }

    /// Replaces all files by the files of `copy`, written out and synced.
    void restore(const MemoryDisk& copy) {
        const auto files = copy.contents();
        const std::lock_guard lock{mutex_};
        directory_.clear();
        for (const auto& [name, bytes] : files) {
            directory_[name] =
                std::make_shared<Inode>(Inode{.live = bytes, .synced = bytes, .unsynced = {}});
        }
        durable_ = directory_;
        pending_.clear();
        begin_life();
    }

    /// The process dies and a new process starts: no data is lost, but open files stop working.
    void restart() {
        const std::lock_guard lock{mutex_};
        begin_life();
    }

    /// The power fails: the chooser decides which unsynced work survives.
    void lose_power(const Chooser& choose) {
        const std::lock_guard lock{mutex_};
        for (const auto& change : pending_) {
            if (choose(2) == 1) apply(durable_, change);
        }
        pending_.clear();
        directory_ = durable_;
        for (auto& [name, inode] : durable_) settle(*inode, choose);
        begin_life();
    }

    void flip_bit(const std::string& name, std::uint64_t byte, unsigned bit) {
        const std::lock_guard lock{mutex_};
        const auto& inode = directory_.at(name);
        flip(inode->live, byte, bit);
        flip(inode->synced, byte, bit);
    }

    /// The disk has a bad sector: reads that touch these bytes fail, until `begin` equals `end`.
    void refuse_reads(const std::string& name, std::uint64_t begin, std::uint64_t end) {
        const std::lock_guard lock{mutex_};
        auto& inode = *directory_.at(name);
        inode.bad_begin = begin;
        inode.bad_end = end;
    }

    // The bytes, to compare and to copy.

    std::map<std::string, std::string> contents() const {
        const std::lock_guard lock{mutex_};
        std::map<std::string, std::string> all;
        for (const auto& [name, inode] : directory_) all.emplace(name, inode->live);
        return all;
    }

    /// Whether a power failure could take anything from the files whose names end with `suffix`.
    bool has_unsynced(std::string_view suffix) const {
        const std::lock_guard lock{mutex_};
        const auto is_meant = [&](const std::string& name) { return name.ends_with(suffix); };
        return std::ranges::any_of(pending_,
                                   [&](const Change& change) {
                                       return is_meant(change.gone) || is_meant(change.there);
                                   }) ||
               std::ranges::any_of(directory_, [&](const auto& file) {
                   return is_meant(file.first) && !file.second->unsynced.empty();
               });
    }

    /// An independent disk with the same durable and the same pending state.
    std::unique_ptr<MemoryDisk> clone() const {
        const std::lock_guard lock{mutex_};
        auto copy = std::make_unique<MemoryDisk>();
        std::map<const Inode*, InodePtr> twins;
        const auto twin = [&](const InodePtr& inode) {
            auto& found = twins[inode.get()];
            if (inode && !found) found = std::make_shared<Inode>(*inode);
            return found;
        };
        for (const auto& [name, inode] : directory_) copy->directory_[name] = twin(inode);
        for (const auto& [name, inode] : durable_) copy->durable_[name] = twin(inode);
        for (const auto& change : pending_) {
            copy->pending_.push_back({change.gone, change.there, twin(change.inode)});
        }
        copy->capacity_bytes_ = capacity_bytes_;
        return copy;
    }

    // The disk.

    Result<std::unique_ptr<File>> open(const std::string& name, Mode mode) override {
        const std::lock_guard lock{mutex_};
        return act<std::unique_ptr<File>>([&]() -> Result<std::unique_ptr<File>> {
            if (are_opens_refused_) {
                ++opens_refused_;
                return fail(Fault::Exhausted, "no file descriptor is left");
            }
            const bool is_there = directory_.contains(name);
            if (mode != Mode::Create && !is_there) return fail(Fault::NotFound, "no " + name);
            if (mode == Mode::Create) {
                if (is_there) return fail(Fault::Unavailable, name + " is there already");
                change_directory({"", name, std::make_shared<Inode>()});
            }
            return std::make_unique<Handle>(*this, directory_.at(name), mode != Mode::Read);
        });
    }

    Result<std::vector<std::string>> list() override {
        const std::lock_guard lock{mutex_};
        return act<std::vector<std::string>>([&]() -> Result<std::vector<std::string>> {
            std::vector<std::string> names;
            for (const auto& [name, inode] : directory_) names.push_back(name);
            return names;
        });
    }

    /// Not counted as an operation: the system answers from memory, without the disk.
    Result<FileId> id_of(const std::string& name) override {
        const std::lock_guard lock{mutex_};
        if (is_down_) throw Crashed{};
        const auto found = directory_.find(name);
        if (found == directory_.end()) return fail(Fault::NotFound, "no " + name);
        return id_of(found->second);
    }

    Result<void> rename(const std::string& from, const std::string& to) override {
        const std::lock_guard lock{mutex_};
        return act<void>([&]() -> Result<void> {
            const auto found = directory_.find(from);
            if (found == directory_.end()) return fail(Fault::NotFound, "no " + from);
            change_directory({from, to, found->second});
            return {};
        });
    }

    Result<void> link(const std::string& from, const std::string& to) override {
        const std::lock_guard lock{mutex_};
        return act<void>([&]() -> Result<void> {
            const auto found = directory_.find(from);
            if (found == directory_.end()) return fail(Fault::NotFound, "no " + from);
            if (directory_.contains(to)) return fail(Fault::Unavailable, to + " is there already");
            change_directory({"", to, found->second});
            return {};
        });
    }

    Result<void> remove(const std::string& name) override {
        const std::lock_guard lock{mutex_};
        return act<void>([&]() -> Result<void> {
            if (!directory_.contains(name)) return fail(Fault::NotFound, "no " + name);
            change_directory({name, "", nullptr});
            return {};
        });
    }

    Result<void> sync_directory() override {
        const std::lock_guard lock{mutex_};
        return act<void>([&]() -> Result<void> {
            ++syncs_;
            durable_ = directory_;
            pending_.clear();
            return {};
        });
    }

  private:
    struct Write {
        std::uint64_t offset;
        std::string bytes;
    };

    struct Inode {
        std::string live;             ///< The bytes that a read returns.
        std::string synced;           ///< The bytes on the platter.
        std::vector<Write> unsynced;  ///< The writes that lead from `synced` to `live`.
        std::uint64_t bad_begin = 0;  ///< No read returns bytes from here
        std::uint64_t bad_end = 0;    ///< to here.
    };
    using InodePtr = std::shared_ptr<Inode>;
    static FileId id_of(const InodePtr& inode) {
        return {.device = 0, .number = reinterpret_cast<std::uintptr_t>(inode.get())};
    }
    using Directory = std::map<std::string, InodePtr>;

    struct Change {
        std::string gone;
        std::string there;
        InodePtr inode;
    };

    class Handle final : public File {
      public:
        Handle(MemoryDisk& disk, InodePtr inode, bool may_write)
            : disk_(disk), inode_(std::move(inode)), life_(disk.life_), may_write_(may_write) {}

        Result<void> write_at(std::uint64_t offset, std::string_view bytes) override {
            const std::lock_guard lock{disk_.mutex_};
            TRY(check());
            if (!may_write_) return fail(Fault::Unavailable, "opened for reading");
            return disk_.act<void>([&] { return disk_.write(*inode_, offset, bytes); },
                                   [&] {
                                       const auto half = bytes.substr(0, bytes.size() / 2);
                                       (void)disk_.write(*inode_, offset, half);
                                   });
        }

        Result<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) override {
            const std::lock_guard lock{disk_.mutex_};
            TRY(check());
            return disk_.act<std::size_t>([&]() -> Result<std::size_t> {
                const auto& live = inode_->live;
                if (offset < inode_->bad_end && offset + bytes.size() > inode_->bad_begin) {
                    // As on a real disk, bytes before the bad bytes may have been filled in.
                    const auto good = inode_->bad_begin - std::min(offset, inode_->bad_begin);
                    live.copy(bytes.data(), good, std::min<std::uint64_t>(offset, live.size()));
                    return fail(Fault::Corrupt, "cannot read: Input/output error");
                }
                if (offset >= live.size()) return std::size_t{0};
                return live.copy(bytes.data(), bytes.size(), offset);
            });
        }

        Result<void> sync() override {
            const std::lock_guard lock{disk_.mutex_};
            TRY(check());
            auto synced = disk_.act<void>([&]() -> Result<void> {
                ++disk_.syncs_;
                for (const auto& write : inode_->unsynced) patch(inode_->synced, write);
                inode_->unsynced.clear();
                return {};
            });
            inode_->unsynced.clear();  // Also after a failed sync: see the file's header.
            return synced;
        }

        Result<std::uint64_t> size() override {
            const std::lock_guard lock{disk_.mutex_};
            TRY(check());
            return disk_.act<std::uint64_t>(
                [&]() -> Result<std::uint64_t> { return inode_->live.size(); });
        }

        Result<FileId> id() override { return id_of(inode_); }

      private:
        Result<void> check() const {
            if (life_ == disk_.life_) return {};
            return fail(Fault::Unavailable, "opened in an earlier life");
        }

        MemoryDisk& disk_;
        InodePtr inode_;
        std::uint64_t life_;
        bool may_write_;
    };

    /// Counts one operation, and performs it as planned.
    template <class T, class Effect, class Half>
    Result<T> act(const Effect& effect, const Half& half) {
        if (is_down_) throw Crashed{};
        const auto planned = disk_failures_.find(operations_++);
        if (planned == disk_failures_.end()) return effect();
        switch (planned->second) {
            case DiskFailure::ShortError:
                half();
                [[fallthrough]];
            case DiskFailure::Error:
                return fail(Fault::Unavailable, "the disk failed");
            case DiskFailure::ShortFull:
                half();
                [[fallthrough]];
            case DiskFailure::Full:
                return fail(Fault::Exhausted, "the disk is full");
            case DiskFailure::CrashWithin:
                half();
                break;
            case DiskFailure::CrashAfter:
                (void)effect();
                break;
            case DiskFailure::CrashBefore:
                break;
        }
        is_down_ = true;
        throw Crashed{};
    }
    template <class T, class Effect>
    Result<T> act(const Effect& effect) {
        return act<T>(effect, [] {});
    }

    Result<void> write(Inode& inode, std::uint64_t offset, std::string_view bytes) {
        const auto end = offset + bytes.size();
        if (end > inode.live.size()) {
            const auto room = capacity_bytes_ - std::min(capacity_bytes_, used_bytes());
            const auto fits = inode.live.size() + room;
            if (end > fits) {
                if (fits > offset) record(inode, offset, bytes.substr(0, fits - offset));
                return fail(Fault::Exhausted, "the disk is full");
            }
        }
        record(inode, offset, bytes);
        return {};
    }

    static void record(Inode& inode, std::uint64_t offset, std::string_view bytes) {
        inode.unsynced.push_back({offset, std::string{bytes}});
        patch(inode.live, inode.unsynced.back());
    }

    static void patch(std::string& image, const Write& write) {
        const auto end = write.offset + write.bytes.size();
        if (image.size() < end) image.resize(end);
        std::copy(write.bytes.begin(),
                  write.bytes.end(),
                  image.begin() + static_cast<std::ptrdiff_t>(write.offset));
    }

    /// Each sector of each unsynced write survives or not.
    static void settle(Inode& inode, const Chooser& choose) {
        for (const auto& write : inode.unsynced) {
            for (std::uint64_t at = 0; at < write.bytes.size();) {
                const auto left = kSectorBytes - (write.offset + at) % kSectorBytes;
                if (choose(2) == 1) {
                    patch(inode.synced, {write.offset + at, write.bytes.substr(at, left)});
                }
                at += left;
            }
        }
        inode.unsynced.clear();
        inode.live = inode.synced;
    }

    static void flip(std::string& image, std::uint64_t byte, unsigned bit) {
        if (byte < image.size())
            image[byte] = static_cast<char>(static_cast<unsigned char>(image[byte]) ^ (1U << bit));
    }

    void change_directory(Change change) {
        apply(directory_, change);
        pending_.push_back(std::move(change));
    }

    static void apply(Directory& directory, const Change& change) {
        if (!change.gone.empty()) directory.erase(change.gone);
        if (!change.there.empty()) directory[change.there] = change.inode;
    }

    std::uint64_t used_bytes() const {
        std::uint64_t used = 0;
        for (const auto& [name, inode] : directory_) used += inode->live.size();
        return used;
    }

    void begin_life() {
        ++life_;
        is_down_ = false;
        disk_failures_.clear();
    }

    mutable std::mutex mutex_;
    Directory directory_;  ///< The directory as a process sees it.
    Directory durable_;    ///< The directory that a power failure leaves at least.
    std::vector<Change> pending_;
    std::map<std::uint64_t, DiskFailure> disk_failures_;
    std::uint64_t operations_ = 0;
    std::uint64_t syncs_ = 0;
    std::uint64_t capacity_bytes_ = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t life_ = 0;
    std::uint64_t opens_refused_ = 0;
    bool are_opens_refused_ = false;
    bool is_down_ = false;
};

}  // namespace parlance::journal::testing
