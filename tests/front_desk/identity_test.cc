// Rights by caller: every route against every kind of caller, identified by tokens.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gateway/route_table.h"
#include "identity/certificate_book.h"
#include "tests/front_desk/guarded_desk.h"

namespace parlance::front_desk {
namespace {

using gateway::CallerKind;
using gateway::Route;
using gateway::Who;
using identity::Kind;
using identity::testing::kDay;
using identity::testing::kNoon;

std::string challenge_of(const ScriptedExchange& exchange) {
    for (const auto& [name, value] : exchange.answers.back().headers) {
        if (name == "WWW-Authenticate") return value;
    }
    return "";
}

/// A hub without --dev; bob and alice are registered.
struct Guarded : GuardedDesk {
    Guarded() {
        for (const auto* agent : {"alice", "bob", "mallory"}) {
            tokens[agent] = mint({.kind = Kind::Agent, .name = agent});
        }
        tokens["viewer"] = mint_operator("vic", OperatorRole::Viewer);
        tokens["operator"] = mint_operator("olga", OperatorRole::Operator);
        tokens["admin"] = mint_operator("ann", OperatorRole::Admin);
        tokens["user"] = mint({.kind = Kind::User, .name = "u1"});
        for (const auto* agent : {"alice", "bob"}) {
            EXPECT_EQ(as(agent, "PUT", "/v1/agents/" + std::string{agent}, kProfile)->status(),
                      200);
        }
    }

