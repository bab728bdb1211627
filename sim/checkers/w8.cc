// W8: a parent resumes exactly once per child, with the child's answer and the parent's own state.
// In a workflow, a step runs after the steps it waits for and with their outputs; each answer is
// read once, and a completed step does not run again; the result follows from the steps' answers;
// and compensation covers every completed step, the last first. W1 of workflows: each ends once,
// and in time.
//
// The checker computes its expectations from the text of plans and answers with readers of its own
// (flow_plan.h): the hub's readers would confirm any behaviour of the hub.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/match.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/flow_plan.h"

namespace parlance::sim {

namespace {

/// The first ticket of a record is the record's number times this.
constexpr std::uint64_t kTicketsPerRecord = 1'024;

enum class Standing { Waiting, Asked, Answered, Broken, Delayed, WaitingForHuman, Ended };

struct Part {
    Standing standing = Standing::Waiting;
    StepEnd end = StepEnd::Done;  ///< Valid once the part has ended.
    StepPath path = StepPath::Planned;
    EnvelopePtr reply{};
    std::string offered{};  ///< An answer that awaits a person's decision.
    Ticket human_task{};
    std::string output{};

    bool is(StepEnd how) const { return standing == Standing::Ended && end == how; }
};

struct Stride {
    std::vector<Part> parts{};
    bool has_ended = false;
    StepEnd end = StepEnd::Done;

    bool is_lost() const {
        return has_ended && (end == StepEnd::Failed || end == StepEnd::Blocked);
    }
    /// True if an element of a list failed or was blocked.
    bool has_gaps() const {
        return std::ranges::any_of(parts, [](const Part& part) {
            return part.is(StepEnd::Failed) || part.is(StepEnd::Blocked);
        });
    }
};

struct Flow {
    WorkflowStarted started;
    FlowPlan plan;
    std::vector<Stride> steps;
    Time begun{};  ///< By the world's clock.
    bool is_compensated = false;
    bool has_ended = false;
};

struct Place {
    Ticket run;
    std::uint32_t step = 0;
    std::uint32_t item = 0;
};

/// The decision of a person, or of the rules when nobody answers.
struct Said {
    HumanDecision decision = HumanDecision::Reject;
    std::string content{};
};

class Runs {
  public:
    Runs(const Book& book, Findings& findings) : book_(book), findings_(findings) {}

    void run() {
        for (const auto& entry : book_.history->journal) take(entry);
        for (const auto& [number, flow] : flows_) {
            if (!flow.has_ended) find("W1", flow, "never ended");
        }
        std::map<std::string, int> told;
        for (const auto& shown : book_.history->shown) {
            const auto* ended = std::get_if<TellEnded>(&shown.effect);
            if (ended == nullptr || ++told[ended->id] <= ends_[ended->id]) continue;
            findings_.push_back({"W1", "workflow '" + ended->id + "' was ended twice", {}});
        }
    }

  private:
    void take(const Entry& entry) {
        match(
            entry.event,
            [&](const WorkflowStarted& e) { start(entry, e); },
            [&](const StepOpened& e) { open(e); },
            [&](const StepBegan& e) { begin(e); },
            [&](const StepDelayed& e) { delay(e); },
            [&](const StepAsked& e) { ask(e); },
            [&](const StepEnded& e) { end(e); },
            [&](const WorkflowUndone& e) { compensate(e); },
            [&](const WorkflowEnded& e) { end_run(entry, e); },
            [&](const RequestAnswered& e) { answer(e.request, e.envelope); },
            [&](const RequestFailed& e) { answer(e.request, nullptr); },
            [&](const HumanAnswered& e) {
                said_[e.id] = {e.decision, e.content};
            },
            [&](const HumanLapsed& e) {
                said_[e.id] = {e.follows == IfNobody::Approve ? HumanDecision::Approve
                                                              : HumanDecision::Reject};
            },
            [&](const FleetStopped&) { is_stopped_ = true; },
            [&](const FleetResumed&) {
                resumed_at_ = entry.at;
                is_stopped_ = false;
            },
            [](const auto&) {});
    }

