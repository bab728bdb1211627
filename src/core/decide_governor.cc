// Orders of operators about the whole hub, questions to the governor apart from messages, and the
// governor's own initiative.
#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/mutant.h"
#include "core/capability.h"
#include "core/draft.h"
#include "core/inspect.h"
#include "model/names.h"

namespace parlance::core {

namespace {

// --- cancellation ----------------------------------------------------------------------------

/// The requests meant by an id of a request, a session or a workflow: made by agents that the
/// caller may act for, and for users that it may know of. Ended requests are included, since
/// requests delegated for them may be open.
std::set<Ticket> meant_by(const Draft& draft, std::string_view id) {
    const auto& state = draft.state;
    const auto& lineage = state.governor.lineage;
    std::set<Ticket> meant;
    const auto add = [&](const broker::OpenRequest* request) {
        if (request == nullptr || !draft.may_act_for(request->asked->from())) return;
        const auto& caller = draft.cause.caller;
        if (caller && !may_know_of(state, *caller, request->ticket)) return;
        meant.insert(request->ticket);
    };
    for (const auto* request : broker::find_meant(state.requests, state.key, id)) add(request);
    const auto add_over = [&](Ticket ticket) {
        const auto each = lineage.delegations.at(ticket);
        const auto& origin = state.registry.agents[each->origin].id.value;
        const auto& caller = draft.cause.caller;
        const bool may_know = !caller || may_know_of(state, *caller, ticket);
        if (!each->is_open && draft.may_act_for(origin) && may_know) meant.insert(ticket);
    };
    for (const auto ticket : governor::in_session(lineage, id)) {
        add(broker::find_request(state.requests, ticket));
        add_over(ticket);
    }
    for (const auto root : governor::roots_named(lineage, id)) {
        for (const auto ticket : governor::over_in(lineage, root)) add_over(ticket);
    }
    return meant;
}

/// Adds all requests below each, as named by `below(request)`. A child is younger than its parent,
/// so the loop still reaches the child.
template <class Below>
void add_below(std::set<Ticket>& requests, Below below) {
    for (const auto request : requests) {
        for (const auto each : below(request)) requests.insert(each);
    }
}

/// Adds the requests that wait for approval below the given requests: a held request is in no tree
/// yet, and is younger than its parent.
void add_held(const State& state, std::set<Ticket>& requests) {
    const auto& held = state.governor.held;
    if (requests.empty() || held.empty()) return;
    for (auto at = held.upper_bound(*requests.begin()); at != held.end(); ++at) {
        if (requests.contains(at->second.parent)) requests.insert(at->first);
    }
}

/// Adds all requests made for a call, all delegations below, and all requests that wait for
/// approval below.
void add_descendants(const Draft& draft, std::set<Ticket>& requests) {
    const auto& state = draft.state;
    add_below(requests, [&](Ticket call) { return handing::asked_by(state.handing, call); });
    add_below(requests,
              [&](Ticket parent) { return governor::children_of(state.governor.lineage, parent); });
    add_held(state, requests);
}

void cancel(Draft& draft, Ticket ticket, const std::string& reason) {
    const auto& state = draft.state;
    if (draft.find_open(ticket) == nullptr) return;
    const auto* message = draft.find_copy(ticket);
    RequestCancelled cancelled{
        .request = ticket, .by = std::string{draft.asker()}, .reason = reason};
    if (message != nullptr && message->stage == broker::Stage::Leased) {
        cancelled.instance = state.broker.consumers[message->consumer].instance;
        cancelled.attempt = message->attempt;
    }
    draft.add(std::move(cancelled));
    if (message != nullptr && message->stage != broker::Stage::Dead) {
        draft.add(MessageDropped{ticket, DeliveryFailure::Cancelled, reason});
    }
    fail_request(draft, ticket, Refusal::RequestCancelled, reason);
}

}  // namespace

void cancel_trees(Draft& draft, std::set<Ticket> requests, const std::string& reason) {
    add_descendants(draft, requests);
    for (const auto ticket : requests) cancel(draft, ticket, reason);
}

namespace {

// --- breakers --------------------------------------------------------------------------------

/// A request waiting for an agent left alone: to be failed at once.
const broker::Message* waiting_request(const State& state, AgentHandle agent) {
    const auto& ready_requests = state.broker.ready_requests;
    for (auto at = ready_requests.lower_bound({agent, {}});
         at != ready_requests.end() && at->first == agent;
         ++at) {
        if (broker::find_request(state.requests, at->second) == nullptr) continue;
        return broker::find_message(state.broker, at->second);
    }
    return nullptr;
}

/// The agent's work under one id: a session's, or a request's as shown to the agent.
struct NamedWork {
    std::set<Ticket> delegations{};
    bool is_any = false;  ///< Some work has the id, also in no tree of delegations.
};
NamedWork named_work(const State& state, AgentHandle agent, std::string_view id) {
    const auto& lineage = state.governor.lineage;
    const auto& name = state.registry.agents[agent].id.value;
    NamedWork work;
    const auto add = [&](Ticket ticket) {
        if (governor::works_on(lineage, agent, ticket)) work.delegations.insert(ticket);
    };
    for (const auto ticket : governor::in_session(lineage, id)) add(ticket);
    for (const auto* request : broker::find_shown(state.requests, state.key, name, id)) {
        if (request->is_held) continue;
        add(request->ticket);
        work.is_any = true;
    }
    work.is_any = work.is_any || !work.delegations.empty();
    return work;
}

/// Opens the agent's breaker if the failure in the draft is one too many.
void open_if_too_many(Draft& draft, std::string_view agent) {
    const auto& state = draft.state;
    const auto handle = registry::find_agent(state.registry, agent);
    if (handle == kNoAgent || is_no_agent(agent)) return;
    const auto& breakers = state.governor.breakers;
    const auto stage = governor::stage_of(breakers, handle);
    const auto& policy = state.governor.policy;
    const auto subject = as_target(state, handle);
    const auto most = static_cast<std::uint64_t>(limit_of(policy, Rule::BreakerFailures, subject));
    if (most == 0) return;
    if (stage == governor::BreakerStage::Open || is_planted(Mutant::NeverOpen)) return;
    const Duration window{limit_of(policy, Rule::BreakerWindowMs, subject)};
    const auto failures = governor::failures_at(breakers, handle, draft.now(), window) +
                          draft.failures_before(handle);
    if (stage == governor::BreakerStage::Closed && failures < most) return;
    const bool is_open_now = std::ranges::any_of(draft.events, [&](const Event& event) {
        const auto* opened = std::get_if<BreakerOpened>(&event);
        return opened != nullptr && opened->agent.value == agent;
    });
    if (is_open_now) return;  // Several requests may fail by one cause; the breaker opens once.
    draft.add(BreakerOpened{
        .agent = AgentId{std::string{agent}},
        .until = draft.now() + Duration{limit_of(policy, Rule::BreakerOpenMs, subject)},
        .failures = failures});
}

}  // namespace

bool is_not_operator(Draft& draft, std::string_view what) {
    const auto& caller = draft.cause.caller;
    const bool is_unnamed = caller && caller->agent.value.empty() && caller->user.empty();
    const bool may =
        !caller || is_unnamed || (caller->is_operator && caller->role != OperatorRole::Viewer);
    if (!may) {
        draft.refuse(what,
                     Refusal::IdentityRoleForbidden,
                     fmt::format("'{}' is an agent; {} is for operators", draft.asker(), what));
    }
    return !may;
}

namespace {

/// The operator on record. In --dev callers may be unnamed.
std::string who_orders(const Draft& draft) {
    const bool is_unnamed = draft.cause.caller && draft.asker().empty();
    return is_unnamed ? "dev" : std::string{draft.asker()};
}

/// The reason on record, or that none was given.
std::string why_so(const std::string& reason) { return reason.empty() ? "(none given)" : reason; }

}  // namespace

void decide_policy(Draft& draft, const ChangePolicy& change) {
    if (is_not_operator(draft, "policy")) return;
    const auto& policy = draft.state.governor.policy;
    if (change.version && *change.version != policy.version) {
        return draft.refuse("policy",
                            Refusal::StateVersionStale,
                            fmt::format("the policy has version {}, and the change was made to {}",
                                        policy.version,
                                        *change.version));
    }
    auto settings = parse_policy(change.settings);
    if (!settings) {
        return draft.refuse("policy", Refusal::PolicyInvalid, settings.error().message);
    }
    // A setting must have an effect where it is made (T14). A policy in an older journal may not.
    for (const auto& [key, value] : *settings) {
        if (auto flaw = misplacement(key.first, key.second); !flaw.empty()) {
            return draft.refuse("policy", Refusal::PolicyInvalid, std::move(flaw));
        }
    }
    draft.add(PolicyChanged{.version = policy.version + 1,
                            .settings = print_policy(*settings),
                            .by = who_orders(draft),
                            .reason = why_so(change.reason)});
    // A breaker that is switched off leaves no agent alone any longer.
    const Policy next{.settings = *std::move(settings)};
    for (const auto& [agent, breaker] : draft.state.governor.breakers) {
        if (breaker.stage == governor::BreakerStage::Closed) continue;
        if (limit_of(next, Rule::BreakerFailures, as_target(draft.state, agent)) > 0) continue;
        draft.add(BreakerClosed{draft.state.registry.agents[agent].id});
    }
}

void decide_stop_fleet(Draft& draft, const StopFleet& stop) {
    if (is_not_operator(draft, "fleet")) return;
    const auto why = why_so(as_kept(stop.reason));
    draft.add(FleetStopped{.by = who_orders(draft), .reason = why, .cancels = stop.cancels});
    if (!stop.cancels) return;
    std::set<Ticket> open;
    const auto& requests = draft.state.requests;
    requests.slots.for_each([&](Slot slot) { open.insert(requests.open[slot].ticket); });
    const auto reason = "the fleet was stopped: " + why;
    for (const auto ticket : open) cancel(draft, ticket, reason);
    cancel_workflows(draft, reason);
}

void decide_resume_fleet(Draft& draft, const ResumeFleet& resume) {
    if (is_not_operator(draft, "fleet")) return;
    draft.add(FleetResumed{.by = who_orders(draft), .reason = why_so(resume.reason)});
}

void decide_cancel(Draft& draft, const CancelRequest& order) {
    const auto reason = as_kept(order.reason);
    if (cancel_workflow(draft, order.id, reason)) return;
    auto requests = meant_by(draft, order.id);
    add_descendants(draft, requests);
    std::erase_if(requests, [&](Ticket ticket) {
        return broker::find_request(draft.state.requests, ticket) == nullptr;
    });
    const bool was_asked = withdraw_meant(draft, order.id, reason);
    if (requests.empty() && !was_asked) {
        return draft.refuse(order.id,
                            Refusal::DelegationNotFound,
                            fmt::format("no open request of yours goes by '{}'", order.id));
    }
    for (const auto ticket : requests) cancel(draft, ticket, reason);
}

void decide_tool(Draft& draft, const AuthorizeTool& command) {
    const auto& state = draft.state;
    const auto handle = registry::find_agent(state.registry, command.agent.value);
    const auto refused = [&](Refusal refusal, std::string detail) {
        draft.add(ToolRefused{.agent = command.agent.value,
                              .tool = command.tool,
                              .by = std::string{draft.asker()},
                              .refusal = refusal,
                              .detail = std::move(detail)});
    };
    if (!draft.may_act_for(command.agent.value)) {
        return refused(Refusal::IdentityMismatch,
                       fmt::format("the connection proved to be '{}' and cannot ask for '{}'",
                                   draft.asker(),
                                   command.agent.value));
    }
    if (handle == kNoAgent || !state.registry.agents[handle].is_registered) {
        return refused(Refusal::AgentNotRegistered,
                       fmt::format("agent '{}' is not registered", command.agent.value));
    }
    const auto& allowed = state.registry.agents[handle].profile.tools_allowed;
    if (std::ranges::find(allowed, command.tool) == allowed.end()) {
        return refused(Refusal::ToolNotAllowed,
                       fmt::format("Employee {} not authorized to use tool {}. It may use: {}.",
                                   command.agent.value,
                                   command.tool,
                                   fmt::join(allowed, ", ")));
    }
    const auto& lineage = state.governor.lineage;
    // The strictest limits of the agent's work apply, unless it names one request.
    const auto named = named_work(state, handle, command.request);
    // Naming an ended or foreign request is not naming none: the agent is granted nothing.
    if (!command.request.empty() && !named.is_any) {
        return refused(
            Refusal::ToolNotAllowed,
            fmt::format("'{}' is no request that '{}' works on: it is over, or another's.",
                        command.request,
                        command.agent.value));
    }
    for (const auto ticket : governor::limits_of(lineage, handle)) {
        if (is_planted(Mutant::GrantAnyTool)) break;
        if (!named.delegations.empty() && !named.delegations.contains(ticket)) continue;
        const auto each = lineage.delegations.at(ticket);
        if (std::ranges::find(each->tools, command.tool) != each->tools.end()) continue;
        return refused(Refusal::ToolNotAllowed,
                       fmt::format("Tool {} was not granted with the request that '{}' works "
                                   "on. Granted are: {}.",
                                   command.tool,
                                   command.agent.value,
                                   fmt::join(each->tools, ", ")));
    }
    draft.add(ToolAuthorized{
        .agent = command.agent.value, .tool = command.tool, .by = std::string{draft.asker()}});
}

void note_answer(Draft& draft, std::string_view agent, AnswerKind kind) {
    if (kind == AnswerKind::Declined) return;
    if (kind == AnswerKind::Failed) return open_if_too_many(draft, agent);
    const auto handle = registry::find_agent(draft.state.registry, agent);
    if (handle == kNoAgent || is_no_agent(agent)) return;
    const auto stage = governor::stage_of(draft.state.governor.breakers, handle);
    if (stage == governor::BreakerStage::Probing) {
        draft.add(BreakerClosed{AgentId{std::string{agent}}});
    }
}

void note_failure(Draft& draft, const broker::OpenRequest& request, Refusal refusal) {
    // A failure caused by the hub's own restart counts against no agent.
    const bool is_restart = std::holds_alternative<StartHub>(draft.cause.command);
    if (is_restart || !governor::is_failure(refusal, request.had_time)) return;
    open_if_too_many(draft, request.asked->to());
}

bool is_left_alone(const State& state, AgentHandle agent) {
    switch (governor::stage_of(state.governor.breakers, agent)) {
        case governor::BreakerStage::Closed:
            return false;
        case governor::BreakerStage::Open:
            return !is_planted(Mutant::HandOverWhileOpen);
        case governor::BreakerStage::Probing:
            return broker::mailbox_of(state.broker, agent).in_flight > 0;
    }
    return false;
}

bool tend_breakers(Draft& draft) {
    const auto& state = draft.state;
    for (const auto& [agent, breaker] : state.governor.breakers) {
        if (breaker.stage != governor::BreakerStage::Open) continue;
        const auto& name = state.registry.agents[agent].id;
        if (breaker.open_until <= draft.now()) {
            draft.add(BreakerProbed{name});
            return true;
        }
        if (const auto* message = waiting_request(state, agent)) {
            const auto ticket = message->ticket;
            const std::string reason = "its agent is left alone";
            if (is_at_least_once(*message)) {
                draft.add(MessageDeadLettered{ticket, DeliveryFailure::CircuitOpen, reason});
            } else {
                draft.add(MessageDropped{ticket, DeliveryFailure::CircuitOpen, reason});
            }
            fail_request(draft,
                         ticket,
                         Refusal::AgentCircuitOpen,
                         circuit_words(state, agent, *message->envelope, draft.now()));
            return true;
        }
    }
    return false;
}

namespace {

/// Requirements on an agent that stands in for another.
struct StandIn {
    AgentHandle of;
    const Envelope& request;
    std::string_view capability;  ///< Empty: unknown.