    static constexpr const char* kProfile = R"({"dialect":"taskwire"})";
};

/// A path of the route; each {…} is filled in as bob's item or a missing item.
std::string path_of(const Route& route) {
    std::string path{route.pattern};
    constexpr std::pair<std::string_view, std::string_view> kWords[] = {{"{id}", "bob"},
                                                                        {"{agent}", "bob"},
                                                                        {"{topic}", "news"},
                                                                        {"{delivery_id}", "9.1"},
                                                                        {"{dialect}", "taskwire"},
                                                                        {"{kind}", "message"}};
    for (const auto& [word, stand_in] : kWords) {
        if (const auto at = path.find(word); at != std::string::npos) {
            path.replace(at, word.size(), stand_in);
        }
    }
    return path;
}

constexpr CallerKind kCallers[] = {{gateway::kAgents, "bob"},
                                   {gateway::kViewers, "viewer"},
                                   {gateway::kMereOperators, "operator"},
                                   {gateway::kAdmins, "admin"},
                                   {gateway::kUsers, "user"}};

TEST(Door, I1_RequiresAuthenticationOnEveryRoute) {
    Guarded desk;
    for (const auto& route : gateway::kRoutes) {
        const auto nobody = desk.ask(std::string{route.method}, path_of(route));
        desk.turn();
        if (route.who == gateway::kAnyone) {
            EXPECT_EQ(nobody->status(), 200) << route.pattern;
            continue;
        }
        EXPECT_EQ(nobody->status(), 401) << route.method << " " << route.pattern;
        EXPECT_EQ(code_in(nobody->body()), "IDENTITY_REQUIRED");
        EXPECT_EQ(challenge_of(*nobody), "Bearer realm=\"parlance\"");
    }
    EXPECT_EQ(desk.ask("GET", "/v1/secret")->status(), 401) << "also what is not there";
}

TEST(Door, I1_LetsEachKindOfCallerUseItsRoutesOnly) {
    Guarded desk;
    for (const auto& route : gateway::kRoutes) {
        for (const auto& caller : kCallers) {
            const auto exchange =
                desk.as(std::string{caller.name}, std::string{route.method}, path_of(route), "{}");
            const bool may = (route.who & (caller.bit | gateway::kAnyone)) != 0;
            const bool is_refused = code_in(exchange->body()) == "IDENTITY_ROLE_FORBIDDEN";
            EXPECT_EQ(is_refused, !may)
                << caller.name << " " << route.method << " " << route.pattern << ": "
                << exchange->status() << " " << exchange->body();
            EXPECT_EQ(exchange->answers.size(), 1U);
        }
    }
}

/// The same without the table, where a mistake in the table would hurt.
TEST(Door, X12_RefusesUsersTokensAndActionsOfViewers) {
    struct Case {
        const char* who;
        const char* method;
        const char* path;
        int status;
    };
    constexpr Case kCases[] = {
        {"user", "GET", "/v1/hub", 403},
        {"user", "GET", "/v1/agents", 403},
        {"user", "POST", "/v1/messages", 403},
        {"user", "POST", "/v1/delegations", 403},
        {"user", "GET", "/v1/events", 403},
        {"user", "GET", "/metrics", 403},
        {"user", "GET", "/openapi.json", 403},
        {"user", "GET", "/v1/agents/u1/inbox", 403},
        {"viewer", "GET", "/v1/hub", 200},
        {"viewer", "GET", "/metrics", 200},
        {"viewer", "GET", "/v1/agents", 200},
        {"viewer", "GET", "/v1/dead-letters", 200},
        {"viewer", "POST", "/v1/messages", 403},
        {"viewer", "GET", "/v1/agents/bob/inbox", 403},
        {"viewer", "DELETE", "/v1/agents/bob", 403},
        {"viewer", "POST", "/v1/workflows/w/cancel", 403},
        {"viewer", "POST", "/v1/dead-letters/1/redeliver", 403},
        {"bob", "POST", "/v1/dead-letters/1/redeliver", 403},
        {"bob", "POST", "/v1/dead-letters/1/discard", 403},
        {"bob", "GET", "/v1/hub", 403},
        {"bob", "GET", "/v1/events", 403},
        {"bob", "GET", "/metrics", 403},
        {"bob", "GET", "/", 403},
        {"bob", "GET", "/v1/agents/bob/inbox", 200},
        {"operator", "GET", "/v1/agents/bob/inbox", 200},
        {"user", "GET", "/healthz", 200},
        {"user", "GET", "/readyz", 200},
    };
    Guarded desk;
    for (const auto& row : kCases) {
        EXPECT_EQ(desk.as(row.who, row.method, row.path, "")->status(), row.status)
            << row.who << " " << row.method << " " << row.path;
    }
}

TEST(Door, I1_LetsNoAgentSpeakAsAnotherAgent) {
    struct Case {
        const char* method;
        const char* path;
        const char* body;
        Headers headers;
    };
    const Case kCases[] = {
        {"PUT", "/v1/agents/bob", Guarded::kProfile, {}},
        {"DELETE", "/v1/agents/bob", "", {}},
        {"GET", "/v1/agents/bob/inbox", "", {}},
        {"POST", "/v1/agents/bob/heartbeat", "", {}},
        {"PUT", "/v1/topics/news/subscribers/bob", "", {}},
        {"DELETE", "/v1/topics/news/subscribers/bob", "", {}},
        {"GET", "/v1/dead-letters?agent=bob", "", {}},
        {"POST",
         "/v1/messages",
         R"({"id":"m1","from":"alice","to":"bob","type":"ERROR_REPORT","payload":{}})",
         {}},
        {"POST",
         "/v1/delegations",
         R"({"request_id":"8f14e45f-ceea-467f-a5d4-6f0d8f4c2a11","origin_employee":"alice",)"
         R"("target_employee":"bob","objective":"look","input":"x","parent_session_id":"s1","user_id":"u1"})",
         {}},
        {"POST",
         "/v1/delegations",
         R"({"request_id":"8f14e45f-ceea-467f-a5d4-6f0d8f4c2a12",)"
         R"("target_employee":"bob","objective":"look","input":"x","parent_session_id":"s1","user_id":"u1"})",
         {{"X-Agent-Origin", "alice"}}},
        {"GET", "/v1/agents", "", {{"Parlance-Agent", "bob"}}},
    };
    Guarded desk;
    for (const auto& row : kCases) {
        const auto exchange = desk.as("mallory", row.method, row.path, row.body, row.headers);
        EXPECT_EQ(exchange->status(), 403) << row.method << " " << row.path;
        EXPECT_EQ(code_in(exchange->body()), "IDENTITY_MISMATCH") << exchange->body();
    }
    const auto record = desk.record();
    std::size_t count = 0;
    for (std::size_t at = 0; (at = record.find("IDENTITY_MISMATCH", at)) != std::string::npos;
         ++at) {
        const auto begin = record.rfind('\n', at);
        EXPECT_NE(record.substr(begin, at - begin).find(R"("from":"mallory")"), std::string::npos)
            << record.substr(begin, at - begin);
        ++count;
    }
    EXPECT_EQ(count, std::size(kCases)) << "each is on record once, under who it was";
}

TEST(Door, X13_AnAgentWithoutWorkForAUserNamesAUserOnlyWithAGrant) {
    const auto request = [](std::string_view id, std::string_view payload) {
        return fmt::format(
            R"({{"id":"{}","from":"alice","to":"bob","type":"TASK_ASSIGNMENT","payload":{}}})",
            id,
            payload);
    };
    Guarded desk;
    for (const auto* payload : {R"({"user_id":"u1"})", R"({"\u0075ser_id":"u1"})"}) {
        const auto exchange = desk.as("alice", "POST", "/v1/messages", request("m1", payload));
        EXPECT_EQ(exchange->status(), 403) << exchange->body();
        EXPECT_EQ(code_in(exchange->body()), "USER_ISOLATION_VIOLATED");
    }
    const std::pair<const char*, const char*> kNobodys[] = {{"m2", "{}"},
                                                            {"m3", R"({"user_id":"unknown"})"}};
    for (const auto& [id, payload] : kNobodys) {
        EXPECT_EQ(desk.as("alice", "POST", "/v1/messages", request(id, payload))->status(), 202)
            << payload;
    }
}

TEST(Door, I1_RecordsARefusedCallerUnderItsName) {
    Guarded desk;
    desk.as("user", "GET", "/v1/hub");
    desk.as("viewer", "POST", "/v1/messages", "{}");
    const auto record = desk.record();
    EXPECT_NE(record.find(R"("from":"u1","id":"","refusal":"IDENTITY_ROLE_FORBIDDEN")"),
              std::string::npos)
        << record;
    EXPECT_NE(record.find(R"("from":"vic","id":"","refusal":"IDENTITY_ROLE_FORBIDDEN")"),
              std::string::npos);
}

TEST(Door, T14_EveryOperatorMayExplainThePolicyForAnyMessage) {
    constexpr const char* kMessage =
        R"({"id":"m1","from":"alice","to":"bob","type":"TASK_ASSIGNMENT","payload":{}})";
    Guarded desk;
    for (const auto* who : {"viewer", "operator", "admin", "alice"}) {
        const auto told = desk.as(who, "POST", "/v1/policy/explain", kMessage);
        EXPECT_EQ(told->status(), 200) << who;
        EXPECT_NE(told->body().find(R"("allowed":true)"), std::string::npos) << told->body();
    }
    const auto told = desk.as("bob", "POST", "/v1/policy/explain", kMessage);
    EXPECT_NE(told->body().find("IDENTITY_MISMATCH"), std::string::npos) << told->body();
    EXPECT_EQ(desk.as("viewer", "POST", "/v1/messages", kMessage)->status(), 403);
    EXPECT_EQ(desk.as("bob", "GET", "/v1/agents/bob/inbox")->body(), R"({"messages":[]})");
}

TEST(Door, I1_ShowsAnAgentItsOwnDeadLettersOnly) {
    Guarded desk;
    desk.as("alice",
            "POST",
            "/v1/messages",
            R"({"id":"m1","from":"alice","to":"bob","type":"ERROR_REPORT","payload":{}})");
    const auto inbox = desk.as("bob", "GET", "/v1/agents/bob/inbox")->body();
    const auto at = inbox.find("\"delivery_id\":\"") + 15;
    const auto delivery = inbox.substr(at, inbox.find('"', at) - at);
    EXPECT_EQ(desk.as("bob", "POST", "/v1/deliveries/" + delivery + "/nack", R"({"final":true})")
                  ->status(),
              204);
    const auto letter = "/v1/dead-letters/" + delivery.substr(0, delivery.find('.'));
    for (const auto* who : {"bob", "viewer", "operator", "admin"}) {
        EXPECT_NE(desk.as(who, "GET", "/v1/dead-letters")->body().find("m1"), std::string::npos);
        EXPECT_EQ(desk.as(who, "GET", letter)->status(), 200) << who;
    }
    EXPECT_EQ(desk.as("mallory", "GET", "/v1/dead-letters")->body(), R"({"dead_letters":[]})");
    const auto others = desk.as("mallory", "GET", letter);
    const auto none = desk.as("mallory", "GET", "/v1/dead-letters/999");
    EXPECT_EQ(others->status(), 404);
    EXPECT_EQ(code_in(others->body()), code_in(none->body())) << "as if it were not there";
}

TEST(Door, I1_RefusesMalformedExpiredAndNonBearerTokens) {
    Guarded desk;
    const auto token = desk.tokens.at("admin");
    const auto try_with = [&](const std::string& value) {
        const auto exchange = desk.ask("GET", "/v1/hub", "", {{"Authorization", value}});
        desk.turn();
        return exchange;
    };
    for (const auto& right : {"Bearer " + token, "bearer " + token, "BEARER  " + token}) {
        EXPECT_EQ(try_with(right)->status(), 200) << right;
    }
    for (const auto& wrong : {"Bearer " + token + "x",
                              std::string{"Bearer "},
                              std::string{"Bearer"},
                              token,
                              "Basic " + token,
                              "Bearer x" + token,
                              "Bearer " + token.substr(0, token.size() - 1)}) {
        const auto exchange = try_with(wrong);
        EXPECT_EQ(exchange->status(), 401) << wrong;
        EXPECT_EQ(challenge_of(*exchange), "Bearer realm=\"parlance\", error=\"invalid_token\"");
        EXPECT_EQ(exchange->body().find(token), std::string::npos) << "no secret in an answer";
    }
    desk.clock = kNoon + kDay - Duration{1};
    EXPECT_EQ(try_with("Bearer " + token)->status(), 200);
    desk.clock = kNoon + kDay;
    EXPECT_EQ(try_with("Bearer " + token)->status(), 401);
}

TEST(Door, I1_HeedsARevocationOnTheNextRequest) {
    Guarded desk;
    EXPECT_EQ(desk.as("bob", "GET", "/v1/agents")->status(), 200);
    desk.revoke("bob");
    const auto refused = desk.as("bob", "GET", "/v1/agents");
    EXPECT_EQ(refused->status(), 401);
    EXPECT_NE(refused->body().find("was revoked"), std::string::npos) << refused->body();
    EXPECT_EQ(desk.as("alice", "GET", "/v1/agents")->status(), 200);
}

/// Recorded refusals of this caller with this code and with `about` in the reason.
std::size_t count_refused(const std::string& record,
                          const std::string& from,
                          std::string_view code,
                          std::string_view about) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = record.find(code, at)) != std::string::npos; ++at) {
        const auto begin = record.rfind('\n', at);
        const auto line = record.substr(begin + 1, record.find('\n', at) - begin - 1);
        if (line.find(R"("from":")" + from + '"') == std::string::npos) continue;
        if (line.find(about) != std::string::npos) ++count;
    }
    return count;
}

