// Message rates: how many messages a sender sent within any last minute; no sixty seconds have more
// than the limit. Kept only for senders with a limit in the policy.
//
// The first few messages are known by their exact times and leave the minute one by one. For busier
// senders, messages within a second of a step's begin leave together with the step's last: at most
// kStepsExact steps and a step for each second are kept per sender.
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

/// Messages sent from `since` to `last`; they count until a minute after `last`.
struct RateStep {
    Time since{};
    Time last{};
    std::uint64_t count = 0;
};

struct Rate {
    std::vector<RateStep> steps;  ///< The oldest first.
};

/// Only for senders with a message in the last minute; names alone are not kept.
struct Rates {
    std::map<std::string, Rate, std::less<>> by_name;  ///< The same names as accounts have.
    /// Derived from `by_name`: when a sender's oldest step ends, the soonest first.
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

/// How long until at most `most` of the messages count.
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

/// Adds a rate, as a snapshot has it.
inline void put_rate(Rates& rates, std::string name, Rate rate) {
    rates.due.emplace(rate.steps.front().last, name);
    rates.by_name.emplace(std::move(name), std::move(rate));
}

/// Forgets the steps older than a minute.
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
    // A single step is also the sender's entry in `due`.
    if (steps.size() == 1) rates.due.erase({step.last, name});
    step.last = std::max(step.last, now);
    ++step.count;
    if (steps.size() == 1) rates.due.emplace(step.last, name);
}

}  // namespace parlance::core::governor
