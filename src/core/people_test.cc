// Human tasks: who may answer, once only, and what follows if nobody does (S13, W9).
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

Caller person(std::string name, std::vector<std::string> groups = {}) {
    return {.agent = {std::move(name)},
            .is_operator = true,
            .role = OperatorRole::Operator,
            .groups = std::move(groups)};
}

class People : public Story {
  public:
    People() {
        limits().people["compliance"] = {.deadline = 1h, .reminder = 30min};
        limits().people["finance"] = {};
        agent("buyer");
    }

    /// Asks as the agent "buyer"; returns the id of the human task.
    Ticket ask_people(HumanQuestion question) {
        if (question.text.empty()) question.text = "May the vendor be paid?";
        as("buyer").ask(OpenHumanTask{std::move(question)});
        const auto told = asked_for<TellAsked>();
        return told.empty() ? Ticket{} : told.front().id;
    }
    /// Asks by a message; returns the ticket of the request.
    Ticket ask_by_message(const std::string& to = "human:compliance",
                          std::optional<Duration> timeout = {}) {
        as("buyer");
        return request({.id = "q-1", .from = "buyer", .to = to, .correlation = "w-1"},
                       false,
                       Priority::High,
                       timeout);
    }
    Ticket asked_with(Ticket message) {
        return people::find_by_request(state().people, message)->asked.id;
    }
    People& answer(const std::string& who, AnswerHumanTask answer) {
        as_caller(person(who)).ask(std::move(answer));
        return *this;
    }
    People& approve(const std::string& who, Ticket id) { return answer(who, {.id = id}); }

    people::HumanTask human_task(Ticket id) { return *people::find_human_task(state().people, id); }
};

EnvelopePtr reply_of(const std::string& role) {
    return envelope({.id = "a-1",
                     .from = role,
                     .to = "buyer",
                     .correlation = "w-1",
                     .intent = Intent::Reply,
                     .answers = "q-1",
                     .body = R"({"decision":"approve"})"});
}

TEST(People, S13_AHumanTaskWaitsForItsRoleAndIsAnnounced) {
    People people;
    const auto id = people.ask_people({.role = "compliance", .kind = HumanKind::Approve});
    const auto notices = people.asked_for<NotifyPeople>();
    ASSERT_EQ(notices.size(), 1U);
    EXPECT_EQ(notices[0].role, "compliance");
    EXPECT_EQ(notices[0].deadline, people.now() + 1h);
    EXPECT_EQ(people.human_task(id).asked.asked_by, "buyer");
    EXPECT_EQ(people.human_task(id).stage, people::Stage::Waiting);
}

TEST(People, S13_PendingNotificationsAreSentAfterARestart) {
    People people;
    const auto told = people.ask_people({.role = "compliance"});
    const auto news = people.asked_for<NotifyPeople>().at(0).news;
    const auto untold = people.ask_people({.role = "finance"});
    people.as_the_hub().ask(NotePeopleTold{told, news});
    EXPECT_EQ(people.happened<HumanNotified>().size(), 1U);
    people.ask(NotePeopleTold{told, news});
    EXPECT_TRUE(people.happened<HumanNotified>().empty()) << "it is on record";
    people.restart();
    auto notices = people.asked_for<NotifyPeople>();
    ASSERT_EQ(notices.size(), 1U);
    EXPECT_EQ(notices[0].id, untold);
    EXPECT_EQ(notices[0].role, "finance");
    people.restart();
    EXPECT_EQ(people.asked_for<NotifyPeople>().size(), 1U) << "until it was told";
    people.ask(NotePeopleTold{untold, notices[0].news});
    people.restart();
    EXPECT_TRUE(people.asked_for<NotifyPeople>().empty());
}

