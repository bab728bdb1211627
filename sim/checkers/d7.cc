// D7: a message past its ttl is never delivered, and the expiry is on record no later than one tick
// after the ttl. The world's clock judges both: a hub whose own time stands still would deliver
// messages long past their ttl and record a time before the ttl.
#include <map>
#include <set>
#include <string>

#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

class Ttl {
  public:
    Ttl(const Book& book, Findings& findings) : book_(book), findings_(findings), walker_(book) {}

    void run() {
        walker_.walk([&](const Entry& entry) { before(entry); });
        // Checks the effects too: a delivery may lack a record, or leave later than its record
        // says.
        for (const auto& shown : book_.history->shown) {
            const auto* deliver = std::get_if<Deliver>(&shown.effect);
            if (deliver == nullptr) continue;
            const auto copy = book_.copies.find(deliver->delivery.ticket);
            if (copy == book_.copies.end() || revived_.contains(copy->first)) continue;
            if (is_past(copy->second, shown.world)) find(copy->second, "was sent after its ttl");
        }
    }

  private:
    /// Judged at the decision: a record held up by a full disk was decided when the pause began.
    bool is_past(const Copy& copy, Time world) const {
        const auto decided = book_.clock.pause_began(world);
        return copy.expires_at != Time{} && copy.expires_at <= book_.clock.hub_time(decided);
    }

    void before(const Entry& entry) {
        const auto* standing = walker_.find(ticket_of(entry.event));
        if (standing == nullptr) return;
        const auto& copy = *standing->copy;
        const bool is_granted = std::holds_alternative<LeaseGranted>(entry.event);
        if (std::holds_alternative<DeadLetterRedelivered>(entry.event) ||
            (is_granted && !standing->has_ttl)) {
            revived_.insert(copy.ticket);
        }
        if (is_granted && standing->has_ttl && is_past(copy, entry.world)) {
            find(copy, "was handed over after its ttl");
        }
        if (std::holds_alternative<DeliveryAcknowledged>(entry.event) &&
            standing->stage != Stage::Leased) {
            find(copy, "is gone without a record of its expiry");
        }
        // A leased message, or a message behind others of its task, expires when its turn comes.
        const bool waits_alone = standing->stage != Stage::Leased && walker_.lane(copy).empty();
        if (std::holds_alternative<MessageExpired>(entry.event) && waits_alone) {
            expect_in_time(*standing, entry);
        }
        since_[copy.ticket] = entry.world;
    }

    /// A message moved after a timely acknowledgement is kept until its request's deadline.
    Time due_of(const Standing& standing) const {
        const auto& copy = *standing.copy;
        const auto request = book_.requests.find(copy.ticket);
        const bool has_deadline =
            !standing.has_ttl && !copy.moves.empty() && request != book_.requests.end();
        return has_deadline ? request->second.deadline : copy.expires_at;
    }

    /// Expects the expiry within a tick, counted from the message's previous record at the
    /// earliest.
    void expect_in_time(const Standing& standing, const Entry& entry) {
        const auto& copy = *standing.copy;
        const auto& accepted = book_.history->journal[copy.records.front()];
        const auto since = since_.try_emplace(copy.ticket, accepted.world).first->second;
        const auto opportunity = book_.clock.first_opportunity(due_of(standing), since);
        if (opportunity == Time::max() || entry.world <= opportunity + kTick) return;
        find(copy,
             "expired " + std::to_string((entry.world - opportunity).count()) +
                 " ms before that was on record, by the world's clock");
    }

    void find(const Copy& copy, const std::string& what) {
        findings_.push_back({"D7", name_of(copy) + " " + what, copy.ticket});
    }

    const Book& book_;
    Findings& findings_;
    Walker walker_;
    std::map<Ticket, Time> since_;  ///< World time of each message's last record.
    /// Messages without a ttl: redelivered dead letters, and messages moved after a timely
    /// acknowledgement.
    std::set<Ticket> revived_;
};

}  // namespace

void check_d7(const Book& book, Findings& findings) { Ttl{book, findings}.run(); }

}  // namespace parlance::sim