TEST(Door, I1_RecordsCallersWithARevokedOrInvalidProof) {
    Guarded desk;
    desk.revoke("bob");
    EXPECT_EQ(desk.as("bob", "GET", "/v1/agents")->status(), 401);
    EXPECT_EQ(desk.refusal_of(desk.proof("bob"))->status, 401);
    desk.certificate = std::make_shared<TlsCertificate>(
        TlsCertificate{.serial = "1f", .names = {"DNS:planner"}, .until = kNoon + kDay});
    EXPECT_EQ(desk.ask("GET", "/v1/agents")->status(), 401) << "an odd name";
    desk.certificate = std::make_shared<TlsCertificate>(
        TlsCertificate{.serial = "2f", .names = {"URI:parlance://agent/planner"}, .until = kNoon});
    EXPECT_EQ(desk.ask("GET", "/v1/agents")->status(), 401) << "expired";
    desk.certificate.reset();
    for (const auto& stranger : {Headers{}, Headers{{"Authorization", "Bearer x"}}}) {
        EXPECT_EQ(desk.ask("GET", "/v1/agents", "", stranger)->status(), 401);
    }
    const auto record = desk.record();
    EXPECT_EQ(count_refused(record, "bob", "IDENTITY_REQUIRED", "the token was revoked"), 2U);
    EXPECT_EQ(count_refused(record, "certificate 1f", "IDENTITY_REQUIRED", "exactly one name"), 1U);
    EXPECT_EQ(count_refused(record, "planner", "IDENTITY_REQUIRED", "has expired"), 1U);
    EXPECT_EQ(count_refused(record, "", "IDENTITY_REQUIRED", ""), 0U) << "nothing of strangers";
}

