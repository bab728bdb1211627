// Running workflows: the progress of each step, and when to look at a run again.
//
// Knows agents only by handle and requests only by ticket. Which agent is asked for what is decided
// in core/decide_workflow.cc; the outcome is recorded here.
//
//   Waiting ─▶ Running ─▶ Answered ─▶ Done
//     │  ▲       │            │  └───▶ Failed
//     │  └ Delayed ◀─ Broken ◀┘
//     │  Waiting, Answered or Broken ─▶ Asking (a person) ─▶ Done or Failed
//     └──▶ Skipped (condition false) or Blocked (a needed step is lost)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/flat_table.h"
#include "base/sorted_chunks.h"
#include "base/time.h"
#include "core/cold/cold_store.h"
#include "core/handles.h"
#include "core/words.h"
#include "model/event.h"
#include "model/plan.h"

namespace parlance::core::workflow {

enum class Stage : std::uint8_t {
    Waiting,
    Running,
    Answered,  ///< Answered, but not judged yet.
    Broken,    ///< Failed without an answer; the consequence is not decided yet.
    Delayed,
    WaitingForHuman,  ///< A human task is open.
    Done,
    Failed,
    Skipped,
    Blocked,
    Compensated,
};
constexpr bool is_final(Stage stage) { return stage >= Stage::Done; }
/// Whether the output will never come.
constexpr bool is_lost(Stage stage) { return stage == Stage::Failed || stage == Stage::Blocked; }

/// A run of a step; a step over a list has an item for each element.
struct Item {
    Stage stage = Stage::Waiting;
    StepPath path = StepPath::Planned;
    std::uint8_t attempt = 0;  ///< Tries on this path so far.
    bool is_partial = false;
    std::uint32_t confidence = kNoConfidence;
    AgentHandle agent = kNoAgent;
    std::uint32_t output_at = 0;  ///< Offset of the output in `reply`.
    std::uint32_t output_size = 0;
    Ticket request{};  ///< Or the human task, while a person is asked.
    EnvelopePtr reply{};
    std::string output{};  ///< If the output is not in `reply`.
    std::string code{};    ///< Why the last try failed.
    std::string detail{};
    Time due{};  ///< Delayed: until then.
};

/// Of an ended item only the output is kept, not the reply around it.
inline void keep_output(Item& item) {
    if (!is_final(item.stage) || item.output_size == 0) return;
    item.output = item.reply->body().substr(item.output_at, item.output_size);
    item.output_at = 0;
    item.output_size = 0;
    item.reply = {};
}

/// JSON; empty if none.
inline std::string_view output_of(const Item& item) {
    if (item.output_size == 0) return item.output;
    return item.reply->body().substr(item.output_at, item.output_size);
}

struct Step {
    std::vector<Item> items{};      ///< None until the step is opened.
    Stage stage = Stage::Waiting;   ///< Waiting, Running, or how the step ended.
    std::uint32_t tokens_used = 0;  ///< By all items and tries, as reported by agents.
};

struct Run {
    Ticket number;  ///< Of the record that started the run.
    std::string id{};
    std::string correlation{};
    PlanPtr plan{};
    std::string plan_hash{};
    std::string input{};
    std::string request{};  ///< The user's own words.
    std::string constraints{};
    std::string user{};
    std::string session{};
    std::string by{};
    Ticket parent{};  ///< The request that the starter worked on; none: the run began a tree.
    Time started_at{};
    Time deadline{};  ///< Zero: none.
    Time due{};       ///< When to look at the run again; zero: at the next event.
    bool is_compensating = false;
    std::string reason{};  ///< Why the run is compensated.
    std::vector<Step> steps{};
    bool is_by_agent = false;  ///< `by` is an agent, and the run is under the agent's limits.
    std::uint64_t bytes = 0;   ///< bytes_of() this run at the last attend().
};
/// Bytes of input and outputs that a run keeps.
std::uint64_t bytes_of(const Run& run);

/// The step and item that wait for a request.
struct ItemPosition {
    std::uint32_t step = 0;
    std::uint32_t item = 0;
};

/// Which run sent a request; the run itself knows the step and item.
struct Asker {
    std::uint64_t request = 0;
    std::uint64_t run = 0;

