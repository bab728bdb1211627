// Words of a request that may name a capability of its target (T14): rules for that capability then
// apply to the request.
#include "dialects/claim.h"

#include <gtest/gtest.h>

namespace parlance::dialects {
namespace {

using Words = std::vector<std::string>;

ClaimPtr claim_in(std::string_view text, Dialect dialect) {
    const auto message =
        read_message(text, {.dialect = dialect, .caller = "a", .fresh_id = "fresh", .now = {}});
    EXPECT_TRUE(message) << text;
    return message ? claim_of(*message->envelope) : std::make_shared<const Claim>();
}

TEST(Claim, T14_ADelegationNamesACapabilityAsItsObjectiveOrAmongItsHints) {
    const auto claim = claim_in(
        R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","origin_employee":"a",)"
        R"("target_employee":"b","user_id":"u","parent_session_id":"s","objective":"Read it",)"
        R"("input":"i","context_hints":["receipt","READ",""]})",
        Dialect::Delegation);
    EXPECT_EQ(claim->words, (Words{"Read it", "receipt", "READ"}));
    EXPECT_EQ(claim->capability, "");
}

TEST(Claim, I3_ATaskwireRequestMayNameItsUserAndBudgetInSeveralMembers) {
    const auto said = [](std::string_view type, std::string_view payload) {
        const auto text = R"({"id":"m","from":"a","to":"b","type":")" + std::string{type} +
                          R"(","payload":{"task_id":"t",)" + std::string{payload} + "}}";
        return claim_in(text, Dialect::Taskwire);
    };
    for (const auto* type : {"TASK_ASSIGNMENT", "TASK_HANDOFF", "HELP_REQUEST"}) {
        EXPECT_EQ(said(type, R"("user_id":"u1")")->user, "u1") << type;
        EXPECT_EQ(said(type, R"("context":{"user_id":"u2"})")->user, "u2") << type;
        EXPECT_EQ(said(type, R"("user_id":"unknown")")->user, "") << type;
        EXPECT_EQ(said(type, R"("max_tokens":70)")->tokens_max, 70U) << type;
        EXPECT_EQ(said(type, R"("constraints":{"max_tokens":60})")->tokens_max, 60U) << type;
        EXPECT_EQ(said(type, R"("max_tokens":70,"constraints":{"max_tokens":60})")->tokens_max, 60U)
            << type;
    }
}

TEST(Claim, T14_WordsTooLongForACodeNameNoCapability) {
    const auto claim =
        claim_in(R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","origin_employee":"a",)"
                 R"("target_employee":"b","user_id":"u","parent_session_id":"s","objective":")" +
                     std::string(129, 'o') + R"(","input":"i","context_hints":[")" +
                     std::string(128, 'h') + R"("]})",
                 Dialect::Delegation);
    EXPECT_EQ(claim->words, Words{std::string(128, 'h')});
}

TEST(Claim, T14_OtherDialectsNameACapabilityByTheirAction) {
    const auto sam = claim_in(
        R"({"message_id":"m","correlation_id":"c","timestamp":"2025-11-23T10:00:00Z",)"
        R"("sender":{"agent_id":"a"},"recipient":{"agent_id":"b"},"message_type":"REQUEST",)"
        R"("payload":{"action":"READ","data":{}}})",
        Dialect::Sam);
    EXPECT_EQ(sam->words, Words{"READ"});
    const auto correlation = claim_in(
        R"({"correlation_id":"session_u_a7b2c9d4_1692633612","agent":"conversation_manager",)"
        R"("target_agent":"task_planning","timestamp":"2025-08-21T10:30:03Z",)"
        R"("message_type":"orchestration_command","status":"pending","payload":{"action":"READ"}})",
        Dialect::Correlation);
    EXPECT_EQ(correlation->words, Words{"READ"});
    const auto taskwire = claim_in(R"({"id":"m","from":"a","to":"b","type":"TASK_ASSIGNMENT",)"
                                   R"("payload":{"task_id":"t","action":"READ"}})",
                                   Dialect::Taskwire);
    EXPECT_EQ(taskwire->words, Words{"READ"});
}

TEST(Claim, T14_KesselAlwaysNamesACapability) {
    const auto claim =
        claim_in(R"({"source_agent":"ORC","target_agent":"ANL","capability_code":"ANL_NPV",)"
                 R"("request_id":"00000000-0000-4000-8000-000000000001","inputs_json":{}})",
                 Dialect::Kessel);
    EXPECT_EQ(claim->capability, "ANL_NPV");
    EXPECT_EQ(claim->words, Words{});
}

TEST(Claim, X13_ADelegationNamesTheOwnersOfItsSources) {
    const auto claim = claim_in(
        R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","origin_employee":"a",)"
        R"("target_employee":"b","user_id":"u","parent_session_id":"s","objective":"Read it",)"
        R"("input":"i","handoff_data":{"references":[{"owner_scope":"u\u0032","source_id":"1"},)"
        R"({"owner_scope":"company","source_id":"2"},{"owner_scope":"u2","source_id":"3"}]}})",
        Dialect::Delegation);
    EXPECT_EQ(claim->owners, (Words{"company", "u2"}));
}

