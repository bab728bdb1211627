// G8: time advances, whatever the wall clock does, over restarts too. The time of every record is
// the hub time of the world's clocks, no earlier and no later; and a lease ends at its time, within
// one tick of the world's clock. The checkers of W1 and D7 hold deadlines and ttls to the same
// clock.
#include <algorithm>
#include <map>
#include <string>

#include "base/match.h"
#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

class Clocks {
  public:
    Clocks(const Book& book, Findings& findings) : book_(book), findings_(findings) {}

    void run() {
        for (const auto& entry : book_.history->journal) {
            if (!is_off_) expect_time(entry);
            follow(entry);
        }
    }

  private:
    void expect_time(const Entry& entry) {
        // A record held up by a full disk was decided when the pause began.
        const auto earliest = book_.clock.hub_time(book_.clock.pause_began(entry.world));
        const auto latest = book_.clock.hub_time(entry.world);
        if (entry.at + kTick >= std::min(earliest, latest) && entry.at <= latest + kTick) return;
        is_off_ = true;  // All later records are off by as much.
        const auto off = (entry.at - latest).count();
        findings_.push_back({"G8",
                             "record " + std::to_string(entry.sequence.value) + " is of " +
                                 std::to_string(off < 0 ? -off : off) + " ms " +
                                 (off < 0 ? "before" : "after") + " the hub time that it must be",
                             {}});
    }

    void follow(const Entry& entry) {
        match(
            entry.event,
            [&](const LeaseGranted& e) { hold(e.ticket, e.until, entry); },
            [&](const LeaseExtended& e) { hold(e.ticket, e.until, entry); },
            [&](const ProgressReported& e) { hold(e.ticket, e.until, entry); },
            [&](const DeliveryAcknowledged& e) { let_go(e.ticket, entry); },
            [&](const DeliveryReturned& e) { let_go(e.ticket, entry); },
            [&](const MessageDropped& e) { let_go(e.ticket, entry); },
            [&](const MessageExpired& e) { let_go(e.ticket, entry); },
            [&](const MessageDeadLettered& e) { let_go(e.ticket, entry); },
            [&](const MessageMoved& e) { let_go(e.ticket, entry); },
            [&](const RequestAnswered& e) { let_go(e.request, entry); },
            [](const auto&) {});
    }

    void hold(Ticket ticket, Time until, const Entry& entry) {
        let_go(ticket, entry);
        if (until != Time{}) leases_[ticket] = {entry.world, until};
    }

    void let_go(Ticket ticket, const Entry& entry) {
        const auto lease = leases_.find(ticket);
        if (lease == leases_.end()) return;
        const auto opportunity =
            book_.clock.first_opportunity(lease->second.until, lease->second.since);
        leases_.erase(lease);
        if (opportunity == Time::max() || entry.world <= opportunity + kTick) return;
        findings_.push_back({"G8",
                             "a lease ended " +
                                 std::to_string((entry.world - opportunity).count()) +
                                 " ms after its time, by the world's clock",
                             ticket});
    }

    struct Lease {
        Time since{};  ///< By the world's clock.
        Time until{};  ///< Hub time.
    };

    const Book& book_;
    Findings& findings_;
    std::map<Ticket, Lease> leases_;
    bool is_off_ = false;
};

}  // namespace

void check_time_goes_on(const Book& book, Findings& findings) { Clocks{book, findings}.run(); }

}  // namespace parlance::sim
