// A1: everything told to the outside has exactly one record, which was durable before.
#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/match.h"
#include "core/handles.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/sent.h"

namespace parlance::sim {

namespace {

/// The reason that the hub records for requests cancelled by a stop of the fleet.
constexpr std::string_view kByStop = "the fleet was stopped: ";

using Delivery = std::tuple<Ticket, std::uint32_t, InstanceNumber>;

/// A refusal: the caller, the id of the message or agent or the token of the delivery, and the
/// reason. A refusal of credit has an empty id.
using No = std::tuple<std::string, std::string, Refusal>;

/// An action on an order: the action, the caller, the object.
using Deed = std::tuple<std::string, std::string, std::string>;

/// A cancellation on an order, and the ids by which the order may name the request. An order
/// cancels all matches and the delegations made for them, so an order may have several entries.
struct CalledOff {
    Sequence sequence{};
    Sequence since{};  ///< From this record on an order could mean the request.
    std::string by{};
    std::set<std::string> names{};
    Ticket request{};
    Ticket parent{};
    bool is_told = false;
};

std::string name_of(const DeliveryToken& token) {
    return std::to_string(token.ticket.value) + "." + std::to_string(token.attempt);
}

/// The id in a refusal without a message id: the delivery, the dead letter or the agent of the
/// command.
std::string thing_of(const Command& command) {
    return match(
        command,
        [](const AckDelivery& c) { return name_of(c.delivery); },
        [](const NackDelivery& c) { return name_of(c.delivery); },
        [](const ExtendLease& c) { return name_of(c.delivery); },
        [](const ReportProgress& c) { return name_of(c.delivery); },
        [](const ReplyToDelivery& c) { return name_of(c.delivery); },
        [](const RefuseReply& c) { return name_of(c.delivery); },
        [](const RedeliverDeadLetter& c) {
            return name_of({c.ticket, 0});
        },
        [](const DiscardDeadLetter& c) {
            return name_of({c.ticket, 0});
        },
        [](const RegisterAgent& c) { return c.agent.value; },
        [](const RemoveAgent& c) { return c.agent.value; },
        [](const JoinInstance& c) { return c.agent.value; },
        [](const Subscribe& c) { return c.agent.value; },
        [](const Unsubscribe& c) { return c.agent.value; },
        [](const GrantCredit&) { return std::string{}; },
        [](const auto&) { return name_of({}); });
}

/// The deed of an order, if the deed has a record of its own; else an empty deed.
Deed deed_of(const Asked& asked) {
    return match(
        asked.command,
        [&](const ChangePolicy& c) {
            return Deed{"a change of policy", asked.caller, c.settings};
        },
        [&](const StopFleet& c) {
            return Deed{"a stop of the fleet", asked.caller, c.reason};
        },
        [&](const ResumeFleet& c) {
            return Deed{"a resumption", asked.caller, c.reason};
        },
        [&](const AnswerHumanTask& c) {
            return Deed{"a person's answer", asked.caller, std::to_string(c.id.value)};
        },
        [&](const AuthorizeTool& c) {
            return Deed{"the use of a tool", asked.caller, c.agent.value + ' ' + c.tool};
        },
        [](const auto&) { return Deed{}; });
}

class Audit {
  public:
    Audit(const Book& book, Findings& findings)
        : book_(book), history_(*book.history), findings_(findings) {
        for (const auto& entry : history_.journal) index(entry);
    }

    void run() {
        for (const auto& shown : history_.shown) {
            match(
                shown.effect,
                [&](const TellAccepted& told) { accepted(shown, told); },
                [&](const Deliver& deliver) { delivered(shown, deliver); },
                [&](const TellRefused& told) { refused(shown, told); },
                [&](const TellDone& told) { done(shown, told); },
                [&](const TellCancelled& told) {
                    expect_record(
                        shown, cancelled_, told.delivery.ticket, "a delivery was called off");
                },
                [&](const TellJoined& told) {
                    expect_record(shown, joined_, told.instance, "an instance joined");
                },
                [&](const TellAsked& told) {
                    expect_record(shown, asked_at_, told.id, "people were asked");
                },
                [&](const TellStarted& told) {
                    expect_record(shown, started_, told.id, "a workflow was started");
                },
                [&](const TellEnded& told) {
                    expect_record(shown, ended_, told.id, "a workflow was ended");
                },
                [&](const TellAnswer& told) {
                    expect_record(shown, answered_, told.request, "a request was answered");
                },
                [](const auto&) {});
        }
    }

