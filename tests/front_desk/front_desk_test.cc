// Answers to clients where the moment matters: between the transport and the next turn.
#include "tests/front_desk/front_desk.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/json.h"
#include "gateway/inbox_share.h"

namespace parlance::front_desk {
namespace {

std::string member(std::string_view text, std::string_view key) {
    const auto value = json::find(json::root(text), key);
    return value ? std::string{value->raw} : "nothing";
}

std::string message(int number, std::string_view to = "bob") {
    return R"({"id":"m-)" + std::to_string(number) + R"(","from":"alice","to":")" +
           std::string{to} + R"(","type":"ERROR_REPORT","payload":)" + std::to_string(number) + "}";
}

int messages_in(const ScriptedExchange& inbox) {
    int count = 0;
    for (std::size_t at = 0; (at = inbox.body().find("delivery_id", at)) != std::string::npos;
         ++at) {
        ++count;
    }
    return count;
}

std::string delivery_in(const std::string& frame) {
    const auto at = frame.find("\"delivery_id\":\"") + 15;
    return frame.substr(at, frame.find('"', at) - at);
}

struct Agents : FrontDesk {
    explicit Agents(engine::Options options = {}) : FrontDesk(std::move(options)) {
        now("PUT", "/v1/agents/alice", R"({"dialect":"taskwire"})");
        now("PUT", "/v1/agents/bob", R"({"dialect":"taskwire"})");
    }
};

// --- records ---------------------------------------------------------------------------------

TEST(Refusals, A4_AreOnRecordWithoutPersonalData) {
    Agents desk;
    // Plain, escaped, and cut off by the 60 bytes of a value that a refusal shows.
    const std::string long_word(42, 'x');
    for (const std::string& words : {std::string{"ana@example.org"},
                                     std::string{R"(ana\u0040example.org)"},
                                     long_word + " ana@example.org"}) {
        const auto answer = desk.now(
            "POST",
            "/v1/messages",
            R"({"request_id":"00000000-0000-4000-8000-000000000001","origin_employee":"alice",)"
            R"("target_employee":"bob","user_id":"u","parent_session_id":"s","input":"i",)"
            R"("objective":{"to":")" +
                words + "\"}}");
        EXPECT_NE(answer.find("ana"), std::string::npos) << "the sender sees what it wrote";
    }
    // The desk's feed shows records as the journal has them.
    const auto events = desk.ask("GET", "/v1/events?from=1&follow=false");
    desk.run_until([&] { return events->has_ended; });
    EXPECT_NE(events->streamed.find("MessageRefused"), std::string::npos);
    EXPECT_NE(events->streamed.find("[EMAIL_"), std::string::npos);
    EXPECT_EQ(events->streamed.find("ana"), std::string::npos) << events->streamed;
}

// A short block's text moves with the string that holds it; its outline must not point to the old
// place.
TEST(Refusals, K7_AnAlmostEmptyBlockIsRefusedAndTheHubGoesOn) {
    Agents desk;
    for (const char* lines : {"", "\n\n", "n: t\n", "priority: LOW\n"}) {
        const auto answer =
            desk.now("POST", "/v1/messages", std::string{"---\nREQUEST\n\n"} + lines + "---\n");
        EXPECT_NE(answer.find("INPUT_VALIDATION_FAILED"), std::string::npos) << answer;
    }
}

// --- every agent reads its own dialect -------------------------------------------------------

TEST(Dialects, P1_TheDeepestRequestAndItsAnswerAreTranslated) {
    FrontDesk desk;
    desk.now("PUT", "/v1/agents/CST", R"({"dialect":"kessel"})");
    desk.now("PUT", "/v1/agents/sue", R"({"dialect":"sam","capabilities":[{"code":"DIG"}]})");
    const auto nested = [](int depth) {
        std::string text;
        for (int i = 0; i < depth; ++i) text += R"({"a":)";
        return text + '1' + std::string(static_cast<std::size_t>(depth), '}');
    };
    const auto asked =
        desk.ask("POST",
                 "/v1/messages",
                 R"({"source_agent":"CST","target_agent":"sue","capability_code":"DIG",)"
                 R"("request_id":"00000000-0000-4000-8000-000000000001","inputs_json":)" +
                     nested(63) + "}",
                 {{"Prefer", "wait=60000"}});
    const auto inbox = desk.now("GET", "/v1/agents/sue/inbox");
    EXPECT_NE(inbox.find(R"("message_type":"REQUEST")"), std::string::npos) << inbox;
    EXPECT_EQ(inbox.find(R"({"source_agent")"), std::string::npos) << inbox;
    EXPECT_TRUE(json::check(inbox, json::kDepthMadeMax));
    desk.now("POST",
             "/v1/deliveries/" + delivery_in(inbox) + "/reply",
             R"({"message_type":"RESPONSE","payload":{"data":)" + nested(62) + "}}");
    EXPECT_NE(asked->body().find(R"("status":"SUCCESS")"), std::string::npos) << asked->body();
    EXPECT_EQ(asked->body().find(R"("message_type":)"), std::string::npos) << asked->body();
}

TEST(Dialects, T4_AnAnswerFromAnotherDialectIsAHelpResponseByEveryRoute) {
    FrontDesk desk;
    desk.now("PUT", "/v1/agents/ann", R"({"dialect":"taskwire"})");
    desk.now("PUT", "/v1/agents/sue", R"({"dialect":"sam"})");
    for (const bool is_reply : {true, false}) {
        const std::string id = is_reply ? "q-1" : "q-2";
        const auto asked = desk.ask("POST",
                                    "/v1/messages",
                                    R"({"id":")" + id +
                                        R"(","from":"ann","to":"sue","type":"HELP_REQUEST",)"
                                        R"("payload":{"description":"help"}})",
                                    {{"Prefer", "wait=60000"}});
        const auto inbox = desk.now("GET", "/v1/agents/sue/inbox");
        const std::string answer =
            R"({"message_id":"a-)" + id +
            R"(","message_type":"RESPONSE","sender":{"agent_id":"sue"},"recipient":{"agent_id":"ann"},)"
            R"("timestamp":"2025-11-23T10:00:00Z","in_reply_to":")" +
            id + R"(","correlation_id":")" + id + R"(","payload":{"data":{"a":1}}})";
        if (is_reply) {
            desk.now("POST", "/v1/deliveries/" + delivery_in(inbox) + "/reply", answer);
        } else {
            desk.now("POST", "/v1/messages", answer);
        }
        EXPECT_EQ(member(asked->body(), "type"), R"("HELP_RESPONSE")") << asked->body();
    }
}

