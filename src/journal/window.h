// A file seen through a buffer that slides forward, so that small things are read in large blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "journal/disk.h"

namespace parlance::journal {

class Window {
  public:
    static Result<std::unique_ptr<Window>> open(Disk& disk, const std::string& name);

    /// The bytes there; fewer only at the end of the file. Valid until the next call.
    Result<std::string_view> at(std::uint64_t offset, std::uint64_t bytes);
    /// What was read so far may have changed since: read it again.
    void forget() { filled_bytes_ = 0; }

    std::uint64_t file_bytes() const { return file_bytes_; }

  private:
    Window(std::unique_ptr<File> file, std::uint64_t file_bytes)
        : file_(std::move(file)), file_bytes_(file_bytes) {}

    std::unique_ptr<File> file_;
    std::uint64_t file_bytes_;
    std::unique_ptr<char[]> buffer_;
    std::uint64_t buffer_bytes_ = 0;
    std::uint64_t filled_from_ = 0;
    std::uint64_t filled_bytes_ = 0;
};

}  // namespace parlance::journal
