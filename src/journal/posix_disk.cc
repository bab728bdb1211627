#include "journal/posix_disk.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"

namespace parlance::journal {

namespace {

Result<Descriptor> open_path(const std::string& path, int flags) {
    int number = -1;
    do {
        number = ::open(path.c_str(), flags | O_CLOEXEC, 0640);
    } while (number < 0 && errno == EINTR);
    if (number < 0) return system_failure("open", path);
    return Descriptor{number};
}

class PosixFile final : public File {
  public:
    PosixFile(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}

    Result<void> write_at(std::uint64_t offset, std::string_view bytes) override {
        while (!bytes.empty()) {
            const auto written =
                ::pwrite(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
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
            const auto read = ::pread(file_.number(),
                                      bytes.data() + filled,
                                      bytes.size() - filled,
                                      static_cast<off_t>(offset + filled));
            if (read < 0 && errno == EINTR) continue;
            if (read < 0) return system_failure("read", path_);
            if (read == 0) break;
            filled += static_cast<std::size_t>(read);
        }
        return filled;
    }

    // Never tried again: after a failure the system may call pages clean that were not written.
    Result<void> sync() override {
        if (::fdatasync(file_.number()) != 0) return system_failure("sync", path_);
        return {};
    }

    Result<std::uint64_t> size() override {
        struct stat status {};
        if (::fstat(file_.number(), &status) != 0) return system_failure("look at", path_);
        return static_cast<std::uint64_t>(status.st_size);
    }

    // Only a hint: if it is not taken, nothing is lost but memory.
    void let_go() override { (void)::posix_fadvise(file_.number(), 0, 0, POSIX_FADV_DONTNEED); }

  private:
    std::string path_;
    Descriptor file_;
};

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

class PosixDisk final : public Disk {
  public:
    PosixDisk(std::string directory, Descriptor handle)
        : directory_(std::move(directory)), handle_(std::move(handle)) {}

    Result<std::unique_ptr<File>> open(const std::string& name, Mode mode) override {
        auto path = path_of(name);
        auto file = TRY(open_path(path, flags_of(mode)));
        return std::make_unique<PosixFile>(std::move(path), std::move(file));
    }

    Result<std::vector<std::string>> list() override {
        std::vector<std::string> names;
        std::error_code error;
        std::filesystem::directory_iterator entry{directory_, error};
        for (; !error && entry != std::filesystem::directory_iterator{}; entry.increment(error)) {
            names.push_back(entry->path().filename().string());
        }
        if (error) {
            return fail(fault_of(error.value()),
                        fmt::format("cannot list {}: {}", directory_, error.message()));
        }
        return names;
    }

    Result<void> rename(const std::string& from, const std::string& to) override {
        if (::rename(path_of(from).c_str(), path_of(to).c_str()) != 0) {
            return system_failure("rename", path_of(from));
        }
        return {};
    }

    Result<void> remove(const std::string& name) override {
        if (::unlink(path_of(name).c_str()) != 0) return system_failure("remove", path_of(name));
        return {};
    }

    Result<void> sync_directory() override {
        if (::fsync(handle_.number()) != 0) return system_failure("sync", directory_);
        return {};
    }

    Result<void> lock() override {
        const std::lock_guard guard{mutex_};
        if (lock_) return {};
        auto file = TRY(open_path(path_of("lock"), O_RDWR | O_CREAT));
        if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK) return system_failure("lock", path_of("lock"));
            return fail(Fault::Unavailable,
                        fmt::format("another hub is using the data in {}", directory_));
        }
        lock_ = std::make_unique<Descriptor>(std::move(file));
        return {};
    }

  private:
    std::string path_of(const std::string& name) const { return directory_ + "/" + name; }

    std::string directory_;
    Descriptor handle_;
    std::mutex mutex_;
    std::unique_ptr<Descriptor> lock_;
};

/// True if it was not there before.
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