TEST(Dialects, AreListedWhenAnUnknownDialectIsNamed) {
    Agents desk;
    const auto answer = desk.ask("POST", "/v1/messages", message(1), {{"Parlance-Dialect", "x"}});
    desk.turn();
    EXPECT_NE(answer->body().find("must be taskwire, kessel, delegation, sam or correlation"),
              std::string::npos)
        << answer->body();
}

// --- bounded work ----------------------------------------------------------------------------

TEST(Limits, K9_ATextToRouteHasTheLimitOfATextToClassify) {
    Agents desk;
    const std::string text = R"("text":")" + std::string(8'193, 'x') + "\"";
    const auto classified = desk.now("POST", "/v1/classify", "{" + text + "}");
    EXPECT_NE(classified.find("a \\\"text\\\" of 1 to 8192 bytes"), std::string::npos)
        << classified;
    EXPECT_EQ(desk.now("POST", "/v1/route", R"({"agent":"bob",)" + text + "}"), classified);
}

/// `count` capabilities, each with two schemas of 20 patterns that take RE2 some time.
std::string with_patterns(int count) {
    std::string patterns;
    for (int i = 0; i < 20; ++i) {
        patterns += (i == 0 ? "\"(a{1,20}){1,10}0_" : ",\"(a{1,20}){1,10}0_") + std::to_string(i) +
                    "\":true";
    }
    const std::string schema = R"({"patternProperties":{)" + patterns + "}}";
    std::string list;
    for (int i = 0; i < count; ++i) {
        list += (i == 0 ? "" : ",") + (R"({"code":"CAP_)" + std::to_string(i)) +
                R"(","input_schema":)" + schema + R"(,"output_schema":)" + schema + "}";
    }
    return R"({"dialect":"kessel","capabilities":[)" + list + "]}";
}

TEST(Limits, K6_ThePatternsOfARegistrationHaveALimitTogether) {
    FrontDesk desk;
    EXPECT_EQ(member(desk.now("PUT", "/v1/agents/ANL", with_patterns(2)), "code"), "nothing");
    const auto refused = desk.now("PUT", "/v1/agents/ANL", with_patterns(200));
    EXPECT_EQ(member(refused, "code"), R"("INPUT_VALIDATION_FAILED")") << refused;
    EXPECT_NE(refused.find("2000 patterns with 100000 instructions"), std::string::npos) << refused;
    EXPECT_NE(refused.find(R"("value":"\"CAP_)"), std::string::npos) << refused;
    EXPECT_EQ(json::root(member(refused, "problems")).is_array(), true);
    EXPECT_LT(refused.size(), 3'000U) << "it is said once";
}

TEST(Limits, K6_ARegistrationIsToldOfUnlistedFlaws) {
    FrontDesk desk;
    const auto refused = [&](int count) {
        std::string flaws;
        for (int i = 0; i < count; ++i) flaws += i == 0 ? "1" : ",1";
        return desk.now("PUT",
                        "/v1/agents/ANL",
                        R"({"dialect":"kessel","capabilities":[{"code":"A","examples":[)" + flaws +
                            R"(,"a"]}]})");
    };
    constexpr std::string_view kMore =
        R"({"pointer":"/capabilities","value":"","rule":"has more flaws, which are not listed here",)";
    EXPECT_EQ(refused(100).find(kMore), std::string::npos);
    const auto many = refused(101);
    EXPECT_NE(many.find(kMore), std::string::npos) << many;
    EXPECT_EQ(many.find("/capabilities/0/examples/100"), std::string::npos) << many;
}

TEST(Limits, K6_ACapabilityThatIsNotRegisteredIsQuotedLikeEveryOtherValue) {
    FrontDesk desk;
    desk.now(
        "PUT", "/v1/agents/ANL", R"({"dialect":"kessel","capabilities":[{"code":"ANL_NPV"}]})");
    const auto refused = desk.now(
        "POST",
        "/v1/messages",
        R"({"source_agent":"CST","target_agent":"ANL","capability_code":"ANL_X","inputs_json":{},)"
        R"("request_id":"00000000-0000-4000-8000-000000000001"})");
    EXPECT_NE(refused.find(R"("value":"\"ANL_X\"")"), std::string::npos) << refused;
}

// --- shared state ----------------------------------------------------------------------------

TEST(Chat, T14_AWorkflowThatAnAgentStartsForAUserIsInTheAgentsName) {
    FrontDesk desk;
    desk.now("PUT",
             "/v1/agents/ANL",
             R"({"dialect":"kessel","capabilities":[{"code":"ANL_PROJECTION",)"
             R"("description":"Projections of revenue and cash","examples":[)"
             R"("project our revenue for the next five years","forecast cash flow",)"
             R"("what will sales be in 2030"]}]})");
    desk.now("PUT",
             "/v1/agents/DOC",
             R"({"dialect":"sam","capabilities":[{"code":"DOC_GENERATE",)"
             R"("description":"Documents for people to read","examples":["write a report",)"
             R"("generate the board document","draft a memo of these findings"]}]})");
    const auto begun_by = [&](const Headers& headers) {
        const auto& workflows = desk.engine().state().workflows;
        const auto before = workflows.runs.size();
        const auto answer = desk.ask(
            "POST", "/v1/chat", R"({"user_id":"ann","text":"forecast cash flow"})", headers);
        desk.run_until([&] {
            desk.turn();
            return workflows.runs.size() > before || answer->status() != 0;
        });
        if (workflows.runs.size() == before) return answer->body();
        return core::workflow::find_run(workflows, workflows.runs.tickets().back())->by;
    };
    const auto seen_by = [&](const Headers& headers) {
        const auto& workflows = desk.engine().state().workflows;
        const auto id = core::workflow::find_run(workflows, workflows.runs.tickets().back())->id;
        const auto chat = desk.ask("GET", "/v1/chat/" + id, "", headers);
        desk.run_until([&] {
            desk.turn();
            return chat->status() != 0;
        });
        return chat->status();
    };
    EXPECT_EQ(begun_by({{"Parlance-Agent", "bob"}}), "bob");
    EXPECT_EQ(seen_by({{"Parlance-Agent", "bob"}}), 200);
    EXPECT_EQ(seen_by({{"Parlance-User", "ann"}}), 200) << "it is for her";
    EXPECT_EQ(seen_by({{"Parlance-User", "eve"}}), 404);
    EXPECT_EQ(seen_by({{"Parlance-Agent", "carol"}}), 404) << "it is bob's";
    EXPECT_EQ(begun_by({{"Parlance-User", "ann"}}), "ORC");
    EXPECT_EQ(seen_by({{"Parlance-Agent", "bob"}}), 200) << "who may speak for her may follow it";
}

TEST(State, T13_ANullTakesAMemberAway) {
    Agents desk;
    const auto update = [&](std::string_view operation, int version, std::string_view changes) {
        return desk.now("POST",
                        "/v1/state",
                        R"({"operation":")" + std::string{operation} +
                            R"(","entity_type":"TASK","entity_id":"t-1","version":)" +
                            std::to_string(version) + R"(,"changes":)" + std::string{changes} +
                            "}");
    };
    const auto created = update("CREATE", 0, R"({"note":{"a":1,"b":2},"other":3})");
    EXPECT_EQ(member(created, "note"), R"({"a":1,"b":2})") << created;
    const auto updated = update("UPDATE", 1, R"({"note":{"a":null},"other":null})");
    EXPECT_EQ(member(updated, "note"), R"({"b":2})") << updated;
    EXPECT_EQ(member(updated, "other"), "nothing") << updated;
    EXPECT_EQ(member(update("UPDATE", 1, R"({"note":7})"), "code"), R"("STATE_VERSION_STALE")");
    EXPECT_EQ(member(update("UPDATE", 2, "7"), "code"), R"("INPUT_VALIDATION_FAILED")");
}

