#include "app/cli/gantt.h"

#include <gtest/gtest.h>

namespace parlance::cli {
namespace {

// Labels of 5 columns leave 10 for the bars: 5 + 34 + 4 + 10.
constexpr Screen kNarrow{.width = 53};

TEST(Gantt, C12_ShowsTheQueueAndTheWorkOfEachMessageToScale) {
    const std::vector<Bar> bars{
        {.ticket = 1, .label = "a → b", .queue_ms = 20, .run_ms = 80, .state = "answered"},
        {.ticket = 2, .label = "b → a", .start_ms = 50, .queue_ms = 0, .run_ms = 50, .state = "x"}};
    EXPECT_EQ(draw(bars, kNarrow),
              "a → b  ░░████████  20 ms + 80 ms  answered\n"
              "b → a       █████  0 ms + 50 ms  x\n");
}

TEST(Gantt, IndentsMessagesUnderTheirParent) {
    const std::vector<Bar> bars{{.ticket = 1, .label = "a", .run_ms = 10},
                                {.ticket = 2, .parent = 1, .label = "b", .run_ms = 10},
                                {.ticket = 3, .parent = 2, .label = "c", .run_ms = 10},
                                {.ticket = 4, .parent = 77, .label = "d", .run_ms = 10}};
    EXPECT_EQ(draw(bars, kNarrow),
              "a      ██████████  0 ms + 10 ms  \n"
              "  b    ██████████  0 ms + 10 ms  \n"
              "    c  ██████████  0 ms + 10 ms  \n"
              "d      ██████████  0 ms + 10 ms  \n");
}

TEST(Gantt, DrawsAMessageWithoutDurationAsOneMark) {
    const std::vector<Bar> bars{{.ticket = 1, .label = "a → b", .run_ms = 100, .state = "s"},
                                {.ticket = 2, .label = "c → d", .start_ms = 100, .state = "s"}};
    EXPECT_EQ(draw(bars, kNarrow),
              "a → b  ██████████  0 ms + 100 ms  s\n"
              "c → d           █  0 ms + 0 ms  s\n");
    EXPECT_EQ(draw({}, kNarrow), "");
}

TEST(Gantt, PrintsNoControlCharacters) {
    EXPECT_EQ(draw({{.ticket = 1, .label = "a\x1b[2Jb"}}, kNarrow).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace parlance::cli
