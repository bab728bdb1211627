// D8: a critical message goes before lower ones, and lower ones still move: while one waits, it
// gets at least one in `low_every` hand-overs. Each lower level may have its turn once in a while,
// so at most that many lower ones in a row are handed over while a critical one could have been.
#include <algorithm>
#include <array>
#include <map>

#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

constexpr std::uint32_t kTurnsOfLower = kPriorities - 1;

struct Fairness {
    std::uint32_t lower_in_a_row = 0;
    std::array<std::uint32_t, kPriorities> passed_over{};
};

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
            const auto priority = book_.copies.at(ticket).priority;
            if (is_at_least_once(priority)) most = std::min(most, priority);
        }
        return static_cast<std::size_t>(most);
    }

    bool is_offered(const Standing& standing) const {
        if (standing.stage != Stage::Ready) return false;
        const auto& lane = walker_.lane(*standing.copy);
        return lane.empty() || lane.begin()->second == standing.copy->ticket;
    }

    /// Once listed as urgent, a copy may stay listed so after the urgent one behind it has gone.
    std::size_t most_urgent(const Standing& standing) {
        const auto now = urgency(standing);
        const auto listed = listed_.try_emplace(standing.copy->ticket, now).first;
        return listed->second = std::min(listed->second, now);
    }

    /// The levels at which something can be handed over and is sure to be listed.
    std::array<const Copy*, kPriorities> offers(const std::string& agent, Ticket but = {}) {
        std::array<const Copy*, kPriorities> waiting{};
        for (const auto& [ticket, other] : walker_.mailbox(agent)) {
            if (ticket == but || !is_offered(other)) continue;
            const auto level = urgency(other);
            if (most_urgent(other) == level) waiting[level] = other.copy;
        }
        return waiting;
    }

    void before(const Entry& entry) {
        const auto* granted = std::get_if<LeaseGranted>(&entry.event);
        const auto* standing = granted ? walker_.find(granted->ticket) : nullptr;
        if (standing == nullptr) return;
        const auto& agent = standing->copy->recipient;
        auto& fairness = fairness_[agent];
        const auto mine = most_urgent(*standing);
        const auto waiting = offers(agent, granted->ticket);
        const bool overtakes = waiting[0] != nullptr && mine > 0;
        fairness.lower_in_a_row = overtakes ? fairness.lower_in_a_row + 1 : 0;
        if (fairness.lower_in_a_row > kTurnsOfLower) {
            report(*standing, entry, "was handed over before " + name_of(*waiting[0]));
        }
        count(fairness, mine, waiting, *standing, entry);
        listed_.erase(granted->ticket);
    }

    void count(Fairness& fairness,
               std::size_t mine,
               const std::array<const Copy*, kPriorities>& waiting,
               const Standing& standing,
               const Entry& entry) {
        for (std::size_t level = mine + 1; level < kPriorities; ++level) {
            if (waiting[level] == nullptr) continue;
            if (++fairness.passed_over[level] > book_.history->limits.low_every + kTurnsOfLower) {
                report(standing, entry, "was handed over though a lower one waited for too long");
            }
        }
        fairness.passed_over[mine] = 0;
    }

    /// A level that is empty for a moment has nobody who waits.
    void after(const Entry& entry) {
        const auto copy = book_.copies.find(ticket_of(entry.event));
        if (copy == book_.copies.end()) return;
        const auto* standing = walker_.find(copy->first);
        if (standing == nullptr || standing->stage != Stage::Ready) listed_.erase(copy->first);
        const auto& agent = copy->second.recipient;
        const auto waiting = offers(agent);
        auto& fairness = fairness_[agent];
        for (std::size_t i = 0; i < kPriorities; ++i) {
            if (waiting[i] == nullptr) fairness.passed_over[i] = 0;
        }
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
    std::map<std::string, Fairness> fairness_;
    std::map<Ticket, std::size_t> listed_;
};

}  // namespace

void check_d8(const Book& book, Findings& findings) { Watch{book, findings}.run(); }

}  // namespace parlance::sim
