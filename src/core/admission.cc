#include "core/admission.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/fold.h"
#include "base/mutant.h"
#include "base/plain_text.h"
#include "core/capability.h"
#include "core/draft.h"
#include "core/guards.h"
#include "core/tree_position.h"
#include "model/names.h"

namespace parlance::core {

namespace {

// --- recorded events -------------------------------------------------------------------------

DelegationFounded founding(const GuardInput& input) {
    const auto& policy = input.state.governor.policy;
    const auto limit = [&](Rule rule) {
        return static_cast<std::uint64_t>(limit_of(policy, rule, input.subject));
    };
    return {.request = input.at.unfounded->ticket,
            .user = input.user,
            .depth_max = static_cast<std::uint32_t>(limit(Rule::DepthMax)),
            .tokens = limit(Rule::TokensPerRoot),
            .cost = limit(Rule::CostPerRoot),
            .id = std::string{input.at.unfounded->asked->id()},
            .objective_hash = input.founder ? input.founder->objective_hash : std::string{},
            .words_hash = input.founder ? input.founder->words_hash : std::string{}};
}

Ticket root_of(const GuardInput& input, Ticket request) {
    if (input.at.unfounded != nullptr) return input.at.unfounded->ticket;
    return input.at.root != nullptr ? input.at.root->number : request;
}

Ticket parent_of(const GuardInput& input) {
    if (input.at.unfounded != nullptr) return input.at.unfounded->ticket;
    return input.at.parent != nullptr ? input.at.parent->request : Ticket{};
}

DelegationAdmitted admitting(const GuardInput& input, Ticket request) {
    DelegationAdmitted admitted{
        .request = request,
        .parent = parent_of(input),
        .root = root_of(input, request),
        .user = input.user,
        .session = input.claim.session,
        .child_session = input.claim.child_session,
        .objective = input.claim.objective,
        .objective_hash = input.claim.objective_hash,
        .depth = input.depth,
        .depth_max = input.depth_max,
        .tokens = input.tokens,
        .cost = input.cost,
        .tools = input.claim.tools,
        .limits_tools = input.claim.limits_tools || !input.claim.tools.empty(),
        .words_hash = input.claim.words_hash};
    if (!admitted.limits_tools && input.at.parent != nullptr && input.at.parent->limits_tools) {
        admitted.tools = input.at.parent->tools;
        admitted.limits_tools = true;
    }
    if (admitted.root == request) {
        // Only in dialects that thread sessions does the next request of the session join the same
        // tree.
        if (!input.claim.has_session) admitted.session.clear();
        admitted.root_tokens = static_cast<std::uint64_t>(input.limit(Rule::TokensPerRoot));
        admitted.root_cost = static_cast<std::uint64_t>(input.limit(Rule::CostPerRoot));
    }
    return admitted;
}

Time deadline_max(const GuardInput& input) {
    auto last = input.now + Duration{input.limit(Rule::DeadlineMsMax)};
    if (is_planted(Mutant::OutliveTheParent)) return last;
    if (input.at.parent != nullptr) last = std::min(last, input.at.parent->deadline);
    if (input.at.unfounded == nullptr) return last;
    return std::min(last, broker::deadline_of(input.state.requests, *input.at.unfounded));
}

const Claim kNoClaim{};

// --- explanations ----------------------------------------------------------------------------

void note(std::vector<Finding>& findings,
          std::string_view guard,
          const GuardVerdict& verdict,
          std::vector<LookedUp>& rules) {
    findings.push_back({.guard = guard,
                        .refusal = verdict.refusal,
                        .detail = verdict.detail,
                        .retry_after_ms = verdict.retry_after_ms,
                        .approvals_needed = verdict.approvals_needed,
                        .rules = std::exchange(rules, {})});
}

/// Why some rules are not asked; or the capability that they are asked for.
Finding standing(const GuardInput& input, bool is_in_a_tree) {
    Finding finding{.guard = is_in_a_tree ? "capability rules" : "tree", .is_asked = false};
    const auto& capabilities = input.state.registry.agents[input.target].capabilities;
    if (!is_in_a_tree) {
        finding.detail =
            "it is in no tree of delegations: no limit of depth, fan-out, users, tools, budgets or "
            "capabilities is asked for";
    } else if (!input.subject.capability.empty()) {
        finding.is_asked = true;
        finding.detail = fmt::format("it asks for '{}'", input.subject.capability);
    } else if (capabilities.empty()) {
        finding.detail = fmt::format("'{}' has registered no capability", input.envelope.to());
    } else {
        finding.detail =
            fmt::format("'{}' has registered {} capabilities, and it names none of them",
                        input.envelope.to(),
                        capabilities.size());
    }
    return finding;
}

}  // namespace

std::string allocation_spent(const State& state, std::string_view agent) {
    for (const std::string_view resource : {"tokens", "budget"}) {
        if (shared::find_spent(state.shared, agent, resource) == nullptr) continue;
        return fmt::format("nothing is left of the {} that {} allocated to '{}'",
                           resource,
                           resource == "tokens" ? "are" : "is",
                           agent);
    }
    return {};
}

std::string not_of_user(std::string_view what, std::string_view user) {
    constexpr std::string_view kMismatch = "User ID mismatch - security violation";
    if (user.empty())
        return fmt::format("{}: {} is a user's, and no user is named", kMismatch, what);
    return fmt::format("{}: {} is not of user '{}'", kMismatch, what, user);
}

bool is_kept_for_another(const State& state, std::string_view session, std::string_view user) {
    if (is_planted(Mutant::TakeAnyonesSession)) return false;
    const auto* kept = shared::find(state.shared.sessions, session);
    return kept != nullptr && !kept->user.empty() && kept->user != user;
}

Admission admission(const State& state,
                    const Stamped& cause,
                    const SendMessage& send,
                    Sequence sequence,
                    std::vector<Finding>* findings,
                    const Approval* approval,
                    const Beside& beside) {
    const auto& envelope = *send.envelope;
    GuardInput input{.state = state,
                     .caller = cause.caller.get(),
                     .envelope = envelope,
                     .claim = send.claim ? *send.claim : kNoClaim,
                     .now = cause.now,
                     .origin = registry::find_agent(state.registry, envelope.from()),
                     .target = registry::find_agent(state.registry, envelope.to()),
                     .has_claim = send.claim != nullptr,
                     .beside = beside};
    const StatedRequest stated_request{.by = input.origin,
                                       .envelope = envelope,
                                       .claim = input.claim,
                                       .hands_over = send.passing && send.passing->hands_over};
    // A request approved by people keeps the position found before the approval, and a workflow
    // step gets the position where its workflow began; an agent under the hub's name has no part in
    // this.
    input.out_of = send.below.value_or(input.claim.parent);
    const auto parent = approval != nullptr ? approval->parent : input.out_of;
    const bool is_found = approval != nullptr || input.claim.may_repeat || send.below;
    input.at = is_found ? position_below(state, parent, stated_request)
                        : find_position(state, stated_request);
    GuardVerdict asked;
    bool is_short = false;  // A budget has too little, and a person may grant tokens of their own.
    // A request for a user belongs to the user, and a spending request is held to the budgets: both
    // begin a tree.
    const bool spends = input.claim.tokens_max > 0 || limits_spending(state.governor.policy);
    const bool is_in_a_tree = input.claim.has_session || input.at.parent != nullptr ||
                              input.at.unfounded != nullptr || !input.claim.user.empty() ||
                              send.below.value_or(Ticket{}) != Ticket{} || spends;
    if (is_in_a_tree) measure(input);
    std::vector<LookedUp> rules;
    if (findings != nullptr) {
        input.rules = &rules;
        findings->push_back(standing(input, is_in_a_tree));
    }
    for (const auto& guard : guards()) {
        if (!is_in_a_tree && !guard.is_for_all) continue;
        auto verdict = guard.check(input);
        if (findings != nullptr) note(*findings, guard.name, verdict, rules);
        if (verdict.refusal == Refusal::None) continue;
        if (verdict.approvals_needed == 0) {
            return {.refusal = verdict.refusal,
                    .detail = std::move(verdict.detail),
                    .retry_after_ms = verdict.retry_after_ms};
        }
        // People are shown the first guard's words; their one answer covers all guards.
        const auto approvals_needed = std::max(asked.approvals_needed, verdict.approvals_needed);
        if (asked.refusal == Refusal::None) asked = std::move(verdict);
        asked.approvals_needed = approvals_needed;
        is_short = is_short || guard.is_of_budgets;
    }
    if (asked.refusal != Refusal::None && approval == nullptr) {
        return {.refusal = asked.refusal,
                .detail = std::move(asked.detail),
                .approvals_needed = asked.approvals_needed,
                .parent = parent_of(input),
                .user = input.user,
                .tokens = input.tokens,
                .deadline_max = deadline_max(input)};
    }
    if (!is_in_a_tree) return {};
    Admission admission{.approvals_needed = asked.approvals_needed,
                        .parent = parent_of(input),
                        .deadline_max = deadline_max(input)};
    if (input.at.unfounded != nullptr) admission.founded = founding(input);
    const Sequence accepted_at{sequence.value + (admission.founded ? 1 : 0)};
    admission.admitted = admitting(input, approval ? approval->request : ticket_at(accepted_at));
    if (approval != nullptr && (is_short || approval->tokens > 0)) {
        admission.admitted->is_granted = true;
    }
    return admission;
}

namespace {

/// The settlement that governor::end() will make when the offer is answered.
Settlement settlement_of(const governor::Lineage& lineage, const Taken& taken) {
    Settlement settled{.tokens_used = taken.tokens_used};
    const auto offered = governor::find_delegation(lineage, taken.offer);
    // Tokens granted by a person come out of no budget.
    if (offered == nullptr || offered->is_granted) return settled;
    settled.root = offered->root;
    settled.tokens = offered->tokens;
    settled.tokens_spent = governor::own_tokens(*offered, taken.tokens_used);
    settled.cost = offered->cost;
    settled.cost_spent = governor::cost_of(lineage, taken.offer, taken.tokens_used);
    return settled;
}

}  // namespace

Move check_move(
    const State& state, Ticket request, std::string_view to, Time now, const Taken& taken) {
    const auto& open = *broker::find_request(state.requests, request);
    const auto& lineage = state.governor.lineage;
    const auto delegation = governor::find_delegation(lineage, request);
    const auto envelope = readdressed(state, *open.asked, to);
    const auto stated_claim =
        state.message_writer != nullptr ? state.message_writer->claim(*open.asked) : nullptr;
    Claim claim = stated_claim ? *stated_claim : Claim{};
    if (delegation != nullptr) {
        claim.objective_hash = delegation->objective_hash;
        claim.words_hash = delegation->words_hash;
        claim.child_session = delegation->session;
    }
    GuardInput input{
        .state = state,
        .caller = nullptr,
        .envelope = *envelope,
        .claim = claim,
        .now = now,
        .origin = open.requester,
        .target = registry::find_agent(state.registry, to),
        .subject = {.platform = enum_name(envelope->dialect()), .agent = envelope->from()},
        .has_claim = stated_claim != nullptr,
        .is_taken = taken.offer != Ticket{},
        .settled = settlement_of(lineage, taken)};
    if (delegation != nullptr) {
        const auto* pass = handing::find_pass(state.handing, request);
        input.at = {.parent = governor::find_delegation(lineage, delegation->parent),
                    .root = lineage.roots.at(delegation->root),
                    .is_sideways = pass != nullptr && pass->began.task != Ticket{}};
        input.user = delegation->user;
        // Tokens granted by a person come out of no budget.
        input.tokens = delegation->is_granted ? 0 : delegation->tokens;
        input.cost = cost_for(input);
        input.cost_before = delegation->cost;
        input.depth = delegation->depth;
        input.subject.user = input.user;
        input.subject.capability = capability_asked(state, input.target, claim);
        const auto holder = registry::find_agent(state.registry, open.asked->to());
        input.subject_before = input.subject;
        input.subject_before.capability = capability_asked(state, holder, claim);
        input.tokens_before = delegation->tokens;
        input.depth_max = std::min(delegation->depth_max,
                                   static_cast<std::uint32_t>(input.limit(Rule::DepthMax)));
    }
    for (const auto& guard : guards_of_moves()) {
        if (delegation == nullptr && !guard.is_for_all) continue;
        auto verdict = guard.check(input);
        if (verdict.refusal != Refusal::None) return {verdict.refusal, std::move(verdict.detail)};
    }
    return {.is_priced = delegation != nullptr && !delegation->is_granted, .cost = input.cost};
}

Finding check_messages(
    const State& state, const Subject& sender, Time now, std::uint64_t count, bool explains) {
    Finding finding{.guard = "messages"};
    const auto& policy = state.governor.policy;
    if (explains) {
        finding.rules = {
            {Rule::MessagesPerMinute, ruling(policy, Rule::MessagesPerMinute, sender)}};
    }
    const auto most = limit_of(policy, Rule::MessagesPerMinute, sender);
    if (most == 0) return finding;
    const auto& rates = state.governor.rates;
    const auto account = governor::agent_account(sender.agent);
    const auto sent = governor::count_at(rates, account, now);
    const auto limit = static_cast<std::uint64_t>(most);
    if (sent + count <= limit) {
        if (explains) finding.detail = fmt::format("{} of {} were sent in this minute", sent, most);
        return finding;
    }
    // A burst that no minute has room for does not get in by waiting.
    if (count <= limit) {
        finding.retry_after_ms =
            milliseconds(governor::wait_at(rates, account, now, limit - count));
    }
    finding.refusal = Refusal::RateLimitExceeded;
    finding.detail =
        fmt::format("'{}' has sent {} of {} messages in this minute (messages_per_minute); {}",
                    sender.agent,
                    sent,
                    most,
                    when_taken(count, finding.retry_after_ms));
    return finding;
}

namespace {

constexpr std::string_view kSpaces = " \t\r\n\v\f";

/// True if the owner is marked as a user, in any spelling: an odd spelling must not slip past.
bool is_said_to_be_user(std::string_view owner) {
    const auto plain = folded(owner);
    return plain.starts_with("user:") || plain.starts_with("user :");
}

}  // namespace

std::string_view foreign_owner(const State& state,
                               const std::vector<std::string>& owners,
                               std::string_view user) {
    for (const std::string_view owner : owners) {
        const bool is_said = is_said_to_be_user(owner);
        // Without an ASCII colon the whole text is taken, which is no user's name.
        const auto name = trimmed(is_said ? owner.substr(owner.find(':') + 1) : owner, kSpaces);
        if (name.empty()) continue;  // "user:" alone names nobody and must not hide the next owner.
        if (name != user && (is_said || shared::is_user(state.shared, name))) return name;
    }
    return {};
}

Explanation explain(const State& state, const Stamped& cause, const SendMessage& send) {
    Explanation told;
    Events events;
    Draft draft{.state = state, .cause = cause, .events = events, .findings = &told.findings};
    auto outcome = decide_send(draft, send);
    told.refusal = outcome.refusal;
    told.detail = std::move(outcome.detail);
    told.retry_after_ms = outcome.retry_after_ms;
    told.is_repeat = outcome.repeated != Ticket{};
    if (!outcome.is_held) return told;
    for (const auto& finding : told.findings) {
        told.approvals_needed = std::max(told.approvals_needed, finding.approvals_needed);
    }
    return told;
}

}  // namespace parlance::core
