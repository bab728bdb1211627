// Queries on the state, answered with plain copies: for listings, metrics and the tests.
#pragma once

#include <optional>
#include <vector>

#include "core/core.h"
#include "model/caller.h"
#include "model/listing.h"

namespace parlance::core {

HubListing list_hub(const State& state);
/// Sorted by name, without agents known only as senders.
std::vector<AgentListing> list_agents(const State& state);
std::optional<AgentListing> find_agent(const State& state, const AgentId& agent);

/// The agent's own registration; null if the agent is not registered.
const Profile* find_profile(const State& state, std::string_view agent);

struct DeadLetterQuery {
    AgentId recipient{};  ///< Empty: any recipient.
    Ticket after{};
    std::size_t count_max = 100;
};
std::vector<DeadLetterListing> list_dead_letters(const State& state, const DeadLetterQuery& query);
std::optional<DeadLetterListing> find_dead_letter(const State& state, Ticket ticket);

/// The envelope behind a live delivery, and the agent that holds the delivery.
struct HeldDelivery {
    EnvelopePtr envelope;
    AgentId holder;
    bool is_current = false;  ///< The token is the current one.
};
std::optional<HeldDelivery> find_delivery(const State& state, const DeliveryToken& delivery);

/// The run of this id, or null. Found in the dedup window, which keeps a start as long as the run.
Reading<workflow::Run> find_run(const State& state, std::string_view id);

/// A workflow: its progress, or the record of its end.
struct WorkflowStanding {
    std::string report{};
    std::string by{};  ///< While it runs; later found in the record of its start.
    std::string user{};
    Sequence started{};
    Sequence ended{};  ///< Zero: still running.
};
std::optional<WorkflowStanding> find_workflow(const State& state, std::string_view id);

/// The relation of an agent to a running workflow.
struct WorkflowPart {
    bool is_known = false;  ///< The workflow runs.
    bool is_in_it = false;  ///< The agent started the workflow, or was asked for a step.
    std::string user{};
};
WorkflowPart part_in(const State& state, std::string_view workflow, std::string_view agent);

/// A streamed answer: the records of its parts behind `after`, and of its end.
struct StreamStanding {
    Ticket request;
    std::uint64_t parts_count = 0;
    std::vector<Sequence> parts{};  ///< Parts behind `after`, at most `count_max`.
    Sequence answer{};              ///< None: not answered yet.
    bool is_forgotten = false;      ///< Ended long ago; its parts are no longer known.
};
struct StreamQuery {
    std::string_view asker;
    std::string_view id;      ///< Of the request, as its requester gave it.
    std::uint64_t after = 0;  ///< The number of a part.
    std::size_t count_max = 1;
};
std::optional<StreamStanding> find_stream(const State& state, const StreamQuery& query);

/// The users of the requests that the agent has in hand, each user once.
std::vector<std::string> users_served(const State& state, std::string_view agent);
/// True if the caller may know of this user's items: with a grant for the user, as an operator, or
/// while the caller has a request for the user in hand. Items of no user may be known to all.
bool may_know_of(const State& state, const Caller& caller, std::string_view user);
/// The same for a request. A request delegated from work that the requester was given needs no
/// grant. `user_said` is the user of a request no longer on record.
bool may_know_of(const State& state,
                 const Caller& caller,
                 Ticket request,
                 std::string_view user_said = {});

/// True if the agent has requests of others in hand.
bool is_at_work(const State& state, std::string_view agent);

/// True if a message of this sender and id came before, and so has an outcome.
bool is_remembered(const State& state, const Envelope& envelope);

/// The conversation of the first request of the tree that the request is in; empty if the request
/// is in no tree.
std::string conversation_of_tree(const State& state, const Envelope& request);

/// The open request answered by a reply; null if none.
EnvelopePtr find_question(const State& state, const Envelope& reply);

}  // namespace parlance::core
