// Members and items left by the other keywords: "core", section 11.
#include "base/schema/testing/cases.h"

namespace parlance::schema {
namespace {

TEST(UnevaluatedProperties, AreThoseThatNoOtherKeywordEvaluates) {
    hold(
        {{R"({"properties":{"a":true},"patternProperties":{"^b":true},"unevaluatedProperties":false})",
          {R"({"a":1,"b1":2})", "[1]"},
          {R"({"a":1,"c":2})"}},
         {R"({"unevaluatedProperties":{"type":"integer"}})", {R"({"a":1})"}, {R"({"a":"x"})"}},
         {R"({"additionalProperties":true,"unevaluatedProperties":false})", {R"({"a":1})"}}});
}

TEST(UnevaluatedProperties, ExcludeMembersEvaluatedByInPlaceSchemas) {
    const auto with = [](const char* rest) {
        return R"({"$defs":{"a":{"properties":{"a":true}}},"properties":{"b":true},
                   "unevaluatedProperties":false,)" +
               std::string{rest} + "}";
    };
    const std::string ab = R"({"a":1,"b":2})";
    const std::string abc = R"({"a":1,"b":2,"c":3})";
    hold({{with(R"("$ref":"#/$defs/a")"), {ab}, {abc}},
          {with(R"("allOf":[{"allOf":[{"$ref":"#/$defs/a"}]}])"), {ab}, {abc}},
          {with(R"("anyOf":[{"$ref":"#/$defs/a"},{"properties":{"c":true}}])"),
           {ab, abc},
           {R"({"d":1})"}},
          // Only the alternatives that fit evaluate members.
          {with(R"("anyOf":[{"$ref":"#/$defs/a"},{"properties":{"c":true},"required":["d"]}])"),
           {ab},
           {abc}},
          {with(R"("oneOf":[{"$ref":"#/$defs/a"},{"required":["x"]}])"), {ab}, {abc}},
          {with(R"("not":{"not":{"$ref":"#/$defs/a"}})"), {R"({"b":1})"}, {ab}},
          {with(R"("dependentSchemas":{"b":{"$ref":"#/$defs/a"}})"), {ab}, {R"({"a":1})"}},
          {with(R"("$ref":"#/$defs/a","additionalProperties":true)"), {abc}}});
}

TEST(UnevaluatedProperties, FollowTheBranchOfIf) {
    hold({{R"({"if":{"properties":{"kind":{"const":"x"}},"required":["kind"]},
               "then":{"properties":{"a":true}},"else":{"properties":{"b":true}},
               "unevaluatedProperties":false})",
           {R"({"kind":"x","a":1})", R"({"b":1})"},
           {R"({"kind":"x","b":1})", R"({"kind":"y"})", R"({"a":1})"}}});
}

TEST(UnevaluatedProperties, IgnoreMembersEvaluatedByCousins) {
    hold({{R"({"allOf":[{"properties":{"a":true}},{"unevaluatedProperties":false}]})",
           {"{}"},
           {R"({"a":1})"}},
          // Members evaluated by an inner schema are evaluated for the outer schema.
          {R"({"allOf":[{"unevaluatedProperties":true}],"unevaluatedProperties":false})",
           {R"({"a":1})"}}});
}

TEST(UnevaluatedProperties, AreJudgedPerObject) {
    hold({{R"({"properties":{"in":{"properties":{"a":true},"unevaluatedProperties":false}},
               "unevaluatedProperties":false})",
           {R"({"in":{"a":1}})"},
           {R"({"in":{"b":1}})", R"({"in":{},"a":1})"}}});
}

TEST(UnevaluatedItems, AreThoseThatNoOtherKeywordEvaluates) {
    hold(
        {{R"({"prefixItems":[true],"unevaluatedItems":false})",
          {"[]", "[1]", "{\"a\":1}"},
          {"[1,2]"}},
         {R"({"items":true,"unevaluatedItems":false})", {"[1,2]"}},
         {R"({"unevaluatedItems":{"type":"string"}})", {R"(["a"])"}, {"[1]"}},
         {R"({"prefixItems":[{"const":1}],"contains":{"type":"string"},"unevaluatedItems":false})",
          {R"([1,"a","b"])"},
          {R"([1,"a",2])"}},
         {R"({"allOf":[{"prefixItems":[true,true]}],"unevaluatedItems":{"type":"null"}})",
          {"[1,2,null]"},
          {"[1,2,3]"}},
         {R"({"anyOf":[{"prefixItems":[true,{"const":2}]},{"prefixItems":[true]}],"unevaluatedItems":false})",
          {"[1]", "[1,2]"},
          {"[1,3]", "[1,2,3]"}},
         {R"({"if":{"prefixItems":[{"const":1}]},"then":{"prefixItems":[true,true]},"unevaluatedItems":false})",
          {"[1,2]", "[]"},
          {"[2,2]", "[1,2,3]"}},
         {R"({"allOf":[{"prefixItems":[true]},{"unevaluatedItems":false}]})", {"[]"}, {"[1]"}}});
}

TEST(Unevaluated, IsNotReportedBesideAnotherViolation) {
    EXPECT_EQ(
        told(R"({"allOf":[{"properties":{"a":{"type":"string"}}}],"unevaluatedProperties":false})",
             R"({"a":1})"),
        "/a: must be string (/allOf/0/properties/a/type)\n");
}

}  // namespace
}  // namespace parlance::schema
