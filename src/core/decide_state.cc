// The shared state: tasks and allocations. A writer names the version to be changed; a stale change
// is refused with the present version.
#include <fmt/format.h>

#include "base/mutant.h"
#include "core/draft.h"

namespace parlance::core {

namespace {

/// The operation asked for, and the item's present version.
struct Claim {
    std::string_view what;
    const std::string& id;
    StateOperation operation;
    std::uint64_t version;
    std::uint64_t current;  ///< 0: no such item.
};

bool is_stale(const Claim& claim) {
    if (is_planted(Mutant::AcceptStaleState)) return false;
    return claim.operation != StateOperation::Create && claim.version != claim.current;
}

/// True if the operation fits the present item; else the refusal is drafted.
bool fits(Draft& draft, const Claim& claim) {
    const bool creates = claim.operation == StateOperation::Create;
    if (creates && claim.current != 0) {
        draft.refuse(
            claim.id,
            Refusal::StateVersionStale,
            fmt::format(
                "{} '{}' is there already, with version {}", claim.what, claim.id, claim.current));
        return false;
    }
    if (!creates && claim.current == 0) {
        draft.refuse(claim.id,
                     Refusal::StateNotFound,
                     fmt::format("there is no {} '{}'", claim.what, claim.id));
        return false;
    }
    if (is_stale(claim)) {
        draft.refuse(claim.id,
                     Refusal::StateVersionStale,
                     fmt::format("{} '{}' has version {}, and the change was made to {}",
                                 claim.what,
                                 claim.id,
                                 claim.current,
                                 claim.version));
        return false;
    }
    return true;
}

/// True for callers who may act for any agent: an operator, the hub itself and, in --dev, an
/// unnamed caller.
bool is_above(const Draft& draft) {
    const auto& caller = draft.cause.caller;
    return !caller || caller->is_operator || (caller->agent.value.empty() && caller->user.empty());
}

/// The assignee may change a task; while there is none, the creator.
bool may_change(const Draft& draft, const shared::Task& task) {
    if (is_above(draft)) return true;
    return draft.may_act_for(task.agent.empty() ? task.creator : task.agent);
}

/// A user's task is hidden from callers who may not act for the user.
bool is_hidden(const Draft& draft, const std::string& user) {
    return !user.empty() && !is_above(draft) && !may_act_for_user(*draft.cause.caller, user);
}

}  // namespace

bool has_room_for(Draft& draft, std::string_view id, const Growth& growth) {
    const auto& shared = draft.state.shared;
    const auto& limits = draft.state.limits;
    const auto [before, more, count] = growth;
    std::string lack;
    if (before + more > limits.shared_item_bytes_max) {
        lack = fmt::format("it would have {} bytes of at most {} (shared_item_bytes_max)",
                           before + more,
                           limits.shared_item_bytes_max);
    } else if (before == 0 && shared.count + count > limits.shared_items_max) {
        lack = fmt::format(
            "the hub keeps {} contexts, tasks, allocations, sessions and facts of at most {} "
            "(shared_items_max)",
            shared.count,
            limits.shared_items_max);
    } else if (shared.bytes + more > limits.shared_bytes_max) {
        lack = fmt::format(
            "the hub keeps {} bytes of what is shared, of at most {} (shared_bytes_max)",
            shared.bytes,
            limits.shared_bytes_max);
    }
    if (lack.empty() || is_planted(Mutant::IgnoreSharedLimits)) return true;
    draft.refuse(id, Refusal::StateLimitExceeded, std::move(lack));
    return false;
}

void decide_task(Draft& draft, const WriteTask& write) {
    const auto* task = shared::find(draft.state.shared.tasks, write.id);
    if (is_hidden(draft, write.user) || (task != nullptr && is_hidden(draft, task->user))) {
        return draft.refuse(
            write.id, Refusal::StateNotFound, fmt::format("there is no task '{}'", write.id));
    }
    if (!fits(draft,
              {.what = "task",
               .id = write.id,
               .operation = write.operation,
               .version = write.version,
               .current = task != nullptr ? task->version : 0})) {
        return;
    }
    if (task != nullptr && !may_change(draft, *task)) {
        return draft.refuse(write.id,
                            Refusal::IdentityMismatch,
                            fmt::format("the task is for '{}' to change, and this is '{}'",
                                        task->agent.empty() ? task->creator : task->agent,
                                        draft.asker()));
    }
    const std::string by{draft.asker()};
    if (write.operation == StateOperation::Delete) {
        return draft.add(TaskDeleted{.id = write.id, .version = task->version, .by = by});
    }
    const auto bytes = write.document.size() + write.agent.size();
    if (!has_room_for(draft, write.id, {task != nullptr ? 1U : 0U, bytes})) return;
    draft.add(TaskWritten{.id = write.id,
                          .version = task != nullptr ? task->version + 1 : 1,
                          .document = write.document,
                          .agent = write.agent,
                          .user = task != nullptr ? task->user : write.user,
                          .by = by});
}

void decide_allocation(Draft& draft, const WriteAllocation& write) {
    const auto* there = shared::find(draft.state.shared.allocations, write.id);
    const bool is_own = there != nullptr && draft.may_act_for(there->allocation.agent);
    auto wanted = write.allocation;
    // An agent's resources, their amounts and their times are set by operators; consumption, also
    // by the agent.
    const bool is_report = is_own && write.operation == StateOperation::Update && [&] {
        auto same = there->allocation;
        same.consumed = wanted.consumed;
        return same == wanted;
    }();
    if (!is_report && is_not_operator(draft, "resource")) return;
    if (!fits(draft,
              {.what = "resource",
               .id = write.id,
               .operation = write.operation,
               .version = write.version,
               .current = there != nullptr ? there->version : 0})) {
        return;
    }
    const std::string by{draft.asker()};
    if (write.operation == StateOperation::Delete) {
        return draft.add(AllocationEnded{.id = write.id, .version = there->version, .by = by});
    }
    if (wanted.allocated > wanted.limit || wanted.consumed > wanted.limit) {
        return draft.refuse(
            write.id,
            Refusal::ResourceLimitExceeded,
            fmt::format(
                "'{}' of {} has a limit below what is wanted of it", write.id, wanted.resource));
    }
    if (is_report && wanted.consumed < there->allocation.consumed) {
        return draft.refuse(write.id,
                            Refusal::ResourceLimitExceeded,
                            fmt::format("what was used of '{}' is used", write.id));
    }
    if (wanted.expires_at != Time{} && wanted.expires_at <= draft.now()) {
        return draft.refuse(write.id,
                            Refusal::InputValidationFailed,
                            fmt::format("'{}' would have expired already", write.id));
    }
    if (!has_room_for(draft, write.id, {there != nullptr ? 1U : 0U, sizeof wanted})) return;
    draft.add(AllocationWritten{.id = write.id,
                                .version = there != nullptr ? there->version + 1 : 1,
                                .allocation = std::move(wanted),
                                .by = by});
}

}  // namespace parlance::core
