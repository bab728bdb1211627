#include "sim/stewards.h"

#include <array>
#include <iterator>

namespace parlance::sim {

namespace {

/// Chosen so that no seed of scenarios.txt has stewards: the scenarios stay the lives that failed.
constexpr std::uint64_t kApart = 0x5354'4557'4152'4494ULL;
constexpr std::uint64_t kLivesPercent = 20;
constexpr std::array kStewards{"ann", "bea", "cleo"};

}  // namespace

Stewards::Stewards(std::uint64_t seed, Timeline& timeline, Hub& hub, Door& door)
    : entropy_(seed ^ kApart), timeline_(timeline), hub_(hub), door_(door) {
    are_there_ = entropy_.percent(kLivesPercent);
}

void Stewards::limit(Settings& settings) {
    if (!are_there_) return;
    const auto low = entropy_.between(100, 800);
    risk_high_ = low + entropy_.between(0, 600);
    settings[{Rule::RiskLow, {}}] = static_cast<std::int64_t>(low);
    settings[{Rule::RiskHigh, {}}] = static_cast<std::int64_t>(risk_high_);
    settings[{Rule::BudgetAsksPeople, {}}] = entropy_.percent(70) ? 1 : 0;
}

/// The amount requested, less, more, or more than a single person may grant.
std::uint64_t Stewards::some_budget(std::uint64_t asked) {
    switch (entropy_.below(6)) {
        case 0:
            return asked / 2;
        case 1:
            return asked * 2;
        case 2:
            return risk_high_ + entropy_.below(3);
        default:
            return 0;  // 0 grants the amount requested.
    }
}

void Stewards::decide() {
    if (!hub_.is_up()) return;
    const auto& state = hub_.engine().state();
    if (state.governor.held.empty()) return;
    auto held = state.governor.held.begin();
    std::advance(held, static_cast<std::ptrdiff_t>(entropy_.below(state.governor.held.size())));
    const auto human_task = core::people::find_by_request(state.people, held->first);
    if (human_task == nullptr) return;
    AnswerHumanTask answer{.id = human_task->asked.id, .decision = HumanDecision::Approve};
    if (entropy_.percent(10)) {
        answer.decision = HumanDecision::Reject;
        answer.reason = "too dear";
    } else if (!human_task->answers.empty() && entropy_.percent(60)) {
        answer.tokens = human_task->answers.back().tokens;  // Agrees with the previous answer.
    } else {
        answer.tokens = some_budget(held->second.tokens_max);
    }
    const std::string who = kStewards.at(entropy_.below(kStewards.size()));
    timeline_.after(entropy_.ms(0, 30),
                    [this, who, answer] { door_.bring_as_person(who, answer); });
}

}  // namespace parlance::sim
