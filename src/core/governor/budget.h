// Budgets: reserved on admission, settled with the answer, the remainder released.
//
// Amounts are whole numbers: tokens, or millionths of the currency. Reserved plus spent never
// exceeds the limit; spending beyond a reservation is charged as the reservation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/time.h"

namespace parlance::core::governor {

inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
/// Tokens reserved for a delegation without a stated budget (X1).
inline constexpr std::uint64_t kTokensUsual = 1'200;

struct Budget {
    std::uint64_t reserved = 0;
    std::uint64_t spent = 0;
    bool operator==(const Budget&) const = default;
};

/// As bytes: encoding.cc.
void put_budget(std::string& out, const Budget& budget);
Budget take_budget(ByteReader& in);

/// amount * part / whole, rounded down, without overflow; capped at kNoLimit.
std::uint64_t scaled(std::uint64_t amount, std::uint64_t part, std::uint64_t whole);

/// Free budget under a limit; limit 0: no limit.
constexpr std::uint64_t left_in(const Budget& budget, std::uint64_t allowed) {
    if (allowed == 0) allowed = kNoLimit;  // Even then no more than can be counted.
    return allowed - std::min(allowed, budget.reserved + budget.spent);
}

constexpr void reserve(Budget& budget, std::uint64_t amount) { budget.reserved += amount; }
/// Releases a reservation of `amount`, of which `spent` was used.
constexpr void settle(Budget& budget, std::uint64_t amount, std::uint64_t spent) {
    budget.reserved -= std::min(amount, budget.reserved);
    budget.spent += std::min(amount, spent);
}

/// A budget whose spending starts from zero with every window. Reservations stay.
struct Account {
    Budget budget;
    Time since{};
};

/// Only accounts with a reservation, or with spending in a window not over; names alone are not
/// kept.
struct Accounts {
    /// By "agent NAME", "user NAME" and "hub"; for money by "cost agent NAME", "cost user NAME" and
    /// "cost" (the hub's).
    std::map<std::string, Account, std::less<>> by_name;
    std::set<std::pair<Time, std::string>> begun;  ///< Derived from `by_name`: the oldest first.
};
/// Adds an account, as a snapshot has it.
void put_account(Accounts& accounts, std::string name, const Account& account);
inline constexpr std::string_view kHubAccount = "hub";
inline constexpr std::string_view kCostAccount = "cost";
std::string agent_account(std::string_view agent);
std::string user_account(std::string_view user);
std::string agent_cost_account(std::string_view agent);
std::string user_cost_account(std::string_view user);

/// The budget as of `now`.
Budget budget_at(const Accounts& accounts, std::string_view name, Time now, Duration window);
void reserve(
    Accounts& accounts, const std::string& name, std::uint64_t amount, Time now, Duration window);
void settle(Accounts& accounts,
            const std::string& name,
            std::uint64_t amount,
            std::uint64_t spent,
            Time now,
            Duration window);

}  // namespace parlance::core::governor
