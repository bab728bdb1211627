#include "sdk/cpp/client.h"

#include <gtest/gtest.h>

#include "sdk/cpp/testing/scripted_hub.h"

namespace parlance::sdk {
namespace {

using namespace std::chrono_literals;
using testing::Peer;
using testing::ScriptedHub;

std::string answer(std::string_view body) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           std::string(body);
}

TEST(HubAddress, IsReadInEveryUsualForm) {
    const std::tuple<const char*, const char*, int> cases[] = {
        {"127.0.0.1:7421", "127.0.0.1", 7421},
        {"localhost", "localhost", 7420},
        {"http://hub:80/", "hub", 80},
        {"[::1]:9", "::1", 9},
        {"[::1]", "::1", 7420},
        {":8000", "127.0.0.1", 8000}};
    for (const auto& [text, host, port] : cases) {
        const auto address = HubAddress::parse(text);
        ASSERT_TRUE(address) << text;
        EXPECT_EQ(address->host, host) << text;
        EXPECT_EQ(address->port, port) << text;
    }
}

TEST(HubAddress, RefusesWhatIsNoAddressAndSaysWhich) {
    for (const char* text : {"https://hub",
                             "hub:",
                             "hub:0",
                             "hub:65536",
                             "hub:x",
                             "::1",
                             "[::1",
                             "[::1]9",
                             "a b",
                             "[]"}) {
        const auto address = HubAddress::parse(text);
        ASSERT_FALSE(address) << text;
        EXPECT_NE(address.error().message.find(text), std::string::npos) << text;
    }
}

TEST(Client, CallsAgainOverTheSameConnection) {
    std::vector<std::string> requests;
    {
        ScriptedHub hub{[&](Peer& peer) {
            for (const char* body : {"one", "two"}) {
                requests.push_back(peer.read_request());
                peer.write(answer(body));
            }
        }};
        Client client{hub.address(), {.agent = "alice"}};
        EXPECT_EQ(client.call("GET", "/a").value().body, "one");
        EXPECT_EQ(client.call("POST", "/b", "{}", {{"Prefer", "wait=5"}}).value().body, "two");
    }
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_TRUE(requests[0].starts_with("GET /a HTTP/1.1\r\nHost: 127.0.0.1:"));
    EXPECT_NE(requests[0].find("Parlance-Agent: alice\r\n"), std::string::npos);
    EXPECT_EQ(requests[0].find("Content-Length"), std::string::npos);
    EXPECT_NE(requests[1].find("Prefer: wait=5\r\n"), std::string::npos);
    EXPECT_TRUE(requests[1].ends_with("Content-Length: 2\r\n\r\n{}"));
}

TEST(Client, ConnectsAgainOnceWhenARestingConnectionWasClosed) {
    ScriptedHub hub{[](Peer& peer) {
                        peer.read_request();
                        peer.write(answer("ok"));
                    },
                    2};
    Client client{hub.address(), {}};
    EXPECT_EQ(client.call("GET", "/").value().body, "ok");
    EXPECT_EQ(client.call("GET", "/").value().body, "ok");
}

TEST(Client, ReadsChunksNoContentAndWhatEndsWithTheConnection) {
    const std::pair<const char*, const char*> cases[] = {
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n"
         "0\r\n\r\n",
         "abc0123456789"},
        {"HTTP/1.1 204 No Content\r\n\r\n", ""},
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx", "x"},
        {"HTTP/1.1 200 OK\r\n\r\nto the end", "to the end"}};
    for (const auto& [bytes, body] : cases) {
        ScriptedHub hub{[bytes = bytes](Peer& peer) {
            peer.read_request();
            peer.write(bytes);
        }};
        Client client{hub.address(), {}};
        const auto response = client.call("GET", "/");
        ASSERT_TRUE(response) << response.error().message;
        EXPECT_EQ(response->body, body);
    }
}

TEST(Client, SaysWhatIsWrongWithAnAnswerThatIsNone) {
    const std::pair<const char*, Fault> cases[] = {
        {"SSH-2.0-OpenSSH_9.2\r\n\r\n", Fault::Malformed},
        {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", Fault::Unavailable},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", Fault::Malformed},
        {"", Fault::Unavailable}};
    for (const auto& [bytes, fault] : cases) {
        ScriptedHub hub{[bytes = bytes](Peer& peer) {
            peer.read_request();
            peer.write(bytes);
        }};
        Client client{hub.address(), {}};
        const auto response = client.call("GET", "/");
        ASSERT_FALSE(response) << bytes;
        EXPECT_EQ(response.error().fault, fault) << bytes;
    }
}

