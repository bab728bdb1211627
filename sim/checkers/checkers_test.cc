// Shows each checker a history that breaks its promise, and a history that keeps the promise.
#include "sim/checkers/checkers.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "model/plan.h"
#include "sim/testing/chronicle.h"

namespace parlance::sim {
namespace {

using namespace std::chrono_literals;

const MessageAccepted kHigh{.priority = Priority::High, .retry_count_max = 3};
const MessageAccepted kNormal{.priority = Priority::Normal};

/// A request of alice to bob.
Ticket ask_bob(Chronicle& life, Priority priority = Priority::High) {
    return life.accept({.id = "q", .correlation = "flow", .intent = Intent::Request},
                       {.priority = priority, .deadline = life.now() + 1s});
}
Letter reply_of_bob(std::string id) {
    return {.id = std::move(id),
            .from = "bob",
            .to = "alice",
            .correlation = "flow",
            .intent = Intent::Reply,
            .answers = "q"};
}

TEST(Checkers, FindNothingInALifeWithoutFault) {
    Chronicle life;
    life.acknowledge(life.lease(life.accept({.id = "a"}, kHigh)));
    life.acknowledge(life.lease(life.accept({.id = "b"}, kNormal)));
    EXPECT_EQ(life.broken(), "");
}

TEST(D1, IsBrokenByAMessageThatIsLost) {
    Chronicle life;
    life.accept({.id = "a"}, kHigh);
    EXPECT_TRUE(life.breaks("D1"));
}

TEST(D1, IsBrokenByADeadLetterMissingFromTheList) {
    Chronicle life;
    const auto ticket = life.accept({.id = "a"}, kHigh);
    life.ask(NackDelivery{life.lease(ticket), "no", true}, "bob");
    life.record(MessageDeadLettered{.ticket = ticket, .failure = DeliveryFailure::Rejected});
    EXPECT_TRUE(life.breaks("D1"));
    life.history.dead.insert(ticket);
    EXPECT_EQ(life.broken(), "");
}

TEST(D1, IsBrokenByDroppingAHighMessage) {
    Chronicle life;
    const auto ticket = life.accept({.id = "a"}, kHigh);
    life.record(MessageDropped{.ticket = ticket});
    EXPECT_TRUE(life.breaks("D1"));
}

TEST(D1, IsKeptByCancellingARequestButNotAOneWayMessage) {
    for (const auto intent : {Intent::Request, Intent::OneWay}) {
        Chronicle life;
        const auto ticket = life.accept({.id = "a", .intent = intent}, kHigh);
        life.record(MessageDropped{.ticket = ticket, .failure = DeliveryFailure::Cancelled});
        EXPECT_EQ(life.breaks("D1"), intent == Intent::OneWay);
    }
}

TEST(D2, IsBrokenByASecondHandOverOfANormalMessage) {
    Chronicle life;
    const auto ticket = life.accept({.id = "a"}, kNormal);
    life.lease(ticket, 1);
    life.acknowledge(life.lease(ticket, 2));
    EXPECT_TRUE(life.breaks("D2"));
}

TEST(D3, IsBrokenByOvertakingWithinATask) {
    Chronicle life;
    const auto first = life.accept({.id = "a", .task = "t"}, kHigh);
    const auto second = life.accept({.id = "b", .task = "t"}, kHigh);
    life.acknowledge(life.lease(second));
    life.acknowledge(life.lease(first));
    EXPECT_TRUE(life.breaks("D3"));
}

TEST(D3, IsKeptByOvertakingBetweenTasks) {
    Chronicle life;
    const auto first = life.accept({.id = "a", .task = "t"}, kHigh);
    const auto second = life.accept({.id = "b", .task = "u"}, kHigh);
    life.acknowledge(life.lease(second));
    life.acknowledge(life.lease(first));
    EXPECT_EQ(life.broken(), "");
}

TEST(D4, IsBrokenByAcceptingAnIdTwice) {
    Chronicle life;
    life.acknowledge(life.lease(life.accept({.id = "a"}, kHigh)));
    life.acknowledge(life.lease(life.accept({.id = "a"}, kHigh)));
    EXPECT_TRUE(life.breaks("D4"));
}

TEST(D4, IsBrokenByTakingOtherContentForADuplicate) {
    Chronicle life;
    const auto ticket = life.accept({.id = "a"}, kHigh);
    life.acknowledge(life.lease(ticket));
    const auto reply_target =
        life.ask(SendMessage{.envelope = envelope({.id = "a", .body = "{1}"})});
    life.show(TellAccepted{.reply_target = reply_target,
                           .ticket = ticket,
                           .sequence = {ticket.value / 1024},
                           .is_duplicate = true});
    EXPECT_TRUE(life.breaks("D4"));
}

TEST(D4, IsBrokenByCallingARepeatAConflict) {
    Chronicle life;
    life.acknowledge(life.lease(life.accept({.id = "a"}, kHigh)));
    const auto reply_target = life.ask(SendMessage{.envelope = envelope({.id = "a"})});
    life.record(MessageRefused{.from = "alice", .id = "a", .refusal = Refusal::MessageIdConflict});
    life.show(TellRefused{
        .reply_target = reply_target, .id = "a", .refusal = Refusal::MessageIdConflict});
    EXPECT_TRUE(life.breaks("D4"));
}

/// Bob lost a delivery and has a second delivery: the first token is stale, the second in force.
struct Again {
    Chronicle life;
    Ticket ticket = life.accept({.id = "a", .intent = Intent::Request}, kHigh);
    DeliveryToken stale = life.lease(ticket, 1);
    DeliveryToken current{ticket, 2};

