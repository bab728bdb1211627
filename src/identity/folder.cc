#include "identity/folder.h"

#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/secret.h"

namespace parlance::identity {

namespace {

constexpr mode_t kOwnerOnly = 0600;
constexpr mode_t kOthers = 077;
constexpr std::size_t kSecretBytes = 32;

Result<void> make_directory(const std::string& path, mode_t mode) {
    if (::mkdir(path.c_str(), mode) == 0 || errno == EEXIST) return {};
    return system_failure("create", path);
}

Result<void> write_all(const Descriptor& file, std::string_view bytes, const std::string& path) {
    while (!bytes.empty()) {
        const auto written = ::write(file.number(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return system_failure("write", path);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fsync(file.number()) != 0) return system_failure("sync", path);
    return {};
}

Result<std::string> read_all(const Descriptor& file, const std::string& path) {
    std::string bytes;
    std::array<char, 16384> piece{};
    for (;;) {
        const auto count = ::read(file.number(), piece.data(), piece.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return system_failure("read", path);
        if (count == 0) return bytes;
        bytes.append(piece.data(), static_cast<std::size_t>(count));
    }
}

}  // namespace

Stamp stamp_of(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return {};
    return {.inode = status.st_ino,
            .size = status.st_size,
            .changed_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
}

Result<std::optional<std::string>> Folder::read(std::string_view name) const {
    const auto path = path_of(name);
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.number() < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
    if (file.number() < 0) return system_failure("open", path);
    return TRY(read_all(file, path));
}

Result<std::optional<std::string>> Folder::read_secret(std::string_view name) const {
    struct stat status {};
    const auto path = path_of(name);
    if (::stat(path.c_str(), &status) == 0 && (status.st_mode & kOthers) != 0) {
        return fail(Fault::Unavailable,
                    fmt::format("{} is a secret that others may read; chmod 600 it", path));
    }
    return read(name);
}

Result<void> Folder::write(std::string_view name, std::string_view bytes) const {
    const auto path = path_of(name);
    const auto fresh = path + ".tmp";
    ::unlink(fresh.c_str());  // Left by a program that died here.
    {
        const Descriptor file{
            ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly)};
        if (file.number() < 0) return system_failure("create", fresh);
        TRY(write_all(file, bytes, fresh));
    }
    if (::rename(fresh.c_str(), path.c_str()) != 0) return system_failure("rename", fresh);
    const Descriptor folder{::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (folder.number() < 0 || ::fsync(folder.number()) != 0) return system_failure("sync", path_);
    return {};
}

Result<std::string> Folder::secret(std::string_view name) const {
    if (auto key = TRY(read_secret(name))) {
        if (key->size() == kSecretBytes) return *std::move(key);
        return fail(Fault::Corrupt,
                    fmt::format("{} is not the secret that the hub made", path_of(name)));
    }
    auto key = random_bytes(kSecretBytes);
    TRY(write(name, key));
    return key;
}

Result<void> Folder::check_is_there() const {
    if (stamp_of(data_) != Stamp{}) return {};
    return fail(Fault::NotFound,
                fmt::format("there is no '{}', and so nothing that was given out; is --data right?",
                            data_));
}

Result<Folder::Lock> Folder::lock() const {
    TRY(make_directory(data_, 0750));
    TRY(make_directory(path_, 0700));
    const auto path = path_of("lock");
    Lock lock{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly)};
    if (lock.descriptor_ < 0) return system_failure("open", path);
    while (::flock(lock.descriptor_, LOCK_EX) != 0) {
        if (errno != EINTR) return system_failure("lock", path);
    }
    return lock;
}

Folder::Lock::Lock(Lock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Folder::Lock::~Lock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace parlance::identity
