#include "base/bytes.h"

#include <limits>

#include <gtest/gtest.h>

namespace parlance {
namespace {

TEST(Bytes, VarintsAreRestoredExactly) {
    for (unsigned bit = 0; bit < 64; ++bit) {
        for (const std::uint64_t number :
             {std::uint64_t{1} << bit, (std::uint64_t{1} << bit) - 1}) {
            std::string out;
            append_varint(out, number);
            EXPECT_EQ(out.size(), varint_bytes(number));
            ByteReader reader{out};
            EXPECT_EQ(reader.varint(), number);
            EXPECT_TRUE(reader.ok() && reader.at_end());
        }
    }
}

TEST(Bytes, ZigzagKeepsBothEndsOfTheRange) {
    using Limits = std::numeric_limits<std::int64_t>;
    for (const std::int64_t number :
         {std::int64_t{0}, std::int64_t{-1}, Limits::min(), Limits::max()}) {
        EXPECT_EQ(from_zigzag(to_zigzag(number)), number);
    }
    EXPECT_EQ(to_zigzag(-1), 1U);
}

TEST(Bytes, AVarintThatIsCutOffIsNotRead) {
    ByteReader reader{"\xFF\xFF"};
    EXPECT_EQ(reader.varint(), 0U);
    EXPECT_FALSE(reader.ok());
}

TEST(Bytes, AVarintOfMoreThan64BitsIsNotRead) {
    ByteReader reader{"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02"};
    reader.varint();
    EXPECT_FALSE(reader.ok());
}

TEST(Bytes, AReaderNeverGivesMoreThanThereIs) {
    ByteReader reader{"abc"};
    EXPECT_EQ(reader.bytes(2), "ab");
    EXPECT_EQ(reader.bytes(std::numeric_limits<std::uint64_t>::max()), "");
    EXPECT_FALSE(reader.ok());
    EXPECT_EQ(reader.word<std::uint32_t>(), 0U);
}

}  // namespace
}  // namespace parlance
