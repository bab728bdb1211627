#include "sdk/cpp/frame_reader.h"

#include <gtest/gtest.h>

namespace parlance::sdk {
namespace {

TEST(FrameReader, ReadsEveryVerbOfTheHub) {
    HubFrame frame;
    ASSERT_TRUE(read_frame(
        R"({"welcome":{"hub":"h","version":"0.1.0","agent":"a","instance":"7","send_credit":4096,
            "heartbeat_ms":10000},
            "accepted":[{"message_id":"m-1","sequence":12},
                        {"message_id":"m-2","correlation_id":"c","sequence":9,"duplicate":true}],
            "refused":[{"message_id":"m-3","delivery_id":"7.1","code":"MAILBOX_FULL","message":"full","retryable":true,
                        "retry_after_ms":50,"dialect_error":{"x":1}}],
            "deliver":[{"delivery_id":"13312.1","attempt":2,"message":{"id":"x","n":[1]},"grant":{"depth":1}},
                       {"delivery_id":"13313.1","message":{},"state":{"page":3}}],
            "cancelled":[{"delivery_id":"13312.1","reason":"no need"}],
            "settled":3,"progress":[{"message_id":"m-1","note":{"done":5}}]})",
        frame));
    ASSERT_TRUE(frame.welcome);
    EXPECT_EQ(frame.welcome->send_credit, 4096U);
    EXPECT_EQ(frame.welcome->instance, "7");
    ASSERT_EQ(frame.accepted.size(), 2U);
    EXPECT_EQ(frame.accepted[0].sequence, 12U);
    EXPECT_FALSE(frame.accepted[0].is_duplicate);
    EXPECT_TRUE(frame.accepted[1].is_duplicate);
    ASSERT_EQ(frame.refused.size(), 1U);
    EXPECT_EQ(frame.refused[0].code, "MAILBOX_FULL");
    EXPECT_EQ(frame.refused[0].retry_after_ms, 50U);
    EXPECT_EQ(frame.refused[0].delivery_id, "7.1");
    ASSERT_EQ(frame.deliveries.size(), 2U);
    EXPECT_EQ(frame.deliveries[0].grant, R"({"depth":1})");
    EXPECT_EQ(frame.deliveries[1].grant, "") << "it is in no tree";
    EXPECT_EQ(frame.deliveries[0].state, "") << "it laid nothing down";
    EXPECT_EQ(frame.deliveries[1].state, R"({"page":3})");
    EXPECT_EQ(frame.deliveries[0].delivery_id, "13312.1");
    EXPECT_EQ(frame.deliveries[0].attempt, 2U);
    EXPECT_EQ(frame.deliveries[0].message, R"({"id":"x","n":[1]})");
    EXPECT_EQ(frame.settled, 3U);
    ASSERT_EQ(frame.progress.size(), 1U);
    EXPECT_EQ(frame.progress[0].note, R"({"done":5})");
    EXPECT_FALSE(frame.error);
}

TEST(FrameReader, X21_ReadsCancelledDeliveriesWithTheReason) {
    HubFrame frame;
    ASSERT_TRUE(read_frame(
        R"({"cancelled":[{"delivery_id":"7.1","reason":"no need"},{"delivery_id":"9.2"}]})",
        frame));
    ASSERT_EQ(frame.cancelled.size(), 2U);
    EXPECT_EQ(frame.cancelled[0].reason, "no need");
    EXPECT_TRUE(is_cancelled(frame, "7.1"));
    EXPECT_TRUE(is_cancelled(frame, "9.2"));
    EXPECT_FALSE(is_cancelled(frame, "9.1")) << "another try of the same message";
}

TEST(FrameReader, ForgetsThePreviousFrame) {
    HubFrame frame;
    ASSERT_TRUE(read_frame(
        R"({"settled":3,"accepted":[{"message_id":"a"}],"cancelled":[{"delivery_id":"7.1"}]})",
        frame));
    ASSERT_TRUE(read_frame(R"({"error":{"code":"X","message":"y"}})", frame));
    EXPECT_EQ(frame.settled, 0U);
    EXPECT_TRUE(frame.cancelled.empty());
    EXPECT_TRUE(frame.accepted.empty());
    EXPECT_EQ(frame.error->code, "X");
}

TEST(FrameReader, KeepsTextsWithEscapes) {
    HubFrame frame;
    ASSERT_TRUE(read_frame(
        R"({"refused":[{"code":"A","message":"say \"x\""},{"code":"B","message":"\u00e9"}]})",
        frame));
    EXPECT_EQ(frame.refused[0].message, "say \"x\"");
    EXPECT_EQ(frame.refused[1].message, "é");
}

// A message may be 64 deep, a translated message a little deeper, plus the frame around.
TEST(FrameReader, ReadsADeliveryOfTheGreatestDepth) {
    std::string message;
    for (int i = 0; i < 72; ++i) message += R"({"a":)";
    message += '1' + std::string(72, '}');
    const std::string text = R"({"deliver":[{"delivery_id":"7.1","message":)" + message + "}]}";
    HubFrame frame;
    ASSERT_TRUE(read_frame(text, frame));
    EXPECT_EQ(frame.deliveries.at(0).message, message);
}

TEST(FrameReader, SkipsUnknownVerbs) {
    HubFrame frame;
    ASSERT_TRUE(read_frame(R"({"fanfare":[1,{"a":2}],"settled":1})", frame));
    EXPECT_EQ(frame.settled, 1U);
}

TEST(FrameReader, RefusesMalformedFramesAndNamesTheVerb) {
    const std::pair<const char*, const char*> cases[] = {
        {"", ""},
        {"{", ""},
        {"[]", "no object"},
        {R"({"settled":1}x)", ""},
        {R"({"settled":"1"})", "settled"},
        {R"({"settled":-1})", "settled"},
        {R"({"settled":1.5})", "settled"},
        {R"({"accepted":{}})", "accepted"},
        {R"({"accepted":["m"]})", "accepted"},
        {R"({"accepted":[{"sequence":1}]})", "message_id"},
        {R"({"accepted":[{"message_id":1}]})", "message_id"},
        {R"({"accepted":[{"message_id":"m","duplicate":1}]})", "duplicate"},
        {R"({"deliver":[{"delivery_id":"d"}]})", "message"},
        {R"({"deliver":[{"message":{}}]})", "delivery_id"},
        {R"({"deliver":[{"delivery_id":"d","attempt":4294967296,"message":{}}]})", "attempt"},
        {R"({"refused":[{"message":"x"}]})", "code"},
        {R"({"cancelled":["7.1"]})", "cancelled"},
        {R"({"cancelled":[{"reason":"x"}]})", "delivery_id"},
        {R"({"welcome":[]})", "welcome"},
        {R"({"error":"x"})", "error"}};
    for (const auto& [text, word] : cases) {
        HubFrame frame;
        const auto read = read_frame(text, frame);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().fault, Fault::Malformed) << text;
        EXPECT_NE(read.error().message.find(word), std::string::npos) << read.error().message;
    }
}

}  // namespace
}  // namespace parlance::sdk