TEST(Door, I1_RecordsCrossSiteRequestsUnderTheirCaller) {
    Guarded desk;
    const Headers::value_type host{"Host", "hub:7420"};
    const Headers::value_type evil{"Origin", "https://evil.example"};
    EXPECT_EQ(desk.as("admin", "GET", "/v1/hub", "", {host, evil})->status(), 403);
    EXPECT_EQ(desk.as("admin", "POST", "/v1/fleet/resume", "{}", {{"User-Agent", "Mozilla/5.0"}})
                  ->status(),
              403);
    auto upgrade = desk.proof("bob");
    upgrade.insert(upgrade.end(), {host, evil});
    EXPECT_EQ(desk.refusal_of(upgrade)->status, 403);
    const auto record = desk.record();
    constexpr auto* kCode = "IDENTITY_ROLE_FORBIDDEN";
    EXPECT_EQ(count_refused(record, "ann", kCode, "GET /v1/hub: Origin names another site"), 1U);
    EXPECT_EQ(count_refused(record, "ann", kCode, "POST /v1/fleet/resume: a browser asks"), 1U);
    EXPECT_EQ(count_refused(record, "bob", kCode, "GET /v1/connect: Origin names"), 1U);
}

/// Another user's data answers like missing data, and the request is on record.
TEST(Door, X13_RecordsRequestsForAnotherUsersData) {
    struct Case {
        const char* who;
        const char* method;
        const char* path;  ///< '*' stands for the id.
        const char* body;
        const char* id;
        const char* code;
    };
    constexpr auto* kUsers = "USER_ISOLATION_VIOLATED";
    constexpr auto* kIdentity = "IDENTITY_MISMATCH";
    Guarded desk;
    desk.tokens["other"] = desk.mint({.kind = Kind::User, .name = "u2"});
    ASSERT_EQ(desk.as("user", "POST", "/v1/sessions/s1", "{}")->status(), 200);
    ASSERT_EQ(desk.as("admin",
                      "POST",
                      "/v1/state",
                      R"({"operation":"CREATE","entity_type":"TASK","entity_id":"t1",)"
                      R"("changes":{"user_id":"u1"},"version":0})")
                  ->status(),
              200);
    ASSERT_EQ(desk.as("alice", "PATCH", "/v1/contexts/w1", R"({"entities":{"a":1}})")->status(),
              200);
    ASSERT_EQ(desk.as("alice",
                      "POST",
                      "/v1/workflows",
                      R"({"workflow_id":"w1","steps":[{"id":"x","agent":"bob"}]})")
                  ->status(),
              202);
    ASSERT_EQ(desk.as("alice",
                      "POST",
                      "/v1/messages",
                      R"({"id":"m1","from":"alice","to":"bob","type":"HELP_REQUEST","payload":{}})")
                  ->status(),
              202);
    const Case kCases[] = {
        {"other", "GET", "/v1/sessions/*", "", "s1", kUsers},
        {"other", "GET", "/v1/sessions/*/facts", "", "s1", kUsers},
        {"mallory", "GET", "/v1/sessions/*/analyses", "", "s1", kUsers},
        {"mallory", "POST", "/v1/sessions/*/analyses", R"({"key":"k"})", "s1", kUsers},
        {"mallory", "GET", "/v1/state/tasks/*", "", "t1", kUsers},
        {"mallory", "GET", "/v1/contexts/*", "", "w1", kIdentity},
        {"mallory", "GET", "/v1/workflows/*", "", "w1", kIdentity},
        {"mallory", "GET", "/v1/requests/*/stream?agent=alice", "", "m1", kIdentity},
        {"mallory", "GET", "/v1/requests/*?agent=alice", "", "m1", kIdentity},
        {"other", "GET", "/v1/chat/*", "", "w1", kUsers},
    };
    const auto with = [](std::string text, std::string_view id) {
        if (const auto at = text.find('*'); at != std::string::npos) text.replace(at, 1, id);
        return text;
    };
    std::map<std::string, std::size_t> expected;
    for (const auto& row : kCases) {
        const auto asked = [&](std::string_view id) {
            const auto exchange =
                desk.as(row.who, row.method, with(row.path, id), with(row.body, id));
            if (exchange->status() == 0) desk.run_until([&] { return exchange->status() != 0; });
            auto body = exchange->body();
            for (std::size_t at = 0; (at = body.find(id, at)) != std::string::npos; ++at) {
                body.replace(at, id.size(), "*");
            }
            return std::to_string(exchange->status()) + body;
        };
        const auto none = row.path == std::string_view{"/v1/chat"} ? std::string{} : asked("zz");
        const auto told = asked(row.id);
        EXPECT_EQ(told.substr(0, 3), "404") << row.path << told;
        EXPECT_EQ(told, none.empty() ? told : none) << row.path;
        const auto key =
            std::string{row.who == std::string_view{"other"} ? "u2" : row.who} + " " + row.code;
        ++expected[key];
    }
    const auto record = desk.record();
    for (const auto& [key, count] : expected) {
        const auto space = key.find(' ');
        EXPECT_EQ(count_refused(record, key.substr(0, space), key.substr(space + 1), "may not see"),
                  count)
            << key;
    }
}

TEST(Door, RefusesOriginsOfOtherSites) {
    Guarded desk;
    const auto status = [&](const Headers& headers) {
        return desk.as("admin", "GET", "/v1/hub", "", headers)->status();
    };
    EXPECT_EQ(status({{"Host", "hub:7420"}, {"Origin", "https://hub:7420"}}), 200);
    EXPECT_EQ(status({{"Host", "hub:7420"}, {"Origin", "https://evil.example"}}), 403);
    EXPECT_EQ(status({{"Host", "hub:7420"}, {"Origin", "null"}}), 403);
    EXPECT_EQ(status({{"Host", "hub:7420"}}), 200);
}

