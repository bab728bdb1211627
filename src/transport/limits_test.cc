// Every limit of the HTTP listener below, at and above; and requests that are refused whatever
// their size.
#include <random>

#include <gtest/gtest.h>

#include "transport/testing/peer.h"

namespace parlance::transport {
namespace {

using testing::House;
using testing::Peer;
using testing::request_text;

constexpr DoorLimits kSmall{.header_bytes_max = 1000, .body_bytes_max = 100};

/// A GET whose header has exactly this many bytes, end included.
std::string header_of(std::size_t bytes) {
    const std::string start = "GET / HTTP/1.1\r\nHost: hub\r\nX: ";
    return start + std::string(bytes - start.size() - 4, 'x') + "\r\n\r\n";
}

std::string header_with_fields(std::size_t count) {
    std::string text = "GET / HTTP/1.1\r\nHost: hub\r\n";
    for (std::size_t at = 1; at < count; ++at) text += "A" + std::to_string(at) + ": 1\r\n";
    return text + "\r\n";
}

std::string chunked(std::size_t bytes) {
    std::string text = "POST / HTTP/1.1\r\nHost: hub\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (std::size_t at = 0; at < bytes; ++at) text += "1\r\nx\r\n";
    return text + "0\r\n\r\n";
}

void expect_answer(House& house, const std::string& request, int status) {
    Peer peer{house.port()};
    peer.send(request);
    const auto answer = peer.read_answer();
    EXPECT_EQ(answer.status, status) << request.substr(0, 200);
    if (status == 200) return;
    EXPECT_EQ(answer.body.substr(0, 9), "refused: ");
    EXPECT_TRUE(answer.has("Connection: close\r\n"));
    EXPECT_TRUE(peer.has_ended());
}

TEST(HeaderBytes, BelowAtAndAboveTheLimit) {
    House house{kSmall};
    expect_answer(house, header_of(999), 200);
    expect_answer(house, header_of(1000), 200);
    expect_answer(house, header_of(1001), 431);
    expect_answer(house, header_of(5000), 431);
}

TEST(HeaderBytes, AreCountedAcrossPieces) {
    for (const std::size_t bytes : {1000U, 1001U}) {
        House house{kSmall};
        Peer peer{house.port()};
        for (const char byte : header_of(bytes)) peer.send({&byte, 1});
        EXPECT_EQ(peer.read_answer().status, bytes <= 1000 ? 200 : 431);
    }
}

TEST(HeaderBytes, ThatNeverEndAreRefusedAtTheLimit) {
    House house{kSmall};
    expect_answer(house, "GET /" + std::string(2000, 'x'), 431);
    std::string fields = "GET / HTTP/1.1\r\nHost: hub\r\n";
    for (int at = 0; at < 90; ++at) fields += "Padding: xxxxxxxx\r\n";
    expect_answer(house, fields, 431);
}

TEST(HeaderFields, BelowAtAndAboveTheLimit) {
    House house;
    expect_answer(house, header_with_fields(99), 200);
    expect_answer(house, header_with_fields(100), 200);
    expect_answer(house, header_with_fields(101), 431);
}

TEST(BodyBytes, BelowAtAndAboveTheLimit) {
    House house{kSmall};
    for (const std::size_t bytes : {99U, 100U, 101U, 100'000U}) {
        const int status = bytes <= 100 ? 200 : 413;
        expect_answer(house, request_text("POST", "/", std::string(bytes, 'x')), status);
        expect_answer(house, chunked(bytes), status);
    }
}

TEST(BodyBytes, TooManyAreRefusedBeforeTheyCome) {
    House house{kSmall};
    expect_answer(house,
                  "POST / HTTP/1.1\r\nHost: hub\r\nContent-Length: 101\r\n"
                  "Expect: 100-continue\r\n\r\n",
                  413);
    expect_answer(
        house, "POST / HTTP/1.1\r\nHost: hub\r\nContent-Length: 18446744073709551615\r\n\r\n", 413);
}

TEST(BodyBytes, TheSenderOfTooManyIsReportedWithoutTheBody) {
    std::vector<std::string> told;
    auto doors = testing::echo_doors();
    doors.on_too_large = [&](const Request& head, std::string_view) {
        told.push_back(head.method + " " + head.path + " " + std::string{head.header("Who")} +
                       (head.body.empty() ? "" : " " + head.body));
    };
    House house{kSmall, doors};
    const std::string head = "POST /p HTTP/1.1\r\nHost: hub\r\nWho: me\r\n";
    expect_answer(house, head + "Content-Length: 101\r\n\r\n", 413);
    expect_answer(
        house,
        head + "Transfer-Encoding: chunked\r\n\r\n65\r\n" + std::string(101, 'x') + "\r\n0\r\n\r\n",
        413);
    const std::vector<std::string> expected(2, "POST /p me");
    house.on_loop([&] { EXPECT_EQ(told, expected); });
}

TEST(BadRequests, AreRefused) {
    House house;
    const std::string head = "POST / HTTP/1.1\r\nHost: hub\r\n";
    const std::string chunks = head + "Transfer-Encoding: chunked\r\n\r\n";
    const std::string cases[] = {
        "nonsense\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: hub\r\n\r\n",
        "GET / HTTP/2.0\r\nHost: hub\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\nHost: hub\n\n",
        "GET /%zz HTTP/1.1\r\nHost: hub\r\n\r\n",
        "GET index HTTP/1.1\r\nHost: hub\r\n\r\n",
        head + "No colon\r\n\r\n",
        head + "Space : before\r\n\r\n",
        head + std::string("Nul: a\0b\r\n\r\n", 12),
        head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        head + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        head + "Content-Length: -1\r\n\r\n",
        head + "Content-Length: 99999999999999999999999\r\n\r\n",
        head + "Content-Length: 0x5\r\n\r\nhello",
        head + "Transfer-Encoding: gzip\r\nContent-Length: 0\r\n\r\n",
        head + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        chunks + "zz\r\nhello\r\n",
        chunks + "5\r\nhelloXX0\r\n\r\n",
        chunks + "-1\r\n",
        chunks + "fffffffffffffffff\r\n",
        chunks + "1;" + std::string(20'000, 'e'),
    };
    for (const auto& request : cases) expect_answer(house, request, 400);
}

TEST(HeaderValues, AreUtf8WithoutControlCharacters) {
    House house;
    const auto with = [](const std::string& value) {
        return request_text("GET", "/", {}, "X: y\r\nParlance-Agent: " + value + "\r\n");
    };
    for (const auto* good :
         {"", "a", "a b", "a\tb", "J\xC3\xBCrgen", "\xC2\xA0", "\xF4\x8F\xBF\xBF"}) {
        expect_answer(house, with(good), 200);
    }
    for (const auto* bad : {"a\xFF",
                            "\xC3",
                            "\xC0\xAF",
                            "\xED\xA0\x80",
                            "\xF4\x90\x80\x80",
                            "a long one with one wrong byte \x80 in it",
                            "a\tb\xFF",
                            "\xC2\x80",
                            "\xC2\x9B[31m",
                            "\x1B[31m",
                            "\x7F"}) {
        expect_answer(house, with(bad), 400);
    }
    Peer peer{house.port()};
    peer.send(with("\xFF"));
    EXPECT_EQ(peer.read_answer().body,
              "refused: the header 'Parlance-Agent' must be UTF-8 without control characters");
}

TEST(BadRequests, OfAnyBytesAreAnsweredOrDropped) {
    House house{kSmall};
    std::mt19937 random{11};
    const std::string good = request_text("POST", "/a?b=c", "hello", "X: y\r\n") + chunked(3);
    for (int round = 0; round < 300; ++round) {
        auto bytes = good;
        for (int change = 0; change < 3; ++change) {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        Peer peer{house.port()};
        peer.send(bytes);
        peer.finish_sending();
        while (peer.read_answer().status != 0) {
        }
    }
    expect_answer(house, request_text("GET", "/"), 200);
}

TEST(SlowClients, AreAnsweredAndLetGo) {
    // Long enough for a peer on a busy machine to send what it has.
    House house{{.header_time_max = Duration{400}, .body_time_max = Duration{400}}};
    expect_answer(house, "GET / HTTP/1.1\r\nHost:", 408);
    expect_answer(house, "POST / HTTP/1.1\r\nHost: hub\r\nContent-Length: 5\r\n\r\nabc", 408);
    EXPECT_EQ(house.counts().connections_shed, 2U);
    Peer silent{house.port()};
    EXPECT_TRUE(silent.has_ended());
}

/// Sends `drip` again and again until the connection is closed; false if it stays open.
bool is_shut_out(const Peer& peer, std::string_view drip) {
    constexpr int kDripsMax = 500'000;
    for (int i = 0; i < kDripsMax; ++i) {
        if (!peer.can_send(drip) || (i % 100 == 0 && peer.sees_end())) return true;
    }
    return false;
}

TEST(SlowClients, AreClosedEvenIfTheyKeepSendingLineEnds) {
    House house{{.header_time_max = Duration{40}, .idle_time_max = Duration{60'000}}};
    const Peer peer{house.port()};
    EXPECT_TRUE(is_shut_out(peer, "\r\n"));
}

TEST(SlowClients, AreClosedEvenIfTheyKeepSendingPartOfAFrame) {
    House house{{.body_time_max = Duration{40}}};
    Peer peer{house.port()};
    peer.upgrade();
    // The head of a text frame of a megabyte, more than all the bytes that follow.
    peer.send(std::string{"\x81\xff\0\0\0\0\0\x10\0\0\0\0\0\0", 14});
    EXPECT_TRUE(is_shut_out(peer, "x"));
}

TEST(IdleConnections, AreClosedAfterTheirTime) {
    House house{{.idle_time_max = Duration{400}}};
    Peer peer{house.port()};
    peer.send(request_text("GET", "/"));
    EXPECT_EQ(peer.read_answer().status, 200);
    EXPECT_TRUE(peer.has_ended());
}

TEST(Connections, G7_BelowAtAndAboveTheLimit) {
    House house{{.connections_max = 2}};
    Peer first{house.port()};
    first.upgrade();
    Peer second{house.port()};
    second.upgrade();
    expect_answer(house, request_text("GET", "/"), 429);
    EXPECT_EQ(house.counts().connections_shed, 1U);
    EXPECT_EQ(house.counts().idle_closed, 0U) << "WebSockets wait, and are not idle";
}

TEST(Connections, G7_IdleConnectionsMakeRoomLongestSilentFirst) {
    House house{{.silence_before_idle = Duration{0}, .connections_max = 2}};
    Peer first{house.port()};
    first.send(request_text("GET", "/"));
    EXPECT_EQ(first.read_answer().status, 200);
    Peer second{house.port()};
    second.send(request_text("GET", "/"));
    EXPECT_EQ(second.read_answer().status, 200);
    first.send(request_text("GET", "/"));
    EXPECT_EQ(first.read_answer().status, 200);

    Peer third{house.port()};
    third.send(request_text("GET", "/"));
    EXPECT_EQ(third.read_answer().status, 200);
    EXPECT_TRUE(second.has_ended());
    EXPECT_FALSE(first.sees_end());
    EXPECT_EQ(house.counts().idle_closed, 1U);
    EXPECT_EQ(house.counts().connections_shed, 0U);
}

TEST(Connections, G7_WithoutARequestMakeRoomFirst) {
    House house{{.connections_max = 2}};
    Peer served{house.port()};
    served.send(request_text("GET", "/"));
    EXPECT_EQ(served.read_answer().status, 200);
    Peer silent{house.port()};
    EXPECT_TRUE(house.await([](const auto& counts) { return counts.connections_total == 2; }));
    expect_answer(house, request_text("GET", "/"), 200);
    EXPECT_TRUE(silent.has_ended());
    EXPECT_FALSE(served.sees_end());
}

TEST(Connections, G7_PausingBetweenTwoRequestsAreNotIdle) {
    House house{{.silence_before_idle = std::chrono::hours{1}, .connections_max = 1}};
    Peer peer{house.port()};
    peer.send(request_text("GET", "/"));
    EXPECT_EQ(peer.read_answer().status, 200);
    expect_answer(house, request_text("GET", "/"), 429);
    peer.send(request_text("GET", "/"));
    EXPECT_EQ(peer.read_answer().status, 200);
}

TEST(Connections, G7_InTheMiddleOfARequestAreNotIdle) {
    House house{{.header_before_idle = std::chrono::hours{1}, .connections_max = 1}};
    Peer peer{house.port()};
    const auto request = request_text("POST", "/", "hello");
    peer.send(request.substr(0, 10));
    EXPECT_TRUE(house.await([](const auto& counts) { return counts.bytes_in_total == 10; }));
    expect_answer(house, request_text("GET", "/"), 429);
    peer.send(request.substr(10));
    EXPECT_EQ(peer.read_answer().status, 200);
}

TEST(Connections, G7_ArrivingTogetherAreAcceptedTogether) {
    constexpr std::size_t kPeers = 50;
    House house;
    std::vector<std::unique_ptr<Peer>> peers;
    std::size_t handlers = 0;
    // Every posted handler stands for one round of handlers of many busy connections.
    std::function<void()> look = [&] {
        ++handlers;
        if (house.server().counts().connections_open < kPeers) house.loop().post(look);
    };
    house.on_loop([&] {
        while (peers.size() < kPeers) peers.push_back(std::make_unique<Peer>(house.port()));
        handlers = 0;
        house.loop().post(look);
    });
    EXPECT_TRUE(house.await([](const auto& counts) { return counts.connections_open == kPeers; }));
    house.on_loop([&] { EXPECT_LT(handlers, kPeers / 2); });
}

TEST(Connections, G7_WhoseHeaderDoesNotEndMakeRoom) {
    House house{{.header_before_idle = Duration{0}, .connections_max = 2}};
    Peer stranger{house.port()};
    stranger.send(request_text("GET", "/").substr(0, 10));
    Peer served{house.port()};
    served.send(request_text("GET", "/"));
    EXPECT_EQ(served.read_answer().status, 200);
    served.send("G");
    EXPECT_TRUE(house.await([](const auto& counts) {
        return counts.bytes_in_total == 11 + request_text("GET", "/").size();
    }));
    Peer first{house.port()};
    first.upgrade();
    EXPECT_TRUE(stranger.has_ended());
    Peer second{house.port()};
    second.upgrade();
    EXPECT_TRUE(served.has_ended()) << "that it was answered before gives it no place for ever";
    expect_answer(house, request_text("GET", "/"), 429);
    EXPECT_EQ(house.counts().idle_closed, 2U);
}

TEST(Connections, G7_WhoseBodyDoesNotEndMakeRoom) {
    House house{{.body_before_idle = Duration{0}, .connections_max = 1}};
    Peer slow{house.port()};
    const auto part =
        request_text("POST", "/", "hello").substr(0, request_text("POST", "/", "hello").size() - 1);
    slow.send(part);
    EXPECT_TRUE(
        house.await([&](const auto& counts) { return counts.bytes_in_total == part.size(); }));
    expect_answer(house, request_text("GET", "/"), 200);
    EXPECT_TRUE(slow.has_ended());
}

TEST(Connections, G7_WhoseBodyIsStillToComeAreNotIdle) {
    House house{{.header_before_idle = Duration{0}, .connections_max = 1}};
    Peer peer{house.port()};
    const auto request = request_text("POST", "/", "hello");
    const auto head_bytes = request.size() - 5;
    peer.send(request.substr(0, head_bytes));
    EXPECT_TRUE(
        house.await([&](const auto& counts) { return counts.bytes_in_total == head_bytes; }));
    expect_answer(house, request_text("GET", "/"), 429);
    peer.send(request.substr(head_bytes));
    EXPECT_EQ(peer.read_answer().status, 200);
}

TEST(Connections, G7_WithAnUnreadRequestAreNotIdle) {
    House house{{.connections_max = 1}};
    std::unique_ptr<Peer> first;
    std::unique_ptr<Peer> second;
    house.on_loop([&] {
        first = std::make_unique<Peer>(house.port());
        first->send(request_text("GET", "/"));
        second = std::make_unique<Peer>(house.port());
    });
    EXPECT_EQ(first->read_answer().status, 200);
    EXPECT_EQ(second->read_answer().status, 429);
}

TEST(Connections, G7_AboveTheLimitMayProbeTheHealth) {
    House house{{.connections_max = 1, .probe_paths = {"/healthz"}}};
    Peer first{house.port()};
    first.upgrade();
    std::vector<std::unique_ptr<Peer>> silent;
    while (silent.size() < 20) silent.push_back(std::make_unique<Peer>(house.port()));
    for (int i = 0; i < 20; ++i) {
        Peer probe{house.port()};
        probe.send(request_text("GET", "/healthz"));
        const auto answer = probe.read_answer();
        EXPECT_EQ(answer.status, 200);
        EXPECT_TRUE(answer.has("Connection: close\r\n"));
        expect_answer(house, request_text("GET", "/"), 429);
    }
}

TEST(Connections, OfOnePeerAreLimitedToo) {
    House house{{.connections_per_peer_max = 1}};
    Peer first{house.port()};
    first.send(request_text("GET", "/"));
    EXPECT_EQ(first.read_answer().status, 200);
    expect_answer(house, request_text("GET", "/"), 429);
}

}  // namespace
}  // namespace parlance::transport
