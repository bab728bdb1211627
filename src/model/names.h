// The names of the model's enumerators: the same on the wire, in the record and on the screen.
//
// For display only: the journal holds the numbers.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "model/envelope.h"
#include "model/handing.h"
#include "model/human_task.h"
#include "model/message.h"
#include "model/plan.h"
#include "model/refusal.h"

namespace parlance {

template <class Enum>
struct EnumName {
    Enum value;
    std::string_view name;
};
template <class Enum>
EnumName(Enum, std::string_view) -> EnumName<Enum>;

template <class Enum>
inline constexpr auto kEnumNames = nullptr;

template <>
inline constexpr std::array kEnumNames<Priority>{EnumName{Priority::Critical, "critical"},
                                                 EnumName{Priority::High, "high"},
                                                 EnumName{Priority::Normal, "normal"},
                                                 EnumName{Priority::Low, "low"}};
template <>
inline constexpr std::array kEnumNames<Dialect>{EnumName{Dialect::Taskwire, "taskwire"},
                                                EnumName{Dialect::Kessel, "kessel"},
                                                EnumName{Dialect::Delegation, "delegation"},
                                                EnumName{Dialect::Sam, "sam"},
                                                EnumName{Dialect::Correlation, "correlation"}};
template <>
inline constexpr std::array kEnumNames<InstanceKind>{EnumName{InstanceKind::Socket, "socket"},
                                                     EnumName{InstanceKind::Poll, "poll"},
                                                     EnumName{InstanceKind::Push, "push"}};
template <>
inline constexpr std::array kEnumNames<DeliveryFailure>{
    EnumName{DeliveryFailure::Nacked, "NACKED"},
    EnumName{DeliveryFailure::LeaseExpired, "LEASE_EXPIRED"},
    EnumName{DeliveryFailure::InstanceLost, "INSTANCE_LOST"},
    EnumName{DeliveryFailure::RetriesExhausted, "RETRIES_EXHAUSTED"},
    EnumName{DeliveryFailure::Expired, "EXPIRED"},
    EnumName{DeliveryFailure::Rejected, "REJECTED"},
    EnumName{DeliveryFailure::AgentRemoved, "AGENT_REMOVED"},
    EnumName{DeliveryFailure::HubRestarted, "HUB_RESTARTED"},
    EnumName{DeliveryFailure::MailboxFull, "MAILBOX_FULL"},
    EnumName{DeliveryFailure::Cancelled, "CANCELLED"},
    EnumName{DeliveryFailure::CircuitOpen, "CIRCUIT_OPEN"},
    EnumName{DeliveryFailure::NotReached, "NOT_REACHED"}};

template <>
inline constexpr std::array kEnumNames<AnswerKind>{EnumName{AnswerKind::Done, "done"},
                                                   EnumName{AnswerKind::Declined, "declined"},
                                                   EnumName{AnswerKind::Failed, "failed"}};
template <>
inline constexpr std::array kEnumNames<StepPath>{EnumName{StepPath::Planned, "planned"},
                                                 EnumName{StepPath::Fallback, "fallback"},
                                                 EnumName{StepPath::Strategy, "strategy"},
                                                 EnumName{StepPath::Compensation, "undo"}};
template <>
inline constexpr std::array kEnumNames<StepEnd>{EnumName{StepEnd::Done, "DONE"},
                                                EnumName{StepEnd::Failed, "FAILED"},
                                                EnumName{StepEnd::Skipped, "SKIPPED"},
                                                EnumName{StepEnd::Blocked, "MISSING"},
                                                EnumName{StepEnd::Compensated, "UNDONE"}};
template <>
inline constexpr std::array kEnumNames<WorkflowEnd>{EnumName{WorkflowEnd::Completed, "COMPLETED"},
                                                    EnumName{WorkflowEnd::Partial, "PARTIAL"},
                                                    EnumName{WorkflowEnd::Failed, "FAILED"},
                                                    EnumName{WorkflowEnd::Cancelled, "CANCELLED"},
                                                    EnumName{WorkflowEnd::TimedOut, "TIMED_OUT"}};
template <>
inline constexpr std::array kEnumNames<HumanKind>{EnumName{HumanKind::Approve, "approve"},
                                                  EnumName{HumanKind::Answer, "answer"},
                                                  EnumName{HumanKind::Edit, "edit"},
                                                  EnumName{HumanKind::Choose, "choose"}};
template <>
inline constexpr std::array kEnumNames<HumanDecision>{EnumName{HumanDecision::Approve, "approve"},
                                                      EnumName{HumanDecision::Reject, "reject"},
                                                      EnumName{HumanDecision::Edit, "edit"},
                                                      EnumName{HumanDecision::Answer, "answer"}};
template <>
inline constexpr std::array kEnumNames<IfNobody>{EnumName{IfNobody::Fail, "fail"},
                                                 EnumName{IfNobody::Reject, "reject"},
                                                 EnumName{IfNobody::Approve, "approve"},
                                                 EnumName{IfNobody::Escalate, "escalate"},
                                                 EnumName{IfNobody::Wait, "wait"}};
template <>
inline constexpr std::array kEnumNames<CallKind>{EnumName{CallKind::Earliest, "earliest"},
                                                 EnumName{CallKind::Cheapest, "cheapest"},
                                                 EnumName{CallKind::Ablest, "ablest"},
                                                 EnumName{CallKind::All, "all"}};

/// Refusals have a separate table.
template <>
inline constexpr auto kEnumNames<Refusal> = [] {
    std::array<EnumName<Refusal>, kRefusals.size() + 1> names{};
    names[0] = {Refusal::None, "NONE"};
    for (std::size_t i = 0; i < kRefusals.size(); ++i) {
        names[i + 1] = {kRefusals[i].refusal, kRefusals[i].code};
    }
    return names;
}();

/// Empty for an unknown name.
template <class Enum>
constexpr std::optional<Enum> enum_named(std::string_view name) {
    for (const auto& row : kEnumNames<Enum>) {
        if (row.name == name) return row.value;
    }
    return std::nullopt;
}

/// Empty for an unknown number.
template <class Enum>
constexpr std::string_view enum_name(Enum value) {
    for (const auto& row : kEnumNames<Enum>) {
        if (row.value == value) return row.name;
    }
    return {};
}

}  // namespace parlance
