#include "base/hash.h"

#include <array>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace parlance {
namespace {

constexpr SipKey kPublishedKey{0x0706050403020100U, 0x0f0e0d0c0b0a0908U};

std::string counting_bytes(std::size_t count) {
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<char>(i));
    return bytes;
}

TEST(SipHash, GivesTheValueOfThePublishedExample) {
    EXPECT_EQ(siphash(kPublishedKey, counting_bytes(15)), 0xa129ca6149be45e5U);
}

TEST(SipHash, GivesThePublishedValuesOfTheShortestInputs) {
    EXPECT_EQ(siphash(kPublishedKey, counting_bytes(0)), 0x726fdb47dd0e0e31U);
    EXPECT_EQ(siphash(kPublishedKey, counting_bytes(1)), 0x74f839c593dc67fdU);
    EXPECT_EQ(siphash(kPublishedKey, counting_bytes(2)), 0x0d6c8009d9a94f5aU);
    EXPECT_EQ(siphash(kPublishedKey, counting_bytes(3)), 0x85676696d7fb7e2dU);
    EXPECT_EQ(siphash(kPublishedKey, counting_bytes(4)), 0xcf2794e0277187b7U);
    EXPECT_EQ(siphash(kPublishedKey, counting_bytes(5)), 0x18765564cd99a68dU);
    EXPECT_EQ(siphash(kPublishedKey, counting_bytes(6)), 0xcbc9466e58fee3ceU);
    EXPECT_EQ(siphash(kPublishedKey, counting_bytes(7)), 0xab0200f58b01d137U);
    EXPECT_EQ(siphash(kPublishedKey, counting_bytes(8)), 0x93f5f5799a932462U);
}

TEST(SipHash, GivesThePublishedValueInItsShortForm) {
    EXPECT_EQ(siphash_short(kPublishedKey, counting_bytes(0)), 0xabac0158050fc4dcU);
}

TEST(SipHash, DependsOnTheKeyTheLengthAndEveryByte) {
    const std::string bytes = counting_bytes(40);
    std::set<std::uint64_t> seen{siphash(kPublishedKey, bytes)};
    EXPECT_TRUE(seen.insert(siphash({1, 2}, bytes)).second);
    EXPECT_TRUE(seen.insert(siphash({2, 1}, bytes)).second);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::string other = bytes;
        other[i] = static_cast<char>(other[i] ^ 1);
        EXPECT_TRUE(seen.insert(siphash(kPublishedKey, other)).second) << i;
        EXPECT_TRUE(seen.insert(siphash(kPublishedKey, bytes.substr(0, i))).second) << i;
    }
}

}  // namespace
}  // namespace parlance
