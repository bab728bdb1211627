#include "base/iso_time.h"

#include <gtest/gtest.h>

namespace parlance {
namespace {

using namespace std::chrono_literals;

Time at(long long milliseconds) { return Time{Duration{milliseconds}}; }

TEST(IsoTime, ReadsUtcToTheMillisecond) {
    EXPECT_EQ(parse_iso_time("1970-01-01T00:00:00.000Z").value(), at(0));
    EXPECT_EQ(parse_iso_time("2025-11-23T10:00:00.123Z").value(), at(1763892000123));
    EXPECT_EQ(parse_iso_time("2025-11-23T10:00:00Z").value(), at(1763892000000));
    EXPECT_EQ(parse_iso_time("2024-02-29T23:59:59.999Z").value(), at(1709251199999));
}

TEST(IsoTime, ReadsAnyNumberOfFractionDigitsAndKeepsThree) {
    EXPECT_EQ(parse_iso_time("1970-01-01T00:00:00.5Z").value(), at(500));
    EXPECT_EQ(parse_iso_time("1970-01-01T00:00:00.123456789123456789Z").value(), at(123));
}

TEST(IsoTime, SubtractsTheOffset) {
    const Time noon = parse_iso_time("2025-11-23T12:00:00Z").value();
    EXPECT_EQ(parse_iso_time("2025-11-23T14:00:00+02:00").value(), noon);
    EXPECT_EQ(parse_iso_time("2025-11-23T14:00:00+0200").value(), noon);
    EXPECT_EQ(parse_iso_time("2025-11-23T14:00:00+02").value(), noon);
    EXPECT_EQ(parse_iso_time("2025-11-23T06:30:00-05:30").value(), noon);
    EXPECT_EQ(parse_iso_time("2026-01-01T00:30:00+01:00").value(),
              parse_iso_time("2025-12-31T23:30:00Z").value());
}

TEST(IsoTime, TakesATimeWithoutOffsetAsUtc) {
    EXPECT_EQ(parse_iso_time("2025-11-23T10:00:00.123").value(), at(1763892000123));
    EXPECT_EQ(parse_iso_time("2025-11-23T10:00").value(), at(1763892000000));
    EXPECT_EQ(parse_iso_time("2025-11-23").value() + 10h, at(1763892000000));
}

TEST(IsoTime, RefusesDatesAndTimesThatDoNotExist) {
    for (const char* bad : {"2025-02-29T00:00:00Z",
                            "2025-13-01T00:00:00Z",
                            "2025-00-01T00:00:00Z",
                            "2025-04-31T00:00:00Z",
                            "2025-01-01T24:00:00Z",
                            "2025-01-01T00:60:00Z",
                            "2025-01-01T00:00:60Z",
                            "2025-01-01T00:00:00+24:00",
                            "2025-01-01T00:00:00+01:60",
                            "0000-01-01T00:00:00+00:01",
                            "9999-12-31T23:59:59-00:01"}) {
        EXPECT_FALSE(parse_iso_time(bad)) << bad;
    }
}

TEST(IsoTime, RefusesOtherForms) {
    for (const char* bad : {"",
                            "now",
                            "1763892000",
                            "23.11.2025",
                            "2025-11-23 10:00:00Z",
                            "2025-11-23T",
                            "2025-11-23T10",
                            "2025-11-23T1:00:00Z",
                            "2025-11-23T10:00:00.Z",
                            "2025-11-23T10:00:00Z ",
                            " 2025-11-23T10:00:00Z",
                            "2025-11-23T10:00:00ZZ",
                            "2025-11-23T10:00:00+1",
                            "2025-11-23T10:00:00+01:",
                            "+2025-11-23T10:00:00Z",
                            "2025-1-23T10:00:00Z"}) {
        EXPECT_FALSE(parse_iso_time(bad)) << bad;
    }
    EXPECT_NE(parse_iso_time("yesterday").error().message.find("'yesterday'"), std::string::npos);
}

TEST(IsoTime, PrintsTimesAsRead) {
    for (const char* text : {"2025-11-23T10:00:00.123Z",
                             "1969-12-31T23:59:59.999Z",
                             "0000-01-01T00:00:00.000Z",
                             "9999-12-31T23:59:59.999Z"}) {
        EXPECT_EQ(print_iso_time(parse_iso_time(text).value()), text);
    }
}

}  // namespace
}  // namespace parlance