TEST(People, S13_ANotificationConfirmsOnlyItsOwnNews) {
    People people;
    const auto id = people.ask_people({.role = "compliance"});
    const auto first = people.asked_for<NotifyPeople>().at(0).news;
    people.as_the_hub().later(30min).tick();
    const auto reminder = people.asked_for<NotifyPeople>();
    ASSERT_EQ(reminder.size(), 1U);
    people.ask(NotePeopleTold{id, first});
    EXPECT_TRUE(people.happened<HumanNotified>().empty()) << "the reminder is not told";
    people.restart();
    ASSERT_EQ(people.asked_for<NotifyPeople>().size(), 1U);
    EXPECT_EQ(people.asked_for<NotifyPeople>()[0].occasion, NotifyPeople::Occasion::Reminded);
    people.approve("carla", id);
    people.as_the_hub().ask(NotePeopleTold{id, reminder[0].news});
    EXPECT_TRUE(people.happened<HumanNotified>().empty()) << "nobody needs to know any more";
}

TEST(People, S13_AnUnknownRoleIsRefusedWithTheKnownRoles) {
    People people;
    people.ask_people({.role = "astrology"});
    const auto refused = people.happened<MessageRefused>();
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0].refusal, Refusal::HumanRoleUnknown);
    EXPECT_NE(refused[0].detail.find("compliance, finance"), std::string::npos);
}

TEST(People, S13_WithoutRolesAnyRoleIsKnown) {
    People people;
    people.limits().people.clear();
    EXPECT_NE(people.ask_people({.role = "astrology"}), Ticket{});
}

TEST(People, S13_APersonsAnswerIsTheReplyToTheMessage) {
    People people;
    people.connect("buyer", 8);
    const auto message = people.ask_by_message();
    const auto id = people.asked_with(message);
    people.answer("carla",
                  {.id = id,
                   .decision = HumanDecision::Answer,
                   .content = R"("yes")",
                   .reply = reply_of("human:compliance")});
    const auto answered = people.happened<RequestAnswered>();
    ASSERT_EQ(answered.size(), 1U);
    EXPECT_EQ(answered[0].request, message);
    EXPECT_EQ(people.delivered(), (Ids{"a-1"}));
    EXPECT_EQ(people.asked_for<TellDone>().size(), 1U);
    EXPECT_TRUE(people.asked_for<TellAccepted>().empty()) << "the person hears one thing";
    EXPECT_EQ(people.mailbox("human:compliance").waiting, 0U);
}

TEST(People, S13_AMessageWithoutATimeoutGetsTheLongestTimeout) {
    People people;
    people.ask_by_message();
    EXPECT_EQ(people.happened<MessageAccepted>().at(0).deadline,
              people.now() + people.limits().request_timeout_max);
}

TEST(People, S13_OnlyRequestsGoToPeople) {
    People people;
    people.as("buyer").send({.id = "m-1", .from = "buyer", .to = "human"});
    EXPECT_EQ(people.refusal(), Refusal::RouteNotPermitted);
}

TEST(People, S13_NoAgentRegistersOrSendsAsPeople) {
    People people;
    people.as_operator().agent("human:compliance");
    EXPECT_EQ(people.refusal(), Refusal::InputValidationFailed);
    const auto message = people.ask_by_message();
    people.as_operator().ask(SendMessage{.envelope = reply_of("human:compliance")});
    EXPECT_EQ(people.refusal(), Refusal::IdentityMismatch);
    EXPECT_NE(broker::find_request(people.state().requests, message), nullptr);
}

TEST(People, W9_AnAnswerCountsOnce) {
    People people;
    const auto id = people.ask_people({.kind = HumanKind::Approve});
    people.approve("carla", id);
    EXPECT_EQ(people.happened<HumanAnswered>().size(), 1U);
    people.approve("dora", id);
    EXPECT_EQ(people.refusal(), Refusal::HumanAlreadyAnswered);
    EXPECT_EQ(people.human_task(id).answers.size(), 1U);
}

TEST(People, W9_TheSecondAnswerToAMessageChangesNothing) {
    People people;
    const auto id = people.asked_with(people.ask_by_message());
    const AnswerHumanTask yes{.id = id,
                              .decision = HumanDecision::Answer,
                              .content = "1",
                              .reply = reply_of("human:compliance")};
    people.answer("carla", yes);
    people.answer("dora", yes);
    EXPECT_EQ(people.refusal(), Refusal::HumanAlreadyAnswered);
    EXPECT_TRUE(people.happened<RequestAnswered>().empty());
}

