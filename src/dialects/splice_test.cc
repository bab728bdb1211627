#include "dialects/splice.h"

#include <gtest/gtest.h>

namespace parlance::dialects {
namespace {

std::string set(std::string_view text, const std::vector<NewMember>& members) {
    Splice splice{text};
    splice.set(json::root(text), members);
    return splice.done();
}

TEST(Splice, AddsMembersAtTheFrontAndKeepsEveryOtherByte) {
    EXPECT_EQ(set(R"( { "n" : 1.50 } )", {{"a", "1"}, {"b", "[]"}}),
              R"( {"a":1,"b":[], "n" : 1.50 } )");
}

TEST(Splice, NeedsNoCommaInAnEmptyObject) {
    EXPECT_EQ(set("{ }", {{"a", "1"}, {"b", "2"}}), R"({"a":1,"b":2 })");
}

TEST(Splice, PutsAValueInThePlaceOfANull) {
    EXPECT_EQ(set(R"({"a":null,"c":3})", {{"a", "1"}, {"b", "2"}}), R"({"b":2,"a":1,"c":3})");
}

TEST(Splice, SetsSeveralObjectsOfOneText) {
    const std::string_view text = R"({"x":{},"y":{"z":0}})";
    Splice splice{text};
    splice.set(*json::find(json::root(text), "y"), {{"b", "2"}});
    splice.set(*json::find(json::root(text), "x"), {{"a", "1"}});
    splice.set(json::root(text), {{"w", "{}"}});
    EXPECT_EQ(splice.done(), R"({"w":{},"x":{"a":1},"y":{"b":2,"z":0}})");
}

TEST(Splice, WithNothingToSetReturnsTheTextUnchanged) {
    Splice splice{"{}"};
    splice.set(json::root("{}"), {});
    EXPECT_TRUE(splice.is_empty());
    EXPECT_EQ(splice.done(), "{}");
}

TEST(SpliceDeathTest, NeverOverwritesAnExistingValue) {
    EXPECT_DEATH(set(R"({"a":0})", {{"a", "1"}}), "broken promise");
}

/// All contents of the value, found by walking its outline.
std::string walked(json::Value value) {
    std::string spare;
    if (value.is_string()) return '<' + std::string{value.text(spare)} + '>';
    std::string all;
    if (value.is_object()) {
        for (json::Members members{value}; members.next();) {
            all += std::string{members.key} + '=' + walked(members.value) + ' ';
        }
        return '{' + all + '}';
    }
    if (!value.is_array()) return std::string{value.raw};
    for (json::Elements elements{value}; elements.next();) all += walked(elements.value) + ' ';
    return '[' + all + ']';
}

TEST(Splice, OutlinesItsOutputIfTheInputWasOutlined) {
    const std::string_view text =
        R"( {"a\n":"\t","x":{"n":null,"l":[1,{"k":2}]},"y":{},"gone":null,"z":[[],"e"]} )";
    for (std::size_t depth_max = 0; depth_max < 5; ++depth_max) {
        json::Outline outline{.depth_max = depth_max};
        ASSERT_TRUE(json::check(text, outline));
        const json::Value root = json::root(text, outline);
        Splice splice{text};
        splice.set(*json::find(root, "y"), {{"one", R"("\"")"}, {"two", "[[2]]"}});
        splice.set(root, {{"gone", R"("\n")"}, {"b", R"({"c":{"d":1}})"}, {"s", R"("s")"}});
        splice.set(*json::find(root, "x"), {{"n", "[3]"}, {"m", "4"}});
        std::string made;
        json::Outline outline_made;
        splice.done(made, outline_made);
        ASSERT_TRUE(json::check(made)) << made;
        EXPECT_EQ(walked(json::root(made, outline_made)), walked(json::root(made))) << depth_max;
        EXPECT_EQ(outline_made.count > 0, depth_max >= 2) << depth_max;
    }
}

}  // namespace
}  // namespace parlance::dialects