  private:
    void index(const Entry& entry) {
        match(
            entry.event,
            [&](const LeaseGranted& event) {
                ++leases_[{event.ticket, event.attempt, event.instance}];
                leased_at_.insert_or_assign({event.ticket, event.attempt, event.instance},
                                            entry.sequence);
                attempts_.insert_or_assign(event.ticket, event.attempt);
            },
            [&](const InstanceJoined& event) { joined_.emplace(event.instance, entry.sequence); },
            [&](const RequestAnswered& event) { answered_.emplace(event.request, entry.sequence); },
            [&](const RequestFailed& event) { answered_.emplace(event.request, entry.sequence); },
            [&](const DelegationAdmitted& e) {
                const auto& before = accepted_before(entry.sequence.value - 1);
                const auto* accepted = std::get_if<MessageAccepted>(&before);
                const auto* released = std::get_if<RequestReleased>(&before);
                const bool follows = (accepted != nullptr && accepted->ticket == e.request) ||
                                     (released != nullptr && released->request == e.request);
                if (!follows) find("a delegation was admitted apart from its request", e.request);
                if (++admitted_[e.request] > 1) find("a delegation has two records", e.request);
                places_[e.request] = {entry.sequence, e.child_session, e.session, e.parent};
            },
            // A held request is in no tree yet, but stands below the request that it was made for.
            [&](const RequestHeld& e) {
                places_[e.request] = {entry.sequence, e.child_session, e.session, e.parent};
            },
            [&](const PolicyChanged& e) {
                deed({"a change of policy", e.by, e.settings}, entry);
            },
            [&](const FleetStopped& e) {
                deed({"a stop of the fleet", e.by, e.reason}, entry);
            },
            [&](const FleetResumed& e) {
                deed({"a resumption", e.by, e.reason}, entry);
            },
            [&](const RequestCancelled& e) {
                cancelled_.emplace(e.request, entry.sequence);
                call_off(e, entry);
            },
            [&](const HumanAsked& e) {
                asked_at_.emplace(e.id, entry.sequence);
                workflows_.emplace(e.id, e.workflow);
            },
            [&](const HumanAnswered& e) {
                deed({"a person's answer", e.by, std::to_string(e.id.value)}, entry);
            },
            [&](const HumanWithdrawn& e) {
                called_off_.push_back({.sequence = entry.sequence,
                                       .since = asked_at_[e.id],
                                       .by = e.by,
                                       .names = {workflows_[e.id]}});
            },
            [&](const WorkflowStarted& e) {
                started_.emplace(e.id, entry.sequence);
                runs_.emplace(core::ticket_at(entry.sequence), e.id);
            },
            [&](const WorkflowEnded& e) { ended_.emplace(e.id, entry.sequence); },
            [&](const WorkflowUndone& e) {
                called_off_.push_back({.sequence = entry.sequence,
                                       // Since the run began, not since the id was first used: a
                                       // forgotten id may be used again.
                                       .since = core::sequence_of(e.run),
                                       .by = e.by,
                                       .names = {runs_[e.run]}});
            },
            [&](const ToolAuthorized& e) {
                deed({"the use of a tool", e.by, e.agent + ' ' + e.tool}, entry);
            },
            [&](const ToolRefused& e) {
                refusal({e.by, e.tool, e.refusal}, entry);
            },
            [&](const MessageRefused& e) {
                refusal({e.from, e.id, e.refusal}, entry);
            },
            [&](const SettlementRefused& e) {
                refusal({e.by, name_of(e.delivery), e.refusal}, entry);
            },
            [&](const ReplyDropped& e) {
                // A part of an answer has no id, so the refusal names the delivery.
                const auto part = name_of(DeliveryToken{e.request, attempts_[e.request]});
                refusal({e.from, e.id.empty() ? part : e.id, e.refusal}, entry);
            },
            [](const auto&) {});
    }

    /// The acceptance of a delegation: records stored with a request stand between acceptance and
    /// admission.
    const Event& accepted_before(std::size_t index) const {
        const auto is_beside = [](const Event& event) {
            return std::holds_alternative<StatePushed>(event) ||
                   std::holds_alternative<PassingBegan>(event);
        };
        while (index > 1 && is_beside(history_.journal[index - 1].event)) --index;
        return history_.journal[index - 1].event;
    }