TEST(People, W9_AnAnswerToAnotherStateVersionIsRefused) {
    People people;
    const auto id = people.ask_people({.kind = HumanKind::Approve, .state_version = 7});
    people.answer("carla", {.id = id, .expected_version = 6});
    EXPECT_EQ(people.refusal(), Refusal::StateVersionStale);
    people.answer("carla", {.id = id, .expected_version = 7});
    EXPECT_EQ(people.happened<HumanAnswered>().at(0).state_version, 7U);
}

TEST(People, W9_WaitingSurvivesARestart) {
    People people;
    const auto id = people.ask_people({.role = "compliance", .kind = HumanKind::Approve});
    people.as_the_hub().restart();
    people.approve("carla", id);
    EXPECT_EQ(people.happened<HumanAnswered>().size(), 1U);
}

TEST(People, W9_AHumanTaskPastItsDeadlineCannotBeAnswered) {
    People people;
    const auto id = people.ask_people({.role = "compliance", .kind = HumanKind::Approve});
    people.later(1h);
    people.approve("carla", id);  // The hub has not yet recorded the lapse.
    EXPECT_EQ(people.refusal(), Refusal::HumanTaskClosed);
    EXPECT_EQ(people.happened<HumanLapsed>().size(), 1U);
    people.approve("carla", id);
    EXPECT_EQ(people.refusal(), Refusal::HumanTaskClosed);
}

TEST(People, W9_CancellingAWorkflowWithdrawsItsHumanTasks) {
    People people;
    const auto id = people.ask_people({.kind = HumanKind::Approve, .workflow = "w-9"});
    people.as("buyer").ask(CancelRequest{"w-9", "changed our mind"});
    EXPECT_EQ(people.happened<HumanWithdrawn>().size(), 1U);
    EXPECT_EQ(people.asked_for<TellDone>().size(), 1U);
    people.approve("carla", id);
    EXPECT_EQ(people.refusal(), Refusal::HumanTaskClosed);
    EXPECT_TRUE(people.happened<HumanAnswered>().empty());
}

TEST(People, W9_CancellingAMessageWithdrawsItsHumanTask) {
    People people;
    const auto id = people.asked_with(people.ask_by_message());
    people.as("buyer").ask(CancelRequest{"q-1", "never mind"});
    EXPECT_EQ(people.happened<HumanWithdrawn>().size(), 1U);
    EXPECT_EQ(people.happened<RequestFailed>().size(), 1U);
    EXPECT_EQ(people.human_task(id).stage, people::Stage::Withdrawn);
}

TEST(People, W9_OnlyTheRequesterOrAnOperatorWithdraws) {
    People people;
    people.ask_people({.workflow = "w-9"});
    people.as("mallory").ask(CancelRequest{"w-9", "mine"});
    EXPECT_EQ(people.refusal(), Refusal::DelegationNotFound);
    EXPECT_TRUE(people.happened<HumanWithdrawn>().empty());
}

TEST(People, S13_AReminderComesOnceThenTheEnd) {
    People people;
    people.ask_people({.role = "compliance"});
    people.as_the_hub().later(29min).tick();
    EXPECT_TRUE(people.happened<HumanReminded>().empty());
    people.later(1min).tick();
    EXPECT_EQ(people.happened<HumanReminded>().size(), 1U);
    EXPECT_EQ(people.asked_for<NotifyPeople>().at(0).occasion, NotifyPeople::Occasion::Reminded);
    people.later(29min).tick();
    EXPECT_TRUE(people.events().empty());
    people.later(1min).tick();
    EXPECT_EQ(people.happened<HumanLapsed>().at(0).follows, IfNobody::Fail);
}

TEST(People, S12_EscalationGivesTheNextRoleTheFullTime) {
    People people;
    const auto id = people.ask_people({.role = "compliance",
                                       .kind = HumanKind::Approve,
                                       .escalation = "finance",
                                       .if_nobody = IfNobody::Escalate});
    people.as_the_hub().later(30min).tick().later(30min).tick();
    EXPECT_EQ(people.happened<HumanEscalated>().at(0).role, "finance");
    EXPECT_EQ(people.asked_for<NotifyPeople>().at(0).role, "finance");
    people.as_caller(person("carla", {"compliance"})).ask(AnswerHumanTask{.id = id});
    EXPECT_EQ(people.refusal(), Refusal::HumanAnswerForbidden);
    people.as_the_hub().later(59min).tick();
    EXPECT_EQ(people.happened<HumanReminded>().size(), 1U);
    EXPECT_EQ(people.human_task(id).stage, people::Stage::Waiting);
    people.later(1min).tick();
    EXPECT_EQ(people.human_task(id).end_reason, "fail");
}

