// What happens next: workflows that run, how far each step is, and when to look at one again.
//
// Knows agents only by their handle and requests only by their ticket. What is asked of whom is
// decided elsewhere (core/decide_workflow.cc); here is what came of it.
//
//   Waiting ─▶ Running ─▶ Answered ─▶ Done
//     │  ▲       │            │  └───▶ Failed
//     │  └ Delayed ◀─ Broken ◀┘
//     │  Waiting, Answered or Broken ─▶ Asking (a person) ─▶ Done or Failed
//     └──▶ Skipped (its condition did not hold) or Missing (what it needs is)
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
#include "core/chest.h"
#include "core/handles.h"
#include "core/words.h"
#include "model/event.h"
#include "model/plan.h"

namespace parlance::core::workflow {

enum class Stage : std::uint8_t {
    Waiting,
    Running,
    Answered,  ///< And its answer is still to be judged.
    Broken,    ///< It will have no answer, and what follows is still to be decided.
    Delayed,
    Asking,  ///< A person is asked.
    Done,
    Failed,
    Skipped,
    Missing,
    Undone,
};
constexpr bool is_final(Stage stage) { return stage >= Stage::Done; }
/// Whether what it was to bring will not come.
constexpr bool is_lost(Stage stage) { return stage == Stage::Failed || stage == Stage::Missing; }

/// One run of a step; a step for each element of a list has several.
struct Item {
    Stage stage = Stage::Waiting;
    Road road = Road::Planned;
    std::uint8_t attempt = 0;  ///< Tries on this road so far.
    bool is_partial = false;
    std::uint32_t confidence = kNoConfidence;
    AgentHandle agent = kNoAgent;
    std::uint32_t output_at = 0;  ///< Of the output, in the answer.
    std::uint32_t output_size = 0;
    Ticket request{};  ///< Or the appeal, while a person is asked.
    EnvelopePtr reply{};
    std::string output{};  ///< Where it does not stand in an answer.
    std::string code{};    ///< Why it failed, the last time.
    std::string detail{};
    Time due{};  ///< Delayed: until then.
};

/// Of what is over only the output is kept, and not the answer in which it came.
inline void keep_output(Item& item) {
    if (!is_final(item.stage) || item.output_size == 0) return;
    item.output = item.reply->body().substr(item.output_at, item.output_size);
    item.output_at = 0;
    item.output_size = 0;
    item.reply = {};
}

/// JSON; empty if there is none.
inline std::string_view output_of(const Item& item) {
    if (item.output_size == 0) return item.output;
    return item.reply->body().substr(item.output_at, item.output_size);
}

struct Step {
    std::vector<Item> items{};      ///< None until it is opened.
    Stage stage = Stage::Waiting;   ///< Waiting, Running, or how it ended.
    std::uint32_t tokens_used = 0;  ///< By all of them and all their tries, as agents report it.
};

struct Run {
    Ticket number;  ///< Where it started.
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
    Ticket parent{};  ///< The request that its starter worked on; none: it is a beginning.
    Time started_at{};
    Time deadline{};  ///< Zero: none.
    Time due{};       ///< When it is to be looked at again; zero: when something happens.
    bool is_undoing = false;
    std::string reason{};  ///< Why it is undone.
    std::vector<Step> steps{};
    bool is_by_agent = false;  ///< `by` is an agent, whose limits hold for it.
    std::uint64_t bytes = 0;   ///< Of what it says and brought, when it was last looked at.
};
/// How much of others' words a run keeps.
std::uint64_t bytes_of(const Run& run);

/// Where in its run the answer to a request belongs.
struct Place {
    std::uint32_t step = 0;
    std::uint32_t item = 0;
};

/// Which run asked: where in it, the run itself says.
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
/// Plans that nobody runs are kept so far, so that a plan that is run often is on record once.
inline constexpr std::size_t kIdlePlansMax = 256;
using Plans = std::map<std::string, KnownPlan, std::less<>>;  ///< By the hash of their text.

/// Run as bytes: packing.cc. A run that is packed has its plan by its hash.
struct RunCodec {
    const Plans* plans;
    std::size_t pack(std::string& out, const Run& run) const;
    Run unpack(Ticket number, ByteReader& in) const;
    Run unpack(ByteReader& in, Packing packing) const;  ///< As a snapshot has it.
    bool is_small(const Run& run) const;
};

struct Workflows {
    Chest<Run, RunCodec> runs;
    Plans plans;

    // Found again from the two above.
    FlatTable<Asker, Fill::Dense> by_request;
    std::set<Ticket> restless;  ///< Those with something to be decided now.
    std::set<Ticket> crowded;   ///< Those that would have, if more of each might be open.
    SortedChunks<std::pair<Time, Ticket>> due;
    std::uint64_t bytes = 0;  ///< Of all runs.
};

/// Null if it does not run.
Reading<Run> find_run(const Workflows& workflows, Ticket number);
/// The run that asked for it, or asks a person by it; none: no workflow does.
Ticket find_asker(const Workflows& workflows, Ticket request);
/// Where a run waits for the answer to it.
Place place_of(const Run& run, Ticket request);

/// What is to be decided next in a run.
struct Move {
    enum class Kind : std::uint8_t { None, Judge, Begin, Open, TimeOut, Undo, End };
    Kind kind = Kind::None;
    std::uint32_t step = 0;
    std::uint32_t item = 0;
};
/// `open_max`: how many requests of one run may be open at a time.
Move next_move(const Run& run, Time now, std::size_t open_max);

/// Whether something that was done would, or might, have to be taken back.
bool has_to_undo(const Run& run);

/// How much of what the step was to bring will not come.
std::size_t lost_count(const Step& step);

/// How many requests of the run are open, or were and will be again.
std::size_t open_count(const Run& run);

void apply(Workflows& workflows, const WorkflowStarted& event, Ticket number, Time now);
void apply(Workflows& workflows, const StepOpened& event);
void apply(Workflows& workflows, const StepBegan& event, AgentHandle agent);
void apply(Workflows& workflows, const StepDelayed& event);
void apply(Workflows& workflows, const StepEnded& event);
void apply(Workflows& workflows, const StepAsked& event);
void apply(Workflows& workflows, const WorkflowUndone& event);
void apply(Workflows& workflows, const WorkflowEnded& event);
/// The one answer to a request of a run.
void take_answer(Workflows& workflows,
                 Ticket request,
                 const EnvelopePtr& reply,
                 std::uint64_t tokens_used);
void take_failure(Workflows& workflows, Ticket request, std::string code, std::string detail);

/// Looks whether there is something to be decided. After every change of a run.
void attend(Workflows& workflows, Ticket number, Time now, std::size_t open_max);
/// The same for all of whom it may be otherwise, when another number may be open.
void attend_all(Workflows& workflows, Time now, std::size_t open_max, std::size_t awake_max);

/// Lets what was not touched for a while rest.
void tidy(Workflows& workflows, std::size_t awake_max);

/// Puts a run, as a snapshot has it, into what is found by.
void index(Workflows& workflows, const Run& run);

}  // namespace parlance::core::workflow
