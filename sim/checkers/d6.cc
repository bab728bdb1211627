// D6: a message gets no more attempts than allowed, each wait lies inside the configured backoff
// with its jitter, and only after the last attempt the message is a dead letter. After the loss of
// an instance, another instance may try at once. An attempt cut short by a restart does not count,
// and only a restart can cut an attempt short. An attempt that did not reach its agent does not
// count either, but is followed by the same wait. The world's clock judges waits: a shorter wait is
// too early, and a finished wait ends within one tick.
#include <algorithm>
#include <map>

#include "base/match.h"
#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

Duration full_wait(const Limits& limits, std::uint32_t attempt) {
    auto wait = limits.backoff_base;
    for (std::uint32_t i = 1; i < attempt && wait < limits.backoff_max; ++i) {
        wait *= limits.backoff_multiplier;
    }
    return std::min(wait, limits.backoff_max);
}

class Count {
  public:
    Count(const Book& book, Findings& findings)
        : limits_(book.history->limits), clock_(book.clock), findings_(findings), walker_(book) {}

    void run() {
        walker_.walk([&](const Entry& entry) { before(entry); });
    }

  private:
    void before(const Entry& entry) {
        if (std::holds_alternative<HubStarted>(entry.event)) broken_off_ = nullptr;
        const auto* standing = walker_.find(ticket_of(entry.event));
        if (standing == nullptr) return;
        if (!is_at_least_once(standing->copy->priority, standing->copy->is_answer)) return;
        match(
            entry.event,
            [&](const DeliveryReturned& event) { returned(*standing, event, entry.world); },
            [&](const RetryBegan&) { began(*standing, entry.world); },
            [&](const LeaseGranted&) { granted(*standing, entry.world); },
            [&](const MessageDeadLettered& event) { buried(*standing, event); },
            // A redelivered dead letter does not wait for the backoff it died in.
            [&](const DeadLetterRedelivered& event) { waits_.erase(event.ticket); },
            // The backoff was for the previous agent, not for the next.
            [&](const MessageMoved& event) { waits_.erase(event.ticket); },
            [](const auto&) {});
    }

    void returned(const Standing& standing, const DeliveryReturned& event, Time world) {
        waits_[standing.copy->ticket] = {world, event.retry_at};
        if (event.failure == DeliveryFailure::HubRestarted) broken_off_ = standing.copy;
        if (event.failure == DeliveryFailure::HubRestarted ||
            event.failure == DeliveryFailure::InstanceLost)
            return;
        const bool counts = is_counted(event.failure);
        const auto longest = full_wait(limits_, counts ? standing.attempts : event.attempt);
        const auto shortest = longest - longest * limits_.backoff_jitter_percent / 100;
        // A record held up by a full disk was decided when the pause began.
        const auto wait = event.retry_at - clock_.hub_time(world);
        const auto slack = world - clock_.pause_began(world);
        if (wait >= shortest - slack && wait <= longest) return;
        report(*standing.copy,
               "waits " + std::to_string(wait.count()) + " ms after try " +
                   std::to_string(event.attempt) + " instead of " +
                   std::to_string(shortest.count()) + " to " + std::to_string(longest.count()));
    }

    /// A delayed message becomes ready within a tick after its wait.
    void began(const Standing& standing, Time world) {
        const auto wait = waits_.find(standing.copy->ticket);
        if (wait == waits_.end()) return report(*standing.copy, "begins again, and did not wait");
        const auto opportunity = clock_.first_opportunity(wait->second.until, wait->second.since);
        if (opportunity == Time::max() || world <= opportunity + kTick) return;
        report(*standing.copy,
               "waits " + std::to_string((world - opportunity).count()) +
                   " ms longer than its backoff, by the world's clock");
    }

    void granted(const Standing& standing, Time world) {
        const auto& copy = *standing.copy;
        if (standing.attempts > copy.retry_count_max) {
            report(copy,
                   "was tried more often than its " + std::to_string(copy.retry_count_max) +
                       " retries");
        }
        const auto wait = waits_.find(copy.ticket);
        if (wait != waits_.end() && clock_.hub_time(world) < wait->second.until) {
            report(copy, "was tried before its wait was over");
        }
        // After deliveries returned for a restart, the start must be on record before the next
        // grant.
        if (broken_off_ != nullptr) report(*broken_off_, "was broken off, but no start followed");
        broken_off_ = nullptr;
    }

    void buried(const Standing& standing, const MessageDeadLettered& event) {
        if (event.failure != DeliveryFailure::RetriesExhausted) return;
        if (standing.attempts > standing.copy->retry_count_max) return;
        report(*standing.copy,
               "was given up after " + std::to_string(standing.attempts) + " tries of " +
                   std::to_string(standing.copy->retry_count_max + 1));
    }

    void report(const Copy& copy, const std::string& what) {
        findings_.push_back({"D6", name_of(copy) + " " + what, copy.ticket});
    }

    struct Wait {
        Time since{};  ///< By the world's clock.
        Time until{};  ///< Hub time.
    };

    const Limits& limits_;
    const WorldClock& clock_;
    Findings& findings_;
    Walker walker_;
    std::map<Ticket, Wait> waits_;      ///< The latest wait of each message.
    const Copy* broken_off_ = nullptr;  ///< The latest copy returned because of a restart.
};

}  // namespace

void check_d6(const Book& book, Findings& findings) { Count{book, findings}.run(); }

}  // namespace parlance::sim
