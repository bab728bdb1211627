#include "core/endings.h"

#include <algorithm>

#include "base/match.h"

namespace parlance::core {

namespace {

Ending request(Ticket ticket) { return {Thing::Request, ticket.value}; }
Ending copy(Ticket ticket) { return {Thing::Copy, ticket.value}; }
Ending human_task(Ticket ticket) { return {Thing::HumanTask, ticket.value}; }

Ending ended_by(const Event& event) {
    return match(
        event,
        [](const RequestAnswered& e) { return request(e.request); },
        [](const RequestFailed& e) { return request(e.request); },
        [](const DeliveryAcknowledged& e) { return copy(e.ticket); },
        [](const MessageDropped& e) { return copy(e.ticket); },
        [](const MessageExpired& e) { return copy(e.ticket); },
        [](const MessageDeadLettered& e) { return copy(e.ticket); },
        [](const DeadLetterDiscarded& e) { return copy(e.ticket); },
        [](const HumanAnswered& e) { return e.awaits_another ? Ending{} : human_task(e.id); },
        [](const HumanLapsed& e) { return human_task(e.id); },
        [](const HumanWithdrawn& e) { return human_task(e.id); },
        [](const WorkflowEnded& e) {
            return Ending{Thing::Run, e.run.value};
        },
        [](const DelegationTreeEnded& e) {
            return Ending{Thing::Tree, e.root.value};
        },
        [](const CallEnded& e) {
            return Ending{Thing::Call, e.call.value};
        },
        [](const auto&) { return Ending{}; });
}

/// The thing that must not have ended before this event is applied, if the event ends nothing
/// itself.
Ending needed_by(const Event& event) {
    return match(
        event,
        [](const DeliveryReturned& e) { return copy(e.ticket); },
        [](const RequestCancelled& e) { return request(e.request); },
        [](const RequestReleased& e) { return request(e.request); },
        [](const PassingRefused& e) { return request(e.request); },
        [](const MessageMoved& e) { return request(e.ticket); },
        [](const auto&) { return Ending{}; });
}

}  // namespace

bool Endings::contains(const Ending& ending) const {
    const auto* const end = few_.begin() + few_count_;
    return std::find(few_.begin(), end, ending) != end ||
           (!more_.empty() && more_.contains(ending));
}

void Endings::insert(const Ending& ending) {
    if (few_count_ < few_.size()) {
        few_[few_count_++] = ending;
    } else {
        more_.insert(ending);
    }
}

bool Endings::note(const Event& event) {
    const auto ending = ended_by(event);
    if (ending.thing == Thing::None) {
        const bool is_first = few_count_ == 0;  // Then nothing can have ended.
        return is_first || !contains(needed_by(event));
    }
    if (contains(ending)) return false;
    insert(ending);
    // An answer takes its question out of the mailbox.
    if (std::holds_alternative<RequestAnswered>(event)) insert({Thing::Copy, ending.number});
    return true;
}

}  // namespace parlance::core