/// A foreign name that resolves to the hub comes with a matching Origin.
TEST(Door, RefusesHostNamesThatAreNotTheHubs) {
    Guarded desk;
    const auto status = [&](const std::string& host) {
        return desk
            .as("admin", "GET", "/v1/hub", "", {{"Host", host}, {"Origin", "https://" + host}})
            ->status();
    };
    for (const auto* host : {"hub", "HUB:7420", "localhost:7420", "10.1.2.3:7420", "[::1]:7420"}) {
        EXPECT_EQ(status(host), 200) << host;
    }
    for (const auto* host : {"evil.example", "hub.evil.example:7420", "127.0.0.1.evil.example"}) {
        EXPECT_EQ(status(host), 403) << host;
    }
    auto upgrade = desk.proof("bob");
    upgrade.emplace_back("Host", "evil.example");
    EXPECT_EQ(code_in(desk.refusal_of(upgrade)->body), "IDENTITY_ROLE_FORBIDDEN");
    const auto record = desk.record();
    EXPECT_EQ(count_refused(record, "ann", "IDENTITY_ROLE_FORBIDDEN", "Host names"), 3U);
    EXPECT_EQ(count_refused(record, "bob", "IDENTITY_ROLE_FORBIDDEN", "Host names"), 1U);
    desk.gateway().be_called({"evil.example"});
    EXPECT_EQ(status("evil.example"), 200) << "its certificate has another name by now";
}

TEST(Door, I1_RefusesDuplicateIdentityHeaders) {
    Guarded desk;
    const auto twice = [&](const std::string& name, const Headers& more) {
        const auto answer = desk.as("mallory", "GET", "/v1/agents", "", more);
        EXPECT_EQ(answer->status(), 400) << name;
        EXPECT_NE(answer->body().find("'" + name + "' is there twice"), std::string::npos)
            << answer->body();
    };
    twice("Authorization", desk.proof("bob"));
    twice("Parlance-Agent", {{"Parlance-Agent", "mallory"}, {"parlance-agent", "bob"}});
    twice("Origin", {{"Origin", "https://hub"}, {"Origin", "https://evil.example"}});
    auto upgrade = desk.proof("bob");
    upgrade.push_back(desk.proof("alice").front());
    EXPECT_EQ(desk.refusal_of(upgrade)->status, 400);
}

TEST(Door, X12_RefusesADelegationWithAnEmptyHeader) {
    Guarded desk;
    const auto answer = desk.as(
        "alice",
        "POST",
        "/v1/delegations",
        R"({"request_id":"8f14e45f-ceea-467f-a5d4-6f0d8f4c2a11","origin_employee":"alice",)"
        R"("target_employee":"bob","objective":"look","input":"x","parent_session_id":"s1","user_id":"u1"})",
        {{"X-Agent-Depth", ""}});
    EXPECT_EQ(answer->status(), 422);
    EXPECT_NE(answer->body().find("X-Agent-Depth"), std::string::npos) << answer->body();
    EXPECT_EQ(desk.as("bob", "GET", "/v1/agents/bob/inbox")->body(), R"({"messages":[]})");
}

/// In each dialect: an answer in another agent's name is refused and recorded.
TEST(Door, I1_RefusesAnAnswerInAnotherAgentsName) {
    struct Case {
        const char* dialect;
        const char* answer;
    };
    const Case kCases[] = {
        {"taskwire", R"({"type":"TASK_COMPLETE","from":"mallory","payload":{}})"},
        {"kessel",
         R"({"source_agent":"mallory","status":"SUCCESS","result_json":{},)"
         R"("confidence_level":"HIGH"})"},
        {"sam",
         R"({"message_type":"RESPONSE","sender":{"agent_id":"mallory"},"payload":{"data":{}}})"},
        {"delegation",
         R"({"target_employee":"mallory","summary":"s","result":"r","status":"success",)"
         R"("token_usage":{"prompt":1,"completion":1,"total":2}})"},
        {"correlation",
         R"({"message_type":"status_update","agent":"mallory","status":"success","payload":{}})"},
    };
    int number = 0;
    for (const auto& row : kCases) {
        Guarded desk;
        const auto profile =
            R"({"dialect":")" + std::string{row.dialect} + R"(","role":"task_planning"})";
        ASSERT_EQ(desk.as("bob", "PUT", "/v1/agents/bob", profile)->status(), 200);
        const auto id = "m" + std::to_string(++number);
        ASSERT_EQ(desk.as("alice",
                          "POST",
                          "/v1/messages",
                          R"({"id":")" + id +
                              R"(","from":"alice","to":"bob","type":"HELP_REQUEST","payload":{}})")
                      ->status(),
                  202);
        const auto inbox = desk.as("bob", "GET", "/v1/agents/bob/inbox")->body();
        const auto at = inbox.find("\"delivery_id\":\"") + 15;
        const auto delivery = inbox.substr(at, inbox.find('"', at) - at);
        const auto path = "/v1/deliveries/" + delivery + "/reply";
        const auto refused = desk.as("bob", "POST", path, row.answer);
        EXPECT_EQ(refused->status(), 403) << row.dialect << refused->body();
        EXPECT_EQ(code_in(refused->body()), "IDENTITY_MISMATCH") << row.dialect;
        EXPECT_EQ(desk.as("alice", "GET", "/v1/agents/alice/inbox")->body(), R"({"messages":[]})")
            << row.dialect << ": nobody is told of an end";
        EXPECT_EQ(count_refused(desk.record(), "bob", "IDENTITY_MISMATCH", "mallory"), 1U);
        const auto socket = desk.open(desk.proof("bob"));
        socket->say(R"({"hello":{}})");
        desk.turn();
        socket->say(R"({"reply":[{"delivery_id":")" + delivery + R"(","message":)" + row.answer +
                    "}]}");
        desk.turn();
        EXPECT_NE(socket->frames.back().find("IDENTITY_MISMATCH"), std::string::npos)
            << row.dialect << socket->frames.back();
        std::string own{row.answer};
        own.replace(own.find("mallory"), 7, "bob");
        const auto taken = desk.as("bob", "POST", path, own);
        EXPECT_EQ(taken->status(), 202) << row.dialect << taken->body();
    }
}

