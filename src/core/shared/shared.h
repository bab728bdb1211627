// State that agents share apart from messages: workflow contexts, tasks, allocations, sessions and
// facts about users.
//
// Knows agents and users only by name, and requests only by ticket. JSON is text here: merged and
// compared, without a meaning for any member.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/event.h"

namespace parlance::core::shared {

struct Entity {
    std::string value;   ///< JSON.
    std::string domain;  ///< Of the agent that made it.
};

/// The context that a workflow's agents pass on; a single agent owns it at a time.
struct Context {
    std::string owner;
    std::string status;
    std::uint64_t version = 0;
    std::map<std::string, Entity, std::less<>> entities;
    std::vector<std::string> history;    ///< JSON each.
    std::vector<std::string> artifacts;  ///< JSON each.

    // While the context is handed over:
    Ticket handoff;  ///< The request carrying the handoff; none: no handoff.
    std::string recipient;
    EnvelopePtr done;

    bool is_locked() const { return handoff != Ticket{}; }
};

struct Task {
    std::string document;  ///< JSON.
    std::string agent;
    std::string user;
    std::string creator;
    std::uint64_t version = 0;
};

struct Allotment {
    Allocation allocation;
    std::uint64_t version = 0;
};

struct Analysis {
    std::string capability;
    std::string result;  ///< JSON.
    std::string agent;
    Time at{};
};

struct Session {
    std::string user;
    std::string parent;
    std::string history;                                     ///< A reference.
    std::string workflow;                                    ///< JSON, or empty.
    std::map<std::string, std::string, std::less<>> agents;  ///< JSON, by agent.
    std::map<std::string, Analysis, std::less<>> analyses;   ///< By key.
    std::uint64_t version = 0;
    Time begun_at{};
    Time changed_at{};
};

struct KnownFact {
    Fact fact;
    std::string session;  ///< Empty: any session.
    Time at{};
};

template <class Item>
using ById = std::map<std::string, Item, std::less<>>;

struct Shared {
    ById<Context> contexts;  ///< By workflow.
    ById<Task> tasks;
    ById<Allotment> allocations;
    ById<Session> sessions;
    ById<std::vector<KnownFact>> facts;  ///< By user, in the order learnt.

    // Derived from the maps above.
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    std::map<Ticket, std::string> handoffs;           ///< Workflows by request.
    std::set<std::pair<Time, std::string>> expiring;  ///< Allocations by expiry.
    ById<std::set<std::string>> allotted;             ///< Allocations by agent.
    std::set<std::string, std::less<>> users;         ///< Users with a session.
};

/// Whether sessions or facts are kept for a user of this name.
bool is_user(const Shared& shared, std::string_view name);

/// The item with this id, or null.
template <class Item>
const Item* find(const ById<Item>& items, std::string_view id) {
    const auto found = items.find(id);
    return found == items.end() ? nullptr : &found->second;
}

void apply(Shared& shared, const ContextWritten& event);
void apply(Shared& shared, const ContextLocked& event);
void apply(Shared& shared, const HandoffEnded& event);
void apply(Shared& shared, const TaskWritten& event);
void apply(Shared& shared, const TaskDeleted& event);
void apply(Shared& shared, const AllocationWritten& event);
void apply(Shared& shared, const AllocationEnded& event);
void apply(Shared& shared, const SessionWritten& event, Time now);
void apply(Shared& shared, const FactLearnt& event, Time now);
void apply(Shared& shared, const AnalysisKept& event, Time now);

/// Tokens and cost of an answer.
struct Charge {
    std::uint64_t tokens = 0;
    std::uint64_t cost = 0;  ///< In millionths of the currency.
};
/// Charges an answer to the answering agent's allocations: tokens to "tokens", cost to "budget".
void charge(Shared& shared, std::string_view agent, const Charge& charge);
/// An exhausted allocation of this resource, or null.
const Allotment* find_spent(const Shared& shared,
                            std::string_view agent,
                            std::string_view resource);

/// The smallest remainder among the agent's allocations of this resource, in whole units (money in
/// millionths); UINT64_MAX if the agent has no such allocation.
std::uint64_t left_of(const Shared& shared, std::string_view agent, std::string_view resource);

// Bytes counted for an item.
std::uint64_t bytes_of(const Context& context);
std::uint64_t bytes_of(const Task& task);
std::uint64_t bytes_of(const Allotment& allotment);
std::uint64_t bytes_of(const Session& session);
std::uint64_t bytes_of(const KnownFact& fact);

/// Rebuilds the derived data after a snapshot was loaded.
void index(Shared& shared);

}  // namespace parlance::core::shared
