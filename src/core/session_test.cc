// Sessions and facts kept of a user, and who may see them.
#include <gtest/gtest.h>

#include "core/testing/story.h"

namespace parlance::core {
namespace {

class Session : public testing::Test {
  protected:
    Session() {
        story.agent("alice").agent("bob");
        as_agent("alice", {"u"}).ask(WriteSession{.id = "s", .user = "u", .history = "h-1"});
    }

    Story& as_agent(const std::string& name, std::vector<std::string> users) {
        return story.as_caller(Caller{.agent = {name}, .users = std::move(users)});
    }
    Story& as_user(const std::string& name) { return story.as_caller(Caller{.user = name}); }

    const shared::Session& now() { return story.state().shared.sessions.at("s"); }

    Story story;
};

TEST_F(Session, K23_AWriteChangesTheReportedPartsAndKeepsTheRest) {
    as_agent("alice", {"u"})
        .ask(WriteSession{
            .id = "s", .workflow = R"({"step":2})", .agent = "alice", .agent_state = "1"});
    as_agent("bob", {"*"}).ask(WriteSession{.id = "s", .agent = "bob", .agent_state = "2"});
    EXPECT_EQ(now().user, "u");
    EXPECT_EQ(now().history, "h-1");
    EXPECT_EQ(now().workflow, R"({"step":2})");
    EXPECT_EQ(now().agents.at("alice"), "1");
    EXPECT_EQ(now().agents.at("bob"), "2");
    EXPECT_EQ(now().version, 3U);
    story.restart();
    EXPECT_EQ(now().version, 3U);
}

TEST_F(Session, K23_AnAgentReportsOnlyItsOwnPart) {
    as_agent("bob", {"u"}).ask(WriteSession{.id = "s", .agent = "alice", .agent_state = "0"});
    EXPECT_EQ(story.refusal(), Refusal::IdentityMismatch);
    EXPECT_TRUE(now().agents.empty());
}

TEST_F(Session, X13_IsHiddenFromCallersWhoMayNotActForItsUser) {
    const auto is_hidden = [&] {
        story.ask(WriteSession{.id = "s", .workflow = "{}"});
        EXPECT_EQ(story.refusal(), Refusal::SessionNotFound);
        const auto words = story.asked_for<TellRefused>().front().detail;
        story.ask(AddFacts{"s", {{.kind = "fact", .about = "a", .value = "1"}}});
        EXPECT_EQ(story.refusal(), Refusal::SessionNotFound);
        EXPECT_EQ(story.asked_for<TellRefused>().front().detail, words);
        story.ask(KeepAnalysis{.session = "s", .key = "k", .result = "1"});
        EXPECT_EQ(story.refusal(), Refusal::SessionNotFound);
    };
    as_user("v");
    is_hidden();
    as_agent("bob", {"v"});
    is_hidden();
    as_agent("alice", {"u", "v"}).ask(WriteSession{.id = "s", .user = "v"});
    EXPECT_EQ(story.refusal(), Refusal::SessionNotFound) << "and it does not change hands";
    as_user("u").ask(WriteSession{.id = "s", .workflow = "{}"});
    EXPECT_EQ(story.refusal(), Refusal::None);
}

TEST_F(Session, K24_AFactBelongsToTheUserAndKeepsItsSource) {
    as_agent("alice", {"u"})
        .ask(AddFacts{"s",
                      {{.kind = "decision",
                        .about = "supplier",
                        .value = R"("Acme")",
                        .agent = "alice",
                        .source = "m-1"},
                       {.kind = "constraint", .about = "budget", .value = "5000"}}});
    const auto& facts = story.state().shared.facts.at("u");
    ASSERT_EQ(facts.size(), 2U);
    EXPECT_EQ(facts[0].fact.value, R"("Acme")");
    EXPECT_EQ(facts[0].fact.source, "m-1");
    EXPECT_EQ(facts[0].session, "s");
    EXPECT_EQ(facts[0].at, story.now());
    EXPECT_EQ(facts[1].fact.kind, "constraint");
}

TEST_F(Session, K24_AnAnalysisIsKeptByKeyAndTheLastResultCounts) {
    as_agent("alice", {"u"});
    story.ask(KeepAnalysis{.session = "s", .key = "k", .capability = "npv", .result = "1"});
    story.later(std::chrono::hours{1});
    story.ask(KeepAnalysis{.session = "s", .key = "k", .capability = "npv", .result = "2"});
    ASSERT_EQ(now().analyses.size(), 1U);
    EXPECT_EQ(now().analyses.at("k").result, "2");
    EXPECT_EQ(now().analyses.at("k").at, story.now());
}

/// A request of alice to bob for user u.
SendMessage request_for_user(const std::string& id) {
    return {.envelope = envelope({.id = id, .intent = Intent::Request}),
            .priority = Priority::High,
            .claim = std::make_shared<Claim>(Claim{.user = "u",
                                                   .session = "root",
                                                   .child_session = "child of " + id,
                                                   .objective = "find out",
                                                   .objective_hash = "hash of " + id,
                                                   .depth_max = 2,
                                                   .has_session = true})};
}

TEST_F(Session, X2_FactsLearntByAnAnswerBecomeTheUsers) {
    story.as_the_hub().connect("bob", 9);
    story.ask(request_for_user("q"));
    const Letter reply{
        .id = "r", .from = "bob", .to = "alice", .intent = Intent::Reply, .answers = "q"};
    story.ask(ReplyToDelivery{.delivery = story.last_delivery(),
                              .envelope = envelope(reply),
                              .facts = {R"("likes trains")"}});
    ASSERT_EQ(story.happened<FactLearnt>().size(), 1U);
    const auto& fact = story.state().shared.facts.at("u").front();
    EXPECT_EQ(fact.fact.value, R"("likes trains")");
    EXPECT_EQ(fact.fact.agent, "bob");
    EXPECT_EQ(fact.fact.source, "q");
}

TEST_F(Session, X2_NoFactIsLearntFromAnAnswerThatDoesNotDoTheWork) {
    story.as_the_hub().connect("bob", 9);
    for (const auto kind : {AnswerKind::Failed, AnswerKind::Declined, AnswerKind::Done}) {
        for (const bool is_by_delivery : {true, false}) {
            const auto id = std::to_string(static_cast<int>(kind)) + (is_by_delivery ? "d" : "m");
            story.ask(request_for_user(id));
            ASSERT_EQ(story.delivered().size(), 1U);
            const auto reply = envelope({.id = "r-" + id,
                                         .from = "bob",
                                         .to = "alice",
                                         .intent = Intent::Reply,
                                         .answers = id});
            if (is_by_delivery) {
                story.ask(ReplyToDelivery{.delivery = story.last_delivery(),
                                          .envelope = reply,
                                          .falls_short = kind != AnswerKind::Done,
                                          .kind = kind,
                                          .facts = {R"("likes trains")"}});
            } else {
                story.ask(SendMessage{.envelope = reply,
                                      .falls_short = kind != AnswerKind::Done,
                                      .kind = kind,
                                      .facts = {R"("likes trains")"}});
            }
            EXPECT_EQ(story.happened<RequestAnswered>().size(), 1U);
            EXPECT_EQ(story.happened<FactLearnt>().size(), kind == AnswerKind::Done ? 1U : 0U)
                << id;
        }
    }
}

TEST_F(Session, X13_MessagesOtherThanRequestsKeepUsersApartToo) {
    int count = 0;
    const auto tell = [&](const std::string& user, const std::string& session) {
        const auto id = "m-" + std::to_string(++count);
        story.ask(
            SendMessage{.envelope = envelope({.id = id}),
                        .claim = std::make_shared<Claim>(Claim{.user = user, .session = session})});
        return story.refusal();
    };
    as_agent("alice", {"*"});
    EXPECT_EQ(tell("u", "s"), Refusal::None);
    EXPECT_EQ(tell("v", "s"), Refusal::UserIsolationViolated) << "the session is u's";
    EXPECT_EQ(tell("v", "another"), Refusal::None);
    EXPECT_EQ(tell("v", ""), Refusal::None);
    as_agent("alice", {"u"});
    EXPECT_EQ(tell("u", ""), Refusal::None);
    EXPECT_EQ(tell("v", ""), Refusal::UserIsolationViolated) << "she has no grant for v";
    EXPECT_EQ(tell("", "s"), Refusal::None) << "who names nobody speaks of nobody";
}

TEST_F(Session, X13_ARequestCannotCiteAnotherUsersSources) {
    as_agent("bob", {"v"}).ask(WriteSession{.id = "of v", .user = "v"});
    story.restart();
    story.as_the_hub().connect("bob", 9);
    int count = 0;
    const auto refer_to = [&](const std::string& owner) {
        auto send = request_for_user("q-" + std::to_string(++count));
        auto claim = *send.claim;
        claim.owners = {"company", "user:", owner};
        send.claim = std::make_shared<Claim>(std::move(claim));
        story.as_the_hub().ask(std::move(send));
        return story.refusal();
    };
    for (const auto* owner : {"v",
                              " v",
                              "user:v",
                              "User:v",
                              "USER:v",
                              " user:v",
                              "user: v ",
                              "user :v",
                              "ｕｓｅｒ：v",
                              "user:U",
                              "user:never heard of"}) {
        EXPECT_EQ(refer_to(owner), Refusal::UserIsolationViolated) << owner;
    }
    for (const auto* owner :
         {"u", "user:u", "User: u", "user", "users:v", "public", "", "never heard of"}) {
        EXPECT_EQ(refer_to(owner), Refusal::None) << owner;
        story.ask(ReplyToDelivery{.delivery = story.last_delivery(),
                                  .envelope = envelope({.id = "r " + std::string{owner},
                                                        .from = "bob",
                                                        .to = "",
                                                        .intent = Intent::Reply}),
                                  .facts = {R"("known")"},
                                  .owners = {owner}});
        EXPECT_EQ(story.happened<FactLearnt>().size(), 1U) << owner;
    }
}

TEST_F(Session, X13_NoFactIsLearntFromAnotherUsersSources) {
    as_agent("bob", {"v"}).ask(WriteSession{.id = "of v", .user = "v"});
    story.as_the_hub().connect("bob", 9);
    for (const auto* owner : {"v", "user:v"}) {
        story.ask(request_for_user(owner));
        ASSERT_EQ(story.delivered().size(), 1U);
        story.ask(ReplyToDelivery{.delivery = story.last_delivery(),
                                  .envelope = envelope({.id = "r " + std::string{owner},
                                                        .from = "bob",
                                                        .to = "",
                                                        .intent = Intent::Reply}),
                                  .facts = {R"("has a debt")"},
                                  .owners = {"company", "user: ", owner}});
        EXPECT_EQ(story.happened<RequestAnswered>().size(), 1U) << "the answer counts";
        EXPECT_TRUE(story.happened<FactLearnt>().empty());
        EXPECT_EQ(story.happened<FactsWithheld>().size(), 1U) << "and that is on record";
    }
}

TEST_F(Session, X13_NoFactIsLearntFromAnAnswerBuiltOnAnotherUsersSources) {
    story.as_the_hub().ask(RegisterAgent{{"carol"}, {}});
    const auto ask = [&](const char* id, const char* from, const char* to, const char* session) {
        story.ask(SendMessage{
            .envelope = envelope({.id = id, .from = from, .to = to, .intent = Intent::Request}),
            .priority = Priority::High,
            .claim = std::make_shared<Claim>(Claim{.user = "u",
                                                   .session = session,
                                                   .child_session = std::string{"child of "} + id,
                                                   .objective = "find out",
                                                   .objective_hash = id,
                                                   .depth_max = 9,
                                                   .has_session = true})});
        ASSERT_EQ(story.refusal(), Refusal::None);
    };
    const auto answer = [&](const char* id, const char* by, std::vector<std::string> owners) {
        auto send = answer_to(id, by);
        send.facts = {R"("has a debt")"};
        send.owners = std::move(owners);
        story.ask(send);
        return story.happened<FactLearnt>().size();
    };
    ask("q", "alice", "bob", "root");
    ask("part", "bob", "carol", "child of q");
    EXPECT_EQ(answer("part", "carol", {"user:v"}), 0U);
    EXPECT_EQ(answer("q", "bob", {}), 0U) << "it was made of that";
    ask("other", "alice", "bob", "another root");
    EXPECT_EQ(answer("other", "bob", {}), 1U);
}

}  // namespace
}  // namespace parlance::core