TEST(Door, I1_RefusesRoutingQuestionsForAnotherAgent) {
    Guarded desk;
    const auto* question = R"({"agent":"alice","text":"hello there"})";
    EXPECT_EQ(code_in(desk.as("mallory", "POST", "/v1/route", question)->body()),
              "IDENTITY_MISMATCH");
    for (const auto* who : {"alice", "viewer", "operator"}) {
        EXPECT_NE(code_in(desk.as(who, "POST", "/v1/route", question)->body()), "IDENTITY_MISMATCH")
            << who;
    }
    EXPECT_EQ(count_refused(desk.record(), "mallory", "IDENTITY_MISMATCH", "may not ask for"), 1U);
}

TEST(Agents, ShowTheSecretInAnEndpointOnlyToItsAgentAndOperators) {
    Guarded desk;
    constexpr auto* kProfile =
        R"({"dialect":"taskwire","endpoint":"http://hooks.example/in?key=S3CRET"})";
    ASSERT_EQ(desk.as("bob", "PUT", "/v1/agents/bob", kProfile)->status(), 200);
    for (const auto* path : {"/v1/agents", "/v1/agents/bob"}) {
        for (const auto* who : {"bob", "operator", "admin"}) {
            EXPECT_NE(desk.as(who, "GET", path)->body().find("in?key=S3CRET"), std::string::npos)
                << who << path;
        }
        for (const auto* who : {"mallory", "alice", "viewer"}) {
            const auto body = desk.as(who, "GET", path)->body();
            EXPECT_EQ(body.find("S3CRET"), std::string::npos) << who << path;
            EXPECT_NE(body.find(R"("endpoint":"http://hooks.example/in")"), std::string::npos);
        }
    }
}

/// Requests that pages of other sites make a visitor's browser send: images, forms, frames, links.
TEST(Door, RefusesCrossSiteRequestsOfBrowsers) {
    struct Case {
        std::string method;
        std::string path;
        Headers headers;
        bool is_let_in;
    };
    const Headers::value_type mozilla{"User-Agent", "Mozilla/5.0 (X11)"};
    const Headers::value_type cross{"Sec-Fetch-Site", "cross-site"};
    const Headers::value_type same{"Sec-Fetch-Site", "same-origin"};
    const Headers::value_type page{"Origin", "https://hub:7420"};
    const Headers::value_type link{"Sec-Fetch-Mode", "navigate"};
    const std::vector<Case> cases{
        {"POST", "/v1/fleet/resume", {mozilla}, false},
        {"POST", "/v1/fleet/resume", {cross}, false},
        {"POST", "/v1/fleet/resume", {same}, false},
        {"POST", "/v1/fleet/resume", {mozilla, page}, true},
        {"POST", "/v1/fleet/resume", {{"User-Agent", "curl/7.88"}}, true},
        {"GET", "/v1/agents/bob/inbox", {mozilla}, false},
        {"GET", "/v1/agents/bob/inbox", {cross}, false},
        {"GET", "/v1/agents/bob/inbox", {mozilla, same}, true},
        {"GET", "/v1/hub", {mozilla, cross, link}, false},
        {"GET", "/v1/hub", {{"Sec-Fetch-Site", "same-site"}}, false},
        {"GET", "/v1/hub", {{"Sec-Fetch-Site", "none"}, link}, true},
        {"GET", "/v1/hub", {mozilla}, true},
        {"GET", "/", {mozilla, cross, link}, true},
        {"GET", "/", {mozilla, cross}, false},
    };
    Guarded desk;
    for (const auto& row : cases) {
        auto headers = row.headers;
        headers.emplace_back("Host", "hub:7420");
        const auto answer = desk.as("admin", row.method, row.path, "{}", headers);
        EXPECT_EQ(answer->status() != 403, row.is_let_in)
            << row.method << ' ' << row.path << ' ' << testing::PrintToString(headers) << ' '
            << answer->body();
    }
}

TEST(Door, X13_OnlyAnOperatorAppointsAnIntentClassifier) {
    constexpr auto* kReader = R"({"dialect":"kessel","capabilities":[{"code":"INTENT_CLASSIFY"}]})";
    Guarded desk;
    const auto itself = [&] { return desk.as("bob", "PUT", "/v1/agents/bob", kReader); };
    EXPECT_EQ(code_in(itself()->body()), "ROUTE_NOT_PERMITTED");
    const auto socket = desk.open(desk.proof("bob"));
    socket->say(R"({"hello":{"register":)" + std::string{kReader} + "}}");
    desk.turn();
    EXPECT_NE(socket->close_code, 0) << "nor by saying hello";
    EXPECT_EQ(desk.as("operator", "PUT", "/v1/agents/bob", kReader)->status(), 200);
    EXPECT_EQ(itself()->status(), 200) << "what it is, it may say again";
    FrontDesk dev;
    EXPECT_EQ(dev.now("PUT", "/v1/agents/bob", kReader).find("ROUTE_NOT_PERMITTED"),
              std::string::npos);
}

TEST(Door, X13_HidesAUsersTaskFromOthersWhereverTheTaskNamesTheUser) {
    Guarded desk;
    int number = 0;
    for (const auto* changes : {R"({"user_id":"u1"})",
                                R"({"context":{"user_id":"u1"}})",
                                R"({"context":{"metadata":{"user_id":"u1"}}})"}) {
        const auto id = "t-" + std::to_string(++number);
        const auto made = desk.as("admin",
                                  "POST",
                                  "/v1/state",
                                  R"({"operation":"CREATE","entity_type":"TASK","entity_id":")" +
                                      id + R"(","changes":)" + changes + R"(,"version":0})");
        ASSERT_EQ(made->status(), 200) << made->body();
        EXPECT_EQ(desk.as("mallory", "GET", "/v1/state/tasks/" + id)->status(), 404) << changes;
        EXPECT_EQ(desk.as("mallory", "GET", "/v1/state/tasks")->body(), R"({"tasks":{}})");
        EXPECT_EQ(desk.as("admin", "GET", "/v1/state/tasks/" + id)->status(), 200);
    }
}

