// The context of a workflow: its writers, and its handoffs.
#include <gtest/gtest.h>

#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

/// Two agents with a domain each, one with none, and a context that vendor has begun.
class Context : public testing::Test {
  protected:
    Context() {
        story.ask(RegisterAgent{{"vendor"}, {.domain = "vendor"}});
        story.ask(RegisterAgent{{"compliance"}, {.domain = "compliance, audit"}});
        story.ask(RegisterAgent{{"clerk"}, {}});
        story.connect("vendor", 9);
        story.connect("compliance", 9);
        as("vendor", {.entities = R"({"vendor":{"id":"v-123","name":"Acme"}})"});
    }

    /// The agent writes this on its own connection.
    Refusal as(const std::string& agent, WriteContext write) {
        write.workflow = "wf";
        write.agent = {agent};
        story.as(agent).ask(std::move(write));
        story.as_the_hub();
        return story.refusal();
    }

    const shared::Context& now() { return story.state().shared.contexts.at("wf"); }

    /// Vendor hands the context to compliance; returns the delivery of the handoff.
    DeliveryToken hand_over(Duration timeout = 60s) {
        story.as("vendor").ask(handoff("vendor", timeout));
        story.as_the_hub();
        return story.last_delivery();
    }

    HandOffContext handoff(const std::string& from,
                           Duration timeout = 60s,
                           const std::string& to = "compliance") {
        const Letter letter{.id = "h" + std::to_string(++handoffs_),
                            .from = from,
                            .to = to,
                            .intent = Intent::Request};
        const Letter done{.id = "d" + std::to_string(handoffs_),
                          .from = to,
                          .to = from,
                          .intent = Intent::Reply,
                          .answers = letter.id};
        return {.workflow = "wf",
                .version = now().version,
                .request = {.envelope = envelope(letter),
                            .priority = Priority::High,
                            .timeout = timeout,
                            .fingerprint = fingerprint(letter)},
                .done = envelope(done)};
    }

    Story story;
    int handoffs_ = 0;
};

TEST_F(Context, S6_TheFirstWriterCreatesAndOwnsTheContext) {
    EXPECT_EQ(now().owner, "vendor");
    EXPECT_EQ(now().status, "IN_PROGRESS");
    EXPECT_EQ(now().version, 1U);
    EXPECT_EQ(now().entities.at("vendor").value, R"({"id":"v-123","name":"Acme"})");
}

