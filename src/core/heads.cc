#include "core/heads.h"

#include "base/check.h"

namespace parlance::core {

namespace {

/// So that heads which are all different cost little: what they take here, they take twice.
constexpr std::size_t kHeadsMax = 1'024;
/// A number takes one or two bytes; what is hardly longer wins nothing.
constexpr std::size_t kHeadBytesMin = 8;

}  // namespace

std::uint32_t Heads::keep(std::string_view head) {
    if (head.size() < kHeadBytesMin) return 0;
    if (const auto found = numbers_.find(head); found != numbers_.end()) {
        ++kept_[found->second - 1].blocks;
        return found->second;
    }
    if (numbers_.size() >= kHeadsMax) return 0;
    if (spare_.empty()) {
        kept_.emplace_back();
        spare_.push_back(static_cast<std::uint32_t>(kept_.size()));
    }
    const auto number = spare_.back();
    spare_.pop_back();
    kept_[number - 1] = {.bytes = std::string{head}, .blocks = 1};
    numbers_.emplace(head, number);
    return number;
}

void Heads::drop(std::uint32_t number) {
    if (number == 0) return;
    auto& kept = kept_[number - 1];
    CHECK(kept.blocks > 0);  // Whoever has the number was counted.
    if (--kept.blocks > 0) return;
    numbers_.erase(kept.bytes);
    kept = {};
    spare_.push_back(number);
}

}  // namespace parlance::core
