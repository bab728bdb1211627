// Route a request or handle it oneself (K9): the contract's two lists, as rules over facts.
//
// The first rule that fits decides, so the order is the precedence: what an agent is there for it
// does itself, and only then is it asked who could do it better.
#pragma once

#include <array>
#include <string_view>

namespace parlance::intents {

/// What the hub knows of a request that an agent has in hand.
struct Situation {
    bool is_own = false;           ///< The asker has the capability itself.
    bool has_target = false;       ///< Another agent has it.
    bool is_named = false;         ///< The asker named the capability; else it was understood.
    bool is_sure = false;          ///< What was understood is at or above the threshold.
    bool same_domain = false;      ///< The other one works in the asker's own domain.
    bool lacks_data = false;       ///< The asker says that it has not what is needed.
    bool is_target_there = false;  ///< The other one lives, and its breaker is closed.
};

struct RoutingRule {
    bool routes;
    std::string_view words;  ///< The contract's.
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

/// Some rule always fits: the last one asks for nothing.
constexpr const RoutingRule& routing_rule(const Situation& situation) {
    for (const RoutingRule& rule : kRoutingRules) {
        if (rule.fits(situation)) return rule;
    }
    return kRoutingRules.back();
}

}  // namespace parlance::intents
