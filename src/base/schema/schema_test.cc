// Instances that keep and instances that break each keyword, following "core" and "validation" of
// draft 2020-12.
#include "base/schema/schema.h"

#include "base/schema/testing/cases.h"

namespace parlance::schema {
namespace {

TEST(Schema, CanBeTrueOrFalse) {
    hold({{"true", {"null", "[1]"}}, {"false", {}, {"null", "{}"}}, {"{}", {"1", "\"x\"", "{}"}}});
}

TEST(Schema, HoldsAValueToItsType) {
    hold({{R"({"type":"null"})", {"null"}, {"0", "false", "\"\""}},
          {R"({"type":"boolean"})", {"true", "false"}, {"0", "null", "\"true\""}},
          {R"({"type":"object"})", {"{}"}, {"[]", "null"}},
          {R"({"type":"array"})", {"[]"}, {"{}", "\"[]\""}},
          {R"({"type":"string"})", {"\"\"", "\"1\""}, {"1", "null"}},
          {R"({"type":"number"})", {"1", "-2.5", "1e999"}, {"\"1\"", "true"}},
          // A number without a fraction is an integer, however written.
          {R"({"type":"integer"})",
           {"1", "1.0", "-3e2", "1e400", "123456789012345678901234567890"},
           {"1.5", "1e-1", "\"1\""}},
          {R"({"type":["integer","null"]})", {"3", "null"}, {"3.5", "\"3\""}}});
}

TEST(Schema, HoldsAValueToAnEnumeration) {
    hold({{R"({"enum":[1,"a",null,[true],{"x":1,"y":[2]}]})",
           {"1", "1.0", "10e-1", "\"a\"", R"("\u0061")", "null", "[true]", R"({"y":[2.0],"x":1})"},
           {"\"1\"", "2", "false", "[]", "[true,true]", R"({"x":1})"}},
          {R"({"enum":[]})", {}, {"1", "null"}},
          {R"({"const":{"a":[1,2]}})", {R"({"a":[1,2.00]})"}, {R"({"a":[2,1]})", "{}"}},
          {R"({"const":false})", {"false"}, {"0", "null", "[false]"}},
          {R"({"const":0})", {"0", "-0.0", "0e5"}, {"false", "\"\"", "1e-400"}},
          {R"({"const":9007199254740993})", {"9007199254740993"}, {"9007199254740992"}}});
}

TEST(Schema, HoldsANumberToItsLimits) {
    hold({{R"({"maximum":3})", {"3", "3.0", "-9", "\"x\""}, {"3.0000001", "1e400"}},
          {R"({"minimum":-1.5})", {"-1.5", "0"}, {"-1.50001", "-1e400"}},
          {R"({"exclusiveMaximum":3})", {"2.999"}, {"3", "3.0", "4"}},
          {R"({"exclusiveMinimum":0})", {"1e-400"}, {"0", "-0", "-1"}},
          {R"({"multipleOf":0.01})", {"19.99", "0", "-7", "1e300"}, {"0.001", "19.995"}},
          {R"({"multipleOf":7})", {"14.0", "-21"}, {"15", "0.7"}},
          {R"({"maximum":9007199254740992})", {"9007199254740992"}, {"9007199254740993"}}});
}

TEST(Schema, HoldsAStringToItsLengthInCodePoints) {
    hold({{R"({"maxLength":2})",
           {"\"\"", "\"éé\"", "\"😀😀\"", R"("\ud83d\ude00a")", "123"},
           {"\"abc\""}},
          {R"({"minLength":2})", {"\"ab\"", "[]"}, {"\"a\"", "\"😀\"", "\"\""}},
          {R"({"maxLength":2.0})", {"\"ab\""}, {"\"abc\""}}});
}

TEST(Schema, FindsAPatternAnywhereInAString) {
    hold({{R"({"pattern":"b+"})", {"\"abc\"", "7"}, {"\"ac\""}},
          {R"({"pattern":"^[A-Z]{2}\\d$"})", {"\"AB1\""}, {"\"AB12\"", R"("AB1\n")"}},
          {R"({"pattern":"^\\u00e9\\uD83D\\uDE00$"})", {"\"é😀\""}, {"\"e\""}},
          {R"({"pattern":"^(?<year>\\d{4})$"})", {"\"2025\""}, {"\"25\""}},
          {R"({"pattern":"^\\p{L}+$"})", {"\"Grüße\""}, {"\"a1\""}},
          {R"({"pattern":"^.$"})", {"\"é\"", "\"😀\""}, {"\"ab\""}}});
}

TEST(Schema, HoldsAnArrayToItsItems) {
    hold({{R"({"items":{"type":"integer"}})", {"[]", "[1,2]", "{\"0\":\"x\"}"}, {"[1,\"2\"]"}},
          {R"({"prefixItems":[{"type":"string"},{"type":"integer"}]})",
           {"[]", "[\"a\"]", "[\"a\",1,null]"},
           {"[1]", "[\"a\",\"b\"]"}},
          {R"({"prefixItems":[true],"items":false})", {"[]", "[1]"}, {"[1,2]"}},
          {R"({"maxItems":2})", {"[1,2]", "\"abc\""}, {"[1,2,3]"}},
          {R"({"minItems":1})", {"[null]"}, {"[]"}},
          {R"({"contains":{"const":5}})", {"[1,5]", "{}"}, {"[]", "[1,2]"}},
          {R"({"contains":{"const":5},"minContains":2})", {"[5,1,5]"}, {"[5]", "[]"}},
          {R"({"contains":{"const":5},"minContains":0})", {"[]", "[1]", "[5]"}},
          {R"({"contains":{"const":5},"maxContains":1})", {"[5,1]"}, {"[5,5]", "[1]"}},
          {R"({"minContains":2,"maxContains":1})", {"[]", "[1,2,3]"}}});  // No "contains".
}

TEST(Schema, HoldsAnArrayToDifferentItems) {
    hold({{R"({"uniqueItems":true})",
           {"[]",
            "[1,2]",
            R"([1,"1",[1],{"a":1},true,null,false,0])",
            "[[1,2],[2,1]]",
            "[{\"a\":1},{\"b\":1}]"},
           {"[1,1.0]",
            "[\"a\",\"b\",\"\\u0061\"]",
            "[[1],[1.0]]",
            R"([{"a":1,"b":[2]},{"b":[2],"a":1}])",
            "[null,1,null]"}},
          {R"({"uniqueItems":false})", {"[1,1]"}}});
}

TEST(Schema, HoldsAnObjectToItsMembers) {
    hold(
        {{R"({"properties":{"a":{"type":"string"},"b":false}})",
          {"{}", R"({"a":"x","c":1})", "[]"},
          {R"({"a":1})", R"({"b":null})"}},
         {R"({"properties":{"é":{"const":1}}})", {R"({"\u00e9":1})"}, {R"({"\u00e9":2})"}},
         {R"({"patternProperties":{"^x-":{"type":"integer"},"y$":{"minimum":3}}})",
          {R"({"x-a":1,"b":"c"})", R"({"x-y":3})"},
          {R"({"x-a":"1"})", R"({"x-y":2})", R"({"my":1})"}},
         {R"({"properties":{"a":true},"patternProperties":{"^b":true},"additionalProperties":{"type":"null"}})",
          {R"({"a":1,"bb":2,"c":null})"},
          {R"({"c":1})"}},
         {R"({"additionalProperties":false})", {"{}", "[1]"}, {R"({"a":1})"}},
         // additionalProperties considers only sibling keywords.
         {R"({"allOf":[{"properties":{"a":true}}],"additionalProperties":false})",
          {},
          {R"({"a":1})"}},
         {R"({"propertyNames":{"maxLength":2}})", {R"({"ab":1})"}, {R"({"abc":1})"}},
         {R"({"propertyNames":false})", {"{}"}, {R"({"a":1})"}},
         {R"({"maxProperties":1})", {R"({"a":1})"}, {R"({"a":1,"b":2})"}},
         {R"({"minProperties":1})", {R"({"a":1})", "[]"}, {"{}"}}});
}

TEST(Schema, HoldsAnObjectToItsRequiredMembers) {
    hold({{R"({"required":["a","b"]})",
           {R"({"b":null,"a":1})", "[]", "\"a\""},
           {R"({"a":1})", "{}"}},
          {R"({"required":[]})", {"{}"}},
          {R"({"dependentRequired":{"card":["address","name"]}})",
           {"{}", R"({"name":1})", R"({"card":1,"address":2,"name":3})"},
           {R"({"card":1,"name":2})"}},
          {R"({"dependentSchemas":{"card":{"required":["address"],"maxProperties":2}}})",
           {"{}", R"({"card":1,"address":2})", R"({"a":1,"b":2,"c":3})"},
           {R"({"card":1})", R"({"card":1,"address":2,"more":3})"}}});
}

TEST(Schema, AppliesOtherSchemasToTheSameValue) {
    hold({{R"({"allOf":[{"minimum":1},{"maximum":3}]})", {"2"}, {"0", "4"}},
          {R"({"anyOf":[{"type":"string"},{"minimum":3}]})", {"\"a\"", "3", "null"}, {"2"}},
          {R"({"oneOf":[{"multipleOf":2},{"multipleOf":3}]})", {"2", "9"}, {"6", "5"}},
          {R"({"not":{"type":["string","null"]}})", {"1", "[]"}, {"\"\"", "null"}},
          {R"({"not":{"not":{"type":"string"}}})", {"\"\""}, {"1"}},
          {R"({"if":{"type":"integer"},"then":{"minimum":3},"else":{"type":"string"}})",
           {"3", "\"a\""},
           {"2", "1.5", "null"}},
          {R"({"if":{"const":1}})", {"1", "2"}},
          {R"({"then":false,"else":false})", {"1"}},  // "then" and "else" need "if".
          {R"({"if":false,"else":{"const":7}})", {"7"}, {"8"}}});
}

TEST(Schema, ReportsAllViolationsAtOnce) {
    const char* const schema = R"({"type":"object","required":["rate","name"],
        "properties":{"rate":{"type":"number","maximum":1},
                      "flows":{"items":{"type":"number"},"minItems":3}},
        "additionalProperties":false})";
    EXPECT_EQ(told(schema, R"({"rate":2,"flows":[1,"x"],"a/b":0})"),
              "/rate: must be at most 1 (/properties/rate/maximum)\n"
              "/flows/1: must be number (/properties/flows/items/type)\n"
              "/flows: must have at least 3 items (/properties/flows/minItems)\n"
              "/a~1b: is not allowed here (/additionalProperties)\n"
              "/name: is missing; it is required (/required)\n");
    const auto first = violations(schema, R"({"rate":2,"name":1})").front();
    EXPECT_EQ(first.value, "2");
}

