#include "transport/request.h"

#include <gtest/gtest.h>

namespace parlance::transport {
namespace {

Request read(std::string_view target) {
    Request request;
    request.method = "GET";
    EXPECT_TRUE(read_target(target, request).has_value()) << target;
    return request;
}

TEST(Target, IsSplitIntoADecodedPathAndQuery) {
    const auto request = read("/v1/agents/a%20b?state=open&name=J%C3%BCrgen+M&empty=&flag&&");
    EXPECT_EQ(request.path, "/v1/agents/a b");
    EXPECT_EQ(request.parameter("state"), "open");
    EXPECT_EQ(request.parameter("name"), "J\xC3\xBCrgen M");
    EXPECT_EQ(request.query.size(), 4U);
    EXPECT_EQ(request.parameter("not_there"), "");
}

TEST(Target, RecordsWhichSlashesWereEncoded) {
    const auto request = read("/v1/a%20b%2Fc/d%2fe");
    EXPECT_EQ(request.path, "/v1/a b/c/d/e");
    EXPECT_EQ(request.slashes_encoded, (std::vector<std::size_t>{7, 11}));
    EXPECT_TRUE(read("/v1/agents").slashes_encoded.empty());
}

TEST(Target, KeepsAPlusInThePath) { EXPECT_EQ(read("/a+b").path, "/a+b"); }

TEST(Target, FromAProxyLosesItsAuthority) {
    EXPECT_EQ(read("http://hub:7420/v1/info?x=1").path, "/v1/info");
    EXPECT_EQ(read("http://hub:7420").path, "/");
    EXPECT_EQ(read("http://hub?x=1").parameter("x"), "1");
}

TEST(Target, ThatIsNoPathIsRefused) {
    for (const auto* target :
         {"v1/info", "*", "hub:443", "%2Fx", "/a%", "/a%2", "/%zz", "/%00", "/?q=%f"}) {
        Request request;
        request.method = "GET";
        EXPECT_FALSE(read_target(target, request).has_value()) << target;
    }
}

TEST(Target, IsUtf8WithoutControlCharactersOnceItIsDecoded) {
    for (const auto* good :
         {"/%20", "/%7e", "/%c2%a0", "/%ed%9f%bf", "/%f4%8f%bf%bf", "/\xC3\xBC"}) {
        read(good);
        read("/?" + std::string{good} + "=" + good);
    }
    struct Case {
        const char* target;
        const char* quoted;
    };
    const Case cases[] = {
        {"/a%ff", "'/a%ff'"},
        {"/a\xFF", "'/a%ff'"},
        {"/?instance=%ff%1b[31m", "'%ff%1b[31m'"},
        {"/?%fe=1", "'%fe'"},
        {"/%00", "'/%00'"},
        {"/%1f", "'/%1f'"},
        {"/?q=a%0Ab", "'a%0Ab'"},
        {"/?q=%09", "'%09'"},
        {"/%7f", "'/%7f'"},
        {"/%c2%80", "'/%c2%80'"},
        {"/%c2%9f", "'/%c2%9f'"},
        {"/%c0%af", "'/%c0%af'"},
        {"/%e0%80%af", "'/%e0%80%af'"},
        {"/%ed%a0%80", "'/%ed%a0%80'"},
        {"/%f4%90%80%80", "'/%f4%90%80%80'"},
        {"/%c3", "'/%c3'"},
        {"/%\xFFz", "'%%ffz'"},
        {"\xFF", "'%ff'"},
    };
    for (const auto& item : cases) {
        Request request;
        request.method = "GET";
        const auto got = read_target(item.target, request);
        ASSERT_FALSE(got.has_value()) << item.target;
        EXPECT_NE(got.error().message.find(item.quoted), std::string::npos) << got.error().message;
        EXPECT_EQ(request.query.size(), 0U);
    }
}

TEST(Header, IsFoundWhateverItsCase) {
    Request request;
    request.headers = {{"Parlance-Agent", "planner"}, {"X", "1"}};
    EXPECT_EQ(request.header("parlance-AGENT"), "planner");
    EXPECT_EQ(request.header("parlance-agents"), "");
}

TEST(Token, IsFoundInAListAndNotInsideAWord) {
    EXPECT_TRUE(has_token("keep-alive,  Upgrade", "upgrade"));
    EXPECT_FALSE(has_token("upgraded, keep", "upgrade"));
    EXPECT_FALSE(has_token("", "upgrade"));
}

TEST(Answer, CannotBeSplitByALineEndInAHeader) {
    std::string out;
    append_response(out,
                    {.status = 200,
                     .content_type = "text/plain\r\nX: y",
                     .headers = {{"Location", "/a\r\nSet-Cookie: b"}},
                     .body = "x"},
                    {});
    EXPECT_EQ(out,
              "HTTP/1.1 200 OK\r\nServer: parlance\r\nContent-Type: text/plainX: y\r\n"
              "Location: /aSet-Cookie: b\r\nContent-Length: 1\r\n\r\nx");
}

TEST(Answer, WithoutContentHasNoLength) {
    std::string out;
    append_response(out, {.status = 204, .content_type = "", .headers = {}, .body = "ignored"}, {});
    EXPECT_EQ(out, "HTTP/1.1 204 No Content\r\nServer: parlance\r\n\r\n");
}

TEST(Chunk, BeginsWithItsSizeInHexadecimal) {
    std::string out;
    append_chunk(out, std::string(26, 'x'));
    EXPECT_EQ(out, "1a\r\n" + std::string(26, 'x') + "\r\n");
}

}  // namespace
}  // namespace parlance::transport
