#include "model/envelope.h"

#include <string>

#include <gtest/gtest.h>

namespace parlance {
namespace {

TEST(Envelope, KeepsItsBodyByteForByteAndFindsTheFieldsInIt) {
    const std::string body = R"({"id":"m-1","from":"alice","to":"bob"})";
    const std::string_view view = body;
    const auto envelope = Envelope::make(
        {.id = view.substr(7, 3), .from = view.substr(20, 5), .to = view.substr(33, 3)}, body);
    EXPECT_EQ(envelope->body(), body);
    EXPECT_EQ(envelope->id(), "m-1");
    EXPECT_EQ(envelope->from(), "alice");
    EXPECT_EQ(envelope->to(), "bob");
    EXPECT_EQ(envelope->task(), "");
}

TEST(Envelope, KeepsHeaderFieldsAbsentFromTheBodyBesideTheBody) {
    const std::string correlation(kIdBytesMax, 'c');
    const auto envelope =
        Envelope::make({.id = "made-by-the-hub", .correlation = correlation}, "{}");
    EXPECT_EQ(envelope->body(), "{}");
    EXPECT_EQ(envelope->id(), "made-by-the-hub");
    EXPECT_EQ(envelope->correlation(), correlation);
}

TEST(Envelope, CostsLessThanSixtyFourBytesWhenTheHeaderStandsInTheBody) {
    const std::string body = R"({"id":"m-1"})";
    const auto envelope = Envelope::make({.id = std::string_view{body}.substr(7, 3)}, body);
    EXPECT_LE(envelope->overhead_bytes(), 64U);
}

TEST(Envelope, IsEqualOnlyIfEveryFieldIs) {
    const auto one = Envelope::make({.id = "a", .to = "b"}, "{}");
    const auto same = Envelope::make({.id = "a", .to = "b"}, "{}");
    const auto other = Envelope::make({.id = "a", .to = "c"}, "{}");
    EXPECT_TRUE(*one == *same);
    EXPECT_FALSE(*one == *other);
}

}  // namespace
}  // namespace parlance
