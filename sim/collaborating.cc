// How agents work together: agents let the hub choose recipients, ask several agents at once, and
// offer each other tasks. Operators remove agents and set allocations.
#include "sim/agents.h"

namespace parlance::sim {

void Agents::ask_hub_to_choose(std::uint64_t agent) {
    if (is_calm_) return;
    timeline_.after(collaboration_.pause(), [this, agent] { ask_hub_to_choose(agent); });
    auto letter = collaboration_.request(agent);
    if (letter.envelope->intent() == Intent::Request) questions_.push_back(letter.envelope);
    ++messages_;
    send(agent, std::move(letter), 3);
}

/// The agent still answers after a while: in vain if another agent holds the task by then.
void Agents::offer_task(const Consumer& consumer, const Deliver& deliver) {
    const auto agent = agent_name(consumer.agent);
    auto letter = collaboration_.handoff(consumer.agent, *deliver.envelope);
    questions_.push_back(letter.envelope);
    ++messages_;
    send(consumer.agent, std::move(letter), 2);
    timeline_.after(entropy_.ms(50, 1'500), [this, agent, deliver] { settle(agent, deliver); });
}

void Agents::keep() {
    const auto* const shared = door_.shared();
    if (is_calm_ || shared == nullptr) return;
    auto& entropy = collaboration_.entropy();
    const auto agent = agent_name(entropy.below(plan_.agents));
    const auto* const allocation =
        core::shared::find(shared->allocations, Collaboration::allocation_id(agent));
    auto version = allocation != nullptr ? allocation->version : 0;
    if (version > 0 && entropy.percent(20)) --version;
    auto command = collaboration_.keep(agent, version, timeline_.now());
    if (entropy.percent(60)) return door_.bring_as_operator(std::move(command));
    tell(agent, std::move(command));
}

void Agents::remove_one() {
    if (is_calm_) return;
    auto& entropy = collaboration_.entropy();
    door_.bring_as_operator(RemoveAgent{{agent_name(entropy.below(plan_.agents))}});
}

}  // namespace parlance::sim
