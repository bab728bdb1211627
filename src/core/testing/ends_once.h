// Checks that no two events of a decision end the same thing. Written apart from core/endings.h,
// which enforces the rule.
#pragma once

#include <set>
#include <string>

#include "base/match.h"
#include "model/event.h"

namespace parlance::core {

/// The thing that the event ends, in words; empty for most events.
inline std::string name_of_ended(const Event& event) {
    const auto name = [](const char* what, std::uint64_t number) {
        return std::string{what} + ' ' + std::to_string(number);
    };
    return match(
        event,
        [&](const RequestAnswered& e) { return name("request", e.request.value); },
        [&](const RequestFailed& e) { return name("request", e.request.value); },
        [&](const RequestCancelled& e) { return name("cancelled", e.request.value); },
        [&](const RequestReleased& e) { return name("held", e.request.value); },
        [&](const DeliveryAcknowledged& e) { return name("copy", e.ticket.value); },
        [&](const DeliveryReturned& e) { return name("copy", e.ticket.value); },
        [&](const MessageDropped& e) { return name("copy", e.ticket.value); },
        [&](const MessageExpired& e) { return name("copy", e.ticket.value); },
        [&](const MessageDeadLettered& e) { return name("copy", e.ticket.value); },
        [&](const DeadLetterDiscarded& e) { return name("copy", e.ticket.value); },
        [&](const MessageMoved& e) { return name("place of", e.ticket.value); },
        [&](const HumanAnswered& e) { return name("appeal", e.id.value); },
        [&](const HumanLapsed& e) { return name("appeal", e.id.value); },
        [&](const HumanWithdrawn& e) { return name("appeal", e.id.value); },
        [&](const WorkflowUndone& e) { return name("going on of", e.run.value); },
        [&](const WorkflowEnded& e) { return name("run", e.run.value); },
        [&](const DelegationTreeEnded& e) { return name("tree", e.root.value); },
        [&](const CallEnded& e) { return name("call", e.call.value); },
        [&](const PassingRefused& e) { return name("pass", e.request.value); },
        [&](const HandoffEnded& e) { return "handoff of " + e.workflow; },
        [&](const InstanceLeft& e) { return name("instance", e.instance.value); },
        [&](const AgentRemoved& e) { return "agent " + e.agent.value; },
        [&](const BreakerOpened& e) { return "breaker of " + e.agent.value; },
        [&](const AllocationEnded& e) { return "allocation " + e.id; },
        [&](const TaskDeleted& e) { return "task " + e.id; },
        [](const auto&) { return std::string{}; });
}

/// A thing that two events of a decision end; empty if none.
inline std::string ended_twice(const Events& events) {
    std::set<std::string> ended;
    for (const auto& event : events) {
        auto name = name_of_ended(event);
        if (name.empty()) continue;
        if (const auto [at, is_new] = ended.insert(std::move(name)); !is_new) return *at;
    }
    return {};
}

}  // namespace parlance::core
