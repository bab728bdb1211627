// Malformed requests to the gateway, and requests that must not change anything.
#include <algorithm>

#include <gtest/gtest.h>

#include "base/json.h"
#include "tests/front_desk/front_desk.h"

namespace parlance::front_desk {
namespace {

std::string member(std::string_view text, std::string_view key) {
    const auto value = json::find(json::root(text), key);
    return value ? std::string{value->raw} : "nothing";
}

constexpr const char* kProfile = R"({"dialect":"taskwire"})";
constexpr const char* kMessage =
    R"({"id":"m","from":"alice","to":"bob","type":"ERROR_REPORT","payload":1})";

TEST(Head, OfAnInboxLeasesNothing) {
    FrontDesk desk;
    desk.now("PUT", "/v1/agents/bob", kProfile);
    desk.now("POST", "/v1/messages", kMessage);
    const auto head = desk.ask("HEAD", "/v1/agents/bob/inbox");
    desk.turn();
    EXPECT_EQ(head->status(), 405);
    ASSERT_FALSE(head->answers.empty());
    const auto& headers = head->answers.back().headers;
    EXPECT_NE(std::ranges::find(headers, std::pair<std::string, std::string>{"Allow", "GET"}),
              headers.end());
    const auto agent = desk.now("GET", "/v1/agents/bob");
    EXPECT_EQ(member(agent, "waiting"), "1");
    EXPECT_EQ(member(agent, "in_flight"), "0");
    const auto elsewhere = desk.ask("HEAD", "/v1/agents/bob");
    desk.turn();
    EXPECT_EQ(elsewhere->status(), 200);
}

TEST(Head, OfEventsDoesNotFollowThem) {
    FrontDesk desk;
    const auto head = desk.ask("HEAD", "/v1/events?from=1");
    desk.run_until([&] { return head->has_ended; });
    EXPECT_EQ(head->streamed, "");
}

TEST(Connect, WithoutAHelloIsClosed) {
    FrontDesk desk;
    const auto silent = desk.open();
    const auto bob = desk.open();
    bob->say(R"({"hello":{"agent":"bob","register":{"dialect":"taskwire"}}})");
    desk.turn();
    desk.clock += std::chrono::milliseconds{9'999};
    desk.gateway().review();
    EXPECT_EQ(silent->close_code, 0);
    desk.clock += std::chrono::seconds{2};
    desk.gateway().review();
    EXPECT_EQ(silent->close_code, 1008);
    EXPECT_NE(silent->frames.back().find("INSTANCE_UNKNOWN"), std::string::npos)
        << "nothing has to be proved to say hello";
    EXPECT_EQ(bob->close_code, 0);
}

TEST(Query, IsHeldToTheBoundsOfItsRoute) {
    struct Case {
        const char* path;
        const char* problem;
    };
    const Case cases[] = {
        {"/v1/agents/bob/inbox?max=99999",
         R"("pointer":"?max","value":"99999","rule":"must be a whole number from 1 to 1000")"},
        {"/v1/agents/bob/inbox?max=0", R"("value":"0")"},
        {"/v1/agents/bob/inbox?wait=60001", R"("rule":"must be a whole number from 0 to 60000")"},
        {"/v1/dead-letters?max=x", R"("pointer":"?max","value":"x")"},
        {"/v1/dead-letters?max=0", R"("rule":"must be a whole number from 1 to 1000")"},
        {"/v1/dead-letters?after=abc", R"("pointer":"?after","value":"abc")"},
        {"/v1/human?max=-1", R"("value":"-1")"},
        {"/v1/human?after=abc", R"("pointer":"?after","value":"abc")"},
        {"/v1/human?state=odd", R"("rule":"must be one of [\"waiting\",)"},
        {"/v1/events?from=x", R"("rule":"must be a whole number from 0")"},
        {"/v1/events?follow=perhaps", R"("rule":"must be true or false")"},
    };
    FrontDesk desk;
    desk.now("PUT", "/v1/agents/bob", kProfile);
    for (const auto& item : cases) {
        const auto asked = desk.ask("GET", item.path);
        desk.turn();
        EXPECT_EQ(asked->status(), 422) << item.path;
        EXPECT_NE(member(asked->body(), "problems").find(item.problem), std::string::npos)
            << item.path << " says " << asked->body();
    }
    const auto good = desk.ask("GET", "/v1/agents/bob/inbox?max=1000&wait=0");
    desk.turn();
    EXPECT_EQ(good->status(), 200);
}

TEST(Registration, RefusalNamesEveryDialect) {
    FrontDesk desk;
    for (const auto* body : {"{}", R"({"dialect":"klingon"})"}) {
        const auto answer = desk.now("PUT", "/v1/agents/bob", body);
        EXPECT_NE(answer.find("taskwire, kessel, delegation, sam or correlation"),
                  std::string::npos)
            << answer;
        EXPECT_NE(answer.find("/dialect must "), std::string::npos) << answer;
    }
}

TEST(Registration, TakesOnlyACallableEndpoint) {
    FrontDesk desk;
    const auto register_at = [&](const std::string& url) {
        return desk.now(
            "PUT", "/v1/agents/bob", R"({"dialect":"taskwire","endpoint":")" + url + R"("})");
    };
    for (const auto* url : {"http://",
                            "http:///x",
                            "http://:80/",
                            "http://host:99999/",
                            "http://host:0/",
                            "http://host:/",
                            "http://host:80x/",
                            "http://exa mple/",
                            "http://u@host/",
                            "https://host/",
                            "host"}) {
        const auto answer = register_at(url);
        EXPECT_EQ(member(answer, "code"), R"("INPUT_VALIDATION_FAILED")") << url;
        EXPECT_NE(answer.find("/endpoint must be an address like http://HOST:PORT/PATH"),
                  std::string::npos)
            << answer;
    }
    EXPECT_EQ(member(register_at("http://127.0.0.1:9/x"), "code"), "nothing");
}

TEST(Hello, ThatIsRefusedNamesNoMessage) {
    FrontDesk desk;
    const auto stranger = desk.open();
    stranger->say(R"({"hello":{"agent":"nobody"}})");
    desk.turn();
    ASSERT_FALSE(stranger->frames.empty());
    EXPECT_NE(stranger->frames.front().find("AGENT_NOT_REGISTERED"), std::string::npos);
    EXPECT_EQ(stranger->frames.front().find("message_id"), std::string::npos)
        << stranger->frames.front();
}

}  // namespace
}  // namespace parlance::front_desk