TEST(Client, SaysThatNobodyIsThere) {
    HubAddress address;
    {
        address = ScriptedHub{[](Peer&) {}}.address();
    }
    Client client{address, {}};
    const auto response = client.call("GET", "/");
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().fault, Fault::Unavailable);
}

TEST(Client, ReadsAStreamLineByLine) {
    ScriptedHub hub{[](Peer& peer) {
        peer.read_request();
        peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nid: 1\n\r\n");
        peer.write("5\r\n\r\nda:\r\n3\r\n x\n\r\n0\r\n\r\n");
    }};
    Client client{hub.address(), {}};
    ASSERT_EQ(client.open_stream("/v1/events").value().status, 200);
    EXPECT_EQ(client.next_line(5s).value(), "id: 1");
    EXPECT_EQ(client.next_line(5s).value(), "");
    EXPECT_EQ(client.next_line(5s).value(), "da: x");
    EXPECT_EQ(client.next_line(5s).value(), std::nullopt);
}

TEST(Connection, CarriesFramesOfEveryLengthBothWays) {
    const std::vector<std::size_t> sizes{0, 1, 7, 125, 126, 65535, 65536, 300'000};
    ScriptedHub hub{[&](Peer& peer) {
        peer.accept_socket();
        for (const std::size_t size : sizes) {
            const std::string frame = peer.read_frame();
            EXPECT_EQ(frame, std::string(size, 'm'));
            peer.write_frame(frame);
        }
    }};
    auto connection = Connection::open(hub.address(), {.agent = "alice"});
    ASSERT_TRUE(connection) << connection.error().message;
    for (const std::size_t size : sizes) {
        ASSERT_TRUE(connection->send(std::string(size, 'm')));
        EXPECT_EQ(connection->receive(5s).value().value().size(), size);
    }
}

TEST(Connection, AnswersPingsAndJoinsFragments) {
    std::string pong;
    {
        ScriptedHub hub{[&](Peer& peer) {
            peer.accept_socket();
            peer.write_frame("{\"a\":", 0x01);
            peer.write_frame("are you there", 0x89);
            peer.write_frame("1}", 0x80);
            pong = peer.read_frame();
        }};
        auto connection = Connection::open(hub.address(), {});
        ASSERT_TRUE(connection);
        EXPECT_EQ(connection->receive(5s).value(), "{\"a\":1}");
    }
    EXPECT_EQ(pong, "are you there");
}

TEST(Connection, SaysNothingCameWhenNothingComes) {
    ScriptedHub hub{[](Peer& peer) {
        peer.accept_socket();
        peer.read_frame();
    }};
    auto connection = Connection::open(hub.address(), {});
    ASSERT_TRUE(connection);
    EXPECT_EQ(connection->receive(0ms).value(), std::nullopt);
}

TEST(Connection, PassesOnWhyTheHubClosed) {
    ScriptedHub hub{[](Peer& peer) {
        peer.accept_socket();
        peer.write_frame("\x0F\xA0taken over", 0x88);
    }};
    auto connection = Connection::open(hub.address(), {});
    ASSERT_TRUE(connection);
    const auto frame = connection->receive(5s);
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error().fault, Fault::Unavailable);
    EXPECT_EQ(frame.error().message, "the hub closed the connection: 4000 taken over");
}

TEST(Connection, RefusesFramesThatBreakTheProtocol) {
    const std::string cases[] = {{'\x81', '\x81', 'x'},  // Masked by a server.
                                 {'\xC1', '\x01', 'x'},  // A reserved bit.
                                 {'\x82', '\x01', 'x'},  // Binary.
                                 {'\x80', '\x01', 'x'},  // A continuation of nothing.
                                 {'\x81', '\x7F', '\x7F', 0, 0, 0, 0, 0, 0, 0}};  // Huge.
    for (const std::string& bytes : cases) {
        ScriptedHub hub{[&](Peer& peer) {
            peer.accept_socket();
            peer.write(bytes);
            peer.read_frame();
        }};
        auto connection = Connection::open(hub.address(), {});
        ASSERT_TRUE(connection);
        const auto frame = connection->receive(5s);
        ASSERT_FALSE(frame) << static_cast<int>(bytes[0]);
        EXPECT_EQ(frame.error().fault, Fault::Malformed);
    }
}

TEST(Connection, OpensOnlyWhereTheUpgradeIsProven) {
    for (const char* head :
         {"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
          "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\n\r\n"}) {
        ScriptedHub hub{[head](Peer& peer) {
            peer.read_request();
            peer.write(head);
        }};
        const auto connection = Connection::open(hub.address(), {});
        ASSERT_FALSE(connection);
        EXPECT_EQ(connection.error().fault, Fault::Malformed);
    }
}

}  // namespace
}  // namespace parlance::sdk
