#include "app/cli/bench/message_generator.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/uuid.h"

namespace parlance::cli::bench {
namespace {

MessagePlan plan(std::size_t size) {
    return {.run = "0a1b2c3d",
            .lane = 7,
            .from = "f",
            .to = {"recipient-1", "r2"},
            .type = "TASK_UPDATE",
            .priority = "high",
            .size = size};
}

std::string message(const MessageGenerator& generator, std::uint64_t index) {
    std::string text{generator.blank(index)};
    MessageGenerator::number(text.data(), index);
    return text;
}

TEST(MessageGenerator, MakesMessagesOfExactlyTheSizeForEveryRecipientInTurn) {
    const auto generator = MessageGenerator::make(plan(512));
    ASSERT_TRUE(generator);
    for (const std::uint64_t index : {0U, 1U, 2U}) {
        const std::string text = message(*generator, index);
        EXPECT_EQ(text.size(), 512U);
        ASSERT_TRUE(json::check(text)) << text;
        std::string spare;
        EXPECT_EQ(json::find(json::root(text), "to")->text(spare),
                  index % 2 == 0 ? "recipient-1" : "r2");
    }
}

TEST(MessageGenerator, GivesEachMessageAUuidThatHoldsItsNumber) {
    const auto generator = MessageGenerator::make(plan(400));
    ASSERT_TRUE(generator);
    for (const std::uint64_t index : {0ULL, 255ULL, 0xFFFFFFFFFFFFULL}) {
        const std::string text = message(*generator, index);
        std::string spare;
        const auto id = json::find(json::root(text), "id")->text(spare);
        EXPECT_TRUE(is_uuid(id)) << id;
        EXPECT_EQ(MessageGenerator::index_of_id(id), index);
        EXPECT_EQ(MessageGenerator::index_of_message(text), index);
    }
}

TEST(MessageGenerator, RefusesASizeTooSmallAndNamesTheSmallest) {
    const auto generator = MessageGenerator::make(plan(100));
    ASSERT_FALSE(generator);
    EXPECT_NE(generator.error().message.find("the least is"), std::string::npos);
}

TEST(MessageGenerator, FindsNoNumberInForeignMessages) {
    EXPECT_EQ(MessageGenerator::index_of_id(""), std::nullopt);
    EXPECT_EQ(MessageGenerator::index_of_id("0a1b2c3d-0007-4000-8000-00000000000G"), std::nullopt);
    EXPECT_EQ(MessageGenerator::index_of_message(R"({"to":"x"})"), std::nullopt);
    EXPECT_EQ(MessageGenerator::index_of_message(R"({"id":"m-1"})"), std::nullopt);
}

}  // namespace
}  // namespace parlance::cli::bench
