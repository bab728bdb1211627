#include "dialects/kessel/block.h"

#include "dialects/dialect_row.h"
#include "dialects/same.h"
#include "dialects/testing/generate.h"
#include "dialects/testing/reading.h"

namespace parlance::dialects {
namespace {

using kessel::block_to_json;
using kessel::json_to_block;
using testing::at;

std::string json_of(std::string_view block) {
    const auto json = block_to_json(block);
    EXPECT_TRUE(json) << (json ? "" : json.error().message) << "\n" << block;
    return json.value_or("{}");
}

std::string why_not(std::string_view block) {
    const auto json = block_to_json(block);
    EXPECT_FALSE(json) << block;
    return json ? std::string{} : json.error().message;
}

TEST(KesselBlock, K7_ReadsTheRequestThatTheContractPrints) {
    const std::string json = json_of(R"(---
REQUEST

source_agent: CST
target_agent: ANL
capability_code: ANL_NPV
request_id: sess-789-20250118-143022
priority: NORMAL
timeout_ms: 15000
inputs_json: {
  cash_flows: [-100000, 25000, 35000, 45000, 55000],
  discount_rate: 0.12,
  periods: annual
}
context: {
  session_id: sess-789,
  user_id: user-456,
  engagement_type: business_case
}
---
)");
    EXPECT_EQ(json,
              R"({"source_agent":"CST","target_agent":"ANL","capability_code":"ANL_NPV",)"
              R"("request_id":"sess-789-20250118-143022","priority":"NORMAL","timeout_ms":15000,)"
              R"("inputs_json":{"cash_flows":[-100000,25000,35000,45000,55000],)"
              R"("discount_rate":0.12,"periods":"annual"},"context":{"session_id":"sess-789",)"
              R"("user_id":"user-456","engagement_type":"business_case"}})");
    EXPECT_EQ(testing::read(json).timeout, Duration{15000});
}

TEST(KesselBlock, K7_ReadsTheResponsesThatTheContractPrints) {
    const std::string partial = json_of(R"(---
RESPONSE

request_id: sess-789-20250118-143044
status: PARTIAL
confidence_level: MEDIUM
result_json: {
  market_size: 4200000000,
  growth_rate: 0.15,
  top_competitors: [Competitor A, Competitor B, Competitor C],
  market_share: null
}
warnings: [
  Market share data unavailable from primary source,
  Growth rate based on 2023 data
]
---)");
    EXPECT_EQ(at(partial, {"result_json", "top_competitors"}),
              R"(["Competitor A","Competitor B","Competitor C"])");
    EXPECT_EQ(at(partial, {"result_json", "market_share"}), "null");
    EXPECT_EQ(at(partial, {"warnings"}),
              R"(["Market share data unavailable from primary source",)"
              R"("Growth rate based on 2023 data"])");
    testing::read(partial);

    const std::string error = json_of(R"(---
RESPONSE

request_id: sess-789-20250118-143105
status: ERROR
error_code: INPUT_VALIDATION_FAILED
error_message: Cash flows array must contain at least two values (initial investment and one return period)
result_json: null
---
)");
    EXPECT_EQ(at(error, {"error_message"}),
              R"x("Cash flows array must contain at least two values (initial investment and one )x"
              R"x(return period)")x");
    testing::read(error);
}

TEST(KesselBlock, K7_K10_K12_ReadsTheHandoffAndTheIntentThatTheContractPrints) {
    const std::string handoff = json_of(R"(---
HANDOFF CONTEXT

session_id: sess-789
original_request: Help me build a business case for market entry
workflow_position: Step 3 of 5 (Financial Analysis)
prior_agents: [ORC, CST]
prior_outputs: {
  cst_framework: market_entry_assessment,
  cst_scenarios: [conservative, base, aggressive]
}
constraints: {
  budget_range: [1000000, 5000000],
  timeline: 18_months,
  risk_tolerance: moderate
}
---
)");
    EXPECT_EQ(check_object(Dialect::Kessel, "HANDOFF CONTEXT", handoff).size(), 0U);
    EXPECT_EQ(at(handoff, {"constraints", "timeline"}), R"("18_months")");
    EXPECT_EQ(at(handoff, {"constraints", "budget_range"}), "[1000000,5000000]");

    const std::string intent = json_of(R"(---
INTENT CLASSIFICATION

primary_intent: financial_projection
intent_confidence: 0.85
target_agent: ANL
target_capability: ANL_PROJECTION
secondary_intents: [document_generation]
secondary_targets: [{agent: DOC, capability: DOC_GENERATE}]
---
)");
    EXPECT_EQ(check_object(Dialect::Kessel, "INTENT CLASSIFICATION", intent).size(), 0U);
    EXPECT_EQ(at(intent, {"secondary_targets"}),
              R"([{"agent":"DOC","capability":"DOC_GENERATE"}])");
}

TEST(KesselBlock, K7_KeepsTextThatLooksLikeAnotherType) {
    const std::string json = json_of(R"(---
RESPONSE
request_id: sess-1-20250118-143022
status: ERROR
error_code: HTTP_404
error_message: 404
metadata: {a: "1, 2: {3}", "b c": true, d: [], e: {}, f: [1, "x",], g: -1.50e3, h: 007}
---)");
    EXPECT_EQ(at(json, {"error_message"}), R"("404")");
    EXPECT_EQ(at(json, {"metadata"}),
              R"({"a":"1, 2: {3}","b c":true,"d":[],"e":{},"f":[1,"x"],"g":-1.50e3,"h":"007"})");
}

// In a text field a line is text, whatever its beginning.
TEST(KesselBlock, K7_KeepsTextThatBeginsLikeAListAnObjectOrAString) {
    const std::pair<const char*, const char*> cases[] = {
        {"[Draft 2] help me", R"("[Draft 2] help me")"},
        {"{name}, please", R"("{name}, please")"},
        {R"("Help" is what I said)", R"("\"Help\" is what I said")"},
        {R"("unclosed)", R"("\"unclosed")"},
        {"[Draft 2]", R"("[Draft 2]")"},
        {R"("in quotes, \u0041")", R"("in quotes, \u0041")"},
        {"null", "null"},
    };
    for (const auto& [line, value] : cases) {
        const std::string json = json_of(std::string{"---\nHANDOFF CONTEXT\nsession_id: s-1\n"} +
                                         "original_request: " + line + "\nuser_id: u-1\n---");
        EXPECT_EQ(at(json, {"original_request"}), value);
        EXPECT_EQ(at(json, {"user_id"}), R"("u-1")");
    }
}

TEST(KesselBlock, K7_ReportsErrorsInABlock) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "begin with '---'"},
        {"REQUEST\na: 1\n---", "begin with '---'"},
        {"---\nQUESTION\n---", "not 'QUESTION'"},
        {"---\n", "heading"},
        {"---\nREQUEST\na: 1\n", "must end with '---'"},
        {"---\nREQUEST\nno colon here\n---", "a name, a colon and a value"},
        {"---\nREQUEST\na: {b: 1\n---", "a comma is missing"},
        {"---\nREQUEST\na: {b 1}\n---", "a colon is missing"},
        {"---\nREQUEST\na: [1 2\n3]\n---", "a comma is missing"},
        {"---\nREQUEST\na: {b: }\n---", "a value is missing"},
        {"---\nREQUEST\na: [1] 2\n---", "must end its line"},
        {"---\nREQUEST\na: \"x\n---", "a quote is not closed"},
        {"---\nREQUEST\na: 1\na: 2\n---", "a"},
        {"---\nREQUEST\na: 1\n---\nmore", "nothing may follow"},
        {"---\nREQUEST\nstatus: SUCCESS\n---", "headed REQUEST"},
    };
    for (const auto& [block, why] : cases) {
        EXPECT_NE(why_not(block).find(why), std::string::npos) << block << ": " << why_not(block);
    }
}

