// A request gets exactly one answer: the target's, or the hub's in its place.
#include <gtest/gtest.h>

#include "base/uuid.h"
#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

const Letter kReply{.id = "r1", .from = "bob", .to = "alice", .intent = Intent::Reply};

Letter reply(std::string id, std::string answers = {}) {
    auto letter = kReply;
    letter.id = std::move(id);
    letter.answers = std::move(answers);
    return letter;
}

/// alice asks bob, both connected.
struct RequestFixture {
    Story story;
    InstanceNumber alice;
    InstanceNumber bob;
    RequestFixture() {
        story.limits().heartbeat_timeout = 100h;
        story.agent("alice").agent("bob");
        alice = story.connect("alice", 100);
        bob = story.connect("bob", 100);
    }
    std::size_t open() { return story.state().requests.open.size(); }
};

TEST(Request, W1_AReplyToADeliveryIsTheAnswerAndSettlesTheDelivery) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1"});
    EXPECT_TRUE(story.asked_for<TellAccepted>().at(0).is_open_request);
    story.ask(ReplyToDelivery{story.last_delivery(), envelope(kReply)});
    EXPECT_EQ(story.asked_for<TellAccepted>().size(), 1U) << "bob is told";
    EXPECT_EQ(story.delivered(), Ids{"r1"}) << "and alice has it";
    EXPECT_EQ(story.asked_for<Deliver>()[0].instance, fixture.alice);
    EXPECT_EQ(story.mailbox("bob").in_flight, 0U);
    EXPECT_EQ(fixture.open(), 0U);
    story.later(1h).tick();
    EXPECT_TRUE(story.happened<RequestFailed>().empty());
}

TEST(Request, W1_AWaitingRequesterGetsTheAnswerOnItsConnection) {
    RequestFixture fixture;
    auto& story = fixture.story;
    const auto request = story.request({.id = "q1"}, true);
    story.ask(ReplyToDelivery{story.last_delivery(), envelope(kReply)});
    const auto answers = story.asked_for<TellAnswer>();
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].request, request);
    EXPECT_EQ(answers[0].reply->id(), "r1");
    EXPECT_TRUE(story.delivered().empty()) << "and not in the mailbox too";
    EXPECT_EQ(story.mailbox("alice").waiting, 0U);
}

TEST(Request, W1_ARequesterThatStoppedWaitingGetsTheAnswerInItsMailbox) {
    RequestFixture fixture;
    auto& story = fixture.story;
    const auto request = story.request({.id = "q1"}, true);
    const auto question = story.last_delivery();
    story.ask(StopWaiting{request});
    EXPECT_EQ(story.happened<WaitEnded>().size(), 1U);
    story.ask(StopWaiting{request});
    EXPECT_TRUE(story.events().empty()) << "once is enough";
    story.ask(ReplyToDelivery{question, envelope(kReply)});
    EXPECT_TRUE(story.asked_for<TellAnswer>().empty());
    EXPECT_EQ(story.delivered(), Ids{"r1"});
    story.ask(StopWaiting{{424242}});
    EXPECT_TRUE(story.events().empty());
}

TEST(Request, W1_ARestartSendsAllAnswersToMailboxes) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1"}, true);
    story.restart();
    story.connect("bob", 1);
    story.ask(ReplyToDelivery{story.last_delivery(), envelope(kReply)});
    EXPECT_TRUE(story.asked_for<TellAnswer>().empty());
    EXPECT_EQ(story.mailbox("alice").waiting, 1U);
}

TEST(Request, W3_AReplyFindsItsRequestById) {
    RequestFixture fixture;
    fixture.story.request({.id = "q1"});
    fixture.story.send(reply("r1", "q1"));
    EXPECT_EQ(fixture.story.happened<RequestAnswered>().size(), 1U);
    EXPECT_EQ(fixture.story.delivered(), Ids{"r1"});
    EXPECT_EQ(fixture.story.mailbox("bob").in_flight, 0U) << "the delivery is settled by it";
}

