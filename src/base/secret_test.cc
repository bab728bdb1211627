#include "base/secret.h"

#include <gtest/gtest.h>

namespace parlance {
namespace {

// Test cases 2 and 6 of RFC 4231.
TEST(Hmac, EqualsThePublishedValues) {
    EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(to_hex(hmac_sha256(std::string(131, '\xaa'),
                                 "Test Using Larger Than Block-Size Key - Hash Key First")),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

// The examples of RFC 4648, section 10, without their padding.
TEST(Base64url, EqualsThePublishedExamples) {
    constexpr std::pair<std::string_view, std::string_view> kExamples[] = {{"", ""},
                                                                           {"f", "Zg"},
                                                                           {"fo", "Zm8"},
                                                                           {"foo", "Zm9v"},
                                                                           {"foob", "Zm9vYg"},
                                                                           {"fooba", "Zm9vYmE"},
                                                                           {"foobar", "Zm9vYmFy"},
                                                                           {"\xfb\xff", "-_8"}};
    for (const auto& [bytes, text] : kExamples) {
        EXPECT_EQ(to_base64url(bytes), text);
        EXPECT_EQ(from_base64url(text), bytes);
    }
}

TEST(Base64url, RestoresAnyBytes) {
    std::string bytes;
    for (int i = 0; i < 256; ++i) {
        bytes.push_back(static_cast<char>(i * 7));
        EXPECT_EQ(from_base64url(to_base64url(bytes)), bytes);
    }
}

TEST(Base64url, HasOneFormForEachText) {
    // Padding, the other alphabet, a single character, and leftover bits.
    for (const auto* text : {"Zg==", "+/8", "Zm9vY", "Zh", "Zm9", "Zm 9v", "Z\n"}) {
        EXPECT_FALSE(from_base64url(text)) << text;
    }
}

TEST(Secret, IsComparedWhole) {
    EXPECT_TRUE(is_same_secret("abc", "abc"));
    EXPECT_FALSE(is_same_secret("abc", "abd"));
    EXPECT_FALSE(is_same_secret("abc", "abcd"));
}

TEST(Secret, IsFresh) {
    EXPECT_EQ(random_bytes(32).size(), 32U);
    EXPECT_NE(random_bytes(32), random_bytes(32));
}

}  // namespace
}  // namespace parlance
