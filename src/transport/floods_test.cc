// Clients that ask and do not read: the hub keeps a bounded number of bytes for them, and serves
// other clients.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <malloc.h>

#include "transport/testing/peer.h"

namespace parlance::transport {
namespace {

using testing::echo_doors;
using testing::House;
using testing::Peer;
using testing::request_text;

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

/// Notes in which turn each request or frame came, and answers requests with `body_bytes` bytes.
struct TurnNotes {
    Doors doors(std::size_t body_bytes) {
        auto made = echo_doors();
        made.on_request = [this, body_bytes](const std::shared_ptr<Exchange>& exchange) {
            note();
            exchange->respond(
                {.content_type = {}, .headers = {}, .body = std::string(body_bytes, 'x')});
        };
        made.on_socket = [this](const std::shared_ptr<Socket>& socket) {
            socket->on_frame([this](std::string_view) { note(); });
        };
        return made;
    }
    void note() { turns.push_back(house->turns()); }
    /// How many requests or frames came in the turn of the first.
    std::size_t in_first_turn() const {
        return static_cast<std::size_t>(std::ranges::count(turns, turns.front()));
    }
    House* house = nullptr;
    std::vector<int> turns;
};

std::string repeated(std::string_view text, std::size_t count) {
    std::string all;
    for (std::size_t at = 0; at < count; ++at) all += text;
    return all;
}

/// How many of `sent` pipelined requests are processed in the turn of the first.
std::size_t requests_in_first_turn(DoorLimits limits, std::size_t sent, std::size_t body_bytes) {
    TurnNotes notes;
    House house{limits, notes.doors(body_bytes)};
    notes.house = &house;
    Peer peer{house.port()};
    peer.send(repeated(request_text("GET", "/"), sent));
    for (std::size_t at = 0; at < sent; ++at) EXPECT_EQ(peer.read_answer().status, 200);
    std::size_t count = 0;
    house.on_loop([&] { count = notes.in_first_turn(); });
    return count;
}

/// How many requests or frames the listener has taken when a hundred turns in a row take no more.
/// Until the system's buffers towards a peer that does not read are full, the listener's own
/// buffers drain into them, and the listener takes more now and then.
std::uint64_t taken_until_it_stalls(House& house, std::uint64_t DoorCounts::*count) {
    constexpr int kRoundsMax = 1'000;
    auto taken = house.counts().*count;
    for (int round = 0; round < kRoundsMax; ++round) {
        for (int turn = 0; turn < 100; ++turn) house.on_loop([] {});
        const auto now = house.counts();
        if (now.*count == taken && now.buffered_bytes > DoorLimits{}.unsent_bytes_pause) break;
        taken = now.*count;
    }
    return taken;
}

TEST(Flood, G7_RequestsPerTurnBelowAtAndAboveTheLimit) {
    const DoorLimits limits{.requests_per_turn_max = 4};
    EXPECT_EQ(requests_in_first_turn(limits, 3, 0), 3U);
    EXPECT_EQ(requests_in_first_turn(limits, 4, 0), 4U);
    EXPECT_EQ(requests_in_first_turn(limits, 5, 0), 4U);
    EXPECT_EQ(requests_in_first_turn(limits, 100, 0), 4U);
}

TEST(Flood, G7_UnsentBytesBelowAtAndAboveTheLimit) {
    constexpr std::size_t kBody = 1000;
    const auto head =
        std::string{"HTTP/1.1 200 OK\r\nServer: parlance\r\nContent-Length: 1000\r\n\r\n"};
    const auto answer_bytes = head.size() + kBody;
    const auto with_pause = [&](std::size_t bytes) {
        return requests_in_first_turn(
            {.unsent_bytes_pause = bytes, .requests_per_turn_max = 100}, 2, kBody);
    };
    EXPECT_EQ(with_pause(answer_bytes + 1), 2U);
    EXPECT_EQ(with_pause(answer_bytes), 2U);
    EXPECT_EQ(with_pause(answer_bytes - 1), 1U) << "the second waits until the first has left";
}

TEST(Flood, G7_AClientThatReadsNoAnswersIsPausedAndLaterGetsAllAnswers) {
    constexpr std::size_t kRequests = 2000;
    constexpr std::size_t kBody = 20'000;
    const DoorLimits limits{};
    TurnNotes notes;
    House house{limits, notes.doors(kBody)};
    notes.house = &house;
    Peer peer{house.port()};
    peer.send(repeated(request_text("GET", "/"), kRequests));
    ASSERT_TRUE(house.await(
        [&](const auto& counts) { return counts.buffered_bytes > limits.unsent_bytes_pause; }));
    // Turns pass, and no turn takes a further request.
    EXPECT_LT(taken_until_it_stalls(house, &DoorCounts::requests_total), kRequests);
    EXPECT_LE(house.counts().buffered_bytes,
              limits.unsent_bytes_pause + kBody + 1000 + std::size_t{64} * 1024);
    for (std::size_t at = 0; at < kRequests; ++at) {
        ASSERT_EQ(peer.read_answer().body.size(), kBody) << at;
    }
    EXPECT_EQ(house.counts().requests_total, kRequests);
    EXPECT_EQ(house.counts().buffered_bytes, 0U);
}

TEST(Flood, G6_WhoAsksForTheHealthOfTheHubDoesNotWaitBehindCostlyRequests) {
    constexpr int kCostly = 200;
    std::atomic<int> done{0};
    auto doors = echo_doors();
    doors.on_request = [&done](const std::shared_ptr<Exchange>& exchange) {
        if (exchange->request().path == "/costly") {
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
            ++done;
        }
        exchange->respond({.content_type = {}, .headers = {}, .body = {}});
    };
    House house{{.probe_paths = {"/healthz"}}, doors};
    Peer probe{house.port()};
    std::vector<std::unique_ptr<Peer>> peers;
    for (int i = 0; i < kCostly; ++i) peers.push_back(std::make_unique<Peer>(house.port()));
    EXPECT_TRUE(
        house.await([](const auto& counts) { return counts.connections_open == kCostly + 1; }));
    for (const auto& peer : peers) peer->send(request_text("GET", "/costly"));
    probe.send(request_text("GET", "/healthz"));
    EXPECT_EQ(probe.read_answer().status, 200);
    EXPECT_LT(done, kCostly / 2);
    for (const auto& peer : peers) EXPECT_EQ(peer->read_answer().status, 200);
    EXPECT_EQ(done, kCostly);
}

TEST(Flood, G7_FramesPerTurnBelowAtAndAboveTheLimit) {
    for (const std::size_t sent : {7U, 8U, 9U, 40U}) {
        TurnNotes notes;
        House house{{.frames_per_turn_max = 8}, notes.doors(0)};
        notes.house = &house;
        Peer peer{house.port()};
        peer.upgrade();
        peer.send(repeated(std::string{"\x81\x82\0\0\0\0{}", 8}, sent));
        EXPECT_TRUE(
            house.await([&](const auto& counts) { return counts.frames_in_total == sent; }));
        std::size_t count = 0;
        house.on_loop([&] { count = notes.in_first_turn(); });
        EXPECT_EQ(count, std::min<std::size_t>(sent, 8)) << sent;
    }
}

TEST(Flood, G7_AWebSocketThatReadsNothingIsPausedAndLaterGetsAllFrames) {
    constexpr std::size_t kFrames = 400;
    const DoorLimits limits{};
    House house{limits};
    Peer peer{house.port()};
    peer.upgrade();
    const std::string payload(100'000, 'x');
    // A separate thread sends, because after a while the hub reads nothing from this peer.
    std::thread sender{[&] {
        for (std::size_t at = 0; at < kFrames; ++at) peer.send_frame(1, payload);
    }};
    ASSERT_TRUE(house.await(
        [&](const auto& counts) { return counts.buffered_bytes > limits.unsent_bytes_pause; }));
    EXPECT_LT(taken_until_it_stalls(house, &DoorCounts::frames_in_total), kFrames);
    EXPECT_LE(house.counts().buffered_bytes, limits.unsent_bytes_pause + kMebibyte);
    for (std::size_t at = 0; at < kFrames; ++at) {
        ASSERT_EQ(peer.read_frame().payload.size(), payload.size()) << at;
    }
    sender.join();
}

/// Begins a POST of twice `bytes` and stops in the middle.
void send_half(House& house, Peer& peer, std::size_t bytes) {
    const auto before = house.counts().buffered_bytes;
    const auto request = request_text("POST", "/", std::string(2 * bytes, 'x'));
    peer.send(std::string_view{request}.substr(0, request.size() - bytes));
    EXPECT_TRUE(house.await([&](const auto& counts) {
        return counts.buffered_bytes == before + bytes || counts.slow_readers_closed > 0;
    }));
}

TEST(Flood, G7_BufferedBytesOfAllConnectionsBelowAtAndAboveTheLimit) {
    constexpr std::size_t kHalf = 50'000;
    TurnNotes notes;
    House house{{.buffered_bytes_max = 3 * kHalf}, notes.doors(0)};
    notes.house = &house;
    Peer first{house.port()};
    send_half(house, first, kHalf);
    Peer second{house.port()};
    send_half(house, second, kHalf);
    Peer third{house.port()};
    send_half(house, third, kHalf);
    EXPECT_EQ(house.counts().buffered_bytes, 3 * kHalf);
    EXPECT_EQ(house.counts().slow_readers_closed, 0U);

    Peer small{house.port()};
    send_half(house, small, 1);
    EXPECT_TRUE(first.has_ended()) << "it has held its bytes for longest";
    EXPECT_EQ(house.counts().slow_readers_closed, 1U);
    EXPECT_EQ(house.counts().buffered_bytes, 2 * kHalf + 1);
    small.send("x");
    EXPECT_EQ(small.read_answer().status, 200) << "who holds little is left alone";
    third.send(std::string(kHalf, 'x'));
    EXPECT_EQ(third.read_answer().status, 200);
    second.send(std::string(kHalf, 'x'));
    EXPECT_EQ(second.read_answer().status, 200);
}

TEST(Flood, G7_TheSlowerOfTwoReadersIsClosed) {
    constexpr std::size_t kAnswer = 32 * kMebibyte;
    TurnNotes notes;
    // More than one client's answer and less than two, however many bytes the kernel takes.
    House house{{.buffered_bytes_max = 40 * kMebibyte}, notes.doors(kAnswer)};
    notes.house = &house;
    Peer first{house.port()};
    first.send(request_text("GET", "/"));
    EXPECT_TRUE(house.await([](const auto& counts) { return counts.requests_total == 1; }));
    EXPECT_EQ(house.counts().slow_readers_closed, 0U);
    Peer second{house.port()};
    second.send(request_text("GET", "/"));
    EXPECT_TRUE(house.await([](const auto& counts) { return counts.slow_readers_closed == 1; }));
    EXPECT_EQ(second.read_answer().body.size(), kAnswer);
    EXPECT_LT(first.read_answer().body.size(), kAnswer);
}

/// The bytes that the process has allocated. 0 under a sanitizer with its own allocator.
std::size_t allocated_bytes() {
    const auto info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
}

/// How much more the process has allocated than `before`.
std::size_t growth_since(std::size_t before) {
    const auto now = allocated_bytes();
    return now > before ? now - before : 0;
}

std::string head_of(std::size_t size) {
    return "HTTP/1.1 200 OK\r\nServer: parlance\r\nContent-Length: " + std::to_string(size) +
           "\r\n\r\n";
}

using Peers = std::vector<std::unique_ptr<Peer>>;

Peers many_peers(const House& house) {
    Peers peers;
    for (int count = 0; count < 32; ++count) peers.push_back(std::make_unique<Peer>(house.port()));
    return peers;
}

TEST(Buffers, G7_OfALargeFrameAreFreedAfterTheFirstByteOfTheNext) {
    TurnNotes notes;
    House house{{}, notes.doors(0)};
    notes.house = &house;
    const auto peers = many_peers(house);
    for (const auto& peer : peers) peer->upgrade();
    const auto upgraded = house.counts().bytes_in_total;
    const std::string payload(700'000, 'x');
    const auto before = allocated_bytes();
    for (const auto& peer : peers) {
        peer->send_frame(1, payload);
        peer->send("\x81");
    }
    const auto sent = peers.size() * (payload.size() + 15);
    ASSERT_TRUE(
        house.await([&](const auto& counts) { return counts.bytes_in_total == upgraded + sent; }));
    EXPECT_EQ(house.counts().frames_in_total, peers.size());
    EXPECT_LT(growth_since(before), peers.size() * 16'384);
}

TEST(Buffers, G7_OfAMostlyReadAnswerAreFreed) {
    constexpr std::size_t kAnswer = 8 * kMebibyte;
    constexpr std::size_t kUnread = 3 * kMebibyte;  // More than the kernel buffers for a peer.
    TurnNotes notes;
    House house{{}, notes.doors(kAnswer)};
    notes.house = &house;
    const auto peers = many_peers(house);
    const auto before = allocated_bytes();
    for (const auto& peer : peers) {
        peer->send(request_text("GET", "/"));
        peer->discard_bytes(kAnswer - kUnread);
    }
    const auto buffered = house.counts().buffered_bytes;
    EXPECT_LT(growth_since(before), 3 * buffered + peers.size() * 65'536);
}

TEST(Buffers, G7_OfAReadAnswerAreFreedAtOnceOrCounted) {
    for (const std::size_t size : {10'000U, 1'000'000U}) {
        TurnNotes notes;
        House house{{}, notes.doors(size)};
        notes.house = &house;
        const auto peers = many_peers(house);
        const auto before = allocated_bytes();
        for (const auto& peer : peers) {
            peer->send(request_text("GET", "/"));
            peer->discard_bytes(head_of(size).size() + size);
        }
        ASSERT_TRUE(house.await([&](const auto& counts) {
            return counts.bytes_out_total == peers.size() * (head_of(size).size() + size);
        }));
        const auto buffered = house.counts().buffered_bytes;
        EXPECT_LT(growth_since(before), buffered + peers.size() * 4096) << size;
        EXPECT_LE(buffered, peers.size() * 16'384) << size;
    }
}

TEST(Buffers, G7_EmptyBuffersAreFreedBeforeAnyConnectionIsClosed) {
    TurnNotes notes;
    House house{{.buffered_bytes_max = 200'000}, notes.doors(9'000)};
    notes.house = &house;
    const auto peers = many_peers(house);
    for (const auto& peer : peers) {
        peer->send(request_text("GET", "/"));
        EXPECT_EQ(peer->read_answer().status, 200);
    }
    EXPECT_EQ(house.counts().slow_readers_closed, 0U);
    EXPECT_LE(house.counts().buffered_bytes, 200'000U);
}

TEST(Buffers, G7_OfAWaitingRequestAreCountedUntilReleased) {
    constexpr std::size_t kBody = 500'000;
    std::shared_ptr<Exchange> kept;
    auto doors = echo_doors();
    doors.on_request = [&](std::shared_ptr<Exchange> exchange) { kept = std::move(exchange); };
    House house{{.ping_interval = Duration{40}}, doors};  // Swept every 10 ms.
    Peer peer{house.port()};
    peer.send(request_text("POST", "/", std::string(kBody, 'x')));
    EXPECT_TRUE(house.await([](const auto& counts) {
        return counts.requests_total == 1 && counts.buffered_bytes >= kBody;
    }));
    house.on_loop([&] { kept->release_body(); });
    EXPECT_TRUE(house.await([](const auto& counts) { return counts.buffered_bytes < 100; }));
    house.on_loop([&] {
        EXPECT_EQ(kept->request().body, "");
        kept->respond({.body = "at last"});
        kept.reset();
    });
    EXPECT_EQ(peer.read_answer().body, "at last");
    EXPECT_EQ(house.counts().buffered_bytes, 0U);
}

/// Refuse by header every path except for /open.
Doors strict_doors(std::atomic<int>& asked) {
    auto doors = echo_doors();
    doors.on_header = [&asked](const Request& head) -> std::optional<Response> {
        ++asked;
        if (head.path == "/open") return std::nullopt;
        return Response{.status = 401, .content_type = "text/plain", .headers = {}, .body = "who?"};
    };
    return doors;
}

TEST(Header, G7_RefusesARequestWhoseBodyIsStillToCome) {
    std::atomic<int> asked = 0;
    House house{{}, strict_doors(asked)};
    const std::string chunked =
        "POST /a HTTP/1.1\r\nHost: hub\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n";
    const auto sized = request_text("POST", "/a", std::string(500'000, 'x'));
    for (const auto& request : {sized.substr(0, sized.size() - 1), sized.substr(0, 100), chunked}) {
        Peer peer{house.port()};
        peer.send(request);
        const auto answer = peer.read_answer();
        EXPECT_EQ(answer.status, 401);
        EXPECT_TRUE(answer.has("Connection: close\r\n"));
        EXPECT_TRUE(peer.has_ended());
    }
    EXPECT_EQ(asked, 3) << "once for each";
    EXPECT_LT(house.counts().bytes_in_total, 2 * sized.size());
}

TEST(Header, RefusesBeforeContinueIsSent) {
    std::atomic<int> asked = 0;
    House house{{}, strict_doors(asked)};
    for (const auto* path : {"/a", "/open"}) {
        Peer peer{house.port()};
        peer.send(request_text("POST", path, "hello", "Expect: 100-continue\r\n"));
        EXPECT_EQ(peer.read_answer(false).status, path == std::string_view{"/open"} ? 100 : 401);
    }
    EXPECT_EQ(asked, 2);
}

TEST(Header, IsNotCheckedForACompleteRequest) {
    std::atomic<int> asked = 0;
    House house{{}, strict_doors(asked)};
    Peer peer{house.port()};
    peer.send(request_text("POST", "/a", "hello") + request_text("GET", "/b"));
    EXPECT_EQ(peer.read_answer().status, 200);
    EXPECT_EQ(peer.read_answer().status, 200);
    EXPECT_EQ(asked, 0);
    const auto request = request_text("POST", "/open", "hello");
    const auto come = house.counts().bytes_in_total + request.size() - 1;
    peer.send(std::string_view{request}.substr(0, request.size() - 1));
    EXPECT_TRUE(house.await([&](const auto& counts) { return counts.bytes_in_total == come; }));
    peer.send("o");
    EXPECT_EQ(peer.read_answer().body, "POST /open hello");
    EXPECT_EQ(asked, 1);
}

TEST(Memory, G7_ShortageFailsOnlyTheRequest) {
    std::shared_ptr<Exchange> kept;
    auto doors = echo_doors();
    const auto answer = doors.on_request;
    doors.on_request = [&](std::shared_ptr<Exchange> exchange) {
        const auto& path = exchange->request().path;
        if (path == "/kept") kept = exchange;
        if (path != "/good") throw std::bad_alloc{};
        answer(std::move(exchange));
    };
    House house{{}, doors};
    Peer peer{house.port()};
    for (const auto* path : {"/good", "/lost", "/kept", "/good"}) {
        peer.send(request_text("GET", path));
        EXPECT_EQ(peer.read_answer().status, path == std::string_view{"/good"} ? 200 : 503) << path;
    }
    house.on_loop([&] {
        kept->respond({.status = 200, .headers = {}, .body = "too late"});
        kept.reset();
    });
    peer.send(request_text("GET", "/good"));
    EXPECT_EQ(peer.read_answer().body, "GET /good ");
    EXPECT_EQ(house.counts().out_of_memory, 2U);
}

TEST(Memory, G7_ShortageDuringAFrameEndsOnlyTheConnection) {
    auto doors = echo_doors();
    doors.on_socket = [](const std::shared_ptr<Socket>& socket) {
        socket->on_frame([socket](std::string_view frame) {
            if (frame == "large") throw std::bad_alloc{};
            socket->send(std::string{frame});
        });
    };
    House house{{}, doors};
    Peer good{house.port()};
    good.upgrade();
    Peer bad{house.port()};
    bad.upgrade();
    bad.send_frame(1, "large");
    EXPECT_EQ(bad.read_frame().close_code(), 1013);
    EXPECT_TRUE(bad.has_ended());
    good.send_frame(1, "small");
    EXPECT_EQ(good.read_frame().payload, "small");
    EXPECT_EQ(house.counts().out_of_memory, 1U);
}

}  // namespace
}  // namespace parlance::transport
