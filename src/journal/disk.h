// All that the journal asks of a disk. The real one is posix_disk.h; the simulator has its own,
// which tears, loses and refuses. Names are file names inside one directory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parlance::journal {

/// Tells two files apart, whatever their names are at the moment.
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

    /// Writes all of it or fails; Fault::Exhausted when the disk is full.
    virtual Result<void> write_at(std::uint64_t offset, std::string_view bytes) = 0;
    /// Reads up to bytes.size(); fewer only at the end of the file. Corrupt: the disk cannot give
    /// some of the bytes; those in front of the first such byte may have been filled in.
    virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) = 0;
    /// The data, and the metadata needed to read it back, are durable on return.
    virtual Result<void> sync() = 0;
    virtual Result<std::uint64_t> size() = 0;
    virtual Result<FileId> id() = 0;
    /// What is durable need not stay in memory: nobody is expected to read it soon.
    virtual void let_go() {}
};

class Disk {
  public:
    Disk() = default;
    Disk(const Disk&) = delete;
    Disk& operator=(const Disk&) = delete;
    virtual ~Disk() = default;

    enum class Mode { Read, ReadWrite, Create };  ///< Create fails if the file is there.

    virtual Result<std::unique_ptr<File>> open(const std::string& name, Mode mode) = 0;
    virtual Result<std::vector<std::string>> list() = 0;
    /// Of the file that has this name now.
    virtual Result<FileId> id_of(const std::string& name) = 0;
    virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
    virtual Result<void> remove(const std::string& name) = 0;
    /// Creations, renames and removals so far are durable on return.
    virtual Result<void> sync_directory() = 0;
    /// This process is the only writer from here on, until the disk is closed. Asked for by a
    /// journal that will write; a reader takes no lock.
    virtual Result<void> lock() { return {}; }
};

}  // namespace parlance::journal
