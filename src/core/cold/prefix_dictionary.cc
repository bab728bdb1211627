#include "core/cold/prefix_dictionary.h"

#include "base/check.h"

namespace parlance::core {

namespace {

/// Bounded, so that all-different prefixes cost little: a kept prefix takes its bytes twice.
constexpr std::size_t kPrefixesMax = 1'024;
/// A number takes one or two bytes; a prefix hardly longer than that wins nothing.
constexpr std::size_t kPrefixBytesMin = 8;

}  // namespace

std::uint32_t PrefixDictionary::keep(std::string_view prefix) {
    if (prefix.size() < kPrefixBytesMin) return 0;
    if (const auto found = numbers_.find(prefix); found != numbers_.end()) {
        ++kept_[found->second - 1].blocks;
        return found->second;
    }
    if (numbers_.size() >= kPrefixesMax) return 0;
    if (spare_.empty()) {
        kept_.emplace_back();
        spare_.push_back(static_cast<std::uint32_t>(kept_.size()));
    }
    const auto number = spare_.back();
    spare_.pop_back();
    kept_[number - 1] = {.bytes = std::string{prefix}, .blocks = 1};
    numbers_.emplace(prefix, number);
    return number;
}

void PrefixDictionary::drop(std::uint32_t number) {
    if (number == 0) return;
    auto& kept = kept_[number - 1];
    CHECK(kept.blocks > 0);  // Every block with the number was counted.
    if (--kept.blocks > 0) return;
    numbers_.erase(kept.bytes);
    kept = {};
    spare_.push_back(number);
}

}  // namespace parlance::core
