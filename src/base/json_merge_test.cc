#include "base/json_merge.h"

#include <array>

#include <gtest/gtest.h>

namespace parlance::json {
namespace {

struct Case {
    std::string_view target;
    std::string_view patch;
    std::string_view result;
};

/// The examples of RFC 7396, appendix A.
constexpr std::array kCases{
    Case{R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
    Case{R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
    Case{R"({"a":"b"})", R"({"a":null})", R"({})"},
    Case{R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
    Case{R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
    Case{R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
    Case{R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
    Case{R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
    Case{R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
    Case{R"({"a":"b"})", R"(["c"])", R"(["c"])"},
    Case{R"({"a":"foo"})", R"(null)", R"(null)"},
    Case{R"({"a":"foo"})", R"("bar")", R"("bar")"},
    Case{R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
    Case{R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
    Case{R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
};

TEST(JsonMerge, FollowsTheExamplesOfItsRfc) {
    for (const auto& each : kCases) {
        EXPECT_EQ(merged(root(each.target), root(each.patch)), each.result)
            << each.target << " with " << each.patch;
    }
}

// Whichever object is smaller is sorted; and a key may be written in two ways.
TEST(JsonMerge, IsTheSameWhicheverObjectIsLarger) {
    const std::string filler = '"' + std::string(200, 'f') + '"';
    EXPECT_EQ(merged(root(R"({"c":1,"a\u0062":{"x":1,"y":2},"b":3})"),
                     root(R"({"new":)" + filler + R"(,"ab":{"y":null,"z":4},"b":null,"no":null})")),
              R"({"c":1,"ab":{"x":1,"z":4},"new":)" + filler + "}");
    EXPECT_EQ(merged(root(R"({"c":)" + filler + R"(,"ab":{"x":1,"y":2},"b":3})"),
                     root(R"({"new":1,"a\u0062":{"y":null,"z":4},"b":null,"no":null})")),
              R"({"c":)" + filler + R"(,"ab":{"x":1,"z":4},"new":1})");
}

TEST(JsonMerge, CreatesAMissingTarget) {
    EXPECT_EQ(merged(std::nullopt, root(R"({"a":null,"b":{"c":1}})")), R"({"b":{"c":1}})");
}

}  // namespace
}  // namespace parlance::json