// --- no answer before the record is durable --------------------------------------------------

TEST(Answers, WaitForTheTurnAndComeOnce) {
    Agents desk;
    const auto send = desk.ask("POST", "/v1/messages", message(1));
    EXPECT_TRUE(send->answers.empty()) << "nothing is on disk yet";
    desk.turn();
    EXPECT_EQ(send->status(), 202);
    desk.turn();
    EXPECT_EQ(send->answers.size(), 1U);
}

TEST(Answers, OfAConnectionShareOneFrameATurn) {
    Agents desk;
    const auto alice = desk.connect("alice");
    alice->say(R"({"send":[)" + message(1) + "," + message(2) + R"(]})");
    alice->say(R"({"send":[)" + message(3) + R"(]})");
    EXPECT_TRUE(alice->frames.empty());
    desk.turn();
    ASSERT_EQ(alice->frames.size(), 1U);
    for (const auto* id : {"m-1", "m-2", "m-3"}) {
        EXPECT_NE(alice->frames[0].find(id), std::string::npos) << alice->frames[0];
    }
}

TEST(Answers, ThatAreLargeComeInSeveralFrames) {
    Agents desk;
    const std::string text(100'000, 'x');
    for (int i = 0; i < 8; ++i) {
        desk.now("POST",
                 "/v1/messages",
                 R"({"id":"big-)" + std::to_string(i) +
                     R"(","from":"alice","to":"bob","type":"ERROR_REPORT","payload":")" + text +
                     "\"}");
    }
    const auto bob = std::make_shared<ScriptedSocket>();
    const auto doors = desk.gateway().doors();
    doors.on_socket(bob);
    bob->say(R"({"hello":{"agent":"bob","credit":8}})");
    desk.turn();
    EXPECT_GE(bob->frames.size(), 3U);
    for (const auto& frame : bob->frames) EXPECT_LT(frame.size(), 400'000U);
    bob->vanish();
}

// --- overload --------------------------------------------------------------------------------

TEST(Overload, G6_HeartbeatsOfAConnectionTakeNoRoomInTheInbox) {
    Agents desk;
    const auto bob = desk.connect("bob");
    for (int i = 0; i < 1000; ++i) bob->say(R"({"heartbeat":{}})");
    EXPECT_EQ(desk.engine().inbox_size(), 0U) << "it was heard of a moment ago";
    desk.clock += std::chrono::seconds{10};
    for (int i = 0; i < 1000; ++i) bob->say(R"({"heartbeat":{}})");
    EXPECT_EQ(desk.engine().inbox_size(), 1U);
}

std::string subscription(std::uint64_t count) {
    std::string frame = R"({"subscribe":["topic-0")";
    for (std::uint64_t i = 1; i < count; ++i) frame += ",\"topic-" + std::to_string(i) + '"';
    return frame + "]}";
}

TEST(Overload, G6_TheConnectionsOfOneAgentFillTheirShareOfTheInboxAndLeaveTheRest) {
    Agents desk;
    const std::vector bobs{desk.connect("bob"), desk.connect("bob")};
    const auto frame = subscription(1000);
    for (int i = 0; i < 12; ++i) {
        for (const auto& bob : bobs) bob->say(frame);
    }
    EXPECT_EQ(desk.engine().inbox_size(), gateway::InboxShare::kCommandsMax);
    const auto other = desk.ask("POST", "/v1/messages", message(1));
    desk.turn();
    EXPECT_EQ(other->status(), 202);
    const auto& frames = bobs[0]->frames;
    const auto is_told = std::ranges::any_of(frames, [](const std::string& said) {
        return said.find("HUB_OVERLOADED") != std::string::npos &&
               said.find("this agent has as many commands") != std::string::npos;
    });
    EXPECT_TRUE(is_told);
    for (const auto& bob : bobs) bob->say(frame);
    EXPECT_EQ(desk.engine().inbox_size(), 2000U) << "there is room again";
}

TEST(Overload, G6_AFrameWithMoreItemsThanFrameItemsMaxIsRefusedAsAWhole) {
    Agents desk;
    const auto items_max = desk.engine().state().limits.frame_items_max;
    const auto bob = desk.connect("bob");
    bob->say(subscription(items_max));
    EXPECT_EQ(desk.engine().inbox_size(), items_max);
    desk.turn();
    EXPECT_EQ(bob->close_code, 0);
    bob->say(subscription(items_max + 1));
    EXPECT_EQ(bob->close_code, 1008);
    const auto& said = bob->frames.back();
    EXPECT_NE(said.find(R"("code":"INPUT_VALIDATION_FAILED")"), std::string::npos) << said;
    EXPECT_NE(said.find("has " + std::to_string(items_max + 1) + " items"), std::string::npos)
        << said;
    EXPECT_NE(said.find("frame_items_max is " + std::to_string(items_max)), std::string::npos)
        << said;
    EXPECT_EQ(desk.engine().inbox_size(), 1U) << "that its instance leaves, and nothing else";
}

TEST(Overload, IsAnsweredAtOnceWithARetryTimeAndTheSenderMaySendAgain) {
    Agents desk{{.inbox_commands_max = 2}};
    const auto first = desk.ask("POST", "/v1/messages", message(1));
    const auto second = desk.ask("POST", "/v1/messages", message(2));
    const auto third = desk.ask("POST", "/v1/messages", message(3));
    ASSERT_EQ(third->status(), 429) << "it need not wait for a turn";
    EXPECT_EQ(member(third->body(), "code"), "\"HUB_OVERLOADED\"");
    EXPECT_EQ(member(third->body(), "retryable"), "true");
    EXPECT_EQ(third->answers[0].headers.front().first, "Retry-After");
    desk.turn();
    EXPECT_EQ(first->status(), 202);
    EXPECT_EQ(second->status(), 202);
    const auto again = desk.ask("POST", "/v1/messages", message(3));
    desk.turn();
    EXPECT_EQ(again->status(), 202);
    EXPECT_EQ(third->answers.size(), 1U);
}

TEST(Overload, NamesTheMessageOrTheDeliveryOnAConnection) {
    Agents desk{{.inbox_commands_max = 3}};
    const auto bob = desk.connect("bob");
    const auto alice = desk.connect("alice");
    alice->say(R"({"send":[)" + message(1) + "]}");
    desk.turn();
    ASSERT_EQ(bob->frames.size(), 1U);
    const auto delivery = delivery_in(bob->frames[0]);
    bob->frames.clear();
    alice->frames.clear();
    alice->say(R"({"send":[)" + message(2) + "," + message(3) + "," + message(4) + "," +
               message(5) + "]}");
    bob->say(R"({"ack":[")" + delivery + R"("]})");
    desk.turn();
    EXPECT_NE(alice->frames.at(0).find(R"("refused":[{"message_id":"m-5","code":"HUB_OVERLOADED")"),
              std::string::npos)
        << alice->frames[0];
    EXPECT_NE(bob->frames.at(0).find(R"("refused":[{"delivery_id":")" + delivery +
                                     R"(","code":"HUB_OVERLOADED")"),
              std::string::npos)
        << bob->frames[0];
    EXPECT_EQ(bob->frames[0].find("settled"), std::string::npos) << bob->frames[0];
}