    // --- findings ----------------------------------------------------------------------------

    void find(const char* promise, const Flow& flow, const std::string& what) {
        findings_.push_back({promise, "workflow '" + flow.started.id + "' " + what, {}});
    }
    void find(const Flow& flow, std::uint32_t step, const std::string& what) {
        find("W8", flow, "has a step '" + flow.plan[step].id + "' that " + what);
    }

    Flow* open_run(Ticket number, const char* what) {
        const auto found = flows_.find(number);
        if (found != flows_.end() && !found->second.has_ended) return &found->second;
        findings_.push_back(
            {"W1", std::string{"something "} + what + " of a workflow that does not run", {}});
        return nullptr;
    }

    static Part& part_of(Flow& flow, std::uint32_t step, std::uint32_t item) {
        auto& parts = flow.steps[step].parts;
        if (parts.size() <= item) parts.resize(item + 1);
        return parts[item];
    }

    // --- the records -------------------------------------------------------------------------

    void start(const Entry& entry, const WorkflowStarted& event) {
        auto& plan = plans_[event.plan_hash];
        if (!event.plan.empty()) plan = read_flow_plan(event.plan);
        for (const auto& [number, flow] : flows_) {
            if (!flow.has_ended && flow.started.id == event.id) find("W1", flow, "was begun twice");
        }
        flows_[{entry.sequence.value * kTicketsPerRecord}] = {
            .started = event,
            .plan = plan,
            .steps = std::vector<Stride>(plan.size()),
            .begun = entry.world};
        expect_asked(flows_[{entry.sequence.value * kTicketsPerRecord}]);
    }

    void open(const StepOpened& event) {
        auto* const flow = open_run(event.run, "begins");
        if (flow == nullptr) return;
        auto& step = flow->steps[event.step];
        if (!step.parts.empty() || step.has_ended) find(*flow, event.step, "begins twice");
        expect_ready(*flow, event.step);
        expect_condition(*flow, event.step, true);
        expect_count(*flow, event);
        step.parts.resize(event.count);
        if (event.count == 0) step.has_ended = true;
    }

    void begin(const StepBegan& event) {
        auto* const flow = open_run(event.run, "is asked for");
        if (flow == nullptr) return;
        auto& part = part_of(*flow, event.step, event.item);
        if (event.path == StepPath::Compensation) {
            expect_compensation(*flow, event.step, part);
        } else {
            if (flow->is_compensated) find(*flow, event.step, "begins while all is taken back");
            if (part.standing == Standing::Ended) find(*flow, event.step, "is run a second time");
            expect_ready(*flow, event.step);
            expect_condition(*flow, event.step, true);
        }
        if (part.standing == Standing::Asked || part.standing == Standing::Answered) {
            find(*flow, event.step, "is asked for again before its answer is looked at");
        }
        part.standing = Standing::Asked;
        part.path = event.path;
        children_[event.request] = {event.run, event.step, event.item};
        expect_inputs(*flow, event, book_.requests.find(event.request));
    }

    void answer(Ticket request, const EnvelopePtr& reply) {
        const auto child = children_.find(request);
        if (child == children_.end()) return;
        auto& flow = flows_.at(child->second.run);
        auto& part = part_of(flow, child->second.step, child->second.item);
        part.standing = reply ? Standing::Answered : Standing::Broken;
        part.reply = reply;
        children_.erase(child);
    }

    void delay(const StepDelayed& event) {
        auto* const flow = open_run(event.run, "waits");
        if (flow == nullptr) return;
        auto& part = part_of(*flow, event.step, event.item);
        const auto& plan = flow->plan[event.step];
        if (event.attempt > plan.retry_max)
            find(*flow, event.step, "is tried more often than it may");
        // A compensation may find no agent to ask.
        if (event.path == StepPath::Compensation && part.standing == Standing::Ended) {
            expect_compensation(*flow, event.step, part);
        } else {
            expect_no_good_answer(*flow, event.step, part);
        }
        part.standing = Standing::Delayed;
        part.path = event.path;
    }

