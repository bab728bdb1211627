// The tree of delegations and its limits: X4 to X8, X13, X14; G1 to G4, I2, I3.
#include <gtest/gtest.h>

#include "core/testing/story.h"

namespace parlance::core {
namespace {

/// A delegation, in the fields that matter to a test.
struct DelegationFields {
    std::string id;
    std::string from = "prime";
    std::string to = "byte";
    std::string session = "s-1";
    std::string child{};
    std::string user = "u-1";
    std::string objective = "extract";
    std::uint32_t depth = 0;
    std::uint32_t depth_max = 2;
    std::uint64_t tokens = 0;
    std::vector<std::string> tools{};
    bool limits_tools = false;
    Duration timeout{15'000};
};

class Tree : public ::testing::Test {
  protected:
    Tree() {
        for (const auto* name : {"prime", "byte", "tag", "crystal", "ledger"}) {
            story.ask(RegisterAgent{{name}, {.tools_allowed = {"ocr", "sql"}}});
        }
    }
    /// The request's ticket; none if refused.
    Ticket delegate(DelegationFields delegation) {
        if (delegation.child.empty()) delegation.child = "session of " + delegation.id;
        story.ask(SendMessage{
            .envelope = envelope({.id = delegation.id,
                                  .from = delegation.from,
                                  .to = delegation.to,
                                  .correlation = delegation.session,
                                  .intent = Intent::Request}),
            .priority = Priority::High,
            .timeout = delegation.timeout,
            .claim = std::make_shared<Claim>(Claim{.user = delegation.user,
                                                   .session = delegation.session,
                                                   .child_session = delegation.child,
                                                   .objective = delegation.objective,
                                                   .objective_hash = delegation.objective,
                                                   .depth = delegation.depth,
                                                   .depth_max = delegation.depth_max,
                                                   .tokens_max = delegation.tokens,
                                                   .tools = delegation.tools,
                                                   .limits_tools = delegation.limits_tools,
                                                   .has_session = true})});
        const auto accepted = story.happened<MessageAccepted>();
        return accepted.empty() ? Ticket{} : accepted.front().ticket;
    }
    /// The same in a dialect without delegations or budgets.
    Ticket ask_plainly(const std::string& id,
                       const std::string& from,
                       const std::string& to,
                       const std::string& user = {},
                       const std::string& words = {},
                       const std::string& objective = {},
                       std::uint64_t tokens = 0) {
        story.ask(SendMessage{.envelope = envelope({.id = id,
                                                    .from = from,
                                                    .to = to,
                                                    .correlation = "conversation of " + id,
                                                    .intent = Intent::Request}),
                              .priority = Priority::High,
                              .timeout = Duration{15'000},
                              .claim = std::make_shared<Claim>(Claim{
                                  .user = user,
                                  .objective_hash = objective.empty() ? "plain " + id : objective,
                                  .words_hash = words,
                                  .tokens_max = tokens})});
        const auto accepted = story.happened<MessageAccepted>();
        return accepted.empty() ? Ticket{} : accepted.front().ticket;
    }
    /// Keeps a user's session (K23), whether an agent works in it or not.
    void keep_session(const std::string& id, const std::string& user) {
        story.as_operator().ask(WriteSession{.id = id, .user = user});
        story.as_the_hub();
    }
    void answer(const std::string& from, const std::string& question, std::uint64_t tokens = 0) {
        story.ask(answer_to(question, from, tokens));
        ASSERT_EQ(story.happened<RequestAnswered>().size(), 1U) << question;
    }
    void allow(Settings settings) {
        story.as_operator().ask(
            ChangePolicy{.settings = print_policy(settings), .reason = "a test"});
        ASSERT_EQ(story.happened<PolicyChanged>().size(), 1U);
        story.as_the_hub();
    }
    Reading<governor::Delegation> on_record(Ticket ticket) {
        return governor::find_delegation(story.state().governor.lineage, ticket);
    }
    governor::Root root_of(Ticket ticket) {
        return *story.state().governor.lineage.roots.at(on_record(ticket)->root);
    }
    std::string why() {
        const auto refused = story.asked_for<TellRefused>();
        return refused.empty() ? "" : refused.back().detail;
    }

    Story story;
};

// --- depth -----------------------------------------------------------------------------------

TEST_F(Tree, X4_G1_DepthIsCountedFromTheSessionsOnRecord) {
    const auto first = delegate({.id = "d-1"});
    ASSERT_NE(first, Ticket{});
    EXPECT_EQ(on_record(first)->depth, 1U);
    // Byte to Tag would be depth 2, which max_depth 2 blocks.
    EXPECT_EQ(delegate({.id = "d-2", .from = "byte", .to = "tag", .session = "session of d-1"}),
              Ticket{});
    EXPECT_EQ(story.refusal(), Refusal::DelegationDepthExceeded);
    EXPECT_NE(why().find("(2/2)"), std::string::npos) << why();
    EXPECT_NE(why().find("return your result to 'prime' and let it call 'tag'"), std::string::npos)
        << why();
}

TEST_F(Tree, X16_ARefusedDelegationIsRecordedWithItsClaim) {
    delegate({.id = "d-1"});
    delegate({.id = "d-2", .from = "byte", .to = "tag", .session = "session of d-1"});
    const auto refused = story.happened<MessageRefused>();
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0].to, "tag");
    EXPECT_EQ(refused[0].user, "u-1");
    EXPECT_EQ(refused[0].objective, "extract");
}

TEST_F(Tree, X4_AHigherDepthLimitAllowsExactlyThatDepth) {
    delegate({.id = "d-1", .depth_max = 3});
    const auto second = delegate({.id = "d-2",
                                  .from = "byte",
                                  .to = "tag",
                                  .session = "session of d-1",
                                  .objective = "sort",
                                  .depth_max = 9});
    ASSERT_NE(second, Ticket{});
    EXPECT_EQ(on_record(second)->depth, 2U);
    EXPECT_EQ(on_record(second)->depth_max, 3U) << "a child's limit can only be stricter (I2)";
    delegate({.id = "d-3",
              .from = "tag",
              .to = "crystal",
              .session = "session of d-2",
              .objective = "draw",
              .depth_max = 9});
    EXPECT_EQ(story.refusal(), Refusal::DelegationDepthExceeded);
}

TEST_F(Tree, X4_ADeclaredDepthOnlyMakesTheLimitStricter) {
    EXPECT_NE(delegate({.id = "d-0", .depth = 0}), Ticket{});
    EXPECT_NE(delegate({.id = "d-1", .objective = "other", .depth = 1}), Ticket{});
    delegate({.id = "d-2", .objective = "third", .depth = 2});
    EXPECT_EQ(story.refusal(), Refusal::DelegationDepthExceeded);
}

TEST_F(Tree, X4_ADepthLimitOfZeroIsALimit) {
    delegate({.id = "d-0", .depth_max = 0});
    EXPECT_EQ(story.refusal(), Refusal::DelegationDepthExceeded);
    delegate({.id = "d-1", .depth_max = 1});
    EXPECT_EQ(story.refusal(), Refusal::DelegationDepthExceeded);
    EXPECT_NE(delegate({.id = "d-2", .depth_max = 2}), Ticket{});
}

TEST_F(Tree, X4_G1_NamingASessionNeverLowersTheDepth) {
    story.connect("byte", 5);
    delegate({.id = "d-1"});
    for (const auto* session : {"s-1", "session of d-1", "never heard of"}) {
        delegate({.id = std::string{"d "} + session,
                  .from = "byte",
                  .to = "tag",
                  .session = session,
                  .objective = session});
        EXPECT_EQ(story.refusal(), Refusal::DelegationDepthExceeded) << session;
    }
    // Another agent's session cannot be taken.
    delegate({.id = "d-9", .from = "ledger", .to = "tag", .session = "session of d-1"});
    EXPECT_EQ(story.refusal(), Refusal::IdentityMismatch);
}

TEST_F(Tree, X4_RecordedDelegationsOutliveARestart) {
    delegate({.id = "d-1"});
    story.as_the_hub().restart();
    delegate({.id = "d-2", .from = "byte", .to = "tag", .session = "session of d-1"});
    EXPECT_EQ(story.refusal(), Refusal::DelegationDepthExceeded);
}

TEST_F(Tree, X4_ARequestOfAnyDialectBecomesAParentOnTheFirstDelegation) {
    story.connect("byte", 8);
    const auto asked =
        story.request({.id = "q-1", .from = "prime", .to = "byte", .correlation = "w"});
    const auto below =
        story.request({.id = "q-2", .from = "byte", .to = "tag", .correlation = "w"});
    ASSERT_NE(on_record(below), nullptr);
    EXPECT_EQ(on_record(below)->parent, asked);
    EXPECT_EQ(on_record(below)->depth, 2U);
    EXPECT_EQ(on_record(asked)->depth, 1U);
    // A request of another workflow is in no tree.
    const auto other =
        story.request({.id = "q-3", .from = "byte", .to = "tag", .correlation = "x"});
    EXPECT_EQ(on_record(other), nullptr);
}

TEST_F(Tree, X4_UndeliveredWorkIsNoParentOfAnAgentsOwnRequests) {
    delegate({.id = "d-1"});  // Byte is not connected to take the request.
    const auto own = delegate({.id = "d-2", .from = "byte", .to = "tag", .session = "s-7"});
    ASSERT_NE(own, Ticket{});
    EXPECT_EQ(on_record(own)->depth, 1U);
}

// --- agents stay below the work in their hands -----------------------------------------------

TEST_F(Tree, X4_G1_ARequestWithoutAUserStaysBelowTheWorkInHand) {
    story.connect("byte", 5);
    const auto work = delegate({.id = "d-1", .depth_max = 3});
    // At the limit:
    const auto below = delegate({.id = "d-2",
                                 .from = "byte",
                                 .to = "tag",
                                 .session = "fresh",
                                 .user = "",
                                 .objective = "sort",
                                 .depth_max = 9});
    ASSERT_NE(below, Ticket{}) << why();
    EXPECT_EQ(on_record(below)->parent, work);
    EXPECT_EQ(on_record(below)->depth, 2U);
    EXPECT_EQ(on_record(below)->depth_max, 3U);
    EXPECT_EQ(on_record(below)->user, "u-1");
    // And one past the limit:
    story.connect("tag", 5);
    delegate({.id = "d-3",
              .from = "tag",
              .to = "crystal",
              .session = "fresher",
              .user = "",
              .objective = "draw",
              .depth_max = 9});
    EXPECT_EQ(story.refusal(), Refusal::DelegationDepthExceeded);
    EXPECT_EQ(ask_plainly("q-1", "tag", "crystal"), Ticket{});
    EXPECT_EQ(story.refusal(), Refusal::DelegationDepthExceeded) << "in whatever dialect";
}

TEST_F(Tree, X5_G2_ARequestWithoutAUserCountsTowardsTheFanOut) {
    story.connect("byte", 5);
    delegate({.id = "d-1", .depth_max = 9, .tokens = 9'000});
    EXPECT_NE(ask_plainly("q-1", "byte", "tag"), Ticket{});
    EXPECT_NE(ask_plainly("q-2", "byte", "tag"), Ticket{});
    EXPECT_NE(ask_plainly("q-3", "byte", "tag"), Ticket{});
    ask_plainly("q-4", "byte", "tag");
    EXPECT_EQ(story.refusal(), Refusal::DelegationFanoutExceeded);
    answer("tag", "q-2");
    EXPECT_NE(ask_plainly("q-5", "byte", "tag"), Ticket{});
}

TEST_F(Tree, X7_I2_ARequestWithoutAUserEndsWithTheWorkInHand) {
    story.connect("byte", 5);
    delegate({.id = "d-1", .depth_max = 9, .timeout = Duration{5'000}});
    const auto below = ask_plainly("q-1", "byte", "tag");
    ASSERT_NE(on_record(below), nullptr);
    EXPECT_EQ(on_record(below)->deadline, story.now() + Duration{5'000});
}

TEST_F(Tree, X4_ATreeWithoutAUserCannotBeLeftEither) {
    story.connect("byte", 5);
    const auto work = delegate({.id = "d-1", .user = "", .depth_max = 3});
    const auto below = ask_plainly("q-1", "byte", "tag");
    ASSERT_NE(on_record(below), nullptr) << why();
    EXPECT_EQ(on_record(below)->parent, work);
}

TEST_F(Tree, X13_NamingAnotherUserWithAGrantBeginsAnotherTree) {
    story.connect("byte", 5);
    delegate({.id = "d-1"});
    story.as_caller({.agent = {"byte"}, .users = {"u-2"}});
    const auto own =
        delegate({.id = "d-2", .from = "byte", .to = "tag", .session = "s-9", .user = "u-2"});
    ASSERT_NE(own, Ticket{}) << "the grant is what it stands on: " << why();
    EXPECT_EQ(on_record(own)->depth, 1U);
    delegate({.id = "d-3", .from = "byte", .to = "tag", .session = "s-8", .user = "u-3"});
    EXPECT_EQ(story.refusal(), Refusal::UserIsolationViolated) << "and without one it has none";
}

TEST_F(Tree, X4_X5_TheParentIsTheDeepestWorkThenTheLeastDelegatedThenTheOldest) {
    story.connect("byte", 9);
    const auto first = delegate({.id = "d-1", .session = "s-1", .depth_max = 9});
    const auto second = delegate({.id = "d-2", .session = "s-2", .depth_max = 9});
    const auto parent_of = [&](const std::string& id) {
        const auto ticket = ask_plainly(id, "byte", "tag");
        const auto record = on_record(ticket);
        EXPECT_NE(record, nullptr) << why();
        return record == nullptr ? Ticket{} : record->parent;
    };
    EXPECT_EQ(parent_of("q-1"), first) << "the oldest";
    EXPECT_EQ(parent_of("q-2"), second) << "it has the fewest";
    EXPECT_EQ(parent_of("q-3"), first);
    // Two requests in hand allow twice as many delegates, and the seventh is refused.
    EXPECT_EQ(parent_of("q-4"), second);
    EXPECT_EQ(parent_of("q-5"), first);
    EXPECT_EQ(parent_of("q-6"), second);
    ask_plainly("q-7", "byte", "tag");
    EXPECT_EQ(story.refusal(), Refusal::DelegationFanoutExceeded);
    story.connect("tag", 9);
    const auto deeper = delegate({.id = "d-3",
                                  .from = "tag",
                                  .to = "byte",
                                  .session = "s-1",
                                  .objective = "look",
                                  .depth_max = 9});
    ASSERT_NE(deeper, Ticket{}) << why();
    EXPECT_EQ(parent_of("q-8"), deeper) << "the deepest, whatever the others have";
}

TEST_F(Tree, X4_RequestsInNoTreeStayUnlimited) {
    for (const auto* agent : {"byte", "tag"}) story.connect(agent, 50);
    // Both agents ask each other, each in a conversation of its own, and hold all the requests.
    for (int i = 0; i < 20; ++i) {
        for (const auto& [from, to] : {std::pair{"byte", "tag"}, std::pair{"tag", "byte"}}) {
            const auto id = std::string{from} + std::to_string(i);
            EXPECT_EQ(on_record(ask_plainly(id, from, to)), nullptr) << id;
            EXPECT_EQ(story.refusal(), Refusal::None) << id;
        }
    }
}

TEST_F(Tree, X4_ATreeOfPlainRequestsDoesNotBindItsAgents) {
    for (const auto* agent : {"byte", "tag"}) story.connect(agent, 50);
    story.request({.id = "q-1", .from = "prime", .to = "byte", .correlation = "w"});
    const auto below =
        story.request({.id = "q-2", .from = "byte", .to = "tag", .correlation = "w"});
    ASSERT_NE(on_record(below), nullptr);
    EXPECT_EQ(on_record(below)->tokens, 0U) << "nor does it spend anything";
    for (int i = 0; i < 20; ++i) {
        const auto id = "free " + std::to_string(i);
        EXPECT_EQ(on_record(ask_plainly(id, "tag", "byte")), nullptr) << why();
    }
}

TEST_F(Tree, X4_G1_ADelegationGivenBackStaysAParentUntilAnswered) {
    story.connect("byte", 5);
    delegate({.id = "d-1"});
    story.nack(story.last_delivery());
    for (const auto* user : {"u-1", ""}) {
        delegate({.id = std::string{"while it waits "} + user,
                  .from = "byte",
                  .to = "tag",
                  .session = "fresh",
                  .user = user,
                  .objective = "sort"});
        EXPECT_EQ(story.refusal(), Refusal::DelegationDepthExceeded) << user;
    }
    EXPECT_EQ(ask_plainly("q-1", "byte", "tag"), Ticket{});
    EXPECT_EQ(story.refusal(), Refusal::DelegationDepthExceeded);
    story.as_the_hub().restart();
    EXPECT_EQ(ask_plainly("q-2", "byte", "tag"), Ticket{}) << "a restart forgets nothing";
    answer("byte", "d-1");
    EXPECT_NE(ask_plainly("q-3", "byte", "tag"), Ticket{}) << "to answer it is";
}

TEST_F(Tree, X4_G1_APlainRequestGivenBackStaysAParent) {
    story.connect("byte", 5);
    const auto asked =
        story.request({.id = "q-1", .from = "prime", .to = "byte", .correlation = "w"});
    story.nack(story.last_delivery());
    const auto below =
        story.request({.id = "q-2", .from = "byte", .to = "tag", .correlation = "w"});
    ASSERT_NE(on_record(below), nullptr);
    EXPECT_EQ(on_record(below)->parent, asked);
}

// --- fan-out ---------------------------------------------------------------------------------

TEST_F(Tree, X5_G2_ThreeDelegatesAreOpenAtATimeAndNoFourth) {
    for (const auto* to : {"byte", "tag", "crystal"}) {
        EXPECT_NE(delegate({.id = to, .to = to}), Ticket{}) << to;
    }
    delegate({.id = "fourth", .to = "ledger"});
    EXPECT_EQ(story.refusal(), Refusal::DelegationFanoutExceeded);
    EXPECT_NE(why().find("(4/3)"), std::string::npos) << why();
    story.as_the_hub().restart();
    delegate({.id = "fifth", .to = "ledger"});
    EXPECT_EQ(story.refusal(), Refusal::DelegationFanoutExceeded) << "a restart forgets nothing";
    answer("tag", "tag");
    EXPECT_NE(delegate({.id = "sixth", .to = "ledger"}), Ticket{}) << "one has ended";
}

TEST_F(Tree, X5_EachParentHasAFanOutOfItsOwn) {
    delegate({.id = "d-1", .depth_max = 9});
    for (const auto* objective : {"a", "b", "c"}) {
        EXPECT_NE(delegate({.id = objective,
                            .from = "byte",
                            .to = "tag",
                            .session = "session of d-1",
                            .objective = objective,
                            .depth_max = 9}),
                  Ticket{});
    }
    EXPECT_EQ(root_of(story.state().governor.lineage.delegations.tickets().front()).open_children,
              1U);
    delegate({.id = "d",
              .from = "byte",
              .to = "tag",
              .session = "s-1",
              .objective = "d",
              .depth_max = 9});
    EXPECT_EQ(story.refusal(), Refusal::DelegationFanoutExceeded)
        << "the fourth of byte, by whatever session";
}

// --- cycles ----------------------------------------------------------------------------------

TEST_F(Tree, X6_TheSameDelegationTwiceInOneTreeIsACycle) {
    delegate({.id = "d-1"});
    answer("byte", "d-1");
    delegate({.id = "d-2"});
    EXPECT_EQ(story.refusal(), Refusal::DelegationCycleDetected) << "also after it has ended";
    EXPECT_NE(delegate({.id = "d-3", .objective = "analyse"}), Ticket{}) << "another objective";
    EXPECT_NE(delegate({.id = "d-4", .to = "tag"}), Ticket{}) << "another target";
    EXPECT_NE(delegate({.id = "d-5", .session = "s-2"}), Ticket{}) << "another root";
}

TEST_F(Tree, X6_AnIdleTreeEndsAfterItsTime) {
    delegate({.id = "d-1"});
    answer("byte", "d-1");
    story.later(Duration{59'999}).as_the_hub().tick();
    delegate({.id = "d-2"});
    EXPECT_EQ(story.refusal(), Refusal::DelegationCycleDetected);
    story.later(Duration{1}).tick();
    EXPECT_EQ(story.happened<DelegationTreeEnded>().size(), 1U);
    EXPECT_NE(delegate({.id = "d-3"}), Ticket{});
}

TEST_F(Tree, X6_G3_AnObjectiveCannotReturnToAnEarlierAgentOfTheChain) {
    // prime → byte → tag → crystal → ledger → audit; at each step, back to every agent before:
    // rings of 1 to 6 agents.
    story.ask(RegisterAgent{{"audit"}, {}});
    const std::vector<std::string> chain{"prime", "byte", "tag", "crystal", "ledger", "audit"};
    std::string session = "s-1";
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
        const auto& last = chain[i + 1];
        const auto id = "step " + std::to_string(i);
        ASSERT_NE(
            delegate({.id = id, .from = chain[i], .to = last, .session = session, .depth_max = 64}),
            Ticket{})
            << why();
        session = "session of " + id;
        for (std::size_t back = 0; back <= i + 1; ++back) {
            delegate({.id = last + " to " + chain[back],
                      .from = last,
                      .to = chain[back],
                      .session = session,
                      .depth_max = 64});
            EXPECT_EQ(story.refusal(), Refusal::DelegationCycleDetected)
                << last << " to " << chain[back];
        }
    }
    EXPECT_NE(delegate({.id = "something else",
                        .from = "audit",
                        .to = "byte",
                        .session = session,
                        .objective = "other",
                        .depth_max = 64}),
              Ticket{});
}

TEST_F(Tree, X6_G3_AnObjectiveCannotReturnInAnotherDialect) {
    story.connect("byte", 5);
    ASSERT_NE(delegate({.id = "d-1", .objective = "sort", .depth_max = 9}), Ticket{});
    EXPECT_EQ(ask_plainly("back", "byte", "prime", {}, "sort"), Ticket{});
    EXPECT_EQ(story.refusal(), Refusal::DelegationCycleDetected);
    EXPECT_NE(ask_plainly("on", "byte", "tag", {}, "sort"), Ticket{}) << "who never had it may";
    EXPECT_NE(ask_plainly("other", "byte", "prime", {}, "count"), Ticket{});
}

TEST_F(Tree, X6_G3_ARingThatBeganWithAPlainRequestIsDetectedOnTheFirstRound) {
    story.connect("byte", 5);
    story.connect("tag", 5);
    story.request({.id = "q-1",
                   .from = "prime",
                   .to = "byte",
                   .correlation = "w",
                   .body = R"({"delegation":{"objective":"extract"}})"});
    delegate({.id = "back", .from = "byte", .to = "prime", .session = "w", .depth_max = 9});
    EXPECT_EQ(story.refusal(), Refusal::DelegationCycleDetected) << "before it founds a tree";
    ASSERT_NE(delegate({.id = "on", .from = "byte", .to = "tag", .session = "w", .depth_max = 9}),
              Ticket{})
        << why();
    delegate(
        {.id = "round", .from = "tag", .to = "prime", .session = "session of on", .depth_max = 9});
    EXPECT_EQ(story.refusal(), Refusal::DelegationCycleDetected) << "and when it has";
}

TEST_F(Tree, X6_G3_AnObjectiveWithATaskCannotReturnInItsWordsAlone) {
    story.connect("byte", 5);
    story.connect("tag", 5);
    ASSERT_NE(ask_plainly("q-1", "prime", "byte", "u-1", "extract"), Ticket{});
    ASSERT_NE(delegate({.id = "on", .from = "byte", .to = "tag", .session = "w", .depth_max = 9}),
              Ticket{})
        << why();
    delegate(
        {.id = "round", .from = "tag", .to = "prime", .session = "session of on", .depth_max = 9});
    EXPECT_EQ(story.refusal(), Refusal::DelegationCycleDetected);
    EXPECT_NE(ask_plainly("q-2", "byte", "prime", "u-1", "extract"), Ticket{})
        << "the same words about something else are another delegation";
}

TEST_F(Tree, X6_G3_AnObjectiveOfWordsAloneCannotReturnUnderAnyTask) {
    story.connect("byte", 5);
    story.connect("tag", 5);
    const auto ask = [&](const std::string& id,
                         const std::string& from,
                         const std::string& to,
                         const std::string& objective) {
        const auto words = objective.substr(objective.find_last_of('/') + 1);
        return ask_plainly(id, from, to, "u-1", words.substr(0, words.find(' ')), objective, 10);
    };
    ASSERT_NE(ask_plainly("q-1", "prime", "byte", "u-1", "sort", "sort of t-1", 1'000), Ticket{});
    EXPECT_EQ(ask("q-2", "byte", "prime", "sort of t-2"), Ticket{});
    EXPECT_EQ(story.refusal(), Refusal::DelegationCycleDetected);
    ASSERT_NE(ask_plainly("q-3", "byte", "tag", "u-1", "sort", "sort of t-3", 500), Ticket{});
    EXPECT_NE(ask("q-4", "byte", "tag", "sort of t-4"), Ticket{}) << "another task is another";
    EXPECT_EQ(ask("q-5", "byte", "tag", "sort of t-3"), Ticket{});
    EXPECT_EQ(story.refusal(), Refusal::DelegationCycleDetected) << "the same one is not";
    EXPECT_EQ(ask("q-6", "tag", "prime", "sort"), Ticket{});
    EXPECT_EQ(story.refusal(), Refusal::DelegationCycleDetected) << "nor is it without a task";
    EXPECT_NE(ask("q-7", "tag", "prime", "a list/sort"), Ticket{}) << why();
    EXPECT_NE(ask("q-8", "tag", "prime", "count of t-1"), Ticket{}) << why();
}

TEST_F(Tree, X6_G3_AnAgentCannotDelegateAGivenObjectiveToItself) {
    EXPECT_NE(delegate({.id = "d-1", .to = "prime", .depth_max = 9}), Ticket{})
        << "what was not given to it may be asked of another instance of itself";
    delegate({.id = "d-2", .to = "prime", .session = "session of d-1", .depth_max = 9});
    EXPECT_EQ(story.refusal(), Refusal::DelegationCycleDetected);
}

TEST_F(Tree, X6_G3_AChainIsCheckedBeyondAgentsThatHaveAnswered) {
    const auto step = [&](std::string id, std::string from, std::string to, std::string session) {
        return delegate({.id = std::move(id),
                         .from = std::move(from),
                         .to = std::move(to),
                         .session = std::move(session),
                         .depth_max = 9,
                         .tokens = 100});
    };
    step("d-1", "prime", "byte", "s-1");
    step("d-2", "byte", "tag", "session of d-1");
    const auto last = step("d-3", "tag", "crystal", "session of d-2");
    answer("tag", "d-2");
    answer("byte", "d-1");
    ASSERT_NE(on_record(last), nullptr);
    step("d-4", "crystal", "byte", "session of d-3");
    EXPECT_EQ(story.refusal(), Refusal::DelegationCycleDetected) << "byte had it";
    answer("crystal", "d-3");
    story.later(Duration{60'000}).as_the_hub().tick();
    EXPECT_TRUE(story.state().governor.lineage.delegations.empty());
}

TEST_F(Tree, X4_X6_X8_ARequestFromAnEndedSessionStaysBelowTheSessionUntilTheTreeEnds) {
    const auto ask = [&](std::string id, std::uint32_t depth_max, std::uint64_t tokens = 0) {
        return delegate({.id = std::move(id),
                         .from = "byte",
                         .to = "tag",
                         .session = "session of d-1",
                         .objective = "sub",
                         .depth_max = depth_max,
                         .tokens = tokens});
    };
    delegate({.id = "d-1", .depth_max = 9, .tokens = 100});
    ASSERT_NE(ask("d-2", 9, 10), Ticket{});
    answer("tag", "d-2");
    answer("byte", "d-1");
    ask("d-3", 2);
    EXPECT_EQ(story.refusal(), Refusal::DelegationDepthExceeded) << "it is 2, and not 1";
    ask("d-4", 9);
    EXPECT_EQ(story.refusal(), Refusal::DelegationCycleDetected) << "its root has not ended";
    const auto other = [&](std::string id, std::uint64_t tokens) {
        return delegate({.id = std::move(id),
                         .from = "byte",
                         .to = "tag",
                         .session = "session of d-1",
                         .objective = "another",
                         .depth_max = 9,
                         .tokens = tokens});
    };
    other("d-5", 1);
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded) << why();
    other("d-6", 0);
    EXPECT_EQ(story.refusal(), Refusal::DelegationNotFound) << why();
    story.later(Duration{60'000}).as_the_hub().tick();
    EXPECT_NE(ask("d-7", 2), Ticket{}) << "the root has ended, and with it the session";
}

TEST_F(Tree, X13_I3_AnEndedSessionStaysItsUsersUntilTheTreeEnds) {
    delegate({.id = "d-1"});
    answer("byte", "d-1");
    const auto take = [&](std::string id, std::string user) {
        return delegate({.id = std::move(id),
                         .session = "s-2",
                         .child = "session of d-1",
                         .user = std::move(user)});
    };
    take("d-2", "u-2");
    EXPECT_EQ(story.refusal(), Refusal::UserIsolationViolated);
    EXPECT_NE(take("d-3", "u-1"), Ticket{}) << "its own user goes on in it";
}

TEST_F(Tree, X8_G4_AChildsReservationIsReleasedEvenIfItsParentEndedFirst) {
    allow({{{Rule::TokensPerUser, {}}, 1'000}});
    const auto left = [&] {
        const auto& accounts = story.state().governor.lineage.accounts;
        const auto budget =
            governor::budget_at(accounts, "user u-1", story.now(), std::chrono::hours{24});
        return 1'000 - budget.reserved - budget.spent;
    };
    delegate({.id = "d-1", .depth_max = 9, .tokens = 1'000});
    delegate({.id = "d-2",
              .from = "byte",
              .to = "tag",
              .session = "session of d-1",
              .objective = "part",
              .depth_max = 9,
              .tokens = 600});
    answer("byte", "d-1", 100);
    EXPECT_EQ(left(), 300U) << "100 are used, and 600 set aside";
    answer("tag", "d-2", 50);
    EXPECT_EQ(left(), 850U);
}

TEST_F(Tree, X21_ACancellationReachesOpenDelegationsBelowAnsweredRequests) {
    delegate({.id = "d-1", .depth_max = 9});
    const auto below = delegate({.id = "d-2",
                                 .from = "byte",
                                 .to = "tag",
                                 .session = "session of d-1",
                                 .objective = "part",
                                 .depth_max = 9});
    answer("byte", "d-1");
    story.ask(CancelRequest{.id = "s-1", .reason = "enough"});
    const auto cancelled = story.happened<RequestCancelled>();
    ASSERT_EQ(cancelled.size(), 1U) << why();
    EXPECT_EQ(cancelled[0].request, below);
    story.ask(CancelRequest{.id = "s-1", .reason = "enough"});
    EXPECT_EQ(story.refusal(), Refusal::DelegationNotFound) << "nothing is open any more";
}

TEST_F(Tree, T14_G4_ATreesBudgetFollowsThePresentPolicy) {
    allow({{{Rule::TokensPerRoot, {}}, 100}});
    delegate({.id = "d-1", .tokens = 100});
    delegate({.id = "d-2", .objective = "more", .tokens = 1});
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded);
    allow({{{Rule::TokensPerRoot, {}}, 150}});
    delegate({.id = "d-3", .objective = "more", .tokens = 51});
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded);
    EXPECT_NE(delegate({.id = "d-4", .objective = "more", .tokens = 50}), Ticket{});
    allow({{{Rule::TokensPerRoot, {}}, 149}});
    answer("byte", "d-4");
    delegate({.id = "d-5", .objective = "most", .tokens = 50});
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded) << "49 are left";
}

TEST_F(Tree, X6_TheSameRequestAgainIsADuplicateAndNoCycle) {
    const auto first = delegate({.id = "d-1"});
    delegate({.id = "d-1"});
    const auto again = story.happened<DuplicateReceived>();
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].ticket, first);
}

// --- time ------------------------------------------------------------------------------------

TEST_F(Tree, X7_AChildNeverHasMoreTimeThanItsParentHasLeft) {
    delegate({.id = "d-1", .depth_max = 9, .timeout = Duration{5'000}});
    story.later(Duration{2'000});
    const auto below = delegate({.id = "d-2",
                                 .from = "byte",
                                 .to = "tag",
                                 .session = "session of d-1",
                                 .objective = "sort",
                                 .depth_max = 9,
                                 .timeout = Duration{60'000}});
    EXPECT_EQ(on_record(below)->deadline, story.now() + Duration{3'000});
    story.later(Duration{3'000}).as_the_hub().tick();
    const auto failed = story.happened<RequestFailed>();
    ASSERT_EQ(failed.size(), 2U);
    std::set<std::string> details;
    for (const auto& each : failed) details.insert(each.detail);
    EXPECT_EQ(details,
              (std::set<std::string>{"Delegation timeout after 3000 ms",
                                     "Delegation timeout after 5000 ms"}));
}

// --- budgets ---------------------------------------------------------------------------------

TEST_F(Tree, X8_G4_TokensAreReservedOnAdmissionAndTheUnusedRestIsReleased) {
    allow({{{Rule::TokensPerRoot, {}}, 2'000}});
    const auto first = delegate({.id = "d-1", .tokens = 1'200});
    EXPECT_EQ(root_of(first).budget, (governor::Budget{.reserved = 1'200, .spent = 0}));
    delegate({.id = "d-2", .to = "tag", .tokens = 801});
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded);
    EXPECT_NE(why().find("800 left"), std::string::npos) << why();
    const auto second = delegate({.id = "d-3", .to = "tag", .tokens = 800});
    ASSERT_NE(second, Ticket{});
    answer("byte", "d-1", 300);
    EXPECT_EQ(root_of(second).budget, (governor::Budget{.reserved = 800, .spent = 300}));
    // An agent that reports more tokens than it was given is charged the tokens it was given.
    answer("tag", "d-3", 9'000);
    delegate({.id = "d-4", .to = "crystal", .tokens = 901});
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded);
    EXPECT_NE(delegate({.id = "d-5", .to = "crystal", .tokens = 900}), Ticket{});
}

TEST_F(Tree, X8_I2_ADelegateCanGiveOnOnlyItsOwnReservation) {
    const auto first = delegate({.id = "d-1", .depth_max = 9, .tokens = 1'000});
    const auto below = [&](std::string id, std::string to, std::uint64_t tokens) {
        return delegate({.id = std::move(id),
                         .from = "byte",
                         .to = std::move(to),
                         .session = "session of d-1",
                         .objective = "part",
                         .depth_max = 9,
                         .tokens = tokens});
    };
    below("d-2", "tag", 1'001);
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded);
    EXPECT_NE(below("d-3", "tag", 600), Ticket{});
    below("d-4", "crystal", 401);
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded);
    answer("tag", "d-3", 100);
    EXPECT_EQ(on_record(first)->below, (governor::Budget{.reserved = 0, .spent = 100}));
    const auto last = below("d-5", "crystal", 900);
    ASSERT_NE(last, Ticket{});
    // The parent ends before its child: the child's reservation stays until the child ends too.
    answer("byte", "d-1", 50);
    EXPECT_EQ(root_of(last).budget, (governor::Budget{.reserved = 900, .spent = 100}));
    answer("crystal", "d-5", 300);
    EXPECT_EQ(root_of(last).budget, (governor::Budget{.reserved = 0, .spent = 400}));
}

TEST_F(Tree, X8_G4_AnAnsweredDelegateHasNoTokensLeftToGive) {
    delegate({.id = "d-1", .depth_max = 9, .tokens = 1'000});
    const auto below = [&](std::string id, std::string to, std::uint64_t tokens) {
        return delegate({.id = std::move(id),
                         .from = "byte",
                         .to = std::move(to),
                         .session = "session of d-1",
                         .objective = "part",
                         .depth_max = 9,
                         .tokens = tokens});
    };
    ASSERT_NE(below("d-2", "tag", 100), Ticket{});
    answer("byte", "d-1", 50);
    below("d-3", "crystal", 1);
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded) << "850 went back to the tree";
}

TEST_F(Tree, X8_G4_ADialectWithoutBudgetsGetsTheUsualTokensOrTheRest) {
    story.connect("byte", 5);
    const auto work = delegate({.id = "d-1", .depth_max = 9, .tokens = 1'500});
    const auto first = ask_plainly("q-1", "byte", "tag");
    EXPECT_EQ(on_record(first)->tokens, 1'200U) << "the document's own (X1)";
    const auto second = ask_plainly("q-2", "byte", "crystal");
    EXPECT_EQ(on_record(second)->tokens, 300U) << "what is left";
    EXPECT_EQ(on_record(work)->below, (governor::Budget{.reserved = 1'500, .spent = 0}));
    ask_plainly("q-3", "byte", "ledger");
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded);
    EXPECT_NE(why().find("has 0 left"), std::string::npos) << why();
    answer("tag", "q-1", 1'100);
    answer("crystal", "q-2", 0);
    EXPECT_EQ(on_record(work)->below, (governor::Budget{.reserved = 0, .spent = 1'100}));
    EXPECT_EQ(on_record(ask_plainly("q-4", "byte", "ledger"))->tokens, 400U);
}

TEST_F(Tree, G4_EveryBudgetBindsADialectWithoutBudgets) {
    for (const Rule rule : {Rule::TokensPerDelegation,
                            Rule::TokensPerRoot,
                            Rule::TokensPerAgent,
                            Rule::TokensPerUser,
                            Rule::TokensInTotal}) {
        allow({{{rule, {}}, 700}});
        const auto id = "q-" + std::to_string(static_cast<int>(rule));
        const auto first = ask_plainly(id, "prime", "byte", "u-1");
        EXPECT_EQ(on_record(first)->tokens, 700U) << id;
        story.later(Duration{15'000}).tick();
    }
}

TEST_F(Tree, X8_S13_AnApprovedRequestGetsTheTokensPeopleWereAskedFor) {
    allow({{{Rule::BudgetAsksPeople, {}}, 1}});
    story.connect("byte", 5);
    delegate({.id = "d-1", .depth_max = 9, .tokens = 1'200});
    ask_plainly("q-1", "byte", "tag");
    const auto held = ask_plainly("q-2", "byte", "crystal");
    const auto asked = story.happened<HumanAsked>();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_NE(asked[0].question.find("1200 tokens"), std::string::npos) << asked[0].question;
    story.as_caller({.agent = {"olga"}, .is_operator = true, .role = OperatorRole::Operator})
        .ask(AnswerHumanTask{.id = asked[0].id, .decision = HumanDecision::Approve});
    ASSERT_NE(on_record(held), nullptr);
    EXPECT_EQ(on_record(held)->tokens, 1'200U);
}

TEST_F(Tree, G4_AnOverflowingCostIsNotASmallOne) {
    // 2^52 tokens at 4,096 each would be 2^64 millionths: 0, if truncated.
    allow({{{Rule::CostPerMillionTokens, {}}, 4'096'000'000}, {{Rule::CostPerRoot, {}}, 1'000}});
    delegate({.id = "d-1", .tokens = std::uint64_t{1} << 52U});
    EXPECT_EQ(story.refusal(), Refusal::BudgetCostExceeded);
}

TEST_F(Tree, X8_AnEstimateOverTheBudgetIsRefused) {
    story.ask(SendMessage{
        .envelope =
            envelope({.id = "d-1", .from = "prime", .to = "byte", .intent = Intent::Request}),
        .claim = std::make_shared<Claim>(Claim{.user = "u",
                                               .session = "s",
                                               .depth_max = 2,
                                               .tokens_max = 100,
                                               .tokens_estimated = 101,
                                               .has_session = true})});
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded);
    EXPECT_NE(why().find("Estimated tokens (101) exceeds budget (100)"), std::string::npos);
    story.ask(SendMessage{
        .envelope =
            envelope({.id = "d-2", .from = "prime", .to = "byte", .intent = Intent::Request}),
        .claim = std::make_shared<Claim>(Claim{.user = "u",
                                               .session = "s",
                                               .depth_max = 2,
                                               .tokens_estimated = 1,
                                               .has_session = true})});
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded) << "no budget is not any budget";
}

TEST_F(Tree, G4_BudgetsOfAgentUserAndHubRefillEachWindow) {
    const auto spend = [&](std::string id, std::string user, std::string session) {
        return delegate({.id = std::move(id),
                         .session = std::move(session),
                         .user = std::move(user),
                         .tokens = 600});
    };
    for (const Rule rule : {Rule::TokensPerAgent, Rule::TokensPerUser, Rule::TokensInTotal}) {
        allow({{{rule, {}}, 1'000}});
        const auto name = std::to_string(static_cast<int>(rule));
        ASSERT_NE(spend(name + "-1", "u", name + "-a"), Ticket{}) << why();
        spend(name + "-2", "u", name + "-b");
        EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded) << name;
        answer("byte", name + "-1", 600);
        spend(name + "-3", "u", name + "-c");
        EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded) << name << ": it is spent";
        story.later(Duration{86'399'999});
        spend(name + "-4", "u", name + "-d");
        EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded) << name << ": until the window";
        story.later(Duration{1});
        ASSERT_NE(spend(name + "-5", "u", name + "-e"), Ticket{}) << name << ": is over";
        answer("byte", name + "-5");
    }
}

TEST_F(Tree, G4_MoneyHasBudgetsOfADelegationAnAgentAUserAndTheHub) {
    for (const Rule rule :
         {Rule::CostPerDelegation, Rule::CostPerAgent, Rule::CostPerUser, Rule::CostInTotal}) {
        // At three a token, 1,000 millionths are 333 tokens.
        allow({{{rule, {}}, 1'000}, {{Rule::CostPerMillionTokens, {}}, 3'000'000}});
        const auto name = std::to_string(static_cast<int>(rule));
        const auto ask = [&](std::string id, std::uint64_t tokens) {
            return delegate(
                {.id = name + id, .session = name + "session" + id, .user = "u", .tokens = tokens});
        };
        ask("-1", 334);
        EXPECT_EQ(story.refusal(), Refusal::BudgetCostExceeded) << name;
        ASSERT_NE(ask("-2", 333), Ticket{}) << why();
        const auto more = ask("-3", 1);
        if (rule == Rule::CostPerDelegation) {
            EXPECT_NE(more, Ticket{}) << "each by itself";
            answer("byte", name + "-3");
        } else {
            EXPECT_EQ(story.refusal(), Refusal::BudgetCostExceeded) << name;
        }
        answer("byte", name + "-2", 300);
        if (rule != Rule::CostPerDelegation) {
            ask("-4", 34);
            EXPECT_EQ(story.refusal(), Refusal::BudgetCostExceeded) << name << ": 100 are left";
        }
        ASSERT_NE(ask("-5", 33), Ticket{}) << name;
        answer("byte", name + "-5");
        story.later(Duration{86'400'000});
    }
}

TEST_F(Tree, T14_G4_APlatformsLimitAppliesToTheTargetsPlatform) {
    story.ask(RegisterAgent{{"kay"}, {.dialect = Dialect::Kessel}});
    allow({{{Rule::TokensPerAgent, {ScopeKind::Platform, "kessel"}}, 50}});
    delegate({.id = "d-1", .to = "kay", .tokens = 51});
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded);
    EXPECT_NE(delegate({.id = "d-2", .to = "kay", .tokens = 50}), Ticket{});
    EXPECT_NE(delegate({.id = "d-3", .to = "byte", .tokens = 51}), Ticket{}) << "not of kessel";
}

TEST_F(Tree, X8_G4_SpendingRequestsOfEveryDialectAreHeldToTheBudgets) {
    const auto ask = [&](std::string id, std::uint64_t tokens) {
        story.ask(SendMessage{
            .envelope = envelope({.id = id,
                                  .from = "prime",
                                  .to = "byte",
                                  .correlation = id,
                                  .intent = Intent::Request}),
            .priority = Priority::High,
            .timeout = Duration{15'000},
            .claim = std::make_shared<Claim>(Claim{.objective_hash = id, .tokens_max = tokens})});
        return story.refusal();
    };
    EXPECT_EQ(ask("q-1", 0), Refusal::None);
    EXPECT_TRUE(story.happened<DelegationAdmitted>().empty()) << "nobody limits it";
    allow({{{Rule::TokensPerAgent, {}}, 2'000}});
    EXPECT_EQ(ask("q-2", 2'001), Refusal::BudgetTokensExceeded);
    EXPECT_EQ(ask("q-3", 0), Refusal::None) << "it has what is usual, 1,200";
    EXPECT_EQ(ask("q-4", 801), Refusal::BudgetTokensExceeded);
    EXPECT_EQ(ask("q-5", 0), Refusal::None) << "it has what is left, 800";
    EXPECT_EQ(ask("q-6", 0), Refusal::BudgetTokensExceeded);
}

TEST_F(Tree, G4_TokensCostThePriceOfTheirAgent) {
    allow({{{Rule::CostPerMillionTokens, {ScopeKind::Agent, "byte"}}, 3'000'000},
           {{Rule::CostPerRoot, {}}, 3'000}});
    // 1,000 tokens at 3 a million are 3,000 millionths.
    delegate({.id = "d-1", .tokens = 1'001});
    EXPECT_EQ(story.refusal(), Refusal::BudgetCostExceeded);
    EXPECT_NE(delegate({.id = "d-2", .tokens = 1'000}), Ticket{});
    EXPECT_NE(delegate({.id = "d-3", .to = "tag", .tokens = 1'000}), Ticket{}) << "tag is free";
    answer("byte", "d-2", 500);
    delegate({.id = "d-4", .objective = "more", .tokens = 501});
    EXPECT_EQ(story.refusal(), Refusal::BudgetCostExceeded);
    EXPECT_NE(delegate({.id = "d-5", .objective = "more", .tokens = 500}), Ticket{});
}

// --- users and tools -------------------------------------------------------------------------

TEST_F(Tree, X13_I3_AChainBelongsToOneUser) {
    delegate({.id = "d-1", .depth_max = 9});
    delegate({.id = "d-2",
              .from = "byte",
              .to = "tag",
              .session = "session of d-1",
              .user = "u-2",
              .objective = "sort",
              .depth_max = 9});
    EXPECT_EQ(story.refusal(), Refusal::UserIsolationViolated);
    delegate({.id = "d-3", .to = "tag", .user = "u-2"});
    EXPECT_EQ(story.refusal(), Refusal::UserIsolationViolated) << "the session is of u-1";
    delegate({.id = "d-4", .session = "s-2", .child = "session of d-1", .user = "u-2"});
    EXPECT_EQ(story.refusal(), Refusal::UserIsolationViolated) << "and so is its child";
}

TEST_F(Tree, X13_I3_ARequestWithoutAUserActsForTheTreesUser) {
    delegate({.id = "d-1", .depth_max = 9});
    const auto unnamed = delegate({.id = "d-2", .to = "tag", .user = "", .depth_max = 9});
    EXPECT_EQ(on_record(unnamed)->user, "u-1");
    delegate({.id = "d-3",
              .from = "tag",
              .to = "crystal",
              .session = "session of d-2",
              .user = "u-2",
              .objective = "sort",
              .depth_max = 9});
    EXPECT_EQ(story.refusal(), Refusal::UserIsolationViolated);
}

TEST_F(Tree, X13_I3_AnotherUsersSessionCannotBeTaken) {
    keep_session("chat of u-1", "u-1");
    // Neither as the session to work in nor as the session to ask from, for another user or for
    // none.
    for (const auto* user : {"u-2", ""}) {
        delegate({.id = std::string{"in it "} + user, .child = "chat of u-1", .user = user});
        EXPECT_EQ(story.refusal(), Refusal::UserIsolationViolated) << user;
        delegate({.id = std::string{"out of it "} + user, .session = "chat of u-1", .user = user});
        EXPECT_EQ(story.refusal(), Refusal::UserIsolationViolated) << user;
    }
    EXPECT_EQ(story.happened<MessageRefused>().size(), 1U) << "on record";
    EXPECT_TRUE(story.state().governor.lineage.delegations.empty());
    // The session's own user is not kept out.
    EXPECT_NE(delegate({.id = "d-1", .session = "chat of u-1"}), Ticket{}) << why();
    EXPECT_NE(delegate({.id = "d-2", .to = "tag", .session = "s-2", .child = "chat of u-1"}),
              Ticket{})
        << why();
}

TEST_F(Tree, X13_I3_ASessionThatAnotherUserAskedFromCannotBeTaken) {
    delegate({.id = "d-1", .session = "s-1"});
    delegate({.id = "d-2",
              .from = "ledger",
              .to = "tag",
              .session = "s-2",
              .child = "s-1",
              .user = "u-2"});
    EXPECT_EQ(story.refusal(), Refusal::UserIsolationViolated);
}

TEST_F(Tree, K23_X13_ASessionInUseForAnotherUserCannotBeWritten) {
    delegate({.id = "d-1", .session = "s-1", .child = "s-1-1"});
    for (const auto* session : {"s-1", "s-1-1"}) {
        story.as_caller({.agent = {"ledger"}, .users = {"u-2"}})
            .ask(WriteSession{.id = session, .user = "u-2"});
        EXPECT_EQ(story.refusal(), Refusal::SessionNotFound) << session;
        story.as_caller({.agent = {"prime"}, .users = {"u-1"}})
            .ask(WriteSession{.id = session, .user = "u-1"});
        EXPECT_EQ(story.refusal(), Refusal::None) << session;
    }
}

TEST_F(Tree, X13_I3_TheFirstUserNamedInATreeOwnsTheTree) {
    delegate({.id = "d-1", .user = "", .depth_max = 9});
    ASSERT_NE(delegate({.id = "d-2", .to = "tag", .user = "u-1"}), Ticket{});
    delegate({.id = "d-3",
              .from = "byte",
              .to = "crystal",
              .session = "session of d-1",
              .user = "u-2",
              .objective = "sort",
              .depth_max = 9});
    EXPECT_EQ(story.refusal(), Refusal::UserIsolationViolated);
}

TEST_F(Tree, X4_G6_AnAgentKeepsTheSessionItBegan) {
    ASSERT_NE(delegate({.id = "d-1"}), Ticket{});
    // Another agent names its delegate's session the same.
    ASSERT_NE(
        delegate({.id = "d-2", .from = "ledger", .to = "tag", .session = "s-2", .child = "s-1"}),
        Ticket{});
    EXPECT_NE(delegate({.id = "d-3", .to = "crystal"}), Ticket{}) << why();
}

TEST_F(Tree, X14_I4_ToolsAreAllowedAndGranted) {
    delegate({.id = "d-1", .tools = {"shell"}});
    EXPECT_EQ(story.refusal(), Refusal::ToolNotAllowed);
    for (const auto* alias : {"OCR", "ocr ", "0cr", "оcr"}) {
        delegate({.id = alias, .tools = {alias}});
        EXPECT_EQ(story.refusal(), Refusal::ToolNotAllowed) << alias;
    }
    ASSERT_NE(delegate({.id = "d-2", .depth_max = 9, .tools = {"ocr"}}), Ticket{});
    const auto below = [&](std::string id, std::vector<std::string> tools) {
        return delegate({.id = std::move(id),
                         .from = "byte",
                         .to = "tag",
                         .session = "session of d-2",
                         .objective = "part",
                         .depth_max = 9,
                         .tools = std::move(tools)});
    };
    below("d-3", {"sql"});
    EXPECT_EQ(story.refusal(), Refusal::ToolNotAllowed) << "tag may, but byte was not granted it";
    const auto last = below("d-4", {});
    EXPECT_EQ(on_record(last)->tools, std::vector<std::string>{"ocr"}) << "a grant is inherited";
}

TEST_F(Tree, T15_AllocatedTokensArePromisedOnce) {
    story.as_operator().ask(WriteAllocation{
        StateOperation::Create,
        "a",
        0,
        {.agent = "byte", .resource = "tokens", .limit = 1'000'000'000}});  // In millionths.
    ASSERT_EQ(story.refusal(), Refusal::None);
    story.as_the_hub();
    ASSERT_NE(delegate({.id = "d-1", .tokens = 700}), Ticket{});
    delegate({.id = "d-2", .session = "s-2", .tokens = 301});
    EXPECT_EQ(story.refusal(), Refusal::ResourceLimitExceeded);
    EXPECT_NE(delegate({.id = "d-3", .session = "s-2", .tokens = 300}), Ticket{});
    story.ask(answer_to("d-1", "byte", 100));
    ASSERT_EQ(story.happened<RequestAnswered>().size(), 1U);
    delegate({.id = "d-4", .session = "s-3", .tokens = 601});
    EXPECT_EQ(story.refusal(), Refusal::ResourceLimitExceeded) << "100 are used, 300 promised";
    EXPECT_NE(delegate({.id = "d-5", .session = "s-3", .tokens = 600}), Ticket{});
}

TEST_F(Tree, T15_ADelegationsCostIsChargedToTheMoneyAllocation) {
    allow({{{Rule::CostPerMillionTokens, {}}, 2'000'000}});
    story.as_operator().ask(WriteAllocation{
        StateOperation::Create, "a", 0, {.agent = "byte", .resource = "budget", .limit = 2'000}});
    ASSERT_EQ(story.refusal(), Refusal::None);
    story.as_the_hub();
    const auto consumed = [&] {
        return story.state().shared.allocations.at("a").allocation.consumed;
    };
    delegate({.id = "d-0", .tokens = 1'001});
    EXPECT_EQ(story.refusal(), Refusal::ResourceLimitExceeded) << "it may cost 2,002";
    delegate({.id = "d-1", .tokens = 1'000});
    delegate({.id = "d-2", .session = "s-2", .tokens = 1});
    EXPECT_EQ(story.refusal(), Refusal::ResourceLimitExceeded) << "all of it is promised";
    story.ask(answer_to("d-1", "byte", 100));
    EXPECT_EQ(consumed(), 200U) << "of 2,000 that were set aside for 1,000";
    delegate({.id = "d-3", .session = "s-2", .tokens = 901});
    EXPECT_EQ(story.refusal(), Refusal::ResourceLimitExceeded) << "1,800 are left";
    delegate({.id = "d-4", .session = "s-2", .tokens = 900});
    story.ask(answer_to("d-4", "byte", 5'000));
    EXPECT_EQ(consumed(), 2'000U) << "no more than was set aside";
    delegate({.id = "d-5", .session = "s-3", .tokens = 1});
    EXPECT_EQ(story.refusal(), Refusal::ResourceLimitExceeded);
}

TEST_F(Tree, X14_I4_AListOfNoToolsGrantsNone) {
    const auto first = delegate({.id = "d-1", .depth_max = 9, .limits_tools = true});
    EXPECT_TRUE(on_record(first)->limits_tools);
    story.as("byte").ask(AuthorizeTool{.agent = {"byte"}, .tool = "ocr"});
    EXPECT_EQ(story.refusal(), Refusal::ToolNotAllowed);
    story.as_the_hub();
    delegate({.id = "d-2",
              .from = "byte",
              .to = "tag",
              .session = "session of d-1",
              .objective = "part",
              .depth_max = 9,
              .tools = {"ocr"}});
    EXPECT_EQ(story.refusal(), Refusal::ToolNotAllowed) << "nor can it pass one on";
    const auto second = delegate({.id = "d-3",
                                  .from = "byte",
                                  .to = "tag",
                                  .session = "session of d-1",
                                  .objective = "part",
                                  .depth_max = 9});
    EXPECT_TRUE(on_record(second)->limits_tools) << "none is inherited as well";
    EXPECT_TRUE(on_record(second)->tools.empty());
}

// --- the grant delivered to a delegate -------------------------------------------------------

/// The grant in the last delivery of this message; empty if there was none.
Grant grant_with(const Story& story, std::string_view id) {
    for (const auto& deliver : story.asked_for<Deliver>()) {
        if (deliver.envelope->id() == id && deliver.grant) return *deliver.grant;
    }
    return {};
}

TEST_F(Tree, X4_X7_X8_X14_I2_ADelegateIsShownTheRecordedGrantAndNotTheRequestersText) {
    allow({{{Rule::DepthMax, {}}, 3}, {{Rule::DeadlineMsMax, {}}, 9'000}});
    story.connect("byte", 5);
    story.connect("tag", 5);
    const auto first = delegate({.id = "d-1", .depth_max = 10, .tokens = 500, .tools = {"ocr"}});
    const auto first_grant = grant_with(story, "d-1");
    EXPECT_EQ(first_grant.depth, 1U);
    EXPECT_EQ(first_grant.depth_max, 3U) << "the policy's";
    EXPECT_EQ(first_grant.deadline, story.now() + Duration{9'000});
    EXPECT_EQ(first_grant.left, Duration{9'000}) << "and not the 15,000 of its asker";
    EXPECT_EQ(first_grant.tokens, 500U);
    EXPECT_EQ(first_grant.tools, std::vector<std::string>{"ocr"});
    EXPECT_TRUE(first_grant.limits_tools);
    EXPECT_EQ(first_grant.user, "u-1");
    EXPECT_EQ(first_grant.session, "session of d-1");
    EXPECT_EQ(first_grant.parent, "prime");
    EXPECT_EQ(first_grant.parent_session, "s-1");
    EXPECT_EQ(first_grant.root, first);

    story.later(Duration{3'000});
    delegate({.id = "d-2",
              .from = "byte",
              .to = "tag",
              .session = "session of d-1",
              .objective = "sort",
              .depth_max = 10});
    const auto second_grant = grant_with(story, "d-2");
    EXPECT_EQ(second_grant.depth, 2U);
    EXPECT_EQ(second_grant.depth_max, 3U);
    EXPECT_EQ(second_grant.deadline, first_grant.deadline) << "no longer than its parent has";
    EXPECT_EQ(second_grant.left, Duration{6'000});
    EXPECT_EQ(second_grant.tokens, 0U) << "none are set aside";
    EXPECT_EQ(second_grant.tools, std::vector<std::string>{"ocr"}) << "no more than its parent has";
    EXPECT_EQ(second_grant.parent, "byte");
    EXPECT_EQ(second_grant.parent_session, "session of d-1");
    EXPECT_EQ(second_grant.root, first);
}

TEST_F(Tree, X7_ARetryIsShownTheTimeLeftAtThatMoment) {
    story.connect("byte", 5);
    delegate({.id = "d-1"});
    ASSERT_EQ(grant_with(story, "d-1").left, Duration{15'000});
    story.nack(story.last_delivery());
    story.later(Duration{5'000}).tick();
    EXPECT_EQ(grant_with(story, "d-1").left, Duration{10'000});
}

TEST_F(Tree, D9_AnswersAndMessagesInNoTreeHaveNoGrant) {
    for (const auto* agent : {"prime", "byte"}) story.connect(agent, 5);
    delegate({.id = "d-1"});
    story.request({.id = "plain", .from = "prime", .to = "byte"});
    ASSERT_EQ(story.delivered(), Ids{"plain"});
    EXPECT_EQ(story.asked_for<Deliver>()[0].grant, nullptr);
    story.send({.id = "news", .from = "prime", .to = "byte"});
    EXPECT_EQ(story.asked_for<Deliver>()[0].grant, nullptr);
    answer("byte", "d-1");
    ASSERT_EQ(story.delivered(), Ids{"answer to d-1"});
    EXPECT_EQ(story.asked_for<Deliver>()[0].grant, nullptr);
    delegate({.id = "d-2", .objective = "another"});
    story.later(Duration{15'000}).tick();
    ASSERT_EQ(story.delivered(), Ids{"d-2"}) << "the hub's own word about it";
    EXPECT_EQ(story.asked_for<Deliver>()[0].grant, nullptr);
}

// --- rates -----------------------------------------------------------------------------------

TEST_F(Tree, T14_X13_RequestsForAUserAreCountedByThatUserAndTheMinute) {
    allow({{{Rule::RequestsPerUserMinute, {}}, 2}});
    ASSERT_NE(delegate({.id = "d-1", .objective = "a"}), Ticket{});
    ASSERT_NE(delegate({.id = "d-2", .from = "tag", .session = "s-2", .objective = "b"}), Ticket{});
    EXPECT_EQ(delegate({.id = "d-3", .to = "crystal", .objective = "c"}), Ticket{});
    EXPECT_EQ(story.refusal(), Refusal::RateLimitExceeded);
    ASSERT_NE(delegate({.id = "d-4", .session = "s-3", .user = "u-2"}), Ticket{})
        << "another user has a minute of its own (G6)";
    story.later(Duration{60'000}).tick();
    EXPECT_NE(delegate({.id = "d-3", .to = "crystal", .objective = "c"}), Ticket{});
}

/// All requests for the user count, whichever agent is limited.
TEST_F(Tree, T14_RequestsForAUserCanBeLimitedForOneAgentAlone) {
    for (const auto& scope :
         {Scope{ScopeKind::Agent, "tag"}, Scope{ScopeKind::Platform, "taskwire"}}) {
        allow({{{Rule::RequestsPerUserMinute, scope}, 1}});
        ASSERT_NE(delegate({.id = "d-1" + scope.name, .from = "tag", .session = "s" + scope.name}),
                  Ticket{});
        EXPECT_EQ(delegate({.id = "d-2" + scope.name,
                            .from = "tag",
                            .session = "s" + scope.name,
                            .objective = "other"}),
                  Ticket{});
        EXPECT_EQ(story.refusal(), Refusal::RateLimitExceeded) << scope.name;
        story.later(Duration{60'000}).tick();
    }
    allow({{{Rule::RequestsPerUserMinute, {ScopeKind::Agent, "tag"}}, 1}});
    for (const auto* id : {"e-1", "e-2"}) {
        EXPECT_NE(delegate({.id = id, .session = "s-9", .objective = id}), Ticket{})
            << "it is about tag";
    }
}

TEST_F(Tree, G7_IdleUsersAreForgotten) {
    allow({{{Rule::RequestsPerUserMinute, {}}, 9}, {{Rule::BudgetWindowMs, {}}, 60'000}});
    const auto& governor = story.state().governor;
    for (int i = 0; i < 40; ++i) {
        const auto name = std::to_string(i);
        delegate({.id = "d-" + name, .session = "s-" + name, .user = "u-" + name, .tokens = 10});
        answer("byte", "d-" + name, 7);
        story.later(Duration{30'000}).tick();
    }
    // The users of this half minute and of the one before; besides them, the hub and the target.
    EXPECT_EQ(governor.rates.by_name.size(), 2U);
    EXPECT_EQ(governor.lineage.accounts.by_name.size(), 4U);
    EXPECT_TRUE(governor.lineage.accounts.by_name.contains("user u-39"));
}

TEST_F(Tree, G4_ReservationsOutliveTheirBudgetWindow) {
    allow({{{Rule::BudgetWindowMs, {}}, 1'000}, {{Rule::TokensPerUser, {}}, 1'000}});
    delegate({.id = "d-1", .tokens = 700});
    story.later(Duration{5'000}).tick();
    delegate({.id = "d-2", .session = "s-2", .user = "u-2", .tokens = 10});
    EXPECT_EQ(delegate({.id = "d-3", .session = "s-3", .objective = "other", .tokens = 301}),
              Ticket{});
    EXPECT_EQ(story.refusal(), Refusal::BudgetTokensExceeded);
    EXPECT_NE(delegate({.id = "d-4", .session = "s-3", .objective = "other", .tokens = 300}),
              Ticket{});
}

}  // namespace
}  // namespace parlance::core
