#include "views/trace_store.h"

#include <random>

#include "views/ledger.h"
#include "views/testing/delegations.h"
#include "views/timeline.h"

namespace parlance::views {
namespace {

using testing::kNoon;

struct Said {
    std::string id;
    std::string correlation{};
    std::string from = "alice";
    std::string to = "bob";
    Dialect dialect = Dialect::Taskwire;
};

class TraceStoreTest : public testing::DelegationsTest {
  protected:
    TraceStoreTest() { open(); }
    void open(
        const std::string& name = "views.db",
        Harmless harmless = [](std::string_view text, auto) { return std::string{text}; }) {
        ledger_.reset();
        auto ledger = Ledger::open(path(name), std::move(harmless));
        ASSERT_TRUE(ledger) << ledger.error().message;
        ledger_.emplace(*std::move(ledger));
    }
    /// Appends one turn and folds it into the ledger.
    void then(const std::vector<Event>& events, Duration after = Duration{10}) {
        now_ += after;
        happen(now_, events);
        keep();
    }
    void then(const Event& event, Duration after = Duration{10}) {
        then(std::vector{event}, after);
    }
    void keep() {
        auto reader =
            journal::Reader::open(disk_, {ledger_->checkpoint().sequence.value + 1}).value();
        journal::Record record;
        while (reader.next(record, durable()).value()) ASSERT_TRUE(ledger_->fold(record));
        ASSERT_TRUE(ledger_->commit());
    }
    Ticket next_ticket() const { return {(durable().value + 1) * 1024}; }

    Ticket send(const Said& said, Intent intent) {
        const auto ticket = next_ticket();
        then(MessageAccepted{.ticket = ticket,
                             .envelope = Envelope::make({.id = said.id,
                                                         .from = said.from,
                                                         .to = said.to,
                                                         .type = "TASK",
                                                         .correlation = said.correlation,
                                                         .dialect = said.dialect,
                                                         .intent = intent},
                                                        "{}")});
        return ticket;
    }
    Ticket request(const Said& said) { return send(said, Intent::Request); }
    Ticket tell(const Said& said) { return send(said, Intent::OneWay); }
    void lease(Ticket ticket) { then(LeaseGranted{.ticket = ticket}); }
    void acknowledge(Ticket ticket) { then(DeliveryAcknowledged{.ticket = ticket}); }
    /// Answers directly to the waiting requester, or with `has_copy` into the requester's mailbox.
    Ticket answer(Ticket request, bool has_copy = false, bool falls_short = false) {
        const auto ticket = has_copy ? next_ticket() : Ticket{};
        then(RequestAnswered{
            .request = request,
            .envelope = Envelope::make({.id = "answer", .intent = Intent::Reply}, "{}"),
            .ticket = ticket,
            .falls_short = falls_short});
        return ticket;
    }

    TraceStore& book() { return ledger_->traces(); }
    std::optional<Conversation> conversation(const SpanQuery& query) {
        auto found = book().conversation(query);
        EXPECT_TRUE(found) << found.error().message;
        return *std::move(found);
    }
    std::string status(const std::string& correlation) {
        const auto found = conversation({.correlation = correlation});
        return found ? std::string{status_of(*found)} : "unknown";
    }
    std::string ids(const SpanQuery& query) {
        std::string list;
        const auto spans = book().spans(query).value();
        for (const auto& span : spans) list += span.id + " ";
        return list;
    }

