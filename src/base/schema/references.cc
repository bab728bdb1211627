// Resolves $ref and $dynamicRef.
#include <fmt/format.h>

#include "base/schema/compile.h"
#include "base/schema/uri.h"

namespace parlance::schema {

namespace {

/// The schemas that this schema applies to the same instance value.
std::vector<NodeId> in_place_of(const Node& node) {
    std::vector<NodeId> ids;
    const auto add = [&](NodeId id) {
        if (id != kNone) ids.push_back(id);
    };
    if (node.in_place) {
        const auto& rules = *node.in_place;
        add(rules.ref);
        // A dynamic reference's target is known only at run time; check() bounds the depth.
        if (rules.dynamic_name.empty()) add(rules.dynamic_ref);
        for (const auto* list : {&rules.all_of, &rules.any_of, &rules.one_of}) {
            for (const auto id : *list) add(id);
        }
        for (const auto id : {rules.not_this, rules.if_this, rules.then_this, rules.else_this}) {
            add(id);
        }
    }
    if (node.object) {
        for (const auto& dependent : node.object->dependents) add(dependent.schema);
    }
    return ids;
}

}  // namespace

/// Follows the steps of a JSON pointer: a step leads through a keyword, and for many keywords also
/// a key.
NodeId Compiler::follow(NodeId from, std::string_view pointer) const {
    while (!pointer.empty()) {
        const auto one = pointer.find('/', 1);
        const auto two =
            one == std::string_view::npos ? std::string_view::npos : pointer.find('/', one + 1);
        auto taken = pointer.substr(0, one);
        auto found = children_.find(std::pair{from, std::string{taken}});
        if (found == children_.end()) {
            taken = pointer.substr(0, two);
            found = children_.find(std::pair{from, std::string{taken}});
        }
        if (found == children_.end()) return kNone;
        from = found->second;
        pointer.remove_prefix(taken.size());
    }
    return from;
}

NodeId Compiler::target_of(const Said& said, std::string* dynamic_name) {
    std::string spare;
    if (said.value.raw.size() > kUriBytesMax) {
        flaw(said, "must have at most 2048 bytes");
        return kNone;
    }
    const auto to = resolve(resource_of(said.node).uri, said.value.text(spare));
    const auto found = by_uri_.find(to.uri);
    if (found == by_uri_.end()) {
        flaw(said, "refers to what is not in this schema; nothing is fetched from elsewhere");
        return kNone;
    }
    const auto& resource = program_->resources[found->second];
    if (to.fragment.empty()) return resource.root;
    const auto no = [&](const char* reason) {
        flaw(said, reason);
        return kNone;
    };
    if (to.fragment.starts_with('/')) {
        const auto target = follow(resource.root, to.fragment);
        return target == kNone ? no("points at no schema") : target;
    }
    const auto anchor = resource.anchors.find(to.fragment);
    if (anchor == resource.anchors.end()) return no("refers to an anchor that does not exist");
    if (dynamic_name != nullptr && resource.dynamic_anchors.contains(to.fragment)) {
        *dynamic_name = to.fragment;
    }
    return anchor->second;
}

void Compiler::resolve_all() {
    by_uri_.emplace(program_->resources.front().uri, 0);
    for (const auto& said : references_) {
        if (is_over_) return;
        auto& rules = *node(said.node).in_place;
        if (said.keyword == "$ref") {
            rules.ref = target_of(said, nullptr);
        } else {
            rules.dynamic_ref = target_of(said, &rules.dynamic_name);
        }
    }
}

/// Finds schemas that apply themselves to the same instance value and so would never end.
void Compiler::find_circles() {
    if (!flaws_.empty()) return;
    enum class Mark : std::uint8_t { New, Open, Done };
    struct Step {
        NodeId node;
        std::vector<NodeId> left;
    };
    std::vector<Mark> marks(program_->nodes.size(), Mark::New);
    std::vector<Step> path;
    const auto enter = [&](NodeId id) {
        marks[id] = Mark::Open;
        path.push_back({id, in_place_of(node(id))});
    };
    for (NodeId start = 0; start < marks.size(); ++start) {
        if (marks[start] == Mark::New) enter(start);
        while (!path.empty()) {
            auto& step = path.back();
            if (step.left.empty()) {
                marks[step.node] = Mark::Done;
                path.pop_back();
                continue;
            }
            const auto next = step.left.back();
            step.left.pop_back();
            if (marks[next] == Mark::Open) {
                return flaw({step.node, {}, {}},
                            "leads back to itself without going deeper into the instance");
            }
            if (marks[next] == Mark::New) enter(next);
        }
    }
}

}  // namespace parlance::schema