TEST(Settlements, D5_ARefusedReplyIsReportedBeforeTheReplyThatFollowsIt) {
    Agents desk;
    const auto bob = desk.connect("bob");
    std::vector<std::string> deliveries;
    for (const std::string id : {"q-1", "q-2"}) {
        desk.now("POST",
                 "/v1/messages",
                 R"({"id":")" + id +
                     R"(","from":"alice","to":"bob","type":"HELP_REQUEST","payload":{}})");
        deliveries.push_back(delivery_in(bob->frames.back()));
    }
    bob->say(R"({"ack":[")" + deliveries[0] + R"("]})");
    desk.turn();
    bob->frames.clear();
    const auto reply = [&](const std::string& delivery) {
        return R"({"delivery_id":")" + delivery +
               R"(","message":{"type":"HELP_RESPONSE","payload":{"found":1}}})";
    };
    bob->say(R"({"reply":[)" + reply(deliveries[0]) + "," + reply(deliveries[1]) + "]}");
    desk.turn();
    std::string all;
    for (const auto& frame : bob->frames) all += frame;
    const auto refused = all.find(R"("refused":[{"delivery_id":")" + deliveries[0]);
    const auto settled = all.find(R"("settled")");
    ASSERT_NE(refused, std::string::npos) << all;
    ASSERT_NE(settled, std::string::npos) << all;
    EXPECT_LT(refused, settled) << all;
}

TEST(FullDisk, NamesTheMessageAndTheDeliveryThatWereNotTaken) {
    Agents desk;
    const auto bob = desk.connect("bob");
    const auto alice = desk.connect("alice");
    desk.now("POST", "/v1/messages", message(1));
    const auto delivery = delivery_in(bob->frames.at(0));
    const auto send_large = [&](const std::string& id) {
        alice->say(R"({"send":[{"id":")" + id +
                   R"(","to":"bob","type":"ERROR_REPORT","payload":")" + std::string(900'000, 'x') +
                   R"("}]})");
    };
    desk.fill_disk();
    // Room for two: in the present segment, and in the next, prepared ahead.
    for (const auto* id : {"first", "second"}) {
        send_large(id);
        desk.turn();
    }
    bob->frames.clear();
    alice->frames.clear();
    send_large("big");
    bob->say(R"({"ack":[")" + delivery + R"("]})");
    desk.turn();
    EXPECT_NE(alice->frames.at(0).find(R"({"message_id":"big","code":"HUB_STORAGE_FULL")"),
              std::string::npos)
        << alice->frames[0];
    EXPECT_NE(
        bob->frames.at(0).find(R"({"delivery_id":")" + delivery + R"(","code":"HUB_STORAGE_FULL")"),
        std::string::npos)
        << bob->frames[0];
}

// --- the inbox -------------------------------------------------------------------------------

TEST(Inbox, WaitsForTheMessageAndIsAnsweredInItsTurn) {
    Agents desk;
    const auto inbox = desk.ask("GET", "/v1/agents/bob/inbox?wait=60000");
    desk.turn();
    EXPECT_TRUE(inbox->answers.empty());
    desk.now("POST", "/v1/messages", message(1));
    desk.turn();
    ASSERT_EQ(inbox->answers.size(), 1U);
    EXPECT_EQ(messages_in(*inbox), 1);
}

