// The specification's scenarios as workflows. Each scenario is run once for every record in its
// journal, with the hub killed right after the record is durable: before its effects left the hub,
// and after. Every run must end with the same result, and no answered step may run again.
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/json.h"
#include "core/testing/plain_message_writer.h"
#include "engine/engine.h"
#include "journal/event_codec.h"
#include "journal/testing/memory_disk.h"
#include "sim/checkers/checkers.h"

namespace parlance::sim {
namespace {

using namespace std::chrono_literals;

/// The answer of the agent with a capability, by capability.
using Answers = std::map<std::string, std::string>;

struct Scenario {
    std::string plan;
    std::string input;
    Answers answers;
    std::string status;
    std::string output;
};

/// When the process dies: right after the record is durable.
struct Moment {
    std::uint64_t record = 0;  ///< 0: never.
    bool has_spoken = false;   ///< The effects of the record left the hub.
};

/// One hub on one disk, with quick and honest agents and people.
class World {
  public:
    World(const Scenario& scenario, Moment moment) : scenario_(scenario), moment_(moment) {}

    /// Runs until the workflow has ended, or nothing moves any more.
    void live() {
        constexpr int kRoundsMax = 2'000;
        start();
        for (int i = 0; i < kRoundsMax && report_.empty(); ++i) {
            if (!engine_) start();
            if (!take_turns()) continue;
            if (serve()) continue;
            now_ = std::max(now_ + 1ms, engine_->next_due());
        }
    }
    const std::string& report() const { return report_; }

    /// The journal on the disk as a history for the checkers of the simulator.
    History history() {
        History history;
        auto reader = journal::Reader::open(disk_, {1});
        journal::Record record;
        while (*reader->next(record, last_)) {
            history.journal.push_back({record.sequence, record.at, *journal::decode(record)});
        }
        return history;
    }

  private:
    void start() {
        auto journal = journal::Journal::open(disk_, {.segment_bytes = std::uint64_t{1} << 16});
        ASSERT_TRUE(journal);
        journal_ = journal->get();
        // A turn of one step: every decision is a write of its own.
        auto engine =
            engine::Engine::open(std::move(*journal),
                                 {.message_writer = &message_writer_,
                                  .version = "test",
                                  .turn_commands_min = 1,
                                  .turn_commands_max = 1,
                                  .turn_bytes_max = journal::Batch{}.bytes() + 1},
                                 {.wall_clock = [this] { return now_; },
                                  .steady_clock = [this] { return now_.time_since_epoch(); },
                                  .entropy = [this] { return ++entropy_; },
                                  .outbox = [this](Effects&& said) { hear(said); },
                                  .background = [](auto chore) { chore(); },
                                  .log = [](const std::string&) {}});
        ASSERT_TRUE(engine);
        engine_ = std::move(*engine);
        for (const auto& [capability, answer] : scenario_.answers) {
            bring(RegisterAgent{{"for-" + capability},
                                {.capabilities = R"([{"code":")" + capability + R"("}])"}});
            bring(JoinInstance{{"for-" + capability}, "one", InstanceKind::Socket, 10});
        }
        // A caller that has not heard of the start asks again: the same id is the same workflow.
        bring(StartWorkflow{.id = "w", .plan = scenario_.plan, .input = scenario_.input});
    }

    void bring(Command command, const std::string& caller = {}) {
        Stamped stamped{.command = std::move(command)};
        if (!caller.empty()) {
            stamped.caller = std::make_shared<Caller>(
                Caller{.agent = {caller}, .is_operator = caller == "ann", .users = {"*"}});
        }
        ASSERT_EQ(engine_->submit(std::move(stamped)), Refusal::None);
    }

    void hear(const Effects& said) {
        if (is_silent()) return;
        for (const auto& effect : said) {
            if (const auto* deliver = std::get_if<Deliver>(&effect)) delivered_.push_back(*deliver);
            if (const auto* ended = std::get_if<TellEnded>(&effect)) report_ = ended->report;
        }
    }
    bool is_due_to_die() const {
        return moment_.record > 0 && journal_->last_sequence().value >= moment_.record;
    }
    bool is_silent() const { return is_due_to_die() && !moment_.has_spoken; }

