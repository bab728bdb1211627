// Formats: "validation", section 7, and the documents named there.
#include "base/schema/format.h"

#include "base/schema/testing/cases.h"

namespace parlance::schema {
namespace {

struct Row {
    std::string_view format;
    std::vector<std::string_view> good;
    std::vector<std::string_view> bad;
};

TEST(Format, FollowsItsDocument) {
    const std::vector<Row> rows{
        {"date-time",
         {"2025-11-23T10:00:00Z",
          "2025-11-23t10:00:00.123456+02:00",
          "2016-12-31T23:59:60Z",
          "2016-12-31T15:59:60.5-08:00",
          "2024-02-29T00:00:00-00:00"},
         {"2025-11-23",
          "2025-11-23T10:00:00",
          "2025-11-23 10:00:00Z",
          "2023-02-29T00:00:00Z",
          "2025-11-23T24:00:00Z",
          "2025-11-23T10:00:60Z",
          "2025-11-23T10:60:00Z",
          "2025-11-23T10:00:00+24:00",
          "25-11-23T10:00:00Z",
          "2025-11-23T10:00Z",
          "",
          "T"}},
        {"date",
         {"2000-02-29", "0001-01-01"},
         {"1900-02-29", "2025-13-01", "2025-1-1", "2025-00-10"}},
        {"time",
         {"10:00:00Z", "23:59:60Z", "01:29:60+01:30", "10:00:00.5z"},
         {"10:00:00", "10:00Z", "22:59:60Z", "1:00:00Z", "10:00:00+2:00"}},
        {"duration",
         {"P1D", "PT36H", "P1Y2M3DT4H5M6S", "P3W", "P1YT1S", "PT0S"},
         {"P", "PT", "1D", "P1", "P1DT", "P1W2D", "P2D1Y", "PT1H2S", "P1.5D", "p1d"}},
        {"email",
         {"joe@example.com",
          "a.b+c@x.org",
          "\"joe bloggs\"@example.com",
          "te~st@[127.0.0.1]",
          "x@[IPv6:::1]"},
         {"joe",
          "@x.org",
          ".a@x.org",
          "a..b@x.org",
          "a.@x.org",
          "joe bloggs@x.org",
          "a@-x.org",
          "a@[127.0.0.300]",
          "a@x@y.org",
          "a@"}},
        {"hostname",
         {"example.com", "a", "xn--4gbwdl.xn--wgbh1c", "1-2.x"},
         {"",
          "-a.com",
          "a-.com",
          "a..b",
          "a_b",
          "ex ample",
          "a123456789012345678901234567890123456789012345678901234567890123.com"}},
        {"ipv4",
         {"192.168.0.1", "0.0.0.0"},
         {"256.1.1.1", "1.2.3", "01.2.3.4", "1.2.3.4.5", "0x7f.0.0.1"}},
        {"ipv6",
         {"::1", "::", "fe80::1", "1:2:3:4:5:6:7:8", "::ffff:192.168.0.1"},
         {"12345::", "1::2::3", "1:2:3:4:5:6:7", "::1%eth0", "::laptop", ":", "127.0.0.1"}},
        {"uri",
         {"https://example.com/a?b=c#d",
          "urn:isbn:0451450523",
          "mailto:joe@example.com",
          "http://[::1]:8080/",
          "ftp://u:p@h/%20",
          "http://x?q=a?b",
          "file:///etc/hosts"},
         {"//example.com/a",
          "/a/b",
          "a",
          "",
          "http://ex ample.com",
          "https://[bad]",
          "http://[::g]/",
          "ht!tp://x",
          "http://x/%zz",
          "http://x/\"",
          ":a"}},
        {"uri-reference",
         {"https://example.com", "//host/a", "/a", "a/b?c#d", "#frag", "", "?q", "./a:b"},
         {"a b", "\\\\host", "#fr\\ag", "1a:b", "%zz"}},
        {"uuid",
         {"2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"},
         {"2eb8aa08aa9811eab4aa73b441d16380",
          "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
          "2eb8aa08-aa98-11ea-b4aa-73b441d1638x"}},
        {"uri-template",
         {"",
          "http://example.com/dictionary/{term:1}/{term}",
          "{+path,x}/here{?x,y*}{#frag:9999}{&a.b}",
          "/caf\u00e9/%20/{%41}"},
         {"http://example.com/{term",
          "a}b",
          "{}",
          "{a:0}",
          "{a:10000}",
          "{a b}",
          "{a,}",
          "{.a.}",
          "a b",
          "a%zz",
          "a\"b"}},
        {"relative-json-pointer",
         {"0", "1/a~1b", "0#", "12#", "2/", "0+1/a", "1-10#"},
         {"", "/a", "#", "01", "-1", "+1/a", "1a", "0##", "1/a~2", "0+0"}},
        {"json-pointer", {"", "/", "/a/0", "/a~0b~1c", "/\n"}, {"a", "/a~", "/~2", "#/a"}},
        {"regex", {"^a+$", "(?=a)b", "(a)\\1", "[a-z]", ""}, {"[", "(a", "a**b("}},
    };
    for (const auto& [name, good, bad] : rows) {
        const Format* const format = format_named(name);
        ASSERT_NE(format, nullptr) << name;
        for (const auto text : good) EXPECT_TRUE(format->fits(text)) << name << " " << text;
        for (const auto text : bad) EXPECT_FALSE(format->fits(text)) << name << " " << text;
    }
}

TEST(Format, IsAssertedOfStringsOnly) {
    hold({{R"({"format":"date"})", {"\"2025-11-23\"", "7", "null"}, {"\"tomorrow\""}},
          {R"({"format":"of-our-own"})", {"\"anything\""}}});
    EXPECT_EQ(told(R"({"format":"ipv4"})", "\"x\""), ": must be an IPv4 address (/format)\n");
}

}  // namespace
}  // namespace parlance::schema
