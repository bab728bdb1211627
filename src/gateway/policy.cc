#include "gateway/policy.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/json_write.h"
#include "dialects/fields.h"
#include "model/envelope.h"
#include "model/names.h"

namespace parlance::gateway {

namespace {

Result<void> read_rules(json::Value rules, const Scope& scope, Settings& settings) {
    const auto where = name_of(scope);
    if (!rules.is_object()) {
        return fail(
            Fault::Malformed,
            fmt::format("{} must be a table of rules, not {}", where, json::shortened(rules.raw)));
    }
    for (json::Members members{rules}; members.next();) {
        const auto row = std::ranges::find(kRules, members.key, &RuleRow::name);
        if (row == kRules.end()) {
            return fail(
                Fault::Malformed,
                fmt::format("{}: there is no rule '{}'", where, json::shortened(members.key)));
        }
        const auto value = members.value.integer();
        if (!value || *value < row->least || *value > row->most) {
            return fail(Fault::Malformed,
                        fmt::format("{}: {} must be a whole number from {} to {}, not {}",
                                    where,
                                    row->name,
                                    row->least,
                                    row->most,
                                    json::shortened(members.value.raw)));
        }
        if (auto flaw = misplacement(row->rule, scope); !flaw.empty()) {
            return fail(Fault::Malformed, std::move(flaw));
        }
        settings[{row->rule, scope}] = *value;
    }
    return {};
}

/// A name is a word in a line of the policy's text form, and so has no spaces.
bool is_name(std::string_view name) {
    return !name.empty() && name.size() <= kIdBytesMax && std::ranges::all_of(name, [](char c) {
        return static_cast<unsigned char>(c) > ' ' && c != '\x7f';
    });
}

std::vector<std::string_view> platforms() {
    std::vector<std::string_view> names;
    names.reserve(kEnumNames<Dialect>.size());
    for (const auto& row : kEnumNames<Dialect>) names.push_back(row.name);
    return names;
}

/// Two rules of a scope: `lower` must not exceed `upper`, unless `upper` is 0, which sets no bound.
struct Order {
    Rule lower;
    Rule upper;
};
constexpr std::array kOrders{Order{Rule::RiskLow, Rule::RiskHigh},
                             Order{Rule::IntentThinkablePercent, Rule::IntentSurePercent}};

Result<void> check_orders(const Settings& settings) {
    for (const auto& [lower_rule, upper_rule] : kOrders) {
        for (const auto& [key, lower] : settings) {
            if (key.first != lower_rule) continue;
            const auto upper = settings.find({upper_rule, key.second});
            if (upper == settings.end() || upper->second == 0 || lower <= upper->second) continue;
            const auto& scope = key.second;
            return fail(Fault::Malformed,
                        fmt::format("{}: {} must be at most {}, which is {}, not {}",
                                    name_of(scope),
                                    kRules[static_cast<std::size_t>(lower_rule)].name,
                                    kRules[static_cast<std::size_t>(upper_rule)].name,
                                    upper->second,
                                    lower));
        }
    }
    return {};
}

}  // namespace

bool is_chain(std::string_view chain) {
    const auto middle = chain.find('>');
    return middle != std::string_view::npos && middle > 0 && middle + 1 < chain.size() &&
           chain.find('>', middle + 1) == std::string_view::npos;
}

Result<Settings> read_settings(json::Value policy) {
    if (!policy.is_object()) return fail(Fault::Malformed, "a policy must be an object");
    Settings settings;
    for (json::Members scopes{policy}; scopes.next();) {
        const auto kind = std::ranges::find(kScopeNames, scopes.key);
        if (kind == kScopeNames.end()) {
            return fail(Fault::Malformed,
                        fmt::format("'{}' must be hub, platform, agent, capability, user or chain",
                                    json::shortened(scopes.key)));
        }
        const auto scope = static_cast<ScopeKind>(kind - kScopeNames.begin());
        if (scope == ScopeKind::Hub) {
            TRY(read_rules(scopes.value, {}, settings));
            continue;
        }
        if (!scopes.value.is_object()) {
            return fail(Fault::Malformed, fmt::format("{} must be a table of names", *kind));
        }
        for (json::Members names{scopes.value}; names.next();) {
            if (!is_name(names.key)) {
                return fail(
                    Fault::Malformed,
                    fmt::format("{}: '{}' must be a name without spaces, of at most {} bytes",
                                *kind,
                                json::shortened(names.key),
                                kIdBytesMax));
            }
            const auto known = platforms();
            if (scope == ScopeKind::Platform &&
                std::ranges::find(known, names.key) == known.end()) {
                return fail(Fault::Malformed,
                            fmt::format("platform: '{}' must be {}: there is no other",
                                        json::shortened(names.key),
                                        dialects::listed(known)));
            }
            if (scope == ScopeKind::Chain && !is_chain(names.key)) {
                return fail(Fault::Malformed,
                            fmt::format("chain: '{}' must be two names with > between them, as in "
                                        "\"prime-boss>byte-doc\" or \"kessel>*\"",
                                        json::shortened(names.key)));
            }
            TRY(read_rules(names.value, {scope, std::string{names.key}}, settings));
        }
    }
    TRY(check_orders(settings));
    return settings;
}

std::string write_settings(const Settings& settings) {
    std::map<Scope, json::ObjectWriter> tables;
    for (const auto& [key, value] : settings) {
        tables[key.second].integer(kRules[static_cast<std::size_t>(key.first)].name, value);
    }
    json::ObjectWriter out;
    std::map<ScopeKind, json::ObjectWriter> named;
    for (auto& [scope, table] : tables) {
        if (scope.kind == ScopeKind::Hub) {
            out.raw("hub", table.done());
        } else {
            named[scope.kind].raw(scope.name, table.done());
        }
    }
    for (auto& [kind, table] : named) {
        out.raw(kScopeNames[static_cast<std::size_t>(kind)], table.done());
    }
    return out.done();
}

}  // namespace parlance::gateway