    void ask(const StepAsked& event) {
        auto* const flow = open_run(event.run, "is put to a person");
        if (flow == nullptr) return;
        auto& part = part_of(*flow, event.step, event.item);
        expect_no_good_answer(*flow, event.step, part);
        if (event.output_size > 0 && part.reply) {
            part.offered = part.reply->body().substr(event.output_at, event.output_size);
        }
        part.standing = Standing::WaitingForHuman;
        part.human_task = event.human_task;
    }

    void end(const StepEnded& event) {
        auto* const flow = open_run(event.run, "ends");
        if (flow == nullptr) return;
        auto& part = part_of(*flow, event.step, event.item);
        if (part.standing == Standing::Ended && event.end != StepEnd::Compensated) {
            find(*flow, event.step, "ends twice");
        }
        if (part.standing == Standing::Asked) find(*flow, event.step, "ends without its answer");
        switch (event.end) {
            case StepEnd::Done:
                expect_done(*flow, event, part);
                break;
            case StepEnd::Failed:
                expect_no_good_answer(*flow, event.step, part);
                break;
            case StepEnd::Skipped:
            case StepEnd::Blocked:
                expect_passed_over(*flow, event, part);
                break;
            case StepEnd::Compensated:
                if (part.standing == Standing::Ended) expect_compensation(*flow, event.step, part);
                if (part.path != StepPath::Compensation && event.code.empty()) {
                    find(*flow, event.step, "is undone by nobody");
                }
                break;
        }
        part.output = event.output;
        if (event.output_size > 0 && part.reply) {
            part.output = part.reply->body().substr(event.output_at, event.output_size);
        }
        part.standing = Standing::Ended;
        part.end = event.end;
        conclude(flow->steps[event.step]);
    }

    static void conclude(Stride& step) {
        const auto has_ended = [](const Part& part) { return part.standing == Standing::Ended; };
        if (!std::ranges::all_of(step.parts, has_ended)) return;
        step.has_ended = true;
        const auto is_done = [](const Part& part) { return part.is(StepEnd::Done); };
        step.end =
            std::ranges::any_of(step.parts, is_done) ? StepEnd::Done : step.parts.front().end;
    }

    void compensate(const WorkflowUndone& event) {
        auto* const flow = open_run(event.run, "is taken back");
        if (flow == nullptr) return;
        if (flow->is_compensated) find("W8", *flow, "is taken back twice");
        flow->is_compensated = true;
        for (auto& step : flow->steps) {
            for (auto& part : step.parts) {
                const bool waits = part.standing == Standing::Delayed ||
                                   part.standing == Standing::WaitingForHuman;
                if (!waits) continue;
                part.standing = Standing::Ended;
                part.end = StepEnd::Failed;
            }
        }
    }

    // --- expectations ------------------------------------------------------------------------

    void expect_ready(const Flow& flow, std::uint32_t step) {
        for (const auto other : flow.plan[step].after) {
            if (!flow.steps[other].has_ended) find(flow, step, "begins before what it waits for");
        }
    }

    /// Expects that some caller ordered the workflow with exactly this plan and input.
    void expect_asked(const Flow& flow) {
        bool is_known = false;
        for (const auto& asked : book_.history->asked) {
            const auto* order = std::get_if<StartWorkflow>(&asked.command);
            if (order == nullptr || order->id != flow.started.id) continue;
            is_known = true;
            const bool is_same_plan = flow.started.plan.empty() || order->plan == flow.started.plan;
            if (is_same_plan && order->input == flow.started.input) return;
        }
        if (is_known) find("W8", flow, "runs as nobody asked for it");
    }

