#include "engine/replay.h"

#include <deque>
#include <memory>
#include <set>

#include "base/match.h"
#include "core/core.h"
#include "core/replay.h"
#include "journal/event_codec.h"

namespace parlance::engine {

namespace {

template <class Each>
Result<void> each_record(journal::Disk& disk, Sequence last, Each each) {
    auto reader = TRY(journal::Reader::open(disk, {1}));
    journal::Record record;
    while (TRY(reader.next(record, last))) {
        if (!each(record, TRY(journal::decode(record)))) break;
        if (record.sequence >= last) break;
    }
    return {};
}

std::string bytes_of(const Event& event) {
    std::string bytes;
    journal::encode(event, bytes);
    return bytes;
}

/// The journal's records of one workflow.
struct Traces {
    Sequence first{};
    Sequence last{};
    bool has_ended = false;
    std::set<Ticket> requests;
    std::set<Ticket> human_tasks;
    Policy policy;  ///< The newest policy of all records read.

    Ticket run() const { return core::ticket_at(first); }

    void take(Sequence sequence, std::string_view id, const Event& event) {
        match(
            event,
            [&](const WorkflowStarted& e) {
                if (e.id != id) return;
                first = sequence;
                has_ended = false;
            },
            [&](const StepBegan& e) {
                if (e.run == run()) requests.insert(e.request);
            },
            [&](const StepAsked& e) {
                if (e.run == run()) human_tasks.insert(e.human_task);
            },
            [&](const WorkflowEnded& e) {
                if (e.run != run()) return;
                has_ended = true;
                last = sequence;
            },
            [&](const PolicyChanged& e) {
                auto settings = parse_policy(e.settings);
                if (settings) policy = {.version = e.version, .settings = *std::move(settings)};
            },
            [](const auto&) {});
        if (!has_ended) last = sequence;
    }

    /// Whether only the rules of workflows could have produced the event.
    bool has(const Event& event) const {
        return match(
            event,
            [&](const MessageAccepted& e) { return requests.contains(e.ticket); },
            [&](const HumanAsked& e) { return human_tasks.contains(e.id); },
            [&](const StepOpened& e) { return e.run == run(); },
            [&](const StepBegan& e) { return e.run == run(); },
            [&](const StepDelayed& e) { return e.run == run(); },
            [&](const StepAsked& e) { return e.run == run(); },
            [&](const StepEnded& e) { return e.run == run(); },
            [&](const WorkflowEnded& e) { return e.run == run(); },
            [](const auto&) { return false; });
    }
};

class Player {
  public:
    Player(const Traces& traces, const ReplayOptions& options)
        : traces_(traces), has_policy_of_now_(options.has_policy_of_now) {
        state_.limits = options.limits;
        state_.message_writer = options.message_writer;
        replay_ = {.first = traces.first, .last = traces.last, .has_ended = traces.has_ended};
    }

    /// False when the replay is over: a difference was found, or the last record was reached.
    bool take(const journal::Record& record, const Event& event) {
        if (record.sequence > traces_.first && !compare(record, event)) return false;
        state_.sequence = {record.sequence.value - 1};  // Skips an accepted loss.
        core::apply(state_, record.at, event);
        if (has_policy_of_now_ && record.sequence >= traces_.first) {
            state_.governor.policy = traces_.policy;
        }
        return record.sequence < traces_.last;
    }
    Replay&& result() && { return std::move(replay_); }

  private:
    bool compare(const journal::Record& record, const Event& event) {
        if (awaited_.empty()) await(record.at, event);
        const bool is_as_decided =
            !awaited_.empty() && bytes_of(awaited_.front()) == bytes_of(event);
        if (is_as_decided) {
            awaited_.pop_front();
            ++replay_.compared;
            is_within_ = !awaited_.empty();
            return true;
        }
        const bool is_lapse = is_given_ && traces_.has(event);
        if (is_lapse) is_given_ = false;
        if (!is_within_ && (is_lapse || !traces_.has(event))) {
            awaited_.clear();  // An unrelated event was recorded first.
            return true;
        }
        differ(record, event);
        return false;
    }

    /// Decides the events that should follow now, given the recorded act of an agent or a person.
    void await(Time now, const Event& event) {
        Events decided;
        match(
            event,
            [&](const HumanAnswered& e) {
                if (!traces_.human_tasks.contains(e.id)) return;
                core::decide(state_, answer_of(e, now), decided);
                is_within_ = true;
            },
            [&](const HumanLapsed& e) {
                if (!traces_.human_tasks.contains(e.id)) return;
                core::decide(state_, {.command = Tick{}, .now = now}, decided);
                // If the tick decides another due event first, the recorded lapse is accepted
                // without comparison.
                const bool is_it = !decided.empty() && bytes_of(decided.front()) == bytes_of(event);
                is_given_ = !is_it;
            },
            [&](const auto&) { core::decide_run(state_, traces_.run(), now, decided); });
        awaited_ = {std::make_move_iterator(decided.begin()),
                    std::make_move_iterator(decided.end())};
    }

    static Stamped answer_of(const HumanAnswered& said, Time now) {
        return {.command = AnswerHumanTask{.id = said.id,
                                           .decision = said.decision,
                                           .reason = said.reason,
                                           .content = said.content,
                                           .expected_version = said.state_version,
                                           .tokens = said.tokens},
                .caller = std::make_shared<Caller>(
                    Caller{.agent = {said.by}, .is_operator = true, .role = OperatorRole::Admin}),
                .now = now};
    }

    void differ(const journal::Record& record, const Event& event) {
        Difference found{.sequence = record.sequence, .recorded = {}, .decided = {}};
        journal::append_json(found.recorded, record.sequence, record.at, event);
        if (!awaited_.empty()) {
            journal::append_json(found.decided, record.sequence, record.at, awaited_.front());
        }
        replay_.difference = std::move(found);
    }

    const Traces& traces_;
    const bool has_policy_of_now_;
    core::State state_;
    std::deque<Event> awaited_;
    bool is_within_ = false;  ///< Awaits the rest of a decision, adjacent on record.
    bool is_given_ = false;
    Replay replay_;
};

}  // namespace

Result<Replay> replay_workflow(journal::Disk& disk,
                               Sequence last,
                               std::string_view id,
                               const ReplayOptions& options) {
    Traces traces;
    TRY(each_record(disk, last, [&](const journal::Record& record, const Event& event) {
        traces.take(record.sequence, id, event);
        return true;
    }));
    if (traces.first == Sequence{}) {
        return fail(Fault::NotFound, "no workflow '" + std::string{id} + "' is on record");
    }
    Player player{traces, options};
    TRY(each_record(disk, last, [&](const journal::Record& record, const Event& event) {
        return player.take(record, event);
    }));
    return std::move(player).result();
}

}  // namespace parlance::engine