std::string kessel_hash(std::string_view inputs) {
    return claim_in(R"({"source_agent":"ORC","target_agent":"ANL","capability_code":"ANL_NPV",)"
                    R"("request_id":"00000000-0000-4000-8000-000000000001","inputs_json":)" +
                        std::string{inputs} + "}",
                    Dialect::Kessel)
        ->objective_hash;
}

TEST(Claim, X6_G3_ContentIsComparedInCanonicalForm) {
    EXPECT_EQ(kessel_hash("{}"), kessel_hash("{   }"));
    const auto hash = kessel_hash(R"({"a":[1,{"b":"Total Sum"}],"c":null})");
    for (const auto* same : {R"({ "a" : [ 1 , { "b" : "Total Sum" } ] , "c" : null })",
                             R"({"c":null,"a":[1,{"b":"Total Sum"}]})",
                             R"({"a":[1.0,{"b":"total  sum "}],"c":null})",
                             R"({"\u0061":[1,{"b":"T\u006ftal\u200b Sum"}],"c":null})"}) {
        EXPECT_EQ(kessel_hash(same), hash) << same;
    }
    for (const auto* other : {R"({"a":[1,{"b":"Total Sum"}]})",
                              R"({"a":[2,{"b":"Total Sum"}],"c":null})",
                              R"({"a":[1,{"b":"TotalSum"}],"c":null})",
                              R"({"a":["1",{"b":"Total Sum"}],"c":null})",
                              R"({"a":[1],"b":"Total Sum","c":null})",
                              R"({"a":[[1,{"b":"Total Sum"}]],"c":null})"}) {
        EXPECT_NE(kessel_hash(other), hash) << other;
    }
    EXPECT_NE(kessel_hash(R"({"a":"b","c":"d"})"), kessel_hash(R"({"a":"b1:c\"1:d"})"));
    EXPECT_NE(kessel_hash("{\"a\":[12]}"), kessel_hash("{\"a\":[1,2]}"));
}

std::string taskwire_hash(std::string_view payload) {
    return claim_in(R"({"id":"m","from":"a","to":"b","type":"TASK_ASSIGNMENT","payload":)" +
                        std::string{payload} + "}",
                    Dialect::Taskwire)
        ->objective_hash;
}

TEST(Claim, X6_G3_ObjectiveWordsHashAlikeInEveryDialect) {
    const auto delegated = claim_in(
        R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","origin_employee":"a",)"
        R"("target_employee":"b","user_id":"u","parent_session_id":"s","objective":"Sort it",)"
        R"("input":"i"})",
        Dialect::Delegation);
    const auto assigned = claim_in(R"({"id":"m","from":"a","to":"b","type":"TASK_ASSIGNMENT",)"
                                   R"("payload":{"action":" sort  IT","list":[3,1]}})",
                                   Dialect::Taskwire);
    EXPECT_EQ(assigned->words_hash, delegated->objective_hash);
    EXPECT_NE(assigned->objective_hash, delegated->objective_hash);
    EXPECT_EQ(delegated->words_hash, "");
}

TEST(Claim, X6_G3_AnotherTaskIsNotAnotherDelegationUnlessNothingElseDiffers) {
    const auto hash = taskwire_hash(R"({"task_id":"t-1","action":"sort","list":[3,1]})");
    EXPECT_EQ(taskwire_hash(R"({"task_id":"t-2","action":"sort", "list":[3,1],"max_tokens":7})"),
              hash);
    EXPECT_NE(taskwire_hash(R"({"task_id":"t-1","action":"sort","list":[1,3]})"), hash);
    EXPECT_NE(taskwire_hash(R"({"task_id":"t-1","action":"add","list":[3,1]})"), hash);
    const auto with_input =
        taskwire_hash(R"({"task_id":"t","action":"sort","input":{"task_id":1}})");
    EXPECT_NE(taskwire_hash(R"({"task_id":"t","action":"sort","input":{"task_id":2}})"), with_input)
        << "inside of the input it is the asker's own word";
    EXPECT_NE(taskwire_hash(R"({"task_id":"t-1","action":"sort"})"),
              taskwire_hash(R"({"task_id":"t-2","action":"sort"})"))
        << "nothing else says what it is about";
}

