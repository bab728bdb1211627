#include "core/steps.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/json_write.h"
#include "base/mutant.h"
#include "base/uuid.h"
#include "core/inspect.h"
#include "core/keys.h"
#include "core/replay.h"
#include "core/workflow/report.h"
#include "core/workflow/values.h"
#include "model/names.h"

namespace parlance::core {

namespace {

using workflow::Item;
using workflow::Run;
using workflow::Stage;

/// Retries of a transient failure, where the plan does not set the number.
constexpr std::uint32_t kTransientRetries = 2;
constexpr std::uint32_t kBackoffDoublingsMax = 10;
constexpr std::string_view kTooUnsure = "CONFIDENCE_TOO_LOW";
constexpr Duration kStepTimeout{std::chrono::seconds{30}};

/// A failure of a step.
struct StepFailure {
    std::string code{};
    std::string detail{};
    std::optional<bool> is_retryable{};  ///< None: unknown.
    std::string strategy{};
};

// --- choosing the agent ----------------------------------------------------------------------

std::string_view starter_of(const Run& run) {
    return run.is_by_agent ? std::string_view{run.by} : std::string_view{};
}

/// Of the agents with the capability: agents that may be asked come first, then agents not left
/// alone, then present agents, then the least busy.
AgentHandle find_capable(const State& state, std::string_view capability, const Run& run) {
    const auto starter = starter_of(run);
    const auto found = state.registry.by_capability.find(capability);
    if (found == state.registry.by_capability.end()) return kNoAgent;
    AgentHandle best = kNoAgent;
    const auto rank = [&](AgentHandle agent) {
        const auto& mailbox = broker::mailbox_of(state.broker, agent);
        return std::tuple{!may_be_asked(state, starter, state.registry.agents[agent]),
                          is_left_alone(state, agent),
                          !is_there(state, agent),
                          mailbox.waiting + mailbox.in_flight};
    };
    for (const auto agent : found->second) {
        if (best == kNoAgent || rank(agent) < rank(best)) best = agent;
    }
    return best;
}

const Duty& duty_of(const StepItem& step_item, StepPath path) {
    if (path == StepPath::Fallback) return step_item.plan().fallback;
    return path == StepPath::Compensation ? step_item.plan().compensation : step_item.plan().duty;
}

/// The list that the step runs for; none if the value is no list.
std::optional<json::Value> list_of(workflow::PointerResolver& resolver, const StepPlan& plan) {
    const auto list = resolver.at(plan.for_each);
    return list.is_array() ? std::optional{list} : std::nullopt;
}

json::Value element_of(const StepItem& step_item, workflow::PointerResolver& resolver) {
    if (step_item.plan().for_each.empty()) return {};
    auto left = step_item.item;
    const auto list = list_of(resolver, step_item.plan());
    if (!list) return {};
    json::Elements elements{*list};
    while (elements.next()) {
        if (left-- == 0) return elements.value;
    }
    return {};
}

std::string inputs_of(const StepItem& step_item, const Duty& duty) {
    workflow::PointerResolver lists{step_item.run};
    workflow::PointerResolver resolver{step_item.run, element_of(step_item, lists)};
    const auto& inputs = duty.inputs.empty() ? step_item.plan().duty.inputs : duty.inputs;
    return workflow::filled(json::root(inputs), resolver.lookup());
}

/// Follows from the position in the run, the path and the attempt.
std::string request_id(const StepItem& step_item, StepPath path, std::uint32_t attempt) {
    return derived_uuid(fmt::format("{} {} {} {} {}",
                                    step_item.run.id,
                                    step_item.step,
                                    step_item.item,
                                    static_cast<unsigned>(path),
                                    attempt));
}

Duration time_for(const Draft& draft, const StepItem& step_item) {
    auto time = step_item.plan().timeout > Duration{} ? step_item.plan().timeout : kStepTimeout;
    if (step_item.run.deadline != Time{})
        time = std::min(time, step_item.run.deadline - draft.now());
    return std::max(time, Duration{1});
}

/// The step's request as a delegation.
ClaimPtr claim_of(const State& state, const StepItem& step_item, std::string_view capability) {
    return std::make_shared<const Claim>(
        Claim{.user = step_item.run.user,
              .session = step_item.run.id,
              .capability = std::string{capability},
              .objective = step_item.plan().objective,
              .objective_hash = step_item.plan().objective_hash,
              // An agent gains no depth by a workflow.
              .depth = step_item.run.is_by_agent ? 1U : 0U,
              .depth_max = static_cast<std::uint32_t>(
                  limit_of(state.governor.policy, Rule::DepthMax, {.agent = kOrchestrator})),
              .tokens_max = step_item.plan().tokens_max,
              .has_session = true,
              .parent = step_item.run.parent,
              .may_repeat = true});
}

/// The claim with the estimated tokens of the step's own content, where the workflow's author
/// limited the step's tokens (X8). The context added by the hub is not the author's, and a
/// compensation is asked for whatever it takes.
ClaimPtr measured(const State& state, ClaimPtr claim, Assignment content, StepPath path) {
    if (claim->tokens_max == 0 || path == StepPath::Compensation) return claim;
    content.context = "{}";
    const auto message = state.message_writer->write(content);
    const auto stated = message ? state.message_writer->claim(*message) : nullptr;
    if (stated == nullptr) return claim;
    auto exact = *claim;
    exact.tokens_estimated = stated->tokens_estimated;
    return std::make_shared<const Claim>(std::move(exact));
}

// --- failures and retries --------------------------------------------------------------------

void end_step(Draft& draft, const StepItem& step_item, StepEnd end, StepFailure failure = {}) {
    draft.add(StepEnded{.run = step_item.run.number,
                        .step = step_item.step,
                        .item = step_item.item,
                        .end = end,
                        .code = std::move(failure.code),
                        .detail = std::move(failure.detail)});
}

void delay(Draft& draft,
           const StepItem& step_item,
           StepPath path,
           std::uint32_t attempt,
           StepFailure failure) {
    auto wait = Duration{};
    if (attempt > 0) {
        wait = step_item.plan().backoff *
               (std::int64_t{1} << std::min(attempt - 1, kBackoffDoublingsMax));
    }
    draft.add(StepDelayed{.run = step_item.run.number,
                          .step = step_item.step,
                          .item = step_item.item,
                          .path = path,
                          .attempt = attempt,
                          .until = draft.now() + wait,
                          .code = std::move(failure.code),
                          .detail = std::move(failure.detail),
                          .strategy = std::move(failure.strategy)});
}

bool may_retry(const StepItem& step_item, std::uint32_t attempt, const StepFailure& failure) {
    if (failure.is_retryable == false) return false;
    const auto& plan = step_item.plan();
    const bool is_transient = failure.is_retryable.value_or(false);
    const auto most =
        plan.says_retries ? plan.retry_count_max : (is_transient ? kTransientRetries : 0U);
    return attempt <= most;
}

// --- people ----------------------------------------------------------------------------------

/// The human task about a step, and about the step's failure, if any.
HumanQuestion question_of(const Draft& draft,
                          const StepItem& step_item,
                          const StepFailure& failure) {
    const auto& plan = step_item.plan().human_task;
    const auto* item = step_item.find_item();
    // There is an answer to be judged, or an answer to be given.
    const auto preset = failure.code == kTooUnsure ? HumanKind::Edit : HumanKind::Answer;
    workflow::PointerResolver resolver{step_item.run};
    json::ObjectWriter context;
    context.raw("workflow",
                workflow::context_for(step_item.run, step_item.step, names_of(draft.state)));
    context.raw("inputs",
                workflow::filled(json::root(step_item.plan().duty.inputs), resolver.lookup()));
    if (!failure.code.empty()) context.text("problem", failure.code + ": " + failure.detail);
    if (item != nullptr && item->reply) context.raw("answer", item->reply->body());
    HumanQuestion question{.role = plan.role,
                           .kind = enum_named<HumanKind>(plan.kind).value_or(preset),
                           .text = plan.question,
                           .context = context.done(),
                           .options = plan.options,
                           .workflow = step_item.run.id,
                           .step = step_item.plan().id,
                           .user = step_item.run.user,
                           .escalation = plan.escalate_to,
                           .if_nobody = enum_named<IfNobody>(plan.if_nobody),
                           .approvals_needed = plan.approvals};
    if (question.text.empty()) {
        question.text = fmt::format("'{}' did not work out ({}). How should it go on?",
                                    step_item.plan().label,
                                    failure.detail);
    }
    if (plan.deadline > Duration{}) question.deadline = plan.deadline;
    if (plan.reminder > Duration{}) question.reminder = plan.reminder;
    return question;
}

/// Opens a human task about the step; or ends the step, if nobody can be asked. `asked` has the
/// answer to be judged, if any.
void open_human_task_of_step(Draft& draft,
                             const StepItem& step_item,
                             StepFailure failure,
                             StepAsked asked = {}) {
    const auto question = question_of(draft, step_item, failure);
    if (auto no = cannot_ask(draft, question); no.refusal != Refusal::None) {
        return end_step(draft,
                        step_item,
                        StepEnd::Failed,
                        {.code = std::string{refusal_row(no.refusal).code}, .detail = no.detail});
    }
    asked.run = step_item.run.number;
    asked.step = step_item.step;
    asked.item = step_item.item;
    asked.human_task = open_human_task(draft, question, {.by = step_item.run.by});
    asked.code = std::move(failure.code);
    asked.detail = std::move(failure.detail);
    draft.add(std::move(asked));
}

/// Tries the step again, or on another path, or ends the step.
void go_on(Draft& draft,
           const StepItem& step_item,
           StepPath path,
           std::uint32_t attempt,
           StepFailure failure) {
    if (path == StepPath::Compensation) {
        if (may_retry(step_item, attempt, failure))
            return delay(draft, step_item, path, attempt, failure);
        return end_step(draft, step_item, StepEnd::Compensated, std::move(failure));
    }
    if (step_item.run.is_compensating)
        return end_step(draft, step_item, StepEnd::Failed, std::move(failure));
    if (may_retry(step_item, attempt, failure)) {
        failure.strategy = {};
        return delay(draft, step_item, path, attempt, std::move(failure));
    }
    const auto& plan = step_item.plan();
    const bool can_do_strategy =
        path == StepPath::Planned && !failure.strategy.empty() &&
        find_capable(draft.state, failure.strategy, step_item.run) != kNoAgent;
    if (can_do_strategy) return delay(draft, step_item, StepPath::Strategy, 0, std::move(failure));
    failure.strategy = {};
    if (path != StepPath::Fallback && !plan.fallback.empty()) {
        return delay(draft, step_item, StepPath::Fallback, 0, std::move(failure));
    }
    if (!plan.fallback_value.empty()) {
        return draft.add(StepEnded{.run = step_item.run.number,
                                   .step = step_item.step,
                                   .item = step_item.item,
                                   .end = StepEnd::Done,
                                   .is_partial = true,
                                   .output = plan.fallback_value,
                                   .code = std::move(failure.code),
                                   .detail = std::move(failure.detail)});
    }
    if (plan.on_error == OnError::HumanTask)
        return open_human_task_of_step(draft, step_item, std::move(failure));
    end_step(draft, step_item, StepEnd::Failed, std::move(failure));
}

StepFailure failure_of(Refusal refusal, std::string detail) {
    const auto& row = refusal_row(refusal);
    // A timeout is no reason to expect a timely answer from the next try.
    const bool is_late = refusal == Refusal::RequestTimedOut;
    return {.code = std::string{row.code},
            .detail = std::move(detail),
            .is_retryable = is_late ? std::nullopt : std::optional{row.retryable}};
}

// --- one step --------------------------------------------------------------------------------

struct Try {
    StepPath path = StepPath::Planned;
    std::uint32_t attempt = 1;
    std::string strategy{};
};

/// The ticket of the open request that the step sent or repeated, or why there is none.
tl::expected<Ticket, StepFailure> open_request(const State& state, SendOutcome sent) {
    if (sent.refusal != Refusal::None) {
        return tl::unexpected{failure_of(sent.refusal, std::move(sent.detail))};
    }
    if (sent.accepted != Ticket{}) return sent.accepted;
    if (broker::find_request(state.requests, sent.repeated) != nullptr) return sent.repeated;
    return tl::unexpected{failure_of(Refusal::RequestUndeliverable, "it could not be asked")};
}

/// Sends the step's request and records the step as begun; or goes on from the failure.
void begin(Draft& draft, const StepItem& step_item, const Try& it) {
    const auto& state = draft.state;
    const auto fail = [&](Refusal refusal, std::string detail) {
        go_on(draft, step_item, it.path, it.attempt, failure_of(refusal, std::move(detail)));
    };
    const auto& duty = duty_of(step_item, it.path);
    const auto& capability = it.path == StepPath::Strategy ? it.strategy : duty.capability;
    const auto agent = it.path != StepPath::Strategy && !duty.agent.empty()
                           ? registry::find_agent(state.registry, duty.agent)
                           : find_capable(state, capability, step_item.run);
    if (agent == kNoAgent || !state.registry.agents[agent].is_registered) {
        if (!duty.agent.empty()) {
            return fail(Refusal::AgentNotRegistered,
                        fmt::format("agent '{}' is not registered", duty.agent));
        }
        return fail(Refusal::CapabilityNotRegistered,
                    fmt::format("no agent has registered capability '{}'", capability));
    }
    const auto starter = starter_of(step_item.run);
    if (!may_be_asked(state, starter, state.registry.agents[agent])) {
        return fail(Refusal::RouteNotPermitted,
                    not_permitted(starter, state.registry.agents[agent].id.value));
    }
    const auto inputs = inputs_of(step_item, duty);
    const auto context = workflow::context_for(step_item.run, step_item.step, names_of(state));
    const auto id = request_id(step_item, it.path, it.attempt);
    const auto& target = state.registry.agents[agent];
    const auto claim = claim_of(state, step_item, capability);
    SendMessage send{.priority = Priority::High,
                     .timeout = time_for(draft, step_item),
                     .waits = true,
                     .claim = claim,
                     .by = step_item.run.by};
    const Assignment assignment{
        .id = id,
        .to = target.id.value,
        .dialect = target.profile.dialect,
        .capability = capability,
        .capabilities = target.profile.capabilities,
        .objective = claim->objective,
        .inputs = inputs,
        .context = context,
        .correlation = step_item.run.correlation,
        .user = step_item.run.user,
        .session = step_item.run.session.empty() ? step_item.run.id : step_item.run.session,
        .timeout = *send.timeout,
        .tokens_max = claim->tokens_max == governor::kTokensUsual ? 0 : claim->tokens_max,
        .now = draft.now()};
    if (auto flaw = state.message_writer->flaw(assignment); !flaw.empty()) {
        return fail(Refusal::InputValidationFailed, std::move(flaw));
    }
    send.envelope = state.message_writer->write(assignment);
    if (!send.envelope) return fail(Refusal::MessageTooLarge, "what it would be asked is too much");
    send.fingerprint = body_key(state.key, send.envelope->body());
    send.claim = measured(state, claim, assignment, it.path);
    auto request = open_request(state, decide_send(draft, send));
    if (!request) return go_on(draft, step_item, it.path, it.attempt, std::move(request.error()));
    draft.add(StepBegan{.run = step_item.run.number,
                        .step = step_item.step,
                        .item = step_item.item,
                        .attempt = it.attempt,
                        .path = it.path,
                        .request = *request});
}

/// The label of a needed step that was lost; empty if none was.
std::string lost_before(const Run& run, const StepPlan& plan) {
    for (const auto other : plan.after) {
        if (workflow::is_lost(run.steps[other].stage)) return run.plan->steps[other].label;
    }
    return {};
}

/// The offset of `part`, if `part` lies inside `whole`.
std::optional<std::uint32_t> place_in(std::string_view whole, std::string_view part) {
    const std::less_equal<> is_not_behind;
    const bool is_inside = !part.empty() && is_not_behind(whole.data(), part.data()) &&
                           is_not_behind(part.data() + part.size(), whole.data() + whole.size());
    if (!is_inside) return std::nullopt;
    return static_cast<std::uint32_t>(part.data() - whole.data());
}

void judge_answer(Draft& draft, const StepItem& step_item, const Item& item) {
    auto outcome = draft.state.message_writer->read(*item.reply);
    if (item.path == StepPath::Compensation && outcome.is_done)
        return end_step(draft, step_item, StepEnd::Compensated);
    const auto confidence = outcome.confidence.value_or(kNoConfidence);
    const auto at = place_in(item.reply->body(), outcome.output);
    if (outcome.is_done && confidence < step_item.plan().confidence_min) {
        StepFailure unsure{
            .code = std::string{kTooUnsure},
            .detail = fmt::format("its answer is sure to {:.3f}, and {:.3f} is wanted",
                                  confidence / 1000.0,
                                  step_item.plan().confidence_min / 1000.0)};
        // A person may find the answer good enough.
        if (step_item.plan().on_error == OnError::HumanTask && at) {
            return open_human_task_of_step(
                draft,
                step_item,
                std::move(unsure),
                {.confidence = confidence,
                 .output_at = *at,
                 .output_size = static_cast<std::uint32_t>(outcome.output.size())});
        }
        return go_on(draft, step_item, item.path, item.attempt, std::move(unsure));
    }
    if (!outcome.is_done) {
        return go_on(draft,
                     step_item,
                     item.path,
                     item.attempt,
                     {.code = std::move(outcome.code),
                      .detail = std::move(outcome.detail),
                      .is_retryable = outcome.is_retryable,
                      .strategy = std::move(outcome.strategy)});
    }
    if (is_planted(Mutant::AskAgainWhatWasAnswered) && item.attempt == 1) {
        return delay(draft, step_item, item.path, item.attempt, {});
    }
    StepEnded ended{.run = step_item.run.number,
                    .step = step_item.step,
                    .item = step_item.item,
                    .is_partial = outcome.is_partial,
                    .confidence = confidence,
                    .detail = std::move(outcome.detail)};
    if (is_planted(Mutant::ResumeWithSomethingElse)) {
        ended.output = step_item.run.input;
    } else if (at) {
        ended.output_at = *at;
        ended.output_size = static_cast<std::uint32_t>(outcome.output.size());
    } else {
        ended.output = outcome.made.empty() ? std::string{outcome.output} : outcome.made;
    }
    draft.add(std::move(ended));
}

}  // namespace

bool may_be_asked(const State& state, std::string_view starter, const registry::Agent& agent) {
    const auto to_platform = enum_name(agent.profile.dialect);
    const auto is_enabled = [&](std::string_view from, std::string_view from_platform) {
        return is_chain_enabled(state.governor.policy,
                                {.from = from,
                                 .to = agent.id.value,
                                 .from_platform = from_platform,
                                 .to_platform = to_platform});
    };
    if (!is_enabled(kOrchestrator, to_platform)) return false;
    return starter.empty() || is_enabled(starter, as_sender(state, starter).platform);
}

std::string not_permitted(std::string_view starter, std::string_view agent) {
    return fmt::format(
        "'{}' may not ask '{}': the policy does not enable this chain (chain_enabled)",
        starter.empty() ? kOrchestrator : starter,
        agent);
}

std::set<Ticket> over_of(const State& state, const Run& run) {
    std::set<Ticket> over;
    const auto add = [&](const StepItem& step_item, StepPath path, std::uint32_t attempt) {
        const auto id = request_id(step_item, path, attempt);
        const auto known = broker::find_id(state.dedup, message_key(state.key, kOrchestrator, id));
        if (!known) return;
        const auto made = governor::find_delegation(state.governor.lineage, known->ticket);
        if (made != nullptr && !made->is_open) over.insert(known->ticket);
    };
    for (std::uint32_t step = 0; step < run.steps.size(); ++step) {
        const auto& items = run.steps[step].items;
        const auto& plan = run.plan->steps[step];
        // The tries on a path that the item has left are not recorded: the most possible is
        // assumed.
        const auto most = std::max(plan.retry_count_max, kTransientRetries) + 1;
        for (std::uint32_t item = 0; item < items.size(); ++item) {
            const auto& at = items[item];
            for (const auto path : {StepPath::Planned, StepPath::Fallback, StepPath::Strategy}) {
                if (path != at.path && at.path == StepPath::Planned) continue;
                const auto tries = path == at.path ? std::uint32_t{at.attempt} : most;
                for (std::uint32_t i = 1; i <= tries; ++i) add({run, step, item}, path, i);
            }
        }
    }
    return over;
}

void open_step(Draft& draft, const StepItem& step_item) {
    const auto& plan = step_item.plan();
    workflow::PointerResolver resolver{step_item.run};
    if (!plan.when.empty()) {
        if (!workflow::holds(json::root(plan.when), resolver.lookup())) {
            return end_step(draft, step_item, StepEnd::Skipped);
        }
    } else if (const auto lost = lost_before(step_item.run, plan); !lost.empty()) {
        return end_step(draft,
                        step_item,
                        StepEnd::Blocked,
                        {.code = "WORKFLOW_STEP_BLOCKED",
                         .detail = fmt::format("it needs '{}', which did not come", lost)});
    }
    if (plan.is_human_task) return open_human_task_of_step(draft, step_item, {});
    if (plan.for_each.empty()) return begin(draft, step_item, {});
    const auto list = list_of(resolver, plan);
    std::uint32_t count = 0;
    if (list) {
        for (json::Elements elements{*list}; elements.next();) ++count;
    }
    if (!list || count > plan.count_max) {
        const auto what =
            list ? fmt::format("is a list of {}, and at most {} are taken", count, plan.count_max)
                 : std::string{"is no list"};
        return end_step(draft,
                        step_item,
                        StepEnd::Failed,
                        {.code = "INPUT_VALIDATION_FAILED",
                         .detail = fmt::format("'{}' {}", plan.for_each, what)});
    }
    draft.add(StepOpened{.run = step_item.run.number, .step = step_item.step, .count = count});
}

void begin_step(Draft& draft, const StepItem& step_item) {
    const auto* item = step_item.find_item();
    if (item == nullptr || item->stage == Stage::Waiting) return begin(draft, step_item, {});
    begin(draft,
          step_item,
          {.path = item->path,
           .attempt = item->attempt + 1U,
           .strategy = item->path == StepPath::Strategy ? item->output : std::string{}});
}

void compensate_step(Draft& draft, const StepItem& step_item) {
    begin(draft, step_item, {.path = StepPath::Compensation});
}

void judge_step(Draft& draft, const StepItem& step_item) {
    const auto& item = *step_item.find_item();
    if (item.stage == Stage::Answered) return judge_answer(draft, step_item, item);
    const auto found = std::ranges::find(kRefusals, item.code, &RefusalRow::code);
    auto failure = found == kRefusals.end() ? StepFailure{.code = item.code, .detail = item.detail}
                                            : failure_of(found->refusal, item.detail);
    go_on(draft, step_item, item.path, item.attempt, std::move(failure));
}

void end_human_task_of_step(Draft& draft,
                            const people::HumanTask& human_task,
                            const HumanOutcome& outcome) {
    const auto asker = workflow::find_asker(draft.state.workflows, human_task.asked.id);
    if (asker == Ticket{} || outcome.stage == people::Stage::Withdrawn) return;
    const auto run = workflow::find_run(draft.state.workflows, asker);
    const auto position = workflow::position_of(*run, human_task.asked.id);
    const StepItem step_item{*run, position.step, position.item};
    const bool is_lapsed = outcome.stage == people::Stage::Lapsed;
    if (outcome.decision == HumanDecision::Reject) {
        const bool is_failed = is_lapsed && human_task.asked.if_nobody == IfNobody::Fail;
        const auto refusal = is_failed ? Refusal::HumanNotAnswered : Refusal::RequestRejected;
        std::string why{outcome.reason};
        if (is_lapsed) why = "nobody answered in time";
        return end_step(draft,
                        step_item,
                        StepEnd::Failed,
                        {.code = std::string{refusal_row(refusal).code}, .detail = std::move(why)});
    }
    StepEnded ended{.run = step_item.run.number, .step = step_item.step, .item = step_item.item};
    const auto* item = step_item.find_item();
    const bool is_kept = outcome.decision == HumanDecision::Approve && item->output_size > 0;
    if (is_kept) {
        ended.confidence = item->confidence;
        ended.output_at = item->output_at;
        ended.output_size = item->output_size;
    } else if (step_item.plan().is_human_task) {
        json::ObjectWriter stated;
        stated.text("decision", enum_name(outcome.decision)).text("by", outcome.by);
        if (!outcome.reason.empty()) stated.text("reason", outcome.reason);
        if (!outcome.content.empty()) stated.raw("content", outcome.content);
        ended.output = stated.done();
    } else {
        ended.output = std::string{outcome.content};
    }
    draft.add(std::move(ended));
}

}  // namespace parlance::core
