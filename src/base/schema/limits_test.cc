// Any schema and any instance, however large or hostile, gets an answer soon.
#include <chrono>

#include "base/schema/testing/cases.h"

namespace parlance::schema {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;
const std::string kTooLong =
    "takes too long to be held against the schema, or leads too deep into it";

std::string repeated(std::string_view piece, std::size_t bytes) {
    std::string out;
    while (out.size() < bytes) out += piece;
    return out;
}

std::string list_of(std::string_view item, std::size_t bytes) {
    return "[" + repeated(std::string{item} + ",", bytes) + std::string{item} + "]";
}

/// All numbers are different.
std::string list_of_numbers(std::size_t bytes) {
    std::string out = "[";
    for (int i = 0; out.size() < bytes; ++i) out += std::to_string(i) + ",";
    return out + "-1]";
}

std::string object_of(std::string_view value, std::size_t bytes) {
    std::string out = "{";
    for (int i = 0; out.size() < bytes; ++i) {
        out += "\"k" + std::to_string(i) + "\":" + std::string{value} + ",";
    }
    return out + "\"last\":0}";
}

/// Unbounded work would take hours here. In the optimised build a check takes at most about 50 ms
/// (bench/hostile); sanitizers on a busy machine may be a hundred times slower.
constexpr std::chrono::seconds kPatience{60};

void expect_soon(const std::string& schema, const std::string& instance) {
    const auto start = std::chrono::steady_clock::now();
    violations(schema, instance);
    const auto took = std::chrono::steady_clock::now() - start;
    EXPECT_LT(took, kPatience) << schema.substr(0, 200);
}

TEST(Limits, LetTheLargestOrdinaryInstanceThrough) {
    hold(
        {{R"({"items":{"type":"integer"},"uniqueItems":true})", {list_of_numbers(kMiB / 2)}},
         {R"({"items":{"type":"integer","minimum":0}})", {list_of("7", kMiB)}},
         {R"({"additionalProperties":{"type":"integer"},"propertyNames":{"pattern":"^[a-z0-9]+$"}})",
          {object_of("7", kMiB / 2)}},
         {R"({"pattern":"^[a-z]+$","maxLength":9999999})", {"\"" + repeated("a", kMiB) + "\""}}});
}

TEST(Limits, AnswerSoonForAnySchemaAndInstance) {
    const auto many = [](std::string_view keyword, std::string_view each) {
        return "{\"" + std::string{keyword} + "\":" + list_of(each, 100'000) + "}";
    };
    expect_soon(many("allOf", R"({"items":{"type":"number"}})"), list_of("1", kMiB));
    expect_soon(many("anyOf", R"({"items":{"type":"string"}})"), list_of("1", kMiB));
    expect_soon(many("oneOf", R"({"minLength":9999999})"), "\"" + repeated("é", kMiB) + "\"");
    expect_soon(many("allOf", R"({"const":[1]})"), list_of("{\"a\":[1]}", kMiB));
    expect_soon(many("allOf", R"({"uniqueItems":true})"), list_of_numbers(kMiB));
    expect_soon(many("allOf", R"({"unevaluatedItems":{"type":"number"}})"), list_of("1", kMiB));
    expect_soon(many("allOf", R"({"maximum":1e9})"), repeated("9", kMiB));
    expect_soon(many("allOf", R"({"multipleOf":0.999999999999999999})"), repeated("9", kMiB));
    expect_soon(R"({"uniqueItems":true})", list_of("{\"a\":1}", kMiB));
    expect_soon(R"({"items":{"format":"regex"}})", list_of(R"("(((a{30}){30}){9}b|c)*")", kMiB));
    expect_soon(R"({"items":{"format":"uri"}})", list_of(R"("http://a:b@c/d?e#f")", kMiB));
    expect_soon(R"({"items":{"pattern":"(a|b)*a(a|b){25}c"}})",
                list_of(R"("aababbabaaababbbabab")", kMiB));
    expect_soon(R"({"pattern":"(a|b)*a(a|b){25}c"})", "\"" + repeated("ab", kMiB) + "\"");
    expect_soon(R"({"pattern":"^(\\p{L}|[ab]*a[ab]{20})+$"})", "\"" + repeated("aab", kMiB) + "\"");
    expect_soon(R"({"patternProperties":{"(x+x+)+y":true,"(k|1)*k(k|1){12}":true}})",
                object_of("1", kMiB));
    expect_soon(R"({"propertyNames":{"pattern":"(x+x+)+y"}})",
                "{\"" + repeated("x", kMiB) + "\":1}");
}

TEST(Limits, ReportManyFlawsSoon) {
    const std::string words = list_of(R"("")", 120'000);
    const std::string before =
        R"({"properties":{")" + repeated("n", std::size_t{128} << 10U) + R"(":{)";
    for (const auto& schema : {before + R"("type":)" + words + "}}}",
                               before + R"("allOf":)" + list_of("1", 120'000) + "}}}",
                               R"({"type":)" + words + "}"}) {
        ASSERT_LE(schema.size(), kSchemaBytesMax);
        const auto start = std::chrono::steady_clock::now();
        EXPECT_FALSE(flaws_of(schema).empty());
        // Takes milliseconds, unless the whole pointer is built for each flaw.
        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{2});
    }
}

TEST(Limits, StopAReferenceThatGrowsExponentially) {
    // Each schema refers to the next schema twice: 2^40 evaluations.
    std::string schema = R"({"$ref":"#/$defs/d0","$defs":{)";
    for (int i = 0; i < 40; ++i) {
        const auto next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"}";
        schema += "\"d" + std::to_string(i) + "\":{\"allOf\":[" + next + "," + next + "]},";
    }
    schema += R"("d40":{"type":"null"}}})";
    EXPECT_EQ(violations(schema, "null").front().rule, kTooLong);
}

TEST(Limits, CountTheDigitsOfANumberAndDependentMembers) {
    // Checking whether a long number is whole, five thousand times.
    EXPECT_EQ(violations("{\"allOf\":" + list_of(R"({"type":"integer"})", 100'000) + "}",
                         "1." + std::string(kMiB, '5'))
                  .back()
                  .rule,
              kTooLong);
    std::string dependents = R"({"items":{"dependentRequired":{)";
    for (int i = 0; i < 20'000; ++i) dependents += "\"k" + std::to_string(i) + "\":[],";
    dependents += R"("last":[]}}})";
    EXPECT_EQ(violations(dependents, list_of("{}", kMiB)).back().rule, kTooLong);
}

TEST(Limits, StopADynamicReferenceThatNeverGoesDeeper) {
    EXPECT_EQ(violations(R"({"$dynamicAnchor":"a","$dynamicRef":"#a"})", "1").front().rule,
              kTooLong);
    // Also where `not` would turn the failure into a success.
    EXPECT_EQ(violations(R"({"not":{"$dynamicAnchor":"a","$dynamicRef":"#a"}})", "1").front().rule,
              kTooLong);
}

TEST(Limits, LetTheDeepestInstanceThrough) {
    const std::string schema =
        R"({"$defs":{"n":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/list"}]},
                     "list":{"type":"array","items":{"$ref":"#/$defs/n"}}},"$ref":"#/$defs/n"})";
    hold({{schema,
           {std::string(64, '[') + std::string(64, ']')},
           {std::string(63, '[') + "1" + std::string(63, ']')}}});
}

TEST(Limits, BoundASchemasSizeDepthAndPatterns) {
    EXPECT_EQ(flaw_of("{\"title\":\"" + repeated("x", kSchemaBytesMax) + "\"}"),
              ": is a schema of more than 262144 bytes");
    const std::string deep = repeated("{\"not\":", 65 * 7);
    EXPECT_NE(flaw_of(deep + "{}" + std::string(65, '}')).find("nested too deeply"),
              std::string::npos);
    EXPECT_NE(
        flaw_of("{\"allOf\":" + list_of("true", 60'000) + "}").find("more than 10000 schemas"),
        std::string::npos);
    EXPECT_NE(flaw_of("{\"allOf\":" + list_of(R"({"pattern":"[a-z]{1,500}"})", 200'000) + "}")
                  .find("together with the other patterns"),
              std::string::npos);
    std::string patterns = R"({"patternProperties":{)";
    for (int i = 0; i < 101; ++i) patterns += "\"^k" + std::to_string(i) + "\":true,";
    EXPECT_NE(flaw_of(patterns + R"("^last":true}})").find("more than 100 patterns"),
              std::string::npos);
    EXPECT_NE(flaw_of(R"({"$id":"http://a/)" + repeated("b", 3000) + "\"}").find("2048 bytes"),
              std::string::npos);
    EXPECT_NE(flaw_of("{\"pattern\":\"" + repeated("a", 5000) + "\"}").find("bytes of pattern"),
              std::string::npos);
}

TEST(Limits, KeepReportsReadable) {
    const auto all = violations(R"({"items":false})", list_of("1", 10'000));
    // 10,000 bytes of "1," and one more item are 5,001 items, each a violation.
    ASSERT_EQ(all.size(), kViolationsMax + 1);
    EXPECT_EQ(all.back().rule, "has 4937 more violations, not listed here");
    const auto one =
        violations(R"({"additionalProperties":{"type":"null"}})",
                   "{\"" + repeated("k", 100'000) + "\":\"" + repeated("v", 9000) + "\"}");
    EXPECT_LT(one.front().pointer.size(), 1100U);
    EXPECT_LT(one.front().value.size(), 100U);
    const auto limit = violations("{\"minimum\":" + repeated("9", 10'000) + "}", "1");
    EXPECT_LT(limit.front().rule.size(), 200U);
}

}  // namespace
}  // namespace parlance::schema
