#include "core/governor/purse.h"

namespace parlance::core::governor {

namespace {

__extension__ using Wide = unsigned __int128;

bool is_over(const Account& account, Time now, Duration window) {
    return now - account.since >= window;
}

Account& current(Accounts& accounts, const std::string& name, Time now, Duration window) {
    auto& account = accounts[name];
    if (is_over(account, now, window)) {
        account.purse.spent = 0;
        account.since = now;
    }
    return account;
}

}  // namespace

std::uint64_t scaled(std::uint64_t amount, std::uint64_t part, std::uint64_t whole) {
    return static_cast<std::uint64_t>(std::min<Wide>(Wide{amount} * part / whole, kNoLimit));
}

std::string agent_account(std::string_view agent) { return "agent " + std::string{agent}; }
std::string user_account(std::string_view user) { return "user " + std::string{user}; }

Purse purse_at(const Accounts& accounts, std::string_view name, Time now, Duration window) {
    const auto found = accounts.find(name);
    if (found == accounts.end()) return {};
    auto purse = found->second.purse;
    if (is_over(found->second, now, window)) purse.spent = 0;
    return purse;
}

void reserve(
    Accounts& accounts, const std::string& name, std::uint64_t amount, Time now, Duration window) {
    if (amount > 0) reserve(current(accounts, name, now, window).purse, amount);
}

void settle(Accounts& accounts,
            const std::string& name,
            std::uint64_t amount,
            std::uint64_t spent,
            Time now,
            Duration window) {
    if (amount == 0) return;
    const auto found = accounts.find(name);
    if (found == accounts.end()) return;
    settle(current(accounts, name, now, window).purse, amount, spent);
    // Nobody need remember an account of which nothing is open or spent.
    if (found->second.purse == Purse{}) accounts.erase(found);
}

}  // namespace parlance::core::governor