    /// By the capability asked for; if unknown, by the same role and domain as the agent's.
    bool can_do_it(const State& state, AgentHandle agent) const {
        if (!capability.empty()) return registry::has_capability(state.registry, agent, capability);
        const auto& its = state.registry.agents[of].profile;
        const auto& other = state.registry.agents[agent].profile;
        const bool is_anything = !its.role.empty() || !its.domain.empty();
        return is_anything && other.role == its.role && other.domain == its.domain;
    }
    bool may_be_asked(const State& state, AgentHandle agent) const {
        const auto& other = state.registry.agents[agent];
        if (!other.is_registered || agent == of || other.id.value == request.from()) return false;
        const auto stage = governor::stage_of(state.governor.breakers, agent);
        return stage == governor::BreakerStage::Closed &&
               is_chain_enabled(state.governor.policy,
                                {.from = request.from(),
                                 .to = other.id.value,
                                 .from_platform = enum_name(request.dialect()),
                                 .to_platform = enum_name(other.profile.dialect)});
    }
};

/// Present agents first, then the least busy; kNoAgent if no agent can stand in.
AgentHandle find_stand_in(const State& state, const StandIn& wanted) {
    const auto rank = [&](AgentHandle agent) {
        const auto& mailbox = broker::mailbox_of(state.broker, agent);
        return std::tuple{!is_there(state, agent), mailbox.waiting + mailbox.in_flight};
    };
    AgentHandle best = kNoAgent;
    for (AgentHandle agent = 0; agent < state.registry.agents.size(); ++agent) {
        if (!wanted.can_do_it(state, agent) || !wanted.may_be_asked(state, agent)) continue;
        if (best == kNoAgent || rank(agent) < rank(best)) best = agent;
    }
    return best;
}

std::string stand_in_words(const State& state, const StandIn& wanted) {
    const auto found = find_stand_in(state, wanted);
    if (found == kNoAgent) {
        return wanted.capability.empty()
                   ? std::string{"Nobody else is known who does the same: ask again later"}
                   : fmt::format("Nobody else who can do '{}' can be asked now: ask again later",
                                 wanted.capability);
    }
    const auto& agent = state.registry.agents[found];
    return fmt::format("Ask '{}' instead{}, or ask again later",
                       agent.id.value,
                       is_there(state, found) ? "" : ", which is offline for now");
}

}  // namespace

std::string circuit_words(
    const State& state, AgentHandle agent, const Envelope& request, Time now, const Claim* claim) {
    std::string words = fmt::format("agent '{}' has failed too often and is left alone",
                                    state.registry.agents[agent].id.value);
    const auto found = state.governor.breakers.find(agent);
    if (found != state.governor.breakers.end() &&
        found->second.stage == governor::BreakerStage::Open) {
        words += fmt::format(" for another {} ms",
                             std::max<std::int64_t>((found->second.open_until - now).count(), 0));
    }
    const auto own = claim == nullptr && state.message_writer != nullptr
                         ? state.message_writer->claim(request)
                         : ClaimPtr{};
    if (claim == nullptr) claim = own.get();
    const auto capability =
        claim == nullptr ? std::string_view{} : capability_asked(state, agent, *claim);
    return words + ". " + stand_in_words(state, {agent, request, capability});
}

}  // namespace parlance::core
