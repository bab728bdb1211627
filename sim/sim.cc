#include "sim/sim.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "journal/event_codec.h"
#include "sim/agents.h"
#include "sim/checkers/checkers.h"
#include "sim/door.h"
#include "sim/flows.h"
#include "sim/hub.h"
#include "sim/messenger.h"
#include "sim/people.h"
#include "sim/stewards.h"

namespace parlance::sim {

namespace {

using namespace std::chrono_literals;

constexpr Duration kSettleMax = 60s;

/// The whole world of a seed, and its faults.
class Life {
  public:
    Life(std::uint64_t seed, bool is_plain)
        : entropy_(seed),
          plan_(draw_life(seed, is_plain, entropy_)),
          persons_(seed, history_),
          stewards_(seed, timeline_, hub_, door_),
          messenger_(seed, timeline_, hub_, door_, history_) {
        history_.limits = plan_.limits;
    }

    void live() {
        hub_.start();
        change_policy();
        agents_.begin();
        let_things_go_wrong();
        run_until(timeline_.now() + plan_.chaos, [] { return false; });
        if (!hub_.is_over()) settle();
    }

    Hub& hub() { return hub_; }
    const History& history() const { return history_; }
    const Timeline& timeline() const { return timeline_; }
    const Agents& agents() const { return agents_; }

  private:
    static Plan draw_life(std::uint64_t seed, bool is_plain, Entropy& entropy) {
        auto plan = draw_plan(entropy);
        if (!is_plain) plan.verbs = draw_verbs(seed);
        return plan;
    }

    template <class Done>
    void run_until(Time end, Done is_done) {
        while (timeline_.now() < end && !hub_.is_over()) {
            hub_.work();
            if (is_done()) return;
            timeline_.step(std::min(end, hub_.wake_at()));
        }
    }

    template <class Action>
    void every(Duration average, Action action) {
        if (average == Duration{}) return;
        timeline_.after(entropy_.ms(1, 2 * static_cast<std::uint64_t>(average.count())),
                        [this, average, action] {
                            if (is_calm_) return;
                            action();
                            every(average, action);
                        });
    }

