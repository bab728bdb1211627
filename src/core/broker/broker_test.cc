// Mailboxes by themselves: the order of hand-overs, and the counters.
#include "core/broker/broker.h"

#include <gtest/gtest.h>

namespace parlance::core::broker {
namespace {

constexpr HashKey kKey{1, 2};
constexpr Time kSoon{Duration{5}};

EnvelopePtr letter(std::string_view task = {}) {
    return Envelope::make({.id = "m", .from = "a", .to = "b", .task = task}, "1234");
}

void put(Broker& broker,
         std::uint64_t ticket,
         Priority priority = Priority::High,
         std::string_view task = {}) {
    enqueue(broker,
            kKey,
            {.ticket = {ticket}, .envelope = letter(task), .mailbox = 0, .priority = priority});
}

/// Tickets in the order of delivery to a single consumer with enough credit.
std::vector<std::uint64_t> picked(const Broker& broker,
                                  std::uint32_t low_every = 100,
                                  Time now = {}) {
    std::vector<std::uint64_t> tickets;
    Picker picker{broker, 0, {.now = now, .low_every = low_every}};
    const auto& consumers = mailbox_of(broker, 0).consumers;
    bool was_lower = !consumers.empty() && broker.consumers[consumers.front()].was_lower;
    while (const auto* message = picker.next(was_lower)) tickets.push_back(message->ticket.value);
    return tickets;
}

using Tickets = std::vector<std::uint64_t>;

TEST(Broker, AnAgentThatNeverHadAMailboxHasAnEmptyOne) {
    const Broker broker;
    EXPECT_EQ(mailbox_of(broker, 17).waiting, 0U);
    EXPECT_EQ(find_message(broker, {1}), nullptr);
    EXPECT_EQ(find_consumer(broker, {1}), nullptr);
    EXPECT_TRUE(picked(broker).empty());
}

TEST(Broker, KnowsTheRequestsThatAreReadyWithoutLookingAtTheRest) {
    Broker broker;
    join(broker, {.instance = {9}, .credit = 9}, 0);
    const auto ask = [&](std::uint64_t ticket) {
        const auto asked = Envelope::make(
            {.id = "m", .from = "a", .to = "b", .task = "t", .intent = Intent::Request}, "1234");
        enqueue(broker, kKey, {.ticket = {ticket}, .envelope = asked, .mailbox = 0});
    };
    using ReadyRequests = std::set<std::pair<AgentHandle, Ticket>>;
    put(broker, 1);
    ask(2);
    ask(3);  // Behind the previous message of its task.
    EXPECT_EQ(broker.ready_requests, (ReadyRequests{{0, {2}}}));
    grant(broker, {.ticket = {2}, .instance = {9}, .attempt = 1});
    EXPECT_EQ(broker.ready_requests, ReadyRequests{});
    remove(broker, kKey, {2});
    EXPECT_EQ(broker.ready_requests, (ReadyRequests{{0, {3}}}));
}

TEST(Broker, KnowsTheRequestsThatCameBackWhileTheyWait) {
    Broker broker;
    join(broker, {.instance = {9}, .credit = 9}, 0);
    const auto asked = Envelope::make({.id = "m", .from = "a", .intent = Intent::Request}, "1234");
    enqueue(broker, kKey, {.ticket = {1}, .envelope = asked, .mailbox = 0});
    using Returned = std::set<std::pair<AgentHandle, Ticket>>;
    EXPECT_EQ(broker.returned, Returned{}) << "it was never handed over";
    grant(broker, {.ticket = {1}, .instance = {9}, .attempt = 1});
    EXPECT_EQ(broker.returned, Returned{}) << "it is in hand";
    give_back(broker, kKey, {.ticket = {1}, .attempt = 1, .retry_at = kSoon}, {});
    EXPECT_EQ(broker.returned, (Returned{{0, {1}}})) << "it waits for its next try";
    begin_retry(broker, kKey, {1});
    EXPECT_EQ(broker.returned, (Returned{{0, {1}}})) << "and may be handed over again";
    grant(broker, {.ticket = {1}, .instance = {9}, .attempt = 2});
    EXPECT_EQ(broker.returned, Returned{});
    give_back(broker, kKey, {.ticket = {1}, .attempt = 2, .retry_at = kSoon}, {});
    remove(broker, kKey, {1});
    EXPECT_EQ(broker.returned, Returned{});
}

TEST(Broker, PickingGoesByPriorityAndThenByAge) {
    Broker broker;
    put(broker, 1, Priority::Low);
    put(broker, 2, Priority::Critical);
    put(broker, 3, Priority::Normal);
    put(broker, 4, Priority::Critical);
    EXPECT_EQ(picked(broker), (Tickets{2, 4, 3, 1}));
}

TEST(Broker, PickingNamesOnlyTheHeadOfATask) {
    Broker broker;
    put(broker, 1, Priority::High, "t");
    put(broker, 2, Priority::High, "t");
    put(broker, 3, Priority::High, "u");
    EXPECT_EQ(picked(broker), (Tickets{1, 3}));
}

TEST(Broker, PickingLetsLowerPrioritiesThroughInTurn) {
    Broker broker;
    for (std::uint64_t i = 1; i <= 6; ++i) put(broker, i, Priority::Critical);
    put(broker, 7, Priority::Low);
    put(broker, 8, Priority::Low);
    const auto low_every = 9U;  // Without a consumer the patience is two.
    EXPECT_EQ(picked(broker, low_every), (Tickets{1, 2, 7, 3, 4, 8, 5, 6}));
}

TEST(Broker, PickingSkipsExpiredMessages) {
    Broker broker;
    const Time noon{std::chrono::hours{12}};
    for (std::uint64_t i = 1; i <= 3; ++i) {
        enqueue(broker,
                kKey,
                {.ticket = {i},
                 .envelope = letter(),
                 .mailbox = 0,
                 .priority = Priority::High,
                 .expires_at = i == 2 ? Time{} : noon});
    }
    EXPECT_EQ(picked(broker, 100, noon - Duration{1}), (Tickets{1, 2, 3}));
    EXPECT_EQ(picked(broker, 100, noon), Tickets{2});
}

TEST(Broker, GrantingFollowsTheOrderOfPicking) {
    Broker broker;
    join(broker, {.instance = {1}, .credit = 100}, 0);
    for (std::uint64_t i = 1; i <= 6; ++i) put(broker, i, Priority::Critical);
    put(broker, 7, Priority::Normal);
    put(broker, 8, Priority::Low);
    put(broker, 9, Priority::Low);
    const auto foreseen = picked(broker, 9);
    EXPECT_EQ(foreseen, (Tickets{1, 8, 2, 7, 3, 9, 4, 5, 6}));
    Tickets granted;
    while (!picked(broker, 9).empty()) {
        granted.push_back(picked(broker, 9).front());
        grant(broker, {.ticket = {granted.back()}, .instance = {1}, .attempt = 1});
    }
    EXPECT_EQ(granted, foreseen);
}

TEST(Broker, CountersFollowACopyThroughItsLife) {
    Broker broker;
    join(broker, {.instance = {1}, .credit = 1}, 0);
    EXPECT_TRUE(broker.restless.empty());
    put(broker, 1);
    const auto& mailbox = mailbox_of(broker, 0);
    EXPECT_EQ(broker.restless, std::vector<AgentHandle>{0});
    EXPECT_EQ(mailbox.waiting, 1U);
    EXPECT_EQ(broker.bytes, 4U);

    grant(broker, {.ticket = {1}, .instance = {1}, .attempt = 1, .until = Time{Duration{9}}});
    EXPECT_TRUE(broker.restless.empty());
    EXPECT_EQ(mailbox.waiting, 0U);
    EXPECT_EQ(mailbox.in_flight, 1U);
    EXPECT_EQ(find_consumer(broker, {1})->in_flight, 1U);
    EXPECT_EQ(broker.due.first().at, Time{Duration{9}});

    give_back(broker, kKey, {.ticket = {1}, .retry_at = Time{Duration{20}}}, Time{Duration{10}});
    EXPECT_EQ(mailbox.waiting, 1U);
    EXPECT_EQ(find_message(broker, {1})->stage, Stage::Delayed);
    EXPECT_EQ(broker.due.first().at, Time{Duration{20}});
    EXPECT_TRUE(broker.restless.empty()) << "there is credit but nothing ready";

    begin_retry(broker, kKey, {1});
    EXPECT_EQ(broker.restless.size(), 1U);
    EXPECT_TRUE(broker.due.empty());

    bury(broker, kKey, {{1}, DeliveryFailure::Rejected, "no"}, Time{Duration{30}});
    EXPECT_EQ(mailbox.dead, 1U);
    EXPECT_EQ(mailbox.waiting, 0U);
    EXPECT_EQ(broker.bytes, 4U);
    EXPECT_EQ(broker.dead.at({1}).died_at, Time{Duration{30}});

    revive(broker, kKey, {1});
    EXPECT_EQ(mailbox.dead, 0U);
    EXPECT_EQ(mailbox.waiting, 1U);
    remove(broker, kKey, {1});
    EXPECT_EQ(broker.bytes, 0U);
    EXPECT_EQ(broker.waiting, 0U);
    EXPECT_TRUE(broker.slots.empty());
    leave(broker, {1});
    EXPECT_EQ(broker.consumers.size(), 0U);
}

TEST(Broker, MailboxesBecomeRestlessAndCalmInAnyOrder) {
    Broker broker;
    for (AgentHandle agent = 0; agent < 4; ++agent) {
        join(broker, {.instance = {agent + 1U}, .credit = 1}, agent);
        enqueue(broker, kKey, {.ticket = {agent + 1U}, .envelope = letter(), .mailbox = agent});
    }
    EXPECT_EQ(broker.restless.size(), 4U);
    for (const std::uint64_t number : {2U, 1U, 4U, 3U}) {
        grant(broker, {.ticket = {number}, .instance = {number}, .attempt = 1});
    }
    EXPECT_TRUE(broker.restless.empty());
}

TEST(Broker, RemovingFromTheMiddleOfATaskKeepsTheRestInOrder) {
    Broker broker;
    for (std::uint64_t i = 1; i <= 5; ++i) put(broker, i, Priority::High, "t");
    remove(broker, kKey, {3});
    remove(broker, kKey, {5});
    put(broker, 6, Priority::High, "t");
    Tickets seen;
    while (!picked(broker).empty()) {
        seen.push_back(picked(broker).front());
        remove(broker, kKey, {seen.back()});
    }
    EXPECT_EQ(seen, (Tickets{1, 2, 4, 6}));
    EXPECT_TRUE(broker.lanes.empty());
    EXPECT_TRUE(broker.singles.empty());
}

TEST(Broker, APollerNeverMakesAMailboxRestless) {
    Broker broker;
    join(broker, {.instance = {1}, .kind = InstanceKind::Poll, .credit = 5}, 0);
    put(broker, 1);
    EXPECT_TRUE(broker.restless.empty());
    EXPECT_EQ(mailbox_of(broker, 0).poll_count, 1U);
    leave(broker, {1});
    EXPECT_EQ(mailbox_of(broker, 0).poll_count, 0U);
}

TEST(BrokerDeathTest, GrantingAMessageThatIsNotReadyIsABrokenPromise) {
    Broker broker;
    join(broker, {.instance = {1}, .credit = 5}, 0);
    put(broker, 1, Priority::High, "t");
    put(broker, 2, Priority::High, "t");
    EXPECT_DEATH(grant(broker, {.ticket = {2}, .instance = {1}}), "broken promise");
    EXPECT_DEATH(grant(broker, {.ticket = {3}, .instance = {1}}), "broken promise");
}

}  // namespace
}  // namespace parlance::core::broker
