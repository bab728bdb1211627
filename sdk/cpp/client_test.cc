// The client against a scripted hub: exact bytes out, exact bytes in, and all failures.
#include "sdk/cpp/client.h"

#include <array>
#include <functional>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"

namespace parlance::sdk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The hub's end of a connection, with blocking reads.
struct Guest {
    int fd;

    std::string read_until(std::string_view end) const {
        std::string text;
        char byte = 0;
        while (!text.ends_with(end) && ::recv(fd, &byte, 1, 0) == 1) text += byte;
        return text;
    }
    std::string read_bytes(std::size_t count) const {
        std::string text(count, '\0');
        const auto got = ::recv(fd, text.data(), count, MSG_WAITALL);
        text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        return text;
    }
    void say(std::string_view bytes) const {
        CHECK(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
              static_cast<ssize_t>(bytes.size()));
    }
    /// The opcode, fin bit included, and the unmasked payload of a short frame.
    std::pair<int, std::string> read_frame() const {
        const auto head = read_bytes(2);
        if (head.size() < 2) return {-1, ""};
        EXPECT_NE(head[1] & 0x80, 0) << "a client masks its frames";
        std::size_t length = head[1] & 0x7f;
        if (length >= 126) {
            const auto wide = read_bytes(length == 126 ? 2 : 8);
            length = 0;
            for (const char byte : wide) length = length << 8U | static_cast<unsigned char>(byte);
        }
        const auto mask = read_bytes(4);
        auto payload = read_bytes(length);
        for (std::size_t at = 0; at < payload.size(); ++at) {
            payload[at] = static_cast<char>(payload[at] ^ mask[at % 4]);
        }
        return {static_cast<unsigned char>(head[0]), payload};
    }
    void shake_hands() const {
        const auto request = read_until("\r\n\r\n");
        EXPECT_TRUE(request.starts_with("GET /v1/connect HTTP/1.1\r\n"));
        const auto at = request.find("Sec-WebSocket-Key: ") + 19;
        const auto salted = request.substr(at, 24) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
        std::array<unsigned char, 20> digest{};
        EVP_Digest(salted.data(), salted.size(), digest.data(), nullptr, EVP_sha1(), nullptr);
        std::array<unsigned char, 64> accept{};
        EVP_EncodeBlock(accept.data(), digest.data(), digest.size());
        say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: " +
            std::string{reinterpret_cast<const char*>(accept.data())} + "\r\n\r\n");
    }
};

/// A hub that runs one script per accepted connection, then closes the connection.
class ScriptedHub {
  public:
    explicit ScriptedHub(std::vector<std::function<void(Guest)>> scripts)
        : fd_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        auto* const plain = reinterpret_cast<sockaddr*>(&address);
        CHECK(::bind(fd_, plain, sizeof address) == 0 && ::listen(fd_, 8) == 0);
        socklen_t size = sizeof address;
        ::getsockname(fd_, plain, &size);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread{[this, scripts = std::move(scripts)] {
            for (const auto& script : scripts) {
                const int guest = ::accept(fd_, nullptr, nullptr);
                if (guest < 0) return;
                script(Guest{guest});
                ::close(guest);
            }
        }};
    }
    ~ScriptedHub() {
        ::shutdown(fd_, SHUT_RDWR);
        thread_.join();
        ::close(fd_);
    }
    ScriptedHub(const ScriptedHub&) = delete;
    ScriptedHub& operator=(const ScriptedHub&) = delete;

    HubAddress address() const { return {.host = "127.0.0.1", .port = port_}; }

  private:
    int fd_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

std::string ok(std::string_view body) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           std::string{body};
}

