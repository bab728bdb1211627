// Handing over: the holder of a task, the next agent after a refusal, the agent chosen of several,
// and the pushed state that comes back to its requester.
#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "base/json.h"
#include "core/inspect.h"
#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

/// Connected agents, and the last delivery of each.
struct Floor {
    Story story;
    std::map<std::string, DeliveryToken> held;
    std::map<std::string, EnvelopePtr> read;
    std::map<std::string, std::string> state;
    std::vector<std::string> order;
    int answers = 0;

    explicit Floor(const std::vector<std::string>& agents) {
        // No agent is given up for silence while a test lets time pass.
        story.limits().heartbeat_timeout = 1h;
        story.limits().lease = 1h;
        for (const auto& agent : agents) join(agent);
    }
    void join(const std::string& agent, const std::string& skill = {}) {
        Profile profile;
        profile.capabilities = skill.empty() ? "[]" : R"([{"code":")" + skill + R"("}])";
        story.as_the_hub().ask(RegisterAgent{{agent}, profile});
        story.connect(agent, 10);
    }
    /// The hub restarts, and these agents come back.
    void restart(const std::vector<std::string>& agents) {
        story.as_the_hub().restart();
        for (const auto& agent : agents) {
            story.as_the_hub().connect(agent, 10);
            look();
        }
    }
    Floor& look() {
        for (const auto& deliver : story.asked_for<Deliver>()) {
            const auto* message =
                broker::find_message(story.state().broker, deliver.delivery.ticket);
            const auto& to = story.state().registry.agents[message->mailbox].id.value;
            held[to] = deliver.delivery;
            read[to] = deliver.envelope;
            state[to] = deliver.state;
            order.push_back(to);
        }
        return *this;
    }
    Floor& send(const Letter& letter, SendMessage send = {}) {
        send.envelope = envelope(letter);
        send.priority = Priority::High;
        send.fingerprint = fingerprint(letter);
        story.as(letter.from).ask(std::move(send));
        return look();
    }
    Floor& ask(const std::string& id, const std::string& from, const std::string& to) {
        return send({.id = id,
                     .from = from,
                     .to = to,
                     .task = "t",
                     .correlation = "c",
                     .intent = Intent::Request});
    }
    Floor& hand_over(const std::string& id,
                     const std::string& from,
                     const std::string& to,
                     const std::string& fallback = {}) {
        Passing passing{.hands_over = true, .fallback = fallback};
        return send({.id = id,
                     .from = from,
                     .to = to,
                     .task = "t",
                     .correlation = "c",
                     .intent = Intent::Request},
                    {.timeout = 60s, .passing = std::make_shared<const Passing>(passing)});
    }
    Floor& help(const std::string& from, const std::string& to, Passing passing = {}) {
        return send(
            {.id = "help",
             .from = from,
             .to = to,
             .task = "t",
             .correlation = "c",
             .intent = Intent::Request},
            {.timeout = 60s, .passing = std::make_shared<const Passing>(std::move(passing))});
    }
    Floor& fail(const std::string& agent) { return answer(agent, true, "{}", AnswerKind::Failed); }
    Floor& answer(const std::string& agent,
                  bool is_no = false,
                  const std::string& body = "{}",
                  std::optional<AnswerKind> kind = {}) {
        const auto token = held.at(agent);
        const auto asked = read.at(agent);
        held.erase(agent);
        const Letter letter{.id = "r" + std::to_string(++answers),
                            .from = agent,
                            .to = std::string{asked->from()},
                            .task = std::string{asked->task()},
                            .correlation = std::string{asked->correlation()},
                            .intent = Intent::Reply,
                            .body = body};
        story.as(agent).ask(ReplyToDelivery{
            .delivery = token,
            .envelope = envelope(letter),
            .falls_short = is_no,
            .kind = kind.value_or(is_no ? AnswerKind::Declined : AnswerKind::Done)});
        return look();
    }
    Floor& later(Duration by) {
        story.as_the_hub().later(by).tick();
        return look();
    }
    bool has(const std::string& agent, const std::string& id) const {
        const auto found = read.find(agent);
        return held.contains(agent) && found != read.end() && found->second->id() == id;
    }
};

TEST(Handing, T3_TheAcceptingAgentGetsTheTaskAndAnswersItsRequester) {
    Floor floor{{"x", "a", "b"}};
    floor.ask("job", "x", "a").hand_over("h", "a", "b");
    ASSERT_TRUE(floor.has("a", "job"));
    ASSERT_TRUE(floor.has("b", "h"));
    const auto before = floor.held.at("a");

    floor.answer("b");
    EXPECT_EQ(floor.story.happened<MessageMoved>().size(), 1U);
    EXPECT_TRUE(floor.has("a", "r1"));   // "a" is told that the offer was accepted,
    EXPECT_TRUE(floor.has("b", "job"));  // and the task is delivered to "b".

    // The former holder can do nothing about the task any more.
    floor.story.as("a").ask(AckDelivery{before});
    EXPECT_EQ(floor.story.refusal(), Refusal::DeliveryStale);
    floor.send({.id = "late",
                .from = "a",
                .to = "x",
                .task = "t",
                .correlation = "c",
                .intent = Intent::Reply,
                .answers = "job"});
    EXPECT_EQ(floor.story.happened<ReplyDropped>().size(), 1U);

    floor.answer("b");
    EXPECT_TRUE(floor.has("x", "r2"));
    EXPECT_TRUE(floor.story.state().handing.former.empty());
}

