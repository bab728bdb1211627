#include "core/broker/requests.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/uuid.h"

namespace parlance::core::broker {

namespace {

auto place_of(Requests& requests) {
    return [&requests](Slot slot) -> AgendaPlace& { return requests.open[slot].place; };
}

using Names = std::array<RequestName, 5>;

/// A request's names, and where the one lives that is made.
struct RequestNames {
    std::string derived;
    Names all;
};

RequestNames names_of_request(const Envelope& asked) {
    const auto name = [&](NamedBy by, std::string_view text) {
        return RequestName{
            .by = by, .requester = asked.from(), .responder = asked.to(), .name = text};
    };
    const auto shown = [&](std::string_view text) {
        return RequestName{.by = NamedBy::Shown, .responder = asked.to(), .name = text};
    };
    RequestNames names;
    // Where a dialect's ids are UUIDs, another's is shown as the one that follows from it.
    if (!is_uuid4(asked.id())) names.derived = derived_uuid(asked.id());
    names.all = {name(NamedBy::Id, asked.id()),
                 name(NamedBy::Task, asked.task()),
                 name(NamedBy::Correlation, asked.correlation()),
                 shown(asked.id()),
                 shown(names.derived)};
    return names;
}

/// The most exact name first: an id is one request, a workflow may have many.
std::array<RequestName, 4> names_in_reply(const Envelope& reply) {
    const auto name = [&](NamedBy by, std::string_view text) {
        return RequestName{
            .by = by, .requester = reply.to(), .responder = reply.from(), .name = text};
    };
    return {name(NamedBy::Id, reply.answers()),
            {.by = NamedBy::Shown, .responder = reply.from(), .name = reply.answers()},
            name(NamedBy::Task, reply.task()),
            name(NamedBy::Correlation, reply.correlation())};
}

/// How many requests of one name are looked at, so that a flood of them costs no more.
constexpr int kNamesakesMax = 64;

const OpenRequest* find_named(const Requests& requests,
                              const Broker& broker,
                              std::uint64_t name,
                              std::string_view requester) {
    const auto first = requests.names.find(name);
    if (first == requests.names.end()) return nullptr;
    const OpenRequest* oldest = nullptr;
    auto ticket = first->second;
    auto at = requests.namesakes.lower_bound({name, Ticket{}});
    for (int i = 0; i < kNamesakesMax; ++i) {
        const auto* request = find_request(requests, ticket);
        if (requester.empty() || request->asked->from() == requester) {
            const auto* question = find_message(broker, ticket);
            if (question == nullptr || question->attempt > 0) return request;
            if (oldest == nullptr) oldest = request;
        }
        if (at == requests.namesakes.end() || at->first != name) break;
        ticket = at++->second;
    }
    return oldest;
}

/// The oldest of a name stands in the table; most names have no other.
void add_name(Requests& requests, std::uint64_t name, Ticket ticket) {
    auto& oldest = requests.names.emplace(name, ticket).first->second;
    if (oldest == ticket) return;
    requests.namesakes.emplace(name, std::max(oldest, ticket));
    oldest = std::min(oldest, ticket);
}

void drop_name(Requests& requests, std::uint64_t name, Ticket ticket) {
    const auto first = requests.names.find(name);
    if (first == requests.names.end()) return;
    if (first->second != ticket) {
        requests.namesakes.erase({name, ticket});
        return;
    }
    const auto next = requests.namesakes.lower_bound({name, Ticket{}});
    if (next == requests.namesakes.end() || next->first != name) {
        requests.names.erase(first);
        return;
    }
    first->second = next->second;
    requests.namesakes.erase(next);
}

void add_names(Requests& requests, const HashKey& key, const Names& names, Ticket ticket) {
    for (const auto& name : names) {
        if (!name.name.empty()) add_name(requests, request_key(key, name), ticket);
    }
}

void drop_names(
    Requests& requests, Memory& memory, const HashKey& key, const Names& names, Ticket ticket) {
    for (const auto& name : names) {
        if (name.name.empty()) continue;
        const auto hash = request_key(key, name);
        drop_name(requests, hash, ticket);
        remember_closed(memory, hash, ticket);
    }
}

/// Where a request is found by its task, if that is not just its workflow.
std::optional<std::pair<std::uint64_t, Ticket>> place_by_task(const HashKey& key,
                                                              const Envelope& asked,
                                                              Ticket ticket) {
    if (asked.task().empty() || asked.task() == asked.correlation()) return std::nullopt;
    return std::pair{request_key(key, {.by = NamedBy::Task, .name = asked.task()}), ticket};
}

}  // namespace

std::vector<const OpenRequest*> find_of_task(const Requests& requests,
                                             const HashKey& key,
                                             std::string_view task) {
    std::vector<const OpenRequest*> found;
    const auto hash = request_key(key, {.by = NamedBy::Task, .name = task});
    for (auto at = requests.tasks.lower_bound({hash, Ticket{}});
         at != requests.tasks.end() && at->first == hash;
         ++at) {
        const auto* request = find_request(requests, at->second);
        if (request->asked->task() == task) found.push_back(request);
    }
    return found;
}

const OpenRequest* find_request(const Requests& requests, Ticket ticket) {
    const auto found = requests.slots.find(ticket.value);
    return found == requests.slots.end() ? nullptr : &requests.open[found->second];
}

const OpenRequest* find_answered(const Requests& requests,
                                 const Broker& broker,
                                 const HashKey& key,
                                 const Envelope& reply) {
    for (const auto& name : names_in_reply(reply)) {
        if (name.name.empty()) continue;
        const auto* request = find_named(requests, broker, request_key(key, name), reply.to());
        if (request != nullptr) return request;
        if (name.by == NamedBy::Shown) return nullptr;  // It says exactly which one it means.
    }
    return nullptr;
}

Ticket find_ended(const Memory& memory, const HashKey& key, const Envelope& reply) {
    for (const auto& name : names_in_reply(reply)) {
        if (name.name.empty()) continue;
        const auto ticket = find_closed(memory, request_key(key, name));
        if (ticket != Ticket{}) return ticket;
    }
    return {};
}

Ticket find_ended_by_id(const Memory& memory, const HashKey& key, const Envelope& reply) {
    for (const auto& name : names_in_reply(reply)) {
        const bool is_id = name.by == NamedBy::Id || name.by == NamedBy::Shown;
        if (!is_id || name.name.empty()) continue;
        const auto ticket = find_closed(memory, request_key(key, name));
        if (ticket != Ticket{}) return ticket;
    }
    return {};
}

void open_request(Requests& requests, const HashKey& key, OpenRequest request) {
    const auto ticket = request.ticket;
    const auto deadline = request.deadline;
    const auto names = names_of_request(*request.asked);
    add_names(requests, key, names.all, ticket);
    if (const auto place = place_by_task(key, *request.asked, ticket)) {
        requests.tasks.insert(*place);
    }
    const Slot slot = requests.open.add(std::move(request));
    requests.slots.emplace(ticket.value, slot);
    requests.deadlines.set({.at = deadline, .number = ticket.value, .owner = slot},
                           place_of(requests));
}

void close_request(Requests& requests, Memory& memory, const HashKey& key, Ticket ticket) {
    const auto found = requests.slots.find(ticket.value);
    CHECK(found != requests.slots.end());
    const Slot slot = found->second;
    const auto names = names_of_request(*requests.open[slot].asked);
    drop_names(requests, memory, key, names.all, ticket);
    if (const auto place = place_by_task(key, *requests.open[slot].asked, ticket)) {
        requests.tasks.erase(*place);
    }
    requests.deadlines.remove(slot, place_of(requests));
    requests.slots.erase(found);
    requests.open.remove(slot);
}

void readdress(Requests& requests, Memory& memory, const HashKey& key, const MessageMoved& event) {
    auto& request = requests.open[requests.slots.at(event.ticket.value)];
    drop_names(requests, memory, key, names_of_request(*request.asked).all, event.ticket);
    request.asked = event.envelope;
    request.priority = event.priority;
    add_names(requests, key, names_of_request(*request.asked).all, event.ticket);
}

void set_deadline(Requests& requests, Ticket ticket, Time deadline) {
    const auto found = requests.slots.find(ticket.value);
    CHECK(found != requests.slots.end());
    requests.open[found->second].deadline = deadline;
    requests.deadlines.set({.at = deadline, .number = ticket.value, .owner = found->second},
                           place_of(requests));
}

void reword(Requests& requests, Ticket ticket, const EnvelopePtr& asked) {
    const auto found = requests.slots.find(ticket.value);
    CHECK(found != requests.slots.end());
    requests.open[found->second].asked = asked;
}

void end_wait(Requests& requests, Ticket ticket) {
    const auto found = requests.slots.find(ticket.value);
    CHECK(found != requests.slots.end());
    requests.open[found->second].waits = false;
}

}  // namespace parlance::core::broker
