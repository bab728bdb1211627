#include <gtest/gtest.h>

#include "core/testing/story.h"

namespace parlance::core {
namespace {

TEST(Smoke, Delivers) {
    Story story;
    story.agent("bob");
    story.connect("bob", 10);
    story.send({.id = "m1"});
    EXPECT_EQ(story.delivered(), std::vector<std::string>{"m1"});
    story.ask(AckDelivery{story.last_delivery()});
    EXPECT_EQ(story.state().broker.messages.size(), 0U);
}

}  // namespace
}  // namespace parlance::core