TEST(Request, W3_AReplyWithoutItsRequesterFindsItsRequest) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1"});
    auto letter = reply("r1", "q1");
    letter.to.clear();
    story.send(letter);
    EXPECT_EQ(story.happened<RequestAnswered>().size(), 1U);
    letter.id = "r2";
    story.send(letter);
    EXPECT_EQ(story.happened<ReplyDropped>().size(), 1U) << "and that it has ended";
}

TEST(Request, W3_AReplyFindsItsRequestByTheShownUuid) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1"});
    story.send(reply("r1", derived_uuid("q2")));
    EXPECT_TRUE(story.happened<RequestAnswered>().empty());
    story.send(reply("r2", derived_uuid("q1")));
    EXPECT_EQ(story.happened<RequestAnswered>().size(), 1U);
    EXPECT_EQ(fixture.open(), 0U);
}

TEST(Request, W3_AnIdUsedByTwoRequestersMeansTheNamedRequester) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.agent("carol");
    story.request({.id = "q1"});
    const auto carols = story.request({.id = "q1", .from = "carol"});
    auto letter = reply("r1", "q1");
    letter.to = "carol";
    story.send(letter);
    ASSERT_EQ(story.happened<RequestAnswered>().size(), 1U);
    EXPECT_EQ(story.happened<RequestAnswered>()[0].request, carols);
}

Letter progress(std::string answers) {
    return {.id = "p1",
            .from = "bob",
            .to = "alice",
            .intent = Intent::Progress,
            .answers = std::move(answers),
            .body = R"({"percent":40})"};
}

TEST(Request, C4_APendingReplyToADeliveryIsProgressAndTheAnswerIsStillToCome) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.limits().lease = 30s;
    story.request({.id = "q1"});
    const auto question = story.last_delivery();
    story.later(20s).ask(ReplyToDelivery{question, envelope(progress("q1"))});
    ASSERT_EQ(story.happened<ProgressReported>().size(), 1U);
    EXPECT_EQ(story.happened<ProgressReported>()[0].until, story.now() + 30s);
    ASSERT_EQ(story.asked_for<TellProgress>().size(), 1U);
    EXPECT_EQ(story.asked_for<TellProgress>()[0].note, R"({"percent":40})");
    EXPECT_EQ(fixture.open(), 1U);
    story.ask(ReplyToDelivery{question, envelope(kReply)});
    EXPECT_EQ(story.delivered(), Ids{"r1"});
}

TEST(Request, C4_APendingMessageIsProgressOfTheNamedRequest) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1"});
    const auto question = story.last_delivery();
    story.send(progress("q1"));
    EXPECT_EQ(story.happened<ProgressReported>().size(), 1U);
    EXPECT_EQ(story.asked_for<TellAccepted>().size(), 1U) << "bob is told";
    EXPECT_EQ(story.asked_for<TellProgress>().size(), 1U) << "and so is alice";
    EXPECT_EQ(fixture.open(), 1U);
    story.ask(ReplyToDelivery{question, envelope(kReply)});
    story.send(progress("q1"));
    EXPECT_TRUE(story.delivered().empty());
    EXPECT_EQ(story.happened<ReplyDropped>().size(), 1U) << "W2: it is late, and never shown";
}

TEST(Request, C4_APendingMessageWithoutARequestIsAnOrdinaryMessage) {
    RequestFixture fixture;
    fixture.story.send(progress(""));
    EXPECT_EQ(fixture.story.delivered(), Ids{"p1"});
}

TEST(Request, W3_AReplyFindsItsRequestByTaskOrCorrelation) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1", .task = "t"});
    auto by_task = reply("r1");
    by_task.task = "t";
    story.send(by_task);
    EXPECT_EQ(story.happened<RequestAnswered>().size(), 1U);
    story.request({.id = "q2", .correlation = "c"});
    auto by_correlation = reply("r2");
    by_correlation.correlation = "c";
    story.send(by_correlation);
    EXPECT_EQ(story.happened<RequestAnswered>().size(), 1U);
    EXPECT_EQ(fixture.open(), 0U);
}