TEST(Handing, T3_ARefusalLeavesTheTaskWithItsHolder) {
    Floor floor{{"x", "a", "b"}};
    floor.ask("job", "x", "a").hand_over("h", "a", "b");
    const auto job = floor.held.at("a");
    floor.answer("b", true);
    EXPECT_TRUE(floor.story.happened<MessageMoved>().empty());
    EXPECT_TRUE(floor.has("a", "r1"));  // "a" hears the refusal although it has the task in hand.
    floor.held["a"] = job;
    floor.read["a"] =
        envelope({.id = "job", .from = "x", .to = "a", .task = "t", .correlation = "c"});
    floor.answer("a");
    EXPECT_TRUE(floor.has("x", "r2"));
}

TEST(Handing, T3_SilenceIsARefusal) {
    Floor floor{{"x", "a", "b"}};
    floor.ask("job", "x", "a").hand_over("h", "a", "b");
    floor.later(59s);
    EXPECT_TRUE(floor.story.happened<RequestFailed>().empty());
    floor.later(1s);
    const auto failed = floor.story.happened<RequestFailed>();
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_EQ(failed[0].refusal, Refusal::RequestTimedOut);
    EXPECT_TRUE(floor.story.happened<MessageMoved>().empty());
    EXPECT_TRUE(floor.has("a", "h"));  // The hub's own answer to the handoff.
}

TEST(Handing, T3_TheFallbackIsAskedWhenTheFirstSaysNo) {
    Floor floor{{"x", "a", "b", "z"}};
    floor.ask("job", "x", "a").hand_over("h", "a", "b", "z");
    floor.answer("b", true);
    EXPECT_FALSE(floor.has("a", "r1"));
    ASSERT_TRUE(floor.has("z", "h"));
    EXPECT_EQ(floor.read.at("z")->to(), "z");
    floor.answer("z");
    EXPECT_TRUE(floor.has("z", "job"));
    EXPECT_TRUE(floor.has("a", "r2"));
}

TEST(Handing, T3_TheFallbackIsAskedWhenTheFirstIsSilentForHalfTheTime) {
    Floor floor{{"x", "a", "b", "z"}};
    floor.ask("job", "x", "a").hand_over("h", "a", "b", "z");
    floor.later(29s);
    EXPECT_FALSE(floor.held.contains("z"));
    floor.later(1s);
    EXPECT_TRUE(floor.has("z", "h"));
    EXPECT_EQ(floor.story.happened<PassingRefused>().size(), 1U);
}

TEST(Handing, T3_APersonIsTheLastFallback) {
    Floor floor{{"x", "a", "b"}};
    floor.ask("job", "x", "a").hand_over("h", "a", "b", "human:boss");
    floor.answer("b", true);
    const auto asked = floor.story.happened<HumanAsked>();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].role, "boss");
    EXPECT_EQ(asked[0].asked_by, "a");
}

TEST(Handing, T3_MessagesAboutTheTaskFollowInOrder) {
    Floor floor{{"x", "a", "b"}};
    floor.ask("job", "x", "a");
    floor.send({.id = "more-1", .from = "x", .to = "a", .task = "t"});
    floor.hand_over("h", "a", "b").answer("b");
    ASSERT_TRUE(floor.has("b", "job"));
    floor.send({.id = "more-2", .from = "x", .to = "a", .task = "t"});
    floor.send({.id = "other", .from = "x", .to = "a", .task = "u"});
    floor.story.as("b").ack(floor.held.at("b"));
    floor.look();
    EXPECT_TRUE(floor.has("b", "more-1"));
    floor.story.ack(floor.held.at("b"));
    floor.look();
    EXPECT_TRUE(floor.has("b", "more-2"));
    EXPECT_TRUE(floor.has("a", "other"));
}

TEST(Handing, W1_AnAnswerToTheOldHolderStaysWhenATaskIsHandedOver) {
    Floor floor{{"x", "a", "b"}};
    floor.ask("job", "x", "a");
    const auto job = floor.held.at("a");
    // While "a" has the task, it asks the task's requester, and the answer waits behind another
    // message.
    floor.ask("question", "a", "x");
    ASSERT_TRUE(floor.has("x", "question"));
    floor.send({.id = "more", .from = "x", .to = "a", .task = "t"});
    floor.hand_over("h", "a", "b");
    floor.answer("x");
    floor.answer("b");
    floor.story.as("a").ask(AckDelivery{job});
    floor.look();
    ASSERT_TRUE(floor.has("b", "job"));
    for (const auto& moved : floor.story.happened<MessageMoved>()) {
        EXPECT_NE(moved.envelope->intent(), Intent::Reply) << moved.envelope->id();
    }
}

TEST(Handing, S2_MessagesOfATopicStayWithTheirSubscriber) {
    Floor floor{{"x", "a", "b"}};
    floor.story.as_the_hub().ask(Subscribe{{"a"}, {"news"}});
    floor.ask("job", "x", "a");
    floor.send({.id = "note", .from = "x", .to = "topic:news", .task = "t"});
    floor.hand_over("h", "a", "b").answer("b");
    ASSERT_TRUE(floor.has("b", "job"));
    EXPECT_EQ(floor.story.happened<MessageMoved>().size(), 1U) << "the task alone";
    EXPECT_EQ(floor.story.mailbox("b").waiting, 0U);
}

TEST(Handing, T3_AMessageAboutATaskThatCameBackGoesToTheHolderOnce) {
    Floor floor{{"x", "a", "b"}};
    floor.ask("job", "x", "a").hand_over("h1", "a", "b").answer("b");
    ASSERT_TRUE(floor.has("b", "job"));
    floor.story.as("a").ack(floor.held.at("a"));  // The answer to the offer of "a".
    floor.hand_over("h2", "b", "a");
    ASSERT_TRUE(floor.has("a", "h2"));
    floor.answer("a");
    ASSERT_TRUE(floor.has("a", "job"));
    floor.send({.id = "more", .from = "x", .to = "a", .task = "t"});
    const auto accepted = floor.story.happened<MessageAccepted>();
    EXPECT_EQ(accepted.back().envelope->id(), "more");
    EXPECT_EQ(accepted.back().envelope->to(), "a");
}

