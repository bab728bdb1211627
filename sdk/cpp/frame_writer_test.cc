#include "sdk/cpp/frame_writer.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace parlance::sdk {
namespace {

TEST(FrameWriter, PutsManyVerbsAndManyItemsInOneFrame) {
    FrameWriter writer;
    EXPECT_TRUE(writer.empty());
    writer.send(R"({"id":"1"})");
    writer.ack("5.1");
    writer.ack("6.1");
    writer.send(R"({"id":"2"})");
    writer.reply("7.1", R"({"type":"TASK_COMPLETE"})");
    EXPECT_FALSE(writer.empty());
    EXPECT_EQ(writer.take(),
              R"({"ack":["5.1","6.1"],"reply":[{"delivery_id":"7.1","message":)"
              R"({"type":"TASK_COMPLETE"}}],"send":[{"id":"1"},{"id":"2"}]})");
    EXPECT_TRUE(writer.empty());
    EXPECT_EQ(writer.take(), "{}");
}

TEST(FrameWriter, WritesAllRemainingVerbs) {
    FrameWriter writer;
    writer.hello(
        {.agent = "a", .instance = "i", .credit = 3, .registration = R"({"dialect":"x"})"});
    writer.credit(9);
    writer.subscribe("news");
    writer.nack("1.1", {.reason = "busy"});
    writer.nack("2.1", {.is_final = true});
    writer.extend("3.1", 500);
    writer.progress("4.1", R"({"done":1})");
    writer.heartbeat();
    EXPECT_EQ(
        writer.take(),
        R"({"hello":{"agent":"a","instance":"i","credit":3,"register":{"dialect":"x"}},)"
        R"("credit":9,"subscribe":["news"],)"
        R"("nack":[{"delivery_id":"1.1","reason":"busy"},{"delivery_id":"2.1","final":true}],)"
        R"("extend":[{"delivery_id":"3.1","by_ms":500}],)"
        R"("progress":[{"delivery_id":"4.1","note":{"done":1}}],"heartbeat":1})");
}

TEST(FrameWriter, QuotesTextsWithAnyContent) {
    FrameWriter writer;
    writer.hello({.agent = "a\"b"});
    writer.nack("1.1\\", {.reason = "line\nbreak \x01"});
    const std::string frame{writer.take()};
    ASSERT_TRUE(json::check(frame)) << frame;
    EXPECT_NE(frame.find(R"("agent":"a\"b")"), std::string::npos);
}

TEST(FrameWriter, LetsAMessageBeAlteredInPlace) {
    FrameWriter writer;
    *(writer.send_to_alter("[0]") + 1) = '7';
    *(writer.send_to_alter("[0,1]") + 3) = '8';
    EXPECT_EQ(writer.take(), R"({"send":[[7],[0,8]]})");
}

TEST(FrameWriter, WritesTheSameFrameAgainAfterATake) {
    FrameWriter writer;
    for (int i = 0; i < 3; ++i) {
        writer.credit(1);
        writer.credit(2);  // The later credit replaces the earlier.
        writer.send("{}");
        EXPECT_EQ(writer.take(), R"({"credit":2,"send":[{}]})");
        writer.send("[]");
        EXPECT_EQ(writer.take(), R"({"send":[[]]})");
    }
}

}  // namespace
}  // namespace parlance::sdk
