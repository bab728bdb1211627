// WebSockets over real sockets: echo, order, and the ways to end.
#include <atomic>

#include <gtest/gtest.h>

#include "transport/testing/peer.h"

namespace parlance::transport {
namespace {

using testing::echo_doors;
using testing::House;
using testing::Peer;
using testing::request_text;

constexpr int kText = 1;
constexpr int kClose = 8;
constexpr int kPing = 9;
constexpr int kPong = 10;

/// Hands the socket to the test and counts calls of on_gone.
struct Watch {
    Doors doors() {
        auto made = echo_doors();
        made.on_socket = [this](const std::shared_ptr<Socket>& socket) {
            socket->on_frame(
                [socket](std::string_view frame) { socket->send(std::string{frame}); });
            socket->on_gone([this] {
                if (++told == 1) gone.set_value();
            });
            arrived.set_value(socket);
        };
        return made;
    }
    std::promise<std::shared_ptr<Socket>> arrived;
    std::promise<void> gone;
    std::atomic<int> told = 0;
};

TEST(WebSocket, IsOpenedWithTheAcceptOfItsKey) {
    House house;
    Peer peer{house.port()};
    const auto answer = peer.upgrade();
    EXPECT_EQ(answer.status, 101);
    EXPECT_TRUE(answer.has("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
}

TEST(WebSocket, EchoesFramesOfAllSizesInOrder) {
    House house;
    Peer peer{house.port()};
    peer.upgrade();
    const std::size_t sizes[] = {0, 1, 125, 126, 65535, 65536, std::size_t{1} << 20};
    std::thread sender{[&] {
        for (const auto size : sizes) peer.send_frame(kText, std::string(size, 'e'));
    }};
    for (const auto size : sizes) EXPECT_EQ(peer.read_frame().payload, std::string(size, 'e'));
    sender.join();
    EXPECT_EQ(house.counts().frames_in_total, std::size(sizes));
    EXPECT_EQ(house.counts().frames_out_total, std::size(sizes));
}

TEST(WebSocket, JoinsFragmentsAndAnswersAPingBetweenThem) {
    House house;
    Peer peer{house.port()};
    peer.upgrade();
    peer.send_frame(kText, "frag", false);
    peer.send_frame(kPing, "are you there");
    peer.send_frame(0, "men", false);
    peer.send_frame(0, "ted");
    const auto pong = peer.read_frame();
    EXPECT_EQ(pong.opcode, kPong);
    EXPECT_EQ(pong.payload, "are you there");
    EXPECT_EQ(peer.read_frame().payload, "fragmented");
}

TEST(WebSocket, TakesAFrameSentWithTheUpgradeAndByteByByte) {
    House house;
    Peer peer{house.port()};
    peer.send(
        "GET / HTTP/1.1\r\nHost: hub\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        "\x81\x82\x01\x01\x01\x01hi");
    EXPECT_EQ(peer.read_answer().status, 101);
    EXPECT_EQ(peer.read_frame().payload, "ih");
    for (const char byte : std::string_view{"\x81\x82\x01\x01\x01\x01ih"}) peer.send({&byte, 1});
    EXPECT_EQ(peer.read_frame().payload, "hi");
}

TEST(WebSocket, IsClosedWithACodeThatSaysWhy) {
    struct Case {
        int opcode;
        std::string payload;
        bool masked;
        int code;
    };
    const Case cases[] = {
        {kText, "plain", false, 1002},
        {2, "binary", true, 1003},
        {kText, "\xFF", true, 1007},
        {kText, std::string(101, 'x'), true, 1009},
        {3, "", true, 1002},
    };
    House house{{.frame_bytes_max = 100}};
    for (const auto& bad : cases) {
        Peer peer{house.port()};
        peer.upgrade();
        peer.send_frame(kText, std::string(100, 'x'));
        EXPECT_EQ(peer.read_frame().opcode, kText);
        peer.send_frame(bad.opcode, bad.payload, true, bad.masked);
        EXPECT_EQ(peer.read_frame().close_code(), bad.code);
        EXPECT_TRUE(peer.has_ended());
    }
}

TEST(WebSocket, AnswersACloseAndNotifiesOnce) {
    Watch watch;
    House house{{}, watch.doors()};
    Peer peer{house.port()};
    peer.upgrade();
    peer.send_frame(kClose,
                    std::string{"\x03\xE8"
                                "bye"});
    EXPECT_EQ(peer.read_frame().close_code(), 1000);
    EXPECT_TRUE(peer.has_ended());
    watch.gone.get_future().wait();
    peer.reset();
    house.on_loop([&, socket = watch.arrived.get_future().get()]() mutable {
        socket->send("into the void");
        socket->close(1000, "twice");
        EXPECT_EQ(socket->backlog_bytes(), 0U);
    });
    EXPECT_EQ(watch.told, 1);
}

/// Small frames, more than one read takes.
std::string many_frames() {
    std::string frames;
    for (int i = 0; i < 40'000; ++i) frames += std::string_view{"\x81\x82\0\0\0\0{}", 8};
    return frames;
}

TEST(WebSocket, IgnoresFramesAfterItsEnd) {
    using namespace std::string_literals;
    struct Case {
        std::string ending;
        int code;
    };
    const Case cases[] = {
        {"\x88\x82\0\0\0\0\x03\xE8"s, 1000},            // A close.
        {"\x82\x81\0\0\0\0x"s, 1003},                   // A binary frame.
        {"\x81\xFF\0\0\0\0\0\x20\0\0\0\0\0\0"s, 1009},  // A frame of 2 MiB.
        {"\x81\x81\0\0\0\0\xFF"s, 1007},                // Not UTF-8.
        {"\x81\x02{}"s, 1002},                          // Not masked.
    };
    const auto frames = many_frames();
    for (const auto& item : cases) {
        Watch watch;
        House house{{}, watch.doors()};
        Peer peer{house.port()};
        peer.upgrade();
        std::thread sender{[&] { peer.send(item.ending + frames); }};
        EXPECT_EQ(peer.read_frame().close_code(), item.code);
        sender.join();
        EXPECT_TRUE(peer.has_ended());
        watch.gone.get_future().wait();
        EXPECT_EQ(watch.told, 1);
        EXPECT_EQ(house.counts().frames_in_total, 0U);
    }
}

TEST(WebSocket, DeliversNothingAfterTheServersClose) {
    Watch watch;
    House house{{}, watch.doors()};
    Peer peer{house.port()};
    peer.upgrade();
    const auto socket = watch.arrived.get_future().get();
    house.on_loop([&] { socket->close(4001, "enough"); });
    EXPECT_EQ(peer.read_frame().close_code(), 4001);
    using namespace std::string_literals;
    peer.send(many_frames() + "\x88\x82\0\0\0\0\x0F\xA1"s + many_frames());
    EXPECT_TRUE(peer.has_ended());
    watch.gone.get_future().wait();
    EXPECT_EQ(watch.told, 1);
}

TEST(WebSocket, NotifiesOnceOfAVanishedPeer) {
    Watch watch;
    House house{{}, watch.doors()};
    Peer peer{house.port()};
    peer.upgrade();
    peer.send_frame(kText, "half a ", false);
    peer.reset();
    watch.gone.get_future().wait();
    EXPECT_EQ(house.counts().connections_open, 0U);
    EXPECT_EQ(watch.told, 1);
}

TEST(WebSocket, SendsQueuedFramesBeforeTheServersClose) {
    Watch watch;
    House house{{}, watch.doors()};
    Peer peer{house.port()};
    peer.upgrade();
    const auto socket = watch.arrived.get_future().get();
    house.on_loop([&] {
        socket->send("last words");
        socket->close(4001, "enough");
        socket->send("never sent");
    });
    EXPECT_EQ(peer.read_frame().payload, "last words");
    peer.send_frame(kText, "ignored");
    EXPECT_EQ(peer.read_frame().close_code(), 4001);
    peer.send_frame(kClose, "\x0F\xA1");
    EXPECT_TRUE(peer.has_ended());
    watch.gone.get_future().wait();
}

TEST(WebSocket, GetsTheReasonOfCloseAll) {
    House house;
    Peer peer{house.port()};
    peer.upgrade();
    house.on_loop([&] { house.server().close_all(1001, "the hub stops"); });
    const auto farewell = peer.read_frame();
    EXPECT_EQ(farewell.close_code(), 1001);
    EXPECT_EQ(farewell.payload.substr(2), "the hub stops");
}

TEST(WebSocket, IsPingedWhenSilentAndShedWithoutAnAnswer) {
    Watch watch;
    House house{{.ping_interval = Duration{400}}, watch.doors()};
    Peer peer{house.port()};
    peer.upgrade();
    EXPECT_EQ(peer.read_frame().opcode, kPing);
    peer.send_frame(kPong, "");
    EXPECT_EQ(peer.read_frame().opcode, kPing);
    EXPECT_EQ(house.counts().connections_shed, 0U);
    EXPECT_TRUE(peer.has_ended());
    watch.gone.get_future().wait();
    EXPECT_EQ(house.counts().connections_shed, 1U);
}

TEST(WebSocket, IsShedWhenThePeerDoesNotRead) {
    Watch watch;
    House house{{.write_backlog_bytes_max = std::size_t{1} << 20}, watch.doors()};
    Peer peer{house.port()};
    peer.upgrade();
    const auto socket = watch.arrived.get_future().get();
    house.on_loop([&] {
        for (int at = 0; at < 64; ++at) socket->send(std::string(1 << 20, 'x'));
    });
    watch.gone.get_future().wait();
    EXPECT_EQ(house.counts().connections_shed, 1U);
    EXPECT_EQ(watch.told, 1);
}

TEST(WebSocket, GivesASlowReaderEverythingWithinTheBacklog) {
    Watch watch;
    House house{{}, watch.doors()};
    Peer peer{house.port()};
    peer.upgrade();
    const auto socket = watch.arrived.get_future().get();
    house.on_loop([&] {
        for (int at = 0; at < 32; ++at)
            socket->send(std::string(1 << 20, static_cast<char>('a' + at % 26)));
    });
    house.on_loop([&] { EXPECT_GT(socket->backlog_bytes(), 0U); });
    for (int at = 0; at < 32; ++at) {
        EXPECT_EQ(peer.read_frame().payload,
                  std::string(1 << 20, static_cast<char>('a' + at % 26)));
    }
}

TEST(Upgrade, IsRefusedWithTheAnswerOfOnUpgrade) {
    auto doors = echo_doors();
    doors.on_upgrade = [](const Request& request) -> std::optional<Response> {
        if (request.path == "/open") return std::nullopt;
        return Response{.status = 403, .content_type = "", .headers = {}, .body = "no"};
    };
    House house{{}, doors};
    Peer stranger{house.port()};
    EXPECT_EQ(stranger.upgrade("/shut").status, 403);
    EXPECT_TRUE(stranger.has_ended());
    Peer friendly{house.port()};
    EXPECT_EQ(friendly.upgrade("/open").status, 101);
}

TEST(Upgrade, IsRefusedWhenMalformed) {
    House house;
    const std::string ask = "Host: hub\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
    const std::string key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    const std::string version = "Sec-WebSocket-Version: 13\r\n";
    const std::pair<std::string, int> cases[] = {
        {"GET / HTTP/1.1\r\n" + ask + version + "\r\n", 400},
        {"GET / HTTP/1.1\r\n" + ask + version + "Sec-WebSocket-Key: short\r\n\r\n", 400},
        {"POST / HTTP/1.1\r\n" + ask + version + key + "\r\n", 400},
        {"GET / HTTP/1.1\r\n" + ask + version + key + "Content-Length: 2\r\n\r\nxx", 400},
        {"GET / HTTP/1.0\r\n" + ask + version + key + "\r\n", 200},
        {"GET / HTTP/1.1\r\n" + ask + key + "Sec-WebSocket-Version: 8\r\n\r\n", 426},
    };
    for (const auto& [request, status] : cases) {
        Peer peer{house.port()};
        peer.send(request);
        EXPECT_EQ(peer.read_answer().status, status) << request;
        EXPECT_TRUE(peer.has_ended());
    }
}

TEST(Upgrade, ToSomethingElseIsAnOrdinaryRequest) {
    House house;
    Peer peer{house.port()};
    peer.send(request_text("GET", "/", {}, "Upgrade: h2c\r\nConnection: Upgrade\r\n"));
    EXPECT_EQ(peer.read_answer().status, 200);
}

}  // namespace
}  // namespace parlance::transport
