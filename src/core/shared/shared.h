// What agents share apart from messages: the context of each workflow, tasks and allocations, and
// what is known of each user's sessions.
//
// Knows agents and users only by name, and a request only by its ticket. JSON is text here: it is
// merged and compared, and no member of it has a meaning.
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
    std::string domain;  ///< Of who made it.
};

/// What a workflow's agents hand to one another. One of them has it at a time.
struct Context {
    std::string owner;
    std::string status;
    std::uint64_t version = 0;
    std::map<std::string, Entity, std::less<>> entities;
    std::vector<std::string> history;    ///< JSON each.
    std::vector<std::string> artifacts;  ///< The same.

    // While it is handed over:
    Ticket handoff;  ///< The request that carries it; none: it is not.
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
    std::string workflow;                                    ///< JSON, or nothing.
    std::map<std::string, std::string, std::less<>> agents;  ///< Each one's own part, JSON.
    std::map<std::string, Analysis, std::less<>> analyses;   ///< By key.
    std::uint64_t version = 0;
    Time begun_at{};
    Time changed_at{};
};

struct KnownFact {
    Fact fact;
    std::string session;  ///< Empty: of whatever session.
    Time at{};
};

template <class Item>
using ById = std::map<std::string, Item, std::less<>>;

struct Shared {
    ById<Context> contexts;  ///< By workflow.
    ById<Task> tasks;
    ById<Allotment> allocations;
    ById<Session> sessions;
    ById<std::vector<KnownFact>> facts;  ///< By user, in the order in which they were learnt.

    // Found again from the above.
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    std::map<Ticket, std::string> handoffs;           ///< Workflows by request.
    std::set<std::pair<Time, std::string>> expiring;  ///< Allocations by their end.
    ById<std::set<std::string>> allotted;             ///< Allocations by agent.
    std::set<std::string, std::less<>> users;         ///< For whom sessions are kept.
};

/// Whether anything is kept of a user of this name.
bool is_user(const Shared& shared, std::string_view name);

/// The item of this id, or null.
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

/// What an answer took.
struct Charge {
    std::uint64_t tokens = 0;
    std::uint64_t cost = 0;  ///< In millionths of the currency.
};
/// It is charged to the allocations of who gave it: tokens to its "tokens", the cost to its
/// "budget".
void charge(Shared& shared, std::string_view agent, const Charge& charge);
/// An allocation of this resource of which nothing is left, or null.
const Allotment* find_spent(const Shared& shared,
                            std::string_view agent,
                            std::string_view resource);

/// The least that is left of the agent's allocations of this resource, in whole units; the most
/// there is, if it has none.
std::uint64_t left_of(const Shared& shared, std::string_view agent, std::string_view resource);

// How much of the room an item takes.
std::uint64_t bytes_of(const Context& context);
std::uint64_t bytes_of(const Task& task);
std::uint64_t bytes_of(const Allotment& allotment);
std::uint64_t bytes_of(const Session& session);
std::uint64_t bytes_of(const KnownFact& fact);

/// Counts everything again, as after a snapshot was read.
void index(Shared& shared);

}  // namespace parlance::core::shared
