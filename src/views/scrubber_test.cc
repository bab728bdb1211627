#include "views/scrubber.h"

#include <thread>

#include "views/testing/delegations.h"

namespace parlance::views {
namespace {

using testing::delegated;
using testing::kNoon;

class ScrubberTest : public testing::DelegationsTest {
  protected:
    void await_rounds(const Scrubber& scrubber, std::uint64_t rounds) {
        while (scrubber.status().counts.rounds < rounds) std::this_thread::yield();
    }
};

TEST_F(ScrubberTest, ReportsEachDamageOnceAndKeepsItInItsStatus) {
    happen(kNoon, delegated(1, "r-11111"));
    happen(kNoon, delegated(2, "r-22222"));
    const std::string name = "00000000000000000001.journal";
    disk_.flip_bit(name, disk_.contents().at(name).find("r-11111"), 0);
    std::mutex mutex;
    std::vector<std::string> lines;
    Scrubber scrubber{disk_,
                      {.bytes_per_second = 1 << 30,
                       .round_pause = Duration{0},
                       .clock = [] { return kNoon; },
                       .log =
                           [&](const std::string& line) {
                               const std::lock_guard lock{mutex};
                               lines.push_back(line);
                           }}};
    scrubber.follow(durable());
    await_rounds(scrubber, 3);
    const auto status = scrubber.status();
    EXPECT_EQ(status.round_ended, kNoon);
    ASSERT_EQ(status.damages.size(), 1U);
    EXPECT_EQ(status.damages[0].first, Sequence{1});
    EXPECT_EQ(status.damages[0].last, Sequence{1});
    EXPECT_EQ(status.damaged_records(), 1U);
    const std::lock_guard lock{mutex};
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_NE(lines[0].find(name + ":4096: record 1 is damaged; record 1 cannot be read"),
              std::string::npos)
        << lines[0];
    EXPECT_NE(lines[0].find("parlance journal repair --from COPY"), std::string::npos);
}

TEST_F(ScrubberTest, StopsInTheMiddleOfAPause) {
    happen(kNoon, delegated(1, "r-1"));
    Scrubber scrubber{disk_, {.bytes_per_second = 1, .round_pause = std::chrono::hours{1}}};
    scrubber.follow(durable());
    while (scrubber.status().counts.bytes == 0) std::this_thread::yield();
}

TEST(ScrubPace, LeavesStepsOutForABusyHubButNotAllOfThem) {
    const ScrubberOptions options{.busy_records = 100};
    EXPECT_FALSE(puts_off({.looked = 500, .durable = 599, .put_off = 0}, options));
    EXPECT_TRUE(puts_off({.looked = 500, .durable = 600, .put_off = 0}, options));
    EXPECT_TRUE(puts_off({.looked = 500, .durable = 600, .put_off = 8}, options));
    EXPECT_FALSE(puts_off({.looked = 500, .durable = 600, .put_off = 9}, options));
}

TEST(ScrubPace, NeverReadsMoreThanItsRate) {
    const ScrubberOptions options{.bytes_per_second = 1'000'000};
    EXPECT_EQ(pause_after(0, options), Duration{100});
    EXPECT_EQ(pause_after(100'000, options), Duration{100});
    EXPECT_EQ(pause_after(100'001, options), Duration{100});
    EXPECT_EQ(pause_after(5'000'000, options), Duration{5'000});
}

}  // namespace
}  // namespace parlance::views
