// What may be spent: set aside on admission, settled with the answer, the rest given back.
//
// Amounts are whole numbers, of tokens or of millionths of the currency. Reserved plus spent never
// passes what is allowed; who spends more than was set aside is charged what was set aside.
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
/// What a delegation may spend that does not say how much, in the document that has budgets (X1).
inline constexpr std::uint64_t kTokensUsual = 1'200;

struct Purse {
    std::uint64_t reserved = 0;
    std::uint64_t spent = 0;
    bool operator==(const Purse&) const = default;
};

/// As bytes: packing.cc.
void put_purse(std::string& out, const Purse& purse);
Purse take_purse(ByteReader& in);

/// amount * part / whole, also where the product is larger than a word; the most if the result is.
std::uint64_t scaled(std::uint64_t amount, std::uint64_t part, std::uint64_t whole);

/// What is left if so much is allowed; 0 allows everything.
constexpr std::uint64_t left_in(const Purse& purse, std::uint64_t allowed) {
    if (allowed == 0) allowed = kNoLimit;  // Even then no more than can be counted.
    return allowed - std::min(allowed, purse.reserved + purse.spent);
}

constexpr void reserve(Purse& purse, std::uint64_t amount) { purse.reserved += amount; }
/// Of `amount` that was set aside so much was spent; the rest is free again.
constexpr void settle(Purse& purse, std::uint64_t amount, std::uint64_t spent) {
    purse.reserved -= std::min(amount, purse.reserved);
    purse.spent += std::min(amount, spent);
}

/// A purse that fills again when its window is over. What is set aside stays so.
struct Account {
    Purse purse;
    Time since{};
};

/// Only those of which something is set aside, or was spent in a window that is not over: whoever
/// was ever named is not kept.
struct Accounts {
    /// By "agent NAME", "user NAME" and "hub"; in money by "cost agent NAME", "cost user NAME" and,
    /// of the hub, "cost".
    std::map<std::string, Account, std::less<>> by_name;
    std::set<std::pair<Time, std::string>> begun;  ///< Found again from it: the oldest first.
};
/// As a snapshot has it.
void put_account(Accounts& accounts, std::string name, const Account& account);
inline constexpr std::string_view kHubAccount = "hub";
inline constexpr std::string_view kCostAccount = "cost";
std::string agent_account(std::string_view agent);
std::string user_account(std::string_view user);
std::string agent_cost_account(std::string_view agent);
std::string user_cost_account(std::string_view user);

/// The purse as it is at this time.
Purse purse_at(const Accounts& accounts, std::string_view name, Time now, Duration window);
void reserve(
    Accounts& accounts, const std::string& name, std::uint64_t amount, Time now, Duration window);
void settle(Accounts& accounts,
            const std::string& name,
            std::uint64_t amount,
            std::uint64_t spent,
            Time now,
            Duration window);

}  // namespace parlance::core::governor
