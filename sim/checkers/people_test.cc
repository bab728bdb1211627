// People's approvals and notifications as the checkers see them: W9 of budgets, S13 of notices, and
// I4 of the tools that an operator allows.
#include <gtest/gtest.h>

#include "sim/testing/chronicle.h"

namespace parlance::sim {
namespace {

using namespace std::chrono_literals;

/// A request for 900 tokens held for approval: one person decides up to 1,000 tokens, two beyond.
struct ApprovedRequest {
    Chronicle life;
    Ticket request;
    Ticket human_task;

    explicit ApprovedRequest(std::uint32_t approvals_needed = 1) {
        life.record(
            PolicyChanged{.version = 1, .settings = "hub risk_high 1000\nhub risk_low 500\n"});
        request = life.accept({.id = "q", .intent = Intent::Request},
                              {.priority = Priority::High, .is_held = true});
        life.record(RequestHeld{.request = request, .tokens_max = 900});
        human_task = {(life.history.journal.size() + 1) * 1024};
        life.record(HumanAsked{.id = human_task,
                               .request = request,
                               .asked_by = "alice",
                               .deadline_ms = 1'000,
                               .approvals_needed = approvals_needed});
    }
    ApprovedRequest& approve(const std::string& who,
                             std::uint64_t tokens,
                             bool awaits_another = false) {
        life.record(HumanAnswered{
            .id = human_task, .by = who, .awaits_another = awaits_another, .tokens = tokens});
        return *this;
    }
    /// Releases the request, with `read` tokens in its new body if not 0, and admits `admitted`
    /// tokens.
    ApprovedRequest& release(std::uint64_t admitted, std::uint64_t read = 0) {
        RequestReleased released{.request = request, .by = "ann"};
        if (read > 0) {
            released.envelope =
                envelope({.id = "q",
                          .intent = Intent::Request,
                          .body = R"({"tokens_max":)" + std::to_string(read) + "}"});
        }
        life.record(released);
        life.record(DelegationAdmitted{.request = request,
                                       .root = request,
                                       .session = "s",
                                       .depth = 1,
                                       .depth_max = 2,
                                       .tokens = admitted,
                                       .is_granted = true});
        return *this;
    }
    bool breaks() const { return life.breaks("W9"); }
};

TEST(W9, HoldsWhenTheApprovedBudgetIsAdmitted) {
    EXPECT_FALSE(ApprovedRequest{}.approve("ann", 0).release(900).breaks());
    EXPECT_FALSE(ApprovedRequest{}.approve("ann", 400).release(400, 400).breaks());
    EXPECT_FALSE(ApprovedRequest{2}
                     .approve("ann", 2'000, true)
                     .approve("bea", 2'000)
                     .release(2'000, 2'000)
                     .breaks());
}

TEST(W9, IsBrokenByABudgetOtherThanApproved) {
    EXPECT_TRUE(ApprovedRequest{}.approve("ann", 400).release(900, 400).breaks()) << "admitted";
    EXPECT_TRUE(ApprovedRequest{}.approve("ann", 400).release(400, 900).breaks()) << "read";
    EXPECT_TRUE(ApprovedRequest{}.approve("ann", 400).release(400).breaks())
        << "read as it was asked";
}

TEST(W9, IsBrokenByTwoApprovalsOfDifferentBudgets) {
    EXPECT_TRUE(
        ApprovedRequest{2}.approve("ann", 0, true).approve("bea", 400).release(400, 400).breaks());
}

TEST(W9, IsBrokenByOneApprovalOfABudgetForTwo) {
    EXPECT_FALSE(ApprovedRequest{}.approve("ann", 1'000).release(1'000, 1'000).breaks());
    EXPECT_TRUE(ApprovedRequest{}.approve("ann", 1'001).release(1'001, 1'001).breaks());
}

TEST(W9, IsBrokenByAStartBeforeTheApproval) {
    ApprovedRequest early;
    early.life.record(LeaseGranted{.ticket = early.request, .instance = {1}, .attempt = 1});
    EXPECT_TRUE(early.breaks());
    ApprovedRequest unasked;
    EXPECT_TRUE(unasked.release(900).breaks());
}

/// A human task of a role, and the steps of its notification.
struct Question {
    Chronicle life;
    Ticket id;
    Sequence news;

    Question() {
        id = {(life.history.journal.size() + 1) * 1024};
        news = life.record(HumanAsked{.id = id, .role = "legal", .deadline_ms = 100'000});
    }
    Question& announce() {
        life.show(NotifyPeople{.id = id, .role = "legal", .news = news});
        return *this;
    }
    Question& remind() {
        news = life.record(HumanReminded{.id = id});
        return *this;
    }
    Question& tell() {
        life.history.told_people.push_back({id, news});
        return *this;
    }
    Question& note() {
        life.record(HumanNotified{id});
        return *this;
    }
    Question& restart() {
        life.record(HubStarted{});
        return *this;
    }
    bool breaks() const { return life.breaks("S13"); }
};

TEST(S13, HoldsWhenPeopleAreNotifiedOnceAndOnRecord) {
    EXPECT_FALSE(Question{}.announce().tell().note().restart().breaks());
    EXPECT_FALSE(Question{}.announce().restart().announce().tell().note().breaks());
    EXPECT_FALSE(Question{}.restart().announce().breaks()) << "the first process ended too soon";
}

TEST(S13, IsBrokenByAMissingNotification) {
    EXPECT_TRUE(Question{}.breaks());
    EXPECT_TRUE(Question{}.announce().restart().breaks()) << "nor by the next process";
    EXPECT_TRUE(Question{}.announce().tell().note().remind().breaks());
}

TEST(S13, IsBrokenByASecondNotification) {
    EXPECT_TRUE(Question{}.announce().tell().note().restart().announce().breaks());
}

TEST(S13, IsBrokenByARecordWithoutANotification) {
    EXPECT_TRUE(Question{}.announce().note().breaks());
    EXPECT_TRUE(Question{}.announce().tell().remind().announce().note().breaks())
        << "they were told of what was before";
    EXPECT_TRUE(Question{}.announce().tell().note().note().breaks()) << "twice";
}

TEST(S13, IsBrokenByNotifyingAnotherRoleOrBeforeDurability) {
    Question others;
    others.life.show(NotifyPeople{.id = others.id, .role = "finance", .news = others.news});
    EXPECT_TRUE(others.breaks());
    Question early;
    early.announce();
    early.life.history.shown.back().durable = {early.news.value - 1};
    EXPECT_TRUE(early.breaks());
}

TEST(I4, IsBrokenByAToolThatAnAgentGivesItself) {
    const auto widens = [](bool leaves) {
        Chronicle life;
        life.record(AgentRegistered{
            .agent = {"bob"}, .profile = {.tools_allowed = {"ocr"}}, .binds_tools = true});
        if (leaves) life.record(AgentRemoved{{"bob"}});
        life.record(AgentRegistered{{"bob"}, {.tools_allowed = {"ocr"}}});
        if (life.breaks("I4")) return false;
        life.record(AgentRegistered{{"bob"}, {.tools_allowed = {"ocr", "sql"}}});
        return life.breaks("I4");
    };
    EXPECT_TRUE(widens(false));
    EXPECT_TRUE(widens(true)) << "to go and come back is no way around it";
}

}  // namespace
}  // namespace parlance::sim
