#include "base/json_equal.h"

#include <gtest/gtest.h>

namespace parlance::json {
namespace {

bool are_equal(std::string_view left, std::string_view right) {
    const bool there = is_equal(root(left), root(right), Numbers::ByDigits);
    EXPECT_EQ(there, is_equal(root(right), root(left), Numbers::ByDigits)) << left << right;
    return there;
}

TEST(JsonEqual, OrderOfMembersIsIgnoredAlsoAfterMembersInTheSameOrder) {
    EXPECT_TRUE(are_equal(R"({"a":1,"b":2,"c":3})", R"({"a":1,"b":2,"c":3 })"));
    EXPECT_TRUE(are_equal(R"({"a":1,"b":2,"c":3})", R"({"a":1,"c":3,"b":2})"));
    EXPECT_TRUE(are_equal(R"({"a":1,"\u0062":2,"c":3})", R"({"c":3,"a":1,"b":2})"));
    EXPECT_FALSE(are_equal(R"({"a":1,"b":2,"c":3})", R"({"a":1,"c":2,"b":3})"));
    EXPECT_FALSE(are_equal(R"({"a":1,"b":2})", R"({"a":1,"b":2,"c":3})"));
    EXPECT_FALSE(are_equal(R"({"a":1,"b":2,"d":3})", R"({"a":1,"c":3,"b":2})"));
}

// Comparing each level twice would double the work per level.
TEST(JsonEqual, ComparesEachLevelOnce) {
    std::string left = "0";
    std::string right = "0.0";
    for (int depth = 0; depth < 60; ++depth) {
        left = R"({"same":)" + left + R"(,"b":1,"c":2})";
        right = R"({"same":)" + right + R"(,"c":2,"b":1})";
    }
    EXPECT_FALSE(are_equal(left, right));
    EXPECT_TRUE(is_equal(root(left), root(right), Numbers::ByValue));
}

}  // namespace
}  // namespace parlance::json