TEST(Request, W3_AReplyByTaskAnswersTheDeliveredRequest) {
    RequestFixture fixture;
    auto& story = fixture.story;
    const auto first = story.request({.id = "q1", .task = "t"});
    const auto second = story.request({.id = "q2", .task = "t"});
    auto letter = reply("r1");
    letter.task = "t";
    story.send(letter);
    ASSERT_EQ(story.happened<RequestAnswered>().size(), 1U);
    EXPECT_EQ(story.happened<RequestAnswered>()[0].request, first);
    EXPECT_EQ(story.delivered(), (Ids{"r1", "q2"})) << "and the next question goes out";
    letter.id = "r2";
    story.send(letter);
    ASSERT_EQ(story.happened<RequestAnswered>().size(), 1U);
    EXPECT_EQ(story.happened<RequestAnswered>()[0].request, second);
}

TEST(Request, W3_AReplyByWorkflowAnswersTheDeliveredRequest) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.ask(GrantCredit{fixture.bob, 0});
    story.request({.id = "low", .correlation = "c"}, false, Priority::Normal);
    const auto urgent = story.request({.id = "high", .correlation = "c"});
    story.ask(GrantCredit{fixture.bob, 1});
    ASSERT_EQ(story.delivered(), Ids{"high"});
    auto letter = reply("r1");
    letter.correlation = "c";
    story.send(letter);
    EXPECT_EQ(story.happened<RequestAnswered>().at(0).request, urgent);
}

TEST(Request, W3_AReplyByTaskOrWorkflowDoesNotMeanAnUndeliveredRequest) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.ask(GrantCredit{fixture.bob, 0});
    story.request({.id = "q1", .task = "t", .correlation = "c"});
    auto letter = reply("r1");
    letter.task = "t";
    letter.correlation = "c";
    story.send(letter);
    EXPECT_TRUE(story.happened<RequestAnswered>().empty()) << "bob has not seen it";
    EXPECT_EQ(fixture.open(), 1U);
    story.send(reply("r2", "q1"));
    EXPECT_EQ(story.happened<RequestAnswered>().size(), 1U) << "but who knows its id means it";
    EXPECT_EQ(fixture.open(), 0U);
}

TEST(Request, W3_TheEarlierRequestIsAnsweredAfterTheLaterOne) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1", .correlation = "c"});
    story.request({.id = "q2", .correlation = "c"});
    auto second = reply("r2", "q2");
    second.correlation = "c";
    story.send(second);
    auto first = reply("r1");
    first.correlation = "c";
    story.send(first);
    EXPECT_EQ(story.happened<RequestAnswered>().size(), 1U);
    EXPECT_EQ(fixture.open(), 0U);
}

TEST(Request, W3_AnAnswerFromAnotherWorkflowIsRefused) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1", .correlation = "c"});
    auto letter = reply("r1", "q1");
    letter.correlation = "other";
    story.ask(ReplyToDelivery{story.last_delivery(), envelope(letter)});
    EXPECT_EQ(story.refusal(), Refusal::InputValidationFailed);
    story.send(letter);
    EXPECT_EQ(story.refusal(), Refusal::InputValidationFailed);
    EXPECT_EQ(fixture.open(), 1U);
}

TEST(Request, I1_AnAnswerUnderAnotherAgentsNameIsRefused) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1"});
    auto forged = kReply;
    forged.from = "carol";
    story.as("bob").ask(ReplyToDelivery{story.last_delivery(), envelope(forged)});
    EXPECT_EQ(story.refusal(), Refusal::IdentityMismatch);
    EXPECT_EQ(fixture.open(), 1U);
}

