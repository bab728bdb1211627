// D8: a critical message waits behind at most one lower message per consumer, and lower messages
// still move: a waiting lower message gets at least one in `low_every` hand-overs. So a lower
// message may precede a critical message, but never as the second lower message in a row of the
// mailbox or of the consumer. A lower message in flight when the critical message came counts as
// the first.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

/// How often a message may be passed over. Below a bound that grows with the number of consumers,
/// the two halves of D8 would contradict each other.
std::uint32_t passed_over_max(const Limits& limits) {
    return std::max(limits.low_every, limits.instances_per_agent_max + 8) - 1;
}

class Watch {
  public:
    Watch(const Book& book, Findings& findings) : book_(book), findings_(findings), walker_(book) {}

    void run() {
        walker_.walk([&](const Entry& entry) { before(entry); },
                     [&](const Entry& entry) { after(entry); });
    }

  private:
    /// A lane is as urgent as the most urgent message in it.
    std::size_t urgency(const Standing& standing) const {
        auto most = standing.copy->priority;
        for (const auto& [position, ticket] : walker_.lane(*standing.copy)) {
            const auto priority = walker_.copy(ticket)->priority;
            if (is_urgent(priority)) most = std::min(most, priority);
        }
        return static_cast<std::size_t>(most);
    }

    bool is_offered(const Standing& standing, Time now) const {
        if (standing.stage != Stage::Ready) return false;
        const bool has_ttl = standing.has_ttl && standing.copy->expires_at != Time{};
        if (has_ttl && standing.copy->expires_at <= now) return false;
        const auto& lane = walker_.lane(*standing.copy);
        return lane.empty() || lane.begin()->second == standing.copy->ticket;
    }

    /// The most urgent level so far: the hub may keep a copy listed as urgent after the urgent
    /// message behind the copy has gone.
    std::size_t most_urgent(const Standing& standing) {
        const auto now = urgency(standing);
        const auto listed = listed_.try_emplace(standing.copy->ticket, now).first;
        return listed->second = std::min(listed->second, now);
    }

    /// Copies that can be handed over and whose level is certain, with the level.
    std::vector<std::pair<const Standing*, std::size_t>> offers(const std::string& agent,
                                                                Time now) {
        std::vector<std::pair<const Standing*, std::size_t>> offered;
        for (const auto& [ticket, standing] : walker_.mailbox(agent)) {
            const bool is_sure = is_offered(standing, now) &&
                                 most_urgent(standing) == urgency(standing) &&
                                 !walker_.is_withheld(*standing.copy);
            if (is_sure) offered.emplace_back(&standing, urgency(standing));
            if (!is_sure) passed_over_.erase(ticket);
        }
        return offered;
    }

    void before(const Entry& entry) {
        note_move(entry);
        const auto* granted = std::get_if<LeaseGranted>(&entry.event);
        const auto* standing = granted != nullptr ? walker_.find(granted->ticket) : nullptr;
        if (standing == nullptr) return;
        const auto& agent = standing->copy->recipient;
        const auto mine = most_urgent(*standing);
        const bool is_sure = mine == urgency(*standing);
        const Copy* critical = nullptr;
        for (const auto& [other, level] : offers(agent, entry.at)) {
            if (other == standing) continue;
            if (level == 0) critical = other->copy;
            if (level > 0) pass_over(*other, level, is_sure ? mine : level, entry);
        }
        const bool is_lower = is_sure && mine > 0;
        auto& before = was_lower_[agent];
        auto& before_here = had_lower_[granted->instance];
        if (is_lower && critical != nullptr && (before || before_here)) {
            report(*standing, entry, "was handed over before " + name_of(*critical));
        }
        before = before_here = is_lower;
        listed_.erase(granted->ticket);
        passed_over_.erase(granted->ticket);
    }

    /// Notes the mailbox that a moved message leaves: the next message of its task heads the lane
    /// then.
    void note_move(const Entry& entry) {
        moved_from_.clear();
        const auto* const moved = std::get_if<MessageMoved>(&entry.event);
        const auto* const standing = moved != nullptr ? walker_.find(moved->ticket) : nullptr;
        if (standing != nullptr) moved_from_ = standing->copy->recipient;
    }

    /// A copy of level `granted` goes instead. Copies of the same level take turns among
    /// themselves.
    void pass_over(const Standing& standing,
                   std::size_t level,
                   std::size_t granted,
                   const Entry& entry) {
        auto& [listed, times] = passed_over_[standing.copy->ticket];
        if (granted == level || listed != level) times = 0;
        listed = level;
        if (granted == level || ++times <= passed_over_max(book_.history->limits)) return;
        report(standing,
               entry,
               "was passed over " + std::to_string(times) + " times of at most " +
                   std::to_string(passed_over_max(book_.history->limits)));
    }

    void after(const Entry& entry) {
        const auto ticket = ticket_of(entry.event);
        const auto* standing = walker_.find(ticket);
        // A message that moves to another agent begins its wait in the new mailbox.
        const bool has_moved = std::holds_alternative<MessageMoved>(entry.event);
        if (standing == nullptr || standing->stage != Stage::Ready || has_moved) {
            listed_.erase(ticket);
            passed_over_.erase(ticket);
        }
        look(ticket, entry.at);
        if (!moved_from_.empty()) (void)offers(moved_from_, entry.at);
        if (const auto* accepted = std::get_if<MessageAccepted>(&entry.event)) {
            for (auto copy = accepted->ticket; look(copy, entry.at); ++copy.value) {
            }
        }
        // A released request enters its lane here, perhaps to expire in the same moment.
        if (const auto* released = std::get_if<RequestReleased>(&entry.event)) {
            look(released->request, entry.at);
        }
        if (const auto* answered = std::get_if<RequestAnswered>(&entry.event)) {
            look(answered->ticket, entry.at);
        }
        if (const auto* failed = std::get_if<RequestFailed>(&entry.event)) {
            look(failed->ticket, entry.at);
        }
    }

    /// Notes how everything in the copy's mailbox is listed now. False: no such copy.
    bool look(Ticket ticket, Time now) {
        const auto* const copy = walker_.copy(ticket);
        if (copy == nullptr) return false;
        (void)offers(copy->recipient, now);
        return true;
    }

    void report(const Standing& standing, const Entry& entry, const std::string& what) {
        findings_.push_back({"D8",
                             name_of(*standing.copy) + " " + what + ", at record " +
                                 std::to_string(entry.sequence.value),
                             standing.copy->ticket});
    }

    const Book& book_;
    Findings& findings_;
    Walker walker_;
    std::map<std::string, bool> was_lower_;  ///< Of each mailbox's last hand-over.
    std::map<InstanceNumber, bool> had_lower_;
    /// For each offered copy: its level, and how often copies of other levels went first.
    std::map<Ticket, std::pair<std::size_t, std::uint32_t>> passed_over_;
    std::map<Ticket, std::size_t> listed_;
    std::string moved_from_;  ///< The mailbox that the record's message leaves; else empty.
};

}  // namespace

void check_d8(const Book& book, Findings& findings) { Watch{book, findings}.run(); }

}  // namespace parlance::sim
