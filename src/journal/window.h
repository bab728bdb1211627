// A file seen through a buffer that slides forward, so that small things are read in large blocks.
//
// A disk with a bad sector fails every read that touches the sector. The window then reads in small
// steps, and fills the bytes of a failed step with a byte that is not zero: no checksum holds over
// such bytes, and nobody takes them for blank ones. To its users they are damaged bytes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "journal/disk.h"

namespace parlance::journal {

class Window {
  public:
    static Result<std::unique_ptr<Window>> open(Disk& disk, const std::string& name);

    /// The bytes there; fewer only at the end of the file. Valid until the next call.
    Result<std::string_view> at(std::uint64_t offset, std::uint64_t bytes);
    /// Which of these bytes the disk could not read when they were last read, and why: "bytes 4096
    /// to 8191: cannot read …". Empty: it could read all of them.
    std::string unreadable(std::uint64_t offset, std::uint64_t bytes) const;
    /// What was read so far may have changed since: read it again.
    void forget() { filled_bytes_ = 0; }

    /// Nobody is expected to read this file again soon.
    void let_go() { file_->let_go(); }

    std::uint64_t file_bytes() const { return file_bytes_; }

  private:
    Window(std::unique_ptr<File> file, std::uint64_t file_bytes)
        : file_(std::move(file)), file_bytes_(file_bytes) {}

    Result<std::size_t> fill(std::uint64_t offset, std::span<char> bytes);
    Result<std::size_t> fill_in_steps(std::uint64_t offset, std::span<char> bytes);
    void forget_unreadable(std::uint64_t begin, std::uint64_t end);

    std::unique_ptr<File> file_;
    std::uint64_t file_bytes_;
    std::unique_ptr<char[]> buffer_;
    std::uint64_t buffer_bytes_ = 0;
    std::uint64_t filled_from_ = 0;
    std::uint64_t filled_bytes_ = 0;
    std::map<std::uint64_t, std::uint64_t> unreadable_;  ///< Where steps that failed begin and end.
    std::string why_unreadable_;
};

}  // namespace parlance::journal