TEST(HubAddress, IsReadInAllUsualForms) {
    const auto is = [](std::string_view text, std::string_view host, int port) {
        const auto hub = HubAddress::parse(text);
        return hub && hub->host == host && hub->port == port;
    };
    EXPECT_TRUE(is("127.0.0.1:7421", "127.0.0.1", 7421));
    EXPECT_TRUE(is("localhost", "localhost", 7420));
    EXPECT_TRUE(is("http://hub.example:80/", "hub.example", 80));
    EXPECT_TRUE(is("[::1]:65535", "::1", 65535));
    EXPECT_TRUE(is("[::1]", "::1", 7420));
    EXPECT_TRUE(is("::1", "::1", 7420));
    EXPECT_TRUE(is("https://hub.example:443", "hub.example", 443));
    for (const auto* text : {"https://hub", "wss://hub"}) {
        EXPECT_TRUE(HubAddress::parse(text)->is_tls) << text;
    }
    for (const auto* text : {"http://hub", "ws://hub", "hub"}) {
        EXPECT_FALSE(HubAddress::parse(text)->is_tls) << text;
    }
}

TEST(HubAddress, IsRefusedIfMalformed) {
    for (const auto* text : {"",
                             ":7420",
                             "hub:",
                             "hub:0",
                             "hub:65536",
                             "hub:x",
                             "ftp://hub:1",
                             "[::1",
                             "[::1]x",
                             "a b:1",
                             "hub:1/path"}) {
        EXPECT_FALSE(HubAddress::parse(text).has_value()) << text;
    }
}

TEST(Call, SendsTheIdentityAndReadsTheAnswer) {
    ScriptedHub hub{{[](Guest guest) {
        const auto head = guest.read_until("\r\n\r\n");
        EXPECT_TRUE(head.starts_with("POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:"));
        EXPECT_NE(head.find("\r\nParlance-Agent: planner\r\n"), std::string::npos);
        EXPECT_NE(head.find("\r\nContent-Type: application/json\r\n"), std::string::npos);
        EXPECT_EQ(guest.read_bytes(2), "{}");
        guest.say("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\nX-Id:  7\r\n");
        guest.say("Content-Length: 5\r\n\r\nhello");
    }}};
    Client client{hub.address(), {.agent = "planner", .operator_name = {}}};
    const auto response = client.call("POST", "/v1/messages", "{}");
    ASSERT_TRUE(response.has_value()) << response.error().message;
    EXPECT_EQ(response->status, 202);
    EXPECT_EQ(response->header("x-id"), "7");
    EXPECT_EQ(response->body, "hello");
}

TEST(Call, SendsATokenInsteadOfAnIdentity) {
    ScriptedHub hub{{[](Guest guest) {
        const auto head = guest.read_until("\r\n\r\n");
        EXPECT_NE(head.find("\r\nAuthorization: Bearer secret\r\n"), std::string::npos) << head;
        EXPECT_EQ(head.find("Parlance-"), std::string::npos) << head;
        guest.say(ok("done"));
    }}};
    auto address = hub.address();
    address.token = "secret";
    Client client{address, {.agent = "planner", .operator_name = "ann"}};
    EXPECT_EQ(client.call("GET", "/")->body, "done");
}

TEST(Call, KeepsTheConnectionAndReconnectsOnceAfterAClose) {
    ScriptedHub hub{{[](Guest guest) {
                         for (const auto* body : {"one", "two"}) {
                             guest.read_until("\r\n\r\n");
                             guest.say(ok(body));
                         }
                     },
                     [](Guest guest) {
                         guest.read_until("\r\n\r\n");
                         guest.say(ok("three"));
                     }}};
    Client client{hub.address(), {}};
    for (const auto* body : {"one", "two", "three"}) {
        const auto response = client.call("GET", "/");
        ASSERT_TRUE(response.has_value()) << response.error().message;
        EXPECT_EQ(response->body, body);
    }
}

TEST(Call, ReadsChunksSplitAnywhere) {
    const std::string answer =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        "5;x=y\r\nhello\r\nA\r\n, chunked!\r\n0\r\nTrailer: 1\r\n\r\n";
    ScriptedHub hub{{[&](Guest guest) {
        guest.read_until("\r\n\r\n");
        for (const char byte : answer) guest.say({&byte, 1});
        guest.read_until("\r\n\r\n");
        guest.say("HTTP/1.1 200 OK\r\n\r\nuntil the end");
    }}};
    Client client{hub.address(), {}};
    EXPECT_EQ(client.call("GET", "/")->body, "hello, chunked!");
    EXPECT_EQ(client.call("GET", "/")->body, "until the end");
}