    Time now_ = kNoon;
    std::optional<Ledger> ledger_;
};

TEST_F(TraceStoreTest, C7_AConversationIsActiveUntilItsRequestIsAnswered) {
    const auto question = request({.id = "r", .correlation = "c"});
    EXPECT_EQ(status("c"), "active");
    lease(question);
    EXPECT_EQ(status("c"), "active");
    answer(question);
    EXPECT_EQ(status("c"), "completed");
    EXPECT_EQ(status("nothing like it"), "unknown");
}

TEST_F(TraceStoreTest, C7_P3_AWorkflowIsUnderWayBetweenItsSteps) {
    const auto run = next_ticket();
    then(WorkflowStarted{.id = "w", .correlation = "c", .by = "alice"});
    EXPECT_EQ(status("c"), "active") << "nothing was sent yet";
    answer(request({.id = "r", .correlation = "c"}));
    const auto between = durable();
    EXPECT_EQ(status("c"), "active");
    then(WorkflowEnded{.run = run, .id = "w", .end = WorkflowEnd::Completed});
    EXPECT_EQ(status("c"), "completed");
    EXPECT_EQ(conversation({.correlation = "c"})->messages, 2U) << "a workflow is no message";
    EXPECT_EQ(status_of(*conversation({.correlation = "c", .at = between})), "active");
}

TEST_F(TraceStoreTest, C7_AWorkflowDecidesTheOutcomeOfItsConversation) {
    const auto run = next_ticket();
    then(WorkflowStarted{.id = "w", .correlation = "c", .by = "alice"});
    then(RequestFailed{.request = request({.id = "r", .correlation = "c"})});
    then(WorkflowEnded{.run = run, .id = "w", .end = WorkflowEnd::Completed});
    EXPECT_EQ(status("c"), "completed") << "it found another way";
}

TEST_F(TraceStoreTest, C7_C12_AWorkflowOfHumanTasksWaitsForPeopleAndCountsHumanTime) {
    const auto run = next_ticket();
    then(WorkflowStarted{.id = "w", .correlation = "c", .by = "alice"});
    const auto human_task = next_ticket();
    then({HumanAsked{.id = human_task, .workflow = "w", .step = "look", .role = "finance"},
          StepAsked{.run = run, .human_task = human_task}});
    const auto asked = durable();
    EXPECT_EQ(status("c"), "waiting_for_human");
    EXPECT_EQ(status("w"), "unknown") << "a workflow is not its conversation";
    open();
    EXPECT_EQ(status("c"), "waiting_for_human") << "also after a restart";
    then(HumanAnswered{.id = human_task, .by = "vi"}, Duration{700});
    EXPECT_EQ(status("c"), "active");
    then(WorkflowEnded{.run = run, .id = "w", .end = WorkflowEnd::Completed});
    EXPECT_EQ(status("c"), "completed");
    EXPECT_EQ(status_of(*conversation({.correlation = "c", .at = asked})), "waiting_for_human");
    const auto timeline = timeline_of(book().spans({.correlation = "c"}).value(), now_);
    ASSERT_EQ(timeline.spans.size(), 1U);
    const auto& person = timeline.spans.front();
    EXPECT_EQ(person.to, "human:finance");
    EXPECT_EQ(person.course.human, Duration{700});
    EXPECT_EQ(person.course.queue, Duration{});
    EXPECT_EQ(timeline.agents.front().human_total, Duration{700});
}

TEST_F(TraceStoreTest, A4_AHumanTasksRoleAndStepAreShownAsFarAsHarmless) {
    open("careful.db", [](std::string_view text, std::string_view workflow) {
        return "[" + std::to_string(text.size()) + " in " + std::string{workflow} + "]";
    });
    then(HumanAsked{.id = next_ticket(),
                    .workflow = "w",
                    .step = "ask ana@example.org",
                    .role = "ana@example.org"});
    const auto timeline = timeline_of(book().spans({.correlation = "w"}).value(), now_);
    ASSERT_EQ(timeline.spans.size(), 1U);
    EXPECT_EQ(timeline.spans.front().type, "[19 in w]");
    EXPECT_EQ(timeline.spans.front().to, "human:[15 in w]");
    ASSERT_EQ(timeline.steps.size(), 1U);
    EXPECT_EQ(timeline.steps.front().type, "[19 in w]");
    auto database = Database::open(path("careful.db"), Database::Mode::ReadOnly).value();
    EXPECT_EQ(database.number("SELECT count(*) FROM messages WHERE type || recipient LIKE '%ana%'")
                  .value(),
              0);
}

TEST_F(TraceStoreTest, C12_AMessageToPeopleCountsHumanTimeAndNoQueue) {
    const auto question = request({.id = "r", .correlation = "c", .to = "human:finance"});
    then(HumanAsked{.id = next_ticket(), .request = question, .role = "finance"}, Duration{0});
    EXPECT_EQ(status("c"), "waiting_for_human");
    now_ += Duration{490};
    answer(question);
    const auto span = book().find(question).value();
    EXPECT_EQ(span->course.human, Duration{500});
    EXPECT_EQ(span->course.queue, Duration{});
}

TEST_F(TraceStoreTest, C7_TheStartersLastRequestDecidesTheOutcome) {
    const auto question = request({.id = "r", .correlation = "c"});
    const auto inner = request({.id = "i", .correlation = "c", .from = "bob", .to = "carol"});
    then(RequestFailed{.request = inner});
    answer(question);  // Bob found another way.
    EXPECT_EQ(status("c"), "completed");
    EXPECT_EQ(conversation({.correlation = "c"})->failures, 1U);
    const auto again = request({.id = "r2", .correlation = "c"});
    then(RequestFailed{.request = again});
    EXPECT_EQ(status("c"), "failed");
    answer(request({.id = "r3", .correlation = "d"}), false, true);
    EXPECT_EQ(status("d"), "failed");
}

TEST_F(TraceStoreTest, C5_ActiveConversationsAreInMemoryWithTheAgentsInvolved) {
    const auto question = request({.id = "r", .correlation = "c"});
    tell({.id = "n", .correlation = "c", .from = "bob", .to = "carol"});
    EXPECT_EQ(book().active_count(), 1U);
    const auto active = conversation({.correlation = "c"});
    EXPECT_EQ(active->agents, (std::vector<std::string>{"alice", "bob", "carol"}));
    ASSERT_EQ(active->open.size(), 2U);
    EXPECT_EQ(active->open[0].ticket, question);
    const auto asked = book().open_requests(*active, {}, 10).value();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].id, "r");
    EXPECT_EQ(active->started, kNoon + Duration{10});
}