TEST(Handing, T3_AnAcknowledgedTaskMovesToo) {
    Floor floor{{"x", "a", "b"}};
    floor.ask("job", "x", "a").hand_over("h", "a", "b");
    const auto before = floor.held.at("a");
    floor.send({.id = "more-1", .from = "x", .to = "a", .task = "t"});
    floor.send({.id = "more-2", .from = "x", .to = "a", .task = "t"});
    floor.story.as("a").ack(before);
    floor.look();
    ASSERT_TRUE(floor.has("a", "more-1"));

    floor.answer("b");
    EXPECT_EQ(floor.story.happened<MessageMoved>().size(), 2U) << "a has read the first of the two";
    EXPECT_TRUE(floor.has("a", "r1"));
    ASSERT_TRUE(floor.has("b", "job"));
    floor.story.as("a").ask(AckDelivery{before});
    EXPECT_EQ(floor.story.refusal(), Refusal::DeliveryStale);
    floor.answer("b");
    EXPECT_TRUE(floor.has("x", "r2"));
    EXPECT_TRUE(floor.has("b", "more-2"));
}

TEST(Handing, D5_ATaskThatMovesTwiceGivesEachHolderAnotherToken) {
    Floor floor{{"x", "a", "b", "z"}};
    floor.ask("job", "x", "a").hand_over("h-1", "a", "b");
    floor.story.as("a").ack(floor.held.at("a"));
    floor.look().answer("b");
    ASSERT_TRUE(floor.has("b", "job"));
    const auto before = floor.held.at("b");
    floor.hand_over("h-2", "b", "z");
    floor.story.as("b").ack(before);
    floor.look().answer("z");
    ASSERT_TRUE(floor.has("z", "job"));
    EXPECT_EQ(floor.held.at("z").ticket, before.ticket);
    EXPECT_GT(floor.held.at("z").attempt, before.attempt);
    floor.story.as_the_hub().ask(AckDelivery{before});  // May act for every agent.
    EXPECT_EQ(floor.story.refusal(), Refusal::DeliveryStale);
    EXPECT_TRUE(floor.answer("z").has("x", "r3"));
}

TEST(Handing, T3_ATaskIsHandedOverOnceAtATimeAndNeverBack) {
    Floor floor{{"x", "a", "b", "z"}};
    floor.ask("job", "x", "a").hand_over("h", "a", "b").hand_over("h2", "a", "z");
    EXPECT_EQ(floor.story.refusal(), Refusal::RouteNotPermitted);
    floor.answer("b", true).hand_over("h3", "a", "x");
    EXPECT_EQ(floor.story.refusal(), Refusal::DelegationCycleDetected);
}

TEST(Handing, W7_ARestartLeavesTheTaskWithExactlyOneAgent) {
    Floor floor{{"x", "a", "b"}};
    floor.ask("job", "x", "a").hand_over("h", "a", "b");
    floor.restart({"b"});
    ASSERT_TRUE(floor.has("b", "h"));
    floor.answer("b");
    ASSERT_TRUE(floor.has("b", "job"));
    floor.restart({"b", "a"});
    EXPECT_TRUE(floor.has("b", "job"));
    EXPECT_TRUE(floor.has("a", "r1"));
}

TEST(Handing, T3_OnlyTheHolderHandsATaskOver) {
    Floor floor{{"x", "a", "b", "c"}};
    floor.ask("job", "x", "a").hand_over("h-1", "b", "c");
    EXPECT_EQ(floor.story.refusal(), Refusal::RouteNotPermitted);
    floor.hand_over("h-2", "a", "b");
    EXPECT_EQ(floor.story.refusal(), Refusal::None);
}

TEST(Handing, T3_NamingAWorkflowLikeATaskDoesNotTakeTheTask) {
    Floor floor{{"x", "a", "b", "c"}};
    floor.ask("job", "x", "a");
    const Passing passing{.hands_over = true};
    floor.send({.id = "h-1",
                .from = "b",
                .to = "c",
                .task = "t",
                .correlation = "t",
                .intent = Intent::Request},
               {.passing = std::make_shared<const Passing>(passing)});
    EXPECT_EQ(floor.story.refusal(), Refusal::RouteNotPermitted);
}

TEST(Handing, T3_ATaskUnknownToTheHubMayBeOffered) {
    Floor floor{{"b", "c"}};
    floor.hand_over("h", "b", "c");
    EXPECT_EQ(floor.story.refusal(), Refusal::None);
}

TEST(Handing, T3_T12_ASharedTaskIsHandedOverByItsAssignee) {
    Floor floor{{"a", "b", "c"}};
    floor.story.as_operator().ask(WriteTask{.id = "t", .document = "{}", .agent = "a"});
    ASSERT_EQ(floor.story.happened<TaskWritten>().size(), 1U);
    floor.hand_over("h-1", "b", "c");
    EXPECT_EQ(floor.story.refusal(), Refusal::RouteNotPermitted) << "it is not b's";
    EXPECT_EQ(floor.story.happened<MessageRefused>().front().from, "b");
    EXPECT_FALSE(floor.held.contains("c")) << "and nobody was offered it";
    floor.hand_over("h-2", "b", "anyone");
    EXPECT_NE(floor.story.refusal(), Refusal::None);
    floor.hand_over("h-3", "a", "c");
    EXPECT_EQ(floor.story.refusal(), Refusal::None) << "it is a's";
}