TEST(KesselBlock, K7_WrittenBlocksReadBackAsTheSameMessage) {
    testing::Generator generator{11};
    const DialectRow& row = *row_of(Dialect::Kessel);
    for (int i = 0; i < 2000; ++i) {
        const Form& form = row.forms->all[static_cast<std::size_t>(i) % row.forms->all.size()];
        const std::string message = generator.message(form, *row.forms);
        const auto block = json_to_block(message);
        ASSERT_TRUE(block) << message << block.error().message;
        const auto back = block_to_json(*block);
        ASSERT_TRUE(back) << *block << back.error().message;
        ASSERT_TRUE(is_same(json::root(*back), json::root(message))) << message << "\n"
                                                                     << *block << "\n"
                                                                     << *back;
    }
}

TEST(KesselBlock, K7_IsReadInLinearTime) {
    std::string wide = "---\nREQUEST\ninputs_json: {";
    for (int i = 0; wide.size() < (std::size_t{1} << 20U); ++i) {
        wide += "k" + std::to_string(i) + ": v, ";
    }
    EXPECT_TRUE(block_to_json(wide + "}\n---"));
    std::string deep = "---\nREQUEST\ninputs_json: ";
    EXPECT_NE(why_not(deep + std::string(std::size_t{1} << 20U, '[')).find("too deep"),
              std::string::npos);
    EXPECT_FALSE(kessel::is_block("{}"));
    EXPECT_TRUE(kessel::is_block("\n---\nREQUEST"));
}

}  // namespace
}  // namespace parlance::dialects
