#include "journal/posix_disk.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "journal/format.h"
#include "journal/high_water.h"

namespace parlance::journal {

namespace {

/// `name` is relative to the open `directory`, or a full path; `path` is for error messages.
Result<Descriptor> open_in(int directory, const char* name, int flags, const std::string& path) {
    int number = -1;
    do {
        number = ::openat(directory, name, flags | O_CLOEXEC, 0640);
    } while (number < 0 && errno == EINTR);
    if (number < 0 && errno == ELOOP && (flags & O_NOFOLLOW) != 0) {
        return fail(Fault::Malformed,
                    path +
                        " is a symbolic link, and a hub uses no links to journal files; put the "
                        "file itself there, or say --data with the directory that the link "
                        "leads into");
    }
    if (number < 0) return system_failure("open", path);
    return Descriptor{number};
}

Result<Descriptor> open_path(const std::string& path, int flags) {
    return open_in(AT_FDCWD, path.c_str(), flags, path);
}

/// Error codes of file systems that can lock only files, such as some network file systems.
bool has_no_directory_locks(int code) {
    return code == EBADF || code == EINVAL || code == ENOLCK || code == EOPNOTSUPP;
}

FileId file_id(const struct stat& status) {
    return {.device = static_cast<std::uint64_t>(status.st_dev),
            .number = static_cast<std::uint64_t>(status.st_ino)};
}

/// Codes for a bad sector or a failed checksum of the file system: the bytes are damaged, and
/// reading again does not help. Any other code is a failure of the call.
bool is_of_the_bytes(int code) {
    return code == EIO || code == ENODATA || code == EILSEQ || code == EBADMSG || code == EUCLEAN;
}

tl::unexpected<Error> read_failure(const std::string& path) {
    const bool is_damage = is_of_the_bytes(errno);
    auto failure = system_failure("read", path);
    if (is_damage) failure.value().fault = Fault::Corrupt;
    return failure;
}

class PosixFile final : public File {
  public:
    PosixFile(std::string path, std::shared_ptr<Descriptor> file)
        : path_(std::move(path)), file_(std::move(file)) {}

    Result<void> write_at(std::uint64_t offset, std::string_view bytes) override {
        while (!bytes.empty()) {
            const auto written =
                ::pwrite(file_->number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return system_failure("write", path_);
            bytes.remove_prefix(static_cast<std::size_t>(written));
            offset += static_cast<std::uint64_t>(written);
        }
        return {};
    }

    Result<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) override {
        std::size_t filled = 0;
        while (filled < bytes.size()) {
            const auto read = ::pread(file_->number(),
                                      bytes.data() + filled,
                                      bytes.size() - filled,
                                      static_cast<off_t>(offset + filled));
            if (read < 0 && errno == EINTR) continue;
            if (read < 0) return read_failure(path_);
            if (read == 0) break;
            filled += static_cast<std::size_t>(read);
        }
        return filled;
    }

    // Never repeated: after a failure the system may mark pages as clean that were not written.
    Result<void> sync() override {
        if (::fdatasync(file_->number()) != 0) return system_failure("sync", path_);
        return {};
    }

    Result<std::uint64_t> size() override {
        struct stat status {};
        if (::fstat(file_->number(), &status) != 0) return system_failure("look at", path_);
        return static_cast<std::uint64_t>(status.st_size);
    }

    Result<FileId> id() override {
        struct stat status {};
        if (::fstat(file_->number(), &status) != 0) return system_failure("look at", path_);
        return file_id(status);
    }

    // Only a hint: if the system ignores the hint, only memory is wasted.
    void let_go() override { (void)::posix_fadvise(file_->number(), 0, 0, POSIX_FADV_DONTNEED); }

  private:
    std::string path_;
    std::shared_ptr<Descriptor> file_;  ///< Shared by every File that writes to this file.
};

/// Files that a hub writes to while serving. A snapshot is written once, before it gets its name.
bool is_of_the_journal(std::string_view name) {
    return name.ends_with(".journal") || name == kHighWaterName || is_temporary_name(name);
}

int flags_of(Disk::Mode mode) {
    switch (mode) {
        case Disk::Mode::Read:
            return O_RDONLY;
        case Disk::Mode::ReadWrite:
            return O_RDWR;
        case Disk::Mode::Create:
            return O_RDWR | O_CREAT | O_EXCL;
    }
    return O_RDONLY;
}

/// All operations are relative to the opened directory, not to its path: if the directory is moved
/// and replaced, the hub keeps working in the directory whose lock it holds.
class PosixDisk final : public Disk {
  public:
    PosixDisk(std::string directory, Descriptor handle)
        : directory_(std::move(directory)), handle_(std::move(handle)) {}

    Result<std::unique_ptr<File>> open(const std::string& name, Mode mode) override {
        // Readers do not wait for the lock.
        std::unique_lock guard{mutex_, std::defer_lock};
        if (mode != Mode::Read) guard.lock();
        return std::make_unique<PosixFile>(path_of(name), TRY(open_shared(name, mode)));
    }

    Result<std::vector<std::string>> list() override {
        auto own = TRY(open_in(handle_.number(), ".", O_RDONLY | O_DIRECTORY, directory_));
        const std::unique_ptr<DIR, int (*)(DIR*)> stream{::fdopendir(own.number()), ::closedir};
        if (stream == nullptr) return system_failure("list", directory_);
        own.release();
        std::vector<std::string> names;
        for (;;) {
            errno = 0;
            const auto* const entry = ::readdir(stream.get());
            if (entry == nullptr) break;
            const std::string name{entry->d_name};
            if (name != "." && name != "..") names.push_back(name);
        }
        if (errno != 0) return system_failure("list", directory_);
        return names;
    }