TEST(Handing, T3_T12_AnUnassignedSharedTaskIsHandedOverByItsCreator) {
    Floor floor{{"a", "b", "c"}};
    floor.story.as("a").ask(WriteTask{.id = "t", .document = "{}"});
    floor.hand_over("h-1", "b", "c");
    EXPECT_EQ(floor.story.refusal(), Refusal::RouteNotPermitted);
    floor.hand_over("h-2", "a", "c");
    EXPECT_EQ(floor.story.refusal(), Refusal::None);
}

TEST(Handing, K21_G5_AFailureCountsEvenIfTheRequestIsPassedOn) {
    Floor floor{{"x", "a", "b", "z"}};
    floor.story.as_operator().ask(ChangePolicy{
        .settings = print_policy({{{Rule::BreakerFailures, {}}, 2}}), .reason = "test"});
    const auto stage_of = [&](const std::string& agent) {
        const auto& state = floor.story.state();
        return governor::stage_of(state.governor.breakers,
                                  registry::find_agent(state.registry, agent));
    };
    floor.ask("job", "x", "a");
    floor.hand_over("h-1", "a", "b", "z").fail("b");
    ASSERT_EQ(floor.story.happened<PassingRefused>().size(), 1U);
    ASSERT_TRUE(floor.has("z", "h-1"));
    EXPECT_EQ(stage_of("b"), governor::BreakerStage::Closed) << "once is not too often";
    floor.fail("z");  // Nobody is left: "a" has its answer.
    floor.hand_over("h-2", "a", "b", "z").answer("b", true);
    ASSERT_TRUE(floor.has("z", "h-2")) << "to decline is no failure";
    floor.answer("z", true).hand_over("h-3", "a", "b", "z").fail("b");
    EXPECT_EQ(floor.story.happened<BreakerOpened>().size(), 1U);
    EXPECT_EQ(stage_of("b"), governor::BreakerStage::Open);
    EXPECT_EQ(stage_of("z"), governor::BreakerStage::Closed);
    EXPECT_TRUE(floor.has("z", "h-3")) << "and z has its turn all the same";
}

TEST(Handing, T3_ATaskInATreeIsHandedOverAtTheSameDepth) {
    Floor floor{{"x", "a", "b"}};
    const auto claim = std::make_shared<const Claim>(Claim{.session = "s",
                                                           .objective = "do",
                                                           .objective_hash = "1234",
                                                           .depth_max = 2,
                                                           .tokens_max = 100,
                                                           .has_session = true});
    floor.send({.id = "job",
                .from = "x",
                .to = "a",
                .task = "t",
                .correlation = "c",
                .intent = Intent::Request},
               {.claim = claim});
    floor.hand_over("h", "a", "b");
    EXPECT_EQ(floor.story.refusal(), Refusal::None);
    floor.answer("b");
    const auto& lineage = floor.story.state().governor.lineage;
    ASSERT_EQ(lineage.delegations.size(), 1U);
    const auto found = lineage.delegations.at(lineage.delegations.tickets().front());
    const auto& delegation = *found;
    EXPECT_EQ(floor.story.state().registry.agents[delegation.target].id.value, "b");
    const auto reserved = [&](std::string_view agent) {
        const auto name = governor::agent_account(agent);
        return governor::budget_at(lineage.accounts, name, floor.story.now(), 1h).reserved;
    };
    EXPECT_EQ(reserved("a"), 0U);
    EXPECT_EQ(reserved("b"), 100U);
}

/// An offered task, and changes before the offer is accepted.
struct Offered : Floor {
    Offered() : Floor{{"x", "a", "b", "z"}} {}
    Offered& offer(const std::string& fallback = {}) {
        const auto claim = std::make_shared<const Claim>(Claim{.session = "s",
                                                               .child_session = "of job",
                                                               .objective_hash = "1",
                                                               .depth_max = 9,
                                                               .has_session = true});
        send({.id = "job",
              .from = "x",
              .to = "a",
              .task = "t",
              .correlation = "c",
              .intent = Intent::Request},
             {.claim = claim});
        hand_over("h", "a", "b", fallback);
        EXPECT_TRUE(has("b", "h"));
        return *this;
    }
    Offered& allow(const Settings& settings) {
        story.as_operator().ask(ChangePolicy{.settings = print_policy(settings), .reason = "test"});
        EXPECT_EQ(story.happened<PolicyChanged>().size(), 1U);
        return *this;
    }
    /// "b" accepts and is refused like this; the requester of the offer hears why, and keeps the
    /// task.
    void expect_refused(Refusal refusal, const std::string& words) {
        answer("b");
        EXPECT_EQ(story.refusal(), refusal);
        EXPECT_TRUE(story.happened<MessageMoved>().empty());
        EXPECT_TRUE(story.happened<RequestAnswered>().empty());
        const auto failed = story.happened<RequestFailed>();
        ASSERT_EQ(failed.size(), 1U);
        EXPECT_EQ(failed[0].refusal, refusal);
        EXPECT_NE(failed[0].detail.find(words), std::string::npos) << failed[0].detail;
        EXPECT_EQ(story.happened<MessageRefused>().at(0).detail, failed[0].detail);
        EXPECT_TRUE(has("a", "h")) << "the hub's own answer to the offer";
        EXPECT_TRUE(story.state().governor.breakers.empty()) << "it is nobody's failure";
    }
};

