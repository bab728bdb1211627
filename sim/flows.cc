#include "sim/flows.h"

#include <memory>

#include <fmt/format.h>

#include "sim/letters.h"

namespace parlance::sim {

namespace {

constexpr int kTries = 4;

/// Draws the steps of one plan, each as a JSON object.
class Drawer {
  public:
    Drawer(Entropy& entropy, const Plan& plan) : entropy_(entropy), plan_(plan) {}

    std::string draw() {
        count_ = entropy_.between(1, 6);
        // Steps may be written in any order: the step with the least rank runs first.
        is_backwards_ = entropy_.percent(25);
        std::string steps;
        for (std::uint64_t i = 0; i < count_; ++i) steps += (i > 0 ? "," : "") + step(i);
        std::string whole;
        if (entropy_.percent(25)) {
            whole += fmt::format(R"("timeout_ms":{},)", entropy_.between(300, 5'000));
        }
        if (entropy_.percent(10)) whole += R"("on_error":"fail",)";
        return "{" + whole + R"("steps":[)" + steps + "]}";
    }

  private:
    /// Mostly a certain agent; else a capability, sometimes of no agent.
    std::string duty() {
        if (entropy_.percent(60)) {
            return fmt::format(R"("agent":"{}")", agent_name(entropy_.below(plan_.agents)));
        }
        const auto nobody = entropy_.percent(5);
        return fmt::format(R"("capability":"{}")",
                           nobody ? "NOBODY" : capability_name(entropy_.below(plan_.agents)));
    }

    std::string person() {
        constexpr std::array kIfNobody{"reject", "approve", "fail", "escalate"};
        return fmt::format(
            R"("human":{{"role":"{}","question":"And now?","deadline_ms":{},"escalate_to":"finance","if_nobody":"{}"}})",
            entropy_.percent(50) ? "legal" : "finance",
            entropy_.between(50, 1'500),
            kIfNobody.at(entropy_.below(kIfNobody.size())));
    }

    /// A step that `number` can wait for; empty for the first step to run.
    std::string before(std::uint64_t number) {
        const auto rank = is_backwards_ ? count_ - 1 - number : number;
        if (rank == 0) return {};
        const auto other = entropy_.below(rank);
        return name(is_backwards_ ? count_ - 1 - other : other);
    }
    static std::string name(std::uint64_t number) { return "s" + std::to_string(number); }

    std::string step(std::uint64_t number) {
        const auto first = before(number);
        auto out = fmt::format(R"({{"id":"{}",)", name(number));
        const bool is_human_task = entropy_.percent(8);
        out += is_human_task ? person() : duty();
        if (!first.empty() && entropy_.percent(70)) {
            out += fmt::format(R"(,"inputs":{{"of":{{"$from":"/steps/{}/output/n"}}}})", first);
        } else {
            out += R"(,"inputs":{"of":{"$from":"/input/n"}})";
        }
        if (const auto second = before(number); !second.empty() && entropy_.percent(40)) {
            out += fmt::format(R"(,"after":["{}"])", second);
        }
        if (!first.empty() && entropy_.percent(12)) {
            out += fmt::format(R"(,"when":{{"value":{{"$from":"/steps/{}/status"}},"is":"{}"}})",
                               first,
                               entropy_.percent(80) ? "COMPLETED" : "FAILED");
        }
        if (!is_human_task) out += ways(first);
        return out + "}";
    }

    std::string ways(const std::string& first) {
        std::string out = fmt::format(R"(,"timeout_ms":{})", entropy_.between(150, 2'500));
        if (!first.empty() && entropy_.percent(12)) {
            out += fmt::format(R"(,"for_each":{{"$from":"/steps/{}/output/list","at_most":{}}})",
                               first,
                               entropy_.percent(10) ? 1 : 4);
        }
        if (entropy_.percent(40)) {
            out += fmt::format(R"(,"retry":{{"limit":{},"backoff_ms":{}}})",
                               entropy_.below(3),
                               entropy_.between(5, 100));
        }
        if (entropy_.percent(20))
            out += R"(,"fallback":{)" + duty() + "}";
        else if (entropy_.percent(10))
            out += R"(,"fallback":{"value":{"n":0,"list":[]}})";
        if (entropy_.percent(20)) out += R"(,"confidence_min":0.5)";
        if (entropy_.percent(25)) {
            out += fmt::format(R"(,"on_error":"{}")", entropy_.percent(50) ? "fail" : "human");
        }
        if (entropy_.percent(50)) out += R"(,"compensate":{)" + duty() + "}";
        return out;
    }

    Entropy& entropy_;
    const Plan& plan_;
    std::uint64_t count_ = 0;
    bool is_backwards_ = false;
};

}  // namespace

std::string draw_workflow(Entropy& entropy, const Plan& plan) {
    return Drawer{entropy, plan}.draw();
}

std::string step_answer(Entropy& entropy, std::uint64_t number) {
    if (entropy.percent(15)) {
        std::string out = R"({"error":"DATA_MISSING")";
        if (entropy.percent(70))
            out += entropy.percent(60) ? R"(,"retryable":true)" : R"(,"retryable":false)";
        if (entropy.percent(30)) {
            out += fmt::format(R"(,"strategy":"{}")", capability_name(entropy.below(3)));
        }
        return out + "}";
    }
    std::string list;
    for (std::uint64_t i = 0; i < number % 4; ++i) list += (i > 0 ? "," : "") + std::to_string(i);
    auto out = fmt::format(R"({{"output":{{"n":{},"list":[{}]}})", number, list);
    if (entropy.percent(60)) out += fmt::format(R"(,"confidence":0.{})", entropy.between(2, 9));
    return out + "}";
}

/// Often a plan that ran before, because the hub keeps known plans in memory.
const std::string& Flows::some_plan() {
    constexpr std::size_t kPlansMax = 4;
    const bool is_new = plans_.empty() || (plans_.size() < kPlansMax && entropy_.percent(60));
    if (!is_new) return plans_[entropy_.below(plans_.size())];
    return plans_.emplace_back(draw_workflow(entropy_, plan_));
}

void Flows::start() {
    if (is_calm_) return;
    const auto caller = agent_name(entropy_.below(plan_.agents));
    StartWorkflow order{.id = "run-" + std::to_string(started_.size() + 1),
                        .plan = some_plan(),
                        .input = fmt::format(R"({{"n":{}}})", entropy_.below(1'000'000))};
    if (entropy_.percent(30)) order.user = "user-" + std::to_string(entropy_.below(2));
    started_.emplace_back(order.id, caller);
    bring(caller, order, kTries);
}

/// Retries until the hub answers; sometimes repeats an order, or repeats its id with another input.
void Flows::bring(const std::string& caller, const StartWorkflow& order, int tries) {
    if (tries == 0 || is_calm_) return;
    const auto has_answer = std::make_shared<bool>(false);
    door_.bring(caller, order, [has_answer](const Effect&) { *has_answer = true; });
    const bool repeats = plan_.naughty > 0 && entropy_.percent(15);
    if (repeats && entropy_.percent(40)) {
        auto other = order;
        other.input = "{}";
        door_.bring(caller, std::move(other), {});
    }
    timeline_.after(entropy_.ms(30, 700), [this, caller, has_answer, repeats, tries, order] {
        if (!*has_answer || repeats) bring(caller, order, tries - 1);
    });
}

void Flows::cancel() {
    if (is_calm_ || started_.empty()) return;
    // The latest workflows are likely to run still.
    const auto back = entropy_.below(std::min<std::uint64_t>(started_.size(), 6)) + 1;
    const auto& [id, caller] = started_[started_.size() - back];
    const CancelRequest order{id, "no longer wanted"};
    if (entropy_.percent(30)) return door_.bring_as_operator(order);
    door_.bring(
        entropy_.percent(10) ? agent_name(entropy_.below(plan_.agents)) : caller, order, {});
}

}  // namespace parlance::sim