TEST(People, S13_ALapseFollowsTheTasksRule) {
    for (const auto follows : {IfNobody::Fail, IfNobody::Reject, IfNobody::Approve}) {
        People people;
        people.ask_people({.deadline = 1min, .if_nobody = follows});
        people.as_the_hub().later(1min).tick();
        EXPECT_EQ(people.happened<HumanLapsed>().at(0).follows, follows);
    }
}

TEST(People, S13_AWaitingTaskIsRemindedForEver) {
    People people;
    const auto id = people.ask_people(
        {.kind = HumanKind::Approve, .deadline = 1min, .if_nobody = IfNobody::Wait});
    for (int i = 0; i < 3; ++i) {
        people.as_the_hub().later(1min).tick();
        EXPECT_TRUE(people.happened<HumanReminded>().at(0).is_overdue);
    }
    people.later(1min);
    people.approve("carla", id);
    EXPECT_EQ(people.happened<HumanAnswered>().size(), 1U);
}

TEST(People, S13_AnUnansweredMessageFails) {
    People people;
    people.limits().people["compliance"].if_nobody = IfNobody::Approve;
    people.ask_by_message();
    people.as_the_hub().later(30min).tick().later(30min).tick();
    EXPECT_EQ(people.happened<HumanLapsed>().at(0).follows, IfNobody::Fail)
        << "nobody would find the words of an approval";
    EXPECT_EQ(people.happened<RequestFailed>().at(0).refusal, Refusal::HumanNotAnswered);
    EXPECT_TRUE(people.happened<HumanWithdrawn>().empty());
    EXPECT_EQ(people.mailbox("human:compliance").waiting, 0U);
}

TEST(People, S13_AMessageWithRejectOnLapseIsRejected) {
    People people;
    people.limits().people["compliance"].if_nobody = IfNobody::Reject;
    people.ask_by_message();
    people.as_the_hub().later(30min).tick().later(30min).tick();
    EXPECT_EQ(people.happened<RequestFailed>().at(0).refusal, Refusal::RequestRejected);
}

TEST(People, S13_AMessagePastItsOwnTimeIsWithdrawn) {
    People people;
    people.ask_by_message("human", 1min);
    people.as_the_hub().later(1min).tick();
    EXPECT_EQ(people.happened<HumanWithdrawn>().size(), 1U);
    EXPECT_EQ(people.happened<RequestFailed>().at(0).refusal, Refusal::RequestTimedOut);
}

TEST(People, S13_PeopleWhoAreSlowOpenNoBreaker) {
    People people;
    people.as_operator().ask(ChangePolicy{.settings = "hub breaker_failures 1"});
    for (int i = 0; i < 3; ++i) {
        people.as("buyer").request({.id = "q-" + std::to_string(i), .from = "buyer", .to = "human"},
                                   false,
                                   Priority::High,
                                   1min);
        people.as_the_hub().later(1min).tick();
        EXPECT_TRUE(people.happened<BreakerOpened>().empty());
    }
}

TEST(People, S13_PeopleCannotDecideOnTheirOwnRequests) {
    People people;
    people.as_caller(person("olga"))
        .ask(OpenHumanTask{{.kind = HumanKind::Approve, .text = "May I?", .user = "ulla"}});
    const auto id = people.asked_for<TellAsked>().at(0).id;
    people.approve("olga", id);
    EXPECT_EQ(people.refusal(), Refusal::HumanAnswerForbidden);
    people.approve("ulla", id);
    EXPECT_EQ(people.refusal(), Refusal::HumanAnswerForbidden);
    people.approve("carla", id);
    EXPECT_EQ(people.refusal(), Refusal::None);
}

struct Right {
    std::string what;
    Caller caller;
    Refusal refusal;
};