TEST(Request, W2_AForeignReplyAnswersNoRequest) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.agent("carol").request({.id = "q1", .task = "t", .correlation = "c"});
    auto letter = reply("r1", "q1");
    letter.from = "carol";
    letter.task = "t";
    letter.correlation = "c";
    story.send(letter);
    EXPECT_TRUE(story.happened<RequestAnswered>().empty());
    EXPECT_EQ(story.refusal(), Refusal::RouteNotPermitted);
    EXPECT_TRUE(story.delivered().empty()) << "alice would take it for the answer";
    EXPECT_EQ(fixture.open(), 1U);
    letter.id = "m1";
    letter.answers.clear();
    story.send(letter);
    EXPECT_EQ(story.delivered(), Ids{"m1"}) << "which names no request, and is a message";
    story.send(reply("r2", "q1"));
    EXPECT_EQ(story.happened<RequestAnswered>().size(), 1U) << "and bob's own is one";
}

TEST(Request, W2_AForeignReplyToAnotherAgentIsAnOrdinaryMessage) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.agent("carol").request({.id = "q1"});
    auto letter = reply("r1", "q1");
    letter.from = "carol";
    letter.to = "bob";
    story.send(letter);
    EXPECT_EQ(story.delivered(), Ids{"r1"}) << "bob has asked nothing under that id";
}

TEST(Request, W2_ASecondReplyIsRecordedAndNeverShown) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1"});
    story.send(reply("r1", "q1")).send(reply("r2", "q1"));
    ASSERT_EQ(story.happened<ReplyDropped>().size(), 1U);
    EXPECT_EQ(story.happened<ReplyDropped>()[0].id, "r2");
    EXPECT_EQ(story.refusal(), Refusal::RequestAlreadyAnswered);
    EXPECT_TRUE(story.delivered().empty());
}

TEST(Request, W2_ALateReplyIsRecordedAndNeverShown) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1", .task = "t"}, false, Priority::High, 10s);
    story.later(10s).tick();
    ASSERT_EQ(story.happened<RequestFailed>().size(), 1U);
    story.send(reply("r1", "q1"));
    EXPECT_EQ(story.happened<ReplyDropped>().size(), 1U);
    auto by_task = reply("r2");
    by_task.task = "t";
    story.send(by_task);
    EXPECT_EQ(story.happened<ReplyDropped>().size(), 1U);
    EXPECT_TRUE(story.delivered().empty());
}

TEST(Request, W2_ALateReplyOfAnotherAgentIsRecordedAndNeverShown) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.agent("carol");
    story.request({.id = "q1"}, false, Priority::High, 10s);
    story.later(10s).tick();
    auto forged = reply("r1", "q1");
    forged.from = "carol";
    story.send(forged);
    ASSERT_EQ(story.happened<ReplyDropped>().size(), 1U);
    EXPECT_EQ(story.happened<ReplyDropped>()[0].from, "carol");
    EXPECT_TRUE(story.delivered().empty());
}

TEST(Request, W2_ALateReplyToADeliverySettlesTheDeliveryAndIsRefusedOnce) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1"}, false, Priority::High, 10s);
    const auto question = story.last_delivery();
    story.later(10s).tick();
    story.ask(ReplyToDelivery{question, envelope(kReply)});
    EXPECT_EQ(story.happened<ReplyDropped>().size(), 1U);
    EXPECT_EQ(story.happened<DeliveryAcknowledged>().size(), 1U);
    EXPECT_TRUE(story.delivered().empty());
    EXPECT_EQ(story.refusal(), Refusal::RequestAlreadyAnswered);
    EXPECT_TRUE(story.asked_for<TellDone>().empty()) << "one question, one answer";
}

TEST(Request, AReplyThatAnswersNoRequestIsAnOrdinaryMessage) {
    RequestFixture fixture;
    fixture.story.send(reply("r1"));
    EXPECT_EQ(fixture.story.happened<MessageAccepted>().size(), 1U);
    EXPECT_EQ(fixture.story.delivered(), Ids{"r1"});
}

