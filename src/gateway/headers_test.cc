#include "gateway/headers.h"

#include <gtest/gtest.h>

namespace parlance::gateway {
namespace {

transport::Request with(std::vector<std::pair<std::string, std::string>> headers) {
    return {.headers = std::move(headers)};
}

TEST(Headers, X12_AreDoubledIfTheCallerIsNamedTwice) {
    for (const auto* name : {"X-Agent-Origin",
                             "x-agent-depth",
                             "Authorization",
                             "Parlance-Agent",
                             "Parlance-Dialect",
                             "Origin"}) {
        EXPECT_EQ(doubled_in(with({{name, "a"}, {"Accept", "b"}, {name, "a"}})), name);
        EXPECT_EQ(doubled_in(with({{name, "a"}, {"Accept", "b"}})), "");
    }
    EXPECT_EQ(doubled_in(with({{"Origin", "a"}, {"ORIGIN", "b"}})), "Origin");
    EXPECT_EQ(doubled_in(with({{"Accept", "a"}, {"Accept", "b"}})), "") << "a list in two lines";
    EXPECT_EQ(doubled_in(with({})), "");
}

TEST(Headers, X12_OfADelegationMustNotBeEmpty) {
    EXPECT_EQ(empty_in(with({{"x-agent-origin", ""}})), "x-agent-origin");
    EXPECT_EQ(empty_in(with({{"X-Agent-Origin", "a"}, {"Accept", ""}})), "");
}

TEST(Headers, HostIsAcceptedByAddressOrByConfiguredName) {
    const std::vector<std::string> names{"hub.example", "*.inside.example"};
    for (const auto* host : {"127.0.0.1",
                             "10.1.2.3:7420",
                             "[::1]:7420",
                             "[fe80::1]",
                             "localhost:7420",
                             "hub.example",
                             "HUB.example:7420",
                             "a.inside.example:443"}) {
        EXPECT_TRUE(is_own_host(host, names)) << host;
    }
    for (const auto* host : {"evil.example",
                             "hub.example.evil.example",
                             "127.0.0.1.evil.example:7420",
                             "localhost.evil.example",
                             "inside.example",
                             ".inside.example",
                             "a.b.inside.example",
                             "[hub.example]",
                             "2130706433",
                             "0x7f.1",
                             "1.2.3"}) {
        EXPECT_FALSE(is_own_host(host, names)) << host;
    }
}

}  // namespace
}  // namespace parlance::gateway
