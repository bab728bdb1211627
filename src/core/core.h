// The mind of the hub: three pure functions over one state. No clock, no I/O, no chance.
//
//   decide  what a command causes      (may refuse, never fails)
//   apply   what an event makes true   (never refuses, never fails)
//   react   what should now be done    (once the event is durable)
#pragma once

#include <string>
#include <string_view>

#include "core/broker/broker.h"
#include "core/broker/memory.h"
#include "core/broker/requests.h"
#include "core/broker/streams.h"
#include "core/governor/governor.h"
#include "core/handing/handing.h"
#include "core/handles.h"
#include "core/people/people.h"
#include "core/registry/registry.h"
#include "core/shared/shared.h"
#include "core/workflow/workflow.h"
#include "model/command.h"
#include "model/effect.h"
#include "model/event.h"
#include "model/limits.h"
#include "model/names.h"
#include "model/scribe.h"

namespace parlance::core {

/// The sum of all events. Hash tables are for look-ups; whatever is iterated has an order.
struct State {
    Limits limits;  ///< Configuration, not memory: neither recorded nor in a snapshot.
    std::string hub_id;
    HashKey key;
    Sequence sequence;  ///< Of the last event.
    Time now{};         ///< Of the last event.
    registry::Registry registry;
    broker::Broker broker;
    broker::Requests requests;
    broker::Memory memory;
    governor::Governor governor;
    workflow::Workflows workflows;
    const Scribe* scribe = nullptr;  ///< Given, like the limits. None: no workflow is started.
    people::People people;
    shared::Shared shared;
    handing::Handing handing;
    broker::Streams streams;
};

/// All that the hub keeps of others' words and that `hub_bytes_max` bounds: what waits in mailboxes
/// or was taken out and awaits an answer, what people are asked, what was laid down until an answer
/// comes, and what workflows have gathered (G7).
inline std::uint64_t bytes_kept(const State& state) {
    return state.broker.bytes + state.requests.adrift_bytes + state.people.bytes +
           state.handing.bytes + state.workflows.bytes;
}

/// What the agents are called, for a part that knows them only by their handles.
inline auto names_of(const State& state) {
    return [&state](AgentHandle agent) -> std::string_view {
        return state.registry.agents[agent].id.value;
    };
}

/// An agent as what is limited about it is looked up: by its name, and the dialect that it speaks.
inline Subject as_target(const State& state, AgentHandle agent) {
    if (agent == kNoAgent) return {};
    const auto& known = state.registry.agents[agent];
    return {.platform = enum_name(known.profile.dialect), .agent = known.id.value};
}

/// The same of one that sends something, known or not.
inline Subject as_sender(const State& state, std::string_view agent) {
    auto subject = as_target(state, registry::find_agent(state.registry, agent));
    subject.agent = agent;
    return subject;
}

/// Whether the agent can be expected to take something: it has an instance, and not only endpoints
/// that are away. One for which nothing waits is taken to be there, for nobody has asked it lately,
/// and whoever is taken to be away is not asked again.
bool is_there(const State& state, AgentHandle agent);

/// Whether a message counts towards what its sender may send in a minute. What the hub asks in its
/// own name, for a workflow or a call, was counted for who began that: one who begins much would
/// else keep the work of all others waiting.
inline bool counts_as_sent(std::string_view sender) { return sender != kOrchestrator; }

/// Of whom something was heard. A sign of life is no event: see core/liveness.h.
using Heard = std::vector<InstanceNumber>;

/// Replaces the content of `events` by what the command causes: none means "nothing to do".
/// Given a Tick it names one thing that is due, or hands over what one mailbox can; it is asked
/// again until nothing follows.
/// Adds to `heard` of whom the command is a sign of life.
void decide(const State& state, const Stamped& request, Events& events, Heard* heard = nullptr);

/// Before deciding many commands, for each: has the processor fetch what will be looked at. It
/// changes nothing, and nothing depends on it but time.
void foresee(const State& state, const Command& command);

void apply(State& state, Time at, const Event& event);

/// Appends the consequences of an event that was just applied. `cause` is the command behind it.
void react(const State& state, const Stamped& cause, const Event& event, Effects& effects);

/// When the next thing is due, at the latest; the end of time if nothing is. When an instance has
/// been silent for too long is not known here: see core/liveness.h.
Time next_due(const State& state);

}  // namespace parlance::core
