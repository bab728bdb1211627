#include "core/broker/requests.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/uuid.h"

namespace parlance::core::broker {

namespace {

Slot slot_of(const Requests& requests, Ticket ticket) {
    const auto slot = requests.slots.find(ticket.value, ticket_of(requests.open));
    CHECK(slot != kNoSlot);  // decide() names only open requests.
    return slot;
}

auto mark_of(Requests& requests) {
    return [&requests](Slot slot) {
        auto& request = requests.open[slot];
        return AgendaMark{request.place, request.ticket.value};
    };
}

/// A request's names; `derived` holds the text of the derived UUID.
struct RequestNames {
    std::string derived;
    std::array<RequestName, 5> in_replies;  ///< By which a reply may call the request.
    std::array<RequestName, 2> in_orders;   ///< By which a canceller may call the request.
};

RequestName by_id(std::string_view id) { return {.by = NamedBy::Id, .name = id}; }
RequestName by_workflow(std::string_view id) { return {.by = NamedBy::Correlation, .name = id}; }

RequestNames names_of_request(const Envelope& asked) {
    const auto name = [&](NamedBy by, std::string_view text) {
        return RequestName{
            .by = by, .requester = asked.from(), .responder = asked.to(), .name = text};
    };
    const auto shown = [&](std::string_view text) {
        return RequestName{.by = NamedBy::Shown, .responder = asked.to(), .name = text};
    };
    RequestNames names;
    // Dialects whose ids are UUIDs show a foreign id as the UUID derived from it.
    if (!is_uuid4(asked.id())) names.derived = derived_uuid(asked.id());
    names.in_replies = {name(NamedBy::Id, asked.id()),
                        name(NamedBy::Task, asked.task()),
                        name(NamedBy::Correlation, asked.correlation()),
                        shown(asked.id()),
                        shown(names.derived)};
    names.in_orders = {by_id(asked.id()), by_workflow(asked.correlation())};
    return names;
}

bool goes_by(const Envelope& asked, const RequestName& name) {
    if (!name.requester.empty() && asked.from() != name.requester) return false;
    if (!name.responder.empty() && asked.to() != name.responder) return false;
    switch (name.by) {
        case NamedBy::Id:
            return asked.id() == name.name;
        case NamedBy::Task:
            return asked.task() == name.name;
        case NamedBy::Correlation:
            return asked.correlation() == name.name;
        case NamedBy::Shown:
            return asked.id() == name.name ||
                   (!is_uuid4(asked.id()) && derived_uuid(asked.id()) == name.name);
    }
    return false;
}

/// The most exact name first: an id is a single request's, a workflow may have many.
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

/// Bound on the requests looked at per name, so that a flood of namesakes costs no more.
constexpr int kNamesakesMax = 64;

/// A name and its hash.
struct Named {
    RequestName name;
    std::uint64_t hash;