TEST_F(TraceStoreTest, C10_EndedConversationsLeaveMemoryAndStayInTheFile) {
    for (int i = 0; i < 100; ++i) {
        const auto question = request({.id = "r", .correlation = "c" + std::to_string(i)});
        lease(question);
        const auto copy = answer(question, true);
        EXPECT_EQ(book().active_count(), 1U);
        lease(copy);
        acknowledge(copy);
        EXPECT_EQ(book().active_count(), 0U);
        EXPECT_EQ(book().open_count(), 0U);
    }
    EXPECT_EQ(status("c42"), "completed");
    EXPECT_EQ(conversation({.correlation = "c42"})->messages, 2U);
}

TEST_F(TraceStoreTest, C11_ActiveConversationsAreActiveAfterARestart) {
    const auto question = request({.id = "r", .correlation = "c"});
    answer(request({.id = "over", .correlation = "c"}));
    const auto before = conversation({.correlation = "c"});
    open();
    EXPECT_EQ(book().active_count(), 1U);
    EXPECT_EQ(conversation({.correlation = "c"}), before);
    answer(question);
    EXPECT_EQ(status("c"), "completed");
    EXPECT_EQ(book().active_count(), 0U);
}

TEST_F(TraceStoreTest, C6_EveryMessageIsFoundByItsConversationInOrder) {
    const auto question = request({.id = "r", .correlation = "c"});
    tell({.id = "other", .correlation = "d"});
    tell({.id = "n", .correlation = "c"});
    answer(question);
    EXPECT_EQ(ids({.correlation = "c"}), "r n answer ");
    EXPECT_EQ(ids({.correlation = "c", .after = question}), "n answer ");
    EXPECT_EQ(ids({.correlation = "c", .count_max = 1}), "r ");
    tell({.id = "alone"});  // A message without a correlation goes by its own id.
    EXPECT_EQ(ids({.correlation = "alone"}), "alone ");
}

TEST_F(TraceStoreTest, C16_MessagesStandInTheOrderOfAcceptanceWhicheverEndsFirst) {
    const auto first = request({.id = "1", .correlation = "c"});
    const auto second = request({.id = "2", .correlation = "c"});
    answer(second);
    answer(first);
    EXPECT_EQ(ids({.correlation = "c"}), "1 2 answer answer ");
}

TEST_F(TraceStoreTest, X13_AnAgentSeesOnlyMessagesThatItSentOrReceived) {
    request({.id = "r", .correlation = "c"});
    request({.id = "i", .correlation = "c", .from = "bob", .to = "carol"});
    EXPECT_EQ(ids({.correlation = "c", .agent = "bob"}), "r i ");
    EXPECT_EQ(ids({.correlation = "c", .agent = "carol"}), "i ");
    EXPECT_EQ(conversation({.correlation = "c", .agent = "carol"})->agents,
              (std::vector<std::string>{"bob", "carol"}));
    EXPECT_FALSE(conversation({.correlation = "c", .agent = "mallory"}));
}