TEST(Request, OnlyARequestCanBeRepliedTo) {
    RequestFixture fixture;
    fixture.story.send({.id = "m1"});
    fixture.story.ask(ReplyToDelivery{fixture.story.last_delivery(), envelope(kReply)});
    EXPECT_EQ(fixture.story.refusal(), Refusal::RouteNotPermitted);
    EXPECT_EQ(fixture.story.mailbox("bob").in_flight, 1U);
}

TEST(Request, AnAcknowledgingReplyToAMessageSettlesTheDelivery) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.send({.id = "m1"});
    ReplyToDelivery answer{story.last_delivery(), envelope(kReply)};
    answer.acknowledges = true;
    story.ask(answer);
    EXPECT_EQ(story.happened<DeliveryAcknowledged>().size(), 1U);
    ASSERT_EQ(story.asked_for<TellDone>().size(), 1U) << "one settlement, counted once";
    EXPECT_TRUE(story.asked_for<TellDone>()[0].is_settlement);
    EXPECT_TRUE(story.delivered().empty()) << "nobody awaits it";
    EXPECT_EQ(story.mailbox("bob").in_flight, 0U);
}

TEST(Request, W1_TimesOutAtTheDeadlineAndNotBefore) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1"}, true, Priority::High, 10s);
    story.ack(story.last_delivery());
    EXPECT_EQ(fixture.open(), 1U) << "taken is not answered";
    story.later(10s - 1ms).tick();
    EXPECT_TRUE(story.events().empty());
    EXPECT_EQ(next_due(story.state()), story.now() + 1ms);
    story.later(1ms).tick();
    ASSERT_EQ(story.asked_for<TellAnswer>().size(), 1U);
    EXPECT_EQ(story.asked_for<TellAnswer>()[0].failure.refusal, Refusal::RequestTimedOut);
    EXPECT_EQ(story.asked_for<TellAnswer>()[0].reply, nullptr);
    story.later(1h).tick();
    EXPECT_TRUE(story.asked_for<TellAnswer>().empty()) << "exactly one";
}

TEST(Request, W1_AFailureReachesTheMailboxOfARequesterThatDoesNotWait) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1"}, false, Priority::High, 10s);
    story.later(10s).tick();
    const auto notices = story.asked_for<Deliver>();
    ASSERT_EQ(notices.size(), 1U);
    EXPECT_EQ(notices[0].instance, fixture.alice);
    EXPECT_EQ(notices[0].failure.refusal, Refusal::RequestTimedOut);
    EXPECT_EQ(notices[0].envelope->id(), "q1") << "so that the ids can be echoed";
    story.ack(notices[0].delivery);
    EXPECT_TRUE(story.state().broker.notices.empty());
}

TEST(Request, W1_ARequestToAnAbsentTargetFailsAtTheDeadlineAndIsNotDeliveredLater) {
    Story story;
    story.agent("alice").agent("bob");
    story.request({.id = "q1"}, true, Priority::High, 10s);
    story.later(10s).tick();
    EXPECT_EQ(story.happened<MessageExpired>().size(), 1U);
    EXPECT_EQ(story.asked_for<TellAnswer>().at(0).failure.refusal, Refusal::RequestTimedOut);
    story.connect("bob", 1);
    EXPECT_TRUE(story.delivered().empty());
}

TEST(Request, W1_AnExpiredQuestionFailsTheRequestAtOnce) {
    Story story;
    story.agent("alice").agent("bob");
    story.ask(SendMessage{.envelope = envelope({.id = "q1", .intent = Intent::Request}),
                          .ttl = 5s,
                          .timeout = 60s,
                          .waits = true});
    story.later(5s).tick();
    EXPECT_EQ(story.asked_for<TellAnswer>().at(0).failure.refusal, Refusal::MessageExpired);
}

