// The decisions of the hub: three pure functions over one state. No clock, no I/O, no entropy.
//
//   decide  what a command causes      (may refuse, never fails)
//   apply   what an event makes true   (never refuses, never fails)
//   react   what should now be done    (once the event is durable)
#pragma once

#include <string>
#include <string_view>

#include "core/broker/broker.h"
#include "core/broker/dedup_window.h"
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
#include "model/message_writer.h"
#include "model/names.h"

namespace parlance::core {

struct State {
    Limits limits;  ///< Configuration: neither recorded nor in a snapshot.
    std::string hub_id;
    HashKey key;
    Sequence sequence;  ///< Of the last event.
    Time now{};         ///< Of the last event.
    registry::Registry registry;
    broker::Broker broker;
    broker::Requests requests;
    broker::DedupWindow dedup;
    governor::Governor governor;
    workflow::Workflows workflows;
    /// Configuration, like the limits. None: no workflow is started.
    const MessageWriter* message_writer = nullptr;
    people::People people;
    shared::Shared shared;
    handing::Handing handing;
    broker::Streams streams;
};

/// Bytes of others' content that count against `hub_bytes_max`: messages in mailboxes, open
/// requests taken out of their mailbox, human tasks, state kept until an answer comes, and the
/// results that workflows have gathered (G7).
inline std::uint64_t bytes_kept(const State& state) {
    return state.broker.bytes + state.requests.adrift_bytes + state.people.bytes +
           state.handing.bytes + state.workflows.bytes;
}

/// Names of agents, for a part of the state that knows agents only by their handles.
inline auto names_of(const State& state) {
    return [&state](AgentHandle agent) -> std::string_view {
        return state.registry.agents[agent].id.value;
    };
}

/// The agent as a target, for looking up limits: its name and dialect.
inline Subject as_target(const State& state, AgentHandle agent) {
    if (agent == kNoAgent) return {};
    const auto& known = state.registry.agents[agent];
    return {.platform = enum_name(known.profile.dialect), .agent = known.id.value};
}

/// The agent as a sender, for looking up limits; the agent need not be known.
inline Subject as_sender(const State& state, std::string_view agent) {
    auto subject = as_target(state, registry::find_agent(state.registry, agent));
    subject.agent = agent;
    return subject;
}

/// True if the agent can be expected to take a message: some instance is not away. While nothing
/// waits for the agent, any instance will do: an agent that nobody asks cannot show that it is
/// back.
bool is_there(const State& state, AgentHandle agent);

/// True if a message counts towards its sender's limit per minute. Requests that the hub makes in
/// its own name were counted for the agent that began the workflow or call: else an agent beginning
/// many would hold up the work of all others.
inline bool counts_as_sent(std::string_view sender) { return sender != kOrchestrator; }

/// Instances from which the hub heard. A sign of life is no event: see core/liveness.h.
using Heard = std::vector<InstanceNumber>;

/// Replaces the content of `events` by the events that the command causes; none: nothing to do. A
/// Tick handles one due item, or delivers from one mailbox; the engine repeats Ticks until no event
/// follows. Adds the instances that the command is a sign of life of to `heard`.
void decide(const State& state, const Stamped& request, Events& events, Heard* heard = nullptr);

/// Prefetches the memory that deciding the command will read, before many commands are decided.
/// Affects speed only.
void foresee(const State& state, const Command& command);

void apply(State& state, Time at, const Event& event);

/// Appends the consequences of an event that was just applied. `cause` is the command behind it.
void react(const State& state, const Stamped& cause, const Event& event, Effects& effects);

/// When the next item is due, at the latest; the end of time if nothing is. The timeouts of silent
/// instances are not included: see core/liveness.h.
Time next_due(const State& state);

}  // namespace parlance::core
