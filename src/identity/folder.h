// DATA/identity: keys, and the records of issued tokens and certificates. Readable by its owner
// alone; every file is whole or absent, even after a crash, and one program at a time changes the
// folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace parlance::identity {

/// Detects a replaced file. Files are replaced, never changed in place.
struct Stamp {
    std::uint64_t inode = 0;  ///< 0: no such file.
    std::int64_t size = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const Stamp&) const = default;
};

Stamp stamp_of(const std::string& path);

class Folder {
  public:
    explicit Folder(const std::string& data) : data_(data), path_(data + "/identity") {}

    std::string path_of(std::string_view name) const { return path_ + "/" + std::string{name}; }
    Stamp stamp(std::string_view name) const { return stamp_of(path_of(name)); }
    /// Nothing if the file does not exist.
    Result<std::optional<std::string>> read(std::string_view name) const;
    /// As read(), but fails if other users may read the file.
    Result<std::optional<std::string>> read_secret(std::string_view name) const;
    /// Durable on return. Needs the lock.
    Result<void> write(std::string_view name, std::string_view bytes) const;

    /// A secret of random bytes, made on first use. Durable on return. Needs the lock.
    Result<std::string> secret(std::string_view name) const;

    /// Fault::NotFound if the data directory does not exist: a revocation there would have no
    /// effect.
    Result<void> check_is_there() const;

    class Lock;
    /// Makes the folder if need be, and waits for the lock's present holder.
    Result<Lock> lock() const;

  private:
    std::string data_;
    std::string path_;
};

/// Excludes other writers of the folder during its lifetime.
class Folder::Lock {
  public:
    explicit Lock(int descriptor) : descriptor_(descriptor) {}
    Lock(Lock&& other) noexcept;
    Lock& operator=(Lock&&) = delete;
    ~Lock();

  private:
    friend class Folder;
    int descriptor_;
};

}  // namespace parlance::identity
