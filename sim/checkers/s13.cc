// S13, of notices: the people of a human task are notified of records on disk and of nothing else;
// the next process sends notices that a process did not get to send, and no notice is sent twice.
// The record of a notification exists only if people were notified.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/match.h"
#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

/// News about a human task for its people.
struct News {
    Ticket id;
    std::string role;
    Sequence told{};  ///< The record that people were notified; none: they were not.
    Sequence over{};  ///< The record that replaces the news or ends the task; none: current.
    std::vector<Sequence> shown{};  ///< The last durable record at each notice.
};

class Bulletin {
  public:
    Bulletin(const Book& book, Findings& findings) : book_(book), findings_(findings) {}

    void run() {
        for (const auto& entry : book_.history->journal) read(entry);
        for (const auto& shown : book_.history->shown) {
            if (const auto* notice = std::get_if<NotifyPeople>(&shown.effect)) {
                look_at(*notice, shown.durable);
            }
        }
        for (const auto& [sequence, news] : news_) look_for_silence(sequence, news);
    }

  private:
    void read(const Entry& entry) {
        const auto at = entry.sequence;
        match(
            entry.event,
            [&](const HubStarted&) { starts_.push_back(at); },
            [&](const HumanAsked& e) {
                roles_[e.id] = e.role;
                begin(e.id, at);
            },
            [&](const HumanReminded& e) { begin(e.id, at); },
            [&](const HumanEscalated& e) {
                roles_[e.id] = e.role;
                begin(e.id, at);
            },
            [&](const HumanNotified& e) { told(e.id, at); },
            [&](const HumanAnswered& e) {
                if (!e.awaits_another) end(e.id, at);
            },
            [&](const HumanLapsed& e) { end(e.id, at); },
            [&](const HumanWithdrawn& e) { end(e.id, at); },
            [](const auto&) {});
    }

    void begin(Ticket id, Sequence at) {
        end(id, at);
        news_[at] = {.id = id, .role = roles_[id]};
        latest_[id] = at;
    }

    void end(Ticket id, Sequence at) {
        const auto last = latest_.find(id);
        if (last == latest_.end()) return;
        news_.at(last->second).over = at;
        latest_.erase(last);
    }

    void told(Ticket id, Sequence at) {
        const auto last = latest_.find(id);
        if (last == latest_.end()) return find(id, "are said to be told of what is over");
        auto& news = news_.at(last->second);
        if (news.told != Sequence{}) find(id, "are said twice to be told the same");
        news.told = at;
        const bool were_told = std::ranges::any_of(
            book_.history->told_people,
            [&](const Told& each) { return each.id == id && each.news == last->second; });
        if (!were_told) find(id, "are said to be told, and were not");
    }

    void look_at(const NotifyPeople& notice, Sequence durable) {
        const auto found = news_.find(notice.news);
        if (found == news_.end() || found->second.id != notice.id || notice.news > durable) {
            return find(notice.id, "are told of what is not on disk");
        }
        auto& news = found->second;
        if (notice.role != news.role) find(notice.id, "are others than those who are told");
        if (news.told != Sequence{} && news.told <= durable) find(notice.id, "are told again");
        news.shown.push_back(durable);
    }

    /// People are notified when the news happens, and by every process that finds the news unsent.
    /// A process that ended may not have got so far.
    void look_for_silence(Sequence happened, const News& news) {
        const auto later = std::ranges::upper_bound(starts_, happened);
        const auto was_told_since = [&](Sequence since) {
            return std::ranges::any_of(news.shown, [&](Sequence at) { return at >= since; });
        };
        if (later == starts_.end() && !was_told_since(happened)) {
            return find(news.id, "were never told");
        }
        for (auto start = later; start != starts_.end(); ++start) {
            const bool is_open = news.over == Sequence{} || news.over > *start;
            const bool is_untold = news.told == Sequence{} || news.told > *start;
            const bool is_last = std::next(start) == starts_.end();
            if (is_open && is_untold && is_last && !was_told_since(*start)) {
                find(news.id, "were not told, and the next process did not tell them either");
            }
        }
    }

    void find(Ticket id, const std::string& what) {
        findings_.push_back(
            {"S13", "the people who were asked (" + std::to_string(id.value) + ") " + what, {}});
    }

    const Book& book_;
    Findings& findings_;
    std::map<Sequence, News> news_;
    std::map<Ticket, Sequence> latest_;  ///< The current news of each waiting task.
    std::map<Ticket, std::string> roles_;
    std::vector<Sequence> starts_;
};

}  // namespace

void check_s13(const Book& book, Findings& findings) { Bulletin{book, findings}.run(); }

}  // namespace parlance::sim