TEST(Inbox, IsAnsweredWhenTheMessageComesInTheTurnThatFoundNothing) {
    Agents desk;
    desk.now("GET", "/v1/agents/bob/inbox");
    const auto inbox = desk.ask("GET", "/v1/agents/bob/inbox?wait=60000");
    const auto sent = desk.ask("POST", "/v1/messages", message(1));
    desk.turn();
    desk.turn();
    ASSERT_EQ(inbox->answers.size(), 1U);
    EXPECT_EQ(messages_in(*inbox), 1);
}

TEST(Inbox, WithoutAWaitTimeIsAnsweredWithNoMessages) {
    Agents desk;
    EXPECT_EQ(desk.now("GET", "/v1/agents/bob/inbox"), R"({"messages":[]})");
}

TEST(Inbox, IsAnsweredWithNoMessagesWhenItsWaitEnds) {
    Agents desk;
    const auto inbox = desk.ask("GET", "/v1/agents/bob/inbox?wait=1");
    desk.run_until([&] { return !inbox->answers.empty(); });
    EXPECT_EQ(inbox->body(), R"({"messages":[]})");
    desk.now("POST", "/v1/messages", message(1));
    EXPECT_EQ(inbox->answers.size(), 1U);
    EXPECT_EQ(desk.engine().agent(AgentId{"bob"})->waiting, 1U) << "nobody took it";
}

TEST(Inbox, GivesTheMessageToTheLongestWaiterAndTheOthersWaitOn) {
    Agents desk;
    const auto first = desk.ask("GET", "/v1/agents/bob/inbox?wait=60000");
    const auto second = desk.ask("GET", "/v1/agents/bob/inbox?wait=60000");
    desk.turn();
    desk.now("POST", "/v1/messages", message(1));
    desk.turn();
    EXPECT_EQ(messages_in(*first), 1);
    EXPECT_TRUE(second->answers.empty());
    desk.now("POST", "/v1/messages", message(2));
    desk.turn();
    EXPECT_EQ(messages_in(*second), 1);
}

TEST(Inbox, OfAClosedConnectionTakesNothing) {
    Agents desk;
    const auto gone = desk.ask("GET", "/v1/agents/bob/inbox?wait=60000");
    desk.turn();
    gone->vanish();
    desk.now("POST", "/v1/messages", message(1));
    desk.turn();
    EXPECT_TRUE(gone->answers.empty());
    EXPECT_EQ(desk.engine().agent(AgentId{"bob"})->in_flight, 0U);
    const auto here = desk.ask("GET", "/v1/agents/bob/inbox");
    desk.turn();
    EXPECT_EQ(messages_in(*here), 1);
}

TEST(Inbox, OfOneWhoHungUpBeforeTheTakeWasDecidedTakesNothingLater) {
    Agents desk;
    const auto gone = desk.ask("GET", "/v1/agents/bob/inbox?wait=60000");
    gone->vanish();
    desk.turn();
    desk.now("POST", "/v1/messages", message(1));
    desk.turn();
    EXPECT_EQ(desk.engine().agent(AgentId{"bob"})->in_flight, 0U);
    const auto here = desk.ask("GET", "/v1/agents/bob/inbox");
    desk.turn();
    EXPECT_EQ(messages_in(*here), 1);
}

TEST(Inbox, G7_ManyTakesOfOneTurnGetTheirOwnMessagesEach) {
    Agents desk;
    const auto path_of = [](const char* instance) {
        return std::string{"/v1/agents/bob/inbox?max=2&instance="} + instance;
    };
    constexpr const char* kInstances[] = {"a", "b", "c", "d"};
    for (const auto* instance : kInstances) desk.now("GET", path_of(instance));
    for (int i = 1; i <= 5; ++i) desk.now("POST", "/v1/messages", message(i));
    std::vector<ExchangePtr> takes;
    for (const auto* instance : kInstances) takes.push_back(desk.ask("GET", path_of(instance)));
    desk.turn();
    const std::vector<int> expected{2, 2, 1, 0};
    for (std::size_t i = 0; i < takes.size(); ++i) {
        ASSERT_EQ(takes[i]->answers.size(), 1U) << i;
        EXPECT_TRUE(json::check(takes[i]->body())) << takes[i]->body();
        EXPECT_EQ(messages_in(*takes[i]), expected[i]) << takes[i]->body();
    }
}

