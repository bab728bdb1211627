#include "gateway/personal.h"

#include <gtest/gtest.h>

namespace parlance::gateway {
namespace {

const Options kOptions{.personal = {}, .personal_key = "a key of the hub"};

/// The delegation that the events below are about.
constexpr std::string_view kEnvelope =
    R"("envelope":{"id":"r-1","from":"prime@boss.example","to":"byte","type":"","task":"",)"
    R"("correlation":"session-1","dialect":"delegation","message":{"request_id":"r-1",)"
    R"("origin_employee":"prime@boss.example","target_employee":"byte","user_id":"u@example.org",)"
    R"("parent_session_id":"session-1","objective":"Bill ana@example.org","input":"x"}})";

std::string shown_event(std::string_view json) {
    return redacted_event(kOptions, json).value_or("as it was");
}

TEST(EventsForOperators, A4_HaveNoPersonalDataInTheirMessages) {
    const std::string event = R"({"sequence":7,"event":"MessageAccepted",)" +
                              std::string{kEnvelope} + R"(,"priority":"normal"})";
    const std::string shown = shown_event(event);
    EXPECT_EQ(shown.find("ana@example.org"), std::string::npos) << shown;
    // Computed by `openssl dgst -sha256 -hmac`, as in base/personal/redact_test.cc.
    EXPECT_NE(shown.find("Bill [EMAIL_4da42e2c]"), std::string::npos) << shown;
    EXPECT_NE(shown.find(R"("from":"prime@boss.example")"), std::string::npos)
        << "an agent is called what it is called";
    EXPECT_NE(shown.find(R"("user_id":"u@example.org")"), std::string::npos) << "so is a user";
}

TEST(EventsForOperators, A4_HaveNoPersonalDataInReasonsNotesAndAddresses) {
    for (const char* member :
         {R"("event":"MessageDropped","reason":"no account of ana@example.org")",
          R"("event":"RequestFailed","detail":"not \"ana@example.org\"")",
          R"("event":"ProgressReported","note":{"seen":["ana@example.org"]})",
          R"("event":"AgentRegistered","profile":{"endpoint":"http://a:ana@example.org/"})"}) {
        const std::string shown = shown_event("{\"sequence\":7," + std::string{member} + "}");
        EXPECT_EQ(shown.find("ana@example.org"), std::string::npos) << shown;
        EXPECT_NE(shown, "as it was") << member;
    }
    EXPECT_EQ(
        shown_event(
            R"({"sequence":7,"event":"ToolRefused","agent":"ana@example.org","detail":"no"})"),
        "as it was");
}

TEST(EventsForOperators, A4_HaveNoPersonalDataInMembersThatAreNoNames) {
    for (const char* member : {R"("objective":"mail ana@example.org")",
                               R"("input":{"to":"ana@example.org"})",
                               R"("output":"ana@example.org")",
                               R"("report":{"steps":[{"output":"ana@example.org"}]})",
                               R"("document":{"owner":{"mail":"ana@example.org"}})",
                               R"("value":"ana@example.org")",
                               R"("history":["told ana@example.org"])",
                               R"("workflow":{"said":"ana@example.org"})",
                               R"("state":{"cart":"ana@example.org"})",
                               R"("something_new":"ana@example.org")"}) {
        const std::string shown = shown_event("{\"sequence\":7," + std::string{member} + "}");
        EXPECT_EQ(shown.find("ana@example.org"), std::string::npos) << shown;
        EXPECT_NE(shown, "as it was") << member;
    }
}

TEST(EventsForOperators, A4_ShowTheSenderButNoPersonalDataOfAMessage) {
    const std::string envelope{kEnvelope.substr(kEnvelope.find(':') + 1)};
    for (const char* event : {"MessageAccepted", "RequestAnswered"}) {
        const std::string shown =
            shown_event(R"({"event":")" + std::string{event} + R"(","envelope":)" + envelope + "}");
        EXPECT_EQ(shown.find("ana@example.org"), std::string::npos) << shown;
        EXPECT_NE(shown.find(R"("from":"prime@boss.example")"), std::string::npos) << shown;
    }
}

TEST(EventsForOperators, A4_CoverEveryDialect) {
    const std::string event =
        R"({"event":"MessageAccepted","envelope":{"id":"m-1","correlation":"",)"
        R"("dialect":"taskwire","message":{"id":"m-1",)"
        R"("from":"a","to":"b","type":"ERROR_REPORT","payload":{"n":"ana@example.org"}}}})";
    const std::string shown = shown_event(event);
    EXPECT_NE(shown, "as it was");
    EXPECT_EQ(shown.find("ana@example.org"), std::string::npos) << shown;
}

TEST(EventsForOperators, A4_X15_HaveNoPersonalDataInObjectivesPlansAndReports) {
    for (const char* event :
         {R"({"event":"DelegationAdmitted","session":"session-1","objective":"ana@example.org"})",
          R"({"event":"WorkflowStarted","correlation":"session-1","plan":{"q":"ana@example.org"}})",
          R"({"event":"WorkflowEnded","id":"w","report":{"correlation_id":"session-1",)"
          R"("answer":"ana@example.org"}})",
          R"({"event":"FactLearnt","session":"session-1","value":["ana@example.org"]})",
          R"({"event":"ContextLocked","workflow":"w","done":{"correlation":"session-1",)"
          R"("dialect":"sam","message":{"payload":"ana@example.org"}}})"}) {
        const std::string shown = shown_event(event);
        EXPECT_EQ(shown.find("ana@example.org"), std::string::npos) << shown;
        EXPECT_NE(shown.find("[EMAIL_4da42e2c]"), std::string::npos)
            << "one workflow, one placeholder: " << shown;
    }
}

TEST(DocumentsForOperators, A4_X15_KeepIdsAndRedactTheRest) {
    const Caller viewer{.agent = {"vi"}, .role = OperatorRole::Viewer};
    const Caller owner{.user = "ana@example.org"};
    const std::string session =
        R"({"user_id":"ana@example.org","workflow_state":{"a":["ana@example.org",4111111111111111]}})";
    const auto shown = shown_to(kOptions, viewer, session, "session-1");
    EXPECT_TRUE(shown.starts_with(R"({"user_id":"ana@example.org","workflow_state":{"a":)"
                                  R"(["[EMAIL_4da42e2c]","[CARD_)"))
        << shown;
    EXPECT_EQ(shown_to(kOptions, owner, session, "session-1"), session);
}

TEST(DocumentsForOperators, A4_X15_HaveNoPersonalDataInKeys) {
    EXPECT_EQ(
        redacted_document(
            kOptions, R"({ "ana@example.org" : {"ana@example.org":1},"id":"t"})", "session-1"),
        R"({ "[EMAIL_4da42e2c]" : {"[EMAIL_4da42e2c]":1},"id":"t"})");
}

TEST(EventsForOperators, A4_X15_HaveNoPersonalDataInKeys) {
    for (const char* event :
         {R"({"event":"FactLearnt","session":"session-1","value":{"ana@example.org":3}})",
          R"({"event":"MessageAccepted","envelope":{"id":"m","correlation":"session-1",)"
          R"("dialect":"delegation","message":{"request_id":"r","ana@example.org":3}}})",
          R"({"event":"MessageAccepted","envelope":{"id":"m","correlation":"session-1",)"
          R"("dialect":"taskwire","message":{"id":"m","from":"a","to":"b","type":"HEARTBEAT",)"
          R"("payload":{"ana@example.org":3}}}})"}) {
        const std::string shown = shown_event(event);
        EXPECT_EQ(shown.find("ana@example.org"), std::string::npos) << shown;
        EXPECT_NE(shown.find(R"("[EMAIL_4da42e2c]":3)"), std::string::npos) << shown;
    }
}

TEST(WordsForOperators, A4_HavePlaceholders) {
    EXPECT_EQ(redacted_words(kOptions, "ana@example.org left", "session-1"),
              "[EMAIL_4da42e2c] left");
}

}  // namespace
}  // namespace parlance::gateway
