// A user's data is hidden from callers for another user: no naming, reading, changing or learning
// from it.
//
// Reading a missing item is no refusal and leaves no record (even GET /v1/sessions/{id} of a
// session that nobody began); trying to change a missing item is refused and recorded.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/front_desk/rights_desk.h"

namespace parlance::front_desk {
namespace {

constexpr const char* kIsolation = "USER_ISOLATION_VIOLATED";
constexpr const char* kNoId = "550e8400-e29b-41d4-a716-999999999999";

// --- naming a user ---------------------------------------------------------------------------

TEST(UserRights, X13_I3_A1_AnAgentNamesNoUserWithoutAGrant) {
    RightsDesk desk;
    struct Pretender {
        const char* who;
        const char* user;
    };
    constexpr Pretender kPretenders[] = {
        {"mallory", "u1"}, {"prime", "u2"}, {"scout", "u1"}, {"prime", "U1"}};
    for (const auto& pretender : kPretenders) {
        const auto* const who = pretender.who;
        const auto* const user = pretender.user;
        for (const auto& [name, write] : kLanguages) {
            const auto body = write({.from = who, .to = "tag", .user = user});
            desk.expect_message_refused({name, who, body, 403, kIsolation});
        }
        const auto taskwire = [&](const char* type, const char* payload) {
            return fmt::format(R"({{"id":"m2","from":"{}","to":"tag","type":"{}","payload":{}}})",
                               who,
                               type,
                               fmt::format(fmt::runtime(payload), user));
        };
        for (const auto& [type, payload] :
             {std::pair{"TASK_UPDATE", R"({{"user_id":"{}"}})"},
              std::pair{"TASK_UPDATE", R"({{"\u0075ser_id":"{}"}})"},
              std::pair{"TASK_HANDOFF", R"({{"context":{{"user_id":"{}"}}}})"}}) {
            desk.expect_message_refused({type, who, taskwire(type, payload), 403, kIsolation});
        }
        const auto workflow = fmt::format(
            R"({{"name":"n","user_id":"{}","steps":[{{"id":"a","agent":"tag","capability":"SORT"}}]}})",
            user);
        const auto question = fmt::format(R"({{"question":"may I?","user_id":"{}"}})", user);
        const auto words = fmt::format(R"({{"text":"sort","user_id":"{}"}})", user);
        const auto session = fmt::format(R"({{"user_id":"{}"}})", user);
        const auto task = fmt::format(
            R"({{"operation":"CREATE","entity_type":"TASK","entity_id":"t-5","version":0,)"
            R"("changes":{{"user_id":"{}"}}}})",
            user);
        // clang-format off
        const Attack kAttacks[] = {
            {"a workflow", who, "POST", "/v1/workflows",       workflow, 403, kIsolation},
            {"a question", who, "POST", "/v1/human",           question, 403, kIsolation},
            {"words",      who, "POST", "/v1/chat",            words,    403, kIsolation},
            {"a session",  who, "POST", "/v1/sessions/chat-5", session,  404, "SESSION_NOT_FOUND"},
            {"a task",     who, "POST", "/v1/state",           task,     404, "STATE_NOT_FOUND"},
        };
        // clang-format on
        for (const auto& attack : kAttacks) desk.expect_refused(attack);
    }
}

TEST(UserRights, X13_A1_ARequestWithAnotherUsersSourceIsRefused) {
    RightsDesk desk;
    desk.done("scout", "POST", "/v1/sessions/chat-2", R"({"user_id":"u2"})");
    const auto referring = [&](std::string_view owner) {
        return desk.written(
            {.more = fmt::format(
                 R"(,"handoff_data":{{"references":[{{"owner_scope":"user:u1","source_id":"1"}},)"
                 R"({{"owner_scope":"{}","source_id":"2"}}]}})",
                 owner)});
    };
    for (const auto* owner : {"user:u2",
                              "User: u2",
                              " USER :u2 ",
                              "u2",
                              "user:u3",
                              R"(\uff55ser:u2)",
                              R"(us\u200ber:u2)"}) {
        desk.expect_message_refused({owner, "prime", referring(owner), 403, kIsolation});
    }
    desk.done("prime", "POST", "/v1/messages", referring("company"), 202);
}

// --- reading and changing another user's data ------------------------------------------------

/// u2's items with generated ids; furnish() also makes a session, a task, a workflow and a context
/// with fixed names.
struct Possessions {
    Held held;             ///< A delegation with half of its answer.
    std::string letter;    ///< A dead letter.
    std::string question;  ///< A human task.
};
Possessions furnish(RightsDesk& desk) {
    Possessions u2s;
    const auto settle = [&](const char* who, const Held& held, const char* how, const char* body) {
        desk.done(who, "POST", "/v1/deliveries/" + held.delivery + how, body, 204);
    };
    desk.done("u2", "POST", "/v1/sessions/chat-2", R"({"history_reference":"h"})");
    desk.done("u2", "POST", "/v1/sessions/chat-2/facts", R"({"about":"tea","value":"green"})", 204);
    desk.done("u2", "POST", "/v1/sessions/chat-2/analyses", R"({"key":"k","result":42})");
    desk.done("scout",
              "POST",
              "/v1/state",
              R"({"operation":"CREATE","entity_type":"TASK","entity_id":"task-2","version":0,)"
              R"("changes":{"user_id":"u2"}})");
    desk.done("scout",
              "POST",
              "/v1/workflows",
              R"({"workflow_id":"work-2","name":"n","user_id":"u2","session_id":"chat-2",)"
              R"("steps":[{"id":"a","agent":"crystal","capability":"SORT"}]})",
              202);
    desk.done("scout", "PATCH", "/v1/contexts/work-2", R"({"entities":{}})");
    u2s.held = desk.give({.from = "scout", .to = "tag", .session = "s-2", .user = "u2"});
    settle("tag", u2s.held, "/progress", R"("half")");
    const auto doomed = desk.give({.from = "scout",
                                   .to = "ledger",
                                   .session = "s-3",
                                   .user = "u2",
                                   .more = R"(,"priority":"high")"});
    settle("ledger", doomed, "/nack", R"({"final":true})");
    u2s.letter = doomed.delivery.substr(0, doomed.delivery.find('.'));
    u2s.question = text_at(
        desk.done("scout", "POST", "/v1/human", R"({"question":"may I?","user_id":"u2"})", 202),
        "/id");
    return u2s;
}

TEST(UserRights, X13_AnotherUsersDataAnswersLikeMissingData) {
    RightsDesk desk;
    const auto u2s = furnish(desk);
    const auto& child = u2s.held.session;
    const auto& request = u2s.held.id;
    // clang-format off
    const Hidden kForAll[] = {
        {"a session",   "", "u2", "GET",  "/v1/sessions/<id>", "chat-2", "chat-0"},
        {"its facts",   "", "u2", "GET",  "/v1/sessions/<id>/facts", "chat-2", "chat-0"},
        {"one of them", "", "u2", "GET",  "/v1/sessions/<id>/facts?about=tea", "chat-2", "chat-0"},
        {"its results", "", "u2", "GET",  "/v1/sessions/<id>/analyses", "chat-2", "chat-0"},
        {"one of them", "", "",   "POST", "/v1/sessions/<id>/analyses", "chat-2", "chat-0", R"({"key":"k"})"},
        {"of a tree",   "", "u2", "GET",  "/v1/sessions/<id>", child, kNoId},
        {"its facts",   "", "u2", "GET",  "/v1/sessions/<id>/facts", child, kNoId},
        {"its results", "", "u2", "GET",  "/v1/sessions/<id>/analyses", child, kNoId},
        {"its root",    "", "u2", "GET",  "/v1/sessions/<id>", "s-2", "s-0"},
        {"a talk",      "", "u2", "GET",  "/v1/chat/<id>", "work-2", "work-0"},
    };
    const Hidden kForAgents[] = {
        {"a task",        "", "scout",  "GET", "/v1/state/tasks/<id>", "task-2", "task-0"},
        {"a result",      "", "scout",  "GET", "/v1/requests/<id>/stream", request, kNoId},
        {"by its asker",  "", "scout",  "GET", "/v1/requests/<id>/stream?agent=scout", request, kNoId},
        {"an answer",     "", "scout",  "GET", "/v1/requests/<id>", request, kNoId},
        {"by its asker",  "", "scout",  "GET", "/v1/requests/<id>?agent=scout", request, kNoId},
        {"a workflow",    "", "scout",  "GET", "/v1/workflows/<id>", "work-2", "work-0"},
        {"a context",     "", "scout",  "GET", "/v1/contexts/<id>", "work-2", "work-0"},
        {"a dead letter", "", "ledger", "GET", "/v1/dead-letters/<id>", u2s.letter, "987654321"},
        // Without a user the answer is that a user must be named; it does not reveal the session.
        {"a change",      "", "",       "POST", "/v1/sessions/<id>", "chat-2", "chat-0", R"({"history_reference":"x"})"},
        {"of a tree",     "", "",       "POST", "/v1/sessions/<id>", child, kNoId, R"({"history_reference":"x"})"},
    };
    // clang-format on
    for (const auto* who : {"prime", "mallory", "u1"}) {
        for (auto row : kForAll) {
            row.who = who;
            desk.expect_hidden(row);
        }
    }
    for (const auto* who : {"prime", "mallory"}) {
        for (auto row : kForAgents) {
            row.who = who;
            desk.expect_hidden(row);
        }
    }
    EXPECT_EQ(desk.done("mallory", "GET", "/v1/state/tasks"), R"({"tasks":{}})");
    EXPECT_EQ(desk.done("mallory", "GET", "/v1/dead-letters"), R"({"dead_letters":[]})");
}

TEST(UserRights, X13_A1_ChangingAnotherUsersDataIsRefusedLikeMissingData) {
    RightsDesk desk;
    const auto u2s = furnish(desk);
    const std::string update =
        R"({"operation":"UPDATE","entity_type":"TASK","entity_id":"<id>","version":1,"changes":{"status":"completed"}})";
    const std::string remove =
        R"({"operation":"DELETE","entity_type":"TASK","entity_id":"<id>","version":1,"changes":{}})";
    // clang-format off
    const Hidden kRows[] = {
        {"a fact",         "", "", "POST", "/v1/sessions/<id>/facts", "chat-2", "chat-0", R"({"about":"tea","value":1})", true},
        {"a result",       "", "", "POST", "/v1/sessions/<id>/analyses", "chat-2", "chat-0", R"({"key":"k","result":1})", true},
        {"an approval",    "", "", "GET",  "/v1/human/<id>", u2s.question, "987654321", "", true},
        {"its answer",     "", "", "POST", "/v1/human/<id>/answer", u2s.question, "987654321", R"({"decision":"approve"})", true},
        {"a dead letter",  "", "", "POST", "/v1/dead-letters/<id>/redeliver", u2s.letter, "987654321", "", true},
        {"a workflow",     "", "", "POST", "/v1/workflows/<id>/cancel", "work-2", "work-0", "{}", true},
        {"a tree",         "", "", "POST", "/v1/workflows/<id>/cancel", "s-2", "s-0", "{}", true},
        {"a request",      "", "", "POST", "/v1/workflows/<id>/cancel", u2s.held.id, kNoId, "{}", true},
        {"a task",         "", "", "POST", "/v1/state", "task-2", "task-0", update, true},
        {"its end",        "", "", "POST", "/v1/state", "task-2", "task-0", remove, true},
    };
    // clang-format on
    for (const auto* who : {"prime", "mallory", "u1"}) {
        for (auto row : kRows) {
            row.who = who;
            desk.expect_hidden(row);
        }
    }
}

TEST(UserRights, X13_A1_AnOutcomeIsRepeatedOnlyWithAGrantForItsUser) {
    RightsDesk desk;
    desk.let_in("scout without grant", {.kind = identity::Kind::Agent, .name = "scout"});
    const DelegationRequestFields fields{
        .from = "scout", .to = "tag", .session = "s-2", .user = "u2"};
    const auto asked = desk.written(fields);
    desk.done("scout", "POST", "/v1/messages", asked, 202);
    const auto held = desk.take("tag");
    desk.done("tag",
              "POST",
              "/v1/deliveries/" + held.delivery + "/reply",
              R"({"summary":"","result":"secret","status":"success",)"
              R"("token_usage":{"prompt":0,"completion":0,"total":0}})",
              202);
    for (const auto& body : {asked, desk.written(fields)}) {
        desk.expect_message_refused({"again", "scout without grant", body, 403, kIsolation});
    }
}

// --- learning from another user's data -------------------------------------------------------

TEST(UserRights, X2_X13_FactsOfAnAnswerWithAnotherUsersSourceAreNotKept) {
    struct Row {
        std::vector<const char*> owners;  ///< Of the sources.
        bool is_learnt;
    };
    const Row kRows[] = {
        {{"user:u1"}, true},
        {{"company"}, true},
        {{"u1"}, true},
        {{"user:u2"}, false},
        {{"User: u2"}, false},
        {{" USER :u2 "}, false},
        {{"u2"}, false},
        {{"user:u3"}, false},
        {{"user:u1", "company", "user:u2"}, false},
    };
    RightsDesk desk;
    desk.done("u1", "POST", "/v1/sessions/chat-1", "{}");
    desk.done("u2", "POST", "/v1/sessions/chat-2", "{}");
    int number = 0;
    for (const auto& [owners, is_learnt] : kRows) {
        const auto fact = fmt::format("fact {}", ++number);
        const auto held = desk.give({.session = fmt::format("s-{}", number)});
        std::string sources;
        for (const auto* owner : owners) {
            if (!sources.empty()) sources += ',';
            sources += fmt::format(R"({{"owner_scope":"{}","source_id":"7"}})", owner);
        }
        desk.done(
            "byte",
            "POST",
            "/v1/deliveries/" + held.delivery + "/reply",
            fmt::format(
                R"({{"summary":"","result":"r","status":"success","new_facts":["{}"],)"
                R"("used_sources":[{}],"token_usage":{{"prompt":0,"completion":0,"total":0}}}})",
                fact,
                sources),
            202);
        const auto known = desk.done("u1", "GET", "/v1/sessions/chat-1/facts");
        EXPECT_EQ(known.find(fact) != std::string::npos, is_learnt) << sources << "\n" << known;
        const auto answer = desk.done("prime", "GET", "/v1/agents/prime/inbox");
        EXPECT_NE(answer.find(fact), std::string::npos) << "the answer itself counts";
        const auto delivery = text_at(answer, "/messages/0/delivery_id");
        desk.done("prime", "POST", "/v1/deliveries/" + delivery + "/ack", "", 204);
    }
}

}  // namespace
}  // namespace parlance::front_desk
