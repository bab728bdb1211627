#include "core/governor/breaker.h"

#include <algorithm>

namespace parlance::core::governor {

BreakerStage stage_of(const Breakers& breakers, AgentHandle agent) {
    const auto found = breakers.find(agent);
    return found == breakers.end() ? BreakerStage::Closed : found->second.stage;
}

bool is_failure(Refusal refusal, bool had_time) {
    if (refusal == Refusal::RequestTimedOut) return had_time;
    return refusal == Refusal::RequestUndeliverable || refusal == Refusal::OutputValidationFailed;
}

Ticket failed_by(const Event& event) {
    if (const auto* failed = std::get_if<RequestFailed>(&event)) {
        return is_failure(failed->refusal) ? failed->request : Ticket{};
    }
    if (const auto* passed = std::get_if<PassingRefused>(&event)) {
        return passed->kind == AnswerKind::Failed ? passed->request : Ticket{};
    }
    const auto* answered = std::get_if<RequestAnswered>(&event);
    const bool has_failed = answered != nullptr && answered->kind == AnswerKind::Failed;
    return has_failed ? answered->request : Ticket{};
}

std::uint64_t failures_at(const Breakers& breakers, AgentHandle agent, Time now, Duration window) {
    const auto found = breakers.find(agent);
    if (found == breakers.end()) return 0;
    return static_cast<std::uint64_t>(
        std::ranges::count_if(found->second.failures, [&](Time at) { return now - at < window; }));
}

void note_failure(Breakers& breakers, AgentHandle agent, Time now, std::uint64_t count_max) {
    auto& failures = breakers[agent].failures;
    failures.push_back(now);
    while (failures.size() > count_max) failures.pop_front();
}

void note_success(Breakers& breakers, AgentHandle agent) {
    const auto found = breakers.find(agent);
    if (found != breakers.end() && found->second.stage == BreakerStage::Closed) {
        breakers.erase(found);
    }
}

void open(Breakers& breakers, AgentHandle agent, Time until) {
    auto& breaker = breakers[agent];
    breaker.stage = BreakerStage::Open;
    breaker.open_until = until;
    breaker.failures.clear();
}

void probe(Breakers& breakers, AgentHandle agent) { breakers[agent].stage = BreakerStage::Probing; }

void close(Breakers& breakers, AgentHandle agent) { breakers.erase(agent); }

}  // namespace parlance::core::governor
