// Whether an agent routes a request or handles it locally (K9): the contract's two lists as rules
// over facts.
//
// The first matching rule decides, so the order is the precedence: an agent handles its own
// capabilities itself; only then is a better agent considered.
#pragma once

#include <array>
#include <string_view>

namespace parlance::intents {

/// Facts about a request that an agent, the requester, holds.
struct Situation {
    bool is_own = false;           ///< The requester has the capability itself.
    bool has_target = false;       ///< Another agent, the target, has the capability.
    bool is_named = false;         ///< By the requester; else by the classifier.
    bool is_sure = false;          ///< The classifier's confidence reaches the threshold.
    bool same_domain = false;      ///< The target works in the requester's domain.
    bool lacks_data = false;       ///< The requester reports missing data.
    bool is_target_there = false;  ///< The target is alive and its breaker is closed.
};

struct RoutingRule {
    bool routes;
    std::string_view words;  ///< The contract's wording.
    bool (*fits)(const Situation&);
};

// clang-format off
inline constexpr std::array kRoutingRules{
    RoutingRule{true, "Current agent lacks data or context other agent has",
                [](const Situation& s) { return s.lacks_data && s.has_target; }},
    RoutingRule{false, "Local handling would produce equivalent result",
                [](const Situation& s) { return s.is_own && s.has_target; }},
    RoutingRule{false, "Request is within agent primary scope",
                [](const Situation& s) { return s.is_own; }},
    RoutingRule{true, "Request requires capability registered to another agent",
                [](const Situation& s) { return s.has_target && s.is_named; }},
    RoutingRule{false, "Request is simple enough to handle without specialization",
                [](const Situation& s) { return !s.has_target || !s.is_sure; }},
    RoutingRule{false, "Routing would introduce unnecessary latency",
                [](const Situation& s) { return !s.is_target_there; }},
    RoutingRule{true, "User intent clearly maps to different agent domain",
                [](const Situation& s) { return !s.same_domain; }},
    RoutingRule{true, "Specialized expertise would produce better result",
                [](const Situation&) { return true; }},
};
// clang-format on

/// Some rule always matches: the last rule has no condition.
constexpr const RoutingRule& routing_rule(const Situation& situation) {
    for (const RoutingRule& rule : kRoutingRules) {
        if (rule.fits(situation)) return rule;
    }
    return kRoutingRules.back();
}

}  // namespace parlance::intents