    /// Expects that a step with a condition runs, or does not run, as the condition says.
    /// Conditions of simulated plans compare the status of a step.
    void expect_condition(const Flow& flow, std::uint32_t step, bool runs) {
        const auto& when = flow.plan[step].when;
        if (when.empty()) return;
        const auto status = value_at(flow, when["value"]["$from"].text);
        if ((status.text == when["is"].text) == runs) return;
        find(flow,
             step,
             runs ? "runs against its condition" : "is passed over against its condition");
    }

    /// A for_each step runs once per element of its list.
    void expect_count(const Flow& flow, const StepOpened& event) {
        const auto list = value_at(flow, flow.plan[event.step].for_each);
        if (list.elements.size() != event.count) find(flow, event.step, "runs for another list");
    }

    /// Expects the request's inputs to be the outputs of earlier steps, and nothing else.
    template <class Request>
    void expect_inputs(const Flow& flow, const StepBegan& event, Request request) {
        if (request == book_.requests.end()) return find(flow, event.step, "is asked of nobody");
        const auto body = read_json(request->second.asked->body());
        const auto& plan = flow.plan[event.step];
        const auto expected = filled_in(plan.inputs, [&](std::string_view at) -> PlainJson {
            constexpr std::string_view kItem = "/item";
            if (!at.starts_with(kItem)) return value_at(flow, at);
            const auto list = value_at(flow, plan.for_each);
            if (event.item >= list.elements.size()) return {};
            return list.elements[event.item].at(at.substr(kItem.size()));
        });
        if (body["inputs"].raw != expected) find(flow, event.step, "is asked with other things");
    }

    /// The value at a pointer. Simulated plans point only into the input and into the status or
    /// output of steps.
    static PlainJson value_at(const Flow& flow, std::string_view pointer) {
        constexpr std::string_view kInput = "/input";
        constexpr std::string_view kSteps = "/steps/";
        constexpr std::string_view kOutput = "/output";
        if (pointer.starts_with(kInput)) {
            return read_json(flow.started.input).at(pointer.substr(kInput.size()));
        }
        pointer.remove_prefix(std::min(kSteps.size(), pointer.size()));
        const auto name = pointer.substr(0, pointer.find('/'));
        const auto step = std::ranges::find(flow.plan, name, &FlowStep::id);
        if (step == flow.plan.end()) return {};
        pointer.remove_prefix(name.size());
        const auto index = static_cast<std::size_t>(step - flow.plan.begin());
        if (pointer == "/status") return read_json(status_of(flow.steps[index]));
        pointer.remove_prefix(std::min(kOutput.size(), pointer.size()));
        return read_json(output_of(flow, index)).at(pointer);
    }

    static std::string status_of(const Stride& step) {
        if (!step.has_ended) return "null";
        if (step.end == StepEnd::Done) return R"("COMPLETED")";
        return step.end == StepEnd::Failed ? R"("FAILED")" : R"("ANOTHER")";
    }

    static std::string output_of(const Flow& flow, std::size_t step) {
        const auto& parts = flow.steps[step].parts;
        if (flow.plan[step].for_each.empty()) {
            const bool is_done = !parts.empty() && parts.front().is(StepEnd::Done);
            return is_done ? parts.front().output : std::string{};
        }
        if (!flow.steps[step].has_ended || flow.steps[step].end != StepEnd::Done) return {};
        std::string list;
        for (const auto& part : parts) {
            const bool has_any = part.is(StepEnd::Done) && !part.output.empty();
            list += (list.empty() ? "" : ",") + (has_any ? part.output : std::string{"null"});
        }
        return "[" + list + "]";
    }

    /// True if the answer completes the step.
    static bool will_do(const FlowAnswer& answer, const FlowStep& plan) {
        return answer.is_done &&
               (!answer.says_confidence || answer.confidence >= plan.confidence_min);
    }

