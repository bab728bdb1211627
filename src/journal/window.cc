#include "journal/window.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace parlance::journal {

namespace {

constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 20;
/// The unit in which systems read from a disk: a bad sector makes this many bytes unreadable.
constexpr std::uint64_t kStepBytes = 4096;
constexpr char kUnreadable = '\xBD';

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
        filled_bytes_ = TRY(fill(offset, {buffer_.get(), block}));
        filled_from_ = offset;
        bytes = std::min(bytes, filled_bytes_);
    }
    return std::string_view{buffer_.get() + (offset - filled_from_), bytes};
}

std::string Window::unreadable(std::uint64_t offset, std::uint64_t bytes) const {
    auto step = unreadable_.upper_bound(offset);
    if (step != unreadable_.begin() && std::prev(step)->second > offset) --step;
    if (step == unreadable_.end() || step->first >= offset + bytes) return {};
    const auto begin = step->first;
    auto end = begin;
    for (; step != unreadable_.end() && step->first == end; ++step) end = step->second;
    return fmt::format("bytes {} to {}: {}", begin, end - 1, why_unreadable_);
}

Result<std::size_t> Window::fill(std::uint64_t offset, std::span<char> bytes) {
    forget_unreadable(offset, offset + bytes.size());
    auto read = file_->read_at(offset, bytes);
    const bool is_unreadable = !read && read.error().fault == Fault::Corrupt;
    return is_unreadable ? fill_in_steps(offset, bytes) : read;
}

/// Keeps bytes that a failed read filled in before the bad bytes.
Result<std::size_t> Window::fill_in_steps(std::uint64_t offset, std::span<char> bytes) {
    std::size_t filled = 0;
    while (filled < bytes.size()) {
        const auto at = offset + filled;
        const auto step = bytes.subspan(
            filled, std::min<std::size_t>(kStepBytes - at % kStepBytes, bytes.size() - filled));
        std::ranges::fill(step, kUnreadable);
        auto read = file_->read_at(at, step);
        if (!read && read.error().fault != Fault::Corrupt) return read;
        if (read && *read < step.size()) return filled + *read;
        if (!read) {
            unreadable_[at] = at + step.size();
            why_unreadable_ = read.error().message;
        }
        filled += step.size();
    }
    return filled;
}

void Window::forget_unreadable(std::uint64_t begin, std::uint64_t end) {
    const auto first = unreadable_.lower_bound(begin);
    if (first != unreadable_.begin()) {
        auto& end_before = std::prev(first)->second;
        end_before = std::min(end_before, begin);
    }
    unreadable_.erase(first, unreadable_.lower_bound(end));
}

}  // namespace parlance::journal
