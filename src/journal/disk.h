// Everything the journal needs from a disk. The real disk is posix_disk.h; the simulator's disk
// tears, loses and refuses writes. Names are file names inside one directory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parlance::journal {

/// Identifies a file, whatever name the file has at the moment.
struct FileId {
    std::uint64_t device = 0;
    std::uint64_t number = 0;
    bool operator==(const FileId&) const = default;
};

class File {
  public:
    File() = default;
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    virtual ~File() = default;

    /// Writes all bytes or fails; Fault::Exhausted when the disk is full.
    virtual Result<void> write_at(std::uint64_t offset, std::string_view bytes) = 0;
    /// Reads up to bytes.size(); fewer only at the end of the file. Corrupt: the disk cannot read
    /// some of the bytes; the bytes before the first unreadable byte may have been filled in.
    virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) = 0;
    /// On return the data, and the metadata needed to read the data back, are durable.
    virtual Result<void> sync() = 0;
    virtual Result<std::uint64_t> size() = 0;
    virtual Result<FileId> id() = 0;
    /// Lets the system drop the file's durable bytes from memory: nobody is expected to read them
    /// soon.
    virtual void let_go() {}
};

class Disk {
  public:
    Disk() = default;
    Disk(const Disk&) = delete;
    Disk& operator=(const Disk&) = delete;
    virtual ~Disk() = default;

    enum class Mode { Read, ReadWrite, Create };  ///< Create fails if the file exists.

    virtual Result<std::unique_ptr<File>> open(const std::string& name, Mode mode) = 0;
    virtual Result<std::vector<std::string>> list() = 0;
    /// The id of the file that has this name now.
    virtual Result<FileId> id_of(const std::string& name) = 0;
    virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
    /// The file has both names from here on. Not every file system can.
    virtual Result<void> link(const std::string& from, const std::string& to) = 0;
    virtual Result<void> remove(const std::string& name) = 0;
    /// Creations, renames and removals so far are durable on return.
    virtual Result<void> sync_directory() = 0;
    /// Makes this process the only writer until the disk is closed. A journal that will write takes
    /// the lock; a reader takes no lock.
    virtual Result<void> lock() { return {}; }
};

}  // namespace parlance::journal
