// How many messages somebody sent in this minute. Kept only for whom the policy has a limit.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/time.h"

namespace parlance::core::governor {

struct Rate {
    Time since{};
    std::uint64_t count = 0;
};

/// By the same names as accounts.
using Rates = std::map<std::string, Rate, std::less<>>;
inline constexpr Duration kRateWindow{std::chrono::minutes{1}};

inline std::uint64_t count_at(const Rates& rates, std::string_view name, Time now) {
    const auto found = rates.find(name);
    if (found == rates.end() || now - found->second.since >= kRateWindow) return 0;
    return found->second.count;
}

/// How long it is until the minute that is counted is over, and the next one is taken.
inline Duration wait_at(const Rates& rates, std::string_view name, Time now) {
    const auto found = rates.find(name);
    return found == rates.end() ? Duration{} : found->second.since + kRateWindow - now;
}

inline void count(Rates& rates, const std::string& name, Time now) {
    auto& rate = rates[name];
    if (now - rate.since >= kRateWindow) rate = {.since = now};
    ++rate.count;
}

}  // namespace parlance::core::governor
