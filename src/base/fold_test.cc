#include "base/fold.h"

#include <gtest/gtest.h>

namespace parlance {
namespace {

TEST(Folded, CaseAndSpacesDoNotMatter) {
    EXPECT_EQ(folded("  Extract\tRECEIPT \r\n data "), "extract receipt data");
    EXPECT_EQ(folded(""), "");
    EXPECT_EQ(folded(" \n "), "");
}

TEST(Folded, OneCharacterHasOneForm) {
    EXPECT_EQ(folded("Caf\u00e9"), folded("cafe\u0301"));    // Composed or not.
    EXPECT_EQ(folded("\uff25\uff38tract"), "extract");       // Full width.
    EXPECT_EQ(folded("ex\u200btract"), "extract");           // Zero width.
    EXPECT_EQ(folded("extract\u00a0data"), "extract data");  // A space that does not break.
    EXPECT_EQ(folded("extract\u3000data"), "extract data");  // An ideographic one.
    EXPECT_EQ(folded("STRASSE"), folded("stra\u00dfe"));     // Case folding, not lower case.
    EXPECT_EQ(folded("\ufb01nd"), "find");                   // A ligature.
}

TEST(Folded, OtherWordsStayOther) {
    EXPECT_NE(folded("extract receipt"), folded("extractreceipt"));
    EXPECT_NE(folded("re\u0301sume\u0301"), folded("resume"));
    EXPECT_NE(folded("\u0435xtract"), folded("extract"));  // Another alphabet's letter.
}

TEST(Folded, BytesThatAreNoTextStay) { EXPECT_EQ(folded("A\xff B"), "a\xff b"); }

TEST(Folded, MarksWithoutEndTakeNoLongerThanTheyAreLong) {
    const auto piled = [](std::string_view marks) {
        std::string text = "A";
        while (text.size() < 1'000'000) text += marks;
        return text;
    };
    // Each would be put in order for minutes; of some that cannot be seen at first sight.
    for (const auto* marks : {"\u0301\u0323", "\u0301\u200b\u0323", "\u0301\uff9e", "\u0f73"}) {
        EXPECT_EQ(folded(piled(marks)), "a" + piled(marks).substr(1));
    }
    EXPECT_EQ(folded("q\u0301\u0323"), folded("q\u0323\u0301")) << "a few have one order";
}

}  // namespace
}  // namespace parlance
