#include "base/sha256.h"

#include <gtest/gtest.h>

namespace parlance {
namespace {

// The examples of FIPS 180-4.
TEST(Sha256, IsTheOneOfTheStandard) {
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

}  // namespace
}  // namespace parlance
