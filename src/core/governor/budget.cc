#include "core/governor/budget.h"

namespace parlance::core::governor {

namespace {

__extension__ using Wide = unsigned __int128;

bool is_over(const Account& account, Time now, Duration window) {
    return now - account.since >= window;
}

/// Forgets accounts whose window is over and that have no reservation. An account with a
/// reservation is handled when the reservation is settled.
void forget_past(Accounts& accounts, Time now, Duration window) {
    auto& begun = accounts.begun;
    while (!begun.empty() && now - begun.begin()->first >= window) {
        const auto found = accounts.by_name.find(begun.begin()->second);
        begun.erase(begun.begin());
        if (found->second.budget.reserved == 0) accounts.by_name.erase(found);
    }
}

Account& current(Accounts& accounts, const std::string& name, Time now, Duration window) {
    forget_past(accounts, now, window);
    auto& account = accounts.by_name[name];
    if (is_over(account, now, window)) {
        account.budget.spent = 0;
        account.since = now;
    }
    // Needed also for an account with a reservation and a past window, should the window have
    // become longer.
    accounts.begun.emplace(account.since, name);
    return account;
}

}  // namespace

std::uint64_t scaled(std::uint64_t amount, std::uint64_t part, std::uint64_t whole) {
    return static_cast<std::uint64_t>(std::min<Wide>(Wide{amount} * part / whole, kNoLimit));
}

std::string agent_account(std::string_view agent) { return "agent " + std::string{agent}; }
std::string user_account(std::string_view user) { return "user " + std::string{user}; }
std::string agent_cost_account(std::string_view agent) { return "cost " + agent_account(agent); }
std::string user_cost_account(std::string_view user) { return "cost " + user_account(user); }

Budget budget_at(const Accounts& accounts, std::string_view name, Time now, Duration window) {
    const auto found = accounts.by_name.find(name);
    if (found == accounts.by_name.end()) return {};
    auto budget = found->second.budget;
    if (is_over(found->second, now, window)) budget.spent = 0;
    return budget;
}

void put_account(Accounts& accounts, std::string name, const Account& account) {
    accounts.begun.emplace(account.since, name);
    accounts.by_name.emplace(std::move(name), account);
}

void reserve(
    Accounts& accounts, const std::string& name, std::uint64_t amount, Time now, Duration window) {
    if (amount > 0) reserve(current(accounts, name, now, window).budget, amount);
}

void settle(Accounts& accounts,
            const std::string& name,
            std::uint64_t amount,
            std::uint64_t spent,
            Time now,
            Duration window) {
    if (amount == 0) return;
    if (!accounts.by_name.contains(name)) return;
    auto& account = current(accounts, name, now, window);
    settle(account.budget, amount, spent);
    // An account without reservation or spending need not be remembered.
    if (account.budget != Budget{}) return;
    accounts.begun.erase({account.since, name});
    accounts.by_name.erase(name);
}

}  // namespace parlance::core::governor