TEST(Handing, T3_T14_AcceptingATaskIsHeldToThePresentPolicy) {
    for (const auto* chain : {"x>b", "a>b"}) {
        Offered offered;
        offered.offer().allow({{{Rule::ChainEnabled, {ScopeKind::Chain, chain}}, 0}});
        offered.expect_refused(Refusal::RouteNotPermitted, "'b': the policy does not enable");
    }
    Offered deep;
    deep.offer().allow({{{Rule::DepthMax, {}}, 1}});
    deep.expect_refused(Refusal::DelegationDepthExceeded, "'b' cannot have task 't': Max");
}

TEST(Handing, T3_X13_ATaskInAnotherUsersSessionCannotBeAccepted) {
    Offered offered;
    offered.offer();
    offered.story.as_operator().ask(WriteSession{.id = "of job", .user = "u-2"});
    ASSERT_EQ(offered.story.refusal(), Refusal::None);
    offered.expect_refused(Refusal::UserIsolationViolated, "session 'of job'");
}

TEST(Handing, T3_T14_ATaskThatMayNoLongerBeAcceptedIsOfferedToTheNextAgent) {
    Offered offered;
    offered.offer("z").allow({{{Rule::ChainEnabled, {ScopeKind::Chain, "x>b"}}, 0}});
    offered.answer("b");
    EXPECT_EQ(offered.story.refusal(), Refusal::RouteNotPermitted);
    ASSERT_TRUE(offered.has("z", "h"));
    offered.answer("z");
    EXPECT_TRUE(offered.has("z", "job"));
}

TEST(Handing, T3_T14_NoTaskIsHandedOverWhileTheFleetIsStopped) {
    Offered offered;
    offered.offer();
    const auto offer = offered.held.at("b");
    offered.story.as_operator().ask(StopFleet{.reason = "drill"});
    offered.answer("b");
    EXPECT_EQ(offered.story.refusal(), Refusal::FleetStopped);
    EXPECT_TRUE(offered.story.happened<MessageMoved>().empty());
    EXPECT_TRUE(offered.story.happened<RequestFailed>().empty()) << "it can still be taken";
    offered.story.as_operator().ask(ResumeFleet{.reason = "done"});
    offered.held["b"] = offer;
    offered.answer("b");
    EXPECT_TRUE(offered.has("b", "job"));
}

TEST(Handing, T3_X7_AnEndedTaskOrOfferCannotBeAccepted) {
    Offered late;
    late.offer().story.later(60s);
    late.answer("b");
    EXPECT_EQ(late.story.refusal(), Refusal::RequestTimedOut) << "before the hub has looked";
    EXPECT_TRUE(late.story.happened<MessageMoved>().empty());
    Offered done;
    done.offer().answer("a");
    ASSERT_TRUE(done.has("x", "r1")) << "who offered it has done it meanwhile";
    done.expect_refused(Refusal::DelegationNotFound, "task 't' is over");
}

TEST(Handing, T3_T16_ARefusedAcceptanceIsOneSignOfLife) {
    Floor floor{{"x", "a", "b"}};
    const auto about_task = [](std::string id, std::string from, std::string to) {
        return Letter{.id = std::move(id),
                      .from = std::move(from),
                      .to = std::move(to),
                      .task = "t",
                      .correlation = "c",
                      .intent = Intent::Request};
    };
    const Passing passing{.hands_over = true};
    floor.send(about_task("job", "x", "a"), {.timeout = 50min});
    floor.send(about_task("h", "a", "b"),
               {.timeout = 40min, .passing = std::make_shared<const Passing>(passing)});
    floor.story.as_operator().ask(ChangePolicy{
        .settings = print_policy({{{Rule::ChainEnabled, {ScopeKind::Chain, "x>b"}}, 0}}),
        .reason = "test"});
    floor.later(20min).answer("b");
    EXPECT_EQ(floor.story.refusal(), Refusal::RouteNotPermitted);
    EXPECT_EQ(floor.story.happened<DeliveryAcknowledged>().size(), 1U);
}

TEST(Help, T4_GoesToTheLeastBusyCapableAgent) {
    Floor floor{{"x"}};
    floor.join("busy", "REVIEW");
    floor.join("idle", "REVIEW");
    floor.join("other", "PAINT");
    floor.ask("q", "x", "busy").help("x", "anyone", {.skills = {"REVIEW"}});
    ASSERT_TRUE(floor.has("idle", "help"));
    floor.answer("idle");
    EXPECT_TRUE(floor.has("x", "r1"));
}

TEST(Help, T4_GoesToTheNextAgentAfterARefusal) {
    Floor floor{{"x"}};
    floor.join("first", "REVIEW");
    floor.join("second", "REVIEW");
    floor.help("x", "capability:REVIEW").answer("first", true);
    ASSERT_TRUE(floor.has("second", "help"));
    floor.answer("second", true);
    EXPECT_TRUE(floor.has("x", "r2"));  // Nobody is left: this refusal is the answer.
}

