#include "base/sha256.h"

#include <gtest/gtest.h>

namespace parlance {
namespace {

// The examples of FIPS 180-4.
TEST(Sha256, EqualsThePublishedDigests) {
    EXPECT_EQ(to_hex(sha256("")),
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(to_hex(sha256("abc")),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, StartsAnewAfterEachDigest) {
    Sha256 hasher;
    hasher.add("something else");
    hasher.finish();
    hasher.add("a");
    hasher.add("bc");
    EXPECT_EQ(hasher.finish(), sha256("abc"));
}

TEST(Sha256, TellsTextsApart) { EXPECT_NE(sha256("abc"), sha256("abd")); }

// Test cases 2 and 6 of RFC 4231, with the text absorbed at once and in two parts.
TEST(KeyedSha256, EqualsThePublishedHmacs) {
    const std::string_view text = "what do ya want for nothing?";
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const KeyedSha256 keyed{"Jefe", text.substr(0, i)};
        EXPECT_EQ(to_hex(keyed.of(text.substr(i))),
                  "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }
    const KeyedSha256 long_key{std::string(131, '\xaa'), ""};
    EXPECT_EQ(to_hex(long_key.of("Test Using Larger Than Block-Size Key - Hash Key First")),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(KeyedSha256, HashesOneTextAfterAnother) {
    const KeyedSha256 keyed{"key", "scope"};
    const Digest first = keyed.of("a");
    EXPECT_NE(keyed.of("b"), first);
    EXPECT_EQ(keyed.of("a"), first);
}

}  // namespace
}  // namespace parlance
