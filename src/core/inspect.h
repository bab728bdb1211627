// How things stand, as plain copies: for listings, metrics and the tests.
#pragma once

#include <optional>
#include <vector>

#include "core/core.h"
#include "model/caller.h"
#include "model/listing.h"

namespace parlance::core {

HubListing list_hub(const State& state);
/// In the order of their names; those only known as senders are left out.
std::vector<AgentListing> list_agents(const State& state);
std::optional<AgentListing> find_agent(const State& state, const AgentId& agent);

/// What the agent says of itself; null if it is not registered.
const Profile* find_profile(const State& state, std::string_view agent);

struct DeadLetterQuery {
    AgentId recipient{};  ///< Empty: of all.
    Ticket after{};       ///< For paging: only later tickets.
    std::size_t count_max = 100;
};
std::vector<DeadLetterListing> list_dead_letters(const State& state, const DeadLetterQuery& query);
std::optional<DeadLetterListing> find_dead_letter(const State& state, Ticket ticket);

/// The envelope behind a live delivery, and the dialect of the agent that holds it.
struct HeldDelivery {
    EnvelopePtr envelope;
    AgentId holder;
    bool is_current = false;  ///< The token is the one in force.
};
std::optional<HeldDelivery> find_delivery(const State& state, const DeliveryToken& delivery);

/// The run of this id, or null. A start is remembered for as long as it runs, so it is found by
/// that.
Reading<workflow::Run> find_run(const State& state, std::string_view id);

/// A workflow: how far it is, or where its end is on record.
struct WorkflowStanding {
    std::string report{};
    std::string by{};    ///< While it runs; later, its start is on record.
    std::string user{};  ///< The same.
    Sequence started{};
    Sequence ended{};  ///< Zero: it runs.
};
std::optional<WorkflowStanding> find_workflow(const State& state, std::string_view id);

/// What an agent has to do with a workflow that runs.
struct WorkflowPart {
    bool is_known = false;  ///< There is such a workflow.
    bool is_in_it = false;  ///< The agent started it, or was asked for a step.
    std::string user{};
};
WorkflowPart part_in(const State& state, std::string_view workflow, std::string_view agent);

/// An answer as it comes: where its parts behind `after` are on record, and its end.
struct StreamStanding {
    Ticket request;
    std::uint64_t parts_count = 0;  ///< In all, so far.
    std::vector<Sequence> parts{};  ///< Those behind `after`, some of them.
    Sequence answer{};              ///< None: it is not over.
    bool is_forgotten = false;      ///< It is long over; its parts may have been many.
};
struct StreamQuery {
    std::string_view asker;
    std::string_view id;      ///< Of the request, as its asker gave it.
    std::uint64_t after = 0;  ///< The number of a part.
    std::size_t count_max = 1;
};
std::optional<StreamStanding> find_stream(const State& state, const StreamQuery& query);

/// Whose requests the agent has in hand, each user once.
std::vector<std::string> users_served(const State& state, std::string_view agent);
/// Whether the caller may know of what is this user's: with a grant for that user, as an operator,
/// or while it has a request for that user in hand. What is nobody's is everybody's.
bool may_know_of(const State& state, const Caller& caller, std::string_view user);
/// The same of a request. What was asked out of work that its asker was given needs no grant. Of
/// one that is on record no more, `user_said` is whose it is.
bool may_know_of(const State& state,
                 const Caller& caller,
                 Ticket request,
                 std::string_view user_said = {});

/// Whether the agent has requests of others in hand.
bool is_at_work(const State& state, std::string_view agent);

/// Whether a message of this sender and id came before: it has its outcome.
bool is_remembered(const State& state, const Envelope& envelope);

/// The conversation to which all of a tree of delegations belongs: that of its first request. Empty
/// for what is in no tree.
std::string conversation_of_tree(const State& state, const Envelope& request);

/// The open request that a reply means; null if there is none.
EnvelopePtr find_question(const State& state, const Envelope& reply);

}  // namespace parlance::core