TEST(Inbox, T16_AnIdleFleetOverHttpAddsNoRecordAndSilentAgentsGoOffline) {
    Agents desk;
    const auto waiting = desk.ask("GET", "/v1/agents/bob/inbox?wait=60000");
    const auto beat = [&] { desk.now("POST", "/v1/agents/alice/heartbeat", "{}"); };
    desk.turn();
    beat();
    desk.now("GET", "/v1/agents/alice/inbox?instance=other");
    const auto socket = desk.connect("bob");
    const auto before = desk.engine().durable();
    for (int second = 0; second < 600; second += 5) {
        desk.clock += std::chrono::seconds{5};
        beat();
        desk.now("GET", "/v1/agents/alice/inbox?instance=other");
        socket->say(R"({"heartbeat":{}})");
        desk.gateway().review();
        desk.turn();
    }
    EXPECT_EQ(desk.engine().durable(), before);
    EXPECT_TRUE(waiting->answers.empty());
    EXPECT_EQ(desk.engine().hub().instances, 4U);

    waiting->vanish();
    socket->vanish();
    desk.clock += std::chrono::milliseconds{29'999};
    desk.gateway().review();
    desk.turn();
    EXPECT_TRUE(desk.engine().agent({"alice"})->is_there);
    EXPECT_TRUE(desk.engine().agent({"bob"})->is_there);
    desk.clock += std::chrono::seconds{1};
    desk.turn();
    EXPECT_FALSE(desk.engine().agent({"alice"})->is_there);
    EXPECT_FALSE(desk.engine().agent({"bob"})->is_there);
}

TEST(Inbox, JoinsAgainAfterItsInstanceWasDroppedForSilence) {
    Agents desk;
    desk.now("GET", "/v1/agents/bob/inbox");
    desk.clock += std::chrono::minutes{10};
    desk.turn();
    EXPECT_TRUE(desk.engine().agent(AgentId{"bob"})->instances.empty());
    desk.now("POST", "/v1/messages", message(1));
    const auto inbox = desk.ask("GET", "/v1/agents/bob/inbox");
    desk.turn();
    desk.turn();
    EXPECT_EQ(messages_in(*inbox), 1);
}

TEST(Inbox, HandsOverAtMostTheRequestedCount) {
    Agents desk;
    for (int i = 1; i <= 5; ++i) desk.now("POST", "/v1/messages", message(i));
    const auto inbox = desk.ask("GET", "/v1/agents/bob/inbox?max=3");
    desk.turn();
    desk.turn();
    EXPECT_EQ(messages_in(*inbox), 3);
}

// --- events ----------------------------------------------------------------------------------

TEST(Events, BeginAfterTheLastEventIdWhateverTheQuerySays) {
    Agents desk;
    const auto events =
        desk.ask("GET", "/v1/events?from=1&follow=false", {}, {{"Last-Event-ID", "3"}});
    desk.run_until([&] { return events->has_ended; });
    EXPECT_TRUE(events->streamed.starts_with("id: 4\n")) << events->streamed;
    EXPECT_EQ(events->answers.at(0).content_type, "text/event-stream");
}

TEST(Events, OfTheWholeRecordHaveEverySequenceOnce) {
    Agents desk;
    const auto last = desk.engine().durable().value;
    const auto events = desk.ask("GET", "/v1/events?from=0&follow=false");
    desk.run_until([&] { return events->has_ended; });
    std::size_t at = 0;
    for (std::uint64_t sequence = 1; sequence <= last; ++sequence) {
        at = events->streamed.find("id: " + std::to_string(sequence) + "\n", at);
        ASSERT_NE(at, std::string::npos) << sequence << " in " << events->streamed;
    }
    EXPECT_EQ(events->streamed.find("id: ", at + 1), std::string::npos);
}

TEST(Events, FollowNewRecordsOnlyWhenDurable) {
    Agents desk;
    const auto events = desk.ask("GET", "/v1/events");
    desk.ask("POST", "/v1/messages", message(1));
    EXPECT_EQ(events->streamed, "");
    desk.run_until([&] { return events->streamed.find("m-1") != std::string::npos; });
    EXPECT_FALSE(events->has_ended);
}

TEST(Events, WaitForAReaderThatIsFarBehind) {
    Agents desk;
    const auto events = desk.ask("GET", "/v1/events");
    events->backlog = std::size_t{2} << 20;
    desk.now("POST", "/v1/messages", message(1));
    const auto other = desk.ask("GET", "/v1/events?from=1&limit=1");
    desk.run_until([&] { return other->has_ended; });  // The feed has had time for both.
    EXPECT_EQ(events->streamed, "");
    events->backlog = 0;
    desk.run_until([&] { return !events->streamed.empty(); });
}

TEST(Events, RefuseAnInvalidSequence) {
    Agents desk;
    EXPECT_EQ(desk.ask("GET", "/v1/events?from=now")->status(), 422);
    EXPECT_EQ(desk.ask("GET", "/v1/events?limit=-1")->status(), 422);
    EXPECT_EQ(desk.ask("GET", "/v1/events", {}, {{"Last-Event-ID", "x"}})->status(), 422);
    EXPECT_EQ(desk.ask("GET", "/v1/events?from=99999999999999999999999")->status(), 422);
}

TEST(Events, OfAClosedConnectionAreReadNoMore) {
    Agents desk;
    const auto events = desk.ask("GET", "/v1/events?from=1");
    events->vanish();
    const auto other = desk.ask("GET", "/v1/events?from=1&follow=false");
    desk.run_until([&] { return other->has_ended; });
    EXPECT_EQ(events->streamed, "");
}

// --- requesters that wait --------------------------------------------------------------------

/// alice's request to bob, for whose answer her connection waits.
class Question {
  public:
    /// Asks and holds the line; nothing is decided before the next turn.
    ExchangePtr begin() {
        return desk.ask(
            "POST",
            "/v1/messages",
            R"({"id":"q","from":"alice","to":"bob","type":"HELP_REQUEST","payload":{}})",
            {{"Prefer", "wait=60000"}});
    }
    ExchangePtr hold() {
        auto held = begin();
        desk.turn();
        EXPECT_TRUE(held->answers.empty());
        return held;
    }
    void take() { delivery_ = delivery_in(desk.now("GET", "/v1/agents/bob/inbox")); }
    /// Sends the answer; nothing is decided before the next turn.
    void answer() {
        desk.ask("POST",
                 "/v1/deliveries/" + delivery_ + "/reply",
                 R"({"type":"HELP_RESPONSE","payload":{"found":true}})",
                 {{"Parlance-Agent", "bob"}});
    }
    std::string inbox() { return desk.now("GET", "/v1/agents/alice/inbox"); }
    const std::string& delivery() const { return delivery_; }

    Agents desk;

  private:
    std::string delivery_;
};

TEST(HoldingTheLine, ACallerGoneInTheTurnOfTheAnswerGetsTheAnswer) {
    Question question;
    const auto held = question.hold();
    question.take();
    question.answer();
    held->vanish();  // As when the wait ends: the answer is with the engine already.
    question.desk.turn();
    ASSERT_EQ(held->status(), 200);
    EXPECT_NE(held->body().find("found"), std::string::npos) << held->body();
    EXPECT_EQ(held->answers.size(), 1U);
    EXPECT_EQ(question.inbox(), R"({"messages":[]})");
}

TEST(HoldingTheLine, ACallerGoneBeforeFindsTheAnswerInItsMailbox) {
    Question question;
    const auto held = question.hold();
    question.take();
    held->vanish();
    EXPECT_TRUE(held->answers.empty()) << "the engine has not heard of it";
    question.answer();
    question.desk.turn();
    ASSERT_EQ(held->status(), 202);
    EXPECT_EQ(held->answers.size(), 1U);
    EXPECT_NE(question.inbox().find("found"), std::string::npos);
}

TEST(HoldingTheLine, OneWhoIsGoneBeforeTheRequestIsDecidedHoldsNone) {
    Question question;
    const auto gone = question.begin();
    gone->vanish();
    question.desk.turn();
    question.take();
    question.answer();
    question.desk.turn();
    EXPECT_EQ(gone->status(), 202);
    EXPECT_NE(question.inbox().find("found"), std::string::npos) << "nobody held the line";
}

TEST(HoldingTheLine, ACallerGoneWhileTheDiskIsFullStaysHeld) {
    Question question;
    const auto held = question.hold();
    const auto send_large = [&](const std::string& id) {
        return question.desk.ask("POST",
                                 "/v1/messages",
                                 R"({"id":")" + id + R"(","from":"alice","to":"bob",)" +
                                     R"("type":"ERROR_REPORT","payload":")" +
                                     std::string(900'000, 'x') + "\"}");
    };
    question.desk.fill_disk();
    for (const auto* id : {"first", "second"}) {  // The prepared segments have room for two.
        send_large(id);
        question.desk.turn();
    }
    const auto large = send_large("third");
    held->vanish();
    question.desk.turn();
    ASSERT_EQ(large->status(), 507) << large->body();
    EXPECT_TRUE(held->answers.empty()) << "it is tried again when there is room";
}

TEST(HoldingTheLine, ACallerThatRepeatsTheRequestGetsTheAnswerToo) {
    Question question;
    const auto first = question.hold();
    const auto second = question.hold();
    const auto third = question.hold();
    question.take();
    first->vanish();
    EXPECT_EQ(first->status(), 202) << "the others hold on";
    question.answer();
    question.desk.turn();
    for (const auto& held : {second, third}) {
        ASSERT_EQ(held->status(), 200);
        EXPECT_NE(held->body().find("found"), std::string::npos) << held->body();
        EXPECT_EQ(held->answers.size(), 1U);
    }
    EXPECT_EQ(question.inbox(), R"({"messages":[]})");
}

TEST(HoldingTheLine, WhoeverAsksAgainInTheTurnOfALostLineHoldsOn) {
    Question question;
    const auto lost = question.hold();
    question.take();
    lost->vanish();
    const auto again = question.begin();
    question.desk.turn();  // The engine hears of both in one turn.
    EXPECT_TRUE(again->answers.empty());
    question.answer();
    question.desk.turn();
    ASSERT_EQ(again->status(), 200) << "the engine keeps the answer for the second line";
    EXPECT_NE(again->body().find("found"), std::string::npos) << again->body();
    EXPECT_EQ(again->answers.size(), 1U);
    EXPECT_EQ(lost->answers.size(), 1U);
    EXPECT_EQ(question.inbox(), R"({"messages":[]})");
}

TEST(HoldingTheLine, OneWhoAskedAgainInTheTurnOfALostLineCanLetGoToo) {
    Question question;
    const auto lost = question.hold();
    question.take();
    lost->vanish();
    const auto again = question.hold();
    again->vanish();
    question.desk.turn();
    ASSERT_EQ(again->status(), 202);
    question.answer();
    question.desk.turn();
    EXPECT_NE(question.inbox().find("found"), std::string::npos);
}

TEST(HoldingTheLine, OneWhoAskedAgainAndIsGoneInTheTurnOfALostLineHoldsNone) {
    Question question;
    const auto lost = question.hold();
    question.take();
    lost->vanish();
    const auto again = question.begin();
    again->vanish();
    question.desk.turn();
    question.desk.run_until([&] { return again->status() == 202; });
    question.answer();
    question.desk.turn();
    EXPECT_NE(question.inbox().find("found"), std::string::npos);
}

TEST(HoldingTheLine, WhoeverAskedAgainBeforeALineWasLostFindsTheAnswerInTheMailbox) {
    Question question;
    const auto lost = question.hold();
    question.take();
    const auto again = question.begin();
    lost->vanish();  // The engine hears last that nobody waits.
    question.desk.turn();
    ASSERT_EQ(again->status(), 202) << "it is told so at once";
    question.answer();
    question.desk.turn();
    EXPECT_NE(question.inbox().find("found"), std::string::npos);
}

// --- callers without the right ---------------------------------------------------------------

TEST(Callers, WithInvalidNamesAreRefused) {
    Agents desk;
    const std::string long_name(200, 'x');
    const std::string body =
        R"({"target_employee":"bob","user_id":"u","parent_session_id":"s","objective":"o","input":"i"})";
    const auto operated =
        desk.ask("POST", "/v1/messages", body, {{"Parlance-Operator", long_name}});
    desk.turn();
    EXPECT_EQ(operated->status(), 422) << operated->body();
    for (const auto& name : {long_name, std::string{"topic:x"}, std::string{"a b"}}) {
        const auto socket = desk.open();
        socket->say(R"({"hello":{"agent":")" + name +
                    R"(","register":{"dialect":"taskwire"}},"send":[)" + body + "]}");
        desk.turn();
        EXPECT_NE(socket->close_code, 0) << name;
    }
    EXPECT_EQ(desk.now("GET", "/v1/agents").find("topic:x"), std::string::npos);
}

