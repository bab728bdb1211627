// What is asked of several, given to whoever is chosen, or passed on when somebody says no is held
// to the same guards as a request that is made of one.
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/admission.h"
#include "core/inspect.h"
#include "core/testing/plain_scribe.h"
#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

/// What a request says of the delegation that it is.
struct Errand {
    std::string id = "job";
    std::string from = "a";
    std::string to;
    std::string user{};
    std::string session{};
    std::string objective = "sort";
    std::uint64_t tokens_max = 100;
    std::uint32_t depth_max = 9;
    std::string tool{};
    Priority priority = Priority::High;
};

class Guarded : public ::testing::Test {
  public:
    Guarded() {
        story.limits().heartbeat_timeout = 1h;
        story.limits().lease = 1h;
        for (const auto* agent : {"a", "b", "c", "d"}) {
            story.ask(RegisterAgent{{agent}, {.tools_allowed = {"ocr"}}});
            story.connect(agent, 10);
        }
    }
    void allow(const Settings& settings) {
        story.as_operator().ask(ChangePolicy{.settings = print_policy(settings), .reason = "test"});
        ASSERT_EQ(story.happened<PolicyChanged>().size(), 1U);
    }
    static Settings without_chain(const std::string& chain) {
        return {{{Rule::ChainEnabled, {ScopeKind::Chain, chain}}, 0}};
    }
    static SendMessage message(const Errand& errand) {
        const Letter letter{
            .id = errand.id,
            .from = errand.from,
            .to = errand.to,
            .correlation = errand.id,
            .intent = Intent::Request,
            .body = fmt::format(
                R"({{"delegation":{{"user":"{}","session":"{}","child_session":"of {}",)"
                R"("objective":"{}","tokens_max":{},"depth_max":{},"tool":"{}"}}}})",
                errand.user,
                errand.session,
                errand.id,
                errand.objective,
                errand.tokens_max,
                errand.depth_max,
                errand.tool)};
        SendMessage send{.envelope = envelope(letter),
                         .priority = errand.priority,
                         .timeout = 60s,
                         .fingerprint = fingerprint(letter)};
        send.claim = PlainScribe{}.claim(*send.envelope);
        return send;
    }
    /// By the sender itself, with these grants.
    Guarded& ask(const Errand& errand, std::vector<std::string> users = {"u1"}) {
        story.as_caller({.agent = {errand.from}, .users = std::move(users)});
        story.ask(message(errand));
        return look();
    }
    Guarded& look() {
        for (const auto& deliver : story.asked_for<Deliver>()) {
            const auto ticket = deliver.delivery.ticket;
            const auto* found = broker::find_message(story.state().broker, ticket);
            if (found == nullptr) continue;
            const auto& to = story.state().registry.agents[found->mailbox].id.value;
            held[to] = deliver;
        }
        return *this;
    }
    bool has(const std::string& agent, const std::string& id) const {
        const auto found = held.find(agent);
        return found != held.end() && found->second.envelope->id() == id;
    }
    Guarded& answer(const std::string& agent,
                    const std::string& body = "{}",
                    AnswerKind kind = AnswerKind::Done) {
        const auto deliver = held.extract(agent).mapped();
        const Letter letter{.id = fmt::format("r{}", ++answers),
                            .from = agent,
                            .to = std::string{deliver.envelope->from()},
                            .correlation = std::string{deliver.envelope->correlation()},
                            .intent = Intent::Reply,
                            .body = body};
        story.as(agent).ask(ReplyToDelivery{.delivery = deliver.delivery,
                                            .envelope = envelope(letter),
                                            .falls_short = kind != AnswerKind::Done,
                                            .kind = kind});
        return look();
    }
    Guarded& decline(const std::string& agent) { return answer(agent, "{}", AnswerKind::Declined); }
    Guarded& propose(const std::string& agent, int cost) {
        return answer(agent, fmt::format(R"({{"cost":{}}})", cost));
    }
    std::uint64_t reserved(std::string_view agent) {
        const auto name = governor::agent_account(agent);
        const auto& accounts = story.state().governor.lineage.accounts;
        return governor::purse_at(accounts, name, story.now(), 1h).reserved;
    }
    std::string refused_with() {
        const auto refused = story.happened<MessageRefused>();
        return refused.empty() ? std::string{} : refused.front().detail;
    }

    Story story;
    std::map<std::string, Deliver> held;
    int answers = 0;
};

// --- passed on ---------------------------------------------------------------------------------