    void expect_no_good_answer(const Flow& flow, std::uint32_t step, const Part& part) {
        if (part.standing == Standing::Asked) find(flow, step, "goes on without its answer");
        if (part.standing == Standing::Ended) find(flow, step, "goes on after its end");
        if (part.standing != Standing::Answered) return;
        if (will_do(read_flow_answer(part.reply->body()), flow.plan[step])) {
            find(flow, step, "was answered, and the answer does not count");
        }
    }

    void expect_done(const Flow& flow, const StepEnded& event, const Part& part) {
        const auto& plan = flow.plan[event.step];
        if (part.standing == Standing::WaitingForHuman) return expect_decided(flow, event, part);
        const auto outcome = part.standing == Standing::Answered
                                 ? read_flow_answer(part.reply->body())
                                 : FlowAnswer{};
        if (!will_do(outcome, plan)) {
            const bool is_preset = event.is_partial && !event.code.empty() &&
                                   !plan.fallback_value.empty() &&
                                   event.output == plan.fallback_value;
            if (!is_preset) find(flow, event.step, "is done, and nobody did it");
            return;
        }
        const auto brought = event.output_size > 0
                                 ? part.reply->body().substr(event.output_at, event.output_size)
                                 : std::string_view{event.output};
        if (brought != outcome.output) find(flow, event.step, "goes on with another's answer");
        const auto sure = outcome.says_confidence ? outcome.confidence : kNoConfidence;
        if (event.confidence != sure) {
            find(flow, event.step, "is surer than its answer");
        }
    }

    void expect_decided(const Flow& flow, const StepEnded& event, const Part& part) {
        const auto said = said_.find(part.human_task);
        if (said == said_.end() || said->second.decision == HumanDecision::Reject) {
            return find(flow, event.step, "is done, and no person said so");
        }
        const bool is_approved = said->second.decision == HumanDecision::Approve;
        const bool is_offered = is_approved && !part.offered.empty();
        if (is_offered != (event.output_size > 0)) {
            find(flow, event.step, "goes on with something else than a person said");
        }
        const bool is_its_own = flow.plan[event.step].is_human_task || is_offered;
        if (!is_its_own && event.output != said->second.content) {
            find(flow, event.step, "goes on with something else than a person answered");
        }
    }

    void expect_passed_over(const Flow& flow, const StepEnded& event, const Part& part) {
        const auto& plan = flow.plan[event.step];
        if (part.standing != Standing::Waiting) find(flow, event.step, "is passed over too late");
        expect_ready(flow, event.step);
        const bool has_lost = std::ranges::any_of(
            plan.after, [&](std::uint32_t other) { return flow.steps[other].is_lost(); });
        const bool may =
            event.end == StepEnd::Skipped ? !plan.when.empty() : plan.when.empty() && has_lost;
        if (!may) find(flow, event.step, "is passed over for no reason");
        if (event.end == StepEnd::Skipped) expect_condition(flow, event.step, false);
    }

    static bool can_be_compensated(const Flow& flow, std::size_t step, const Part& part) {
        return part.is(StepEnd::Done) && flow.plan[step].can_be_compensated;
    }

    /// Expects a compensation only of a completed step, after the steps that waited for the step.
    void expect_compensation(const Flow& flow, std::uint32_t step, const Part& part) {
        if (!flow.is_compensated) find(flow, step, "is taken back, and nobody wanted it");
        const bool is_retry =
            part.standing == Standing::Delayed && part.path == StepPath::Compensation;
        if (!is_retry && !can_be_compensated(flow, step, part)) {
            find(flow, step, "is taken back without having been done");
        }
        for (std::uint32_t other = 0; other < flow.steps.size(); ++other) {
            const auto& parts = flow.steps[other].parts;
            const bool is_still_done = std::ranges::any_of(
                parts, [&](const Part& each) { return can_be_compensated(flow, other, each); });
            if (is_still_done && waits_for(flow.plan, other, step)) {
                find(flow, step, "is taken back before what came after it");
            }
            const bool is_busy = std::ranges::any_of(
                parts, [](const Part& each) { return each.standing == Standing::Asked; });
            if (is_busy) find(flow, step, "is taken back while another one is at work");
        }
    }

