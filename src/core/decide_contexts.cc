// Writes to a workflow's context, and handoffs of the context from agent to agent.
//
//   open ──handoff──▶ locked ──taken────▶ open, with the recipient
//                            └─any other end of the request──▶ open, as it was
//
// The end of the handoff is recorded in the same turn as the end of its request: after any crash
// exactly one agent has the context.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/json.h"
#include "base/mutant.h"
#include "core/draft.h"
#include "core/inspect.h"

namespace parlance::core {

namespace {

/// Calls `visit` with each name in "vendor, payment".
template <class Visit>
void each_domain(std::string_view domains, const Visit& visit) {
    constexpr std::string_view kBetween = ", ";
    while (!domains.empty()) {
        const auto end = std::min(domains.find_first_of(kBetween), domains.size());
        if (end > 0) visit(domains.substr(0, end));
        domains.remove_prefix(std::min(end + 1, domains.size()));
    }
}

/// An agent without a domain is a domain of its own.
const std::string& domain_of(const Profile& profile, const AgentId& agent) {
    return profile.domain.empty() ? agent.value : profile.domain;
}

using Names = std::set<std::string, std::less<>>;

/// Names in the patch that the agent may not write: an entity belongs to the domain of the same
/// name; if no agent has that domain, to the domain of the entity's creator.
Names foreign_names(const State& state,
                    const WriteContext& write,
                    const Profile& profile,
                    const shared::Context* context) {
    if (write.entities.empty() || is_planted(Mutant::WriteAnyDomain)) return {};
    Names names;
    for (json::Members patch{json::root(write.entities)}; patch.next();) names.emplace(patch.key);
    each_domain(profile.domain, [&](std::string_view domain) {
        if (const auto own = names.find(domain); own != names.end()) names.erase(own);
    });
    Names claimed;
    for (const auto& agent : state.registry.agents) {
        if (!agent.is_registered || names.empty()) continue;
        each_domain(agent.profile.domain, [&](std::string_view domain) {
            if (names.contains(domain)) claimed.emplace(domain);
        });
    }
    std::erase_if(names, [&](const std::string& name) {
        if (claimed.contains(name)) return false;
        if (context == nullptr) return true;
        const auto entity = context->entities.find(name);
        return entity == context->entities.end() ||
               entity->second.domain == domain_of(profile, write.agent);
    });
    return names;
}

/// True, with the refusal drafted, if the writer's version of the context is not the present one.
bool is_stale(Draft& draft,
              std::string_view workflow,
              std::optional<std::uint64_t> version,
              std::uint64_t current) {
    if (!version || *version == current || is_planted(Mutant::AcceptStaleState)) return false;
    draft.refuse(
        workflow,
        Refusal::StateVersionStale,
        fmt::format(
            "the context has version {}, and the change was made to {}", current, *version));
    return true;
}

/// True, with the refusal drafted, if the agent is not registered or the caller may not speak for
/// it.
bool is_not_the_writer(Draft& draft, std::string_view workflow, const AgentId& agent) {
    if (!draft.may_act_for(agent.value)) {
        draft.refuse(workflow,
                     Refusal::IdentityMismatch,
                     fmt::format("the connection proved to be '{}' and cannot write as '{}'",
                                 draft.asker(),
                                 agent.value));
        return true;
    }
    if (find_profile(draft.state, agent.value) == nullptr) {
        draft.refuse(workflow,
                     Refusal::AgentNotRegistered,
                     fmt::format("agent '{}' is not registered", agent.value));
        return true;
    }
    return false;
}

/// True, with the refusal drafted, if a handoff is under way.
bool is_under_way(Draft& draft, std::string_view workflow, const shared::Context& context) {
    if (!context.is_locked()) return false;
    draft.refuse(workflow,
                 Refusal::ContextLocked,
                 fmt::format("context '{}' is being handed from '{}' to '{}'",
                             workflow,
                             context.owner,
                             context.recipient));
    return true;
}

/// True, with the refusal drafted, if the agent would begin the context of a workflow without
/// having a part in the workflow (X13).
bool is_strange(Draft& draft, const WriteContext& write) {
    const auto part = part_in(draft.state, write.workflow, write.agent.value);
    if (!part.is_known || part.is_in_it || write.agent.value.empty()) return false;
    draft.refuse(write.workflow,
                 Refusal::ContextNotOwner,
                 fmt::format("'{}' has no part in workflow '{}', so it cannot begin its context",
                             write.agent.value,
                             write.workflow));
    return true;
}

/// True if the agent, or an operator in person, may change the context as it stands.
bool may_write(Draft& draft, const WriteContext& write, const shared::Context* context) {
    if (context == nullptr && is_strange(draft, write)) return false;
    const bool is_own = context == nullptr || write.agent.value == context->owner;
    if (!write.agent.value.empty() && !is_own && !is_planted(Mutant::WriteAnyContext)) {
        draft.refuse(
            write.workflow,
            Refusal::ContextNotOwner,
            fmt::format(
                "it is the turn of '{}', and this is '{}'", context->owner, write.agent.value));
        return false;
    }
    if (context != nullptr && !is_planted(Mutant::WriteWhileLocked) &&
        is_under_way(draft, write.workflow, *context)) {
        return false;
    }
    return !is_stale(draft, write.workflow, write.version, context ? context->version : 0);
}

std::uint64_t size_of(const WriteContext& write) {
    auto bytes = write.entities.size() + write.status.size();
    for (const auto& entry : write.history) bytes += entry.size();
    for (const auto& artifact : write.artifacts) bytes += artifact.size();
    return bytes;
}

}  // namespace

void decide_context(Draft& draft, const WriteContext& write) {
    const auto& state = draft.state;
    const bool is_agent = !write.agent.value.empty();
    if (is_agent && is_not_the_writer(draft, write.workflow, write.agent)) return;
    if (!is_agent && is_not_operator(draft, "context")) return;
    const auto* context = shared::find(state.shared.contexts, write.workflow);
    if (!may_write(draft, write, context)) return;
    if (write.changes_history) {
        return draft.refuse(write.workflow,
                            Refusal::ContextHistoryImmutable,
                            fmt::format("the history has {} entries, and they are not repeated as "
                                        "they are",
                                        context ? context->history.size() : 0));
    }
    auto owner = context != nullptr ? context->owner : write.agent.value;
    if (!is_agent && !write.owner.value.empty()) owner = write.owner.value;
    const auto* profile = find_profile(state, owner);
    if (profile == nullptr) {
        return draft.refuse(
            write.workflow,
            Refusal::AgentNotRegistered,
            fmt::format("its current agent would be '{}', which is not registered", owner));
    }
    if (is_agent) {
        const auto foreign =
            foreign_names(state, write, *find_profile(state, write.agent.value), context);
        if (!foreign.empty()) {
            return draft.refuse(write.workflow,
                                Refusal::ContextNotOwner,
                                fmt::format("entity '{}' is not of the domain of '{}'",
                                            json::shortened(*foreign.begin()),
                                            write.agent.value));
        }
    }
    const auto before = context != nullptr ? shared::bytes_of(*context) : 0;
    if (!has_room_for(draft, write.workflow, {before, size_of(write)})) return;
    draft.add(ContextWritten{.workflow = write.workflow,
                             .version = context != nullptr ? context->version + 1 : 1,
                             .owner = owner,
                             .status = !write.status.empty() ? write.status
                                       : context != nullptr  ? context->status
                                                             : "IN_PROGRESS",
                             .entities = write.entities,
                             .domain = domain_of(*profile, AgentId{owner}),
                             .history = write.history,
                             .artifacts = write.artifacts,
                             .by = std::string{is_agent ? write.agent.value : draft.asker()}});
}

void decide_handoff(Draft& draft, const HandOffContext& handoff) {
    const auto& request = *handoff.request.envelope;
    const auto& workflow = handoff.workflow;
    const auto* context = shared::find(draft.state.shared.contexts, workflow);
    if (context == nullptr) {
        return draft.refuse(workflow,
                            Refusal::ContextNotFound,
                            fmt::format("there is no context of workflow '{}'", workflow));
    }
    const AgentId sender{std::string{request.from()}};
    if (is_not_the_writer(draft, workflow, sender)) return;
    if (context->owner != sender.value) {
        return draft.refuse(
            workflow,
            Refusal::ContextNotOwner,
            fmt::format("it is the turn of '{}', and this is '{}'", context->owner, sender.value));
    }
    if (request.to() == request.from()) {
        return draft.refuse(
            workflow,
            Refusal::RouteNotPermitted,
            fmt::format("'{}' has this context already: hand it to another agent", request.to()));
    }
    if (is_under_way(draft, workflow, *context)) return;
    if (is_stale(draft, workflow, handoff.version, context->version)) return;
    const auto sent = decide_send(draft, handoff.request);
    if (sent.accepted == Ticket{}) return;  // A refused handoff changes nothing.
    draft.add(ContextLocked{.workflow = workflow,
                            .request = sent.accepted,
                            .to = std::string{request.to()},
                            .done = handoff.done});
}

void end_handoff(Draft& draft, Ticket request, bool is_taken) {
    const auto& shared = draft.state.shared;
    const auto found = shared.handoffs.find(request);
    if (found == shared.handoffs.end()) return;
    const auto& context = shared.contexts.at(found->second);
    // The hub may have chosen the recipient, or the request may have moved on. If people or several
    // agents have the request, no agent could write: the context is as it was.
    const auto* open = broker::find_request(draft.state.requests, request);
    const std::string taker{open != nullptr ? open->asked->to() : context.recipient};
    const bool is_moved = is_taken && !is_no_agent(taker);
    const bool moves = is_moved != is_planted(Mutant::HandOverTwice);
    draft.add(HandoffEnded{.workflow = found->second,
                           .version = context.version + 1,
                           .owner = moves ? taker : context.owner,
                           .is_taken = is_moved});
}

void take_handoff(Draft& draft, Ticket request) {
    const auto& shared = draft.state.shared;
    const auto found = shared.handoffs.find(request);
    const auto* open = draft.find_open(request);
    if (found == shared.handoffs.end() || open == nullptr) return;
    const auto& done = shared.contexts.at(found->second).done;
    if (!done) return;
    draft.add(RequestAnswered{.request = request,
                              .envelope = done,
                              .ticket = open->waits ? Ticket{} : ticket_at(draft.next_sequence())});
    note_answer(draft, open->asked->to(), AnswerKind::Done);
    end_handoff(draft, request, true);
}

}  // namespace parlance::core
