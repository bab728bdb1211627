// Every event and every field of an event, with the numbers that are written to the journal.
//
// A number is never reused and never changes its meaning. A new field takes the next number of its
// event, a new event the next number of the table; older programs skip a new field and refuse a new
// event.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "model/event.h"
#include "model/names.h"

namespace parlance::journal {

/// How a field is written and shown, where the type alone does not tell. Plain text was written by
/// an agent or a user, and may contain personal data (views/event_words.h).
enum class As {
    Plain,
    Hash,      ///< A number that uses all 64 bits: eight bytes, shown in hexadecimal.
    Secret,    ///< Written like Hash, and never shown.
    Document,  ///< Text that is JSON, shown as JSON.
    Name,      ///< Text that names an agent, a user or an id.
};

template <class Owner, class Value>
struct Field {
    constexpr Field(std::uint32_t its_tag,
                    std::string_view its_name,
                    Value Owner::*its_member,
                    As its_way = As::Plain)
        : tag(its_tag), name(its_name), member(its_member), as(its_way) {}
    std::uint32_t tag;
    std::string_view name;
    Value Owner::*member;
    As as;
};

template <class T>
inline constexpr auto kFields = nullptr;

// clang-format off
template <> inline constexpr std::tuple kFields<Profile>{
    Field{1, "dialect", &Profile::dialect},
    Field{2, "role", &Profile::role},
    Field{3, "domain", &Profile::domain},
    Field{4, "instance_count_max", &Profile::instance_count_max},
    Field{5, "tools_allowed", &Profile::tools_allowed},
    Field{6, "capabilities", &Profile::capabilities, As::Document},
    Field{7, "endpoint", &Profile::endpoint},
};
template <> inline constexpr std::tuple kFields<DeliveryToken>{
    Field{1, "ticket", &DeliveryToken::ticket},
    Field{2, "attempt", &DeliveryToken::attempt},
    Field{3, "epoch", &DeliveryToken::epoch},
};

template <> inline constexpr std::tuple kFields<HubFounded>{
    Field{1, "hub_id", &HubFounded::hub_id, As::Name},
    Field{2, "hash_key_0", &HubFounded::hash_key_0, As::Secret},
    Field{3, "hash_key_1", &HubFounded::hash_key_1, As::Secret},
};
template <> inline constexpr std::tuple kFields<HubStarted>{
    Field{1, "version", &HubStarted::version, As::Name},
    Field{2, "epoch", &HubStarted::epoch},
};
template <> inline constexpr std::tuple kFields<AgentRegistered>{
    Field{1, "agent", &AgentRegistered::agent},
    Field{2, "profile", &AgentRegistered::profile},
    Field{3, "binds_tools", &AgentRegistered::binds_tools},
};
template <> inline constexpr std::tuple kFields<AgentRemoved>{
    Field{1, "agent", &AgentRemoved::agent},
};
template <> inline constexpr std::tuple kFields<InstanceJoined>{
    Field{1, "instance", &InstanceJoined::instance},
    Field{2, "agent", &InstanceJoined::agent},
    Field{3, "name", &InstanceJoined::name, As::Name},
    Field{4, "kind", &InstanceJoined::kind},
    Field{5, "credit", &InstanceJoined::credit},
};
template <> inline constexpr std::tuple kFields<InstanceLeft>{
    Field{1, "instance", &InstanceLeft::instance},
    Field{2, "reason", &InstanceLeft::reason},
};
template <> inline constexpr std::tuple kFields<InstanceSeen>{
    Field{1, "instance", &InstanceSeen::instance},
    Field{2, "is_excused", &InstanceSeen::is_excused},
};
template <> inline constexpr std::tuple kFields<CreditGranted>{
    Field{1, "instance", &CreditGranted::instance},
    Field{2, "credit", &CreditGranted::credit},
};
template <> inline constexpr std::tuple kFields<Subscribed>{
    Field{1, "agent", &Subscribed::agent},
    Field{2, "topic", &Subscribed::topic},
};
template <> inline constexpr std::tuple kFields<Unsubscribed>{
    Field{1, "agent", &Unsubscribed::agent},
    Field{2, "topic", &Unsubscribed::topic},
};
template <> inline constexpr std::tuple kFields<MessageAccepted>{
    Field{1, "ticket", &MessageAccepted::ticket},
    Field{2, "envelope", &MessageAccepted::envelope},
    Field{3, "priority", &MessageAccepted::priority},
    Field{4, "expires_at", &MessageAccepted::expires_at},
    Field{5, "deadline", &MessageAccepted::deadline},
    Field{6, "retry_count_max", &MessageAccepted::retry_count_max},
    Field{7, "fingerprint", &MessageAccepted::fingerprint, As::Hash},
    Field{8, "waits", &MessageAccepted::waits},
    Field{9, "missed_count", &MessageAccepted::missed_count},
    Field{10, "is_held", &MessageAccepted::is_held},
};
template <> inline constexpr std::tuple kFields<MessageRefused>{
    Field{1, "from", &MessageRefused::from, As::Name},
    Field{2, "id", &MessageRefused::id, As::Name},
    Field{3, "refusal", &MessageRefused::refusal},
    Field{4, "detail", &MessageRefused::detail},
    Field{5, "to", &MessageRefused::to, As::Name},
    Field{6, "user", &MessageRefused::user, As::Name},
    Field{7, "objective", &MessageRefused::objective},
    Field{8, "retry_after_ms", &MessageRefused::retry_after_ms},
};
template <> inline constexpr std::tuple kFields<DuplicateReceived>{
    Field{1, "from", &DuplicateReceived::from, As::Name},
    Field{2, "id", &DuplicateReceived::id, As::Name},
    Field{3, "first", &DuplicateReceived::first},
    Field{4, "ticket", &DuplicateReceived::ticket},
    Field{5, "answer", &DuplicateReceived::answer},
    Field{6, "waits", &DuplicateReceived::waits},
};
template <> inline constexpr std::tuple kFields<LeaseGranted>{
    Field{1, "ticket", &LeaseGranted::ticket},
    Field{2, "instance", &LeaseGranted::instance},
    Field{3, "attempt", &LeaseGranted::attempt},
    Field{4, "until", &LeaseGranted::until},
};
template <> inline constexpr std::tuple kFields<LeaseExtended>{
    Field{1, "ticket", &LeaseExtended::ticket},
    Field{2, "until", &LeaseExtended::until},
};
template <> inline constexpr std::tuple kFields<ProgressReported>{
    Field{1, "ticket", &ProgressReported::ticket},
    Field{2, "until", &ProgressReported::until},
    Field{3, "note", &ProgressReported::note, As::Document},
    Field{4, "number", &ProgressReported::number},
    Field{5, "attempt", &ProgressReported::attempt},
};
template <> inline constexpr std::tuple kFields<DeliveryAcknowledged>{
    Field{1, "ticket", &DeliveryAcknowledged::ticket},
    Field{2, "attempt", &DeliveryAcknowledged::attempt},
};
template <> inline constexpr std::tuple kFields<DeliveryReturned>{
    Field{1, "ticket", &DeliveryReturned::ticket},
    Field{2, "attempt", &DeliveryReturned::attempt},
    Field{3, "setback", &DeliveryReturned::failure},
    Field{4, "retry_at", &DeliveryReturned::retry_at},
    Field{5, "reason", &DeliveryReturned::reason},
    Field{6, "is_unanswered", &DeliveryReturned::is_unanswered},
};
template <> inline constexpr std::tuple kFields<RetryBegan>{
    Field{1, "ticket", &RetryBegan::ticket},
};
template <> inline constexpr std::tuple kFields<MessageDropped>{
    Field{1, "ticket", &MessageDropped::ticket},
    Field{2, "setback", &MessageDropped::failure},
    Field{3, "reason", &MessageDropped::reason},
    Field{4, "is_unanswered", &MessageDropped::is_unanswered},
};
template <> inline constexpr std::tuple kFields<MessageExpired>{
    Field{1, "ticket", &MessageExpired::ticket},
};
template <> inline constexpr std::tuple kFields<MessageDeadLettered>{
    Field{1, "ticket", &MessageDeadLettered::ticket},
    Field{2, "setback", &MessageDeadLettered::failure},
    Field{3, "reason", &MessageDeadLettered::reason},
    Field{4, "is_unanswered", &MessageDeadLettered::is_unanswered},
};
template <> inline constexpr std::tuple kFields<DeadLetterRedelivered>{
    Field{1, "ticket", &DeadLetterRedelivered::ticket},
    Field{2, "by", &DeadLetterRedelivered::by, As::Name},
};
template <> inline constexpr std::tuple kFields<DeadLetterDiscarded>{
    Field{1, "ticket", &DeadLetterDiscarded::ticket},
    Field{2, "by", &DeadLetterDiscarded::by, As::Name},
    Field{3, "reason", &DeadLetterDiscarded::reason},
};
template <> inline constexpr std::tuple kFields<SettlementRefused>{
    Field{1, "delivery", &SettlementRefused::delivery},
    Field{2, "by", &SettlementRefused::by, As::Name},
    Field{3, "refusal", &SettlementRefused::refusal},
};
template <> inline constexpr std::tuple kFields<RequestAnswered>{
    Field{1, "request", &RequestAnswered::request},
    Field{2, "envelope", &RequestAnswered::envelope},
    Field{3, "ticket", &RequestAnswered::ticket},
    Field{4, "tokens_used", &RequestAnswered::tokens_used},
    Field{5, "falls_short", &RequestAnswered::falls_short},
    Field{6, "kind", &RequestAnswered::kind},
};
template <> inline constexpr std::tuple kFields<FactsWithheld>{
    Field{1, "request", &FactsWithheld::request},
    Field{2, "by", &FactsWithheld::by, As::Name},
    Field{3, "owner", &FactsWithheld::owner, As::Name},
};
template <> inline constexpr std::tuple kFields<RequestFailed>{
    Field{1, "request", &RequestFailed::request},
    Field{2, "refusal", &RequestFailed::refusal},
    Field{3, "detail", &RequestFailed::detail},
    Field{4, "ticket", &RequestFailed::ticket},
};
template <> inline constexpr std::tuple kFields<ReplyDropped>{
    Field{1, "from", &ReplyDropped::from, As::Name},
    Field{2, "id", &ReplyDropped::id, As::Name},
    Field{3, "request", &ReplyDropped::request},
    Field{4, "refusal", &ReplyDropped::refusal},
};
template <> inline constexpr std::tuple kFields<WaitEnded>{
    Field{1, "request", &WaitEnded::request},
};
template <> inline constexpr std::tuple kFields<DelegationFounded>{
    Field{1, "request", &DelegationFounded::request},
    Field{2, "user", &DelegationFounded::user, As::Name},
    Field{3, "depth_max", &DelegationFounded::depth_max},
    Field{4, "tokens", &DelegationFounded::tokens},
    Field{5, "cost", &DelegationFounded::cost},
    Field{6, "id", &DelegationFounded::id, As::Name},
    Field{7, "objective_hash", &DelegationFounded::objective_hash, As::Name},
    Field{8, "words_hash", &DelegationFounded::words_hash, As::Name},
};
template <> inline constexpr std::tuple kFields<DelegationAdmitted>{
    Field{1, "request", &DelegationAdmitted::request},
    Field{2, "parent", &DelegationAdmitted::parent},
    Field{3, "root", &DelegationAdmitted::root},
    Field{4, "user", &DelegationAdmitted::user, As::Name},
    Field{5, "session", &DelegationAdmitted::session, As::Name},
    Field{6, "child_session", &DelegationAdmitted::child_session, As::Name},
    Field{7, "objective", &DelegationAdmitted::objective},
    Field{8, "objective_hash", &DelegationAdmitted::objective_hash, As::Name},
    Field{9, "depth", &DelegationAdmitted::depth},
    Field{10, "depth_max", &DelegationAdmitted::depth_max},
    Field{11, "tokens", &DelegationAdmitted::tokens},
    Field{12, "tools", &DelegationAdmitted::tools},
    Field{13, "limits_tools", &DelegationAdmitted::limits_tools},
    Field{14, "root_tokens", &DelegationAdmitted::root_tokens},
    Field{15, "root_cost", &DelegationAdmitted::root_cost},
    Field{16, "cost", &DelegationAdmitted::cost},
    Field{17, "is_granted", &DelegationAdmitted::is_granted},
    Field{18, "words_hash", &DelegationAdmitted::words_hash, As::Name},
};
template <> inline constexpr std::tuple kFields<DelegationTreeEnded>{
    Field{1, "root", &DelegationTreeEnded::root},
};
template <> inline constexpr std::tuple kFields<PolicyChanged>{
    Field{1, "version", &PolicyChanged::version},
    Field{2, "settings", &PolicyChanged::settings, As::Name},
    Field{3, "by", &PolicyChanged::by, As::Name},
    Field{4, "reason", &PolicyChanged::reason},
};
template <> inline constexpr std::tuple kFields<FleetStopped>{
    Field{1, "by", &FleetStopped::by, As::Name},
    Field{2, "reason", &FleetStopped::reason},
    Field{3, "cancels", &FleetStopped::cancels},
};
template <> inline constexpr std::tuple kFields<FleetResumed>{
    Field{1, "by", &FleetResumed::by, As::Name},
    Field{2, "reason", &FleetResumed::reason},
};
template <> inline constexpr std::tuple kFields<RequestCancelled>{
    Field{1, "request", &RequestCancelled::request},
    Field{2, "by", &RequestCancelled::by, As::Name},
    Field{3, "reason", &RequestCancelled::reason},
    Field{4, "instance", &RequestCancelled::instance},
    Field{5, "attempt", &RequestCancelled::attempt},
};
template <> inline constexpr std::tuple kFields<ToolAuthorized>{
    Field{1, "agent", &ToolAuthorized::agent, As::Name},
    Field{2, "tool", &ToolAuthorized::tool},
    Field{3, "by", &ToolAuthorized::by, As::Name},
};
template <> inline constexpr std::tuple kFields<ToolRefused>{
    Field{1, "agent", &ToolRefused::agent, As::Name},
    Field{2, "tool", &ToolRefused::tool},
    Field{3, "by", &ToolRefused::by, As::Name},
    Field{4, "refusal", &ToolRefused::refusal},
    Field{5, "detail", &ToolRefused::detail},
};
template <> inline constexpr std::tuple kFields<BreakerOpened>{
    Field{1, "agent", &BreakerOpened::agent},
    Field{2, "until", &BreakerOpened::until},
    Field{3, "failures", &BreakerOpened::failures},
};
template <> inline constexpr std::tuple kFields<BreakerProbed>{
    Field{1, "agent", &BreakerProbed::agent},
};
template <> inline constexpr std::tuple kFields<BreakerClosed>{
    Field{1, "agent", &BreakerClosed::agent},
};
template <> inline constexpr std::tuple kFields<WorkflowStarted>{
    Field{1, "id", &WorkflowStarted::id, As::Name},
    Field{2, "plan_hash", &WorkflowStarted::plan_hash, As::Name},
    Field{3, "plan", &WorkflowStarted::plan, As::Document},
    Field{4, "input", &WorkflowStarted::input, As::Document},
    Field{5, "request", &WorkflowStarted::request},
    Field{6, "constraints", &WorkflowStarted::constraints, As::Document},
    Field{7, "correlation", &WorkflowStarted::correlation, As::Name},
    Field{8, "user", &WorkflowStarted::user, As::Name},
    Field{9, "session", &WorkflowStarted::session, As::Name},
    Field{10, "by", &WorkflowStarted::by, As::Name},
    Field{11, "deadline", &WorkflowStarted::deadline},
    Field{12, "fingerprint", &WorkflowStarted::fingerprint, As::Hash},
    Field{13, "parent", &WorkflowStarted::parent},
    Field{14, "is_by_agent", &WorkflowStarted::is_by_agent},
};
template <> inline constexpr std::tuple kFields<StepOpened>{
    Field{1, "run", &StepOpened::run},
    Field{2, "step", &StepOpened::step},
    Field{3, "count", &StepOpened::count},
};
template <> inline constexpr std::tuple kFields<StepBegan>{
    Field{1, "run", &StepBegan::run},
    Field{2, "step", &StepBegan::step},
    Field{3, "item", &StepBegan::item},
    Field{4, "attempt", &StepBegan::attempt},
    Field{5, "road", &StepBegan::path},
    Field{6, "request", &StepBegan::request},
};
template <> inline constexpr std::tuple kFields<StepDelayed>{
    Field{1, "run", &StepDelayed::run},
    Field{2, "step", &StepDelayed::step},
    Field{3, "item", &StepDelayed::item},
    Field{4, "road", &StepDelayed::path},
    Field{5, "attempt", &StepDelayed::attempt},
    Field{6, "until", &StepDelayed::until},
    Field{7, "code", &StepDelayed::code},
    Field{8, "detail", &StepDelayed::detail},
    Field{9, "strategy", &StepDelayed::strategy},
};
template <> inline constexpr std::tuple kFields<StepEnded>{
    Field{1, "run", &StepEnded::run},
    Field{2, "step", &StepEnded::step},
    Field{3, "item", &StepEnded::item},
    Field{4, "end", &StepEnded::end},
    Field{5, "is_partial", &StepEnded::is_partial},
    Field{6, "confidence", &StepEnded::confidence},
    Field{7, "output_at", &StepEnded::output_at},
    Field{8, "output_size", &StepEnded::output_size},
    Field{9, "output", &StepEnded::output, As::Document},
    Field{10, "code", &StepEnded::code},
    Field{11, "detail", &StepEnded::detail},
};
template <> inline constexpr std::tuple kFields<WorkflowUndone>{
    Field{1, "run", &WorkflowUndone::run},
    Field{2, "by", &WorkflowUndone::by, As::Name},
    Field{3, "reason", &WorkflowUndone::reason},
};
template <> inline constexpr std::tuple kFields<WorkflowEnded>{
    Field{1, "run", &WorkflowEnded::run},
    Field{2, "id", &WorkflowEnded::id, As::Name},
    Field{3, "end", &WorkflowEnded::end},
    Field{4, "reason", &WorkflowEnded::reason},
    Field{5, "report", &WorkflowEnded::report, As::Document},
};
template <> inline constexpr std::tuple kFields<StepAsked>{
    Field{1, "run", &StepAsked::run},
    Field{2, "step", &StepAsked::step},
    Field{3, "item", &StepAsked::item},
    Field{4, "appeal", &StepAsked::human_task},
    Field{5, "confidence", &StepAsked::confidence},
    Field{6, "output_at", &StepAsked::output_at},
    Field{7, "output_size", &StepAsked::output_size},
    Field{8, "code", &StepAsked::code},
    Field{9, "detail", &StepAsked::detail},
};
template <> inline constexpr std::tuple kFields<HumanAsked>{
    Field{1, "id", &HumanAsked::id},
    Field{2, "request", &HumanAsked::request},
    Field{3, "workflow", &HumanAsked::workflow, As::Name},
    Field{4, "step", &HumanAsked::step},
    Field{5, "role", &HumanAsked::role},
    Field{6, "kind", &HumanAsked::kind},
    Field{7, "question", &HumanAsked::question},
    Field{8, "context", &HumanAsked::context, As::Document},
    Field{9, "options", &HumanAsked::options},
    Field{10, "asked_by", &HumanAsked::asked_by, As::Name},
    Field{11, "user", &HumanAsked::user, As::Name},
    Field{12, "deadline_ms", &HumanAsked::deadline_ms},
    Field{13, "reminder_ms", &HumanAsked::reminder_ms},
    Field{14, "escalation", &HumanAsked::escalation},
    Field{15, "if_nobody", &HumanAsked::if_nobody},
    Field{16, "approvals_needed", &HumanAsked::approvals_needed},
    Field{17, "state_version", &HumanAsked::state_version},
    Field{18, "is_by_agent", &HumanAsked::is_by_agent},
};
template <> inline constexpr std::tuple kFields<HumanReminded>{
    Field{1, "id", &HumanReminded::id},
    Field{2, "is_overdue", &HumanReminded::is_overdue},
};
template <> inline constexpr std::tuple kFields<HumanEscalated>{
    Field{1, "id", &HumanEscalated::id},
    Field{2, "role", &HumanEscalated::role},
};
template <> inline constexpr std::tuple kFields<HumanNotified>{
    Field{1, "id", &HumanNotified::id},
};
template <> inline constexpr std::tuple kFields<HumanAnswered>{
    Field{1, "id", &HumanAnswered::id},
    Field{2, "by", &HumanAnswered::by, As::Name},
    Field{3, "decision", &HumanAnswered::decision},
    Field{4, "reason", &HumanAnswered::reason},
    Field{5, "content", &HumanAnswered::content, As::Document},
    Field{6, "state_version", &HumanAnswered::state_version},
    Field{7, "awaits_another", &HumanAnswered::awaits_another},
    Field{8, "tokens", &HumanAnswered::tokens},
};
template <> inline constexpr std::tuple kFields<HumanLapsed>{
    Field{1, "id", &HumanLapsed::id},
    Field{2, "follows", &HumanLapsed::follows},
};
template <> inline constexpr std::tuple kFields<HumanWithdrawn>{
    Field{1, "id", &HumanWithdrawn::id},
    Field{2, "reason", &HumanWithdrawn::reason},
    Field{3, "by", &HumanWithdrawn::by, As::Name},
};
template <> inline constexpr std::tuple kFields<Allocation>{
    Field{1, "agent", &Allocation::agent, As::Name},
    Field{2, "resource", &Allocation::resource},
    Field{3, "allocated", &Allocation::allocated},
    Field{4, "consumed", &Allocation::consumed},
    Field{5, "limit", &Allocation::limit},
    Field{6, "expires_at", &Allocation::expires_at},
};
template <> inline constexpr std::tuple kFields<ContextWritten>{
    Field{1, "workflow", &ContextWritten::workflow, As::Name},
    Field{2, "version", &ContextWritten::version},
    Field{3, "owner", &ContextWritten::owner, As::Name},
    Field{4, "status", &ContextWritten::status},
    Field{5, "entities", &ContextWritten::entities, As::Document},
    Field{6, "domain", &ContextWritten::domain},
    Field{7, "history", &ContextWritten::history},
    Field{8, "artifacts", &ContextWritten::artifacts},
    Field{9, "by", &ContextWritten::by, As::Name},
};
template <> inline constexpr std::tuple kFields<ContextLocked>{
    Field{1, "workflow", &ContextLocked::workflow, As::Name},
    Field{2, "request", &ContextLocked::request},
    Field{3, "to", &ContextLocked::to, As::Name},
    Field{4, "done", &ContextLocked::done},
};
template <> inline constexpr std::tuple kFields<HandoffEnded>{
    Field{1, "workflow", &HandoffEnded::workflow, As::Name},
    Field{2, "version", &HandoffEnded::version},
    Field{3, "owner", &HandoffEnded::owner, As::Name},
    Field{4, "is_taken", &HandoffEnded::is_taken},
};
template <> inline constexpr std::tuple kFields<TaskWritten>{
    Field{1, "id", &TaskWritten::id, As::Name},
    Field{2, "version", &TaskWritten::version},
    Field{3, "document", &TaskWritten::document, As::Document},
    Field{4, "agent", &TaskWritten::agent, As::Name},
    Field{5, "user", &TaskWritten::user, As::Name},
    Field{6, "by", &TaskWritten::by, As::Name},
};
template <> inline constexpr std::tuple kFields<TaskDeleted>{
    Field{1, "id", &TaskDeleted::id, As::Name},
    Field{2, "version", &TaskDeleted::version},
    Field{3, "by", &TaskDeleted::by, As::Name},
};
template <> inline constexpr std::tuple kFields<AllocationWritten>{
    Field{1, "id", &AllocationWritten::id, As::Name},
    Field{2, "version", &AllocationWritten::version},
    Field{3, "allocation", &AllocationWritten::allocation},
    Field{4, "by", &AllocationWritten::by, As::Name},
};
template <> inline constexpr std::tuple kFields<AllocationEnded>{
    Field{1, "id", &AllocationEnded::id, As::Name},
    Field{2, "version", &AllocationEnded::version},
    Field{3, "by", &AllocationEnded::by, As::Name},
    Field{4, "is_expired", &AllocationEnded::is_expired},
};
template <> inline constexpr std::tuple kFields<SessionWritten>{
    Field{1, "id", &SessionWritten::id, As::Name},
    Field{2, "user", &SessionWritten::user, As::Name},
    Field{3, "parent", &SessionWritten::parent, As::Name},
    Field{4, "history", &SessionWritten::history},
    Field{5, "workflow", &SessionWritten::workflow, As::Document},
    Field{6, "agent", &SessionWritten::agent, As::Name},
    Field{7, "agent_state", &SessionWritten::agent_state, As::Document},
    Field{8, "by", &SessionWritten::by, As::Name},
};
template <> inline constexpr std::tuple kFields<FactLearnt>{
    Field{1, "user", &FactLearnt::user, As::Name},
    Field{2, "session", &FactLearnt::session, As::Name},
    Field{3, "kind", &FactLearnt::kind},
    Field{4, "about", &FactLearnt::about},
    Field{5, "value", &FactLearnt::value, As::Document},
    Field{6, "agent", &FactLearnt::agent, As::Name},
    Field{7, "source", &FactLearnt::source, As::Name},
};
template <> inline constexpr std::tuple kFields<AnalysisKept>{
    Field{1, "session", &AnalysisKept::session, As::Name},
    Field{2, "key", &AnalysisKept::key},
    Field{3, "capability", &AnalysisKept::capability},
    Field{4, "result", &AnalysisKept::result, As::Document},
    Field{5, "agent", &AnalysisKept::agent, As::Name},
};
template <> inline constexpr std::tuple kFields<MessageMoved>{
    Field{1, "ticket", &MessageMoved::ticket},
    Field{2, "message", &MessageMoved::envelope},
    Field{3, "priority", &MessageMoved::priority},
    Field{4, "is_priced", &MessageMoved::is_priced},
    Field{5, "cost", &MessageMoved::cost},
};
template <> inline constexpr std::tuple kFields<PassingBegan>{
    Field{1, "request", &PassingBegan::request},
    Field{2, "task", &PassingBegan::task},
    Field{3, "wanted", &PassingBegan::wanted, As::Name},
    Field{4, "fallback", &PassingBegan::fallback, As::Name},
    Field{5, "skills", &PassingBegan::skills},
    Field{6, "patience", &PassingBegan::patience},
};
template <> inline constexpr std::tuple kFields<PassingRefused>{
    Field{1, "request", &PassingRefused::request},
    Field{2, "by", &PassingRefused::by, As::Name},
    Field{3, "reply", &PassingRefused::reply},
    Field{4, "detail", &PassingRefused::detail},
    Field{5, "kind", &PassingRefused::kind},
};
template <> inline constexpr std::tuple kFields<CallOpened>{
    Field{1, "request", &CallOpened::request},
    Field{2, "kind", &CallOpened::kind},
    Field{3, "agents", &CallOpened::agents, As::Name},
    Field{4, "capability", &CallOpened::capability},
    Field{5, "until", &CallOpened::until},
    Field{6, "by", &CallOpened::by, As::Name},
    Field{7, "parent", &CallOpened::parent},
    Field{8, "is_placed", &CallOpened::is_placed},
};
template <> inline constexpr std::tuple kFields<CallAsked>{
    Field{1, "call", &CallAsked::call},
    Field{2, "place", &CallAsked::place},
    Field{3, "request", &CallAsked::request},
    Field{4, "code", &CallAsked::code},
    Field{5, "detail", &CallAsked::detail},
};
template <> inline constexpr std::tuple kFields<CallEnded>{
    Field{1, "call", &CallEnded::call},
    Field{2, "chosen", &CallEnded::chosen, As::Name},
    Field{3, "detail", &CallEnded::detail},
};
template <> inline constexpr std::tuple kFields<StatePushed>{
    Field{1, "request", &StatePushed::request},
    Field{2, "state", &StatePushed::state, As::Document},
};
template <> inline constexpr std::tuple kFields<RequestHeld>{
    Field{1, "request", &RequestHeld::request},
    Field{2, "refusal", &RequestHeld::refusal},
    Field{3, "detail", &RequestHeld::detail},
    Field{4, "timeout_ms", &RequestHeld::timeout_ms},
    Field{5, "expires_at", &RequestHeld::expires_at},
    Field{6, "retry_count_max", &RequestHeld::retry_count_max},
    Field{7, "user", &RequestHeld::user, As::Name},
    Field{8, "session", &RequestHeld::session, As::Name},
    Field{9, "child_session", &RequestHeld::child_session, As::Name},
    Field{10, "capability", &RequestHeld::capability},
    Field{11, "objective", &RequestHeld::objective},
    Field{12, "objective_hash", &RequestHeld::objective_hash, As::Name},
    Field{13, "depth", &RequestHeld::depth},
    Field{14, "depth_max", &RequestHeld::depth_max},
    Field{15, "tokens_max", &RequestHeld::tokens_max},
    Field{16, "tokens_estimated", &RequestHeld::tokens_estimated},
    Field{17, "tools", &RequestHeld::tools},
    Field{18, "has_session", &RequestHeld::has_session},
    Field{19, "parent", &RequestHeld::parent},
};
template <> inline constexpr std::tuple kFields<RequestReleased>{
    Field{1, "request", &RequestReleased::request},
    Field{2, "by", &RequestReleased::by, As::Name},
    Field{3, "deadline", &RequestReleased::deadline},
    Field{4, "expires_at", &RequestReleased::expires_at},
    Field{5, "tokens", &RequestReleased::tokens},
    Field{6, "envelope", &RequestReleased::envelope},
};
// clang-format on

template <class>
struct Kind {
    std::uint32_t number;
    std::string_view name;
};

inline constexpr std::tuple kKinds{
    Kind<HubFounded>{1, "HubFounded"},
    Kind<HubStarted>{2, "HubStarted"},
    Kind<AgentRegistered>{3, "AgentRegistered"},
    Kind<AgentRemoved>{4, "AgentRemoved"},
    Kind<InstanceJoined>{5, "InstanceJoined"},
    Kind<InstanceLeft>{6, "InstanceLeft"},
    Kind<InstanceSeen>{7, "InstanceSeen"},
    Kind<CreditGranted>{8, "CreditGranted"},
    Kind<Subscribed>{9, "Subscribed"},
    Kind<Unsubscribed>{10, "Unsubscribed"},
    Kind<MessageAccepted>{11, "MessageAccepted"},
    Kind<MessageRefused>{12, "MessageRefused"},
    Kind<DuplicateReceived>{13, "DuplicateReceived"},
    Kind<LeaseGranted>{14, "LeaseGranted"},
    Kind<LeaseExtended>{15, "LeaseExtended"},
    Kind<ProgressReported>{16, "ProgressReported"},
    Kind<DeliveryAcknowledged>{17, "DeliveryAcknowledged"},
    Kind<DeliveryReturned>{18, "DeliveryReturned"},
    Kind<MessageDropped>{19, "MessageDropped"},
    Kind<MessageExpired>{20, "MessageExpired"},
    Kind<MessageDeadLettered>{21, "MessageDeadLettered"},
    Kind<DeadLetterRedelivered>{22, "DeadLetterRedelivered"},
    Kind<DeadLetterDiscarded>{23, "DeadLetterDiscarded"},
    Kind<SettlementRefused>{24, "SettlementRefused"},
    Kind<RequestAnswered>{25, "RequestAnswered"},
    Kind<RequestFailed>{26, "RequestFailed"},
    Kind<ReplyDropped>{27, "ReplyDropped"},
    Kind<WaitEnded>{28, "WaitEnded"},
    Kind<RetryBegan>{29, "RetryBegan"},
    Kind<DelegationFounded>{30, "DelegationFounded"},
    Kind<DelegationAdmitted>{31, "DelegationAdmitted"},
    Kind<DelegationTreeEnded>{32, "DelegationTreeEnded"},
    Kind<PolicyChanged>{33, "PolicyChanged"},
    Kind<FleetStopped>{34, "FleetStopped"},
    Kind<FleetResumed>{35, "FleetResumed"},
    Kind<RequestCancelled>{36, "RequestCancelled"},
    Kind<ToolAuthorized>{37, "ToolAuthorized"},
    Kind<ToolRefused>{38, "ToolRefused"},
    Kind<BreakerOpened>{39, "BreakerOpened"},
    Kind<BreakerProbed>{40, "BreakerProbed"},
    Kind<BreakerClosed>{41, "BreakerClosed"},
    Kind<WorkflowStarted>{42, "WorkflowStarted"},
    Kind<StepOpened>{43, "StepOpened"},
    Kind<StepBegan>{44, "StepBegan"},
    Kind<StepDelayed>{45, "StepDelayed"},
    Kind<StepEnded>{46, "StepEnded"},
    Kind<WorkflowUndone>{47, "WorkflowUndone"},
    Kind<WorkflowEnded>{48, "WorkflowEnded"},
    Kind<StepAsked>{49, "StepAsked"},
    Kind<HumanAsked>{60, "HumanAsked"},
    Kind<HumanReminded>{61, "HumanReminded"},
    Kind<HumanEscalated>{62, "HumanEscalated"},
    Kind<HumanAnswered>{63, "HumanAnswered"},
    Kind<HumanLapsed>{64, "HumanLapsed"},
    Kind<HumanWithdrawn>{65, "HumanWithdrawn"},
    Kind<ContextWritten>{70, "ContextWritten"},
    Kind<ContextLocked>{71, "ContextLocked"},
    Kind<HandoffEnded>{72, "HandoffEnded"},
    Kind<TaskWritten>{73, "TaskWritten"},
    Kind<TaskDeleted>{74, "TaskDeleted"},
    Kind<AllocationWritten>{75, "AllocationWritten"},
    Kind<AllocationEnded>{76, "AllocationEnded"},
    Kind<SessionWritten>{77, "SessionWritten"},
    Kind<FactLearnt>{78, "FactLearnt"},
    Kind<AnalysisKept>{79, "AnalysisKept"},
    Kind<MessageMoved>{80, "MessageMoved"},
    Kind<PassingBegan>{81, "PassingBegan"},
    Kind<PassingRefused>{82, "PassingRefused"},
    Kind<CallOpened>{83, "CallOpened"},
    Kind<CallAsked>{84, "CallAsked"},
    Kind<CallEnded>{85, "CallEnded"},
    Kind<StatePushed>{86, "StatePushed"},
    Kind<RequestHeld>{88, "RequestHeld"},
    Kind<RequestReleased>{89, "RequestReleased"},
    Kind<HumanNotified>{90, "HumanNotified"},
    Kind<FactsWithheld>{91, "FactsWithheld"},
};
inline constexpr std::size_t kKindCount = std::tuple_size_v<decltype(kKinds)>;
inline constexpr std::uint32_t kKindNumberLast = std::get<kKindCount - 1>(kKinds).number;

template <class OneEvent>
inline constexpr auto kKind = std::get<Kind<OneEvent>>(kKinds);

static_assert(kKindCount == std::variant_size_v<Event>, "every event has its row");
static_assert(
    []<std::size_t... index>(std::index_sequence<index...>) {
        return ((std::get<index>(kKinds).number < std::get<index + 1>(kKinds).number) && ...);
    }(std::make_index_sequence<kKindCount - 1>{}),
    "the table stands in the order of its numbers");

}  // namespace parlance::journal
