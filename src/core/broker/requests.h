// Requests that await their answer, and the names by which a reply may call them.
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
#include "core/broker/dedup_window.h"
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
    bool waits = false;  ///< The requester's connection waits; else the answer goes to its mailbox.
    bool is_adrift = false;  ///< Its message is in no mailbox.
    bool had_time = false;   ///< The holder was handed it with a fair time left to answer.
    bool is_held = false;    ///< People must approve first: the target must not answer yet (W9).
    std::uint8_t retry_count_max = 0;  ///< Of the message, while it is in no mailbox.
    std::uint16_t attempt = 0;  ///< Of the message's last delivery, while it is in no mailbox.
};
static_assert(sizeof(OpenRequest) == 32);

struct Requests {
    Slab<OpenRequest> open;
    SlotMap slots;      ///< By ticket.
    HashedSlots names;  ///< The oldest request of each name; the request holds the name itself.
    /// Younger requests of a name, by request_key.
    SortedChunks<std::pair<std::uint64_t, Ticket>> namesakes;
    /// Requests with a task besides their workflow.
    SortedChunks<std::pair<std::uint64_t, Ticket>> tasks;
    Agenda deadlines;  ///< Each request's deadline, kept only here.
    /// Of the requests in no mailbox, and of the words kept beside held requests.
    std::uint64_t adrift_bytes = 0;
};

const OpenRequest* find_request(const Requests& requests, Ticket ticket);
/// When the answer is due.
Time deadline_of(const Requests& requests, const OpenRequest& request);

/// The open requests of a task, where the task is not just the workflow; the oldest first.
std::vector<const OpenRequest*> find_of_task(const Requests& requests,
                                             const HashKey& key,
                                             std::string_view task);

/// All open requests with this id or of this workflow, of any requester; the oldest first.
std::vector<const OpenRequest*> find_meant(const Requests& requests,
                                           const HashKey& key,
                                           std::string_view id);

/// Open requests that this agent has to answer and sees under this id; the oldest first.
std::vector<const OpenRequest*> find_shown(const Requests& requests,
                                           const HashKey& key,
                                           std::string_view responder,
                                           std::string_view id);

/// The open request of this requester under this id, whoever has to answer.
const OpenRequest* find_asked(const Requests& requests,
                              const HashKey& key,
                              std::string_view requester,
                              std::string_view id);

/// The open request that `reply` answers, by the id in the reply, else its task, else its workflow.
/// Of a task or a workflow: the oldest request that was handed over, else a request that waits for
/// approval and must not be answered yet.
const OpenRequest* find_answered(const Requests& requests,
                                 const Broker& broker,
                                 const HashKey& key,
                                 const Envelope& reply);
/// The request that `reply` would have answered had the request not ended; none if no such request
/// was.
Ticket find_ended(const DedupWindow& window, const HashKey& key, const Envelope& reply);
/// As find_ended(), but only by the request's id.
Ticket find_ended_by_id(const DedupWindow& window, const HashKey& key, const Envelope& reply);

void open_request(Requests& requests, const HashKey& key, OpenRequest request, Time deadline);
/// Ends a request and remembers its names, so that a late reply is recognised.
void close_request(Requests& requests, DedupWindow& window, const HashKey& key, Ticket ticket);
/// Gives a request to another agent; a reply of the previous holder is then too late.
void readdress(Requests& requests,
               DedupWindow& window,
               const HashKey& key,
               const MessageMoved& event);
/// Moves the time when the answer is due.
void set_deadline(Requests& requests, Ticket ticket, Time deadline);
/// Replaces the request's envelope; sender, recipient and id stay the same.
void reword(Requests& requests, Ticket ticket, const EnvelopePtr& asked);
/// Sets whether the request's message is in no mailbox: people must approve first, or the holder
/// took the message out and owes the answer. Does nothing if the request is not open. `retries`
/// is kept for the next mailbox of a message that is taken out.
struct Retries {
    std::uint16_t attempt = 0;  ///< Of the last delivery.
    std::uint8_t count_max = 0;
};
void set_adrift(Requests& requests, Ticket ticket, bool is_adrift, Retries retries = {});
/// Sets whether the request waits for people's approval.
void set_held(Requests& requests, Ticket ticket, bool is_held);
/// Notes that the holder was handed the request with a fair time left: a timeout is the holder's
/// failure then.
void note_time(Requests& requests, Ticket ticket);
/// Sets whether the requester's connection waits for the answer.
void set_wait(Requests& requests, Ticket ticket, bool waits);

}  // namespace parlance::core::broker
