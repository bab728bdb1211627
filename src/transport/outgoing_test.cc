// Posting to servers: the transport's own server, and scripted servers that misbehave.
#include <gtest/gtest.h>

#include "transport/testing/peer.h"

namespace parlance::transport {
namespace {

using testing::echo_doors;
using testing::House;

Result<Response> post_and_wait(House& house, Outgoing outgoing) {
    std::promise<Result<Response>> answered;
    house.on_loop([&] {
        post(house.loop(), std::move(outgoing), [&](Result<Response> result) {
            answered.set_value(std::move(result));
        });
    });
    return answered.get_future().get();
}

std::string url_of(House& house, const std::string& path) {
    return "http://127.0.0.1:" + std::to_string(house.port()) + path;
}

TEST(Post, ReturnsTheAnswer) {
    House house;
    const auto answer = post_and_wait(
        house, {.url = url_of(house, "/hook?x=1"), .headers = {{"X-A", "b"}}, .body = "payload"});
    ASSERT_TRUE(answer.has_value()) << answer.error().message;
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->content_type, "text/plain");
    EXPECT_EQ(answer->body, "POST /hook payload");
}

TEST(Post, CallsNoPrivateAddressWithOnlyPublic) {
    House house;
    for (const std::string host : {"127.0.0.1", "localhost"}) {
        const auto answer =
            post_and_wait(house,
                          {.url = "http://" + host + ":" + std::to_string(house.port()) + "/",
                           .only_public = true});
        ASSERT_FALSE(answer.has_value()) << host;
        EXPECT_NE(answer.error().message.find("its address is private"), std::string::npos);
    }
    EXPECT_EQ(house.counts().requests_total, 0U);
}

TEST(Post, ReadsAnAnswerInChunks) {
    auto doors = echo_doors();
    doors.on_request = [](const std::shared_ptr<Exchange>& exchange) {
        exchange->begin_stream({});
        exchange->write("one ");
        exchange->write(std::string(100'000, '2'));
        exchange->end_stream();
    };
    House house{{}, doors};
    const auto answer = post_and_wait(house, {.url = url_of(house, "/")});
    ASSERT_TRUE(answer.has_value()) << answer.error().message;
    EXPECT_EQ(answer->body, "one " + std::string(100'000, '2'));
}

TEST(Post, LeavesOutAHeaderThatWouldSplitTheRequest) {
    auto doors = echo_doors();
    doors.on_request = [](const std::shared_ptr<Exchange>& exchange) {
        const auto& headers = exchange->request().headers;
        exchange->respond({.status = 200,
                           .content_type = {},
                           .headers = {},
                           .body = std::to_string(headers.size())});
    };
    House house{{}, doors};
    const auto answer = post_and_wait(
        house, {.url = url_of(house, "/"), .headers = {{"A", "b\r\nEvil: 1"}, {"C", "d"}}});
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->body, "4");  // Host, Content-Length, C, Connection.
}

TEST(Post, BoundsTheAnswer) {
    auto doors = echo_doors();
    doors.on_request = [](const std::shared_ptr<Exchange>& exchange) {
        exchange->respond({.status = 200,
                           .content_type = {},
                           .headers = {},
                           .body = std::string(exchange->request().body.size(), 'x')});
    };
    House house{{}, doors};
    for (const std::size_t bytes : {99U, 100U, 101U}) {
        const auto answer = post_and_wait(
            house,
            {.url = url_of(house, "/"), .body = std::string(bytes, 'b'), .body_bytes_max = 100});
        EXPECT_EQ(answer.has_value(), bytes <= 100);
        EXPECT_TRUE(answer || answer.error().fault == Fault::Exhausted);
    }
}

TEST(Post, GivesUpWhenNoAnswerComesInTime) {
    std::vector<std::shared_ptr<Exchange>> kept;
    auto doors = echo_doors();
    doors.on_request = [&](std::shared_ptr<Exchange> exchange) {
        kept.push_back(std::move(exchange));
    };
    House house{{}, doors};
    const auto answer = post_and_wait(house, {.url = url_of(house, "/"), .timeout = Duration{30}});
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().fault, Fault::Unavailable);
    EXPECT_NE(answer.error().message.find("/: no answer in time"), std::string::npos);
    house.on_loop([&] { kept.clear(); });
}

TEST(Post, ReportsThatNoServerListens) {
    House house;
    std::string url;
    {
        House other;
        url = url_of(other, "/");
    }
    const auto answer = post_and_wait(house, {.url = url});
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().fault, Fault::NotFound) << "which is not one that does not answer";
}

TEST(Post, RefusesAnAddressItCannotReach) {
    House house;
    for (const auto* url : {"https://hub/",
                            "hub",
                            "http://",
                            "http://:80/",
                            "http://hub:x/",
                            "http://hub:/",
                            "http://a b/",
                            "http://user@hub/"}) {
        EXPECT_FALSE(post_and_wait(house, {.url = url}).has_value()) << url;
    }
}

}  // namespace
}  // namespace parlance::transport