TEST(Help, G1_G6_APassedOnRequestIsWorkInHandOnlyOnceDelivered) {
    Floor floor{{"x"}};
    floor.join("first", "REVIEW");
    floor.story.as_the_hub().ask(
        RegisterAgent{{"second"}, {.capabilities = R"([{"code":"REVIEW"}])"}});
    const auto claim = std::make_shared<const Claim>(
        Claim{.session = "s", .objective_hash = "1", .depth_max = 9, .has_session = true});
    floor.send({.id = "job", .from = "x", .to = "capability:REVIEW", .intent = Intent::Request},
               {.timeout = 60s, .claim = claim, .passing = std::make_shared<const Passing>()});
    floor.answer("first", true);
    ASSERT_EQ(floor.story.happened<MessageMoved>().size(), 1U);
    const auto ask_on = [&](const std::string& id) {
        floor.send(
            {.id = id, .from = "second", .to = "x", .correlation = id, .intent = Intent::Request});
        return floor.story.happened<DelegationAdmitted>();
    };
    EXPECT_TRUE(ask_on("own").empty()) << "nobody has told it of anything";
    floor.story.as_the_hub().restart();
    EXPECT_TRUE(ask_on("own-2").empty()) << "nor has a restart";
    floor.story.as_the_hub().connect("second", 10);
    floor.look();
    ASSERT_TRUE(floor.has("second", "job"));
    const auto admitted = ask_on("for it");
    ASSERT_EQ(admitted.size(), 1U);
    EXPECT_EQ(admitted[0].depth, 2U);
    floor.story.as("second").ask(NackDelivery{floor.held.at("second"), "later", false});
    EXPECT_EQ(ask_on("for it too").size(), 1U) << "it comes back to it";
}

TEST(Handing, G1_AnAcceptedTaskIsWorkInHandAtOnce) {
    for (const bool is_acknowledged : {false, true}) {
        Floor floor{{"x", "a"}};
        floor.story.as_the_hub().ask(RegisterAgent{{"b"}, {}});
        floor.story.connect("b", 1);
        const auto claim = std::make_shared<const Claim>(
            Claim{.session = "s", .objective_hash = "1", .depth_max = 9, .has_session = true});
        floor.send({.id = "job",
                    .from = "x",
                    .to = "a",
                    .task = "t",
                    .correlation = "c",
                    .intent = Intent::Request},
                   {.claim = claim});
        floor.hand_over("h", "a", "b");
        if (is_acknowledged) floor.story.as("a").ack(floor.held.at("a"));
        // The one place of "b" is taken when the task comes.
        floor.send(
            {.id = "other", .from = "x", .to = "b", .correlation = "o", .intent = Intent::Request});
        floor.answer("b");
        ASSERT_TRUE(floor.has("b", "other"));
        floor.send(
            {.id = "on", .from = "b", .to = "x", .correlation = "n", .intent = Intent::Request});
        const auto admitted = floor.story.happened<DelegationAdmitted>();
        ASSERT_EQ(admitted.size(), 1U);
        EXPECT_EQ(admitted[0].depth, 2U);
    }
}

TEST(Help, T4_WithoutAnAgentIsRefusedOrGoesToAPerson) {
    Floor floor{{"x"}};
    floor.help("x", "capability:REVIEW");
    EXPECT_EQ(floor.story.refusal(), Refusal::CapabilityNotRegistered);
    floor.help("x", "capability:REVIEW", {.fallback = "human:lead"});
    ASSERT_EQ(floor.story.happened<HumanAsked>().size(), 1U);
    EXPECT_EQ(floor.story.happened<HumanAsked>()[0].role, "lead");
}

TEST(Help, T4_TheAnswerReachesTheHolderOfTheTask) {
    Floor floor{{"x", "a"}};
    floor.join("helper", "REVIEW");
    floor.ask("job", "x", "a").help("a", "capability:REVIEW").answer("helper");
    EXPECT_TRUE(floor.has("a", "r1"));
}

TEST(Help, NoAgentHasTheNameOfARecipientThatTheHubChooses) {
    Story story;
    for (const auto* name : {"anyone", "capability:X", "domain:d", "call:x", "all:a"}) {
        story.as_the_hub().ask(RegisterAgent{{name}, {}});
        EXPECT_EQ(story.refusal(), Refusal::InputValidationFailed) << name;
    }
}

/// Three agents who can do the task, each with its own proposal.
struct Market : Floor {
    Market() : Floor{{"x"}} {
        for (const auto* agent : {"a", "b", "d"}) join(agent, "REVIEW");
    }
    Market& call(const std::string& to) {
        ask("job", "x", to);
        return *this;
    }
    void offers() {
        answer("a", false, R"({"cost":30,"time":900,"confidence":0.9})");
        answer("b", false, R"({"cost":10,"time":800,"confidence":0.5})");
        answer("d", false, R"({"cost":20,"time":100,"confidence":0.7})");
    }
};

TEST(Call, T4_TheBestProposalByTheCallsKindIsChosen) {
    const std::vector<std::pair<std::string, std::string>> rows{
        {"earliest", "d"}, {"cheapest", "b"}, {"ablest", "a"}};
    for (const auto& [policy, winner] : rows) {
        Market market;
        market.call("call:" + policy + ":REVIEW");
        ASSERT_TRUE(market.held.contains("a") && market.held.contains("b")) << policy;
        market.offers();
        EXPECT_TRUE(market.has(winner, "job")) << policy;
        EXPECT_EQ(market.story.happened<CallEnded>()[0].chosen, winner);
        // The two others hear that their proposals were not taken.
        for (const std::string agent : {"a", "b", "d"}) {
            if (agent != winner) {
                EXPECT_EQ(market.read.at(agent)->type(), "NEWS") << policy;
            }
        }
        market.answer(winner, false, R"({"output":1})");
        EXPECT_TRUE(market.has("x", "r4")) << policy;
        EXPECT_TRUE(market.story.state().handing.calls.empty());
    }
}

TEST(Call, T4_ProposalsHaveHalfOfTheTime) {
    Market market;
    market.call("call:cheapest:REVIEW");
    market.answer("a", false, R"({"cost":30})");
    market.later(149s);
    EXPECT_FALSE(market.has("a", "job"));
    market.later(1s);  // A request without a timeout has five minutes.
    EXPECT_TRUE(market.has("a", "job"));
}

