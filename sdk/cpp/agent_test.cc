#include "sdk/cpp/agent.h"

#include <gtest/gtest.h>

#include "sdk/cpp/testing/scripted_hub.h"

namespace parlance::sdk {
namespace {

using namespace std::chrono_literals;
using testing::Peer;
using testing::ScriptedHub;

constexpr std::string_view kWelcome =
    R"({"welcome":{"hub":"h","version":"0.1.0","agent":"a","instance":"7","send_credit":8,)"
    R"("heartbeat_ms":60000}})";

TEST(Agent, SendsHelloAndKeepsTheTermsOfTheWelcome) {
    std::string request;
    std::string hello;
    {
        ScriptedHub hub{[&](Peer& peer) {
            request = peer.accept_socket();
            hello = peer.read_frame();
            peer.write_frame(kWelcome);
        }};
        const auto agent =
            Agent::connect({.hub = hub.address(), .hello = {.agent = "a", .credit = 5}});
        ASSERT_TRUE(agent) << agent.error().message;
        EXPECT_EQ(agent->terms().instance, "7");
        EXPECT_EQ(agent->terms().send_credit, 8U);
        EXPECT_EQ(agent->terms().heartbeat, 60s);
    }
    EXPECT_NE(request.find("Parlance-Agent: a\r\n"), std::string::npos);
    EXPECT_EQ(hello, R"({"hello":{"agent":"a","credit":5}})");
}

TEST(Agent, DoesNotSendAFrameThatTheHubWouldCloseTheConnectionOver) {
    std::string next;
    {
        ScriptedHub hub{[&](Peer& peer) {
            peer.accept_socket();
            peer.read_frame();
            peer.write_frame(R"({"welcome":{"agent":"a","frame_bytes_max":1000}})");
            next = peer.read_frame();
        }};
        auto agent = Agent::connect({.hub = hub.address(), .hello = {.agent = "a"}});
        ASSERT_TRUE(agent);
        EXPECT_EQ(agent->terms().frame_bytes_max, 1000U);
        EXPECT_TRUE(agent->has_room_for_reply(agent->reply_bytes_max()));
        agent->say().reply("1.1", std::string(1000, '1'));
        const auto sent = agent->flush();
        ASSERT_FALSE(sent);
        EXPECT_EQ(sent.error().fault, Fault::Malformed);
        EXPECT_NE(sent.error().message.find("1000 is the most"), std::string::npos)
            << sent.error().message;
        const std::string largest(agent->reply_bytes_max(), '1');
        agent->say().reply("4294967295.65535", largest);
        agent->say().heartbeat();
        EXPECT_FALSE(agent->has_room_for_reply(agent->reply_bytes_max()));
        EXPECT_TRUE(agent->flush()) << "this one fits";
    }
    EXPECT_NE(next.find("4294967295.65535"), std::string::npos) << "the connection lives";
}

TEST(Agent, TakesAFrameOfAMegabyteFromAHubThatNamesNoLimit) {
    ScriptedHub hub{[&](Peer& peer) {
        peer.accept_socket();
        peer.read_frame();
        peer.write_frame(kWelcome);
    }};
    const auto agent = Agent::connect({.hub = hub.address(), .hello = {.agent = "a"}});
    ASSERT_TRUE(agent);
    EXPECT_EQ(agent->terms().frame_bytes_max, std::size_t{1} << 20);
}

TEST(Agent, KeepsDeliveriesThatCameWithTheWelcome) {
    ScriptedHub hub{[&](Peer& peer) {
        peer.accept_socket();
        peer.read_frame();
        peer.write_frame(
            R"({"welcome":{"agent":"a"},"deliver":[{"delivery_id":"1.1","message":{}}]})");
        peer.write_frame(R"({"settled":4})");
    }};
    auto agent = Agent::connect({.hub = hub.address(), .hello = {.agent = "a"}});
    ASSERT_TRUE(agent);
    HubFrame frame;
    ASSERT_TRUE(agent->receive(frame, 5s).value());
    ASSERT_EQ(frame.deliveries.size(), 1U);
    EXPECT_EQ(frame.deliveries[0].delivery_id, "1.1");
    ASSERT_TRUE(agent->receive(frame, 5s).value());
    EXPECT_TRUE(frame.deliveries.empty());
    EXPECT_EQ(frame.settled, 4U);
}

TEST(Agent, ReportsWhyItsHelloWasRefused) {
    for (
        const char* answer :
        {R"({"error":{"code":"AGENT_NOT_REGISTERED","message":"Register it."}})",
         R"({"refused":[{"code":"AGENT_NOT_REGISTERED","message":"Register it.","retryable":false}]})"}) {
        ScriptedHub hub{[&](Peer& peer) {
            peer.accept_socket();
            peer.read_frame();
            peer.write_frame(answer);
        }};
        const auto agent = Agent::connect({.hub = hub.address(), .hello = {.agent = "a"}});
        ASSERT_FALSE(agent);
        EXPECT_EQ(agent.error().fault, Fault::Malformed);
        EXPECT_EQ(agent.error().message, "AGENT_NOT_REGISTERED: Register it.");
    }
}

TEST(Agent, ReportsAStoppingHubAsUnavailable) {
    ScriptedHub hub{[&](Peer& peer) {
        peer.accept_socket();
        peer.read_frame();
        peer.write_frame(R"({"error":{"code":"HUB_STOPPING","message":"back soon"}})");
    }};
    const auto agent = Agent::connect({.hub = hub.address(), .hello = {.agent = "a"}});
    ASSERT_FALSE(agent);
    EXPECT_EQ(agent.error().fault, Fault::Unavailable);
}

TEST(Agent, FlushesBeforeItReceives) {
    std::string said;
    {
        ScriptedHub hub{[&](Peer& peer) {
            peer.accept_socket();
            peer.read_frame();
            peer.write_frame(kWelcome);
            said = peer.read_frame();
            peer.write_frame(R"({"settled":1})");
        }};
        auto agent = Agent::connect({.hub = hub.address(), .hello = {.agent = "a"}});
        ASSERT_TRUE(agent);
        agent->say().ack("1.1");
        HubFrame frame;
        ASSERT_TRUE(agent->receive(frame, 5s).value());  // The welcome itself.
        ASSERT_TRUE(agent->receive(frame, 5s).value());
        EXPECT_EQ(frame.settled, 1U);
    }
    EXPECT_EQ(said, R"({"ack":["1.1"]})");
}

TEST(Agent, SendsHeartbeatsWhileItWaits) {
    std::string said;
    {
        ScriptedHub hub{[&](Peer& peer) {
            peer.accept_socket();
            peer.read_frame();
            peer.write_frame(R"({"welcome":{"agent":"a","heartbeat_ms":10}})");
            said = peer.read_frame();
            peer.write_frame(R"({"settled":2})");
        }};
        auto agent = Agent::connect({.hub = hub.address(), .hello = {.agent = "a"}});
        ASSERT_TRUE(agent);
        HubFrame frame;
        ASSERT_TRUE(agent->receive(frame, 5s).value());  // The welcome itself.
        ASSERT_TRUE(agent->receive(frame, 5s).value());
        EXPECT_EQ(frame.settled, 2U);
    }
    EXPECT_EQ(said, R"({"heartbeat":1})");
}

TEST(Backoff, DoublesUpToItsCapAndStartsOver) {
    Backoff backoff{100ms, 400ms};
    for (const auto step : {100ms, 200ms, 400ms, 400ms}) {
        const auto wait = backoff.next();
        EXPECT_GE(wait, step / 2);
        EXPECT_LE(wait, step);
    }
    backoff.reset();
    EXPECT_LE(backoff.next(), 100ms);
}

}  // namespace
}  // namespace parlance::sdk
