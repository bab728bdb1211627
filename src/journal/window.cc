#include "journal/window.h"

#include <algorithm>

namespace parlance::journal {

namespace {

constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 20;

}  // namespace

Result<std::unique_ptr<Window>> Window::open(Disk& disk, const std::string& name) {
    auto file = TRY(disk.open(name, Disk::Mode::Read));
    const auto bytes = TRY(file->size());
    return std::unique_ptr<Window>{new Window{std::move(file), bytes}};
}

Result<std::string_view> Window::at(std::uint64_t offset, std::uint64_t bytes) {
    if (offset >= file_bytes_) return std::string_view{};
    bytes = std::min(bytes, file_bytes_ - offset);
    if (offset < filled_from_ || offset + bytes > filled_from_ + filled_bytes_) {
        const auto block = std::min(std::max(bytes, kBlockBytes), file_bytes_ - offset);
        if (block > buffer_bytes_) {
            buffer_ = std::make_unique_for_overwrite<char[]>(block);
            buffer_bytes_ = block;
        }
        filled_bytes_ = 0;
        filled_bytes_ = TRY(file_->read_at(offset, {buffer_.get(), block}));
        filled_from_ = offset;
        bytes = std::min(bytes, filled_bytes_);
    }
    return std::string_view{buffer_.get() + (offset - filled_from_), bytes};
}

}  // namespace parlance::journal