TEST(Schema, NamesTheViolatedRule) {
    const auto rule = [](const char* schema, const char* instance) {
        return violations(schema, instance).front().rule;
    };
    EXPECT_EQ(rule(R"({"minimum":0.05})", "0"), "must be at least 0.05");
    EXPECT_EQ(rule(R"({"minimum":-120.5})", "-200"), "must be at least -120.5");
    EXPECT_EQ(rule(R"({"maximum":1e30})", "1e31"), "must be at most 1e30");
    EXPECT_EQ(rule(R"({"multipleOf":20})", "7"), "must be a multiple of 20");
    EXPECT_EQ(rule(R"({"enum":["a","b"]})", "1"), R"(must be one of ["a","b"])");
    EXPECT_EQ(rule(R"({"const":[1]})", "1"), "must be [1]");
    EXPECT_EQ(rule(R"({"type":["string","null"]})", "1"), "must be null or string");
    EXPECT_EQ(rule(R"({"pattern":"^a"})", "\"b\""), "must match the pattern ^a");
    EXPECT_EQ(rule(R"({"uniqueItems":true})", "[1,2,1]"),
              "must have no two equal items; 0 and 2 are equal");
    EXPECT_EQ(rule(R"({"oneOf":[true,true,false]})", "1"),
              "must fit exactly one of 3 schemas, and fits several");
}

