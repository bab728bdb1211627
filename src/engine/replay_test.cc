// A workflow runs on a disk in memory and is then replayed from its journal: the same rules give no
// difference, other rules give the first record that they would not have made.
#include "engine/replay.h"

#include <map>

#include <gtest/gtest.h>

#include "base/json.h"
#include "core/testing/plain_message_writer.h"
#include "engine/engine.h"
#include "journal/testing/memory_disk.h"
#include "model/policy.h"

namespace parlance::engine {
namespace {

constexpr const char* kPlan = R"({"steps":[
    {"id":"left","agent":"a","retry":{"limit":1,"backoff_ms":10}},
    {"id":"right","agent":"b"},
    {"id":"list","agent":"a","for_each":{"$from":"/steps/right/output"}},
    {"id":"ok","human":{"question":"Is it good?"},"after":["left","list"]},
    {"id":"last","agent":"b","after":["ok"]}]})";

/// Reads every answer as a failure.
class Sceptic : public core::PlainMessageWriter {
  public:
    Outcome read(const Envelope&) const override {
        return {.code = "NOT_BELIEVED", .detail = "it is not believed", .is_retryable = true};
    }
};

struct ReplayFixture {
    journal::testing::MemoryDisk disk;
    const core::PlainMessageWriter message_writer{};
    Time now{std::chrono::hours{480'000}};
    std::uint64_t entropy = 0;
    std::vector<Deliver> delivered;
    std::map<std::string, std::string> answers{{"a", R"({"error":"BUSY_NOW","retryable":true})"},
                                               {"b", R"({"output":[1,2]})"}};
    std::unique_ptr<Engine> engine;

    ReplayFixture() {
        auto journal = journal::Journal::open(disk, {.segment_bytes = std::uint64_t{1} << 20});
        Options options;
        options.message_writer = &message_writer;
        options.version = "test";
        auto opened = Engine::open(std::move(*journal),
                                   options,
                                   {.wall_clock = [this] { return now; },
                                    .steady_clock = [this] { return now.time_since_epoch(); },
                                    .entropy = [this] { return ++entropy; },
                                    .outbox = [this](Effects&& said) { hear(said); },
                                    .background = [](auto chore) { chore(); },
                                    .log = [](const std::string&) {}});
        engine = *std::move(opened);
        for (const auto* agent : {"a", "b"}) {
            bring(RegisterAgent{{agent}, {}});
            bring(JoinInstance{{agent}, "one", InstanceKind::Socket, 10});
        }
    }
    void hear(const Effects& said) {
        for (const auto& effect : said) {
            if (const auto* deliver = std::get_if<Deliver>(&effect)) delivered.push_back(*deliver);
        }
    }
    void bring(Command command, std::shared_ptr<const Caller> caller = {}) {
        ASSERT_EQ(engine->submit({.command = std::move(command), .caller = std::move(caller)}),
                  Refusal::None);
        while (engine->turn()) {
        }
    }
    void answer_all() {
        while (!delivered.empty()) {
            const auto deliver = delivered.front();
            delivered.erase(delivered.begin());
            const std::string agent{deliver.envelope->to()};
            const auto id = "r" + std::to_string(++entropy);
            bring(ReplyToDelivery{
                .delivery = deliver.delivery,
                .envelope = Envelope::make({.id = id,
                                            .from = agent,
                                            .to = "ORC",
                                            .type = "ANSWER",
                                            .correlation = deliver.envelope->correlation(),
                                            .intent = Intent::Reply},
                                           answers[agent])});
        }
    }
    void decide_all() {
        std::vector<Ticket> waiting;
        const auto& human_tasks = engine->state().people.human_tasks;
        for (const auto id : human_tasks.tickets()) {
            if (human_tasks.at(id)->stage == core::people::Stage::Waiting) waiting.push_back(id);
        }
        const auto ann = std::make_shared<Caller>(Caller{.agent = {"ann"}, .is_operator = true});
        for (const auto id : waiting) bring(AnswerHumanTask{.id = id}, ann);
    }
    /// Runs a workflow with two agents (agent a is busy at first), a list and a human task.
    void live() {
        bring(StartWorkflow{.id = "w", .plan = kPlan, .input = "{}"});
        bring(SendMessage{
            .envelope = Envelope::make({.id = "m", .from = "x", .to = "a", .type = "T"}, "{}")});
        answer_all();
        answers["a"] = R"({"output":"fine"})";
        for (int round = 0; round < 5; ++round) {
            now += Duration{300};
            bring(Tick{});
            answer_all();
            decide_all();
        }
        ASSERT_TRUE(engine->state().workflows.runs.empty());
    }
    void narrow_policy() {
        bring(
            ChangePolicy{.settings = print_policy({{{Rule::FanoutMax, {}}, 1}}), .reason = "less"});
    }
    Result<Replay> replay(ReplayOptions options = {}) {
        if (options.message_writer == nullptr) options.message_writer = &message_writer;
        return replay_workflow(disk, engine->durable(), "w", options);
    }
};

std::string name_in(const std::string& event) {
    if (event.empty()) return "nothing";
    std::string spare;
    return std::string{json::find(json::root(event), "event")->text(spare)};
}

TEST(Replay, P3_FindsNoDifferenceByTheSameRules) {
    ReplayFixture fixture;
    fixture.live();
    fixture.narrow_policy();
    const auto replay = fixture.replay();
    ASSERT_TRUE(replay) << replay.error().message;
    EXPECT_FALSE(replay->difference) << replay->difference->recorded << '\n'
                                     << replay->difference->decided;
    EXPECT_TRUE(replay->has_ended);
    EXPECT_GT(replay->compared, 20U);
}

TEST(Replay, P3_ShowsTheFirstRecordThatTheCurrentPolicyWouldHavePrevented) {
    ReplayFixture fixture;
    fixture.live();
    fixture.narrow_policy();
    const auto replay = fixture.replay({.has_policy_of_now = true});
    ASSERT_TRUE(replay);
    ASSERT_TRUE(replay->difference);
    // The second step: the new policy allows a workflow one open request at a time.
    EXPECT_EQ(name_in(replay->difference->recorded), "MessageAccepted");
    EXPECT_EQ(name_in(replay->difference->decided), "nothing");
    EXPECT_GT(replay->difference->sequence, replay->first);
}

TEST(Replay, P3_ShowsTheOutcomeThatOtherRulesWouldHaveDecided) {
    ReplayFixture fixture;
    fixture.live();
    const Sceptic sceptic;
    const auto replay = fixture.replay({.message_writer = &sceptic});
    ASSERT_TRUE(replay);
    ASSERT_TRUE(replay->difference);
    EXPECT_NE(replay->difference->decided.find("NOT_BELIEVED"), std::string::npos)
        << replay->difference->decided;
}

TEST(Replay, P3_GoesAsFarAsAWorkflowThatStillRuns) {
    ReplayFixture fixture;
    fixture.bring(StartWorkflow{.id = "w", .plan = kPlan, .input = "{}"});
    const auto replay = fixture.replay();
    ASSERT_TRUE(replay);
    EXPECT_FALSE(replay->difference);
    EXPECT_FALSE(replay->has_ended);
    EXPECT_GT(replay->compared, 0U);
}

TEST(Replay, FailsWithNotFoundForAnUnknownWorkflow) {
    ReplayFixture fixture;
    EXPECT_EQ(fixture.replay().error().fault, Fault::NotFound);
}

}  // namespace
}  // namespace parlance::engine
