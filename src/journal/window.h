// A file seen through a buffer that slides forward, so that small items are read in large blocks.
//
// A disk with a bad sector fails every read that touches the sector. The window then reads in small
// steps, and fills the bytes of a failed step with a non-zero byte: no checksum matches such bytes,
// and no caller takes them for blank. The window's users see damaged bytes.
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

    /// The bytes at `offset`; fewer only at the end of the file. Valid until the next call.
    Result<std::string_view> at(std::uint64_t offset, std::uint64_t bytes);
    /// Which of these bytes the disk could not read on the last attempt, and why: "bytes 4096 to
    /// 8191: cannot read …". Empty: all bytes were read.
    std::string unreadable(std::uint64_t offset, std::uint64_t bytes) const;
    /// The file may have changed since the last read: read the bytes again.
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
    std::map<std::uint64_t, std::uint64_t> unreadable_;  ///< Begins and ends of failed steps.
    std::string why_unreadable_;
};

}  // namespace parlance::journal