TEST(Callers, LearnNothingAboutAnotherAgentsDelivery) {
    Question question;
    const auto held = question.hold();
    question.take();
    const auto foreign = question.desk.ask(
        "POST",
        "/v1/deliveries/" + question.delivery() + "/reply",
        R"({"type":"TASK_COMPLETE","payload":{"request_id":"other"},"metadata":{"correlation_id":"other"}})",
        {{"Parlance-Agent", "mallory"}});
    question.desk.turn();
    EXPECT_EQ(member(foreign->body(), "code"), "\"IDENTITY_MISMATCH\"") << foreign->body();
    EXPECT_EQ(foreign->body().find("alice"), std::string::npos) << foreign->body();
    const auto mallory = question.desk.connect("mallory");
    mallory->say(R"({"reply":[{"delivery_id":")" + question.delivery() +
                 R"(","message":{"type":"TASK_COMPLETE","payload":{"request_id":"other"}}}]})");
    question.desk.turn();
    ASSERT_EQ(mallory->frames.size(), 1U);
    EXPECT_NE(mallory->frames[0].find("IDENTITY_MISMATCH"), std::string::npos)
        << mallory->frames[0];
    EXPECT_EQ(mallory->frames[0].find("alice"), std::string::npos) << mallory->frames[0];
    EXPECT_TRUE(held->answers.empty()) << "alice's question is as open as before";
}