    Again() {
        life.record(DeliveryReturned{.ticket = ticket,
                                     .attempt = 1,
                                     .failure = DeliveryFailure::InstanceLost,
                                     .retry_at = life.now()});
        life.lease(ticket, 2);
    }
    /// True if the checker objects to the command's success with the fact on record.
    template <class Fact>
    bool breaks(Command command, Fact fact) {
        const auto reply_target = life.ask(std::move(command), "bob");
        const auto sequence = life.record(std::move(fact));
        if constexpr (std::is_same_v<Fact, RequestAnswered>) {
            life.show(
                TellAccepted{.reply_target = reply_target, .ticket = ticket, .sequence = sequence});
        } else {
            life.show(TellDone{reply_target});
        }
        return life.breaks("D5");
    }
};

TEST(D5, IsBrokenByTakingAnOlderToken) {
    for (const bool is_stale : {false, true}) {
        const auto token = [&](const Again& again) {
            return is_stale ? again.stale : again.current;
        };
        Again ack;
        EXPECT_EQ(ack.breaks(AckDelivery{token(ack)}, DeliveryAcknowledged{ack.ticket, 2}),
                  is_stale);
        Again nack;
        EXPECT_EQ(nack.breaks(NackDelivery{token(nack), "no", true},
                              MessageDeadLettered{nack.ticket, DeliveryFailure::Rejected, "no"}),
                  is_stale);
        Again extend;
        EXPECT_EQ(extend.breaks(ExtendLease{token(extend)},
                                LeaseExtended{extend.ticket, extend.life.now()}),
                  is_stale);
        Again progress;
        EXPECT_EQ(progress.breaks(ReportProgress{token(progress), "1"},
                                  ProgressReported{progress.ticket, progress.life.now(), "1"}),
                  is_stale);
        Again reply;
        const auto answer = envelope({.id = "r", .from = "bob", .to = "alice", .answers = "a"});
        EXPECT_EQ(reply.breaks(ReplyToDelivery{token(reply), answer},
                               RequestAnswered{.request = reply.ticket, .envelope = answer}),
                  is_stale);
    }
}

TEST(D6, IsBrokenByOneAttemptTooMany) {
    Chronicle life;
    const auto ticket = life.accept({.id = "a"}, {.priority = Priority::High});
    life.lease(ticket, 1);
    life.record(DeliveryReturned{.ticket = ticket,
                                 .attempt = 1,
                                 .failure = DeliveryFailure::InstanceLost,
                                 .retry_at = life.now()});
    life.acknowledge(life.lease(ticket, 2));
    EXPECT_TRUE(life.breaks("D6"));
}

/// `tries` attempts, each cut short by a restart of the hub, and then one that succeeds.
Chronicle restarted_life(bool starts_again, std::uint32_t tries) {
    Chronicle life;
    const auto ticket =
        life.accept({.id = "a"}, {.priority = Priority::High, .retry_count_max = 1});
    for (std::uint32_t attempt = 1; attempt <= tries; ++attempt) {
        life.lease(ticket, attempt);
        life.record(DeliveryReturned{.ticket = ticket,
                                     .attempt = attempt,
                                     .failure = DeliveryFailure::HubRestarted,
                                     .retry_at = life.now()});
        if (starts_again) life.record(HubStarted{});
    }
    life.acknowledge(life.lease(ticket, tries + 1));
    return life;
}

TEST(D6, IsKeptByAttemptsCutShortByARestart) { EXPECT_EQ(restarted_life(true, 6).broken(), ""); }

TEST(D6, IsBrokenByBlamingARestartWithoutAStart) {
    EXPECT_TRUE(restarted_life(false, 6).breaks("D6"));
}

TEST(D6, IsKeptByAttemptsThatDidNotReachTheAgent) {
    Chronicle life;
    const auto ticket = life.accept({.id = "a"}, {.priority = Priority::High});
    life.lease(ticket, 1);
    life.record(DeliveryReturned{.ticket = ticket,
                                 .attempt = 1,
                                 .failure = DeliveryFailure::NotReached,
                                 .retry_at = life.now() + life.history.limits.backoff_base});
    life.later(life.history.limits.backoff_base).record(RetryBegan{ticket});
    life.acknowledge(life.lease(ticket, 2));
    EXPECT_FALSE(life.breaks("D6")) << life.broken();
}

TEST(D6, IsBrokenByADeadLetterBeforeTheLastAttempt) {
    for (const std::uint32_t retries : {0U, 1U}) {
        Chronicle life;
        const auto ticket =
            life.accept({.id = "a"}, {.priority = Priority::High, .retry_count_max = retries});
        life.lease(ticket, 1);
        life.record(
            MessageDeadLettered{ticket, DeliveryFailure::RetriesExhausted, "tried often enough"});
        life.history.dead.insert(ticket);
        EXPECT_EQ(life.breaks("D6"), retries == 1);
    }
}

TEST(D6, IsBrokenByAWaitOutsideTheBackoff) {
    for (const auto wait : {79ms, 101ms}) {
        Chronicle life;
        const auto ticket = life.accept({.id = "a"}, kHigh);
        life.lease(ticket, 1);
        life.record(
            DeliveryReturned{.ticket = ticket, .attempt = 1, .retry_at = life.now() + wait});
        life.later(wait).record(RetryBegan{ticket});
        life.acknowledge(life.lease(ticket, 2));
        EXPECT_TRUE(life.breaks("D6")) << wait.count();
    }
}

TEST(D6, IsBrokenByAnAttemptBeforeTheWaitIsOver) {
    Chronicle life;
    const auto ticket = life.accept({.id = "a"}, kHigh);
    life.lease(ticket, 1);
    life.record(DeliveryReturned{.ticket = ticket, .attempt = 1, .retry_at = life.now() + 90ms});
    life.later(89ms).acknowledge(life.lease(ticket, 2));
    EXPECT_TRUE(life.breaks("D6"));
}

TEST(D7, IsBrokenByDeliveryAfterTheTtl) {
    Chronicle life;
    const auto ticket =
        life.accept({.id = "a"}, {.priority = Priority::High, .expires_at = life.now() + 10ms});
    life.later(10ms).acknowledge(life.lease(ticket));
    EXPECT_TRUE(life.breaks("D7"));
}

TEST(D7, IsBrokenByExpiryWithoutARecord) {
    Chronicle life;
    const auto ticket =
        life.accept({.id = "a"}, {.priority = Priority::High, .expires_at = life.now() + 10ms});
    life.later(10ms).record(DeliveryAcknowledged{ticket, 0});
    EXPECT_TRUE(life.breaks("D7"));
}

/// Five lower messages wait, then a critical message; `first` lower messages go before the critical
/// message.
bool breaks_d8(int first, InstanceNumber second_taker = {1}) {
    Chronicle life;
    life.record(InstanceJoined{.instance = {3}, .agent = {"bob"}});
    std::vector<Ticket> lower;
    for (int i = 0; i < 5; ++i) {
        lower.push_back(life.accept({.id = "n" + std::to_string(i)}, kNormal));
    }
    const auto critical = life.accept({.id = "c"}, {.priority = Priority::Critical});
    for (int i = 0; i < first; ++i) {
        life.acknowledge(life.lease(
            lower[static_cast<std::size_t>(i)], 1, i == 0 ? InstanceNumber{1} : second_taker));
    }
    life.acknowledge(life.lease(critical));
    for (auto i = static_cast<std::size_t>(first); i < 5; ++i) {
        life.acknowledge(life.lease(lower[i]));
    }
    return life.breaks("D8");
}

TEST(D8, IsBrokenByTwoLowerMessagesBeforeACriticalMessage) {
    EXPECT_FALSE(breaks_d8(0));
    EXPECT_FALSE(breaks_d8(1)) << "in its turn";
    EXPECT_TRUE(breaks_d8(2));
    EXPECT_TRUE(breaks_d8(2, {3})) << "even if another consumer takes the second";
}

TEST(D8, IsBrokenByALowerMessageAfterALowerMessageInFlight) {
    Chronicle life;
    const auto first = life.accept({.id = "n1"}, kNormal);
    const auto second = life.accept({.id = "n2"}, kNormal);
    const auto held = life.lease(first);
    const auto critical = life.accept({.id = "c"}, {.priority = Priority::Critical});
    life.acknowledge(held);
    life.acknowledge(life.lease(second));
    life.acknowledge(life.lease(critical));
    EXPECT_TRUE(life.breaks("D8"));
}

TEST(D8, IsBrokenByTwoLowerMessagesInARowForOneConsumer) {
    Chronicle life;
    life.record(InstanceJoined{.instance = {3}, .agent = {"bob"}});
    const auto first = life.accept({.id = "n1"}, kNormal);
    const auto second = life.accept({.id = "n2"}, kNormal);
    life.acknowledge(life.lease(first));
    const auto urgent = life.accept({.id = "c1"}, {.priority = Priority::Critical});
    const auto more_urgent = life.accept({.id = "c2"}, {.priority = Priority::Critical});
    life.acknowledge(life.lease(urgent, 1, {3}));
    life.acknowledge(life.lease(second));
    life.acknowledge(life.lease(more_urgent));
    EXPECT_TRUE(life.breaks("D8"));
}

/// `others` high messages are handed over while a low message waits.
bool breaks_d8_by_waiting(int others) {
    Chronicle life;
    life.history.limits.low_every = 20;
    life.history.limits.instances_per_agent_max = 4;
    const auto low = life.accept({.id = "low"}, {.priority = Priority::Low});
    for (int i = 0; i < others; ++i) {
        life.acknowledge(life.lease(life.accept({.id = "h" + std::to_string(i)}, kHigh)));
    }
    life.acknowledge(life.lease(low));
    return life.breaks("D8");
}

TEST(D8, IsBrokenByALowMessageWithoutItsShare) {
    EXPECT_FALSE(breaks_d8_by_waiting(19)) << "the twentieth is its own";
    EXPECT_TRUE(breaks_d8_by_waiting(20));
}

TEST(D9, IsBrokenByDeliveryToAnotherAgent) {
    Chronicle life;
    const auto ticket = life.accept({.id = "a", .to = "alice"}, kHigh);
    life.acknowledge(life.lease(ticket));  // Bob's instance.
    EXPECT_TRUE(life.breaks("D9"));
}

TEST(D9, IsBrokenByOneChangedByte) {
    Chronicle life;
    const auto ticket = life.accept({.id = "a"}, kHigh);
    life.record(LeaseGranted{.ticket = ticket, .instance = {1}, .attempt = 1});
    life.show(Deliver{.instance = {1},
                      .delivery = {ticket, 1},
                      .envelope = envelope({.id = "a", .body = "{ }"})});
    life.acknowledge({ticket, 1});
    EXPECT_TRUE(life.breaks("D9"));
}

TEST(W1, IsBrokenByNoAnswer) {
    Chronicle life;
    life.acknowledge(life.lease(ask_bob(life)));
    EXPECT_TRUE(life.breaks("W1"));
}

TEST(W1, IsBrokenByTwoAnswers) {
    Chronicle life;
    const auto request = ask_bob(life);
    for (const auto* id : {"r", "s"}) {
        const auto reply = envelope(reply_of_bob(id));
        life.ask(ReplyToDelivery{{request, 1}, reply}, "bob");
        life.record(RequestAnswered{.request = request, .envelope = reply});
        life.show(TellAnswer{.request = request, .reply = reply});
    }
    EXPECT_TRUE(life.breaks("W1"));
}

TEST(W1, IsBrokenByAnAnswerLongAfterTheDeadline) {
    Chronicle life;
    const auto request = ask_bob(life);
    life.later(1s).record(
        HubStarted{});  // The hub served at the deadline, but did not end the request.
    life.later(2ms).record(RequestFailed{.request = request});
    life.record(MessageExpired{request});
    EXPECT_TRUE(life.breaks("W1"));
}

TEST(W2, IsBrokenByShowingALateReply) {
    Chronicle life;
    const auto request = ask_bob(life);
    life.record(MessageExpired{request});
    life.record(RequestFailed{.request = request});
    life.accept(reply_of_bob("late"), kNormal);
    EXPECT_TRUE(life.breaks("W2"));
}

TEST(W3, IsBrokenByAnAnswerOfAnotherWorkflow) {
    Chronicle life;
    const auto request = ask_bob(life);
    auto letter = reply_of_bob("r");
    letter.correlation = "another";
    life.record(RequestAnswered{.request = request, .envelope = envelope(letter)});
    EXPECT_TRUE(life.breaks("W3"));
}

TEST(W3, IsBrokenByAnAnswerOfAnotherAgent) {
    Chronicle life;
    const auto request = ask_bob(life);
    auto letter = reply_of_bob("r");
    letter.from = "eve";
    life.record(RequestAnswered{.request = request, .envelope = envelope(letter)});
    EXPECT_TRUE(life.breaks("W3"));
}

/// A delegation to bob, by default from alice, recorded with the given place.
Ticket delegate(Chronicle& life,
                DelegationAdmitted place,
                std::string from = "alice",
                std::string to = "bob") {
    const auto number = std::to_string(life.history.journal.size());
    place.request = life.accept({.id = "d" + number,
                                 .from = std::move(from),
                                 .to = std::move(to),
                                 .intent = Intent::Request},
                                {.priority = Priority::High, .deadline = life.now() + 1s});
    if (place.root == Ticket{}) place.root = place.request;
    place.child_session = "session " + number;
    if (place.objective_hash.empty()) place.objective_hash = "objective " + number;
    life.record(place);
    return place.request;
}
/// A delegation to bob, and the place of a delegation from bob below the first.
struct Below {
    Chronicle life;
    Ticket above = delegate(life,
                            {.user = "u",
                             .session = "of the user",
                             .objective_hash = "o",
                             .depth = 1,
                             .depth_max = 3,
                             .tokens = 100,
                             .tools = {"ocr"},
                             .limits_tools = true});
    DelegationAdmitted place{.parent = above,
                             .root = above,
                             .user = "u",
                             .session = "of bob",
                             .depth = 2,
                             .depth_max = 3,
                             .tokens = 100,
                             .tools = {"ocr"},
                             .limits_tools = true};

