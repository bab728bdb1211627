#include "gateway/workflow_start_times.h"

#include <gtest/gtest.h>

namespace parlance::gateway {
namespace {

TEST(WorkflowStartTimes, C1_OfRecentWorkflowsStayTheSame) {
    WorkflowStartTimes workflow_start_times{4};
    const Time noon{Duration{1'763'899'200'000}};
    EXPECT_EQ(workflow_start_times.of("a", noon), noon);
    EXPECT_EQ(workflow_start_times.of("a", noon + Duration{5000}), noon);
    EXPECT_EQ(workflow_start_times.of("b", noon + Duration{1}), noon + Duration{1});
    EXPECT_EQ(workflow_start_times.of("c", noon + Duration{2}), noon + Duration{2});
    EXPECT_EQ(workflow_start_times.of("a", noon + Duration{3}), noon) << "who is asked for stays";
    for (const auto* other : {"d", "e", "f", "g"}) workflow_start_times.of(other, noon);
    EXPECT_EQ(workflow_start_times.of("b", noon + Duration{9}), noon + Duration{9});
}

}  // namespace
}  // namespace parlance::gateway