    void let_things_go_wrong() {
        every(plan_.kill_every, [this] { hub_.kill(entropy_.percent(60)); });
        every(plan_.disk_fault_every, [this] { hub_.plan_disk_fault(); });
        every(plan_.full_every, [this] {
            hub_.fill_disk(true);
            timeline_.after(entropy_.ms(20, 1'000), [this] { hub_.fill_disk(false); });
        });
        every(plan_.jump_every,
              [this] { hub_.jump_wall_clock(entropy_.ms(0, 6'000) - Duration{3'000}); });
        every(400ms, [this] { tend_dead_letters(); });
        every(2s, [this] { look_at_journal(); });
        every(plan_.policy_every, [this] { change_policy(); });
        every(plan_.stop_every, [this] { stop_fleet(); });
        every(plan_.cancel_every, [this] { agents_.cancel(); });
        every(plan_.people_every, [this] { people_.ask(); });
        every(plan_.people_every, [this] { people_.answer(); });
        every(plan_.people_every * 4, [this] { people_.withdraw(); });
        if (stewards_.are_there()) look_at_budgets();
        every(plan_.workflow_every, [this] { flows_.start(); });
        every(plan_.workflow_every * 2, [this] { flows_.cancel(); });
        every(plan_.verbs.keep_every, [this] { agents_.keep(); });
        every(plan_.verbs.remove_every, [this] { agents_.remove_one(); });
        every(plan_.verbs.copy_every, [this] { hub_.copy_data(); });
        every(plan_.verbs.descriptors_every, [this] {
            hub_.exhaust_descriptors(true);
            timeline_.after(entropy_.ms(20, 1'000), [this] { hub_.exhaust_descriptors(false); });
        });
        if (plan_.flips_bit) {
            timeline_.after(plan_.chaos * 3 / 4, [this] { hub_.kill(false); });
        }
    }

    /// An operator redelivers some dead letters and discards some.
    void tend_dead_letters() {
        if (!hub_.is_up()) return;
        for (const auto& letter : hub_.engine().dead_letters({.count_max = 10})) {
            if (entropy_.percent(40)) door_.bring_as_operator(RedeliverDeadLetter{letter.ticket});
            if (entropy_.percent(15)) {
                door_.bring_as_operator(DiscardDeadLetter{letter.ticket, "no longer needed"});
            }
        }
    }

    /// Repeats an operator's order until the hub answers.
    void order(const Command& command) {
        const auto has_answer = std::make_shared<bool>(false);
        door_.bring_as_operator(command, [has_answer](const Effect&) { *has_answer = true; });
        timeline_.after(entropy_.ms(300, 600), [this, command, has_answer] {
            if (!*has_answer) order(command);
        });
    }

    void change_policy() {
        auto settings = draw_policy(entropy_, plan_);
        stewards_.limit(settings);
        order(ChangePolicy{.settings = print_policy(settings), .reason = "chance"});
    }

    void look_at_budgets() {
        timeline_.after(40ms, [this] {
            if (is_calm_) return;
            stewards_.decide();
            look_at_budgets();
        });
    }

    void stop_fleet() {
        door_.bring_as_operator(StopFleet{.reason = "drill", .cancels = entropy_.percent(40)});
        timeline_.after(entropy_.ms(20, 800), [this] { resume_fleet(); });
    }
    void resume_fleet() { order(ResumeFleet{.reason = "done"}); }

    /// A2 holds at any moment of a life, not only at the end. The check skips a hub that is down or
    /// whose disk fails: the journal may have a tail that the hub has yet to cut.
    void look_at_journal() {
        const bool is_well =
            hub_.is_up() && hub_.engine().health().condition == engine::Condition::Serving;
        if (!is_well || hub_.disk() == nullptr) return;
        const auto copy = hub_.disk()->clone();
        const auto verified = journal::verify(*copy, [](std::uint64_t, std::uint64_t) {});
        const auto problem = !verified                      ? verified.error().message
                             : !verified->problem.empty()   ? verified->problem
                             : verified->last < hub_.told() ? "it ends before what was told"
                                                            : std::string{};
        if (problem.empty()) return;
        history_.findings.push_back(
            {"A2", "in the middle of a life the journal does not verify: " + problem, {}});
    }

    void settle() {
        is_calm_ = true;
        hub_.calm();
        door_.calm();
        agents_.calm();
        flows_.calm();
        resume_fleet();
        run_until(timeline_.now() + kSettleMax, [this] { return is_settled(); });
        if (hub_.is_over()) return;
        if (!is_settled()) report_unsettled();
        hub_.close();
    }

    bool is_settled() const {
        if (!hub_.is_up()) return false;
        // With a full disk the hub's state may be ahead of the journal.
        if (hub_.engine().health().condition != engine::Condition::Serving) return false;
        const auto hub = hub_.engine().hub();
        return hub.waiting == 0 && hub.in_flight == 0 && hub.open_requests == 0 &&
               hub_.engine().state().workflows.runs.empty();
    }

    void report_unsettled() {
        if (!hub_.is_up()) {
            history_.findings.push_back({"A2", "the hub does not come back", {}});
            return;
        }
        const auto hub = hub_.engine().hub();
        const bool is_request = hub.waiting == 0 && hub.in_flight == 0;
        history_.findings.push_back(
            {is_request ? "W1" : "D1",
             "60 s after the last fault " + std::to_string(hub.waiting) + " messages wait, " +
                 std::to_string(hub.in_flight) + " are in flight and " +
                 std::to_string(hub.open_requests) + " requests are open; " +
                 std::to_string(hub_.engine().state().workflows.runs.size()) + " workflows run",
             {}});
    }

    Entropy entropy_;
    Plan plan_;
    Timeline timeline_;
    History history_;
    Persons persons_;
    Hub hub_{plan_, entropy_, timeline_, history_, persons_};
    Door door_{plan_, entropy_, timeline_, hub_};
    Agents agents_{plan_, entropy_, timeline_, door_, persons_};
    People people_{plan_, entropy_, timeline_, hub_, door_};
    Flows flows_{plan_, entropy_, timeline_, door_};
    Stewards stewards_;
    Messenger messenger_;
    bool is_calm_ = false;
};

void print_journal(const History& history) {
    std::string line;
    for (const auto& entry : history.journal) {
        line.clear();
        journal::append_json(line, entry.sequence, entry.at, entry.event);
        std::puts(line.c_str());
    }
}

}  // namespace

Verdict run(std::uint64_t seed, const Options& options) {
    Life life{seed, options.is_plain};
    life.live();
    const auto& history = life.history();
    if (options.tells_all) print_journal(history);
    auto findings = history.findings;
    if (!life.hub().is_over()) {
        const auto more = check_all(history);
        findings.insert(findings.end(), more.begin(), more.end());
    }
    Verdict verdict{.seed = seed,
                    .ok = findings.empty(),
                    .steps = life.timeline().steps(),
                    .messages = life.agents().messages(),
                    .records = history.journal.size(),
                    .crashes = life.hub().crashes(),
                    .trace_hash = life.hub().trace_hash(),
                    .coverage = history.coverage.counts()};
    for (const auto& finding : findings) {
        if (std::ranges::find(verdict.promises, finding.promise) == verdict.promises.end()) {
            verdict.promises.push_back(finding.promise);
        }
    }
    if (verdict.ok) return verdict;
    verdict.promise = findings.front().promise;
    verdict.what = findings.front().what;
    if (options.tells_stories) verdict.what += tell_story(history, findings.front().ticket);
    return verdict;
}

}  // namespace parlance::sim