TEST_F(TraceStoreTest, I3_AnAgentSeesItsRequestsForAUserOnlyWithAGrantForThatUser) {
    const auto ask = [this](const std::string& id, const std::string& user) {
        const auto ticket = request({.id = id, .correlation = "c"});
        then(DelegationAdmitted{.request = ticket, .root = ticket, .user = user});
        answer(ticket, true);
    };
    ask("r1", "u1");
    ask("r2", "u2");
    then(WorkflowStarted{.id = "w", .correlation = "c", .user = "u1", .by = "alice"});
    request({.id = "nobody's", .correlation = "c"});
    const auto seen_by = [this](const std::string& agent, const std::string& users) {
        return ids({.correlation = "c", .agent = agent, .users = users});
    };
    EXPECT_EQ(seen_by("alice", kEverybody), "r1 answer r2 answer w nobody's ");
    EXPECT_EQ(seen_by("alice", R"(["u1"])"), "r1 answer w nobody's ");
    EXPECT_EQ(seen_by("alice", R"(["u2","u3"])"), "r2 answer nobody's ");
    EXPECT_EQ(seen_by("alice", "[]"), "nobody's ");
    EXPECT_EQ(seen_by("bob", "[]"), "r1 answer r2 answer nobody's ") << "it was asked";
    EXPECT_EQ(conversation({.correlation = "c", .agent = "alice", .users = "[]"})->messages, 1U);
    open();
    EXPECT_EQ(seen_by("alice", R"(["u2"])"), "r2 answer nobody's ") << "after a restart";
}

TEST_F(TraceStoreTest, P2_ADelegatedRequestIsInTheTraceOfItsRootWhateverItsCorrelation) {
    const auto question = request({.id = "r", .correlation = "c", .dialect = Dialect::Kessel});
    const auto inner = request({.id = "i",
                                .correlation = "session",
                                .from = "bob",
                                .to = "carol",
                                .dialect = Dialect::Delegation});
    then(DelegationAdmitted{.request = inner, .parent = question, .root = question});
    const auto leaf = request({.id = "l",
                               .correlation = "deeper",
                               .from = "carol",
                               .to = "dan",
                               .dialect = Dialect::Sam});
    then(DelegationAdmitted{.request = leaf, .parent = inner, .root = question});
    EXPECT_EQ(ids({.correlation = "c"}), "r i l ");
    EXPECT_EQ(ids({.correlation = "session"}), "i ");
    for (const auto ticket : {leaf, inner, question}) {
        EXPECT_EQ(status("c"), "active");
        answer(ticket);
    }
    EXPECT_EQ(status("c"), "completed");
    EXPECT_EQ(conversation({.correlation = "c"})->agents.size(), 4U);
    EXPECT_EQ(book().active_count(), 0U);
}

TEST_F(TraceStoreTest, ATopicsCopiesAreMessagesToItsSubscribersInTheOrderOfTheirNames) {
    for (const auto* agent : {"carol", "bob"}) then(Subscribed{AgentId{agent}, TopicName{"news"}});
    then(Subscribed{AgentId{"dan"}, TopicName{"news"}});
    then(AgentRemoved{AgentId{"dan"}});
    open();  // Subscriptions survive a restart.
    const auto ticket = tell({.id = "n", .correlation = "c", .to = "topic:news"});
    const auto found = book().spans({.correlation = "c"}).value();
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].to, "bob");
    EXPECT_EQ(found[1].to, "carol");
    EXPECT_EQ(found[1].ticket.value, ticket.value + 1);
    acknowledge(ticket);
    EXPECT_EQ(status("c"), "active");
    acknowledge({ticket.value + 1});
    EXPECT_EQ(status("c"), "completed");
    tell({.id = "n", .correlation = "d", .to = "topic:silence"});
    EXPECT_EQ(status("d"), "completed");
    EXPECT_EQ(conversation({.correlation = "d"})->agents, (std::vector<std::string>{"alice"}));
}

