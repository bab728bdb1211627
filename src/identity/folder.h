// DATA/identity: keys, and who has been given what. For its owner's eyes only; every file in it is
// whole or not there, also after a crash, and one program at a time changes it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace parlance::identity {

/// Whether a file is still the one that was read. Files are replaced, never changed.
struct Stamp {
    std::uint64_t inode = 0;  ///< 0: not there.
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
    /// Nothing if it is not there.
    Result<std::optional<std::string>> read(std::string_view name) const;
    /// As read(), of a file that nobody else may read.
    Result<std::optional<std::string>> read_secret(std::string_view name) const;
    /// Durable on return. Needs the lock.
    Result<void> write(std::string_view name, std::string_view bytes) const;

    /// A secret of random bytes, made when it is first asked for. Durable on return. Needs the
    /// lock.
    Result<std::string> secret(std::string_view name) const;

    /// Fault::NotFound if there is no such data: what is to be taken back is elsewhere.
    Result<void> check_is_there() const;

    class Lock;
    /// Makes the folder if need be, and waits for whoever has it.
    Result<Lock> lock() const;

  private:
    std::string data_;
    std::string path_;
};

/// Nobody else changes the folder while this lives.
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