TEST_F(Context, S6_AWriteChangesTheNamedFieldsAndKeepsTheRest) {
    EXPECT_EQ(as("vendor",
                 {.version = 1,
                  .status = "REVIEW",
                  .entities = R"({"vendor":{"name":null,"status":"pending"}})",
                  .artifacts = {R"({"url":"s3://a"})"}}),
              Refusal::None);
    EXPECT_EQ(now().status, "REVIEW");
    EXPECT_EQ(now().version, 2U);
    EXPECT_EQ(now().entities.at("vendor").value, R"({"id":"v-123","status":"pending"})");
    EXPECT_EQ(now().artifacts.size(), 1U);
    as("vendor", {.entities = R"({"vendor":null})"});
    EXPECT_TRUE(now().entities.empty());
}

TEST_F(Context, S7_OnlyTheCurrentAgentWrites) {
    EXPECT_EQ(as("compliance", {.status = "DONE"}), Refusal::ContextNotOwner);
    EXPECT_EQ(now().version, 1U);
}

TEST_F(Context, S7_AnAgentCannotWriteAsAnotherAgent) {
    story.as("compliance").ask(WriteContext{.workflow = "wf", .agent = {"vendor"}, .status = "X"});
    EXPECT_EQ(story.refusal(), Refusal::IdentityMismatch);
    story.as("compliance").ask(WriteContext{.workflow = "wf", .status = "X"});
    EXPECT_EQ(story.refusal(), Refusal::IdentityRoleForbidden) << "only an operator is itself";
}

TEST_F(Context, S7_AnEntityBelongsToTheDomainOfItsName) {
    EXPECT_EQ(as("vendor", {.entities = R"({"audit":{}})"}), Refusal::ContextNotOwner);
    EXPECT_EQ(as("vendor", {.entities = R"({"vendor":{},"compliance":{}})"}),
              Refusal::ContextNotOwner);
    EXPECT_EQ(now().version, 1U) << "nothing of it is written";
}

TEST_F(Context, S7_AnEntityOutsideAllDomainsBelongsToItsCreator) {
    EXPECT_EQ(as("vendor", {.entities = R"({"quote":1})"}), Refusal::None);
    story.ack(hand_over());
    EXPECT_EQ(as("compliance", {.entities = R"({"quote":2})"}), Refusal::ContextNotOwner);
    EXPECT_EQ(as("compliance", {.entities = R"({"audit":1,"letter":2})"}), Refusal::None);
}

TEST_F(Context, S7_AnOperatorMayWriteEveryEntityOnTheRecord) {
    story.as_operator().ask(WriteContext{
        .workflow = "wf", .owner = {"clerk"}, .entities = R"({"audit":{"by":"hand"}})"});
    ASSERT_EQ(story.happened<ContextWritten>().size(), 1U);
    EXPECT_EQ(story.happened<ContextWritten>().front().by, "olga");
    EXPECT_EQ(now().owner, "clerk");
}

TEST_F(Context, S8_HistoryOnlyGrows) {
    as("vendor", {.history = {R"({"action":"a"})"}});
    as("vendor", {.history = {R"({"action":"b"})", R"({"action":"c"})"}});
    EXPECT_EQ(now().history, (Ids{R"({"action":"a"})", R"({"action":"b"})", R"({"action":"c"})"}));
    EXPECT_EQ(as("vendor", {.changes_history = true}), Refusal::ContextHistoryImmutable);
    EXPECT_EQ(now().history.size(), 3U);
}

TEST_F(Context, S6_W10_AStaleWriteIsRefusedWithTheCurrentVersion) {
    as("vendor", {.status = "A"});
    EXPECT_EQ(as("vendor", {.version = 1, .status = "B"}), Refusal::StateVersionStale);
    EXPECT_NE(story.asked_for<TellRefused>().front().detail.find("version 2"), std::string::npos);
    EXPECT_EQ(as("vendor", {.version = 2, .status = "B"}), Refusal::None);
}

TEST_F(Context, S9_IsLockedDuringAHandoffAndAWriteIsRefused) {
    hand_over();
    EXPECT_EQ(as("vendor", {.status = "X"}), Refusal::ContextLocked);
    EXPECT_EQ(as("compliance", {.status = "X"}), Refusal::ContextNotOwner);
    story.as_operator().ask(WriteContext{.workflow = "wf", .status = "X"});
    EXPECT_EQ(story.refusal(), Refusal::ContextLocked);
    story.as("vendor").ask(handoff("vendor"));
    EXPECT_EQ(story.refusal(), Refusal::ContextLocked) << "nor is it given away twice";
}

TEST_F(Context, S4_AnAcknowledgementMovesTheContextAndNotifiesTheSender) {
    const auto delivery = hand_over();
    story.ack(delivery);
    EXPECT_EQ(now().owner, "compliance");
    EXPECT_FALSE(now().is_locked());
    EXPECT_EQ(story.delivered(), Ids{"d1"}) << "to vendor: the handoff is complete";
    EXPECT_EQ(as("vendor", {.status = "X"}), Refusal::ContextNotOwner);
    EXPECT_EQ(as("compliance", {.status = "CHECKING"}), Refusal::None);
}

TEST_F(Context, S4_AnAnswerMovesTheContext) {
    const auto delivery = hand_over();
    const Letter letter{
        .id = "r", .from = "compliance", .to = "vendor", .intent = Intent::Reply, .answers = "h1"};
    story.ask(ReplyToDelivery{.delivery = delivery, .envelope = envelope(letter)});
    EXPECT_EQ(now().owner, "compliance");
}

TEST_F(Context, S4_TheOwnerKeepsTheContextIfTheRecipientRefuses) {
    const auto delivery = hand_over();
    story.ask(NackDelivery{delivery, "not mine", true});
    EXPECT_EQ(now().owner, "vendor");
    EXPECT_FALSE(now().is_locked());
    const Letter no{
        .id = "r", .from = "compliance", .to = "vendor", .intent = Intent::Reply, .answers = "h2"};
    story.ask(
        ReplyToDelivery{.delivery = hand_over(), .envelope = envelope(no), .falls_short = true});
    EXPECT_EQ(now().owner, "vendor");
    EXPECT_EQ(as("vendor", {.status = "MINE"}), Refusal::None);
}

TEST_F(Context, S4_TheOwnerKeepsTheContextIfTheHandoffTimesOut) {
    hand_over(10s);
    story.later(10s).tick();
    EXPECT_EQ(now().owner, "vendor");
    EXPECT_FALSE(now().is_locked());
    EXPECT_EQ(story.happened<HandoffEnded>().size(), 1U);
}

TEST_F(Context, S4_W7_ARestartDuringAHandoffKeepsOwnerAndLock) {
    hand_over();
    story.restart();
    EXPECT_TRUE(now().is_locked());
    EXPECT_EQ(now().owner, "vendor");
    story.connect("compliance", 9);
    story.ack(story.last_delivery());
    EXPECT_EQ(now().owner, "compliance");
}

TEST_F(Context, S4_W5_TheSenderKeepsTheContextIfAPersonAnswers) {
    story.as("vendor").ask(handoff("vendor", 60s, "human:boss"));
    ASSERT_TRUE(now().is_locked());
    const auto asked = story.happened<HumanAsked>();
    ASSERT_EQ(asked.size(), 1U);
    const Letter letter{
        .id = "p", .from = "human:boss", .to = "vendor", .intent = Intent::Reply, .answers = "h1"};
    story.as_operator().ask(AnswerHumanTask{.id = asked.front().id,
                                            .decision = HumanDecision::Answer,
                                            .content = "1",
                                            .reply = envelope(letter)});
    ASSERT_EQ(story.happened<RequestAnswered>().size(), 1U);
    EXPECT_FALSE(now().is_locked());
    EXPECT_EQ(now().owner, "vendor") << "people write as operators, and have no turn";
    EXPECT_EQ(as("vendor", {.status = "DONE"}), Refusal::None);
}

TEST_F(Context, S4_W5_TheAgentFoundByCapabilityOwnsTheContext) {
    story.ask(RegisterAgent{{"clerk"}, {.capabilities = R"([{"code":"FILE"}])"}});
    story.connect("clerk", 9);
    story.as("vendor").ask(handoff("vendor", 60s, "capability:FILE"));
    const auto delivery = story.last_delivery();
    story.as("clerk").ack(delivery);
    EXPECT_FALSE(now().is_locked());
    EXPECT_EQ(now().owner, "clerk");
}

TEST_F(Context, S4_W5_TheSenderKeepsTheContextIfSeveralAgentsAnswer) {
    story.connect("clerk", 9);
    story.as("vendor").ask(handoff("vendor", 60s, "all:compliance/clerk"));
    for (const auto& deliver : story.asked_for<Deliver>()) {
        const std::string who{deliver.envelope->to()};
        story.as(who).ask(ReplyToDelivery{.delivery = deliver.delivery,
                                          .envelope = envelope({.id = "r-" + who,
                                                                .from = who,
                                                                .to = "vendor",
                                                                .intent = Intent::Reply,
                                                                .body = R"({"output":1})"})});
    }
    EXPECT_TRUE(story.state().requests.slots.empty());
    EXPECT_FALSE(now().is_locked());
    EXPECT_EQ(now().owner, "vendor");
}

TEST_F(Context, S4_OnlyTheOwnerHandsTheContextOverAndOnlyToAnotherRegisteredAgent) {
    story.as("clerk").ask(handoff("clerk"));
    EXPECT_EQ(story.refusal(), Refusal::ContextNotOwner);
    auto nowhere = handoff("vendor");
    nowhere.request.envelope =
        envelope({.id = "h", .from = "vendor", .to = "nobody", .intent = Intent::Request});
    story.as("vendor").ask(std::move(nowhere));
    EXPECT_EQ(story.refusal(), Refusal::AgentNotRegistered);
    EXPECT_FALSE(now().is_locked());
    auto oneself = handoff("vendor");
    oneself.request.envelope =
        envelope({.id = "h2", .from = "vendor", .to = "vendor", .intent = Intent::Request});
    story.as("vendor").ask(std::move(oneself));
    EXPECT_EQ(story.refusal(), Refusal::RouteNotPermitted);
    EXPECT_FALSE(now().is_locked());
    auto stale = handoff("vendor");
    stale.version = 7;
    story.as("vendor").ask(std::move(stale));
    EXPECT_EQ(story.refusal(), Refusal::StateVersionStale);
}

TEST_F(Context, IsBounded) {
    story.limits().shared_item_bytes_max = 100;
    EXPECT_EQ(as("vendor", {.history = {std::string(100, '1')}}), Refusal::StateLimitExceeded);
    story.limits().shared_items_max = 1;
    story.as("clerk").ask(WriteContext{.workflow = "other", .agent = {"clerk"}, .status = "A"});
    EXPECT_EQ(story.refusal(), Refusal::StateLimitExceeded);
    story.limits().shared_bytes_max = story.state().shared.bytes;
    EXPECT_EQ(as("vendor", {.status = "B"}), Refusal::StateLimitExceeded);
}

}  // namespace
}  // namespace parlance::core