// --- answers that name only their workflow ---------------------------------------------------

TEST(Answers, NamingAWorkflowMeanOnlyTheRequestHandedOver) {
    Agents desk;
    desk.now("PUT", "/v1/agents/buyer", R"({"dialect":"sam"})");
    const auto seller = desk.open();
    seller->say(R"({"hello":{"agent":"seller","credit":4,"register":{"dialect":"sam"}}})");
    desk.turn();
    const auto message = [](std::string_view id, std::string_view type, std::string_view from) {
        const std::string_view to = from == "buyer" ? "seller" : "buyer";
        return R"({"message_id":")" + std::string{id} +
               R"(","correlation_id":"wf","timestamp":"2025-11-23T10:00:00Z","sender":{"agent_id":")" +
               std::string{from} + R"(","role":"r"},"recipient":{"agent_id":")" + std::string{to} +
               R"(","role":"r"},"message_type":")" + std::string{type} +
               R"(","payload":{"action":"a","data":{"n":")" + std::string{id} + R"("}}})";
    };
    desk.now("POST", "/v1/messages", message("q-1", "REQUEST", "buyer"));
    desk.now("POST", "/v1/messages", message("q-2", "REQUEST", "buyer"));
    seller->say(R"({"send":[)" + message("a-1", "RESPONSE", "seller") + "," +
                message("a-2", "RESPONSE", "seller") + "]}");
    desk.turn();
    // A workflow keeps its order: the second request comes after the first is answered.
    EXPECT_NE(seller->frames.back().find("q-2"), std::string::npos) << seller->frames.back();
    seller->say(R"({"send":[)" + message("a-3", "RESPONSE", "seller") + "]}");
    desk.turn();
    std::vector<std::string> answers;
    for (int i = 0; i < 3; ++i) {
        const auto taken = desk.now("GET", "/v1/agents/buyer/inbox?max=9");
        const std::string_view mark = R"("delivery_id":")";
        if (taken.find(mark) == std::string::npos) break;
        const auto begin = taken.find(mark) + mark.size();
        const std::string delivery = taken.substr(begin, taken.find('"', begin) - begin);
        for (const auto* id : {"a-1", "a-2", "a-3"}) {
            if (taken.find(id) != std::string::npos) answers.emplace_back(id);
        }
        desk.now("POST", "/v1/deliveries/" + delivery + "/ack");
    }
    EXPECT_EQ(answers, (std::vector<std::string>{"a-1", "a-3"}))
        << "the second came before its question, and answers nothing";
}

// --- the end ---------------------------------------------------------------------------------

TEST(Stopping, AnswersEveryWaitingCaller) {
    Agents desk;
    const auto bob = desk.connect("bob", 0);
    const auto inbox = desk.ask("GET", "/v1/agents/alice/inbox?wait=60000");
    const auto question =
        desk.ask("POST",
                 "/v1/messages",
                 R"({"id":"q","from":"alice","to":"bob","type":"HELP_REQUEST","payload":{}})",
                 {{"Prefer", "wait=60000"}});
    desk.turn();
    EXPECT_TRUE(inbox->answers.empty());
    EXPECT_TRUE(question->answers.empty());
    desk.gateway().stop();
    ASSERT_EQ(inbox->status(), 503);
    EXPECT_EQ(member(inbox->body(), "code"), "\"HUB_STOPPING\"");
    EXPECT_TRUE(question->answers.empty()) << "the engine may have the answer already";
    ASSERT_EQ(bob->frames.size(), 1U);
    EXPECT_NE(bob->frames[0].find("HUB_STOPPING"), std::string::npos) << bob->frames[0];
    EXPECT_EQ(bob->close_code, 1001);
    desk.turn();
    ASSERT_EQ(question->status(), 202) << "it is accepted, and the answer will come to the inbox";
    EXPECT_EQ(member(question->body(), "message_id"), "\"q\"");
    EXPECT_EQ(inbox->answers.size() + question->answers.size(), 2U) << "each of them once";
}

TEST(Stopping, GivesAnAnswerThatCameInTheSameTurnToWhoHoldsTheLine) {
    Question question;
    const auto first = question.hold();
    const auto second = question.hold();
    question.take();
    question.answer();
    question.desk.gateway().stop();
    question.desk.turn();
    for (const auto& held : {first, second}) {
        ASSERT_EQ(held->status(), 200) << "told to look into the mailbox, it would find nothing";
        EXPECT_NE(held->body().find("found"), std::string::npos) << held->body();
        EXPECT_EQ(held->answers.size(), 1U);
    }
}

TEST(Stopping, PutsAnAnswerThatComesBehindItIntoTheMailbox) {
    Question question;
    const auto held = question.hold();
    question.take();
    question.desk.gateway().stop();
    question.answer();
    question.desk.turn();
    ASSERT_EQ(held->status(), 202);
    EXPECT_NE(question.inbox().find("found"), std::string::npos);
}

TEST(Stopping, TakesNoDeliveryBackFromAnAgent) {
    Agents desk;
    const auto bob = desk.connect("bob");
    desk.now("POST", "/v1/messages", message(1));
    ASSERT_EQ(bob->frames.size(), 1U);
    desk.gateway().stop();
    desk.turn();
    const auto shown = desk.now("GET", "/v1/agents/bob");
    EXPECT_EQ(member(shown, "in_flight"), "1") << "the next start returns it, and counts no try";
    EXPECT_EQ(member(shown, "waiting"), "0");
}

TEST(Stopping, LeavesNoInboxWaitingThatWasWithTheEngine) {
    Agents desk;
    const auto inbox = desk.ask("GET", "/v1/agents/bob/inbox?wait=60000");
    desk.gateway().stop();
    EXPECT_TRUE(inbox->answers.empty()) << "its turn is still to come";
    desk.turn();
    desk.turn();
    EXPECT_EQ(inbox->body(), R"({"messages":[]})");
}

}  // namespace
}  // namespace parlance::front_desk