class PassedOn : public Guarded {
  protected:
    /// A call for help, and where it goes if it is refused.
    PassedOn& help(Errand errand, Passing passing) {
        auto send = message(errand);
        send.passing = std::make_shared<const Passing>(std::move(passing));
        story.as(errand.from).ask(std::move(send));
        look();
        return *this;
    }
};

TEST_F(PassedOn, T14_WhatOneDeclinesGoesToNobodyWhoMayNotBeAsked) {
    allow(without_chain("a>c"));
    help({.to = "b"}, {.fallback = "c"});
    ASSERT_TRUE(has("b", "job"));
    decline("b");
    EXPECT_FALSE(held.contains("c")) << "the policy does not enable a>c";
    EXPECT_TRUE(has("a", "r1")) << "nobody is left: this is the answer";
}

TEST_F(PassedOn, T14_OfThoseWhoCanOneWhoMayBeAskedIsNext) {
    allow(without_chain("a>c"));
    for (const auto* agent : {"b", "c", "d"}) {
        story.as_the_hub().ask(RegisterAgent{{agent}, {.capabilities = R"([{"code":"FIX"}])"}});
    }
    help({.to = "capability:FIX"}, {});
    ASSERT_TRUE(has("b", "job"));
    decline("b");
    EXPECT_FALSE(held.contains("c"));
    EXPECT_TRUE(has("d", "job"));
}

TEST_F(PassedOn, G3_X6_WhatOneDeclinesDoesNotComeRoundInARing) {
    ask({.id = "top", .to = "b", .session = "s", .objective = "ring"});
    help({.id = "on", .from = "b", .to = "c", .session = "of top", .objective = "ring"},
         {.fallback = "a"});
    ASSERT_TRUE(has("c", "on"));
    decline("c");
    EXPECT_FALSE(has("a", "on")) << "it is at work on this further up";
    EXPECT_TRUE(has("b", "r1"));
}

TEST_F(PassedOn, G4_WhatOneDeclinesGoesToWhosePurseHasEnough) {
    allow({{{Rule::TokensPerAgent, {ScopeKind::Agent, "c"}}, 50}});
    help({.to = "b", .session = "s"}, {.fallback = "c"});
    ASSERT_EQ(reserved("b"), 100U);
    decline("b");
    EXPECT_FALSE(held.contains("c"));
    EXPECT_EQ(reserved("c"), 0U);
}

TEST_F(PassedOn, X14_WhatOneDeclinesGoesToWhoMayUseItsTools) {
    story.as_the_hub().ask(RegisterAgent{{"c"}, {.tools_allowed = {"pen"}}});
    help({.to = "b", .session = "s", .tool = "ocr"}, {.fallback = "c"});
    decline("b");
    EXPECT_FALSE(held.contains("c"));
    EXPECT_TRUE(has("a", "r1"));
}

TEST_F(PassedOn, G5_WhatOneDeclinesGoesToNobodyWhoIsLeftAlone) {
    allow({{{Rule::BreakerFailures, {}}, 1}});
    ask({.id = "first", .to = "c"});
    answer("c", "{}", AnswerKind::Failed);
    ASSERT_EQ(governor::stage_of(story.state().governor.breakers,
                                 registry::find_agent(story.state().registry, "c")),
              governor::BreakerStage::Open);
    help({.to = "b"}, {.fallback = "c"});
    decline("b");
    EXPECT_TRUE(story.happened<MessageMoved>().empty());
    EXPECT_TRUE(has("a", "r2")) << "nobody is left: this is the answer";
}

TEST_F(PassedOn, T3_ATaskThatOneDeclinesIsNotOfferedToWhoGaveIt) {
    Errand errand{.id = "task", .from = "d", .to = "b"};
    auto task = message(errand);
    auto header = task.envelope->header();
    header.task = "t";
    task.envelope = Envelope::make(header, task.envelope->body());
    story.as("d").ask(task);
    look();
    auto over = message({.id = "over", .from = "b", .to = "c"});
    header = over.envelope->header();
    header.task = "t";
    over.envelope = Envelope::make(header, over.envelope->body());
    over.passing = std::make_shared<const Passing>(Passing{.hands_over = true, .fallback = "d"});
    story.as("b").ask(over);
    look();
    ASSERT_TRUE(has("c", "over"));
    decline("c");
    EXPECT_FALSE(has("d", "over"));
}

}  // namespace
}  // namespace parlance::core
