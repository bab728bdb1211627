#include "app/cli/event_summary.h"

#include <gtest/gtest.h>

namespace parlance::cli {
namespace {

TEST(EventSummary, OfAMessageBeginsWithSenderTypeAndRecipient) {
    EXPECT_EQ(
        summary_of_event(R"({"sequence":5,"at":"2026-01-01T00:00:00Z","event":"MessageAccepted",
                          "ticket":5120,"envelope":{"id":"m","from":"alice","to":"bob",
                          "type":"HEARTBEAT","task":"","message":{"payload":1}},"priority":"low",
                          "expires_at":null,"fingerprint":"767fe6267842b304","waits":false})"),
        "alice → bob HEARTBEAT ticket=5120 priority=low");
}

TEST(EventSummary, HasNestedFieldsAndNoEmptyFields) {
    EXPECT_EQ(
        summary_of_event(R"({"sequence":1,"agent":"bob","profile":{"dialect":"taskwire","role":"",
                          "instance_count_max":0,"tools_allowed":[],"endpoint":""}})"),
        "agent=bob dialect=taskwire instance_count_max=0");
    EXPECT_EQ(summary_of_event(R"({"request":7,"ticket":0,"refusal":"NONE"})"),
              "request=7 refusal=NONE");
}

TEST(EventSummary, QuotesTextOfSeveralWords) {
    EXPECT_EQ(summary_of_event(R"({"reason":"never for me","by":"olga","note":{"percent":50}})"),
              R"(reason="never for me" by=olga note={"percent":50})");
    EXPECT_EQ(summary_of_event(R"({"reason":"a=b","detail":"say \"x\""})"),
              R"(reason="a=b" detail="say \"x\"")");
}

TEST(EventSummary, OfAnEmptyEventIsEmpty) { EXPECT_EQ(summary_of_event("{}"), ""); }

}  // namespace
}  // namespace parlance::cli
