#include "sim/checkers/bounds.h"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>

#include "base/match.h"

namespace parlance::sim {

namespace {

constexpr std::size_t kLimits = 35;
/// Names every member of Limits: a new member makes this fail to compile. Name the member here,
/// count it above and give it a row below.
[[maybe_unused]] void name_all(const Limits& limits) {
    [[maybe_unused]] const auto& [lease,
                                  lease_max,
                                  backoff_base,
                                  backoff_max,
                                  backoff_multiplier,
                                  backoff_jitter_percent,
                                  retry_count_max,
                                  retry_count_ceiling,
                                  low_every,
                                  request_timeout,
                                  request_timeout_max,
                                  heartbeat_timeout,
                                  instance_credit_max,
                                  instances_per_agent_max,
                                  take_bytes_max,
                                  frame_items_max,
                                  agents_max,
                                  topics_max,
                                  subscribers_per_topic_max,
                                  mailbox_messages_max,
                                  mailbox_bytes_max,
                                  hub_bytes_max,
                                  open_requests_max,
                                  workflows_max,
                                  awake_max,
                                  remembered_ids_max,
                                  stream_parts_max,
                                  stream_bytes_max,
                                  streams_ended_max,
                                  people,
                                  human_tasks_max,
                                  human_tasks_ended_max,
                                  shared_items_max,
                                  shared_item_bytes_max,
                                  shared_bytes_max] = limits;
}

std::uint64_t ms(Duration duration) {
    return static_cast<std::uint64_t>(std::max(duration, Duration{}).count());
}

template <auto Member>
std::uint64_t value(const Limits& limits) {
    if constexpr (std::is_same_v<decltype(Member), Duration Limits::*>) {
        return ms(limits.*Member);
    } else {
        return limits.*Member;
    }
}

template <class Things, class Measure>
std::uint64_t most_of(const Things& things, Measure measure) {
    std::uint64_t most = 0;
    for (const auto& thing : things) {
        most = std::max(most, static_cast<std::uint64_t>(measure(thing)));
    }
    return most;
}

// --- use by the state --------------------------------------------------------------------------

std::uint64_t credit(const core::State& state) {
    return most_of(state.broker.consumer_slots, [&](const auto& row) -> std::uint64_t {
        const auto& consumer = state.broker.consumers[row.second];
        return std::max(consumer.credit, consumer.in_flight);
    });
}

std::uint64_t registered(const core::State& state) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(state.registry.agents, &core::registry::Agent::is_registered));
}

std::uint64_t text_bytes(const core::shared::Context& context) {
    std::uint64_t bytes = 0;
    for (const auto& [name, entity] : context.entities) bytes += entity.value.size();
    for (const auto& each : context.history) bytes += each.size();
    for (const auto& each : context.artifacts) bytes += each.size();
    return bytes;
}

std::uint64_t text_bytes(const core::shared::Session& session) {
    std::uint64_t bytes = session.workflow.size();
    for (const auto& [agent, part] : session.agents) bytes += part.size();
    for (const auto& [key, analysis] : session.analyses) bytes += analysis.result.size();
    return bytes;
}

std::uint64_t shared_items(const core::State& state) {
    const auto& shared = state.shared;
    std::uint64_t items = shared.contexts.size() + shared.tasks.size() + shared.allocations.size() +
                          shared.sessions.size();
    for (const auto& [user, facts] : shared.facts) items += facts.size();
    return items;
}

std::uint64_t largest_shared_item(const core::State& state) {
    const auto& shared = state.shared;
    return std::max(
        {most_of(shared.contexts, [](const auto& row) { return text_bytes(row.second); }),
         most_of(shared.tasks, [](const auto& row) { return row.second.document.size(); }),
         most_of(shared.sessions, [](const auto& row) { return text_bytes(row.second); })});
}

std::uint64_t shared_bytes(const core::State& state) {
    const auto& shared = state.shared;
    std::uint64_t bytes = 0;
    for (const auto& [id, context] : shared.contexts) bytes += text_bytes(context);
    for (const auto& [id, task] : shared.tasks) bytes += task.document.size();
    for (const auto& [id, session] : shared.sessions) bytes += text_bytes(session);
    for (const auto& [user, facts] : shared.facts) {
        for (const auto& known : facts) bytes += known.fact.value.size();
    }
    return bytes;
}

/// Human tasks that wait for an answer; human_tasks_ended_max bounds the ended ones.
std::uint64_t human_tasks_waiting(const core::State& state) {
    return state.people.human_tasks.size() - state.people.ended.size();
}

// --- use by a record ---------------------------------------------------------------------------

std::uint64_t lease_given(const Entry& entry) {
    const auto* granted = std::get_if<LeaseGranted>(&entry.event);
    return granted == nullptr || granted->until == Time{} ? 0 : ms(granted->until - entry.at);
}

std::uint64_t lease_extended(const Entry& entry) {
    const auto until = match(
        entry.event,
        [](const LeaseExtended& event) { return event.until; },
        [](const ProgressReported& event) { return event.until; },
        [](const auto&) { return Time{}; });
    return until == Time{} ? 0 : ms(until - entry.at);
}

std::uint64_t time_given(const Entry& entry) {
    const auto deadline = match(
        entry.event,
        [](const MessageAccepted& event) { return event.deadline; },
        [](const RequestReleased& event) { return event.deadline; },
        [](const auto&) { return Time{}; });
    return deadline == Time{} ? 0 : ms(deadline - entry.at);
}

