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

TEST(Splice, WithNothingToSetGivesTheTextAsItIs) {
    Splice splice{"{}"};
    splice.set(json::root("{}"), {});
    EXPECT_TRUE(splice.is_empty());
    EXPECT_EQ(splice.done(), "{}");
}

TEST(SpliceDeathTest, NeverOverwritesWhatSomebodyWrote) {
    EXPECT_DEATH(set(R"({"a":0})", {{"a", "1"}}), "broken promise");
}

}  // namespace
}  // namespace parlance::dialects
