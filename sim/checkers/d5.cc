// D5: an ack, nack, extension, progress or reply carries its delivery's token; a stale token
// changes nothing. So every effect of a settlement on a lease was requested with the token of
// exactly that lease, and no settlement was confirmed more often than the lease has records of the
// settlement.
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/match.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/sent.h"

namespace parlance::sim {

namespace {

enum class Kind { Ack, Nack, Extension, Progress, Reply, None };

/// Names for findings, in the order of the kinds.
constexpr std::array<const char*, 5> kNames{"ack", "nack", "extension", "progress", "reply"};

/// A settlement: its kind and its delivery.
struct Settlement {
    Kind kind = Kind::None;
    Ticket ticket{};
    std::uint32_t attempt = 0;
    auto operator<=>(const Settlement&) const = default;
};

Settlement settlement_of(const Command& command) {
    const auto make = [](Kind kind, const DeliveryToken& token) {
        return Settlement{kind, token.ticket, token.attempt};
    };
    return match(
        command,
        [&](const AckDelivery& c) { return make(Kind::Ack, c.delivery); },
        [&](const NackDelivery& c) { return make(Kind::Nack, c.delivery); },
        [&](const ExtendLease& c) { return make(Kind::Extension, c.delivery); },
        [&](const ReportProgress& c) { return make(Kind::Progress, c.delivery); },
        [&](const ReplyToDelivery& c) { return make(Kind::Reply, c.delivery); },
        [&](const RefuseReply& c) {
            return c.reply ? Settlement{} : make(Kind::Reply, c.delivery);
        },
        [](const auto&) { return Settlement{}; });
}

bool is_nack(DeliveryFailure failure) {
    return failure == DeliveryFailure::Nacked || failure == DeliveryFailure::Rejected;
}

class Tokens {
  public:
    Tokens(const Book& book, Findings& findings)
        : book_(book), history_(*book.history), findings_(findings) {}

    void run() {
        for (const auto& asked : history_.asked) {
            asked_.insert(settlement_of(asked.command));
            const auto* send = message_of(asked.command);
            if (send != nullptr) {
                sent_.emplace(send->envelope->from(), send->envelope->id());
                if (send->envelope->intent() == Intent::Reply) {
                    replied_.emplace(send->envelope->from(), send->envelope->answers());
                }
            }
            const auto* refused = std::get_if<RefuseReply>(&asked.command);
            if (refused == nullptr || refused->reply == nullptr) continue;
            refused_.emplace(refused->reply->from(), refused->reply->answers());
        }
        for (const auto& entry : history_.journal) read(entry);
        for (const auto& shown : history_.shown) {
            match(
                shown.effect,
                [&](const TellDone& told) { worked(told.reply_target); },
                [&](const TellAccepted& told) { worked(told.reply_target); },
                [](const auto&) {});
        }
    }

  private:
    void read(const Entry& entry) {
        match(
            entry.event,
            [&](const LeaseGranted& e) { in_force_[e.ticket] = e.attempt; },
            [&](const DeliveryAcknowledged& e) {
                if (was_refused(e.ticket)) {
                    for (const auto kind : {Kind::Ack, Kind::Reply}) count(kind, e.ticket);
                    return void(in_force_.erase(e.ticket));
                }
                settled({Kind::Ack, Kind::Reply}, e.ticket);
            },
            [&](const DeliveryReturned& e) { ended(e.ticket, e.failure); },
            [&](const MessageDropped& e) { ended(e.ticket, e.failure); },
            [&](const MessageDeadLettered& e) { ended(e.ticket, e.failure); },
            [&](const MessageExpired& e) {
                count(Kind::Nack,
                      e.ticket);  // A nack after the ttl expires the message instead of a retry.
                in_force_.erase(e.ticket);
            },
            // The agent's refusal is settled; another agent gets the request next.
            [&](const PassingRefused& e) {
                if (e.reply) count(Kind::Reply, e.request);
            },
            [&](const MessageMoved& e) { in_force_.erase(e.ticket); },
            // A restart extends leases on its own.
            [&](const LeaseExtended& e) { count(Kind::Extension, e.ticket); },
            [&](const ProgressReported& e) { happened({Kind::Progress}, e.ticket); },
            [&](const RequestAnswered& e) {
                const bool is_sent = sent_.contains(
                    {std::string{e.envelope->from()}, std::string{e.envelope->id()}});
                is_sent ? count(Kind::Reply, e.request) : happened({Kind::Reply}, e.request);
                in_force_.erase(e.request);
            },
            [](const auto&) {});
    }