    /// False if the process has died.
    bool take_turns() {
        for (bool has_more = true; has_more;) {
            has_more = engine_->turn() || engine_->has_work();
            last_ = engine_->durable();
            if (is_due_to_die()) return die();
        }
        return true;
    }
    bool die() {
        moment_.record = 0;
        engine_.reset();
        delivered_.clear();
        disk_.lose_power([](std::uint64_t) { return std::uint64_t{0}; });
        now_ += 5ms;
        return false;
    }

    /// Agents and people answer everything open; false if nothing was open.
    bool serve() {
        for (; !delivered_.empty(); delivered_.pop_front()) answer(delivered_.front());
        const auto& human_tasks = engine_->state().people.human_tasks;
        for (const auto id : human_tasks.tickets()) {
            const auto human_task = human_tasks.at(id);
            if (human_task->stage != core::people::Stage::Waiting) continue;
            bring(AnswerHumanTask{.id = id}, "ann");
            break;
        }
        if (report_.empty() && !engine_->has_work()) read_ended();
        return engine_->has_work();
    }
    /// Reads the report from the journal: the workflow may have ended while the hub could not say
    /// so.
    void read_ended() {
        for (const auto& entry : history().journal) {
            const auto* ended = std::get_if<WorkflowEnded>(&entry.event);
            if (ended != nullptr) report_ = ended->report;
        }
    }
    void answer(const Deliver& deliver) {
        const auto& asked = *deliver.envelope;
        const auto agent = std::string{asked.to()};
        const auto reply =
            Envelope::make({.id = "r" + std::to_string(++answers_),
                            .from = agent,
                            .to = asked.from(),
                            .type = "ANSWER",
                            .correlation = asked.correlation(),
                            .answers = asked.id(),
                            .intent = Intent::Reply},
                           scenario_.answers.at(agent.substr(std::string{"for-"}.size())));
        bring(ReplyToDelivery{.delivery = deliver.delivery, .envelope = reply}, agent);
    }

    const Scenario& scenario_;
    Moment moment_;
    const core::PlainMessageWriter message_writer_{};
    journal::testing::MemoryDisk disk_;
    std::unique_ptr<engine::Engine> engine_;
    journal::Journal* journal_ = nullptr;
    Sequence last_{};
    std::deque<Deliver> delivered_;
    std::string report_;
    Time now_{std::chrono::hours{480'000}};
    std::uint64_t entropy_ = 0;
    std::uint64_t answers_ = 0;
};

std::string raw_at(const std::string& report, std::string_view pointer) {
    const auto value = json::find_at(json::root(report), pointer);
    return value ? std::string{value->raw} : std::string{"nothing"};
}

/// The first finding of W8: every answered step ran once, and the workflow ended once.
std::string broken_in(World& world) {
    const auto history = world.history();
    const auto book = read_book(history);
    Findings findings;
    check_w8(book, findings);
    return findings.empty() ? std::string{} : findings.front().what;
}

void expect_same(const Scenario& scenario, World& world) {
    EXPECT_EQ(raw_at(world.report(), "/status"), scenario.status);
    EXPECT_EQ(raw_at(world.report(), "/output"), scenario.output);
    EXPECT_EQ(broken_in(world), "");
}

void kill_at_every_event(const Scenario& scenario) {
    World quiet{scenario, {}};
    quiet.live();
    expect_same(scenario, quiet);
    const auto records = quiet.history().journal.size();
    ASSERT_GT(records, 20U);
    for (std::uint64_t record = 1; record <= records; ++record) {
        for (const bool has_spoken : {false, true}) {
            SCOPED_TRACE("killed after record " + std::to_string(record) + " of " +
                         std::to_string(records) + (has_spoken ? ", having" : ", not having") +
                         " spoken");
            World world{scenario, {record, has_spoken}};
            world.live();
            expect_same(scenario, world);
            if (testing::Test::HasFailure()) return;
        }
    }
}

TEST(KilledAtEveryEvent, C11_K14_BusinessCaseOverThreeAgentsEndsTheSame) {
    kill_at_every_event(
        {.plan = R"({"name":"business_case","steps":[
            {"id":"framework","capability":"CST_FRAMEWORK"},
            {"id":"npv","capability":"ANL_NPV",
             "inputs":{"cash_flows":{"$from":"/steps/framework/output/cash_flows"}}},
            {"id":"document","capability":"DOC_GENERATE",
             "inputs":{"npv":{"$from":"/steps/npv/output/npv"}}}]})",
         .input = R"({"market":"Norway"})",
         .answers = {{"CST_FRAMEWORK", R"({"output":{"cash_flows":[-100000,30000,40000,50000]}})"},
                     {"ANL_NPV", R"({"output":{"npv":17206.82},"confidence":0.9})"},
                     {"DOC_GENERATE", R"({"output":"The case for Norway"})"}},
         .status = R"("COMPLETED")",
         .output = R"({"framework":{"cash_flows":[-100000,30000,40000,50000]},)"
                   R"("npv":{"npv":17206.82},"document":"The case for Norway"})"});
}

TEST(KilledAtEveryEvent, C11_K15_ReceiptWithCategoriesAndMergeEndsTheSame) {
    kill_at_every_event(
        {.plan = R"({"name":"receipt","steps":[
            {"id":"read","capability":"OCR_READ"},
            {"id":"category","capability":"CATEGORISE",
             "for_each":{"$from":"/steps/read/output/lines","at_most":10},
             "inputs":{"line":{"$from":"/item"}}},
            {"id":"merge","capability":"MERGE",
             "inputs":{"all":{"$from":"/steps/category/output"}}}]})",
         .input = R"({"image":"receipt-1"})",
         .answers = {{"OCR_READ", R"({"output":{"lines":["coffee","train"]}})"},
                     {"CATEGORISE", R"({"output":"travel"})"},
                     {"MERGE", R"({"output":{"travel":2}})"}},
         .status = R"("COMPLETED")",
         .output = R"({"read":{"lines":["coffee","train"]},"category":["travel","travel"],)"
                   R"("merge":{"travel":2}})"});
}