TEST(People, S13_OnlyOperatorsWithTheRoleMayAnswer) {
    const std::vector<Right> rights{
        {"one of the role", person("carla", {"compliance"}), Refusal::None},
        {"one who is listed", person("listed"), Refusal::None},
        {"an admin",
         {.agent = {"root"}, .is_operator = true, .role = OperatorRole::Admin},
         Refusal::None},
        {"one of another role", person("fritz", {"finance"}), Refusal::HumanAnswerForbidden},
        {"one who is not listed", person("norbert"), Refusal::HumanAnswerForbidden},
        {"a viewer",
         {.agent = {"vera"}, .is_operator = true, .role = OperatorRole::Viewer},
         Refusal::IdentityRoleForbidden},
        {"an agent", {.agent = {"robot"}}, Refusal::IdentityRoleForbidden},
        {"a user", {.user = "ulla"}, Refusal::IdentityRequired},
        {"nobody in particular", {}, Refusal::IdentityRequired},
    };
    for (const auto& right : rights) {
        People people;
        people.limits().people["compliance"].operators = {"listed"};
        const auto id = people.ask_people({.role = "compliance", .kind = HumanKind::Approve});
        people.as_caller(right.caller).ask(AnswerHumanTask{.id = id});
        EXPECT_EQ(people.refusal(), right.refusal) << right.what;
        EXPECT_EQ(people.happened<HumanAnswered>().size(), right.refusal == Refusal::None ? 1U : 0U)
            << right.what;
    }
}

TEST(People, S13_TwoApprovalsComeFromTwoPeople) {
    People people;
    const auto id = people.ask_people({.kind = HumanKind::Approve, .approvals_needed = 2});
    people.approve("carla", id);
    EXPECT_TRUE(people.happened<HumanAnswered>().at(0).awaits_another);
    people.approve("carla", id);
    EXPECT_EQ(people.refusal(), Refusal::HumanAlreadyAnswered);
    people.approve("dora", id);
    EXPECT_FALSE(people.happened<HumanAnswered>().at(0).awaits_another);
    EXPECT_EQ(people.human_task(id).stage, people::Stage::Answered);
}

TEST(People, S13_OneOfTwoIsEnoughToReject) {
    People people;
    const auto id = people.ask_people({.kind = HumanKind::Approve, .approvals_needed = 2});
    people.approve("carla", id);
    people.answer("dora", {.id = id, .decision = HumanDecision::Reject, .reason = "too dear"});
    EXPECT_EQ(people.human_task(id).stage, people::Stage::Answered);
}

TEST(People, S13_AnAnswerMustFitTheKindOfTheTask) {
    struct Row {
        HumanKind kind;
        AnswerHumanTask answer;
        bool is_fit;
    };
    const auto row = [](HumanKind kind, HumanDecision decision, std::string content, bool is_fit) {
        return Row{
            kind, {.decision = decision, .reason = "so", .content = std::move(content)}, is_fit};
    };
    using enum HumanDecision;
    const std::vector<Row> rows{
        row(HumanKind::Approve, Approve, "", true),
        row(HumanKind::Approve, Edit, R"({"sum":1})", true),
        row(HumanKind::Approve, Edit, "", false),
        row(HumanKind::Approve, Answer, "1", false),
        row(HumanKind::Answer, Answer, "1", true),
        row(HumanKind::Answer, Answer, "", false),
        row(HumanKind::Answer, Approve, "", true),
        row(HumanKind::Answer, Edit, "1", false),
        row(HumanKind::Edit, Edit, "1", true),
        row(HumanKind::Edit, Approve, "", true),
        row(HumanKind::Choose, Answer, R"("red")", true),
        row(HumanKind::Choose, Answer, R"("green")", false),
        row(HumanKind::Choose, Answer, "red", false),
        row(HumanKind::Choose, Approve, "", false),
        row(HumanKind::Choose, Reject, "", true),
        {HumanKind::Approve, {.decision = Reject}, false},
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
        People people;
        auto answer = rows[i].answer;
        answer.id = people.ask_people({.kind = rows[i].kind, .options = {"red", "blue"}});
        people.answer("carla", std::move(answer));
        EXPECT_EQ(people.refusal(), rows[i].is_fit ? Refusal::None : Refusal::InputValidationFailed)
            << "row " << i;
    }
}

