#include "base/uuid.h"

#include <gtest/gtest.h>

namespace parlance {
namespace {

TEST(Uuid, SetsVersionAndVariantAndKeepsTheOtherBits) {
    EXPECT_EQ(uuid_v4(0, 0), "00000000-0000-4000-8000-000000000000");
    EXPECT_EQ(uuid_v4(~std::uint64_t{0}, ~std::uint64_t{0}),
              "ffffffff-ffff-4fff-bfff-ffffffffffff");
    EXPECT_EQ(uuid_v4(0x0123456789abcdefU, 0x1122334455667788U),
              "01234567-89ab-4def-9122-334455667788");
}

TEST(Uuid, IsRecognisedInEitherCase) {
    EXPECT_TRUE(is_uuid(uuid_v4(7, 9)));
    EXPECT_TRUE(is_uuid("F47AC10B-58CC-4372-A567-0E02B2C3D479"));
}

TEST(Uuid, IsVersion4OnlyWithTheVariantOfItsRfc) {
    for (const char variant : std::string_view{"89abAB"}) {
        EXPECT_TRUE(is_uuid4(std::string{"550e8400-e29b-41d4-"} + variant + "716-446655440000"));
    }
    for (const char variant : std::string_view{"07cCfF"}) {
        EXPECT_FALSE(is_uuid4(std::string{"550e8400-e29b-41d4-"} + variant + "716-446655440000"));
    }
    EXPECT_FALSE(is_uuid4("550e8400-e29b-11d4-a716-446655440000"));
}

TEST(Uuid, IsNotRecognisedWhenACharacterIsWrongMissingOrTooMany) {
    EXPECT_FALSE(is_uuid(""));
    EXPECT_FALSE(is_uuid("f47ac10b-58cc-4372-a567-0e02b2c3d47"));
    EXPECT_FALSE(is_uuid("f47ac10b-58cc-4372-a567-0e02b2c3d4790"));
    EXPECT_FALSE(is_uuid("g47ac10b-58cc-4372-a567-0e02b2c3d479"));
    EXPECT_FALSE(is_uuid("f47ac10b058cc-4372-a567-0e02b2c3d479"));
    EXPECT_FALSE(is_uuid("{f47ac10b-58cc-4372-a567-0e02b2c3d4}"));
}

}  // namespace
}  // namespace parlance