    bool breaks(const std::string& promise, std::string to = "carol") {
        delegate(life, place, "bob", std::move(to));
        return life.breaks(promise);
    }
};

TEST(Delegations, MayNest) {
    for (const auto* promise : {"G1", "G2", "G3", "G4", "I2", "I3"}) {
        EXPECT_FALSE(Below{}.breaks(promise)) << promise;
    }
}

TEST(G1, IsBrokenByADepthOtherThanTheChains) {
    Below shallow;
    shallow.place.depth = 1;
    EXPECT_TRUE(shallow.breaks("G1"));
    Below deep;
    deep.place.depth_max = 2;
    EXPECT_TRUE(deep.breaks("G1"));
    Below elsewhere;
    elsewhere.place.parent = elsewhere.place.root = {};
    EXPECT_FALSE(elsewhere.breaks("G1")) << "bob has not been handed anything yet";
    Below at_work;
    at_work.life.record(LeaseGranted{.ticket = at_work.above, .instance = {1}, .attempt = 1});
    at_work.place.parent = at_work.place.root = {};
    EXPECT_TRUE(at_work.breaks("G1")) << "bob is at work for this user";
}

TEST(G2, IsBrokenByAFourthOpenDelegation) {
    Below four;
    four.place.tokens = 0;
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(four.breaks("G2"));
    EXPECT_TRUE(four.breaks("G2"));
}

TEST(G3, IsBrokenByAnObjectiveThatReturnsToAnAgentAbove) {
    Below ring;
    ring.place.objective_hash = "o";
    EXPECT_TRUE(ring.breaks("G3", "alice"));
}

TEST(G3, IsBrokenByATreeThatEndsBeforeItsIdleTime) {
    for (const auto idle : {59'999ms, 60'000ms}) {
        Below tree;
        const auto answered = tree.life.now();
        tree.life.record(RequestAnswered{.request = tree.above, .envelope = envelope({.id = "r"})});
        tree.life.later(idle).record(DelegationTreeEnded{tree.above});
        EXPECT_EQ(tree.life.breaks("G3"), tree.life.now() < answered + 60s);
    }
    Below busy;
    busy.life.later(60s).record(DelegationTreeEnded{busy.above});
    EXPECT_TRUE(busy.life.breaks("G3")) << "something of it is open";
}

TEST(G3, HoldsForATreeThatEndsWithItsWorkflow) {
    for (const bool is_answered : {false, true}) {
        Chronicle life;
        const std::string hub{kOrchestrator};
        const auto step =
            delegate(life, {.session = "run-1", .depth = 1, .depth_max = 3, .tokens = 100}, hub);
        life.record(RequestAnswered{.request = step, .envelope = envelope({.id = "r"})});
        if (is_answered) life.record(WorkflowEnded{.id = "run-1"});
        life.record(DelegationTreeEnded{step});
        EXPECT_EQ(life.breaks("G3"), !is_answered);
    }
}

TEST(G4, IsBrokenByABudgetAboveTheParents) {
    Below spendthrift;
    spendthrift.place.tokens = 101;
    EXPECT_TRUE(spendthrift.breaks("G4"));
}

TEST(I2, IsBrokenByAGrantThatGrows) {
    Below deeper;
    deeper.place.depth_max = 4;
    EXPECT_TRUE(deeper.breaks("I2"));
    Below handier;
    handier.place.tools = {"ocr", "sql"};
    EXPECT_TRUE(handier.breaks("I2"));
    Below later;
    later.life.later(1ms);
    EXPECT_TRUE(later.breaks("I2")) << "its deadline is a second from here";
}

TEST(I3, IsBrokenByAnotherUser) {
    Below other;
    other.place.user = "v";
    EXPECT_TRUE(other.breaks("I3"));
}

/// A human task of the buyer with a deadline of one second.
Ticket ask_people(Chronicle& life, std::uint32_t approvals_needed = 1) {
    const Ticket id{(life.history.journal.size() + 1) * 1024};
    life.record(HumanAsked{.id = id,
                           .asked_by = "buyer",
                           .deadline_ms = 1'000,
                           .approvals_needed = approvals_needed,
                           .state_version = 7});
    return id;
}

TEST(W9, HoldsWhileAnAnswerCountsOnceAndInTime) {
    Chronicle life;
    life.record(HumanAnswered{.id = ask_people(life), .by = "ann", .state_version = 7});
    const auto two = ask_people(life, 2);
    life.record(HumanAnswered{.id = two, .by = "ann", .state_version = 7, .awaits_another = true});
    life.record(HumanAnswered{.id = two, .by = "bea", .state_version = 7});
    const auto late = ask_people(life);
    life.later(1s).record(HumanLapsed{.id = late});
    life.record(HumanWithdrawn{.id = ask_people(life)});
    life.later(1min).record(HubStarted{});
    EXPECT_FALSE(life.breaks("W9")) << life.broken();
}

TEST(W9, IsBrokenByAnAnswerThatMustNotCount) {
    const auto answered = [](HumanAnswered answer, auto before) {
        Chronicle life;
        answer.id = ask_people(life);
        before(life, answer.id);
        life.record(answer);
        return life.breaks("W9");
    };
    const HumanAnswered yes{.by = "ann", .state_version = 7};
    const auto nothing = [](Chronicle&, Ticket) {};
    EXPECT_FALSE(answered(yes, nothing));
    EXPECT_TRUE(answered({.by = "ann", .state_version = 8}, nothing)) << "for another state";
    EXPECT_TRUE(answered({.by = "buyer", .state_version = 7}, nothing)) << "its own";
    EXPECT_TRUE(answered(yes, [&](Chronicle& life, Ticket id) {
        life.record(HumanAnswered{.id = id, .by = "bea", .state_version = 7});
    })) << "twice";
    EXPECT_TRUE(answered(yes, [](Chronicle& life, Ticket id) {
        life.record(HumanWithdrawn{.id = id});
    })) << "withdrawn";
    EXPECT_TRUE(answered(yes, [](Chronicle& life, Ticket) { life.later(1s); })) << "late";
}

TEST(W9, IsBrokenByOnePersonWhereTwoAreNeeded) {
    Chronicle life;
    const auto id = ask_people(life, 2);
    life.record(HumanAnswered{.id = id, .by = "ann", .state_version = 7, .awaits_another = true});
    life.record(HumanAnswered{.id = id, .by = "ann", .state_version = 7});
    EXPECT_TRUE(life.breaks("W9"));
}

TEST(W9, IsBrokenByAForgottenHumanTask) {
    Chronicle lost;
    ask_people(lost);
    lost.later(1min).record(HubStarted{});
    EXPECT_TRUE(lost.breaks("W9"));
    Chronicle hidden;
    const auto id = ask_people(hidden);
    hidden.record(MessageRefused{
        .from = "ann", .id = std::to_string(id.value), .refusal = Refusal::HumanTaskNotFound});
    EXPECT_TRUE(hidden.breaks("W9"));
}

/// Bob may use two tools and has two delegations, each granting one of the tools. Bob asks for a
/// tool, naming a request, and the hub authorizes the tool.
bool breaks_i4(const std::string& tool, const std::string& request) {
    Chronicle life;
    life.record(AgentRegistered{{"bob"}, {.tools_allowed = {"ocr", "sql"}}});
    const auto ids = [&](std::string granted) {
        const auto ticket = delegate(
            life,
            {.depth = 1, .depth_max = 3, .tools = {std::move(granted)}, .limits_tools = true});
        return std::string{read_book(life.history).requests.at(ticket).asked->id()};
    };
    const std::map<std::string, std::string> named{
        {"", ""}, {"first", ids("ocr")}, {"second", ids("sql")}, {"neither", "neither"}};
    life.ask(AuthorizeTool{{"bob"}, tool, named.at(request)}, "bob");
    life.record(ToolAuthorized{"bob", tool, "bob"});
    return life.breaks("I4");
}

TEST(I4, IsBrokenByAToolThatIsNotAllowedOrNotGranted) {
    EXPECT_FALSE(breaks_i4("ocr", "first"));
    EXPECT_FALSE(breaks_i4("sql", "second"));
    EXPECT_TRUE(breaks_i4("sql", "first")) << "it is granted with the other one alone";
    EXPECT_TRUE(breaks_i4("ocr", "second"));
    EXPECT_TRUE(breaks_i4("ocr", "")) << "who names none is held to both";
    EXPECT_TRUE(breaks_i4("ocr", "neither")) << "he works on no such thing";
    EXPECT_TRUE(breaks_i4("web", "first")) << "he is not registered with it";
}

TEST(I4, IsBrokenByAToolThatNoAgentRequested) {
    for (const bool is_asked_for : {false, true}) {
        Chronicle life;
        life.record(AgentRegistered{{"bob"}, {.tools_allowed = {"ocr", "sql"}}});
        life.ask(AuthorizeTool{{"bob"}, is_asked_for ? "ocr" : "sql", ""}, "bob");
        life.record(ToolAuthorized{"bob", "ocr", "bob"});
        EXPECT_EQ(life.breaks("I4"), !is_asked_for);
    }
}

/// `failures` requests fail, each leased to bob `time` before its deadline; then bob's breaker
/// opens or does not.
Chronicle failing_life(int failures, bool opens, Duration time = 1s) {
    Chronicle life;
    life.record(PolicyChanged{.version = 1, .settings = "hub breaker_failures 2\n"});
    for (int i = 0; i < failures; ++i) {
        const auto ticket = life.accept({.id = "q" + std::to_string(i), .intent = Intent::Request},
                                        {.priority = Priority::High, .deadline = life.now() + 1s});
        life.later(1s - time);
        if (time > 0s) life.lease(ticket);
        life.later(time).record(MessageExpired{ticket});
        life.record(RequestFailed{.request = ticket});
    }
    if (opens) life.record(BreakerOpened{{"bob"}, life.now() + 30s, 2});
    life.later(1ms).record(HubStarted{});
    return life;
}

TEST(G5, IsBrokenByABreakerThatOpensTooSoonOrNotAtAll) {
    EXPECT_FALSE(failing_life(1, false).breaks("G5"));
    EXPECT_TRUE(failing_life(1, true).breaks("G5"));
    EXPECT_FALSE(failing_life(2, true).breaks("G5"));
    EXPECT_TRUE(failing_life(2, false).breaks("G5"));
}

TEST(G5, IsBrokenByCountingFailuresWithoutEnoughTime) {
    EXPECT_TRUE(failing_life(2, true, 999ms).breaks("G5"));
    EXPECT_TRUE(failing_life(2, true, 0ms).breaks("G5")) << "it was never handed over";
    EXPECT_FALSE(failing_life(9, false, 999ms).breaks("G5"));
}

TEST(G5, IsBrokenByDeliveryOrRequestOrProbeWhileOpen) {
    auto life = failing_life(2, true);
    const auto news = life.accept({.id = "news"}, kHigh);
    EXPECT_FALSE(life.breaks("G5")) << "it keeps";
    life.lease(news);
    EXPECT_TRUE(life.breaks("G5"));
    auto asked = failing_life(2, true);
    asked.accept({.id = "q", .intent = Intent::Request}, kHigh);
    EXPECT_TRUE(asked.breaks("G5"));
    auto early = failing_life(2, true);
    early.record(BreakerProbed{{"bob"}});
    EXPECT_TRUE(early.breaks("G5"));
}

TEST(G5, IsBrokenByHandingOverWorkWhileTheFleetIsStopped) {
    Chronicle life;
    const auto asked = life.accept({.id = "q", .intent = Intent::Request}, kHigh);
    const auto news = life.accept({.id = "news"}, kHigh);
    life.record(FleetStopped{.by = "olga", .reason = "drill"});
    const Ticket notice{(life.history.journal.size() + 1) * 1024};
    life.record(RequestFailed{.request = asked, .ticket = notice});
    life.lease(notice, 1, {2});
    EXPECT_FALSE(life.breaks("G5")) << "an answer is no work";
    life.lease(news);
    EXPECT_TRUE(life.breaks("G5"));
}

TEST(G6, IsBrokenByRefusingRequestsToAHealthyAgent) {
    for (const auto* to : {"bob", "carol"}) {
        auto life = failing_life(2, true);
        life.ask(SendMessage{.envelope = envelope({.id = "r", .to = to})});
        life.record(
            MessageRefused{.from = "alice", .id = "r", .refusal = Refusal::AgentCircuitOpen});
        EXPECT_EQ(life.breaks("G6"), to != std::string{"bob"}) << to;
    }
}

TEST(G6, IsBrokenByRefusingASenderWithinItsRate) {
    for (const int sent : {1, 2}) {
        Chronicle life;
        life.record(PolicyChanged{.version = 1, .settings = "hub messages_per_minute 2\n"});
        for (int i = 0; i < sent; ++i) life.accept({.id = "m" + std::to_string(i)}, kNormal);
        life.ask(SendMessage{.envelope = envelope({.id = "r"})});
        life.record(
            MessageRefused{.from = "alice", .id = "r", .refusal = Refusal::RateLimitExceeded});
        EXPECT_EQ(life.breaks("G6"), sent == 1);
    }
}

TEST(G7, IsBrokenByAcceptingIntoAFullMailbox) {
    Chronicle life;
    life.history.limits.mailbox_messages_max = 2;
    for (const auto* id : {"a", "b"}) life.accept({.id = id}, kNormal);
    EXPECT_FALSE(life.breaks("G7"));
    life.accept({.id = "c"}, kNormal);
    EXPECT_TRUE(life.breaks("G7"));
}

TEST(G7, IsBrokenByUnboundedDeadLettersOfAFullMailbox) {
    Chronicle life;
    life.history.limits.mailbox_messages_max = 10;
    for (int i = 0; i < 10; ++i) life.accept({.id = "m" + std::to_string(i)}, kHigh);
    const auto miss = [&](const std::string& id) {
        const auto ticket = life.accept({.id = id}, kHigh);
        life.record(MessageDeadLettered{ticket, DeliveryFailure::MailboxFull, "full"});
    };
    miss("a");
    EXPECT_FALSE(life.breaks("G7")) << "a tenth more";
    miss("b");
    EXPECT_TRUE(life.breaks("G7"));
}

TEST(A1, IsBrokenByAnEffectBeforeItsRecordIsDurable) {
    Chronicle life;
    const auto ticket = life.accept({.id = "a"}, kHigh);
    life.acknowledge(life.lease(ticket));
    EXPECT_EQ(life.broken(), "");
    --life.history.shown.front().durable.value;
    EXPECT_TRUE(life.breaks("A1"));
}

TEST(A1, IsBrokenByADeliveryWithoutARecord) {
    Chronicle life;
    const auto ticket = life.accept({.id = "a"}, kHigh);
    life.acknowledge(life.lease(ticket));
    life.show(Deliver{.instance = {1}, .delivery = {ticket, 7}, .envelope = envelope({.id = "a"})});
    EXPECT_TRUE(life.breaks("A1"));
}

TEST(A1, IsBrokenByARefusalWithoutARecord) {
    Chronicle life;
    const auto reply_target = life.ask(SendMessage{.envelope = envelope({.id = "a"})});
    life.show(
        TellRefused{.reply_target = reply_target, .id = "a", .refusal = Refusal::MailboxFull});
    EXPECT_TRUE(life.breaks("A1"));
}

/// Alice's message 'a' is refused, and `record` is the record of the refusal.
bool breaks_a1(const MessageRefused& record) {
    Chronicle life;
    const auto reply_target = life.ask(SendMessage{.envelope = envelope({.id = "a"})});
    life.record(record);
    life.show(
        TellRefused{.reply_target = reply_target, .id = "a", .refusal = Refusal::MailboxFull});
    return life.breaks("A1");
}

TEST(A1, IsBrokenByTheRecordOfAnotherRefusal) {
    EXPECT_FALSE(breaks_a1({.from = "alice", .id = "a", .refusal = Refusal::MailboxFull}));
    EXPECT_TRUE(breaks_a1({.from = "bob", .id = "a", .refusal = Refusal::MailboxFull}));
    EXPECT_TRUE(breaks_a1({.from = "alice", .id = "b", .refusal = Refusal::MailboxFull}));
    EXPECT_TRUE(breaks_a1({.from = "alice", .id = "a", .refusal = Refusal::HubOverloaded}));
}

TEST(A1, IsBrokenByASettlementRefusedUnderAnotherToken) {
    for (const std::uint32_t attempt : {1U, 2U}) {
        Chronicle life;
        const auto reply_target = life.ask(AckDelivery{{{4711}, 1}}, "bob");
        life.record(SettlementRefused{{{4711}, attempt}, "bob", Refusal::DeliveryStale});
        life.show(TellRefused{.reply_target = reply_target, .refusal = Refusal::DeliveryStale});
        EXPECT_EQ(life.breaks("A1"), attempt == 2);
    }
}

TEST(A1, IsBrokenByAnOrderWithoutARecord) {
    for (const bool is_recorded : {false, true}) {
        Chronicle life;
        const auto change = life.ask(ChangePolicy{.settings = "hub depth_max 3\n"}, "olga");
        const auto stop = life.ask(StopFleet{.reason = "drill"}, "olga");
        const auto resume = life.ask(ResumeFleet{.reason = "done"}, "olga");
        const auto tool = life.ask(AuthorizeTool{{"bob"}, "ocr", ""}, "bob");
        if (is_recorded) {
            life.record(AgentRegistered{{"bob"}, {.tools_allowed = {"ocr"}}});
            life.record(PolicyChanged{.version = 1, .settings = "hub depth_max 3\n", .by = "olga"});
            life.record(FleetStopped{.by = "olga", .reason = "drill"});
            life.record(FleetResumed{.by = "olga", .reason = "done"});
            life.record(ToolAuthorized{"bob", "ocr", "bob"});
        }
        for (const auto reply_target : {change, stop, resume, tool})
            life.show(TellDone{reply_target});
        EXPECT_EQ(life.broken().empty(), is_recorded) << life.broken();
    }
}

TEST(A1, IsBrokenByADelegationWithoutAdmission) {
    Chronicle life;
    const auto claim = std::make_shared<Claim>(Claim{.has_session = true});
    const auto message = envelope({.id = "d", .intent = Intent::Request});
    const auto reply_target = life.ask(SendMessage{.envelope = message, .claim = claim});
    const Ticket ticket{(life.history.journal.size() + 1) * 1024};
    const auto sequence = life.record(MessageAccepted{.ticket = ticket, .envelope = message});
    life.show(TellAccepted{.reply_target = reply_target, .ticket = ticket, .sequence = sequence});
    EXPECT_TRUE(life.breaks("A1"));
}

TEST(A1, IsBrokenByAMessageNeitherAcceptedNorRefused) {
    Chronicle life;
    life.show(TellDone{life.ask(SendMessage{.envelope = envelope({.id = "a"})})});
    EXPECT_TRUE(life.breaks("A1"));
}

TEST(Story, TellsTheRecordsOfOneMessage) {
    Chronicle life;
    const auto ticket = life.accept({.id = "a"}, kHigh);
    life.acknowledge(life.lease(ticket));
    life.accept({.id = "other"}, kNormal);
    const auto story = tell_story(life.history, ticket);
    EXPECT_NE(story.find("MessageAccepted"), std::string::npos);
    EXPECT_NE(story.find("DeliveryAcknowledged"), std::string::npos);
    EXPECT_EQ(story.find("other"), std::string::npos);
    EXPECT_EQ(tell_story(life.history, {}), "");
}

/// Vendor owns a context, and can hand the context off to bob.
struct SharedChronicle : Chronicle {
    SharedChronicle() {
        record(AgentRegistered{{"vendor"}, {.domain = "vendor"}});
        record(AgentRegistered{{"bob"}, {.domain = "audit"}});
        write({.version = 1, .history = {"1"}});
    }
    void write(ContextWritten event) {
        event.workflow = "w";
        if (event.owner.empty()) event.owner = "vendor";
        if (event.by.empty()) event.by = "vendor";
        record(std::move(event));
    }
    Ticket hand_off() {
        const auto request =
            accept({.id = "h", .from = "vendor", .to = "bob", .intent = Intent::Request});
        record(ContextLocked{.workflow = "w", .request = request, .to = "bob"});
        return request;
    }
    void answer(Ticket request) {
        const Letter reply{
            .id = "r", .from = "bob", .to = "vendor", .intent = Intent::Reply, .answers = "h"};
        record(RequestAnswered{.request = request, .envelope = envelope(reply)});
    }
};

TEST(W5, IsBrokenByAWriteOfANonOwner) {
    SharedChronicle good;
    good.write({.version = 2});
    EXPECT_FALSE(good.breaks("W5"));
    SharedChronicle bad;
    bad.write({.version = 2, .by = "bob"});
    EXPECT_TRUE(bad.breaks("W5"));
}

TEST(W5, IsBrokenByAWriteOutsideTheDomain) {
    SharedChronicle good;
    good.write({.version = 2, .entities = R"({"vendor":1,"quote":2})"});
    EXPECT_FALSE(good.breaks("W5"));
    SharedChronicle bad;
    bad.write({.version = 2, .entities = R"({"audit":1})"});
    EXPECT_TRUE(bad.breaks("W5"));
}

TEST(W5, IsBrokenByAWriteDuringAHandoff) {
    SharedChronicle bad;
    bad.hand_off();
    EXPECT_FALSE(bad.breaks("W5"));
    bad.write({.version = 2});
    EXPECT_TRUE(bad.breaks("W5"));
}

TEST(W6, IsBrokenByAHistoryThatLostAnEntry) {
    SharedChronicle life;
    life.write({.version = 2, .history = {"2"}});
    life.history.told["w"] = {"1", "2"};
    EXPECT_FALSE(life.breaks("W6"));
    life.history.told["w"] = {"2"};
    EXPECT_TRUE(life.breaks("W6"));
}

TEST(W7, IsBrokenByAnOwnerOtherThanTheAcceptingRecipient) {
    SharedChronicle good;
    good.answer(good.hand_off());
    good.record(HandoffEnded{.workflow = "w", .version = 2, .owner = "bob", .is_taken = true});
    EXPECT_FALSE(good.breaks("W7"));
    SharedChronicle bad;
    bad.answer(bad.hand_off());
    bad.record(HandoffEnded{.workflow = "w", .version = 2, .owner = "vendor", .is_taken = true});
    EXPECT_TRUE(bad.breaks("W7"));
}

TEST(W7, IsBrokenByALockThatOutlivesItsRequest) {
    SharedChronicle bad;
    const auto request = bad.hand_off();
    EXPECT_FALSE(bad.breaks("W7"));
    bad.answer(request);
    EXPECT_TRUE(bad.breaks("W7"));
}

TEST(W10, IsBrokenByTakingAStaleChange) {
    SharedChronicle life;
    const WriteContext change{.workflow = "w", .agent = {"vendor"}, .version = 1};
    life.write({.version = 2});
    life.show(TellDone{life.ask(change, "vendor")});
    EXPECT_FALSE(life.breaks("W10"));
    life.write({.version = 3});
    life.show(TellDone{life.ask(change, "vendor")});
    EXPECT_TRUE(life.breaks("W10"));
}

}  // namespace
}  // namespace parlance::sim