TEST(Call, T4_ACallWithoutProposalsFailsWithTheReasons) {
    Market market;
    market.call("call:cheapest:REVIEW");
    for (const auto* agent : {"a", "b", "d"}) market.answer(agent, false, R"({"error":"BUSY"})");
    const auto failed = market.story.happened<RequestFailed>();
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_EQ(failed[0].refusal, Refusal::RequestRejected);
    EXPECT_NE(failed[0].detail.find("nobody made a proposal"), std::string::npos);
    EXPECT_TRUE(market.has("x", "job"));  // The hub's own answer, once.
}

TEST(Call, T4_GoesOnAfterARestart) {
    Market market;
    market.call("call:cheapest:a/b");
    market.restart({"a", "b", "x"});
    market.answer("a", false, R"({"cost":3})").answer("b", false, R"({"cost":2})");
    ASSERT_TRUE(market.has("b", "job"));
    // The proposals were for the hub alone.
    EXPECT_EQ(market.story.mailbox("ORC").waiting, 0U);
    market.answer("b");
    EXPECT_TRUE(market.has("x", "r3"));
}

TEST(Call, W1_AnsweredSharesAreJoinedWhileTheFleetIsStopped) {
    Market market;
    market.call("all:a/b");
    market.story.as_operator().ask(StopFleet{});
    market.answer("b", false, R"({"output":2})").answer("a", false, R"({"output":1})");
    EXPECT_TRUE(market.held.contains("x"));
}

TEST(Call, X19_SharesRunAtOnceAndTheirAnswersAreJoined) {
    Market market;
    market.call("all:a/b");
    ASSERT_TRUE(market.held.contains("a") && market.held.contains("b"));
    EXPECT_FALSE(market.held.contains("d"));
    market.answer("b", false, R"({"output":2})");
    EXPECT_FALSE(market.held.contains("x"));
    market.answer("a", false, R"({"output":1})");
    ASSERT_TRUE(market.held.contains("x"));
    EXPECT_EQ(market.read.at("x")->body(),
              R"({"parts":[{"agent":"a","result":1},{"agent":"b","result":2}],"missing":[]})");
}

TEST(Call, X19_MissingSharesAreNamed) {
    Market market;
    market.call("all:a/b");
    market.answer("a", false, R"({"output":1,"tokens":30})")
        .answer("b", false, R"({"error":"BUSY","tokens":12})");
    const auto answered = market.story.happened<RequestAnswered>();
    ASSERT_FALSE(answered.empty());
    EXPECT_TRUE(answered.back().falls_short);
    EXPECT_EQ(answered.back().tokens_used, 42U) << "what failed was paid for too";
    EXPECT_NE(market.read.at("x")->body().find(R"("missing":[{"agent":"b")"), std::string::npos);
}

TEST(Call, X21_ACancellationReachesAllShares) {
    Market market;
    market.call("all:a/b");
    market.story.as("x").ask(CancelRequest{.id = "job", .reason = "enough"});
    EXPECT_EQ(market.story.happened<RequestCancelled>().size(), 3U);
    EXPECT_TRUE(market.story.state().requests.slots.empty());
    EXPECT_TRUE(market.story.state().handing.asked.empty());
}

TEST(Call, X21_OpenSharesEndWithTheCall) {
    Market market;
    market.send({.id = "job",
                 .from = "x",
                 .to = "all:a/b",
                 .task = "t",
                 .correlation = "c",
                 .intent = Intent::Request},
                {.ttl = 10s});
    market.answer("a", false, R"({"output":1})");
    market.later(10s);
    EXPECT_EQ(market.story.happened<RequestCancelled>().size(), 1U) << "b's part";
    EXPECT_TRUE(market.story.state().requests.slots.empty());
    market.restart({"x"});
    EXPECT_EQ(market.story.mailbox("x").waiting + market.story.mailbox("x").in_flight, 1U)
        << "one answer to what was asked, and none to a part of it";
}

TEST(Call, W2_ALateProposalReachesNoMailboxEvenAfterARestart) {
    Market market;
    market.send({.id = "job",
                 .from = "x",
                 .to = "call:cheapest:a/b",
                 .task = "t",
                 .correlation = "c",
                 .intent = Intent::Request},
                {.ttl = 10s});
    market.later(10s);
    market.restart({"a", "b", "x"});
    market.answer("a", false, R"({"cost":3})");
    EXPECT_EQ(market.story.mailbox("ORC").waiting, 0U);
}

TEST(Call, W2_AReplyToTheCallItselfIsRefusedFromAnySender) {
    for (const auto* to : {"call:cheapest:a/b", "all:a/b"}) {
        for (const std::string from : {"a", "d", "x"}) {
            Market market;
            market.call(to);
            market.send({.id = "forged",
                         .from = from,
                         .to = "x",
                         .correlation = "c",
                         .intent = Intent::Reply,
                         .answers = "job"},
                        {});
            const auto refused = market.story.happened<MessageRefused>();
            ASSERT_EQ(refused.size(), 1U) << to << " by " << from;
            EXPECT_EQ(refused[0].refusal, Refusal::RouteNotPermitted);
            EXPECT_EQ(market.story.mailbox("x").waiting, 0U);
            EXPECT_TRUE(market.story.happened<RequestAnswered>().empty());
        }
    }
}