TEST(Call, NamesTheHubThatDoesNotAnswer) {
    HubAddress nobody;
    {
        const ScriptedHub hub{{}};
        nobody = hub.address();
    }
    Client client{nobody, {}};
    const auto response = client.call("GET", "/");
    ASSERT_FALSE(response.has_value());
    EXPECT_EQ(response.error().fault, Fault::Unavailable);
    EXPECT_EQ(response.error().message,
              "no hub answers at 127.0.0.1:" + std::to_string(nobody.port) +
                  " (connection refused); start one with `parlance serve --dev`");
}

TEST(Call, FailsOnAnAnswerThatIsBrokenOrCutOff) {
    const std::string broken[] = {
        "SSH-2.0-OpenSSH\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 200",
        "",
    };
    for (const auto& answer : broken) {
        ScriptedHub hub{{[&](Guest guest) {
            guest.read_until("\r\n\r\n");
            guest.say(answer);
        }}};
        Client client{hub.address(), {}};
        EXPECT_FALSE(client.call("GET", "/").has_value()) << answer;
    }
}

TEST(Call, FailsAfterItsTimeout) {
    ScriptedHub hub{{[](Guest guest) { guest.read_until("never"); }}};
    Client client{hub.address(), {}, milliseconds{30}};
    const auto response = client.call("GET", "/");
    ASSERT_FALSE(response.has_value());
    EXPECT_NE(response.error().message.find("did not answer in time"), std::string::npos);
}

TEST(Call, WritesNothingThatWouldSplitTheRequest) {
    Client client{{}, {.agent = "a\r\nEvil: 1", .operator_name = {}}};
    EXPECT_EQ(client.call("GET", "/").error().fault, Fault::Malformed);
    Client plain{{}, {}};
    EXPECT_EQ(plain.call("GET", "/a b").error().fault, Fault::Malformed);
    EXPECT_EQ(plain.call("GET", "/", {}, {{"X", "1\n2"}}).error().fault, Fault::Malformed);
}

TEST(Stream, ReturnsOnlyWholeLines) {
    ScriptedHub hub{{[](Guest guest) {
        guest.read_until("\r\n\r\n");
        guest.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\ndata: 1\r\n");
        guest.read_until("never");
    }}};
    Client client{hub.address(), {}};
    const auto opened = client.open_stream("/v1/events");
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    EXPECT_FALSE(client.next_line(milliseconds{5})->has_value());
    EXPECT_TRUE(client.is_streaming());
}

TEST(Stream, JoinsLinesAcrossChunksUntilItsEnd) {
    ScriptedHub hub{{[](Guest guest) {
        guest.read_until("\r\n\r\n");
        guest.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\ndata: 1\r\n");
        guest.say("A\r\n\r\n\ndata: 2\r\n1\r\n\n\r\n0\r\n\r\n");
        guest.read_until("never");
    }}};
    Client client{hub.address(), {}};
    ASSERT_TRUE(client.open_stream("/v1/events").has_value());
    for (const auto* line : {"data: 1", "", "data: 2"}) {
        EXPECT_EQ(client.next_line(seconds{10})->value(), line);
    }
    EXPECT_FALSE(client.next_line(seconds{10})->has_value());
    EXPECT_FALSE(client.is_streaming());
}