TEST(Claim, X6_G3_ABareActionIsComparedByItsWords) {
    const auto claimed = [](std::string_view payload) {
        return claim_in(R"({"id":"m","from":"a","to":"b","type":"TASK_ASSIGNMENT","payload":)" +
                            std::string{payload} + "}",
                        Dialect::Taskwire);
    };
    const auto bare = claimed(R"({"action":" SORT"})");
    EXPECT_EQ(bare->objective_hash, bare->words_hash);
    const auto of_task = claimed(R"({"task_id":"t-1","action":"sort","user_id":"u"})");
    EXPECT_EQ(of_task->words_hash, bare->words_hash);
    EXPECT_TRUE(of_task->objective_hash.starts_with(bare->words_hash));
    EXPECT_NE(of_task->objective_hash, bare->objective_hash);
    const auto more = claimed(R"({"task_id":"t-1","action":"sort","list":[3,1]})");
    EXPECT_FALSE(more->objective_hash.starts_with(more->words_hash));
    const auto nothing = claimed(R"({"task_id":"t-1"})");
    EXPECT_EQ(nothing->words_hash, "");
    EXPECT_NE(nothing->objective_hash, claimed(R"({"task_id":"t-2"})")->objective_hash);
    const auto delegated = claim_in(
        R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","origin_employee":"a",)"
        R"("target_employee":"b","user_id":"u","parent_session_id":"s","objective":"Sort",)"
        R"("input":"i"})",
        Dialect::Delegation);
    EXPECT_EQ(bare->objective_hash, delegated->objective_hash);
}

ClaimPtr delegation_with(std::string_view more) {
    return claim_in(R"({"request_id":"550e8400-e29b-41d4-a716-446655440000",)"
                    R"("origin_employee":"a","target_employee":"b","user_id":"u",)"
                    R"("parent_session_id":"s","objective":"read","input":"it")" +
                        std::string{more} + "}",
                    Dialect::Delegation);
}

TEST(Claim, X14_I4_AnEmptyToolListIsALimit) {
    const auto limits_tools = [](std::string_view more) {
        return delegation_with(more)->limits_tools;
    };
    EXPECT_FALSE(limits_tools(""));
    EXPECT_TRUE(limits_tools(R"(,"tools":[])"));
    EXPECT_TRUE(limits_tools(R"(,"tools":["ocr"])"));
}

TEST(Claim, G7_AToolThatIsNamedTwiceIsKeptOnce) {
    const auto claim = delegation_with(R"(,"tools":["ocr","sum","ocr"])");
    EXPECT_EQ(claim->tools, (Words{"ocr", "sum"}));
}

std::uint64_t estimate_of(std::string_view more) {
    return claim_in(R"({"request_id":"550e8400-e29b-41d4-a716-446655440000","origin_employee":"a",)"
                    R"("target_employee":"b","user_id":"u","parent_session_id":"s",)"
                    R"("objective":"read","input":"it")" +
                        std::string{more} + "}",
                    Dialect::Delegation)
        ->tokens_estimated;
}

TEST(Claim, X8_AllContentForTheTargetCountsTowardsTheEstimate) {
    // "read" and "it", quotes included, are ten bytes, and four bytes are a token.
    EXPECT_EQ(estimate_of(""), 3U);
    EXPECT_EQ(estimate_of(R"(,"priority":"high","created_at":"2025-11-23T10:00:00Z")"), 3U);
    EXPECT_EQ(estimate_of(R"(,"constraints":{"max_tokens":1000},"current_depth":0)"), 3U);
    const std::string text = '"' + std::string(398, 'x') + '"';
    EXPECT_EQ(estimate_of(R"(,"handoff_data":{"facts":[)" + text + "]}"), 103U) << "402 more";
    EXPECT_EQ(estimate_of(R"(,"handoff_data":{"intermediate_results":)" + text + "}"), 103U);
    EXPECT_EQ(estimate_of(R"(,"context_hints":[)" + text + "]"), 103U);
    EXPECT_EQ(estimate_of(R"(,"tools":[)" + text + "]"), 103U);
}

TEST(Claim, X8_UnknownMembersCountTowardsTheEstimate) {
    const std::string text = '"' + std::string(398, 'x') + '"';
    EXPECT_EQ(estimate_of(R"(,"note":)" + text), 104U) << "404 more";
    EXPECT_EQ(estimate_of(R"(,"handoff_data":{"note":)" + text + "}"), 104U);
    EXPECT_EQ(estimate_of(R"(,"constraints":{"note":)" + text + "}"), 104U);
    EXPECT_EQ(estimate_of(R"(,")" + std::string(400, 'k') + R"(":1)"), 103U) << "401 more";
    EXPECT_EQ(estimate_of(R"(,"not\u0065":)" + text), 104U) << "a name written in escapes";
}

TEST(Claim, X8_OverlongBookkeepingFieldsCountTowardsTheEstimate) {
    const auto estimate = [](std::size_t bytes) {
        return claim_in(R"({"request_id":"550e8400-e29b-41d4-a716-446655440000",)"
                        R"("origin_employee":"a","target_employee":"b","parent_session_id":"s",)"
                        R"("objective":"read","input":"it","user_id":")" +
                            std::string(bytes, 'u') + "\"}",
                        Dialect::Delegation)
            ->tokens_estimated;
    };
    EXPECT_EQ(estimate(128), 3U);
    EXPECT_EQ(estimate(129), 36U) << "131 more, quotes included";
}

}  // namespace
}  // namespace parlance::dialects
