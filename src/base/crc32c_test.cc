#include "base/crc32c.h"

#include <string>

#include <gtest/gtest.h>

namespace parlance {
namespace {

// The values of RFC 3720, appendix B.4, and the customary check value.
TEST(Crc32c, EqualsThePublishedValues) {
    EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
    EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
    EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
    EXPECT_EQ(crc32c(""), 0U);
}

TEST(Crc32c, IsTheSameByInstructionAndByTableAtEveryLength) {
    std::string text;
    for (int i = 0; i < 1300; ++i) {
        EXPECT_EQ(crc32c(text), crc32c_portable(text)) << i;
        EXPECT_EQ(crc32c(text, 0x12345678U), crc32c_portable(text, 0x12345678U)) << i;
        text.push_back(static_cast<char>(i * 131 + i / 7));
    }
}

TEST(Crc32c, OfATextEqualsTheChainedSumOfItsPieces) {
    const std::string_view whole = "the quick brown fox jumps over the lazy dog";
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
        EXPECT_EQ(crc32c(whole.substr(cut), crc32c(whole.substr(0, cut))), crc32c(whole));
    }
}

TEST(Crc32c, NoticesEverySingleBit) {
    std::string text(500, 'x');
    const auto right = crc32c(text);
    for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
        text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
        EXPECT_NE(crc32c(text), right);
        text[bit / 8] = 'x';
    }
}

}  // namespace
}  // namespace parlance
