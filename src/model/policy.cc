#include "model/policy.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace parlance {

namespace {

std::optional<std::int64_t> set_for(const Policy& policy,
                                    Rule rule,
                                    ScopeKind kind,
                                    std::string_view name) {
    if (kind != ScopeKind::Hub && name.empty()) return {};
    const auto found = policy.settings.find({rule, Scope{kind, std::string{name}}});
    if (found == policy.settings.end()) return {};
    return found->second;
}

/// The next word of a line, and the line without it.
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

}  // namespace

Ruling ruling(const Policy& policy, Rule rule, const Subject& subject) {
    using Named = std::pair<ScopeKind, std::string_view>;
    for (const auto& [kind, name] : {Named{ScopeKind::User, subject.user},
                                     Named{ScopeKind::Capability, subject.capability},
                                     Named{ScopeKind::Agent, subject.agent},
                                     Named{ScopeKind::Platform, subject.platform},
                                     Named{ScopeKind::Hub, {}}}) {
        if (const auto value = set_for(policy, rule, kind, name)) {
            return {*value, {kind, std::string{name}}, false};
        }
    }
    return {kRules[static_cast<std::size_t>(rule)].preset, {}, true};
}

bool is_chain_enabled(const Policy& policy, const Chain& chain) {
    const auto first = policy.settings.lower_bound({Rule::ChainEnabled, Scope{}});
    if (first == policy.settings.end() || first->first.first != Rule::ChainEnabled) return true;
    constexpr std::string_view kAny = "*";
    using Ends = std::pair<std::string_view, std::string_view>;
    for (const auto& [from, to] : {Ends{chain.from, chain.to},
                                   Ends{chain.from, kAny},
                                   Ends{kAny, chain.to},
                                   Ends{chain.from_platform, chain.to_platform},
                                   Ends{chain.from_platform, kAny},
                                   Ends{kAny, chain.to_platform}}) {
        const auto name = std::string{from} + '>' + std::string{to};
        if (const auto value = set_for(policy, Rule::ChainEnabled, ScopeKind::Chain, name)) {
            return *value != 0;
        }
    }
    const Subject asker{.platform = chain.from_platform, .agent = chain.from};
    return ruling(policy, Rule::ChainEnabled, asker).value != 0;
}

std::string print_policy(const Settings& settings) {
    std::string out;
    for (const auto& [key, value] : settings) {
        const auto& [rule, scope] = key;
        out += kScopeNames[static_cast<std::size_t>(scope.kind)];
        if (scope.kind != ScopeKind::Hub) out += ' ' + scope.name;
        out += ' ';
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
