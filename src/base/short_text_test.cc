#include "base/short_text.h"

#include <gtest/gtest.h>

namespace parlance {
namespace {

std::string shortened(std::string_view text) {
    std::string out;
    append_short(out, text);
    return out;
}

TEST(ShortText, TakesAUuidInSixteenBytesAndADigestInThirtyTwo) {
    EXPECT_EQ(shortened("5f0c9a52-6a1d-4f0e-9b7e-0123456789ab").size(), 1 + 16U);
    EXPECT_EQ(shortened(std::string(64, 'a')).size(), 2 + 32U);
    EXPECT_EQ(shortened("agent-7").size(), 1 + 7U);
    EXPECT_EQ(shortened("").size(), 1U);
}

TEST(ShortText, EveryTextIsRestoredExactly) {
    for (const std::string text : {"",
                                   "a",
                                   "plain words",
                                   "5f0c9a52-6a1d-4f0e-9b7e-0123456789ab",
                                   "5F0C9A52-6A1D-4F0E-9B7E-0123456789AB",
                                   "5f0c9a526a1d4f0e9b7e0123456789ab",
                                   "5f0c9a526a1d4f0e9b7e0123456789abc",
                                   "deadbeef",
                                   "DEADBEEF",
                                   "1234567",
                                   "--------------------",
                                   "5f0c9a52-6a1d-4f0e-9b7e-0123456789ax"}) {
        const auto bytes = shortened(text) + shortened("next");
        ByteReader in{bytes};
        EXPECT_EQ(take_short(in), text);
        EXPECT_EQ(take_short(in), "next");
        EXPECT_TRUE(in.ok() && in.at_end());
    }
}

TEST(ShortText, MalformedBytesAreRejected) {
    for (const std::string bytes : {"", "\x09three", "\x05x", "\x07x", "\x50too short"}) {
        ByteReader in{bytes};
        EXPECT_EQ(take_short(in), "");
        EXPECT_FALSE(in.ok());
    }
}

}  // namespace
}  // namespace parlance