TEST_F(TraceStoreTest, ARetriedDeadLetterMakesItsConversationActiveAgain) {
    const auto letter = tell({.id = "n", .correlation = "c"});
    then(MessageDeadLettered{.ticket = letter});
    EXPECT_EQ(status("c"), "failed");
    EXPECT_EQ(book().active_count(), 0U);
    then(DeadLetterRedelivered{.ticket = letter});
    EXPECT_EQ(status("c"), "active");
    EXPECT_EQ(conversation({.correlation = "c"})->failures, 0U);
    acknowledge(letter);
    EXPECT_EQ(status("c"), "completed");
}

TEST_F(TraceStoreTest, TheEndOfARequestsCopyIsNotTheRequestsOutcome) {
    const auto question = request({.id = "r", .correlation = "c"});
    lease(question);
    acknowledge(question);  // Bob took the request and will answer later.
    EXPECT_EQ(status("c"), "active");
    then(MessageDropped{.ticket = question});
    EXPECT_EQ(status("c"), "active");
    then(RequestFailed{.request = question, .refusal = Refusal::RequestUndeliverable});
    EXPECT_EQ(status("c"), "failed");
    EXPECT_EQ(select(path(), "SELECT kind, type, outcome FROM messages ORDER BY ticket"),
              "{\"kind\":\"request\",\"type\":\"TASK\",\"outcome\":\"failed\"}\n"
              "{\"kind\":\"failure\",\"type\":\"REQUEST_UNDELIVERABLE\",\"outcome\":\"told\"}\n");
}

TEST_F(TraceStoreTest, C12_ARowHasTheTimesOfItsMessage) {
    const auto question = request({.id = "r", .correlation = "c"});
    lease(question);
    then(DeliveryReturned{.ticket = question}, Duration{30});
    then(LeaseGranted{.ticket = question, .attempt = 2}, Duration{100});
    then(RequestAnswered{.request = question,
                         .envelope = Envelope::make({.intent = Intent::Reply}, "{}")},
         Duration{7});
    EXPECT_EQ(select(path(),
                     "SELECT queue_ms, run_ms, human_ms, attempts, outcome FROM messages "
                     "WHERE kind = 'request'"),
              "{\"queue_ms\":110,\"run_ms\":37,\"human_ms\":null,\"attempts\":2,"
              "\"outcome\":\"answered\"}\n");
}

TEST_F(TraceStoreTest, ALandmarkLeadsStraightToARecord) {
    for (int i = 0; i < 3000; ++i) happen(kNoon, {WaitEnded{{static_cast<std::uint64_t>(i)}}});
    const auto last = next_ticket();
    happen(kNoon, {DeliveryAcknowledged{.ticket = last}});
    auto reader = journal::Reader::open(disk_, {1}).value();
    journal::Record record;
    while (reader.next(record, durable()).value()) {
    }
    EXPECT_EQ(reader.place().first, durable());
    book().note(reader.place());
    ASSERT_TRUE(book().write());
    EXPECT_FALSE(book().landmark_before({durable().value - 1}).value());
    const auto place = book().landmark_before(durable()).value();
    ASSERT_TRUE(place);
    EXPECT_EQ(*place, reader.place());
    auto straight = journal::Reader::open(disk_, *place, durable()).value();
    ASSERT_TRUE(straight.next(record, durable()).value());
    EXPECT_EQ(record.sequence, durable());
    EXPECT_EQ(std::get<DeliveryAcknowledged>(journal::decode(record).value()).ticket, last);
}

/// Agents send, take, answer, fail and delegate at random.
class World {
  public:
    explicit World(std::uint64_t seed) : entropy_{seed} {}