    std::uint32_t half() const { return HashedSlot::half(hash); }
    std::uint64_t place() const { return HashedSlot::place_of(hash); }
};
Named named(const HashKey& key, const RequestName& name) { return {name, request_key(key, name)}; }

HashedSlot* find_oldest(Requests& requests, const Named& it) {
    return requests.names.find(it.place(), [&](const HashedSlot& row) {
        return goes_by(*requests.open[row.slot].asked, it.name);
    });
}
const HashedSlot* find_oldest(const Requests& requests, const Named& it) {
    return find_oldest(const_cast<Requests&>(requests), it);
}

/// Visits the open requests of a name, the oldest first, until `is_enough`.
template <class IsEnough>
void visit_named(const Requests& requests, const Named& it, IsEnough is_enough) {
    const auto* first = find_oldest(requests, it);
    if (first == nullptr || is_enough(requests.open[first->slot])) return;
    auto at = requests.namesakes.lower_bound({it.hash, Ticket{}});
    for (; at != requests.namesakes.end() && at->first == it.hash; ++at) {
        if (is_enough(*find_request(requests, at->second))) return;
    }
}

/// Whether a name of this kind is a single request's, not shared by a task or a workflow.
bool is_exact(NamedBy by) { return by == NamedBy::Id || by == NamedBy::Shown; }

const OpenRequest* find_named(const Requests& requests,
                              const Broker& broker,
                              const Named& it,
                              std::string_view requester) {
    const OpenRequest* best = nullptr;
    int looked = 0;
    visit_named(requests, it, [&](const OpenRequest& request) {
        ++looked;
        if (requester.empty() || request.asked->from() == requester) {
            const auto* question = find_message(broker, request.ticket);
            const bool is_handed_over =
                !request.is_held && (question == nullptr || was_handed(*question));
            // An agent that was not handed the request can mean it only by id. A request that waits
            // for approval is found by every name if nothing else is: its target must not answer
            // yet either.
            const bool is_meant = is_handed_over || request.is_held || is_exact(it.name.by);
            if (is_meant && (is_handed_over || best == nullptr)) best = &request;
            if (is_handed_over) return true;
        }
        return looked == kNamesakesMax;
    });
    return best;
}

/// The table holds the oldest request of a name; most names have no other.
void add_name(Requests& requests, const Named& it, Slot slot) {
    auto* oldest = find_oldest(requests, it);
    if (oldest == nullptr) {
        requests.names.add({.hash = it.half(), .slot = slot});
        return;
    }
    const auto ticket = [&](Slot of) { return requests.open[of].ticket; };
    if (ticket(slot) < ticket(oldest->slot)) std::swap(slot, oldest->slot);
    if (slot != oldest->slot) requests.namesakes.emplace(it.hash, ticket(slot));
}

void drop_name(Requests& requests, const Named& it, Slot slot) {
    auto* row =
        requests.names.find(it.place(), [&](const HashedSlot& each) { return each.slot == slot; });
    const auto next = requests.namesakes.lower_bound({it.hash, Ticket{}});
    const bool has_next = next != requests.namesakes.end() && next->first == it.hash;
    if (row == nullptr) {
        requests.namesakes.erase({it.hash, requests.open[slot].ticket});
    } else if (has_next) {
        row->slot = requests.slots.find(next->second.value, ticket_of(requests.open));
        requests.namesakes.erase({it.hash, next->second});
    } else {
        requests.names.remove(row);
    }
}

template <class Do>
void for_each_name(const RequestNames& names, const HashKey& key, Do what) {
    for (const auto& name : names.in_replies) {
        if (!name.name.empty()) what(named(key, name), true);
    }
    for (const auto& name : names.in_orders) {
        if (!name.name.empty()) what(named(key, name), false);
    }
}

void add_names(Requests& requests, const HashKey& key, Slot slot) {
    const auto names = names_of_request(*requests.open[slot].asked);
    for_each_name(names, key, [&](const Named& it, bool) { add_name(requests, it, slot); });
}

void drop_names(Requests& requests, DedupWindow& window, const HashKey& key, Slot slot) {
    const auto ticket = requests.open[slot].ticket;
    const auto names = names_of_request(*requests.open[slot].asked);
    for_each_name(names, key, [&](const Named& it, bool is_in_replies) {
        drop_name(requests, it, slot);
        if (is_in_replies) remember_closed(window, it.hash, ticket);
    });
}

/// What a request adds to `adrift_bytes`.
std::uint64_t adrift_bytes_of(const OpenRequest& request) {
    return request.is_adrift ? request.asked->body().size() : 0;
}

/// Applies a change to a request and keeps `adrift_bytes` right.
template <class Change>
void change(Requests& requests, Slot slot, Change change) {
    auto& request = requests.open[slot];
    requests.adrift_bytes -= adrift_bytes_of(request);
    change(request);
    requests.adrift_bytes += adrift_bytes_of(request);
}

/// The request's row in `tasks`, if its task is not just its workflow.
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
    const auto slot = requests.slots.find(ticket.value, ticket_of(requests.open));
    return slot == kNoSlot ? nullptr : &requests.open[slot];
}

Time deadline_of(const Requests& requests, const OpenRequest& request) {
    return requests.deadlines.at(request.place).at;
}

std::vector<const OpenRequest*> find_meant(const Requests& requests,
                                           const HashKey& key,
                                           std::string_view id) {
    std::map<Ticket, const OpenRequest*> meant;
    if (id.empty()) return {};
    for (const auto& name : {by_id(id), by_workflow(id)}) {
        visit_named(requests, named(key, name), [&](const OpenRequest& request) {
            meant.emplace(request.ticket, &request);
            return false;
        });
    }
    std::vector<const OpenRequest*> found;
    found.reserve(meant.size());
    for (const auto& [ticket, request] : meant) found.push_back(request);
    return found;
}

std::vector<const OpenRequest*> find_shown(const Requests& requests,
                                           const HashKey& key,
                                           std::string_view responder,
                                           std::string_view id) {
    std::vector<const OpenRequest*> found;
    if (id.empty()) return found;
    const RequestName name{.by = NamedBy::Shown, .responder = responder, .name = id};
    visit_named(requests, named(key, name), [&](const OpenRequest& request) {
        found.push_back(&request);
        return false;
    });
    return found;
}

const OpenRequest* find_asked(const Requests& requests,
                              const HashKey& key,
                              std::string_view requester,
                              std::string_view id) {
    const OpenRequest* found = nullptr;
    if (id.empty()) return found;
    int looked = 0;
    visit_named(requests, named(key, by_id(id)), [&](const OpenRequest& request) {
        if (request.asked->from() == requester) found = &request;
        return found != nullptr || ++looked == kNamesakesMax;
    });
    return found;
}

const OpenRequest* find_answered(const Requests& requests,
                                 const Broker& broker,
                                 const HashKey& key,
                                 const Envelope& reply) {
    for (const auto& name : names_in_reply(reply)) {
        if (name.name.empty()) continue;
        const auto* request = find_named(requests, broker, named(key, name), reply.to());
        if (request != nullptr) return request;
        if (name.by == NamedBy::Shown) return nullptr;  // A shown id means exactly one request.
    }
    return nullptr;
}

Ticket find_ended(const DedupWindow& window, const HashKey& key, const Envelope& reply) {
    for (const auto& name : names_in_reply(reply)) {
        if (name.name.empty()) continue;
        const auto ticket = find_closed(window, request_key(key, name));
        if (ticket != Ticket{}) return ticket;
    }
    return {};
}

Ticket find_ended_by_id(const DedupWindow& window, const HashKey& key, const Envelope& reply) {
    for (const auto& name : names_in_reply(reply)) {
        if (!is_exact(name.by) || name.name.empty()) continue;
        const auto ticket = find_closed(window, request_key(key, name));
        if (ticket != Ticket{}) return ticket;
    }
    return {};
}

void open_request(Requests& requests, const HashKey& key, OpenRequest request, Time deadline) {
    const auto ticket = request.ticket;
    if (const auto place = place_by_task(key, *request.asked, ticket)) {
        requests.tasks.insert(*place);
    }
    const Slot slot = requests.open.add(std::move(request));
    requests.slots.add(ticket.value, slot);
    add_names(requests, key, slot);
    requests.deadlines.set({.at = deadline, .owner = slot}, mark_of(requests));
}

void close_request(Requests& requests, DedupWindow& window, const HashKey& key, Ticket ticket) {
    const Slot slot = slot_of(requests, ticket);
    drop_names(requests, window, key, slot);
    if (const auto place = place_by_task(key, *requests.open[slot].asked, ticket)) {
        requests.tasks.erase(*place);
    }
    requests.adrift_bytes -= adrift_bytes_of(requests.open[slot]);
    requests.deadlines.remove(slot, mark_of(requests));
    requests.slots.remove(ticket.value, ticket_of(requests.open));
    requests.open.remove(slot);
}

void readdress(Requests& requests,
               DedupWindow& window,
               const HashKey& key,
               const MessageMoved& event) {
    const Slot slot = slot_of(requests, event.ticket);
    drop_names(requests, window, key, slot);
    change(requests, slot, [&](OpenRequest& request) {
        request.asked = event.envelope;
        request.priority = event.priority;
        request.had_time = false;
    });
    add_names(requests, key, slot);
}

void set_deadline(Requests& requests, Ticket ticket, Time deadline) {
    const Slot slot = slot_of(requests, ticket);
    requests.deadlines.set({.at = deadline, .owner = slot}, mark_of(requests));
}

void reword(Requests& requests, Ticket ticket, const EnvelopePtr& asked) {
    change(
        requests, slot_of(requests, ticket), [&](OpenRequest& request) { request.asked = asked; });
}

void set_adrift(Requests& requests, Ticket ticket, bool is_adrift, Retries retries) {
    const auto slot = requests.slots.find(ticket.value, ticket_of(requests.open));
    if (slot == kNoSlot) return;
    change(requests, slot, [&](OpenRequest& request) {
        request.is_adrift = is_adrift;
        request.attempt = retries.attempt;
        request.retry_count_max = retries.count_max;
    });
}

void set_held(Requests& requests, Ticket ticket, bool is_held) {
    requests.open[slot_of(requests, ticket)].is_held = is_held;
}

void note_time(Requests& requests, Ticket ticket) {
    requests.open[slot_of(requests, ticket)].had_time = true;
}

void set_wait(Requests& requests, Ticket ticket, bool waits) {
    requests.open[slot_of(requests, ticket)].waits = waits;
}

}  // namespace parlance::core::broker
