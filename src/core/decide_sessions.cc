// Sessions and facts kept of users. A session belongs to one user: to a caller who may not act for
// the user, the session does not exist.
#include <fmt/format.h>

#include "base/json.h"
#include "core/admission.h"
#include "core/draft.h"

namespace parlance::core {

namespace {

/// True for operators but viewers, the hub itself, the user and, with a grant, agents.
bool may_use(const Draft& draft, std::string_view user) {
    const auto& caller = draft.cause.caller;
    if (!caller) return true;
    if (caller->is_operator) return caller->role != OperatorRole::Viewer;
    return may_act_for_user(*caller, user);
}

/// The session, or null with the refusal drafted.
const shared::Session* usable(Draft& draft, const std::string& id) {
    const auto* session = shared::find(draft.state.shared.sessions, id);
    if (session != nullptr && may_use(draft, session->user)) return session;
    draft.refuse(
        id, Refusal::SessionNotFound, fmt::format("there is no session '{}' of this user", id));
    return nullptr;
}

/// True, with the refusal drafted, if the caller cannot speak for the agent. A write that names no
/// agent speaks for none.
bool is_not_its_own(Draft& draft, const std::string& id, const std::string& agent) {
    if (agent.empty() || draft.may_act_for(agent)) return false;
    draft.refuse(id,
                 Refusal::IdentityMismatch,
                 fmt::format("'{}' cannot report the part of '{}'", draft.asker(), agent));
    return true;
}

}  // namespace

void decide_session(Draft& draft, const WriteSession& write) {
    const auto* session = shared::find(draft.state.shared.sessions, write.id);
    const auto& user = session != nullptr ? session->user : write.user;
    const bool is_other = session != nullptr && !write.user.empty() && write.user != session->user;
    // Delegations may have worked in the session before anything was kept of it.
    const auto& lineage = draft.state.governor.lineage;
    const bool is_taken = session == nullptr && governor::is_of_another(lineage, write.id, user);
    if (user.empty() || is_other || is_taken || !may_use(draft, user)) {
        return draft.refuse(write.id,
                            Refusal::SessionNotFound,
                            fmt::format("there is no session '{}' of this user", write.id));
    }
    if (is_not_its_own(draft, write.id, write.agent)) return;
    const auto before = session != nullptr ? shared::bytes_of(*session) : 0;
    const auto more = write.user.size() + write.history.size() + write.workflow.size() +
                      write.agent.size() + write.agent_state.size();
    if (!has_room_for(draft, write.id, {before, more})) return;
    draft.add(SessionWritten{.id = write.id,
                             .user = session != nullptr ? std::string{} : user,
                             .parent = write.parent,
                             .history = write.history,
                             .workflow = write.workflow,
                             .agent = write.agent,
                             .agent_state = write.agent_state,
                             .by = std::string{draft.asker()}});
}

void decide_facts(Draft& draft, const AddFacts& add) {
    const auto* session = usable(draft, add.session);
    if (session == nullptr) return;
    std::uint64_t bytes = 0;
    for (const auto& fact : add.facts) {
        if (is_not_its_own(draft, add.session, fact.agent)) return;
        bytes += fact.about.size() + fact.value.size();
    }
    if (!has_room_for(draft, add.session, {0, bytes, add.facts.size()})) return;
    for (const auto& fact : add.facts) {
        draft.add(FactLearnt{.user = session->user,
                             .session = add.session,
                             .kind = fact.kind,
                             .about = fact.about,
                             .value = fact.value,
                             .agent = fact.agent,
                             .source = fact.source});
    }
}

void decide_analysis(Draft& draft, const KeepAnalysis& keep) {
    const auto* session = usable(draft, keep.session);
    if (session == nullptr || is_not_its_own(draft, keep.session, keep.agent)) return;
    const auto more = keep.key.size() + keep.result.size();
    if (!has_room_for(draft, keep.session, {shared::bytes_of(*session), more})) return;
    draft.add(AnalysisKept{.session = keep.session,
                           .key = keep.key,
                           .capability = keep.capability,
                           .result = keep.result,
                           .agent = keep.agent});
}

void note_sources(Draft& draft,
                  const broker::OpenRequest& request,
                  const std::vector<std::string>& owners) {
    const auto delegation = governor::find_delegation(draft.state.governor.lineage, request.ticket);
    if (delegation == nullptr || delegation->user.empty()) return;
    const auto owner = foreign_owner(draft.state, owners, delegation->user);
    if (owner.empty()) return;
    draft.add(FactsWithheld{.request = request.ticket,
                            .by = std::string{request.asked->to()},
                            .owner = std::string{owner}});
}

void learn_from(Draft& draft, Ticket request, const LearntFacts& learnt) {
    const auto delegation = governor::find_delegation(draft.state.governor.lineage, request);
    const auto* open = broker::find_request(draft.state.requests, request);
    if (delegation == nullptr || open == nullptr || delegation->user.empty()) return;
    const bool is_tainted = delegation->is_tainted ||
                            !foreign_owner(draft.state, learnt.owners, delegation->user).empty();
    if (is_tainted) return;
    const auto& shared = draft.state.shared;
    const auto& limits = draft.state.limits;
    std::uint64_t count = shared.count;
    std::uint64_t bytes = shared.bytes;
    for (const auto& fact : learnt.facts) {
        bytes += fact.size();
        // The answer counts all the same, and contains the facts that found no room.
        if (++count > limits.shared_items_max || bytes > limits.shared_bytes_max) return;
        draft.add(FactLearnt{.user = delegation->user,
                             .session = delegation->session,
                             .kind = "fact",
                             .about = {},
                             .value = fact,
                             .agent = std::string{open->asked->to()},
                             .source = std::string{open->asked->id()}});
    }
}

}  // namespace parlance::core
