// Descriptors: how they are shared out, and what a listener does when no descriptor is left.
#include "transport/descriptors.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/testing/peer.h"

namespace parlance::transport {
namespace {

using testing::House;
using testing::Peer;
using testing::request_text;

TEST(Descriptors, G7_LeaveAReserveBelowAtAndAboveWhatIsWanted) {
    struct Row {
        std::uint64_t descriptors;
        std::size_t wanted;
        DescriptorShares shares;
    };
    constexpr auto kUnlimited = std::numeric_limits<std::uint64_t>::max();
    for (const auto& row : {Row{1024, 10'000, {728, 104}},
                            Row{1024, 727, {727, 104}},
                            Row{1024, 728, {728, 104}},
                            Row{1024, 729, {728, 104}},
                            Row{1'048'576, 10'000, {10'000, 131'048}},
                            Row{384, 10'000, {168, 24}},
                            Row{100, 10'000, {44, 6}},
                            Row{1, 10'000, {1, 1}},
                            Row{0, 10'000, {1, 1}}}) {
        EXPECT_EQ(share_descriptors(row.descriptors, row.wanted), row.shares)
            << row.descriptors << " for " << row.wanted;
    }
    EXPECT_EQ(share_descriptors(kUnlimited, 10'000).connections_max, 10'000U);
}

TEST(Descriptors, G7_OpenDescriptorsAreCountedBelowTheLimit) {
    constexpr std::uint64_t kLimit = 1'000'000;
    const auto before = open_descriptors(kLimit);
    EXPECT_GE(before, 3U);
    const int one = ::dup(0);
    const int other = ::dup(0);
    EXPECT_EQ(open_descriptors(kLimit), before + 2);
    EXPECT_LE(open_descriptors(2), 2U);
    ::close(one);
    ::close(other);
    EXPECT_EQ(open_descriptors(kLimit), before);
}

TEST(Descriptors, LimitIsRaisedToTheHardLimit) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    auto low = before;
    low.rlim_cur = std::min<rlim_t>(before.rlim_max, 256);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
    EXPECT_EQ(raise_descriptor_limit(), before.rlim_max);
    rlimit after{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &after), 0);
    EXPECT_EQ(after.rlim_cur, before.rlim_max);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

/// While this object lives, the process can open no file.
class NoDescriptors {
  public:
    NoDescriptors() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        auto none = before_;
        none.rlim_cur = 3;  // Already open; with a lower limit poll() would refuse any descriptor.
        ::setrlimit(RLIMIT_NOFILE, &none);
    }
    ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    NoDescriptors(const NoDescriptors&) = delete;
    NoDescriptors& operator=(const NoDescriptors&) = delete;

  private:
    rlimit before_{};
};

TEST(Descriptors, ShortageClosesAnIdleConnectionAndDelaysNewConnections) {
    House house{{.silence_before_idle = Duration{0}}};
    Peer busy{house.port()};
    busy.upgrade();
    Peer idle{house.port()};
    idle.send(request_text("GET", "/"));
    EXPECT_EQ(idle.read_answer().status, 200);
    // The late connection's descriptor is opened here; it connects while the hub can accept
    // nothing.
    const int late = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    {
        const NoDescriptors none;
        Peer::connect_to(house.port(), late);
        EXPECT_TRUE(idle.has_ended()) << "an idle connection gives its descriptor";
        busy.send_frame(1, "still here");
        EXPECT_EQ(busy.read_frame().payload, "still here");
    }
    Peer peer{Peer::Connected{late}};
    peer.send(request_text("GET", "/late"));
    EXPECT_EQ(peer.read_answer().status, 200);
    EXPECT_EQ(house.counts().idle_closed, 1U);
}

TEST(Descriptors, G7_ShortageClosesNoConnectionThatHasOnlyJustCome) {
    House house{{.silence_before_idle = std::chrono::hours{1}}};
    // UBSan needs a descriptor to inspect the first object of a type new to UBSan.
    Peer early{house.port()};
    early.send(request_text("GET", "/"));
    EXPECT_EQ(early.read_answer().status, 200);
    Peer newcomer{house.port()};
    EXPECT_TRUE(house.await([](const auto& counts) { return counts.connections_open == 2; }));
    const int late = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    {
        const NoDescriptors none;
        Peer::connect_to(house.port(), late);
        EXPECT_TRUE(house.await([](const auto& counts) { return counts.accepts_failed > 0; }));
        newcomer.send(request_text("GET", "/"));
        EXPECT_EQ(newcomer.read_answer().status, 200);
    }
    Peer peer{Peer::Connected{late}};
    peer.send(request_text("GET", "/late"));
    EXPECT_EQ(peer.read_answer().status, 200);
    EXPECT_EQ(house.counts().idle_closed, 0U);
}

}  // namespace
}  // namespace parlance::transport