    /// True if a reply to the request broke the rules and named the request instead of a token.
    bool was_refused(Ticket ticket) const {
        const auto request = book_.requests.find(ticket);
        if (request == book_.requests.end()) return false;
        const auto& asked = *request->second.asked;
        // An agent that answers a handoff or help request may not hold the request any more.
        if (book_.passes.contains(ticket) &&
            replied_.contains({std::string{asked.to()}, std::string{asked.id()}})) {
            return true;
        }
        return refused_.contains({std::string{asked.to()}, std::string{asked.id()}});
    }

    void count(Kind kind, Ticket ticket) {
        const auto lease = in_force_.find(ticket);
        if (lease != in_force_.end()) ++records_[{kind, ticket, lease->second}];
    }

    /// Expects that a caller requested one of these kinds of settlement for the lease in force.
    void happened(std::initializer_list<Kind> kinds, Ticket ticket) {
        const auto lease = in_force_.find(ticket);
        if (lease == in_force_.end()) return;
        bool was_asked = false;
        for (const auto kind : kinds) {
            count(kind, ticket);
            was_asked = was_asked || asked_.contains({kind, ticket, lease->second});
        }
        if (was_asked) return;
        report({*kinds.begin(), ticket, lease->second}, "is on record, and nobody asked for it");
    }

    void settled(std::initializer_list<Kind> kinds, Ticket ticket) {
        happened(kinds, ticket);
        in_force_.erase(ticket);
    }

    void ended(Ticket ticket, DeliveryFailure failure) {
        if (is_nack(failure)) return settled({Kind::Nack}, ticket);
        // The last attempt may have ended by a nack or by itself.
        if (failure == DeliveryFailure::RetriesExhausted) count(Kind::Nack, ticket);
        in_force_.erase(ticket);
    }

    void worked(ReplyTarget reply_target) {
        if (reply_target == ReplyTarget{}) return;
        const auto settlement = settlement_of(history_.asked[reply_target.value - 1].command);
        if (settlement.kind == Kind::None) return;
        if (++told_[settlement] <= records_[settlement]) return;
        report(settlement, "was told to have worked, but not on this delivery");
    }

    void report(const Settlement& settlement, const std::string& what) {
        findings_.push_back({"D5",
                             std::string{kNames.at(static_cast<std::size_t>(settlement.kind))} +
                                 " with token " + std::to_string(settlement.ticket.value) + "." +
                                 std::to_string(settlement.attempt) + " " + what,
                             settlement.ticket});
    }

    const Book& book_;
    const History& history_;
    Findings& findings_;
    std::set<std::pair<std::string, std::string>> refused_;  ///< Invalid replies: sender, request.
    std::set<std::pair<std::string, std::string>> replied_;  ///< Replies by message: the same.
    std::set<Settlement> asked_;
    std::set<std::pair<std::string, std::string>> sent_;  ///< Messages: sender, id.
    std::map<Ticket, std::uint32_t> in_force_;
    std::map<Settlement, std::uint64_t> records_;
    std::map<Settlement, std::uint64_t> told_;
};

}  // namespace

void check_d5(const Book& book, Findings& findings) { Tokens{book, findings}.run(); }

}  // namespace parlance::sim