// --- the duplex connection -------------------------------------------------------------------

TEST(Connect, I1_RequiresAnAgentsProof) {
    Guarded desk;
    EXPECT_EQ(desk.refusal_of({})->status, 401);
    EXPECT_EQ(desk.refusal_of({{"Authorization", "Bearer x"}})->status, 401);
    for (const auto* who : {"viewer", "operator", "admin", "user"}) {
        const auto refusal = desk.refusal_of(desk.proof(who));
        ASSERT_TRUE(refusal) << who;
        EXPECT_EQ(code_in(refusal->body), "IDENTITY_ROLE_FORBIDDEN") << who;
    }
    EXPECT_FALSE(desk.refusal_of(desk.proof("bob")));
}

TEST(Connect, I1_LetsNoAgentSayHelloOrSendAsAnotherAgent) {
    Guarded desk;
    const auto eve = desk.open(desk.proof("mallory"));
    eve->say(R"({"hello":{"agent":"bob"}})");
    desk.turn();
    EXPECT_NE(eve->frames.back().find("IDENTITY_MISMATCH"), std::string::npos);
    EXPECT_EQ(eve->close_code, 1008);

    const auto mallory = desk.open(desk.proof("mallory"));
    mallory->say(R"({"hello":{"register":{"dialect":"taskwire"}}})");
    desk.turn();
    EXPECT_NE(mallory->frames.back().find(R"("agent":"mallory")"), std::string::npos);
    mallory->say(
        R"({"send":[{"id":"m9","from":"alice","to":"bob","type":"ERROR_REPORT","payload":{}}]})");
    desk.turn();
    EXPECT_NE(mallory->frames.back().find("IDENTITY_MISMATCH"), std::string::npos);
    EXPECT_EQ(desk.as("bob", "GET", "/v1/agents/bob/inbox")->body(), R"({"messages":[]})");
}

TEST(Connect, I1_EndsWhenItsTokenIsRevokedOrExpires) {
    Guarded desk;
    const auto bob = desk.open(desk.proof("bob"));
    const auto alice = desk.open(desk.proof("alice"));
    for (const auto& socket : {bob, alice}) socket->say(R"({"hello":{}})");
    desk.turn();
    desk.gateway().review();
    EXPECT_EQ(bob->close_code, 0);
    desk.revoke("bob");
    desk.gateway().review();
    desk.turn();
    EXPECT_EQ(bob->close_code, 1008);
    EXPECT_NE(bob->frames.back().find("IDENTITY_REQUIRED"), std::string::npos);
    EXPECT_EQ(alice->close_code, 0);
    EXPECT_NE(desk.as("admin", "GET", "/v1/agents/bob")->body().find("OFFLINE"), std::string::npos);

    desk.clock = kNoon + kDay - Duration{1};
    desk.gateway().review();
    EXPECT_EQ(alice->close_code, 0);
    desk.clock = kNoon + kDay + std::chrono::seconds{1};
    desk.gateway().review();
    EXPECT_EQ(alice->close_code, 1008);
}

TEST(Connect, S15_EndsWhenTheCertificateIsRevokedThoughTheTokenHolds) {
    Guarded desk;
    desk.certificate = std::make_shared<TlsCertificate>(TlsCertificate{
        .serial = "ab1", .names = {"URI:parlance://agent/bob"}, .until = kNoon + kDay});
    const auto bob = desk.open(desk.proof("bob"));
    ASSERT_NE(bob, nullptr);
    bob->say(R"({"hello":{}})");
    desk.turn();
    desk.gateway().review();
    EXPECT_EQ(bob->close_code, 0);
    ASSERT_TRUE(identity::revoke_certificates(identity::Folder{desk.path()}, "ab1", kNoon));
    desk.gateway().review();
    EXPECT_EQ(bob->close_code, 1008);
}

TEST(Waiting, I1_ForAWorkflowOrAChatTurnEndsWhenTheCallersTokenIsRevoked) {
    Guarded desk;
    const auto profile =
        R"({"dialect":"kessel","capabilities":[{"code":"ANL_NPV","description":"Net present value",)"
        R"("examples":["Compute the NPV","net present value of this project"]}]})";
    ASSERT_EQ(desk.as("operator", "PUT", "/v1/agents/bob", profile)->status(), 200);
    const auto flow = desk.as("alice",
                              "POST",
                              "/v1/workflows",
                              R"({"workflow_id":"w1","steps":[{"id":"x","agent":"bob"}]})",
                              {{"Prefer", "wait=60000"}});
    const auto chat = desk.as(
        "user", "POST", "/v1/chat", R"({"text":"Compute the NPV"})", {{"Prefer", "wait=60000"}});
    std::string inbox;
    desk.run_until([&] {
        inbox += desk.as("bob", "GET", "/v1/agents/bob/inbox?max=9")->body();
        return inbox.find("ANL_NPV") != std::string::npos;
    });
    EXPECT_EQ(flow->status(), 0);
    EXPECT_EQ(chat->status(), 0);
    for (const auto* who : {"alice", "user"}) desk.revoke(who);
    desk.gateway().review();
    EXPECT_EQ(flow->status(), 401);
    EXPECT_EQ(chat->status(), 401);
    EXPECT_EQ(flow->answers.size() + chat->answers.size(), 2U);
}