TEST(People, S13_EndedHumanTasksAreForgottenInTheOrderOfTheirEnds) {
    People people;
    people.limits().human_tasks_ended_max = 1;
    const auto first = people.ask_people({.kind = HumanKind::Approve});
    const auto second = people.ask_people({.kind = HumanKind::Approve});
    people.approve("carla", second).approve("carla", first);
    people.approve("carla", second);
    EXPECT_EQ(people.refusal(), Refusal::HumanTaskNotFound);
    people.approve("carla", first);
    EXPECT_EQ(people.refusal(), Refusal::HumanAlreadyAnswered);
}

TEST(People, G7_EndedHumanTasksDoNotFillTheHub) {
    People people;
    people.limits().hub_bytes_max = 100'000;
    std::vector<Ticket> ended;
    for (int i = 0; i < 40; ++i) {
        ended.push_back(
            people.ask_people({.kind = HumanKind::Approve, .context = std::string(3'000, 'x')}));
        ASSERT_EQ(people.refusal(), Refusal::None) << i << " others were decided long ago";
        people.approve("carla", ended.back());
        ASSERT_EQ(people.refusal(), Refusal::None);
    }
    EXPECT_LE(people.state().people.bytes, 100'000U / 16);
    people.approve("carla", ended.back());
    EXPECT_EQ(people.refusal(), Refusal::HumanAlreadyAnswered) << "the newest are remembered";
    people.approve("carla", ended.front());
    EXPECT_EQ(people.refusal(), Refusal::HumanTaskNotFound);
    people.as("buyer").send(
        {.id = "m", .from = "buyer", .to = "buyer", .body = std::string(90'000, 'x')});
    EXPECT_EQ(people.refusal(), Refusal::None);
}

TEST(People, G7_EndedHumanTasksGiveWayToALowerLimitOnStart) {
    People people;
    people.approve(
        "carla",
        people.ask_people({.kind = HumanKind::Approve, .context = std::string(3'000, 'x')}));
    ASSERT_GT(people.state().people.bytes, 3'000U);
    // The limit is of one process; a replay has one limit for all records.
    people.replayed_every(1'000'000);
    people.limits().hub_bytes_max = 2'000;
    people.as_the_hub().restart();
    EXPECT_EQ(people.state().people.bytes, 0U);
}

TEST(People, G7_AnAnswerThatTheHubCannotKeepIsRefused) {
    People people;
    people.limits().hub_bytes_max = 100'000;
    const auto id = people.ask_people({.kind = HumanKind::Answer});
    const AnswerHumanTask large{.id = id,
                                .decision = HumanDecision::Answer,
                                .content = '"' + std::string(900'000, 'x') + '"'};
    people.answer("carla", large);
    EXPECT_EQ(people.refusal(), Refusal::HubOverloaded);
    EXPECT_EQ(people.human_task(id).stage, people::Stage::Waiting);
    EXPECT_LE(bytes_kept(people.state()), 100'000U);
    people.answer("carla", {.id = id, .decision = HumanDecision::Answer, .content = R"("yes")"});
    EXPECT_EQ(people.refusal(), Refusal::None);
}

TEST(People, G7_AFullHubTakesShortAnswersAndApprovals) {
    People people;
    people.limits().hub_bytes_max = 20'000;
    const auto first = people.ask_people({.kind = HumanKind::Approve});
    const auto second = people.ask_people({.kind = HumanKind::Approve});
    const auto third = people.ask_people({.kind = HumanKind::Answer});
    const auto room = 20'000 - bytes_kept(people.state());
    people.as("buyer").send(
        {.id = "m", .from = "buyer", .to = "buyer", .body = std::string(room, 'x')});
    ASSERT_EQ(people.refusal(), Refusal::None);
    people.approve("carla", first);
    EXPECT_EQ(people.refusal(), Refusal::None);
    people.answer("carla",
                  {.id = second, .decision = HumanDecision::Reject, .reason = "not this year"});
    EXPECT_EQ(people.refusal(), Refusal::None) << "what is decided makes room";
    people.answer("carla",
                  {.id = third,
                   .decision = HumanDecision::Answer,
                   .content = '"' + std::string(2'000, 'x') + '"'});
    EXPECT_EQ(people.refusal(), Refusal::HubOverloaded);
}

TEST(People, S13_WaitingHumanTasksAreBounded) {
    People people;
    people.limits().human_tasks_max = 1;
    people.ask_people({});
    people.ask_people({});
    EXPECT_EQ(people.refusal(), Refusal::HubOverloaded);
}

TEST(People, S13_AnAgentAsksPeopleOnlyForUsersOfItsGrants) {
    People people;
    people.as_caller({.agent = {"buyer"}, .users = {"ulla"}});
    people.ask(OpenHumanTask{{.text = "May she?", .user = "otto"}});
    EXPECT_EQ(people.refusal(), Refusal::UserIsolationViolated);
    EXPECT_NE(people.asked_for<TellRefused>().back().detail.find("needs one"), std::string::npos)
        << "a grant, whatever it works on";
    people.ask(OpenHumanTask{{.text = "May she?", .user = "ulla"}});
    EXPECT_EQ(people.refusal(), Refusal::None);
}

TEST(People, W11_ARandomHistoryReplaysToTheSameState) {
    std::mt19937 entropy{13};  // NOLINT(cert-msc51-cpp): the same on every run.
    const auto below = [&](std::uint32_t end) {
        return static_cast<std::uint32_t>(entropy() % end);
    };
    const auto some = [&] { return "errand-" + std::to_string(below(5)); };
    People people;
    people.replayed_every(50);
    people.limits().human_tasks_ended_max = 20;
    people.limits().people["compliance"].escalation = "finance";
    std::map<people::Stage, int> seen;
    for (int i = 0; i < 4'000; ++i) {
        people.later(Duration{below(20'000)});
        const auto& human_tasks = people.state().people.human_tasks;
        switch (below(6)) {
            case 0:
                people.ask_people({.role = below(2) == 0 ? "compliance" : "finance",
                                   .kind = HumanKind::Approve,
                                   .workflow = some(),
                                   .deadline = Duration{below(200'000)},
                                   .reminder = Duration{below(100'000)},
                                   .if_nobody = static_cast<IfNobody>(below(5)),
                                   .approvals_needed = 1 + below(2),
                                   .state_version = below(3)});
                break;
            case 1:
                people.as("buyer").request({.id = "q" + std::to_string(i),
                                            .from = "buyer",
                                            .to = "human:compliance",
                                            .correlation = some()},
                                           below(2) == 0,
                                           Priority::High,
                                           Duration{below(300'000)});
                break;
            case 2:
                people.as("buyer").ask(CancelRequest{some(), "by chance"});
                break;
            case 3:
                people.as_the_hub().restart();
                break;
            default: {
                if (human_tasks.empty()) break;
                const auto id =
                    human_tasks.tickets()[below(static_cast<std::uint32_t>(human_tasks.size()))];
                people.approve(below(2) == 0 ? "carla" : "dora", id);
            }
        }
        for (const auto id : human_tasks.tickets()) ++seen[human_tasks.at(id)->stage];
    }
    EXPECT_EQ(seen.size(), 4U) << "something never came to pass";
}

TEST(People, AStoppedFleetOpensNoHumanTaskAndTakesAnswers) {
    Story story;
    story.agent("alice");
    story.as("alice").ask(OpenHumanTask{.question = {.text = "May it?"}});
    const auto asked = story.happened<HumanAsked>();
    ASSERT_EQ(asked.size(), 1U);
    story.as_operator().ask(StopFleet{});
    story.as("alice").ask(OpenHumanTask{.question = {.text = "And this?"}});
    EXPECT_EQ(story.refusal(), Refusal::FleetStopped);
    story.as_operator().ask(AnswerHumanTask{.id = asked[0].id});
    EXPECT_EQ(story.happened<HumanAnswered>().size(), 1U);
    story.ask(ResumeFleet{});
    story.as("alice").ask(OpenHumanTask{.question = {.text = "And this?"}});
    EXPECT_EQ(story.happened<HumanAsked>().size(), 1U);
}

}  // namespace
}  // namespace parlance::core