std::uint64_t retries_given(const Entry& entry) {
    const auto* accepted = std::get_if<MessageAccepted>(&entry.event);
    return accepted == nullptr ? 0 : accepted->retry_count_max;
}

std::uint64_t part_number(const Entry& entry) {
    const auto* progress = std::get_if<ProgressReported>(&entry.event);
    return progress == nullptr ? 0 : progress->number;
}

constexpr std::array kBounds{
    Bound{"lease", value<&Limits::lease>, nullptr, lease_given},
    Bound{"lease_max", value<&Limits::lease_max>, nullptr, lease_extended},
    Bound{.limit = "backoff_base", .held_by = "D6"},
    Bound{.limit = "backoff_max", .held_by = "D6"},
    Bound{.limit = "backoff_multiplier", .held_by = "D6"},
    Bound{.limit = "backoff_jitter_percent", .held_by = "D6"},
    Bound{.limit = "retry_count_max", .held_by = "D6"},
    Bound{"retry_count_ceiling", value<&Limits::retry_count_ceiling>, nullptr, retries_given},
    Bound{.limit = "low_every", .held_by = "D8"},
    Bound{.limit = "request_timeout", .held_by = "W1"},
    Bound{"request_timeout_max", value<&Limits::request_timeout_max>, nullptr, time_given},
    // Heartbeats are not in the State: engine_test.cc and registry_test.cc check the limit.
    Bound{.limit = "heartbeat_timeout", .held_by = "T16"},
    Bound{"instance_credit_max", value<&Limits::instance_credit_max>, credit},
    Bound{"instances_per_agent_max",
          value<&Limits::instances_per_agent_max>,
          [](const core::State& state) {
              return most_of(state.registry.agents,
                             [](const auto& agent) { return agent.instances.size(); });
          }},
    // Records do not name the take behind a lease, and a frame is read before the State.
    Bound{.limit = "take_bytes_max", .held_by = "G7"},
    Bound{.limit = "frame_items_max", .held_by = "G7"},
    Bound{"agents_max", value<&Limits::agents_max>, registered},
    Bound{"topics_max",
          value<&Limits::topics_max>,
          [](const core::State& state) -> std::uint64_t { return state.registry.topics.size(); }},
    Bound{"subscribers_per_topic_max",
          value<&Limits::subscribers_per_topic_max>,
          [](const core::State& state) {
              return most_of(state.registry.topics,
                             [](const auto& topic) { return topic.second.size(); });
          }},
    Bound{.limit = "mailbox_messages_max", .held_by = "G7"},  // g7.cc checks each acceptance.
    Bound{.limit = "mailbox_bytes_max", .held_by = "G7"},
    Bound{.limit = "hub_bytes_max", .held_by = "G7"},
    Bound{"open_requests_max",
          value<&Limits::open_requests_max>,
          [](const core::State& state) -> std::uint64_t { return state.requests.open.size(); }},
    Bound{"workflows_max",
          value<&Limits::workflows_max>,
          [](const core::State& state) -> std::uint64_t { return state.workflows.runs.size(); }},
    // Every reader unpacks packed objects; W11 checks that no result depends on packing.
    Bound{.limit = "awake_max", .held_by = "W11"},
    Bound{"remembered_ids_max",
          value<&Limits::remembered_ids_max>,
          [](const core::State& state) -> std::uint64_t { return 2 * state.dedup.taken; }},
    Bound{"stream_parts_max", value<&Limits::stream_parts_max>, nullptr, part_number},
    Bound{"stream_bytes_max",
          value<&Limits::stream_bytes_max>,
          [](const core::State& state) {
              return most_of(state.streams.all, [](const auto& row) { return row.second.bytes; });
          }},
    Bound{"streams_ended_max",
          value<&Limits::streams_ended_max>,
          [](const core::State& state) {
              return most_of(std::array{&state.streams.all}, [](const auto* all) {
                  return std::ranges::count_if(
                      *all, [](const auto& row) { return row.second.ended != Sequence{}; });
              });
          }},
    Bound{.limit = "people", .held_by = "W9"},
    Bound{"appeals_max", value<&Limits::human_tasks_max>, human_tasks_waiting},
    Bound{"appeals_ended_max",
          value<&Limits::human_tasks_ended_max>,
          [](const core::State& state) -> std::uint64_t { return state.people.ended.size(); }},
    Bound{"shared_items_max", value<&Limits::shared_items_max>, shared_items},
    Bound{"shared_item_bytes_max", value<&Limits::shared_item_bytes_max>, largest_shared_item},
    Bound{"shared_bytes_max", value<&Limits::shared_bytes_max>, shared_bytes},
};
static_assert(kBounds.size() == kLimits, "every limit has a row");

void expect(const Bound& bound,
            std::uint64_t has,
            const Limits& limits,
            std::vector<Finding>& findings) {
    const auto most = bound.most(limits);
    if (has <= most) return;
    findings.push_back({"G7",
                        std::string{bound.limit} + " is " + std::to_string(most) +
                            ", and the hub has " + std::to_string(has),
                        {}});
}

}  // namespace

std::span<const Bound> bounds() { return kBounds; }

void check_bounds(const core::State& state, std::vector<Finding>& findings) {
    for (const auto& bound : kBounds) {
        if (bound.used != nullptr) expect(bound, bound.used(state), state.limits, findings);
    }
}

void check_bounds(const Entry& entry, const Limits& limits, std::vector<Finding>& findings) {
    for (const auto& bound : kBounds) {
        if (bound.recorded != nullptr) expect(bound, bound.recorded(entry), limits, findings);
    }
}

}  // namespace parlance::sim
