#include "base/plain_text.h"

#include <string>

#include <gtest/gtest.h>

namespace parlance {
namespace {

/// Tests the piece at every offset in texts around the size of a machine word.
void expect_everywhere(std::string_view piece, bool is_plain) {
    for (std::size_t before = 0; before < 20; ++before) {
        for (std::size_t behind = 0; behind < 20; ++behind) {
            const auto text =
                std::string(before, 'a') + std::string{piece} + std::string(behind, '~');
            EXPECT_EQ(is_plain_text(text), is_plain) << before << " and " << behind;
        }
    }
}

TEST(PlainText, IsAnyVisibleUtf8) {
    EXPECT_TRUE(is_plain_text(""));
    for (const auto* piece :
         {" ", "~", "\"", "%", "\xC2\xA0", "\xC3\xBC", "\xEF\xBF\xBF", "\xF4\x8F\xBF\xBF"}) {
        expect_everywhere(piece, true);
    }
}

TEST(PlainText, HasNoControlCharacters) {
    for (int c = 0; c < 0x20; ++c) expect_everywhere(std::string(1, static_cast<char>(c)), false);
    expect_everywhere("\x7F", false);
    for (int c = 0x80; c < 0xA0; ++c) {
        expect_everywhere(std::string{'\xC2', static_cast<char>(c)}, false);
    }
}

TEST(PlainText, IsNothingButUtf8) {
    for (const auto* piece : {"\x80",
                              "\xBF",
                              "\xFF",
                              "\xFE",
                              "\xC3",                 // Cut off.
                              "\xE2\x82",             // Cut off.
                              "\xC0\xAF",             // Overlong: a slash.
                              "\xC1\xBF",             // Overlong.
                              "\xE0\x80\xAF",         // Overlong.
                              "\xF0\x80\x80\xAF",     // Overlong.
                              "\xED\xA0\x80",         // A surrogate.
                              "\xED\xBF\xBF",         // A surrogate.
                              "\xF4\x90\x80\x80"}) {  // Beyond Unicode.
        expect_everywhere(piece, false);
    }
}

TEST(Cut, LeavesNoCharacterInHalf) {
    EXPECT_EQ(cut("abc", 3), "abc");
    EXPECT_EQ(cut("abc", 2), "ab");
    EXPECT_EQ(cut("abc", 0), "");
    EXPECT_EQ(cut("a\xC3\xBC", 3), "a\xC3\xBC");
    EXPECT_EQ(cut("a\xC3\xBC", 2), "a");
    EXPECT_EQ(cut("\xF0\x9F\x98\x80!", 4), "\xF0\x9F\x98\x80");
    EXPECT_EQ(cut("\xF0\x9F\x98\x80!", 3), "");
}

TEST(Trimmed, LosesTheGivenCharactersAtItsEnds) {
    EXPECT_EQ(trimmed(" \ta b\t "), "a b");
    EXPECT_EQ(trimmed("..a.b.,", ".,"), "a.b");
    EXPECT_EQ(trimmed(" \t "), "");
    EXPECT_EQ(trimmed(""), "");
}

}  // namespace
}  // namespace parlance