    /// The position of a delegation in its tree.
    struct Place {
        Sequence since;
        std::string session;
        std::string out_of;  ///< The session in which the delegation was requested.
        Ticket parent;
    };

    void find(std::string what, Ticket ticket = {}) {
        findings_.push_back({"A1", std::move(what), ticket});
    }

    template <class Key>
    void expect_record(const Shown& shown,
                       const std::map<Key, Sequence>& records,
                       Key key,
                       const std::string& what) {
        const auto found = records.find(key);
        if (found == records.end()) return find(what + " without a record");
        if (found->second > shown.durable) find(what + " before its record was durable");
    }

    void accepted(const Shown& shown, const TellAccepted& told) {
        const auto at = told.sequence.value;
        if (at == 0 || at > history_.journal.size()) {
            return find("a sender was told of record " + std::to_string(at) +
                        ", which does not exist");
        }
        const auto& event = history_.journal[at - 1].event;
        const auto* message = std::get_if<MessageAccepted>(&event);
        const auto* answer = std::get_if<RequestAnswered>(&event);
        const auto* no = std::get_if<PassingRefused>(&event);
        if (message == nullptr && answer == nullptr && (no == nullptr || !no->reply)) {
            return find("a sender was told that record " + std::to_string(at) + " accepted it");
        }
        const auto& envelope = message != nullptr  ? message->envelope
                               : answer != nullptr ? answer->envelope
                                                   : no->reply;
        const auto& asked = history_.asked[told.reply_target.value - 1];
        const auto* send = message_of(asked.command);
        if (send != nullptr && (send->envelope->id() != envelope->id() ||
                                send->envelope->from() != envelope->from())) {
            find("a sender was told of the record of another message", told.ticket);
        }
        if (told.sequence > shown.durable) {
            find("a sender was told before its message was durable", told.ticket);
        }
        const bool is_delegation = send != nullptr && send->claim && send->claim->has_session;
        // A request that waits for approval is admitted on release; each share of a request to all
        // agents is admitted on its own.
        const auto call = book_.calls.find(told.ticket);
        const bool is_for_each = call != book_.calls.end() && call->second == CallKind::All;
        // A request to people, because no agent can help, is in no tree.
        const bool is_peoples = is_for_people(envelope->to());
        if (is_delegation && message != nullptr && !message->is_held && !is_for_each &&
            !is_peoples && !admitted_.contains(message->ticket)) {
            find("a delegation has no place on record", message->ticket);
        }
    }

    void delivered(const Shown& shown, const Deliver& deliver) {
        const auto ticket = deliver.delivery.ticket;
        const Delivery key{ticket, deliver.delivery.attempt, deliver.instance};
        const auto name = "delivery " + std::to_string(ticket.value) + "." +
                          std::to_string(deliver.delivery.attempt);
        const auto lease = leased_at_.find(key);
        if (lease == leased_at_.end()) return find(name + " has no record", ticket);
        if (lease->second > shown.durable) find(name + " left before it was durable", ticket);
        // A redelivered dead letter counts attempts from the beginning.
        if (++shown_[key] > leases_[key]) find(name + " left twice on one record", ticket);
        if (lease->second < last_ && leases_[key] == 1) find(name + " left out of order", ticket);
        if (leases_[key] == 1) last_ = lease->second;
    }

    void call_off(const RequestCancelled& event, const Entry& entry) {
        const auto request = book_.requests.find(event.request);
        // A cancellation by a stop of the fleet is reported as the stop.
        if (request == book_.requests.end() || event.reason.starts_with(kByStop)) return;
        const auto& asked = *request->second.asked;
        CalledOff one{.sequence = entry.sequence,
                      .since = history_.journal[request->second.record].sequence,
                      .by = event.by,
                      .names = {std::string{asked.id()}, std::string{asked.correlation()}},
                      .request = event.request};
        if (const auto place = places_.find(event.request); place != places_.end()) {
            one.since = place->second.since;
            one.names.insert(place->second.session);
            one.parent = place->second.parent;
        }
        // An order that names a finished request means the delegations made for the request.
        for (auto above = places_.find(one.parent); above != places_.end();
             above = places_.find(above->second.parent)) {
            one.names.insert(above->second.session);
            one.names.insert(above->second.out_of);
        }
        called_off_.push_back(std::move(one));
    }

