// The keywords that apply other schemas to the same value.
#include <fmt/format.h>

#include "base/schema/run.h"

namespace parlance::schema {

/// The outermost resource on the path that has the anchor; the resource of the anchor's definition
/// always qualifies.
NodeId Run::dynamic_target(const InPlace& rules, const Scope* scope) {
    auto target = rules.dynamic_ref;
    if (rules.dynamic_name.empty()) return target;
    for (; scope != nullptr && spend(1); scope = scope->around) {
        const auto& anchors = program_.resources[scope->resource].dynamic_anchors;
        const auto found = anchors.find(rules.dynamic_name);
        if (found != anchors.end()) target = found->second;
    }
    return target;
}

bool Run::keeps_in_place(NodeId id, const InPlace& rules, const CheckContext& context) {
    bool is_right = true;
    if (rules.ref != kNone) is_right &= fits(rules.ref, context);
    if (is_enough(is_right)) return false;
    if (rules.dynamic_ref != kNone) {
        is_right &= fits(dynamic_target(rules, context.scope), context);
    }
    for (const auto each : rules.all_of) {
        if (is_enough(is_right)) return false;
        is_right &= fits(each, context);
    }
    if (is_enough(is_right)) return false;
    if (!rules.any_of.empty()) is_right &= keeps_any_of(id, rules, context);
    if (is_enough(is_right)) return false;
    if (!rules.one_of.empty()) is_right &= keeps_one_of(id, rules, context);
    if (is_enough(is_right)) return false;
    if (rules.not_this != kNone && fits_silently(rules.not_this, {context.spot, context.scope})) {
        is_right = wrong(id, "not", context.spot, [&] {
            return std::string{"must not be what this schema allows"};
        });
    }
    if (is_enough(is_right)) return false;
    if (rules.if_this != kNone) is_right &= keeps_if(rules, context);
    return is_right;
}

bool Run::keeps_any_of(NodeId id, const InPlace& rules, const CheckContext& context) {
    bool is_right = false;
    for (const auto each : rules.any_of) {
        Places own;
        const bool minds = context.evaluated != nullptr;
        if (!fits_silently(each, {context.spot, context.scope, minds ? &own : nullptr})) continue;
        is_right = true;
        if (!minds) break;
        context.evaluated->add(own);
        spend(own.size());
    }
    if (is_right) return true;
    // With a single alternative, the alternative's own violations say more.
    if (rules.any_of.size() == 1) return fits(rules.any_of.front(), context);
    return wrong(id, "anyOf", context.spot, [&] {
        return fmt::format("must fit at least one of {} schemas", rules.any_of.size());
    });
}

bool Run::keeps_one_of(NodeId id, const InPlace& rules, const CheckContext& context) {
    std::size_t count = 0;
    Places of_one;
    for (const auto each : rules.one_of) {
        Places own;
        if (!fits_silently(each,
                           {context.spot, context.scope, context.evaluated ? &own : nullptr})) {
            continue;
        }
        if (++count > 1) break;
        of_one = std::move(own);
    }
    if (count == 1) {
        if (context.evaluated != nullptr) context.evaluated->add(of_one);
        return spend(of_one.size());
    }
    if (count == 0 && rules.one_of.size() == 1) return fits(rules.one_of.front(), context);
    return wrong(id, "oneOf", context.spot, [&] {
        return fmt::format("must fit exactly one of {} schemas, and fits {}",
                           rules.one_of.size(),
                           count == 0 ? "none" : "several");
    });
}

bool Run::keeps_if(const InPlace& rules, const CheckContext& context) {
    Places own;
    if (fits_silently(rules.if_this,
                      {context.spot, context.scope, context.evaluated ? &own : nullptr})) {
        if (context.evaluated != nullptr) context.evaluated->add(own);
        spend(own.size());
        return rules.then_this == kNone || fits(rules.then_this, context);
    }
    return rules.else_this == kNone || fits(rules.else_this, context);
}

}  // namespace parlance::schema
