// How many messages somebody sent in this minute. Kept only for whom the policy has a limit.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/time.h"

namespace parlance::core::governor {

struct Rate {
    Time since{};
    std::uint64_t count = 0;
};

/// Only those whose minute is not over: whoever was ever named is not kept.
struct Rates {
    std::map<std::string, Rate, std::less<>> by_name;  ///< The same names as accounts have.
    std::set<std::pair<Time, std::string>> begun;      ///< Found again from it: the oldest first.
};
inline constexpr Duration kRateWindow{std::chrono::minutes{1}};

inline std::uint64_t count_at(const Rates& rates, std::string_view name, Time now) {
    const auto found = rates.by_name.find(name);
    if (found == rates.by_name.end() || now - found->second.since >= kRateWindow) return 0;
    return found->second.count;
}

/// How long it is until the minute that is counted is over, and the next one is taken.
inline Duration wait_at(const Rates& rates, std::string_view name, Time now) {
    const auto found = rates.by_name.find(name);
    return found == rates.by_name.end() ? Duration{} : found->second.since + kRateWindow - now;
}

/// As a snapshot has it.
inline void put_rate(Rates& rates, std::string name, const Rate& rate) {
    rates.begun.emplace(rate.since, name);
    rates.by_name.emplace(std::move(name), rate);
}

inline void count(Rates& rates, const std::string& name, Time now) {
    auto& begun = rates.begun;
    while (!begun.empty() && now - begun.begin()->first >= kRateWindow) {
        rates.by_name.erase(begun.begin()->second);
        begun.erase(begun.begin());
    }
    const auto found = rates.by_name.find(name);
    if (found == rates.by_name.end()) return put_rate(rates, name, {.since = now, .count = 1});
    ++found->second.count;
}

}  // namespace parlance::core::governor