    /// Checks a cancellation reported to a caller. The order did not mean requests accepted after
    /// its first cancellation, nor requests cancelled after the order was answered: those need an
    /// order of their own.
    void told_off(const Shown& shown, const std::string& by, const std::string& id) {
        const auto first = std::ranges::find_if(called_off_, [&](const CalledOff& each) {
            return !each.is_told && each.by == by && each.names.contains(id);
        });
        if (first == called_off_.end()) {
            return find("a cancellation of '" + id + "' by '" + by + "' is not on record");
        }
        if (first->sequence > shown.durable) {
            find("a cancellation was told of before it was durable");
        }
        std::set<Ticket> meant;
        for (auto each = first; each != called_off_.end(); ++each) {
            const bool is_meant = each->names.contains(id) || meant.contains(each->parent);
            if (each->sequence > shown.durable) break;
            if (!is_meant || each->by != by || each->since >= first->sequence) continue;
            each->is_told = true;
            if (each->request != Ticket{}) meant.insert(each->request);
        }
    }

    void deed(const Deed& deed, const Entry& entry) { deeds_[deed].push_back(entry.sequence); }
    void refusal(const No& no, const Entry& entry) { refusals_[no].push_back(entry.sequence); }

    /// A refusal must be on record under the caller's name and the id in question. Refusals for
    /// lack of disk space are not on record: the disk has no room for them.
    void refused(const Shown& shown, const TellRefused& told) {
        if (told.refusal == Refusal::HubStorageFull || told.refusal == Refusal::HubStorageFailed) {
            return;
        }
        const auto& asked = history_.asked[told.reply_target.value - 1];
        const auto thing = told.id.empty() ? thing_of(asked.command) : told.id;
        const auto records = refusals_.find({asked.caller, thing, told.refusal});
        if (records == refusals_.end() || records->second.empty()) {
            return find("'" + asked.caller + "' was told of a refusal of '" + thing +
                        "' that is not on record");
        }
        if (records->second.front() > shown.durable) {
            find("'" + asked.caller + "' was told of a refusal before it was durable");
        }
        records->second.pop_front();
    }

    void done(const Shown& shown, const TellDone& told) {
        if (told.reply_target == ReplyTarget{}) return;
        const auto& asked = history_.asked[told.reply_target.value - 1];
        if (std::holds_alternative<SendMessage>(asked.command)) {
            find("a message was neither accepted nor refused on record");
        }
        if (const auto* const order = std::get_if<CancelRequest>(&asked.command)) {
            return told_off(shown, asked.caller, order->id);
        }
        const auto deed = deed_of(asked);
        if (deed == Deed{}) return;
        auto& records = deeds_[deed];
        if (records.empty()) return find(std::get<0>(deed) + " is not on record");
        if (records.front() > shown.durable) {
            find(std::get<0>(deed) + " was told of before it was durable");
        }
        records.pop_front();
    }

    const Book& book_;
    const History& history_;
    Findings& findings_;
    std::map<Delivery, int> leases_;
    std::map<Delivery, int> shown_;
    std::map<Delivery, Sequence> leased_at_;
    std::map<Ticket, std::uint32_t> attempts_;
    std::map<Ticket, Place> places_;
    std::vector<CalledOff> called_off_;
    std::map<InstanceNumber, Sequence> joined_;
    std::map<Ticket, Sequence> answered_;
    std::map<Ticket, Sequence> cancelled_;
    std::map<Ticket, int> admitted_;
    std::map<Ticket, Sequence> asked_at_;
    std::map<Ticket, std::string> workflows_;
    std::map<std::string, Sequence> started_;
    std::map<std::string, Sequence> ended_;
    std::map<Ticket, std::string> runs_;
    std::map<Deed, std::deque<Sequence>> deeds_;  ///< Records that no caller was told of yet.
    Sequence last_{};
    std::map<No, std::deque<Sequence>> refusals_;  ///< Records that no caller was told of yet.
};

}  // namespace

void check_a1(const Book& book, Findings& findings) { Audit{book, findings}.run(); }

}  // namespace parlance::sim