TEST(Waiting, EndsWhenTheCallersTokenIsRevoked) {
    Guarded desk;
    const auto inbox = desk.as("bob", "GET", "/v1/agents/bob/inbox?wait=60000");
    const auto events = desk.as("viewer", "GET", "/v1/events");
    const auto held =
        desk.as("alice",
                "POST",
                "/v1/messages",
                R"({"id":"m1","from":"alice","to":"alice","type":"HELP_REQUEST","payload":{}})",
                {{"Prefer", "wait=60000"}});
    EXPECT_EQ(inbox->status(), 0);
    EXPECT_EQ(held->status(), 0);
    EXPECT_FALSE(events->has_ended);
    for (const auto* who : {"bob", "viewer", "alice"}) desk.revoke(who);
    desk.gateway().review();
    desk.turn();
    EXPECT_EQ(inbox->status(), 401);
    EXPECT_TRUE(events->has_ended);
    EXPECT_EQ(held->status(), 202) << "the answer is not told to one who is nobody now";
}

// --- with --dev ------------------------------------------------------------------------------

TEST(DevDoor, I1_BelievesIdentityHeaders) {
    FrontDesk desk;
    const auto status = [&](const char* header, const char* path) {
        const auto exchange = desk.ask("GET", path, "", {{header, "x"}});
        desk.turn();
        return exchange->status();
    };
    EXPECT_EQ(status("Parlance-User", "/v1/agents"), 403);
    EXPECT_EQ(status("Parlance-User", "/healthz"), 200);
    EXPECT_EQ(status("Parlance-Agent", "/v1/agents"), 200);
    EXPECT_EQ(status("Parlance-Agent", "/v1/hub"), 403);
    EXPECT_EQ(status("Parlance-Operator", "/v1/hub"), 200);
    EXPECT_EQ(status("X-Nothing", "/v1/hub"), 200) << "who says nothing may look at everything";
}

TEST(DevDoor, RefusesNamesThatOnlyBeginLikeLoopbackAndOtherOrigins) {
    FrontDesk desk;
    const auto status = [&](const Headers& headers) {
        const auto exchange = desk.ask("GET", "/v1/hub", "", headers);
        desk.turn();
        return exchange->status();
    };
    for (const auto* host : {"localhost",
                             "localhost:7420",
                             "127.0.0.1",
                             "127.0.0.1:7420",
                             "127.1.2.3:80",
                             "[::1]",
                             "[::1]:7420"}) {
        EXPECT_EQ(status({{"Host", host}}), 200) << host;
        EXPECT_EQ(status({{"Host", host}, {"Origin", std::string{"http://"} + host}}), 200) << host;
    }
    for (const auto* host : {"127.evil.example",
                             "127.0.0.1.evil.example",
                             "127.0.0.1.evil.example:7420",
                             "localhost.evil.example",
                             "[::1].evil.example",
                             "128.0.0.1"}) {
        EXPECT_EQ(status({{"Host", host}}), 403) << host;
    }
    // Another port on the same machine is another origin.
    const Headers::value_type host{"Host", "127.0.0.1:7420"};
    for (const auto* origin : {"http://127.0.0.1:3000", "http://localhost:7420", "null"}) {
        EXPECT_EQ(status({host, {"Origin", origin}}), 403) << origin;
    }
}

TEST(PushEndpoint, IsNotOnAPrivateAddressUnlessItsHostIsAllowed) {
    identity::testing::Scratch scratch;
    auto door = guarded(scratch.path());
    door.hosts_allowed = {"10.0.0.2", "hooks.localhost"};
    FrontDesk desk{{}, door};
    const auto token =
        identity::mint_token(identity::Folder{scratch.path()},
                             {.kind = Kind::Agent, .name = "bob", .expires = kNoon + kDay},
                             kNoon);
    const auto register_at = [&](const std::string& url) {
        const auto asked = desk.ask("PUT",
                                    "/v1/agents/bob",
                                    R"({"dialect":"taskwire","endpoint":")" + url + R"("})",
                                    {{"Authorization", "Bearer " + token->secret}});
        desk.turn();
        return asked;
    };
    for (const auto* url : {"http://169.254.169.254/x",
                            "http://10.0.0.1",
                            "http://127.0.0.1:80/",
                            "http://2130706433/",
                            "http://[::1]:80/",
                            "http://localhost/"}) {
        const auto refused = register_at(url);
        EXPECT_EQ(refused->status(), 422) << url;
        EXPECT_NE(refused->body().find("/endpoint must not be on a loopback"), std::string::npos)
            << refused->body();
        EXPECT_NE(refused->body().find("people.hosts_allowed"), std::string::npos);
    }
    EXPECT_EQ(register_at("http://10.0.0.2/x")->status(), 200);
    EXPECT_EQ(register_at("http://hooks.localhost/x")->status(), 200);
    // Checked when the hub calls it.
    EXPECT_EQ(register_at("http://hooks.example/x")->status(), 200);
}

}  // namespace
}  // namespace parlance::front_desk
