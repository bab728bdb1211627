#include "model/policy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "model/names.h"

namespace parlance {

namespace {

constexpr std::string_view kAny = "*";
using Ends = std::pair<std::string_view, std::string_view>;

/// A chain between platforms (or "*") is about platforms: an agent named like a platform gains
/// nothing from a chain enabled for the platform.
bool is_of_platforms(const Ends& ends) {
    const auto is_one = [](std::string_view end) {
        return end == kAny || std::ranges::any_of(kEnumNames<Dialect>,
                                                  [&](const auto& row) { return row.name == end; });
    };
    return is_one(ends.first) && is_one(ends.second);
}

const Settings::value_type* set_for(const Policy& policy,
                                    Rule rule,
                                    ScopeKind kind,
                                    std::string_view name) {
    if (kind != ScopeKind::Hub && name.empty()) return nullptr;
    const auto found = policy.settings.find({rule, Scope{kind, std::string{name}}});
    return found == policy.settings.end() ? nullptr : &*found;
}

/// Takes the next word off the line.
std::string_view take_word(std::string_view& line) {
    const auto end = std::min(line.find(' '), line.size());
    const auto word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

Result<void> read_line(std::string_view line, Settings& settings) {
    const std::string whole{line};
    const auto kind = std::ranges::find(kScopeNames, take_word(line));
    if (kind == kScopeNames.end()) {
        return fail(
            Fault::Malformed,
            "'" + whole + "' must begin with hub, platform, agent, capability, user or chain");
    }
    Scope scope{static_cast<ScopeKind>(kind - kScopeNames.begin()), {}};
    if (scope.kind != ScopeKind::Hub) scope.name = take_word(line);
    const auto name = take_word(line);
    const auto row = std::ranges::find(kRules, name, &RuleRow::name);
    if (row == kRules.end()) {
        return fail(Fault::Malformed, "there is no rule '" + std::string{name} + "'");
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    const bool is_number = error == std::errc{} && end == line.data() + line.size();
    if (!is_number || value < row->least || value > row->most) {
        return fail(Fault::Malformed,
                    std::string{name} + " must be a whole number from " +
                        std::to_string(row->least) + " to " + std::to_string(row->most) + ", not " +
                        std::string{line});
    }
    settings[{row->rule, std::move(scope)}] = value;
    return {};
}

using Setting = Settings::value_type;

/// Rules with up to this many settings are searched linearly; more use lookups.
constexpr int kFew = 8;

bool is_about(const Scope& scope, const Subject& subject) {
    switch (scope.kind) {
        case ScopeKind::Hub:
            return true;
        case ScopeKind::Platform:
            return scope.name == subject.platform;
        case ScopeKind::Agent:
            return scope.name == subject.agent;
        case ScopeKind::Capability:
            return scope.name == subject.capability;
        case ScopeKind::User:
            return scope.name == subject.user;
        case ScopeKind::Chain:
            break;
    }
    return false;
}

const Setting* look_up(const Policy& policy, Rule rule, const Subject& subject) {
    using Named = std::pair<ScopeKind, std::string_view>;
    for (const auto& [kind, name] : {Named{ScopeKind::User, subject.user},
                                     Named{ScopeKind::Capability, subject.capability},
                                     Named{ScopeKind::Agent, subject.agent},
                                     Named{ScopeKind::Platform, subject.platform},
                                     Named{ScopeKind::Hub, {}}}) {
        if (const auto* const setting = set_for(policy, rule, kind, name)) return setting;
    }
    return nullptr;
}

/// The most specific setting; null if none. The settings of a rule are adjacent, ordered from
/// general to specific.
const Setting* find_setting(const Policy& policy, Rule rule, const Subject& subject) {
    static_assert(ScopeKind::Hub < ScopeKind::Platform && ScopeKind::Platform < ScopeKind::Agent &&
                  ScopeKind::Agent < ScopeKind::Capability &&
                  ScopeKind::Capability < ScopeKind::User);
    const Setting* best = nullptr;
    int count = 0;
    for (auto at = policy.settings.lower_bound({rule, Scope{}});
         at != policy.settings.end() && at->first.first == rule;
         ++at) {
        if (++count > kFew) return look_up(policy, rule, subject);
        if (is_about(at->first.second, subject)) best = &*at;
    }
    return best;
}

}  // namespace

Ruling ruling(const Policy& policy, Rule rule, const Subject& subject) {
    const auto* const setting = find_setting(policy, rule, subject);
    if (setting != nullptr) return {setting->second, setting->first.second, false};
    return {kRules[static_cast<std::size_t>(rule)].preset, {}, true};
}

std::int64_t limit_of(const Policy& policy, Rule rule, const Subject& subject) {
    const auto* const setting = find_setting(policy, rule, subject);
    return setting != nullptr ? setting->second : kRules[static_cast<std::size_t>(rule)].preset;
}

Ruling chain_ruling(const Policy& policy, const Chain& chain) {
    const auto first = policy.settings.lower_bound({Rule::ChainEnabled, Scope{}});
    if (first == policy.settings.end() || first->first.first != Rule::ChainEnabled) {
        return {kRules[static_cast<std::size_t>(Rule::ChainEnabled)].preset, {}, true};
    }
    const auto find = [&](const Ends& ends) {
        const auto name = std::string{ends.first} + '>' + std::string{ends.second};
        return set_for(policy, Rule::ChainEnabled, ScopeKind::Chain, name);
    };
    const Setting* set = nullptr;
    for (const auto& ends :
         {Ends{chain.from, chain.to}, Ends{chain.from, kAny}, Ends{kAny, chain.to}}) {
        if (set == nullptr && !is_of_platforms(ends)) set = find(ends);
    }
    for (const auto& ends : {Ends{chain.from_platform, chain.to_platform},
                             Ends{chain.from_platform, kAny},
                             Ends{kAny, chain.to_platform},
                             Ends{kAny, kAny}}) {
        if (set == nullptr) set = find(ends);
    }
    if (set != nullptr) return {set->second, set->first.second, false};
    const Subject asker{.platform = chain.from_platform, .agent = chain.from};
    return ruling(policy, Rule::ChainEnabled, asker);
}

bool is_set(const Policy& policy, Rule rule) {
    const auto first = policy.settings.lower_bound({rule, Scope{}});
    return first != policy.settings.end() && first->first.first == rule;
}

bool limits_spending(const Policy& policy) {
    constexpr std::array kOfSpending{Rule::TokensPerDelegation,
                                     Rule::TokensPerRoot,
                                     Rule::TokensPerAgent,
                                     Rule::TokensInTotal,
                                     Rule::CostPerDelegation,
                                     Rule::CostPerRoot,
                                     Rule::CostPerAgent,
                                     Rule::CostInTotal};
    return std::ranges::any_of(kOfSpending, [&](Rule rule) {
        auto at = policy.settings.lower_bound({rule, Scope{}});
        for (; at != policy.settings.end() && at->first.first == rule; ++at) {
            if (at->second > 0) return true;
        }
        return false;
    });
}

std::string name_of(const Scope& scope) {
    std::string name{kScopeNames[static_cast<std::size_t>(scope.kind)]};
    return scope.kind == ScopeKind::Hub ? name : name + ' ' + scope.name;
}

std::string misplacement(Rule rule, const Scope& scope) {
    const auto& row = kRules[static_cast<std::size_t>(rule)];
    if (is_among(scope.kind, row.scopes)) return {};
    std::vector<std::string_view> places;
    for (std::size_t kind = 0; kind < kScopeNames.size(); ++kind) {
        if (is_among(static_cast<ScopeKind>(kind), row.scopes)) places.push_back(kScopeNames[kind]);
    }
    std::string out = name_of(scope) + ": ";
    out.append(row.name).append(" would do nothing there; it belongs to ");
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (i > 0) out += i + 1 < places.size() ? ", " : " or ";
        out += places[i];
    }
    return out;
}

std::string print_policy(const Settings& settings) {
    std::string out;
    for (const auto& [key, value] : settings) {
        const auto& [rule, scope] = key;
        out += name_of(scope) + ' ';
        out += kRules[static_cast<std::size_t>(rule)].name;
        out += ' ' + std::to_string(value) + '\n';
    }
    return out;
}

Result<Settings> parse_policy(std::string_view text) {
    Settings settings;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        if (end > 0) TRY(read_line(text.substr(0, end), settings));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return settings;
}

}  // namespace parlance
