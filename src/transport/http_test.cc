// HTTP over real sockets, with well-behaved clients and clients that vanish.
#include <atomic>

#include <gtest/gtest.h>

#include "transport/testing/peer.h"

namespace parlance::transport {
namespace {

using testing::echo_doors;
using testing::House;
using testing::Peer;
using testing::request_text;

/// Hands every exchange to the test.
struct ExchangeReceiver {
    Doors doors() {
        auto made = echo_doors();
        made.on_request = [this](std::shared_ptr<Exchange> exchange) {
            arrived.set_value(std::move(exchange));
        };
        return made;
    }
    std::promise<std::shared_ptr<Exchange>> arrived;
};

TEST(Http, AnswersARequestWithItsParts) {
    House house;
    Peer peer{house.port()};
    peer.send(request_text("POST", "/v1/a%20b?x=1", "hello"));
    const auto answer = peer.read_answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "POST /v1/a b hello");
    EXPECT_TRUE(answer.has("Server: parlance\r\n"));
    EXPECT_FALSE(answer.has("Connection: close"));
}

TEST(Http, KeepsTheConnectionAndAnswersPipelinedRequestsInOrder) {
    House house;
    Peer peer{house.port()};
    std::string all;
    for (int at = 0; at < 100; ++at) {
        all += request_text("POST", "/" + std::to_string(at), std::string(1000, 'x'));
    }
    peer.send(all);
    for (int at = 0; at < 100; ++at) {
        EXPECT_EQ(peer.read_answer().body.substr(0, 8),
                  ("POST /" + std::to_string(at) + " xx").substr(0, 8));
    }
    EXPECT_EQ(house.counts().connections_total, 1U);
    EXPECT_EQ(house.counts().requests_total, 100U);
}

TEST(Http, DeliversTheNextRequestOnlyAfterThePreviousAnswer) {
    std::vector<std::shared_ptr<Exchange>> waiting;
    auto doors = echo_doors();
    std::promise<void> first_came;
    doors.on_request = [&](std::shared_ptr<Exchange> exchange) {
        waiting.push_back(std::move(exchange));
        if (waiting.size() == 1) return first_came.set_value();
        waiting.back()->respond({.status = 202, .content_type = "", .headers = {}, .body = "2"});
    };
    House house{{}, doors};
    Peer peer{house.port()};
    peer.send(request_text("GET", "/1") + request_text("GET", "/2"));
    first_came.get_future().wait();
    house.on_loop([&] {
        EXPECT_EQ(waiting.size(), 1U);
        waiting.front()->respond({.status = 201, .content_type = "", .headers = {}, .body = "1"});
    });
    EXPECT_EQ(peer.read_answer().status, 201);
    EXPECT_EQ(peer.read_answer().status, 202);
    house.on_loop([&] { waiting.clear(); });
}

TEST(Http, TakesARequestByteByByte) {
    House house;
    Peer peer{house.port()};
    for (const char byte : request_text("POST", "/slow", "abc")) peer.send({&byte, 1});
    EXPECT_EQ(peer.read_answer().body, "POST /slow abc");
}

TEST(Http, ReadsAChunkedBodyAndForgetsItsTrailer) {
    House house;
    Peer peer{house.port()};
    peer.send(
        "POST /c HTTP/1.1\r\nHost: hub\r\nTransfer-Encoding: chunked\r\n\r\n"
        "5\r\nhello\r\n1;ext=1\r\n!\r\n0\r\nX-Trailer: 1\r\n\r\n");
    EXPECT_EQ(peer.read_answer().body, "POST /c hello!");
}

TEST(Http, AnswersHeadWithoutABody) {
    House house;
    Peer peer{house.port()};
    peer.send(request_text("HEAD", "/x") + request_text("GET", "/y"));
    const auto head = peer.read_answer(false);
    EXPECT_TRUE(head.has("Content-Length: 8\r\n"));
    EXPECT_EQ(peer.read_answer().body, "GET /y ");
}

TEST(Http, SaysContinueToAClientThatAsks) {
    House house;
    Peer peer{house.port()};
    peer.send("POST /e HTTP/1.1\r\nHost: hub\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(peer.read_answer().status, 100);
    peer.send("ok");
    EXPECT_EQ(peer.read_answer().body, "POST /e ok");
}

TEST(Http, ClosesWhenAskedTo) {
    House house;
    Peer peer{house.port()};
    peer.send(request_text("GET", "/", {}, "Connection: close\r\n"));
    EXPECT_TRUE(peer.read_answer().has("Connection: close\r\n"));
    EXPECT_TRUE(peer.has_ended());
    Peer old{house.port()};
    old.send("GET / HTTP/1.0\r\n\r\n");
    EXPECT_EQ(old.read_answer().status, 200);
    EXPECT_TRUE(old.has_ended());
}

TEST(Http, AnswersAClientThatHasFinishedSending) {
    House house;
    Peer peer{house.port()};
    peer.send(request_text("GET", "/half"));
    peer.finish_sending();
    EXPECT_EQ(peer.read_answer().body, "GET /half ");
    EXPECT_TRUE(peer.has_ended());
}

TEST(Http, AnswersARequestDroppedUnansweredWithAnError) {
    auto doors = echo_doors();
    doors.on_request = [](const std::shared_ptr<Exchange>&) {};
    House house{{}, doors};
    Peer peer{house.port()};
    peer.send(request_text("GET", "/"));
    EXPECT_EQ(peer.read_answer().status, 500);
}

TEST(Http, NotifiesOnceWhenAClientLeavesBeforeItsAnswer) {
    ExchangeReceiver receiver;
    House house{{}, receiver.doors()};
    std::atomic<int> told = 0;
    std::promise<void> gone;
    Peer peer{house.port()};
    peer.send(request_text("GET", "/wait"));
    auto exchange = receiver.arrived.get_future().get();
    house.on_loop([&] {
        exchange->on_gone([&] {
            if (++told == 1) gone.set_value();
        });
    });
    peer.reset();
    gone.get_future().wait();
    house.on_loop([&] {
        exchange->respond({});
        exchange.reset();
    });
    EXPECT_EQ(told, 1);
    EXPECT_EQ(house.counts().connections_open, 0U);
}

TEST(Http, StreamsInChunksUntilTheEndAndKeepsTheConnection) {
    ExchangeReceiver receiver;
    auto doors = receiver.doors();
    House house{{}, doors};
    Peer peer{house.port()};
    peer.send(request_text("GET", "/events"));
    auto exchange = receiver.arrived.get_future().get();
    house.on_loop([&] {
        exchange->begin_stream(
            {.status = 200, .content_type = "text/event-stream", .headers = {}, .body = {}});
        exchange->write("data: 1\n\n");
        exchange->write({});
    });
    const auto head = peer.read_answer(false);
    EXPECT_TRUE(head.has("Transfer-Encoding: chunked\r\n"));
    EXPECT_FALSE(head.has("Content-Length"));
    EXPECT_EQ(peer.read_line(), "9");
    EXPECT_EQ(peer.read_line(), "data: 1\n\n");
    house.on_loop([&] {
        exchange->write("data: 2\n\n");
        exchange->end_stream();
        exchange->write("late");
        exchange.reset();
        receiver.arrived = {};
    });
    EXPECT_EQ(peer.read_bytes(14), "9\r\ndata: 2\n\n\r\n");
    EXPECT_EQ(peer.read_bytes(5), "0\r\n\r\n");
    auto next = receiver.arrived.get_future();
    peer.send(request_text("GET", "/again"));
    house.on_loop([&, again = next.get()]() mutable { again.reset(); });
    EXPECT_EQ(peer.read_answer().status, 500);
}

TEST(Http, NotifiesWhenTheReaderOfAStreamLeaves) {
    ExchangeReceiver receiver;
    House house{{}, receiver.doors()};
    std::promise<void> gone;
    auto peer = std::make_unique<Peer>(house.port());
    peer->send(request_text("GET", "/events"));
    auto exchange = receiver.arrived.get_future().get();
    house.on_loop([&] {
        exchange->on_gone([&gone, exchange] { gone.set_value(); });
        exchange->begin_stream({});
    });
    peer.reset();
    gone.get_future().wait();
    house.on_loop([&] { exchange.reset(); });
    EXPECT_EQ(house.counts().connections_open, 0U);
}

TEST(Http, ShedsAStreamWhoseReaderDoesNotRead) {
    ExchangeReceiver receiver;
    House house{{.write_backlog_bytes_max = std::size_t{1} << 20}, receiver.doors()};
    std::promise<void> gone;
    Peer peer{house.port()};
    peer.send(request_text("GET", "/events"));
    auto exchange = receiver.arrived.get_future().get();
    house.on_loop([&] {
        exchange->on_gone([&] { gone.set_value(); });
        exchange->begin_stream({});
        for (int at = 0; at < 64; ++at) exchange->write(std::string(1 << 20, 'x'));
        EXPECT_GT(exchange->backlog_bytes(), std::size_t{1} << 20);
    });
    gone.get_future().wait();
    EXPECT_EQ(house.counts().connections_shed, 1U);
    house.on_loop([&] { exchange.reset(); });
}

TEST(Http, EndsStreamsAndIdleConnectionsOnCloseAll) {
    ExchangeReceiver receiver;
    House house{{}, receiver.doors()};
    std::promise<void> gone;
    Peer idle{house.port()};
    Peer peer{house.port()};
    peer.send(request_text("GET", "/events"));
    auto exchange = receiver.arrived.get_future().get();
    house.on_loop([&] {
        exchange->on_gone([&] { gone.set_value(); });
        exchange->begin_stream({});
    });
    EXPECT_EQ(peer.read_answer(false).status, 200);
    house.on_loop([&] {
        house.server().stop_accepting();
        house.server().close_all(1001, "the hub stops");
        exchange->write("too late");
    });
    EXPECT_EQ(peer.read_bytes(5), "0\r\n\r\n");
    EXPECT_TRUE(peer.has_ended());
    EXPECT_TRUE(idle.has_ended());
    peer.reset();
    gone.get_future().wait();
    house.on_loop([&] { exchange.reset(); });
}

TEST(Http, ListensOnIpv6AndReportsWhyItCannotListenElsewhere) {
    Loop loop;
    EXPECT_TRUE(Server::listen(loop, "::1", 0, {}, echo_doors()).has_value());
    const auto taken = Server::listen(loop, "127.0.0.1", 0, {}, echo_doors());
    ASSERT_TRUE(taken.has_value());
    const auto again = Server::listen(loop, "127.0.0.1", (*taken)->port(), {}, echo_doors());
    ASSERT_FALSE(again.has_value());
    EXPECT_NE(again.error().message.find("127.0.0.1:"), std::string::npos);
    EXPECT_EQ(Server::listen(loop, "not an address", 0, {}, echo_doors()).error().fault,
              Fault::Malformed);
}

TEST(Loop, TakesItsTurnBeforeAnswersLeaveAndWakesForPostedWork) {
    Loop loop;
    std::vector<std::shared_ptr<Exchange>> waiting;
    auto doors = echo_doors();
    doors.on_request = [&](std::shared_ptr<Exchange> exchange) {
        waiting.push_back(std::move(exchange));
    };
    auto server = Server::listen(loop, "127.0.0.1", 0, {}, doors);
    ASSERT_TRUE(server.has_value());
    std::thread thread{[&] {
        loop.run([&] {
            for (const auto& exchange : waiting) {
                exchange->respond(
                    {.status = 200, .content_type = {}, .headers = {}, .body = "turn"});
            }
            waiting.clear();
        });
    }};
    Peer peer{(*server)->port()};
    for (int at = 0; at < 3; ++at) {
        peer.send(request_text("GET", "/"));
        EXPECT_EQ(peer.read_answer().body, "turn");
    }
    std::promise<void> timer;
    loop.post([&] { loop.after(Duration{1}, [&] { timer.set_value(); }); });
    timer.get_future().wait();
    loop.stop();
    thread.join();
}

}  // namespace
}  // namespace parlance::transport