    std::uint64_t place() const { return spread(request); }
    bool empty() const { return run == 0; }
};

struct KnownPlan {
    PlanPtr plan;
    Ticket last_used{};
    std::uint32_t runs = 0;
};
/// Bound on known plans, beyond which idle plans are forgotten; a plan that is often run is
/// recorded once.
inline constexpr std::size_t kIdlePlansMax = 256;
using Plans = std::map<std::string, KnownPlan, std::less<>>;  ///< By the hash of their text.

/// A run as bytes: encoding.cc. A packed run holds its plan's hash.
struct RunCodec {
    const Plans* plans;
    std::size_t pack(std::string& out, const Run& run) const;
    Run unpack(Ticket number, ByteReader& in) const;
    Run unpack(ByteReader& in, RecordEncoding encoding) const;  ///< As a snapshot has it.
    bool is_small(const Run& run) const;
};

struct Workflows {
    ColdStore<Run, RunCodec> runs;
    Plans plans;

    // Derived from `runs` and `plans`.
    FlatTable<Asker, Fill::Dense> by_request;
    std::set<Ticket> restless;  ///< Runs with a decision due now.
    std::set<Ticket> crowded;   ///< Runs with a decision due if `open_max` were higher.
    SortedChunks<std::pair<Time, Ticket>> due;
    std::uint64_t bytes = 0;  ///< Of all runs, and of the plans that they follow.
};

/// Whether a run follows the plan of this hash.
bool is_run(const Workflows& workflows, std::string_view hash);
/// Counts one more run of the plan: the text of a plan counts while a run follows it.
void begin_run_of(Workflows& workflows, KnownPlan& known);

/// Null if no such run is open.
Reading<Run> find_run(const Workflows& workflows, Ticket number);
/// The run that sent this request or opened this human task; none: no workflow did.
Ticket find_asker(const Workflows& workflows, Ticket request);
/// The step and item of a run that wait for this request.
ItemPosition position_of(const Run& run, Ticket request);

/// The next decision in a run.
struct Move {
    enum class Kind : std::uint8_t { None, Judge, Begin, Open, TimeOut, Compensate, End };
    Kind kind = Kind::None;
    std::uint32_t step = 0;
    std::uint32_t item = 0;
};
/// `open_max`: how many requests of a run may be open at a time.
Move next_move(const Run& run, Time now, std::size_t open_max);

/// Whether compensation is due: a completed step has one, or an unjudged answer may mean work was
/// done.
bool has_to_compensate(const Run& run);

/// How many items of the step are lost.
std::size_t lost_count(const Step& step);

/// How many requests of the run are open or wait for a retry.
std::size_t open_count(const Run& run);

void apply(Workflows& workflows, const WorkflowStarted& event, Ticket number, Time now);
void apply(Workflows& workflows, const StepOpened& event);
void apply(Workflows& workflows, const StepBegan& event, AgentHandle agent);
void apply(Workflows& workflows, const StepDelayed& event);
void apply(Workflows& workflows, const StepEnded& event);
void apply(Workflows& workflows, const StepAsked& event);
void apply(Workflows& workflows, const WorkflowUndone& event);
void apply(Workflows& workflows, const WorkflowEnded& event);
/// The only answer to a request of a run.
void take_answer(Workflows& workflows,
                 Ticket request,
                 const EnvelopePtr& reply,
                 std::uint64_t tokens_used);
void take_failure(Workflows& workflows, Ticket request, std::string code, std::string detail);

/// Recomputes whether a decision is due in a run. After every change of the run.
void attend(Workflows& workflows, Ticket number, Time now, std::size_t open_max);
/// The same for restless and crowded runs, after `open_max` changed.
void attend_all(Workflows& workflows, Time now, std::size_t open_max, std::size_t awake_max);

/// Packs the runs not touched lately, beyond `awake_max`.
void tidy(Workflows& workflows, std::size_t awake_max);

/// Enters a run into the derived indexes; also used after a snapshot was loaded.
void index(Workflows& workflows, const Run& run);

}  // namespace parlance::core::workflow
