#include "base/address.h"

#include <string>

#include <arpa/inet.h>
#include <gtest/gtest.h>

namespace parlance {
namespace {

bool is_private(const std::string& text) {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    if (inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1) {
        return is_private_address(reinterpret_cast<const sockaddr&>(v6));
    }
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    EXPECT_EQ(inet_pton(AF_INET, text.c_str(), &v4.sin_addr), 1) << text;
    return is_private_address(reinterpret_cast<const sockaddr&>(v4));
}

TEST(Address, OfAnInternalNetworkIsPrivate) {
    for (const auto* text :
         {"127.0.0.1",  "127.255.255.255",  "0.0.0.0",         "10.1.2.3",
          "172.16.0.1", "172.31.255.255",   "192.168.0.1",     "169.254.169.254",
          "100.64.0.1", "224.0.0.1",        "255.255.255.255", "::",
          "::1",        "fe80::1",          "fc00::1",         "fdff::1",
          "ff02::1",    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::127.0.0.1"}) {
        EXPECT_TRUE(is_private(text)) << text;
    }
}

TEST(Address, OfThePublicInternetIsNotPrivate) {
    for (const auto* text : {"8.8.8.8",
                             "172.15.255.255",
                             "172.32.0.0",
                             "192.167.255.255",
                             "192.169.0.0",
                             "9.255.255.255",
                             "11.0.0.0",
                             "100.128.0.0",
                             "126.255.255.255",
                             "128.0.0.0",
                             "223.255.255.255",
                             "2606:4700::1111",
                             "::ffff:8.8.8.8"}) {
        EXPECT_FALSE(is_private(text)) << text;
    }
}

TEST(Address, OfAHostIsPrivateInEveryWrittenForm) {
    for (const auto* host : {"127.0.0.1",
                             "2130706433",
                             "0x7f.1",
                             "10.0.0.1",
                             "::1",
                             "LocalHost",
                             "a.localhost.",
                             "localhost."}) {
        EXPECT_TRUE(is_private_host(host)) << host;
    }
    for (const auto* host :
         {"8.8.8.8", "hooks.example", "2001:4860:4860::8888", "localhost.example"}) {
        EXPECT_FALSE(is_private_host(host)) << host;
    }
}

TEST(Address, OfThisMachineIsLoopbackAndANameThatBeginsAlikeIsNot) {
    for (const auto* host : {"localhost", "127.0.0.1", "127.1.2.3", "::1"}) {
        EXPECT_TRUE(is_loopback_host(host)) << host;
    }
    for (const auto* host : {"127.evil.example",
                             "127.0.0.1.evil.example",
                             "localhost.evil.example",
                             "10.0.0.1",
                             "0.0.0.0",
                             "::",
                             "127.1",
                             ""}) {
        EXPECT_FALSE(is_loopback_host(host)) << host;
    }
}

}  // namespace
}  // namespace parlance
