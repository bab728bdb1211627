// Requests that await their one answer, and the names a reply may call them by.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/agenda.h"
#include "base/flat_table.h"
#include "base/slab.h"
#include "base/slot_map.h"
#include "base/sorted_chunks.h"
#include "core/broker/broker.h"
#include "core/broker/memory.h"
#include "core/handles.h"
#include "core/keys.h"
#include "model/envelope.h"
#include "model/message.h"

namespace parlance::core::broker {

struct OpenRequest {
    Ticket ticket;
    EnvelopePtr asked;
    AgendaPlace place = kNotOnAgenda;
    AgentHandle requester = kNoAgent;
    Priority priority = Priority::Normal;
    bool waits = false;      ///< The asker holds the line; else the answer goes to its mailbox.
    bool is_adrift = false;  ///< Its question stands in no mailbox.
    bool had_time = false;   ///< Who has it was handed it with a fair time left to answer.
    bool is_held = false;    ///< People are asked first: its target must not answer it yet (W9).
};
static_assert(sizeof(OpenRequest) == 32);

struct Requests {
    Slab<OpenRequest> open;
    SlotMap slots;      ///< By ticket.
    HashedSlots names;  ///< The oldest of each name; what it is, the request says.
    SortedChunks<std::pair<std::uint64_t, Ticket>> namesakes;  ///< Younger ones, by request_key.
    SortedChunks<std::pair<std::uint64_t, Ticket>> tasks;      ///< Those with a task of their own.
    Agenda deadlines;                ///< Each has one, and it stands only here.
    std::uint64_t adrift_bytes = 0;  ///< Of the questions that stand in no mailbox.
};

const OpenRequest* find_request(const Requests& requests, Ticket ticket);
/// By when its answer is due.
Time deadline_of(const Requests& requests, const OpenRequest& request);

/// The open requests of a task that is not just their workflow, the oldest first.
std::vector<const OpenRequest*> find_of_task(const Requests& requests,
                                             const HashKey& key,
                                             std::string_view task);

/// All open requests of this id or of this workflow, whoever asks whom; the oldest first.
std::vector<const OpenRequest*> find_meant(const Requests& requests,
                                           const HashKey& key,
                                           std::string_view id);

/// Those that this agent has to answer and that are shown to it under this id; the oldest first.
std::vector<const OpenRequest*> find_shown(const Requests& requests,
                                           const HashKey& key,
                                           std::string_view responder,
                                           std::string_view id);

/// The open request of this requester under this id, whoever has to answer it.
const OpenRequest* find_asked(const Requests& requests,
                              const HashKey& key,
                              std::string_view requester,
                              std::string_view id);

/// The open request that `reply` answers, by the id it gives, else its task, else its workflow.
/// Of a task or a workflow it is the oldest whose question was handed over. Where there is
/// no such one, it can be one that waits for people, which is not to be answered yet.
const OpenRequest* find_answered(const Requests& requests,
                                 const Broker& broker,
                                 const HashKey& key,
                                 const Envelope& reply);
/// The request that `reply` would have answered had it not ended; none if there never was one.
Ticket find_ended(const Memory& memory, const HashKey& key, const Envelope& reply);
/// The same, only if it is named by its id.
Ticket find_ended_by_id(const Memory& memory, const HashKey& key, const Envelope& reply);

void open_request(Requests& requests, const HashKey& key, OpenRequest request, Time deadline);
/// Ends it, and remembers its names so that a late reply is recognised as one.
void close_request(Requests& requests, Memory& memory, const HashKey& key, Ticket ticket);
/// Another agent has it to answer; what the one before says is too late.
void readdress(Requests& requests, Memory& memory, const HashKey& key, const MessageMoved& event);
/// Moves the time by which its answer is due.
void set_deadline(Requests& requests, Ticket ticket, Time deadline);
/// It says something else than it did, to and from the same under the same id.
void reword(Requests& requests, Ticket ticket, const EnvelopePtr& asked);
/// Its question stands in no mailbox, or in one again: people are asked first, or whoever has it
/// took it out and owes the answer. Nothing if no such request is open.
void set_adrift(Requests& requests, Ticket ticket, bool is_adrift);
/// People are asked whether its target gets it, or have said yes.
void set_held(Requests& requests, Ticket ticket, bool is_held);
/// Who has it now had a fair time for it, and cannot say that it was asked too late.
void note_time(Requests& requests, Ticket ticket);
/// Whether its asker holds the line.
void set_wait(Requests& requests, Ticket ticket, bool waits);

}  // namespace parlance::core::broker
