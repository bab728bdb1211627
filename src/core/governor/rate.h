// How many messages somebody sent within the last minute, whenever that is: no sixty seconds have
// more than the limit. Kept only for whom the policy has a limit.
//
// The first few are known by their times, so that each leaves the minute when it is over for it.
// Of one who sends more, what comes within a second of a step leaves together with the last of it:
// that bounds what is kept of anybody to kStepsExact and a step for each second.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"

namespace parlance::core::governor {

/// What was sent from `since` to `last`, and counts until a minute after that.
struct RateStep {
    Time since{};
    Time last{};
    std::uint64_t count = 0;
};

struct Rate {
    std::vector<RateStep> steps;  ///< The oldest first; the last one is what was last sent.
};

/// Only those who sent something in the last minute: whoever was ever named is not kept.
struct Rates {
    std::map<std::string, Rate, std::less<>> by_name;  ///< The same names as accounts have.
    /// Found again from it: when each is to be looked at, the soonest first.
    std::set<std::pair<Time, std::string>> due;
};
inline constexpr Duration kRateWindow{std::chrono::minutes{1}};
inline constexpr Duration kRateStep{std::chrono::seconds{1}};
inline constexpr std::size_t kStepsExact = 64;

inline std::uint64_t count_at(const Rates& rates, std::string_view name, Time now) {
    const auto found = rates.by_name.find(name);
    if (found == rates.by_name.end()) return 0;
    std::uint64_t count = 0;
    for (const auto& step : found->second.steps) {
        if (now - step.last < kRateWindow) count += step.count;
    }
    return count;
}

/// How long it is until no more than `most` of what was sent count.
inline Duration wait_at(const Rates& rates, std::string_view name, Time now, std::uint64_t most) {
    auto count = count_at(rates, name, now);
    const auto found = rates.by_name.find(name);
    if (count <= most || found == rates.by_name.end()) return {};
    for (const auto& step : found->second.steps) {
        if (now - step.last >= kRateWindow) continue;
        count -= step.count;
        if (count <= most) return step.last + kRateWindow - now;
    }
    return kRateWindow;
}

/// As a snapshot has it.
inline void put_rate(Rates& rates, std::string name, Rate rate) {
    rates.due.emplace(rate.steps.front().last, name);
    rates.by_name.emplace(std::move(name), std::move(rate));
}

/// Forgets what is older than a minute of whoever's oldest is.
inline void forget_old(Rates& rates, Time now) {
    while (!rates.due.empty() && now - rates.due.begin()->first >= kRateWindow) {
        const auto name = rates.due.begin()->second;
        rates.due.erase(rates.due.begin());
        auto rate = rates.by_name.extract(name);
        auto& steps = rate.mapped().steps;
        std::erase_if(steps, [&](const RateStep& step) { return now - step.last >= kRateWindow; });
        if (steps.empty()) continue;
        rates.due.emplace(steps.front().last, name);
        rates.by_name.insert(std::move(rate));
    }
}

inline void count(Rates& rates, const std::string& name, Time now) {
    forget_old(rates, now);
    const auto found = rates.by_name.find(name);
    const RateStep sent{.since = now, .last = now, .count = 1};
    if (found == rates.by_name.end()) return put_rate(rates, name, {.steps = {sent}});
    auto& steps = found->second.steps;
    auto& step = steps.back();
    const auto width = steps.size() < kStepsExact ? Duration{} : kRateStep;
    if (now - step.since > width) return steps.push_back(sent);
    // Of a single step, it is the one by which the name is found again.
    if (steps.size() == 1) rates.due.erase({step.last, name});
    step.last = std::max(step.last, now);
    ++step.count;
    if (steps.size() == 1) rates.due.emplace(step.last, name);
}

}  // namespace parlance::core::governor