TEST(Stream, ReturnsTheAnswerOfARefusal) {
    ScriptedHub hub{{[](Guest guest) {
        guest.read_until("\r\n\r\n");
        guest.say("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
    }}};
    Client client{hub.address(), {}};
    EXPECT_EQ(client.open_stream("/v1/events")->body, "no");
    EXPECT_FALSE(client.is_streaming());
}

TEST(WebSocket, SendsMaskedFramesAndReadsManyAtOnce) {
    ScriptedHub hub{{[](Guest guest) {
        guest.shake_hands();
        for (const std::size_t size : {0U, 5U, 125U, 126U, 65535U, 65536U}) {
            EXPECT_EQ(guest.read_frame(), std::pair(0x81, std::string(size, 'f')));
        }
        const std::string medium(300, 'm');
        guest.say(std::string{"\x81\x03one\x81\x00", 7} + "\x81\x7E\x01\x2C" + medium +
                  "\x81\x03two");
        guest.read_frame();
    }}};
    auto connection = Connection::open(hub.address(), {.agent = "a", .operator_name = {}});
    ASSERT_TRUE(connection.has_value()) << connection.error().message;
    for (const std::size_t size : {0U, 5U, 125U, 126U, 65535U, 65536U}) {
        ASSERT_TRUE(connection->send(std::string(size, 'f')).has_value());
    }
    for (const auto& frame :
         {std::string{"one"}, std::string{}, std::string(300, 'm'), std::string{"two"}}) {
        const auto received = connection->receive(seconds{10});
        ASSERT_TRUE(received.has_value() && received->has_value());
        EXPECT_EQ(**received, frame);
    }
    EXPECT_FALSE(connection->receive(milliseconds{0})->has_value());
    connection->close();
    EXPECT_FALSE(connection->send("late").has_value());
}

TEST(WebSocket, JoinsFragmentsAndAnswersPings) {
    ScriptedHub hub{{[](Guest guest) {
        guest.shake_hands();
        guest.say(std::string{"\x01\x03"} + "fra" + "\x89\x01?" + std::string{"\x00\x02gm", 4} +
                  std::string{"\x8A\x00", 2} +
                  std::string{"\x80\x03"
                              "ent"});
        EXPECT_EQ(guest.read_frame(), std::pair(0x8A, std::string{"?"}));
        std::string large{"\x81\x7F\x00\x00\x00\x00\x00\x10\x00\x00", 10};
        guest.say(large + std::string(1 << 20, 'L'));
        guest.read_frame();
    }}};
    auto connection = Connection::open(hub.address(), {});
    ASSERT_TRUE(connection.has_value());
    EXPECT_EQ(connection->receive(seconds{10})->value(), "fragment");
    EXPECT_EQ(connection->receive(seconds{10})->value(), std::string(1 << 20, 'L'));
    connection->close();
}

TEST(WebSocket, ReportsWhyTheHubClosed) {
    ScriptedHub hub{{[](Guest guest) {
        guest.shake_hands();
        guest.say(
            "\x88\x06\x03\xE9"
            "stop");
        EXPECT_EQ(guest.read_frame(), std::pair(0x88, std::string{"\x03\xE9"}));
    }}};
    auto connection = Connection::open(hub.address(), {});
    ASSERT_TRUE(connection.has_value());
    const auto received = connection->receive(seconds{10});
    ASSERT_FALSE(received.has_value());
    EXPECT_TRUE(received.error().message.ends_with("closed the connection: 1001 stop"));
    EXPECT_FALSE(connection->receive(milliseconds{0}).has_value());
}

TEST(WebSocket, FailsOnFramesNoHubSends) {
    const std::string broken[] = {
        std::string{"\x81\x81\x00\x00\x00\x00x", 7},
        std::string{"\x81\x7F\x7F\x00\x00\x00\x00\x00\x00\x00", 10},
        std::string{"\x80\x01x", 3},
        std::string{"\x01\x01x\x81\x01y", 6},
        std::string{"\x83\x00", 2},
        "",
    };
    for (const auto& bytes : broken) {
        ScriptedHub hub{{[&](Guest guest) {
            guest.shake_hands();
            guest.say(bytes);
        }}};
        auto connection = Connection::open(hub.address(), {});
        ASSERT_TRUE(connection.has_value());
        EXPECT_FALSE(connection->receive(seconds{10}).has_value());
    }
}

TEST(WebSocket, IsNotOpenedWithoutTheRightAccept) {
    ScriptedHub hub{{[](Guest guest) {
                         guest.read_until("\r\n\r\n");
                         guest.say("HTTP/1.1 101 Switching\r\nSec-WebSocket-Accept: x\r\n\r\n");
                     },
                     [](Guest guest) {
                         guest.read_until("\r\n\r\n");
                         guest.say("HTTP/1.1 403 Forbidden\r\nContent-Length: 5\r\n\r\nwhy\r\n");
                     }}};
    EXPECT_FALSE(Connection::open(hub.address(), {}).has_value());
    const auto refused = Connection::open(hub.address(), {});
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().message.find("403 why"), std::string::npos);
}

}  // namespace
}  // namespace parlance::sdk
