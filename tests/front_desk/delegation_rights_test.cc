// Rights in delegation: every route, tried by callers without the right. Every attempt is refused,
// on record once under the real caller, and without effect.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gateway/route_table.h"
#include "tests/front_desk/rights_desk.h"

namespace parlance::front_desk {
namespace {

constexpr const char* kMessages = "/v1/messages";
constexpr const char* kDelegations = "/v1/delegations";
constexpr const char* kState = "/v1/state";
constexpr const char* kTools = "/v1/tools/authorize";
constexpr const char* kMismatch = "IDENTITY_MISMATCH";
constexpr const char* kForbidden = "IDENTITY_ROLE_FORBIDDEN";
constexpr const char* kIsolation = "USER_ISOLATION_VIOLATED";
constexpr const char* kNoSession = "SESSION_NOT_FOUND";
constexpr const char* kTooDeep = "DELEGATION_DEPTH_EXCEEDED";
constexpr const char* kTooBroad = "DELEGATION_FANOUT_EXCEEDED";
constexpr const char* kCycle = "DELEGATION_CYCLE_DETECTED";
constexpr const char* kTooDear = "BUDGET_TOKENS_EXCEEDED";
constexpr const char* kNoTool = "TOOL_NOT_ALLOWED";

// --- the checks themselves -------------------------------------------------------------------

TEST(Rights, FootprintsDifferAfterAnyEffect) {
    RightsDesk desk;
    const auto before = desk.footprint();
    EXPECT_TRUE(desk.footprint() == before);
    desk.done("prime", "POST", kMessages, desk.written({}), 202);
    const auto with_it = desk.footprint();
    EXPECT_FALSE(with_it == before) << "a message that is accepted is an effect";
    desk.done("prime", "POST", "/v1/sessions/chat-1", R"({"user_id":"u1"})");
    EXPECT_FALSE(desk.footprint() == with_it) << "a session that is kept is one";
}

// --- as another agent ------------------------------------------------------------------------

TEST(Rights, I1_A1_NoAgentSendsAsAnotherAgent) {
    RightsDesk desk;
    for (const auto& [name, write] : kLanguages) {
        desk.expect_message_refused({.name = name,
                                     .who = "mallory",
                                     .body = write({.from = "prime", .to = "tag", .user = "u1"}),
                                     .code = kMismatch});
    }
    for (const auto* to : {"tag", "topic:news"}) {
        const auto report = fmt::format(
            R"({{"id":"m1","from":"byte","to":"{}","type":"ERROR_REPORT","payload":{{}}}})", to);
        desk.expect_message_refused(
            {.name = "one-way", .who = "mallory", .body = report, .code = kMismatch});
    }
    const std::string nameless =
        R"({"request_id":"6b1f0d1e-7c55-4a6e-9a77-000000000002","target_employee":"tag",)"
        R"("user_id":"u1","parent_session_id":"s-1","objective":"Sort","input":"x"})";
    const auto as_prime = desk.written({.to = "tag"});
    const auto as_mallory = desk.written({.from = "mallory", .to = "tag"});
    // clang-format off
    const Attack kAttacks[] = {
        {"by header alone",     "mallory", "POST", kDelegations, nameless,   403, kMismatch, {{"X-Agent-Origin", "prime"}}},
        {"by header and body",  "mallory", "POST", kDelegations, as_prime,   403, kMismatch, {{"X-Agent-Origin", "prime"}}},
        {"one of two is a lie", "mallory", "POST", kDelegations, as_mallory, 403, kMismatch, {{"X-Agent-Origin", "prime"}}},
        {"the other is",        "mallory", "POST", kDelegations, as_prime,   403, kMismatch, {{"X-Agent-Origin", "mallory"}}},
        {"a header of --dev",   "mallory", "POST", kMessages,    as_mallory, 403, kMismatch, {{"Parlance-Agent", "prime"}}},
        {"hello",               "mallory", kHello, "", R"({"hello":{"agent":"byte"}})", 0, kMismatch},
    };
    // clang-format on
    for (const auto& attack : kAttacks) desk.expect_refused(attack);
}

TEST(Rights, I1_A1_NoAgentActsAsAnotherAgentOnOtherRoutes) {
    RightsDesk desk;
    desk.done("admin", "PATCH", "/v1/contexts/w-1", R"({"current_agent":"byte","entities":{}})");
    desk.done("admin",
              "POST",
              kState,
              R"({"operation":"CREATE","entity_type":"TASK","entity_id":"t-1","version":0,)"
              R"("changes":{"assigned_agent":"byte"}})");
    desk.done("prime", "POST", "/v1/sessions/chat-1", R"({"user_id":"u1"})");
    desk.done("prime",
              "POST",
              "/v1/workflows",
              R"({"workflow_id":"wf-1","name":"n","user_id":"u1",)"
              R"("steps":[{"id":"a","agent":"tag","capability":"SORT"}]})",
              202);
    const auto change = [](const char* operation, const char* kind, const char* changes) {
        return fmt::format(
            R"({{"operation":"{}","entity_type":"{}","entity_id":"t-1","version":1,"changes":{}}})",
            operation,
            kind,
            changes);
    };
    const auto own = change("UPDATE", "TASK", R"({"status":"completed"})");
    const auto end = change("DELETE", "TASK", "{}");
    const auto allocation = change(
        "CREATE", "RESOURCE", R"({"agent_id":"mallory","resource_type":"tokens","limit":9})");
    const auto policy = change("UPDATE", "POLICY", R"({"budget_limits":{"per_task":0}})");
    const std::string reader =
        R"({"dialect":"kessel","tools_allowed":["ocr"],"capabilities":[{"code":"INTENT_CLASSIFY"}]})";
    // clang-format off
    const Attack kAttacks[] = {
        {"a tool",            "mallory", "POST",   kTools, R"({"agent":"byte","tool":"ocr"})", 403, kMismatch, {}, kToolRecord},
        {"a context",         "mallory", "PATCH",  "/v1/contexts/w-1", R"({"agent":"byte","status":"DONE"})", 403, kMismatch},
        {"as itself",         "mallory", "PATCH",  "/v1/contexts/w-1", R"({"status":"DONE"})", 403, "CONTEXT_NOT_OWNER"},
        {"a fresh one",       "mallory", "PATCH",  "/v1/contexts/w-9", R"({"agent":"byte","status":"DONE"})", 403, kMismatch},
        {"a handoff",         "mallory", "POST",   "/v1/contexts/w-1/handoff", R"({"agent":"byte","to":"mallory"})", 403, kMismatch},
        {"as itself",         "mallory", "POST",   "/v1/contexts/w-1/handoff", R"({"to":"mallory"})", 403, "CONTEXT_NOT_OWNER"},
        {"a task",            "mallory", "POST",   kState, own, 403, kMismatch},
        {"its end",           "mallory", "POST",   kState, end, 403, kMismatch},
        {"an allocation",     "mallory", "POST",   kState, allocation, 403, kForbidden},
        {"the policy",        "mallory", "POST",   kState, policy, 403, kForbidden},
        {"all of it",         "mallory", "PUT",    "/v1/policy", R"({"hub":{"depth_max":64}})", 403, kForbidden},
        {"part of a session", "prime",   "POST",   "/v1/sessions/chat-1", R"({"agent":"byte","agent_state":{}})", 403, kMismatch},
        {"a fact",            "prime",   "POST",   "/v1/sessions/chat-1/facts", R"({"agent":"byte","about":"tea","value":1})", 403, kMismatch},
        {"an analysis",       "prime",   "POST",   "/v1/sessions/chat-1/analyses", R"({"agent":"byte","key":"k","result":1})", 403, kMismatch},
        {"end of a workflow", "mallory", "POST",   "/v1/workflows/wf-1/cancel", "{}", 404, "DELEGATION_NOT_FOUND"},
        {"an inbox",          "mallory", "GET",    "/v1/agents/byte/inbox", "", 403, kMismatch},
        {"a sign of life",    "mallory", "POST",   "/v1/agents/byte/heartbeat", "", 403, kMismatch},
        {"a registration",    "mallory", "PUT",    "/v1/agents/byte", R"({"dialect":"sam"})", 403, kMismatch},
        {"a removal",         "mallory", "DELETE", "/v1/agents/byte", "", 403, kMismatch},
        {"a subscription",    "mallory", "PUT",    "/v1/topics/news/subscribers/byte", "", 403, kMismatch},
        {"its end",           "mallory", "DELETE", "/v1/topics/news/subscribers/byte", "", 403, kMismatch},
        {"dead letters",      "mallory", "GET",    "/v1/dead-letters?agent=byte", "", 403, kMismatch},
        {"tools for itself",  "mallory", "PUT",    "/v1/agents/mallory", R"({"dialect":"sam","tools_allowed":["ocr","pay"]})", 403, kNoTool},
        {"what users say",    "mallory", "PUT",    "/v1/agents/mallory", reader, 403, "ROUTE_NOT_PERMITTED"},
        {"by hello",          "mallory", kHello,   "", R"({"hello":{"register":)" + reader + "}}", 0, "ROUTE_NOT_PERMITTED"},
        {"the fleet",         "mallory", "POST",   "/v1/fleet/stop", "{}", 403, kForbidden},
    };
    // clang-format on
    for (const auto& attack : kAttacks) desk.expect_refused(attack);
}

TEST(Rights, I1_D5_A1_NoAgentSettlesADeliveryOfAnotherAgent) {
    RightsDesk desk;
    const auto held = desk.give({});
    const std::string answer =
        R"({"summary":"","result":"","status":"success","token_usage":{"prompt":0,"completion":0,"total":0}})";
    struct Settling {
        const char* verb;
        std::string body;   ///< Of an HTTP request.
        std::string frame;  ///< What follows the delivery id in a frame.
    };
    const Settling kSettlings[] = {{"nack", R"({"final":true})", R"(,"final":true)"},
                                   {"extend", R"({"by_ms":1})", R"(,"by_ms":1)"},
                                   {"progress", R"("half")", R"(,"note":"half")"},
                                   {"reply", answer, R"(,"message":)" + answer},
                                   {"ack", "", ""}};
    for (const auto& [verb, body, more] : kSettlings) {
        Attack attack{.name = verb,
                      .who = "mallory",
                      .method = "POST",
                      .path = fmt::format("/v1/deliveries/{}/{}", held.delivery, verb),
                      .body = body,
                      .status = 403,
                      .code = kMismatch,
                      .record = "SettlementRefused"};
        desk.expect_refused(attack);
        const auto item = more.empty()
                              ? fmt::format(R"("{}")", held.delivery)
                              : fmt::format(R"({{"delivery_id":"{}"{}}})", held.delivery, more);
        attack.method = kFrame;
        attack.path.clear();
        attack.status = 0;
        attack.body = fmt::format(R"({{"{}":[{}]}})", verb, item);
        desk.expect_refused(attack);
    }
    // A message that claims to be byte's answer is refused too.
    const auto forged = fmt::format(
        R"({{"request_id":"{}","target_employee":"byte","child_session_id":"{}","summary":"","result":"",)"
        R"("status":"success","token_usage":{{"prompt":0,"completion":0,"total":0}}}})",
        held.id,
        held.session);
    desk.expect_message_refused(
        {.name = "as a message", .who = "mallory", .body = forged, .code = kMismatch});
    desk.done("byte", "POST", "/v1/deliveries/" + held.delivery + "/reply", answer, 202);
}

// --- tokens of another kind ------------------------------------------------------------------

/// As specified, independently of the route table.
bool is_for_users(std::string_view path) {
    const auto is_below = [&](std::string_view place) {
        return path == place || path.starts_with(std::string{place} + "/");
    };
    return is_below("/v1/chat") || is_below("/v1/sessions");
}
bool is_for_all(std::string_view path) { return path == "/healthz" || path == "/readyz"; }

TEST(Rights, X12_I1_A1_AUsersTokenWorksForChatAndSessionsOnly) {
    RightsDesk desk;
    std::size_t shut = 0;
    for (const auto& route : gateway::kRoutes) {
        std::string path{route.pattern};
        for (auto at = path.find('{'); at != std::string::npos; at = path.find('{')) {
            path.replace(at, path.find('}') - at + 1, "byte");
        }
        if (is_for_all(path)) continue;
        const auto method = std::string{route.method};
        if (is_for_users(path)) {
            const auto answer = desk.as("u1", method, path, "{}");
            EXPECT_NE(code_in(answer->body()), kForbidden) << method << " " << path;
            continue;
        }
        ++shut;
        desk.expect_refused({"a user's token", "u1", method, path, "{}", 403, kForbidden});
    }
    EXPECT_GT(shut, 40U) << "most of the routes there are";
    auto last = desk.last_record();
    const auto refusal = desk.refusal_of(desk.proof("u1"));
    desk.turn();
    ASSERT_TRUE(refusal) << "a user has a duplex connection";
    EXPECT_EQ(refusal->status, 403);
    desk.expect_on_record(last, {.who = "u1", .code = kForbidden});
    // The record of a refused delegation has its objective.
    last = desk.last_record();
    desk.as("u1", "POST", kDelegations, desk.written({.objective = "Steal"}));
    EXPECT_EQ(text_at(desk.records_behind(last).at(0).data, "/objective"), "Steal");
}

TEST(Rights, X12_X13_A1_AnAgentsTokenIsNotAUsersToken) {
    RightsDesk desk;
    desk.done("u1", "POST", "/v1/sessions/chat-1", R"({"history_reference":"h"})");
    // clang-format off
    const Attack kAttacks[] = {
        {"words of a user",        "mallory", "POST", "/v1/chat", R"({"text":"sort","user_id":"u1"})", 403, kIsolation},
        {"in the user's session",  "mallory", "POST", "/v1/chat", R"({"text":"sort","user_id":"u1","session_id":"chat-1"})", 403, kIsolation},
        {"of another user",        "prime",   "POST", "/v1/chat", R"({"text":"sort","user_id":"u2"})", 403, kIsolation},
        {"in another's session",   "scout",   "POST", "/v1/chat", R"({"text":"sort","user_id":"u2","session_id":"chat-1"})", 404, kNoSession},
        {"by that user itself",    "u2",      "POST", "/v1/chat", R"({"text":"sort","session_id":"chat-1"})", 404, kNoSession},
        {"a user as another",      "u2",      "POST", "/v1/chat", R"({"text":"sort","user_id":"u1"})", 403, kIsolation},
        {"a fresh session",        "mallory", "POST", "/v1/sessions/chat-9", R"({"user_id":"u1"})", 404, kNoSession},
        {"a change of one",        "mallory", "POST", "/v1/sessions/chat-1", R"({"user_id":"u1","history_reference":"x"})", 404, kNoSession},
        {"for a user of its own",  "scout",   "POST", "/v1/sessions/chat-1", R"({"user_id":"u2"})", 404, kNoSession},
        {"by that user itself",    "u2",      "POST", "/v1/sessions/chat-1", R"({"workflow_state":{}})", 404, kNoSession},
        {"a fact",                 "mallory", "POST", "/v1/sessions/chat-1/facts", R"({"about":"tea","value":1})", 404, kNoSession},
        {"an analysis",            "mallory", "POST", "/v1/sessions/chat-1/analyses", R"({"key":"k","result":1})", 404, kNoSession},
    };
    // clang-format on
    for (const auto& attack : kAttacks) desk.expect_refused(attack);
    // The same holds for a session known only from a tree of delegations.
    const auto held = desk.give({.session = "s-1"});
    for (const auto& session : {std::string{"s-1"}, held.session}) {
        const auto path = "/v1/sessions/" + session;
        const auto words = fmt::format(R"({{"text":"sort","session_id":"{}"}})", session);
        desk.expect_refused({"to chat in it", "u2", "POST", "/v1/chat", words, 404, kNoSession});
        desk.expect_refused({"to keep it", "u2", "POST", path, "{}", 404, kNoSession});
        const std::string for_u2 = R"({"user_id":"u2"})";
        desk.expect_refused({"for another", "scout", "POST", path, for_u2, 404, kNoSession});
    }
}

// --- depth, origin, parent, budget, time, user -----------------------------------------------

TEST(Rights, X4_G1_I2_A1_NoDelegationExceedsItsDepthWhateverItsClaim) {
    RightsDesk desk;
    const auto held = desk.give({.limits = R"({"max_depth":2,"max_tokens":1000})"});
    const auto deeper = [&](DelegationRequestFields fields) {
        fields.from = "byte";
        fields.to = "tag";
        fields.objective = "Sort";
        desk.expect_message_refused(
            {.name = "deeper", .who = "byte", .body = desk.written(fields), .code = kTooDeep});
    };
    for (const auto& session : {held.session, std::string{"s-1"}, std::string{"never-heard-of"}}) {
        deeper({.session = session});
        deeper({.session = session, .more = R"(,"current_depth":0)"});
        deeper({.session = session, .more = R"(,"current_depth":1)"});
    }
    for (const auto* user : {"unknown", "UNKNOWN ", ""}) deeper({.session = "s-5", .user = user});
    for (const auto& [name, write] : kLanguages) {
        const auto message = write({.from = "byte", .to = "tag"});
        desk.expect_message_refused(
            {.name = name, .who = "byte", .body = message, .code = kTooDeep});
    }
    for (const auto& [depth, session] : {std::pair{"0", held.session},
                                         std::pair{"0", std::string{"s-1"}},
                                         std::pair{"1", std::string{"never-heard-of"}}}) {
        desk.expect_refused(
            {"by headers",
             "byte",
             "POST",
             kDelegations,
             R"({"target_employee":"tag","user_id":"u1","objective":"Sort","input":"x",)"
             R"("constraints":{"max_depth":8,"max_tokens":10}})",
             403,
             kTooDeep,
             {{"X-Agent-Origin", "byte"},
              {"X-Agent-Request-ID", "6b1f0d1e-7c55-4a6e-9a77-000000000003"},
              {"X-Agent-Depth", depth},
              {"X-Agent-Parent-Session", session}}});
    }
    // A claim of a greater depth counts; two contradictory claims are refused.
    const auto deep =
        desk.written({.to = "tag", .session = "s-2", .more = R"(,"current_depth":8)"});
    desk.expect_message_refused(
        {.name = "declared", .who = "prime", .body = deep, .code = kTooDeep});
    const std::string invalid = "INPUT_VALIDATION_FAILED";
    const Headers kContradictions[] = {
        {{"X-Agent-Depth", "0"}},
        {{"X-Agent-Parent-Session", "s-9"}},
        {{"X-Agent-Request-ID", "6b1f0d1e-7c55-4a6e-9a77-000000000009"}}};
    for (const auto& headers : kContradictions) {
        desk.expect_refused(
            {"two of them", "prime", "POST", kDelegations, deep, 422, invalid, headers});
    }
}

/// byte works at depth 1 of 8, for u1, with ocr and 1000 tokens for a minute.
Held give_byte(RightsDesk& desk) {
    return desk.give({.limits = R"({"max_depth":8,"max_tokens":1000,"deadline_ms":60000})",
                      .more = R"(,"tools":["ocr"])"});
}

TEST(Rights, X8_X13_I2_I3_G4_A1_ADelegationNeverExceedsItsSendersGrant) {
    RightsDesk desk;
    const auto held = give_byte(desk);
    struct Row {
        const char* name;
        const char* limits;
        const char* user;
        const char* more;
        const char* code;
    };
    constexpr const char* kModest = R"({"max_depth":8,"max_tokens":100})";
    constexpr const char* kTooMuch = R"({"max_depth":8,"max_tokens":1001})";
    // clang-format off
    const Row kRows[] = {
        {"budget",            kTooMuch, "u1", "", kTooDear},
        {"no budget at all",  R"({"max_depth":8,"max_tokens":0})", "u1", "", kTooDear},
        {"no depth at all",   R"({"max_depth":0,"max_tokens":100})", "u1", "", kTooDeep},
        {"a user",            kModest, "u2", "", kIsolation},
        {"in other letters",  kModest, "U1", "", kIsolation},
        {"a tool",            kModest, "u1", R"(,"tools":["sql"])", kNoTool},
        {"among others",      kModest, "u1", R"(,"tools":["ocr","sql"])", kNoTool},
        {"a source",          kModest, "u1", R"(,"handoff_data":{"references":[{"owner_scope":"user:u2","source_id":"7"}]})", kIsolation},
    };
    // clang-format on
    for (const auto& [name, limits, user, more, code] : kRows) {
        for (const auto& session : {held.session, std::string{"never-heard-of"}}) {
            const auto body = desk.written({.from = "byte",
                                            .to = "tag",
                                            .session = session,
                                            .user = user,
                                            .objective = "Sort",
                                            .limits = limits,
                                            .more = more});
            desk.expect_message_refused({.name = name, .who = "byte", .body = body, .code = code});
        }
    }
    // Time is not refused but cut: a minute's grant leaves at most the rest of the minute.
    desk.clock += std::chrono::seconds{20};
    const auto pass_on = [&](const char* to, const char* limits) {
        return DelegationRequestFields{.from = "byte",
                                       .to = to,
                                       .session = held.session,
                                       .objective = "Sort",
                                       .limits = limits};
    };
    const auto below =
        desk.give(pass_on("tag", R"({"max_depth":64,"max_tokens":100,"deadline_ms":600000})"));
    EXPECT_EQ(text_at(below.grant, "/deadline_ms"), "40000");
    EXPECT_EQ(text_at(below.grant, "/depth_max"), "8") << "nor is a wider depth one";
    EXPECT_EQ(text_at(below.grant, "/depth"), "2");
    EXPECT_EQ(text_at(below.grant, "/tokens"), "100");
    EXPECT_EQ(text_at(below.grant, "/tools"), R"(["ocr"])") << "who says nothing passes its own on";
    EXPECT_EQ(text_at(below.grant, "/user"), "u1");
    EXPECT_EQ(text_at(below.grant, "/parent"), "byte");
    // byte's tokens are used up: a hundred and nine hundred, and none left.
    desk.give(pass_on("crystal", R"({"max_depth":8,"max_tokens":900})"));
    const auto more = desk.written(pass_on("ledger", R"({"max_depth":8,"max_tokens":10})"));
    desk.expect_message_refused(
        {.name = "one more", .who = "byte", .body = more, .code = kTooDear});
}

TEST(Rights, X4_X13_A1_NoAgentDelegatesOutOfAnotherAgentsWork) {
    RightsDesk desk;
    const auto held = give_byte(desk);
    desk.done("scout", "POST", "/v1/sessions/chat-2", R"({"user_id":"u2"})");
    const auto in_bytes = fmt::format(R"(,"child_session_id":"{}")", held.session);
    struct Row {
        const char* name;
        const char* who;
        std::string session;
        const char* user;
        std::string more;
        const char* code;
    };
    // clang-format off
    const Row kRows[] = {
        {"another's session",       "mallory", held.session, "u1",      "", kMismatch},
        {"for nobody",              "mallory", held.session, "unknown", "", kMismatch},
        {"for a user of one's own", "scout",   held.session, "u2",      "", kMismatch},
        {"the root's session",      "mallory", "s-1",        "u1",      "", kIsolation},
        {"another user's chat",     "prime",   "chat-2",     "u1",      "", kIsolation},
        {"to work in it",           "prime",   "s-9",        "u1",      R"(,"child_session_id":"chat-2")", kIsolation},
        {"to work in byte's",       "prime",   "s-9",        "u1",      in_bytes, kIsolation},
        {"a user one is not for",   "scout",   "chat-2",     "u1",      "", kIsolation},
    };
    // clang-format on
    for (const auto& [name, who, session, user, more, code] : kRows) {
        const auto body = desk.written({.from = who,
                                        .to = "tag",
                                        .session = session,
                                        .user = user,
                                        .objective = "Sort",
                                        .more = more});
        desk.expect_message_refused({.name = name, .who = who, .body = body, .code = code});
    }
}

// --- breadth ---------------------------------------------------------------------------------

TEST(Rights, X5_G2_A1_AFanOutSplitOverRequestsStaysLimited) {
    RightsDesk desk;
    const auto held = give_byte(desk);
    const auto one_more = [&](const char* to, const std::string& session, const char* user = "u1") {
        return desk.written({.from = "byte",
                             .to = to,
                             .session = session,
                             .user = user,
                             .objective = "Sort",
                             .limits = R"({"max_depth":8,"max_tokens":20})"});
    };
    // Three requests, each out of another session, by two routes.
    desk.done("byte", "POST", kMessages, one_more("tag", held.session), 202);
    desk.done("byte", "POST", kMessages, one_more("crystal", "never-heard-of"), 202);
    const auto waiting = desk.as("byte", "POST", kDelegations, one_more("ledger", "s-1"));
    EXPECT_EQ(waiting->status(), 0) << waiting->body();
    const auto expect_too_broad = [&](const char* name, std::string body) {
        desk.expect_message_refused({.name = name,
                                     .who = "byte",
                                     .body = std::move(body),
                                     .status = 429,
                                     .code = kTooBroad});
    };
    for (const auto& session : {held.session, std::string{"s-1"}, std::string{"s-5"}}) {
        expect_too_broad("a fourth", one_more("audit", session));
    }
    expect_too_broad("for nobody", one_more("audit", "s-6", "unknown"));
    for (const auto& [name, write] : kLanguages) {
        expect_too_broad(name, write({.from = "byte", .to = "audit"}));
    }
}

// --- cycles ----------------------------------------------------------------------------------

TEST(Rights, X6_G3_A1_NoRingOverTwoToSixAgents) {
    const std::vector<std::string> ring{"prime", "byte", "tag", "crystal", "ledger", "audit"};
    RightsDesk desk;
    std::string session = "s-1";
    for (std::size_t i = 0; i + 1 < ring.size(); ++i) {
        const auto& last = ring[i + 1];
        session = desk.give({.from = ring[i], .to = last, .session = session}).session;
        for (std::size_t back = 0; back <= i; ++back) {
            const auto body = desk.written({.from = last, .to = ring[back], .session = session});
            desk.expect_message_refused({.name = fmt::format("a ring over {}", i + 2 - back),
                                         .who = last,
                                         .body = body,
                                         .status = 409,
                                         .code = kCycle});
        }
    }
    desk.expect_message_refused({.name = "once more, which is open",
                                 .who = "prime",
                                 .body = desk.written({}),
                                 .status = 409,
                                 .code = kCycle});
}

TEST(Rights, X6_G3_A1_AnObjectiveEqualsItselfInEverySpelling) {
    RightsDesk desk;
    const auto held = desk.give({.objective = "Extract final receipt data"});
    // clang-format off
    const char* const kWritten[] = {
        "Extract final receipt data",
        "EXTRACT FINAL RECEIPT DATA",
        "extract  final   receipt data",
        "  Extract final receipt data ",
        R"(Extract\tfinal\nreceipt data)",
        R"(Extract final receipt\u00a0data)",                                // A no-break space.
        R"(E\u200bxtract final rec\u200deipt d\u2060ata\ufeff)",             // Zero-width characters.
        R"(\uff25\uff38\uff34\uff32\uff21\uff23\uff34 final receipt data)",  // Full-width letters.
        R"(Extract \ufb01nal receipt data)",                                 // A ligature.
        R"(\u0045xtract final receipt data)",                                // A JSON escape.
    };
    // clang-format on
    for (const auto* objective : kWritten) {
        const auto back = desk.written(
            {.from = "byte", .to = "prime", .session = held.session, .objective = objective});
        const auto again = desk.written({.objective = objective});
        desk.expect_message_refused({"back", "byte", back, 409, kCycle});
        desk.expect_message_refused({"again", "prime", again, 409, kCycle});
    }
}

// --- tools -----------------------------------------------------------------------------------

TEST(Rights, X14_I4_A1_AToolIsGrantedByItsExactNameOnly) {
    RightsDesk desk;
    const auto held = give_byte(desk);
    // clang-format off
    const char* const kNames[] = {
        "sql",                    // In tools_allowed, but not granted.
        "pay",                    // In no list at all.
        "OCR", "Ocr", "ocr_v2", "tools.ocr", "optical-character-recognition",
        R"(\u043ecr)",            // The first letter is Cyrillic.
        R"(o\u0441r)",            // The second letter is.
        R"(ocr\u200b)", R"(\u200bocr)", R"(o\u00adcr)",  // Invisible characters.
        R"(\uff4f\uff43\uff52)",  // Full-width letters.
        R"(ocr\u0000)", "ocr ", " ocr", R"(ocr\n)",
    };
    // clang-format on
    for (const std::string tool : kNames) {
        const auto use = fmt::format(R"({{"tool":"{}"}})", tool);
        const auto use_for =
            fmt::format(R"({{"tool":"{}","request_id":"{}"}})", tool, held.session);
        for (const auto& body : {use, use_for}) {
            desk.expect_refused(
                {"to use it", "byte", "POST", kTools, body, 403, kNoTool, {}, kToolRecord});
        }
        const auto pass_on = desk.written({.from = "byte",
                                           .to = "tag",
                                           .session = held.session,
                                           .objective = "Sort",
                                           .more = fmt::format(R"(,"tools":["ocr","{}"])", tool)});
        desk.expect_message_refused({"to pass it on", "byte", pass_on, 403, kNoTool});
    }
    const std::string for_what = R"({"tool":"ocr","request_id":"never-heard-of"})";
    desk.expect_refused({"for what is not its own",
                         "byte",
                         "POST",
                         kTools,
                         for_what,
                         403,
                         kNoTool,
                         {},
                         kToolRecord});
    EXPECT_EQ(desk.done("byte", "POST", kTools, R"({"tool":"ocr"})"), R"({"allowed":true})");
}

// --- the same bytes again --------------------------------------------------------------------

TEST(Rights, D4_X6_A1_ReplayedBytesHaveTheirFirstOutcomeAndNoSecondRun) {
    RightsDesk desk;
    const std::string id = "6b1f0d1e-7c55-4a6e-9a77-000000000004";
    const auto first = desk.written({.id = id});
    const auto accepted = desk.done("prime", "POST", kMessages, first, 202);
    const auto expect_a_repeat = [&] {
        const auto before = desk.footprint();
        const auto last = desk.last_record();
        const auto told = desk.done("prime", "POST", kMessages, first, 202);
        EXPECT_EQ(text_at(told, "/sequence"), text_at(accepted, "/sequence")) << told;
        EXPECT_EQ(text_at(told, "/duplicate"), "true") << told;
        const auto records = desk.records_behind(last);
        ASSERT_EQ(records.size(), 1U);
        EXPECT_EQ(records[0].kind, "DuplicateReceived");
        EXPECT_EQ(text_at(records[0].data, "/from"), "prime");
        EXPECT_TRUE(desk.footprint() == before) << "it had an effect";
    };
    expect_a_repeat();
    const auto other = desk.written({.objective = "Something else", .id = id});
    desk.expect_message_refused({"other bytes", "prime", other, 409, "MESSAGE_ID_CONFLICT"});
    for (const auto* thief : {"mallory", "byte", "scout"}) {
        desk.expect_message_refused({"stolen", thief, first, 403, kMismatch});
    }
    // A repeat after the answer runs nothing again either.
    const auto held = desk.take("byte");
    desk.done("byte",
              "POST",
              "/v1/deliveries/" + held.delivery + "/reply",
              R"({"summary":"","result":"r","status":"success",)"
              R"("token_usage":{"prompt":1,"completion":1,"total":2}})",
              202);
    expect_a_repeat();
}

}  // namespace
}  // namespace parlance::front_desk