TEST(Request, W1_ADroppedQuestionFailsTheRequestAtOnce) {
    RequestFixture fixture;
    fixture.story.request({.id = "q1"}, true, Priority::Normal);
    fixture.story.nack(fixture.story.last_delivery());
    EXPECT_EQ(fixture.story.asked_for<TellAnswer>().at(0).failure.refusal,
              Refusal::RequestUndeliverable);
    EXPECT_EQ(fixture.open(), 0U);
}

TEST(Request, W1_ARejectedQuestionFailsTheRequestWithTheReason) {
    RequestFixture fixture;
    fixture.story.request({.id = "q1"}, true);
    fixture.story.ask(NackDelivery{fixture.story.last_delivery(), "I cannot", true});
    const auto answer = fixture.story.asked_for<TellAnswer>().at(0);
    EXPECT_EQ(answer.failure.refusal, Refusal::RequestRejected);
    EXPECT_EQ(answer.failure.detail, "I cannot");
}

TEST(Request, K5_ARefusedAnswerEndsTheRequest) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1"}, true);
    story.ask(RefuseReply{.delivery = story.last_delivery(), .id = "r1", .detail = "no npv"});
    const auto refused = story.happened<MessageRefused>();
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0].id, "r1");
    EXPECT_EQ(refused[0].refusal, Refusal::OutputValidationFailed);
    const auto answers = story.asked_for<TellAnswer>();
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].failure.refusal, Refusal::OutputValidationFailed);
    EXPECT_EQ(answers[0].failure.detail, "the answer was not passed on: no npv");
    EXPECT_EQ(story.mailbox("bob").in_flight, 0U) << "bob has had its turn";
    EXPECT_EQ(fixture.open(), 0U);
}

TEST(Request, K5_ARefusedAnswerWithoutADeliveryFindsItsRequestById) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1"});
    story.ask(RefuseReply{.reply = envelope(reply("r1", "q2")), .id = "r1"});
    EXPECT_EQ(fixture.open(), 1U) << "another's";
    story.ask(RefuseReply{.reply = envelope(reply("r1", "q1")), .id = "r1"});
    EXPECT_EQ(fixture.open(), 0U);
    EXPECT_EQ(story.mailbox("bob").in_flight, 0U);
    ASSERT_EQ(story.asked_for<Deliver>().size(), 1U);
    EXPECT_EQ(story.asked_for<Deliver>()[0].failure.refusal, Refusal::OutputValidationFailed);
}

TEST(Request, D1_ARefusedAnswerAfterTheLeaseLeavesTheQuestionAmongTheDeadLetters) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1"}, true, Priority::High, 10min);
    story.nack(story.last_delivery());
    ASSERT_EQ(story.happened<DeliveryReturned>().size(), 1U);
    story.ask(RefuseReply{.reply = envelope(reply("r1", "q1")), .id = "r1", .detail = "no npv"});
    EXPECT_EQ(story.happened<MessageDeadLettered>().size(), 1U);
    EXPECT_EQ(story.mailbox("bob").dead, 1U);
    EXPECT_EQ(fixture.open(), 0U);
}

TEST(Request, W1_ADeadLetterFailsTheRequestAndItsRedeliveryAnswersNobody) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.limits().retry_count_max = 0;
    const auto request = story.request({.id = "q1"}, true);
    story.nack(story.last_delivery());
    EXPECT_EQ(story.asked_for<TellAnswer>().at(0).failure.refusal, Refusal::RequestUndeliverable);
    story.ask(RedeliverDeadLetter{request});
    ASSERT_EQ(story.delivered(), Ids{"q1"});
    story.ask(ReplyToDelivery{story.last_delivery(), envelope(kReply)});
    EXPECT_EQ(story.happened<ReplyDropped>().size(), 1U);
}

