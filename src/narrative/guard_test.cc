#include "narrative/guard.h"

#include <gtest/gtest.h>

#include "model/refusal.h"
#include "narrative/aggregate.h"
#include "narrative/reasons.h"

namespace parlance::narrative {
namespace {

std::vector<Internal> our_names() {
    std::vector<Internal> internals{{"ANL", "our team"},
                                    {"AUD", "our team"},
                                    {"ORC", "our team"},
                                    {"IT", "our team"},
                                    {"byte", "our team"},
                                    {"ANL_NPV", "the present value"},
                                    {"tag-ai", "the tagging"}};
    longest_first(internals);
    return internals;
}
std::string told(std::string_view text) { return discreet(text, our_names()); }
std::string told_json(std::string_view text) {
    return discreet_json(json::root(text), our_names());
}

TEST(Guard, K11_InternalNamesAreRemovedFromProse) {
    EXPECT_EQ(told("Routing to ANL for ANL_NPV."), "Asking our team for the present value.");
    EXPECT_EQ(told("It was delegated to tag-ai"), "It was seen to by the tagging");
    EXPECT_EQ(told("I delegated this to the ANL agent"), "I asked our team");
    EXPECT_EQ(told("anl says hello"), "our team says hello");
    EXPECT_EQ(told("The ANL-agent and AUD's result"), "our team and our team's result");
    EXPECT_EQ(told("done by ANL via anl_npv, routed by ORC"),
              "done by our team via the present value, seen to by our team");
    EXPECT_EQ(told("forwarded to capability ANL_NPV"), "seen to by the present value");
}

TEST(Guard, K11_WordsThatOnlyResembleANameStay) {
    EXPECT_EQ(told("CHANLON is a name."), "CHANLON is a name.");
    EXPECT_EQ(told("Is it a byte?"), "Is it a byte?");
    EXPECT_EQ(told("an annual AUD 500, or 480 AUD"), "an annual AUD 500, or 480 AUD");
}

TEST(Guard, K11_JsonDataStaysAndJsonProseIsGuarded) {
    EXPECT_EQ(told_json(R"({"currency":"AUD","amount":500,"AUD":["AUD",1.50]})"),
              R"({"currency":"AUD","amount":500,"AUD":["AUD",1.50]})");
    EXPECT_EQ(told_json(R"({"by":"ANL via ORC","text":"ANL"})"),
              R"({"by":"our team via our team","text":"our team"})");
    EXPECT_EQ(told_json(R"({"price":"AUD 500"})"), R"({"price":"AUD 500"})");
}

TEST(Guard, K11_AnAnswerAndItsComponentsAreGuardedAlike) {
    const auto all =
        aggregate({{.label = "Price", .output = R"({"currency":"AUD","by":"ask ORC"})"}},
                  {.internals = our_names()});
    EXPECT_EQ(all.answer, "Price: currency: AUD; by: ask our team");
    EXPECT_EQ(all.components,
              R"([{"label":"Price","content":{"currency":"AUD","by":"ask our team"}}])");
}

TEST(Reasons, K11_EveryRefusalHasWordsForUsersWithoutACodeInThem) {
    for (const auto& row : kRefusals) {
        const auto words = reason_for(row.code);
        EXPECT_FALSE(words.empty()) << row.code;
        EXPECT_EQ(words.find_first_of("_'{}"), std::string_view::npos) << words;
        EXPECT_EQ(words.find("agent"), std::string_view::npos) << words;
    }
    EXPECT_EQ(reason_for("NO_SUCH_TAX_ID", "Tax ID format is invalid"), "Tax ID format is invalid");
    EXPECT_EQ(reason_for("NO_SUCH_TAX_ID", "X_TAX: handler failed at /v1/x"),
              "it did not work out");
    EXPECT_EQ(reason_for("REQUEST_TIMED_OUT", "Delegation timeout after 300 ms"),
              "it took too long");
    EXPECT_EQ(reason_for("AGENT_CIRCUIT_OPEN"),
              "it is not working at the moment; please try again later");
}

}  // namespace
}  // namespace parlance::narrative
