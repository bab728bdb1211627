#include "base/fold.h"

#include <cstdint>
#include <ios>
#include <vector>

#include <gtest/gtest.h>

namespace parlance {
namespace {

std::string utf8(char32_t letter) {
    const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
    if (letter < 0x80) return {byte(letter)};
    if (letter < 0x800) return {byte(0xc0U | letter >> 6U), byte(0x80U | (letter & 0x3fU))};
    return {byte(0xe0U | letter >> 12U),
            byte(0x80U | (letter >> 6U & 0x3fU)),
            byte(0x80U | (letter & 0x3fU))};
}

TEST(Folded, CaseAndSpacesDoNotMatter) {
    EXPECT_EQ(folded("  Extract\tRECEIPT \r\n data "), "extract receipt data");
    EXPECT_EQ(folded(""), "");
    EXPECT_EQ(folded(" \n "), "");
}

TEST(Folded, OneCharacterHasOneForm) {
    EXPECT_EQ(folded("Caf\u00e9"), folded("cafe\u0301"));    // Composed or not.
    EXPECT_EQ(folded("\uff25\uff38tract"), "extract");       // Full width.
    EXPECT_EQ(folded("ex\u200btract"), "extract");           // Zero width.
    EXPECT_EQ(folded("extract\u00a0data"), "extract data");  // No-break space.
    EXPECT_EQ(folded("extract\u3000data"), "extract data");  // Ideographic space.
    EXPECT_EQ(folded("STRASSE"), folded("stra\u00dfe"));     // Case folding, not lower case.
    EXPECT_EQ(folded("\ufb01nd"), "find");                   // A ligature.
}

TEST(Folded, EverySpaceAndEveryControlIsASpace) {
    // The code points with White_Space in Unicode's PropList.txt, and the general category Cc.
    std::vector<char32_t> spaces{0x20,
                                 0xa0,
                                 0x1680,
                                 0x2000,
                                 0x2001,
                                 0x2002,
                                 0x2003,
                                 0x2004,
                                 0x2005,
                                 0x2006,
                                 0x2007,
                                 0x2008,
                                 0x2009,
                                 0x200a,
                                 0x2028,
                                 0x2029,
                                 0x202f,
                                 0x205f,
                                 0x3000};
    for (char32_t control = 0x00; control <= 0x1f; ++control) spaces.push_back(control);
    for (char32_t control = 0x7f; control <= 0x9f; ++control) spaces.push_back(control);
    for (const char32_t space : spaces) {
        const auto letter = utf8(space);
        for (const auto* word : {"receipt", "re\u00e7u"}) {
            const std::string plain = "extract " + std::string{word};
            const auto code = static_cast<std::uint32_t>(space);
            EXPECT_EQ(folded("Extract" + letter + word), plain) << std::hex << code;
            EXPECT_EQ(folded(letter + "Extract " + letter + word + letter), plain)
                << std::hex << code;
        }
    }
}

TEST(Folded, DifferentWordsStayDifferent) {
    EXPECT_NE(folded("extract receipt"), folded("extractreceipt"));
    EXPECT_NE(folded("re\u0301sume\u0301"), folded("resume"));
    EXPECT_NE(folded("\u0435xtract"), folded("extract"));  // A Cyrillic letter.
}

TEST(Folded, BytesThatAreNotUtf8StayUnchanged) { EXPECT_EQ(folded("A\xff B"), "a\xff b"); }

TEST(Folded, EndlessMarksTakeLinearTime) {
    const auto piled = [](std::string_view marks) {
        std::string text = "A";
        while (text.size() < 1'000'000) text += marks;
        return text;
    };
    // Ordering these marks would take minutes; the last cases hide marks behind invisible or
    // decomposing characters.
    for (const auto* marks : {"\u0301\u0323", "\u0301\u200b\u0323", "\u0301\uff9e", "\u0f73"}) {
        EXPECT_EQ(folded(piled(marks)), "a" + piled(marks).substr(1));
    }
    EXPECT_EQ(folded("q\u0301\u0323"), folded("q\u0323\u0301")) << "a few have one order";
}

}  // namespace
}  // namespace parlance