TEST(KilledAtEveryEvent, C11_S13_VendorApprovedByAPersonEndsTheSame) {
    kill_at_every_event(
        {.plan = R"({"name":"vendor","steps":[
            {"id":"vendor","capability":"VENDOR_FIND"},
            {"id":"ok","human":{"role":"compliance_officer","question":"May we buy there?"},
             "after":["vendor"]},
            {"id":"order","capability":"ORDER","after":["ok"],
             "when":{"value":{"$from":"/steps/ok/output/decision"},"is":"approve"}}]})",
         .input = "{}",
         .answers = {{"VENDOR_FIND", R"({"output":{"vendor":"Acme"}})"},
                     {"ORDER", R"({"output":{"ordered":true}})"}},
         .status = R"("COMPLETED")",
         .output = R"({"vendor":{"vendor":"Acme"},"ok":{"decision":"approve","by":"ann"},)"
                   R"("order":{"ordered":true}})"});
}

TEST(KilledAtEveryEvent, C11_K16_IntentPlanToolsAndResponseEndTheSame) {
    kill_at_every_event({.plan = R"({"name":"intent","steps":[
            {"id":"intent","capability":"CLASSIFY"},
            {"id":"plan","capability":"PLAN","inputs":{"of":{"$from":"/steps/intent/output"}}},
            {"id":"search","capability":"SEARCH","after":["plan"]},
            {"id":"lookup","capability":"LOOKUP","after":["plan"],"retry":{"limit":1,"backoff_ms":20}},
            {"id":"response","capability":"RESPOND",
             "when":{"value":{"$from":"/steps/lookup/status"},"is":"FAILED"},
             "inputs":{"found":{"$from":"/steps/search/output"}}}]})",
                         .input = R"({"words":"Where is my parcel?"})",
                         .answers = {{"CLASSIFY", R"({"output":"track","confidence":0.8})"},
                                     {"PLAN", R"({"output":["search","lookup"]})"},
                                     {"SEARCH", R"({"output":"Oslo"})"},
                                     {"LOOKUP", R"({"error":"DATA_MISSING"})"},
                                     {"RESPOND", R"({"output":"It is in Oslo."})"}},
                         .status = R"("PARTIAL")",
                         .output =
                             R"({"intent":"track","plan":["search","lookup"],"search":"Oslo",)"
                             R"("response":"It is in Oslo."})"});
}

}  // namespace
}  // namespace parlance::sim