TEST(Help, D7_AnAtMostOnceRequestWithATtlIsNotPassedOn) {
    for (const auto ttl : {std::optional<Duration>{10s}, std::optional<Duration>{}}) {
        Floor floor{{"x"}};
        for (const auto* agent : {"h1", "h2"}) floor.join(agent, "REVIEW");
        const Letter letter{.id = "help",
                            .from = "x",
                            .to = "capability:REVIEW",
                            .correlation = "c",
                            .intent = Intent::Request};
        floor.story.as("x").ask(
            SendMessage{.envelope = envelope(letter),
                        .priority = Priority::Normal,
                        .ttl = ttl,
                        .fingerprint = fingerprint(letter),
                        .passing = std::make_shared<const Passing>(Passing{.hands_over = false})});
        floor.look();
        floor.story.as("h1").ask(NackDelivery{floor.held.at("h1"), "no", true});
        EXPECT_EQ(floor.story.happened<MessageMoved>().size(), ttl ? 0U : 1U);
        EXPECT_EQ(floor.story.happened<RequestFailed>().size(), ttl ? 1U : 0U);
    }
}

TEST(Help, D7_IsNotPassedOnAfterTheTtl) {
    Floor floor{{"x"}};
    for (const auto* agent : {"h1", "h2"}) floor.join(agent, "REVIEW");
    const Letter letter{.id = "help",
                        .from = "x",
                        .to = "capability:REVIEW",
                        .correlation = "c",
                        .intent = Intent::Request};
    floor.send(
        letter,
        {.ttl = 10s, .passing = std::make_shared<const Passing>(Passing{.hands_over = false})});
    floor.later(11s);
    floor.story.as("h1").ask(NackDelivery{floor.held.at("h1"), "no", true});
    EXPECT_TRUE(floor.story.happened<MessageMoved>().empty());
    EXPECT_EQ(floor.story.happened<RequestFailed>().size(), 1U);
}

TEST(Call, X19_ACallAsksNoMoreAgentsThanTheFanOut) {
    Market market;
    market.join("e", "REVIEW");
    market.call("all:REVIEW");
    EXPECT_EQ(market.story.refusal(), Refusal::DelegationFanoutExceeded);
}

/// Two agents who can do the task; the first takes no request without a page.
struct Readers : Floor {
    Readers() : Floor{{"x"}} {
        Profile profile{.capabilities = R"([{"code":"REVIEW","needs":"page"}])"};
        story.as_the_hub().ask(RegisterAgent{{"a"}, profile});
        story.connect("a", 10);
    }
    Readers& ask_for(const std::string& to, const std::string& body) {
        send({.id = "job",
              .from = "x",
              .to = to,
              .correlation = "c",
              .intent = Intent::Request,
              .body = body});
        return *this;
    }
};

TEST(Chosen, K6_ARequestIsHeldToTheSchemaOfEveryCandidate) {
    for (const auto* to : {"capability:REVIEW", "call:cheapest:REVIEW", "all:REVIEW"}) {
        Readers readers;
        readers.ask_for(to, "{}");
        EXPECT_EQ(readers.story.refusal(), Refusal::InputValidationFailed) << to;
        EXPECT_FALSE(readers.held.contains("a")) << to << ": nobody was bothered";
        EXPECT_NE(readers.story.happened<MessageRefused>().back().detail.find("'page'"),
                  std::string::npos);
        Readers others;
        others.ask_for(to, R"({"page":1})");
        EXPECT_TRUE(others.held.contains("a")) << to;
    }
}

TEST(Chosen, K6_AnAgentThatCannotTakeTheRequestIsPassedOver) {
    for (const auto* to : {"capability:REVIEW", "call:cheapest:REVIEW"}) {
        Readers readers;
        readers.join("b", "REVIEW");
        readers.ask_for(to, "{}");
        EXPECT_TRUE(readers.held.contains("b")) << to;
        EXPECT_FALSE(readers.held.contains("a")) << to;
    }
    Readers readers;
    readers.join("b", "REVIEW");
    readers.ask_for("all:REVIEW", "{}");
    EXPECT_EQ(readers.story.refusal(), Refusal::InputValidationFailed) << "all are to have it";
}

TEST(Subcontractor, S5_TheParentsStateComesBackWithTheChildsAnswer) {
    Floor floor{{"p", "k"}};
    floor.send({.id = "q", .from = "p", .to = "k", .correlation = "c", .intent = Intent::Request},
               {.state = R"({"step":3})"});
    EXPECT_EQ(floor.state.at("k"), "");
    floor.restart({"k"});
    floor.answer("k");
    EXPECT_TRUE(floor.story.state().handing.pushed.empty());
    floor.restart({"p"});
    ASSERT_TRUE(floor.has("p", "r1"));
    EXPECT_EQ(floor.state.at("p"), R"({"step":3})");
    floor.story.as("p").ack(floor.held.at("p"));
    EXPECT_TRUE(floor.story.state().broker.enclosed.empty());
}

TEST(Subcontractor, W8_EachChildsAnswerBringsItsOwnStateOnce) {
    Floor floor{{"p", "k", "l"}};
    floor.send({.id = "q1", .from = "p", .to = "k", .intent = Intent::Request}, {.state = "1"});
    floor.send({.id = "q2", .from = "p", .to = "l", .intent = Intent::Request}, {.state = "2"});
    floor.answer("l");
    EXPECT_EQ(floor.state.at("p"), "2");
    floor.answer("k");
    EXPECT_EQ(floor.state.at("p"), "1");
    EXPECT_TRUE(floor.story.state().handing.pushed.empty());
}

TEST(Subcontractor, S5_TheStateComesBackAlsoWhenTheChildFails) {
    Floor floor{{"p", "k"}};
    floor.send({.id = "q", .from = "p", .to = "k", .intent = Intent::Request},
               {.timeout = 10s, .state = "7"});
    floor.later(10s);
    EXPECT_EQ(floor.state.at("p"), "7");
}

}  // namespace
}  // namespace parlance::core