    Result<FileId> id_of(const std::string& name) override {
        struct stat status {};
        if (::fstatat(handle_.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
            return system_failure("look at", path_of(name));
        }
        return file_id(status);
    }

    Result<void> rename(const std::string& from, const std::string& to) override {
        if (::renameat(handle_.number(), from.c_str(), handle_.number(), to.c_str()) != 0) {
            return system_failure("rename", path_of(from));
        }
        return {};
    }

    Result<void> link(const std::string& from, const std::string& to) override {
        if (::linkat(handle_.number(), from.c_str(), handle_.number(), to.c_str(), 0) != 0) {
            return system_failure("link", path_of(from));
        }
        return {};
    }

    Result<void> remove(const std::string& name) override {
        if (::unlinkat(handle_.number(), name.c_str(), 0) != 0) {
            return system_failure("remove", path_of(name));
        }
        return {};
    }

    Result<void> sync_directory() override {
        if (::fsync(handle_.number()) != 0) return system_failure("sync", directory_);
        return {};
    }

    /// Locks the directory itself: a file in the directory can be removed, and a second hub could
    /// lock a new file of the same name. Also locks the lock file, for older hubs that check only
    /// the file, and for file systems that lock only files. Also locks the high-water mark: hard
    /// links to the files can stand in a different directory, whose last segment may be a full
    /// segment here.
    Result<void> lock() override {
        const std::lock_guard guard{mutex_};
        if (lock_) return {};
        auto file = TRY(open_in(handle_.number(), "lock", O_RDWR | O_CREAT, path_of("lock")));
        if (::flock(handle_.number(), LOCK_EX | LOCK_NB) != 0 && !has_no_directory_locks(errno)) {
            return not_locked(directory_);
        }
        if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
            auto refused = not_locked(path_of("lock"));
            (void)::flock(handle_.number(), LOCK_UN);
            return refused;
        }
        lock_ = std::make_unique<Descriptor>(std::move(file));
        auto mark = open_shared(kHighWaterName, Mode::ReadWrite);
        if (mark) {
            mark_ = *std::move(mark);
        } else if (mark.error().fault != Fault::NotFound) {
            lock_.reset();
            (void)::flock(handle_.number(), LOCK_UN);
            return tl::unexpected(std::move(mark).error());
        }
        return {};
    }

  private:
    using Inode = std::pair<dev_t, ino_t>;

    Result<std::shared_ptr<Descriptor>> open_shared(const std::string& name, Mode mode) {
        const auto path = path_of(name);
        const bool is_journal = is_of_the_journal(name);
        const auto flags = flags_of(mode) | (is_journal ? O_NOFOLLOW : 0);
        auto file =
            std::make_shared<Descriptor>(TRY(open_in(handle_.number(), name.c_str(), flags, path)));
        if (!is_journal || mode == Mode::Read || !lock_) return file;
        return hold(std::move(file), path);
    }

    /// Locks a file before writing, so that no other process writes to the file under a different
    /// name. The lock lasts as long as the descriptor, so this process opens the file once.
    Result<std::shared_ptr<Descriptor>> hold(std::shared_ptr<Descriptor> file,
                                             const std::string& path) {
        struct stat status {};
        if (::fstat(file->number(), &status) != 0) return system_failure("look at", path);
        std::erase_if(held_, [](const auto& each) { return each.second.expired(); });
        auto& held = held_[Inode{status.st_dev, status.st_ino}];
        if (auto same = held.lock()) return same;
        if (::flock(file->number(), LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK) return system_failure("lock", path);
            return fail(Fault::Unavailable,
                        fmt::format("another hub is writing to {}, under this or another name; a "
                                    "copy of a data directory needs files of its own, not links",
                                    path));
        }
        held = file;
        return file;
    }

    Result<void> not_locked(const std::string& path) const {
        if (errno != EWOULDBLOCK) return system_failure("lock", path);
        return fail(Fault::Unavailable,
                    fmt::format("another hub is using the data in {}", directory_));
    }

    std::string path_of(const std::string& name) const { return directory_ + "/" + name; }

    std::string directory_;
    Descriptor handle_;
    std::mutex mutex_;
    std::unique_ptr<Descriptor> lock_;
    std::shared_ptr<Descriptor> mark_;  ///< The high-water mark that existed at the lock.
    std::map<Inode, std::weak_ptr<Descriptor>> held_;
};

/// True if the directory did not exist before.
Result<bool> make_directory(const std::string& directory) {
    if (::mkdir(directory.c_str(), 0750) == 0) return true;
    if (errno == EEXIST) return false;
    return system_failure("create", directory);
}

Result<void> sync_parent(const std::string& directory) {
    const auto parent = std::filesystem::absolute(directory).lexically_normal();
    const auto path = (parent.has_filename() ? parent : parent.parent_path()).parent_path();
    const auto handle = TRY(open_path(path.string(), O_RDONLY | O_DIRECTORY));
    if (::fsync(handle.number()) != 0) return system_failure("sync", path.string());
    return {};
}

}  // namespace

Result<std::unique_ptr<Disk>> open_posix_disk(const std::string& directory, bool create) {
    if (create && TRY(make_directory(directory))) TRY(sync_parent(directory));
    auto handle = TRY(open_path(directory, O_RDONLY | O_DIRECTORY));
    return std::make_unique<PosixDisk>(directory, std::move(handle));
}

}  // namespace parlance::journal
