#include "core/shared/shared.h"

#include <algorithm>

#include "base/check.h"
#include "base/json_merge.h"
#include "base/mutant.h"

namespace parlance::core::shared {

namespace {

/// Amounts are in millionths.
constexpr std::uint64_t kOne = 1'000'000;

template <class Texts>
std::uint64_t size_of(const Texts& texts) {
    std::uint64_t bytes = 0;
    for (const auto& text : texts) bytes += text.size();
    return bytes;
}

/// Changes an item, creating it if needed, and keeps the totals.
template <class Item, class Change>
void change(Shared& shared, ById<Item>& items, const std::string& id, const Change& make) {
    const auto [found, is_new] = items.try_emplace(id);
    if (is_new) {
        ++shared.count;
        shared.bytes += id.size();
    } else {
        shared.bytes -= bytes_of(found->second);
    }
    make(found->second);
    shared.bytes += bytes_of(found->second);
}

template <class Item>
void erase(Shared& shared, ById<Item>& items, const std::string& id) {
    const auto found = items.find(id);
    CHECK(found != items.end());  // decide() removes only items that exist.
    --shared.count;
    shared.bytes -= id.size() + bytes_of(found->second);
    items.erase(found);
}

void merge_entities(Context& context, const ContextWritten& event) {
    if (event.entities.empty()) return;
    for (json::Members patch{json::root(event.entities)}; patch.next();) {
        const auto found = context.entities.find(patch.key);
        if (patch.value.is_null()) {
            if (found != context.entities.end()) context.entities.erase(found);
        } else if (found == context.entities.end()) {
            context.entities.emplace(patch.key,
                                     Entity{json::merged(std::nullopt, patch.value), event.domain});
        } else {
            found->second.value = json::merged(json::root(found->second.value), patch.value);
        }
    }
}

/// Enters an allocation into the derived maps; forget() removes it.
void note(Shared& shared, const std::string& id, const Allocation& allocation) {
    shared.allotted[allocation.agent].insert(id);
    if (allocation.expires_at != Time{}) shared.expiring.emplace(allocation.expires_at, id);
}

void forget(Shared& shared, const std::string& id, const Allocation& allocation) {
    shared.expiring.erase({allocation.expires_at, id});
    const auto found = shared.allotted.find(allocation.agent);
    if (found == shared.allotted.end()) return;
    found->second.erase(id);
    if (found->second.empty()) shared.allotted.erase(found);
}

void replace(std::string& text, const std::string& by) {
    if (!by.empty()) text = by;
}

}  // namespace

void apply(Shared& shared, const ContextWritten& event) {
    change(shared, shared.contexts, event.workflow, [&](Context& context) {
        context.version = event.version;
        context.owner = event.owner;
        context.status = event.status;
        merge_entities(context, event);
        if (is_planted(Mutant::RewriteHistory) && context.history.size() > 1) {
            context.history.pop_back();
        }
        context.history.insert(context.history.end(), event.history.begin(), event.history.end());
        context.artifacts.insert(
            context.artifacts.end(), event.artifacts.begin(), event.artifacts.end());
    });
}

void apply(Shared& shared, const ContextLocked& event) {
    change(shared, shared.contexts, event.workflow, [&](Context& context) {
        context.handoff = event.request;
        context.recipient = event.to;
        context.done = event.done;
    });
    shared.handoffs.emplace(event.request, event.workflow);
}

void apply(Shared& shared, const HandoffEnded& event) {
    change(shared, shared.contexts, event.workflow, [&](Context& context) {
        shared.handoffs.erase(context.handoff);
        context.version = event.version;
        context.owner = event.owner;
        context.handoff = {};
        context.recipient.clear();
        context.done = nullptr;
    });
}

void apply(Shared& shared, const TaskWritten& event) {
    change(shared, shared.tasks, event.id, [&](Task& task) {
        if (task.version == 0) task.creator = event.by;
        task.version = event.version;
        task.document = event.document;
        task.agent = event.agent;
        task.user = event.user;
    });
}

void apply(Shared& shared, const TaskDeleted& event) { erase(shared, shared.tasks, event.id); }

void apply(Shared& shared, const AllocationWritten& event) {
    change(shared, shared.allocations, event.id, [&](Allotment& allotment) {
        forget(shared, event.id, allotment.allocation);
        allotment = {event.allocation, event.version};
    });
    note(shared, event.id, event.allocation);
}

void apply(Shared& shared, const AllocationEnded& event) {
    const auto* allotment = find(shared.allocations, event.id);
    CHECK(allotment != nullptr);
    forget(shared, event.id, allotment->allocation);
    erase(shared, shared.allocations, event.id);
}

bool is_user(const Shared& shared, std::string_view name) {
    return shared.users.contains(name) || shared.facts.contains(name);
}

void apply(Shared& shared, const SessionWritten& event, Time now) {
    if (!event.user.empty()) shared.users.insert(event.user);
    change(shared, shared.sessions, event.id, [&](Session& session) {
        if (session.version++ == 0) session.begun_at = now;
        session.changed_at = now;
        replace(session.user, event.user);
        replace(session.parent, event.parent);
        replace(session.history, event.history);
        replace(session.workflow, event.workflow);
        if (!event.agent_state.empty()) session.agents[event.agent] = event.agent_state;
    });
}

void apply(Shared& shared, const FactLearnt& event, Time now) {
    KnownFact known{.fact = {.kind = event.kind,
                             .about = event.about,
                             .value = event.value,
                             .agent = event.agent,
                             .source = event.source},
                    .session = event.session,
                    .at = now};
    ++shared.count;
    shared.bytes += bytes_of(known);
    shared.facts[event.user].push_back(std::move(known));
}

void apply(Shared& shared, const AnalysisKept& event, Time now) {
    change(shared, shared.sessions, event.session, [&](Session& session) {
        session.analyses[event.key] = {.capability = event.capability,
                                       .result = event.result,
                                       .agent = event.agent,
                                       .at = now};
    });
}

void charge(Shared& shared, std::string_view agent, const Charge& charge) {
    const auto* ids = find(shared.allotted, agent);
    if (ids == nullptr || (charge.tokens == 0 && charge.cost == 0)) return;
    const auto tokens = charge.tokens > UINT64_MAX / kOne ? UINT64_MAX : charge.tokens * kOne;
    for (const auto& id : *ids) {
        auto& allotment = shared.allocations.at(id);
        auto& allocation = allotment.allocation;
        const auto amount = allocation.resource == "tokens"   ? tokens
                            : allocation.resource == "budget" ? charge.cost
                                                              : 0;
        if (amount == 0) continue;
        allocation.consumed += std::min(amount, UINT64_MAX - allocation.consumed);
        ++allotment.version;
    }
}

const Allotment* find_spent(const Shared& shared,
                            std::string_view agent,
                            std::string_view resource) {
    const auto* ids = find(shared.allotted, agent);
    if (ids == nullptr) return nullptr;
    for (const auto& id : *ids) {
        const auto& allotment = shared.allocations.at(id);
        const auto& allocation = allotment.allocation;
        if (allocation.resource == resource && allocation.consumed >= allocation.limit) {
            return &allotment;
        }
    }
    return nullptr;
}

std::uint64_t left_of(const Shared& shared, std::string_view agent, std::string_view resource) {
    auto left = UINT64_MAX;
    const auto* ids = find(shared.allotted, agent);
    if (ids == nullptr) return left;
    for (const auto& id : *ids) {
        const auto& allocation = shared.allocations.at(id).allocation;
        if (allocation.resource != resource) continue;
        const auto used = std::min(allocation.consumed, allocation.limit);
        // Money is counted in millionths, every other resource in units.
        left = std::min(left, (allocation.limit - used) / (resource == "budget" ? 1 : kOne));
    }
    return left;
}

std::uint64_t bytes_of(const Context& context) {
    auto bytes = context.owner.size() + context.status.size() + size_of(context.history) +
                 size_of(context.artifacts);
    for (const auto& [name, entity] : context.entities) {
        bytes += name.size() + entity.value.size() + entity.domain.size();
    }
    return bytes;
}

std::uint64_t bytes_of(const Task& task) { return task.document.size() + task.agent.size(); }

std::uint64_t bytes_of(const Allotment& allotment) {
    return sizeof(Allocation) + allotment.allocation.agent.size();
}

std::uint64_t bytes_of(const Session& session) {
    auto bytes = session.user.size() + session.history.size() + session.workflow.size();
    for (const auto& [agent, part] : session.agents) bytes += agent.size() + part.size();
    for (const auto& [key, analysis] : session.analyses) {
        bytes += key.size() + analysis.result.size();
    }
    return bytes;
}

std::uint64_t bytes_of(const KnownFact& fact) {
    return fact.fact.about.size() + fact.fact.value.size();
}

void index(Shared& shared) {
    for (const auto& [id, session] : shared.sessions) shared.users.insert(session.user);
    shared.count = 0;
    shared.bytes = 0;
    const auto count = [&](const auto& items) {
        for (const auto& [id, item] : items) {
            ++shared.count;
            shared.bytes += id.size() + bytes_of(item);
        }
    };
    count(shared.contexts);
    count(shared.tasks);
    count(shared.allocations);
    count(shared.sessions);
    for (const auto& [user, facts] : shared.facts) {
        shared.count += facts.size();
        for (const auto& fact : facts) shared.bytes += bytes_of(fact);
    }
    for (const auto& [workflow, context] : shared.contexts) {
        if (context.is_locked()) shared.handoffs.emplace(context.handoff, workflow);
    }
    for (const auto& [id, allotment] : shared.allocations) note(shared, id, allotment.allocation);
}

}  // namespace parlance::core::shared