    Event next(Ticket ticket) {
        if (open_.size() < 3 || one_in(3)) return accept(ticket);
        const auto which = entropy_() % open_.size();
        const auto [subject, is_request] = open_[which];
        if (one_in(3)) return LeaseGranted{.ticket = subject};
        if (one_in(6)) return DeliveryReturned{.ticket = subject};
        if (is_request && one_in(4)) return DeliveryAcknowledged{.ticket = subject};
        open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
        if (!is_request) return end(subject);
        const auto copy = one_in(2) ? ticket : Ticket{};
        if (copy != Ticket{}) open_.emplace_back(copy, false);
        if (one_in(4)) return RequestFailed{.request = subject, .ticket = copy};
        return RequestAnswered{.request = subject,
                               .envelope = Envelope::make({.intent = Intent::Reply}, "{}"),
                               .ticket = copy,
                               .falls_short = one_in(5)};
    }
    /// Admits the last accepted request.
    std::optional<Event> admission() {
        if (requests_.size() < 2 || !std::exchange(was_request_, false) || one_in(2)) return {};
        const auto parent = requests_[entropy_() % (requests_.size() - 1)];
        return DelegationAdmitted{.request = requests_.back(), .parent = parent};
    }

  private:
    bool one_in(std::uint64_t n) { return entropy_() % n == 0; }
    Event accept(Ticket ticket) {
        static constexpr std::array kAgents{"alice", "bob", "carol", "dan"};
        was_request_ = one_in(2);
        if (was_request_) requests_.push_back(ticket);
        open_.emplace_back(ticket, was_request_);
        const auto conversation = std::string{"c"} + std::to_string(entropy_() % 5);
        return MessageAccepted{
            .ticket = ticket,
            .envelope = Envelope::make({.id = std::to_string(ticket.value),
                                        .from = kAgents[entropy_() % kAgents.size()],
                                        .to = kAgents[entropy_() % kAgents.size()],
                                        .correlation = conversation,
                                        .intent = was_request_ ? Intent::Request : Intent::OneWay},
                                       "{}")};
    }
    Event end(Ticket ticket) {
        if (dead_ != Ticket{} && one_in(2)) {
            open_.emplace_back(ticket, false);
            open_.emplace_back(dead_, false);
            return DeadLetterRedelivered{.ticket = std::exchange(dead_, Ticket{})};
        }
        if (dead_ == Ticket{} && one_in(3)) {
            dead_ = ticket;
            return MessageDeadLettered{.ticket = ticket};
        }
        if (one_in(3)) return MessageDropped{.ticket = ticket};
        return DeliveryAcknowledged{.ticket = ticket};
    }

    std::mt19937_64 entropy_;
    std::vector<std::pair<Ticket, bool>> open_;
    std::vector<Ticket> requests_;
    Ticket dead_{};
    bool was_request_ = false;
};

// The main property: the state as of now, from memory, equals the state as of the same record, from
// the file.
class TwoAccountsTest : public TraceStoreTest {
  protected:
    struct Seen {
        std::string correlation;
        Sequence at;
        std::optional<Conversation> said;
    };
    void live(std::uint64_t seed, int turns, std::size_t held_max = TraceStore::kHeldMax);
};

void TwoAccountsTest::live(std::uint64_t seed, int turns, std::size_t held_max) {
    World world{seed};
    std::vector<Seen> seen;
    for (int i = 0; i < turns; ++i) {
        book().hold_at_most(held_max);
        std::vector<Event> turn{world.next(next_ticket())};
        if (const auto admission = world.admission()) turn.push_back(*admission);
        then(turn, Duration{i % 17});
        if (i % 400 == 399) open();
        const auto correlation = "c" + std::to_string(i % 5);
        seen.push_back({correlation, durable(), conversation({.correlation = correlation})});
        // From memory and from the file, now.
        ASSERT_EQ(conversation({.correlation = correlation, .at = durable()}), seen.back().said)
            << "at record " << durable().value << " of " << correlation;
    }
    for (const auto& each : seen) {
        auto then = conversation({.correlation = each.correlation, .at = each.at});
        ASSERT_EQ(then, each.said) << "as of " << each.at.value;
    }
}

TEST_F(TwoAccountsTest, P3_TheStateAsOfARecordIsTheStateWhenTheRecordWasLast) { live(7, 1'000); }

TEST_F(TwoAccountsTest, C10_MemoryIsBoundedAndEvictedConversationsAreReadFromTheFile) {
    live(8, 600, 2);
    for (int i = 0; i < 100; ++i) request({.id = "r", .correlation = "d" + std::to_string(i)});
    EXPECT_LE(book().open_count(), 4U);
    EXPECT_LE(book().active_count(), 4U);
    EXPECT_EQ(status("d0"), "active");
}

}  // namespace
}  // namespace parlance::views