TEST(Schema, ReportsThePositionAndReasonOfAFlaw) {
    EXPECT_EQ(flaw_of("{"), ": JSON is wrong at byte 1: the text ends too early");
    EXPECT_EQ(flaw_of("[]"), ": must be a schema: an object, true or false");
    EXPECT_EQ(
        flaw_of(R"({"properties":{"a/b":{"type":"text"}}})"),
        "/properties/a~1b/type: must be null, boolean, object, array, number, string or integer");
    EXPECT_EQ(flaw_of(R"({"items":[true]})"), "/items: must be a schema: an object, true or false");
    EXPECT_EQ(flaw_of(R"({"allOf":[{},7]})"),
              "/allOf/1: must be a schema: an object, true or false");
    EXPECT_EQ(flaw_of(R"({"$schema":"http://json-schema.org/draft-07/schema#"})"),
              "/$schema: must be https://json-schema.org/draft/2020-12/schema: other drafts are "
              "not read");
    EXPECT_EQ(
        flaw_of(R"x({"pattern":"^(?=a)"})x"),
        "/pattern: has (?=: lookaround and backreferences cannot be matched in linear time and "
        "are not supported");
    EXPECT_EQ(flaw_of(R"x({"patternProperties":{"(a)\\1":true}})x"),
              "/patternProperties/(a)\\1: has \\1: lookaround and backreferences cannot be matched "
              "in linear time and are not supported");
    EXPECT_EQ(flaw_of(R"({"pattern":"["})"),
              "/pattern: is not a regular expression that can be used: missing ]: [");
    EXPECT_EQ(flaw_of(R"({"required":["a","a"]})"),
              "/required: must be a list of different strings");
    EXPECT_EQ(flaw_of(R"({"minLength":-1})"), "/minLength: must be a whole number from 0");
    EXPECT_EQ(flaw_of(R"({"multipleOf":0})"), "/multipleOf: must be a number above 0");
    EXPECT_EQ(flaw_of(R"({"anyOf":[]})"), "/anyOf: must be a list of at least one schema");
    EXPECT_EQ(flaw_of(R"({"uniqueItems":1})"), "/uniqueItems: must be true or false");
    EXPECT_EQ(flaw_of(R"({"enum":1})"), "/enum: must be a list of values");
    EXPECT_EQ(flaw_of(R"({"maximum":"1"})"), "/maximum: must be a number");
    EXPECT_EQ(flaw_of(R"({"properties":[]})"), "/properties: must be an object");
}

TEST(Schema, K6_ReportsAllFlaws) {
    EXPECT_EQ(flaws_of(R"({"type":["text","song"],"required":"a","properties":{
                  "b":{"minLength":-1,"items":7},"c":{"pattern":"["},"d":true},
                  "$ref":"#/none","allOf":[1,{"enum":2}]})"),
              (std::vector<std::string>{
                  "/type: must be null, boolean, object, array, number, string or integer",
                  "/required: must be a list of different strings",
                  "/properties/b/minLength: must be a whole number from 0",
                  "/properties/b/items: must be a schema: an object, true or false",
                  "/properties/c/pattern: is not a regular expression that can be used: "
                  "missing ]: [",
                  "/allOf/0: must be a schema: an object, true or false",
                  "/allOf/1/enum: must be a list of values",
                  "/$ref: points at no schema"}));
    std::string many;
    for (int i = 0; i < 100; ++i) {
        many += (i == 0 ? "\"" : ",\"") + std::to_string(i) + R"(":{"type":1})";
    }
    const auto flaws = flaws_of(R"({"properties":{)" + many + "}}");
    ASSERT_EQ(flaws.size(), kFlawsMax + 1);
    EXPECT_EQ(flaws[kFlawsMax - 1], "/properties/63/type: must be a list of different strings");
    EXPECT_EQ(flaws.back(), ": has more flaws, which are not listed here");
}

TEST(Schema, K6_ReportsOneFlawPerPositionAndThatMoreExist) {
    EXPECT_EQ(flaws_of(R"({"type":["text","text"]})"),
              (std::vector<std::string>{
                  "/type: must be null, boolean, object, array, number, string or integer"}));
    // Behind an overlong name all positions have equal shortened pointers.
    std::string flawed = "1";
    for (std::size_t i = 0; i < kFlawsMax; ++i) flawed += ",1";
    const std::string before = R"({"properties":{")" + std::string(2000, 'n') + R"(":{"allOf":[)";
    EXPECT_EQ(flaws_of(before + flawed + "]}}}").size(), 1U);
    const auto flaws = flaws_of(before + flawed + ",1]}}}");
    ASSERT_EQ(flaws.size(), 2U);
    EXPECT_EQ(flaws.back(), ": has more flaws, which are not listed here");
}

TEST(Schema, IgnoresUnknownKeywords) {
    hold({{R"({"$schema":"https://json-schema.org/draft/2020-12/schema","title":"t","default":3,
               "x-vendor":{"type":"nonsense"},"examples":[1]})",
           {"1", "\"x\""}}});
}

}  // namespace
}  // namespace parlance::schema