    /// True directly or through other steps. Simulated plans are small.
    static bool waits_for(const FlowPlan& plan, std::uint32_t later, std::uint32_t earlier) {
        return std::ranges::any_of(plan[later].after, [&](std::uint32_t before) {
            return before == earlier || waits_for(plan, before, earlier);
        });
    }

    // --- the end -----------------------------------------------------------------------------

    void end_run(const Entry& entry, const WorkflowEnded& event) {
        auto* const flow = open_run(event.run, "ends");
        if (flow == nullptr) return;
        flow->has_ended = true;
        ++ends_[event.id];
        expect_end(entry, *flow, event);
        expect_report(*flow, event);
        for (std::uint32_t step = 0; step < flow->steps.size(); ++step) {
            for (const auto& part : flow->steps[step].parts) {
                if (part.standing == Standing::Answered) find(*flow, step, "has an unread answer");
                if (flow->is_compensated && can_be_compensated(*flow, step, part)) {
                    find(*flow, step, "was not taken back");
                }
            }
        }
    }

    static WorkflowEnd end_of(const Flow& flow) {
        if (flow.is_compensated) return WorkflowEnd::Cancelled;
        bool has_done = false;
        bool has_lost = false;
        for (std::size_t i = 0; i < flow.steps.size(); ++i) {
            const auto& step = flow.steps[i];
            const bool fails_all = flow.plan[i].fails_all;
            const bool has_failed = step.has_ended && step.end == StepEnd::Failed;
            if (has_failed && fails_all) return WorkflowEnd::Failed;
            has_lost = has_lost || step.is_lost() || step.has_gaps();
            has_done = has_done || (step.has_ended && !step.is_lost());
        }
        if (!has_lost) return WorkflowEnd::Completed;
        return has_done ? WorkflowEnd::Partial : WorkflowEnd::Failed;
    }

    void expect_end(const Entry& entry, const Flow& flow, const WorkflowEnded& event) {
        const auto deadline = flow.started.deadline;
        if (event.end == WorkflowEnd::TimedOut) {
            const bool is_over = deadline != Time{} && deadline <= entry.at && !flow.is_compensated;
            if (!is_over) find("W1", flow, "was ended before its time was over");
        } else if (event.end != end_of(flow)) {
            find("W8", flow, "did not end as its steps did");
        }
        const auto has_ended = [](const Stride& step) { return step.has_ended; };
        const bool may_be_open =
            event.end != WorkflowEnd::Completed && event.end != WorkflowEnd::Partial;
        if (!may_be_open && !std::ranges::all_of(flow.steps, has_ended)) {
            find("W8", flow, "ended with something left to do");
        }
        if (deadline == Time{} || flow.is_compensated || is_stopped_ || resumed_at_ >= deadline)
            return;
        const auto opportunity = book_.clock.first_opportunity(deadline, flow.begun);
        if (opportunity != Time::max() && entry.world > opportunity + kTick) {
            find("W1", flow, "ended after its time");
        }
    }

    void expect_report(const Flow& flow, const WorkflowEnded& event) {
        const auto report = read_json(event.report);
        for (std::size_t i = 0; i < flow.steps.size(); ++i) {
            const auto expected = output_of(flow, i);
            if (report["output"][flow.plan[i].id].raw != expected) {
                find(flow, static_cast<std::uint32_t>(i), "is reported with another output");
            }
        }
    }

    const Book& book_;
    Findings& findings_;
    std::map<std::string, FlowPlan> plans_;
    std::map<Ticket, Flow> flows_;
    std::map<Ticket, Place> children_;  ///< Open requests.
    std::map<Ticket, Said> said_;
    std::map<std::string, int> ends_;
    Time resumed_at_{};
    bool is_stopped_ = false;
};

}  // namespace

void check_w8(const Book& book, Findings& findings) { Runs{book, findings}.run(); }

}  // namespace parlance::sim