TEST(Request, W1_ARequestOfALostInstanceGoesToTheNextInstance) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1"}, true);
    story.connect("bob", 100);
    ASSERT_EQ(story.delivered(), Ids{"q1"});
    story.ask(ReplyToDelivery{story.last_delivery(), envelope(kReply)});
    EXPECT_EQ(story.asked_for<TellAnswer>().size(), 1U);
}

TEST(Request, K19_ARequestToNobodyIsRefusedAtOnce) {
    RequestFixture fixture;
    fixture.story.request({.id = "q1", .to = "nobody"}, true);
    EXPECT_EQ(fixture.story.refusal(), Refusal::AgentNotRegistered);
    EXPECT_EQ(fixture.open(), 0U);
}

TEST(Request, TheDeadlineHasADefaultAndABound) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1"});
    EXPECT_EQ(story.happened<MessageAccepted>()[0].deadline, story.now() + 5min);
    story.request({.id = "q2"}, false, Priority::High, Duration::max());
    EXPECT_EQ(story.happened<MessageAccepted>()[0].deadline, story.now() + 24h * 7);
}

TEST(Request, ProgressReachesTheRequester) {
    RequestFixture fixture;
    auto& story = fixture.story;
    const auto request = story.request({.id = "q1"}, true);
    story.ask(ReportProgress{story.last_delivery(), R"({"percent":50})"});
    const auto told = story.asked_for<TellProgress>();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].request, request);
    EXPECT_EQ(told[0].requester.value, "alice");
    EXPECT_EQ(told[0].note, R"({"percent":50})");
}

TEST(Request, TheAnswerHasThePriorityOfTheRequest) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.ask(GrantCredit{fixture.alice, 0});
    story.request({.id = "q1"}, false, Priority::Critical);
    const auto question = story.last_delivery();
    story.send({.id = "m1", .from = "bob", .to = "alice"}, Priority::High);
    story.ask(ReplyToDelivery{question, envelope(kReply)});
    story.ask(GrantCredit{fixture.alice, 1});
    EXPECT_EQ(story.delivered(), Ids{"r1"});
}

TEST(Request, AnAgentMayAskItself) {
    RequestFixture fixture;
    auto& story = fixture.story;
    story.request({.id = "q1", .from = "bob", .to = "bob", .task = "t"}, true);
    auto own = kReply;
    own.to = "bob";
    own.task = "t";
    story.ask(ReplyToDelivery{story.last_delivery(), envelope(own)});
    EXPECT_EQ(story.asked_for<TellAnswer>().size(), 1U);
}

TEST(Request, W3_AReplyToADeliveryThatNamesADifferentRequestIsRefused) {
    Story story;
    story.agent("bob").agent("alice");
    story.connect("bob", 2);
    const auto first = story.request({.id = "q1", .correlation = "wf"});
    const auto delivery = story.last_delivery();
    const auto reply = [&](const std::string& answers, const std::string& to) {
        story.as("bob").ask(ReplyToDelivery{.delivery = delivery,
                                            .envelope = envelope({.id = "r1",
                                                                  .from = "bob",
                                                                  .to = to,
                                                                  .correlation = "wf",
                                                                  .intent = Intent::Reply,
                                                                  .answers = answers})});
        return story.happened<RequestAnswered>().size();
    };
    EXPECT_EQ(reply("q2", "alice"), 0U);
    EXPECT_EQ(story.happened<SettlementRefused>().size(), 1U) << "A1: it is on record";
    EXPECT_EQ(reply("q1", "carl"), 0U);
    EXPECT_NE(broker::find_request(story.state().requests, first), nullptr);
    EXPECT_EQ(reply("q1", "alice"), 1U);
}

TEST(Request, X21_ANameLongerThanAnyIdMeansNoRequest) {
    Story story;
    story.agent("bob");
    story.request({.id = "q1"});
    story.as_operator().ask(CancelRequest{std::string(1'000, 'x'), "enough"});
    EXPECT_EQ(story.refusal(), Refusal::DelegationNotFound);
}

}  // namespace
}  // namespace parlance::core
