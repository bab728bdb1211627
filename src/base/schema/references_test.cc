// References: "core", sections 8.2 and 9.
#include "base/schema/testing/cases.h"
#include "base/schema/uri.h"

namespace parlance::schema {
namespace {

TEST(Reference, LeadsToADefinition) {
    hold({{R"({"$defs":{"id":{"type":"integer"}},"items":{"$ref":"#/$defs/id"}})",
           {"[1]"},
           {"[\"1\"]"}},
          {R"({"definitions":{"id":{"type":"integer"}},"$ref":"#/definitions/id"})",
           {"1"},
           {"\"1\""}},
          {R"({"$defs":{"a/b":{"const":1},"c%d":{"const":2},"e~f":{"const":3}},
               "prefixItems":[{"$ref":"#/$defs/a~1b"},{"$ref":"#/$defs/c%25d"},{"$ref":"#/$defs/e~0f"}]})",
           {"[1,2,3]"},
           {"[2]", "[1,1]", "[1,2,2]"}},
          {R"({"properties":{"a":{"type":"integer"},"b":{"$ref":"#/properties/a"}}})",
           {R"({"b":1})"},
           {R"({"b":"x"})"}},
          {R"({"prefixItems":[{"const":1},{"$ref":"#/prefixItems/0"}]})", {"[1,1]"}, {"[1,2]"}}});
}

TEST(Reference, StandsBesideOtherKeywords) {
    hold({{R"({"$defs":{"s":{"type":"string"}},"$ref":"#/$defs/s","maxLength":2})",
           {"\"ab\""},
           {"\"abc\"", "1"}}});
}

TEST(Reference, MayRecurseDeeperIntoTheInstance) {
    hold(
        {{R"({"properties":{"next":{"$ref":"#"},"value":{"type":"integer"}},"additionalProperties":false})",
          {R"({"value":1,"next":{"value":2,"next":{}}})"},
          {R"({"next":{"next":{"value":"x"}}})", R"({"next":{"other":1}})"}}});
}

TEST(Reference, LeadsToAnAnchor) {
    hold(
        {{R"({"$defs":{"x":{"$anchor":"Name","type":"string"}},"$ref":"#Name"})", {"\"a\""}, {"1"}},
         // An anchor belongs to its resource: another resource may use the same name.
         {R"({"$id":"https://e.org/root","$ref":"part#Name",
               "$defs":{"x":{"$anchor":"Name","type":"string"},
                        "y":{"$id":"part","$defs":{"z":{"$anchor":"Name","type":"integer"}}}}})",
          {"1"},
          {"\"a\""}}});
}

TEST(Reference, LeadsToAResourceByItsId) {
    hold({{R"({"$id":"https://e.org/schemas/root.json",
               "properties":{"a":{"$ref":"item.json"},"b":{"$ref":"/schemas/item.json#/$defs/small"},
                             "c":{"$ref":"https://e.org/schemas/item.json"},"d":{"$ref":"root.json"}},
               "$defs":{"i":{"$id":"item.json","type":"integer","$defs":{"small":{"maximum":3}}}}})",
           {R"({"a":7,"b":2.5,"c":1,"d":{"a":1}})"},
           {R"({"a":"x"})", R"({"b":4})", R"({"c":null})", R"({"d":{"a":"x"}})"}},
          // References inside a resource are resolved against that resource.
          {R"({"$id":"https://e.org/a/root","$ref":"../b/two",
               "$defs":{"two":{"$id":"https://e.org/b/two","$ref":"#/$defs/x",
                               "$defs":{"x":{"type":"null"}}},
                        "x":{"type":"string"}}})",
           {"null"},
           {"\"s\""}},
          {R"({"$id":"urn:uuid:0d1e","$ref":"#/$defs/x","$defs":{"x":{"type":"null"}}})",
           {"null"},
           {"1"}},
          // A part can have an $id even if the whole schema has none.
          {R"({"$ref":"part","$defs":{"p":{"$id":"part","const":1}}})", {"1"}, {"2"}}});
}

TEST(Reference, IsResolvedAsRfc3986Says) {
    // Section 5.4, with its base.
    const auto is = [](std::string_view reference) {
        return resolve("http://a/b/c/d;p?q", reference).uri;
    };
    EXPECT_EQ(is("g"), "http://a/b/c/g");
    EXPECT_EQ(is("./g"), "http://a/b/c/g");
    EXPECT_EQ(is("g/"), "http://a/b/c/g/");
    EXPECT_EQ(is("/g"), "http://a/g");
    EXPECT_EQ(is("//g"), "http://g");
    EXPECT_EQ(is("?y"), "http://a/b/c/d;p?y");
    EXPECT_EQ(is("g?y"), "http://a/b/c/g?y");
    EXPECT_EQ(is("#s"), "http://a/b/c/d;p?q");
    EXPECT_EQ(is(""), "http://a/b/c/d;p?q");
    EXPECT_EQ(is("."), "http://a/b/c/");
    EXPECT_EQ(is(".."), "http://a/b/");
    EXPECT_EQ(is("../.."), "http://a/");
    EXPECT_EQ(is("../../../g"), "http://a/g");
    EXPECT_EQ(is("g:h"), "g:h");
    EXPECT_EQ(is("/./g"), "http://a/g");
    EXPECT_EQ(is("g;x=1/../y"), "http://a/b/c/y");
    EXPECT_EQ(resolve("http://a/b", "#a%20%7e").fragment, "a ~");
}

TEST(Reference, WithoutATargetIsAFlaw) {
    EXPECT_EQ(flaw_of(R"({"$ref":"#/$defs/none"})"), "/$ref: points at no schema");
    EXPECT_EQ(flaw_of(R"({"items":{"$ref":"#none"}})"),
              "/items/$ref: refers to an anchor that does not exist");
    EXPECT_EQ(flaw_of(R"({"$ref":"https://e.org/other"})"),
              "/$ref: refers to what is not in this schema; nothing is fetched from elsewhere");
    EXPECT_EQ(flaw_of(R"({"$ref":1})"), "/$ref: must be a URI reference");
    EXPECT_EQ(flaw_of(R"({"$id":"a#b"})"), "/$id: must have no fragment; use $anchor");
    EXPECT_EQ(flaw_of(R"({"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}})"),
              "/$defs/b/$id: is the $id of another schema already");
    EXPECT_EQ(flaw_of(R"({"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}})"),
              "/$defs/b/$anchor: is the name of another schema already");
    EXPECT_EQ(flaw_of(R"({"$anchor":"1x"})"),
              "/$anchor: must be a name of letters, digits, '-', '_' and '.'");
}

TEST(Reference, ToItselfWithoutGoingDeeperIsAFlaw) {
    const std::string circle = ": leads back to itself without going deeper into the instance";
    EXPECT_EQ(flaw_of(R"({"$ref":"#"})"), circle);
    EXPECT_EQ(flaw_of(R"({"items":{"allOf":[{"not":{"$ref":"#/items"}}]}})"),
              "/items/allOf/0/not" + circle);
    EXPECT_EQ(flaw_of(R"({"$defs":{"a":{"if":{"$ref":"#/$defs/b"}},
                                   "b":{"dependentSchemas":{"x":{"$ref":"#/$defs/a"}}}}})"),
              "/$defs/b/dependentSchemas/x" + circle);
}

// "core", section 8.2.3.2: a tree, and a stricter tree derived from the tree.
constexpr const char* kTree =
    R"({"$id":"https://e.org/TREE","$dynamicAnchor":"node","type":"object",
    "properties":{"data":true,"children":{"type":"array","items":{"$dynamicRef":"#node"}}}})";

TEST(DynamicReference, IsExtendedByTheReferringSchema) {
    const std::string strict =
        R"({"$id":"https://e.org/strict","$dynamicAnchor":"node","$ref":"TREE",
            "unevaluatedProperties":false,"$defs":{"tree":)" +
        std::string{kTree} + "}}";
    const std::string open =
        R"({"$id":"https://e.org/open","$ref":"TREE","$defs":{"tree":)" + std::string{kTree} + "}}";
    hold({{strict,
           {R"({"children":[{"data":1,"children":[]}]})"},
           {R"({"daat":1})",
            R"({"children":[{"daat":1}]})",
            R"({"children":[{"children":[{"x":1}]}]})"}},
          {open, {R"({"children":[{"daat":1}]})"}, {R"({"children":[1]})"}}});
}

TEST(DynamicReference, TakesTheOutermostAnchorOnThePath) {
    // A list whose item type is set by the referring schema, with strings as default.
    const std::string list =
        R"({"$id":"list","type":"array","items":{"$dynamicRef":"#T"},
            "$defs":{"T":{"$dynamicAnchor":"T","type":"string"}}})";
    const std::string numbers = R"({"$id":"numbers","$ref":"list",
            "$defs":{"T":{"$dynamicAnchor":"T","type":"number"}}})";
    const auto with = [&](const std::string& first) {
        return R"({"$id":"https://e.org/root",)" + first + R"("$defs":{"l":)" + list + R"(,"n":)" +
               numbers + "}}";
    };
    hold({{with(R"("$ref":"list",)"), {R"(["a"])"}, {"[1]"}},
          {with(R"("$ref":"numbers",)"), {"[1]"}, {R"(["a"])"}},
          {with(R"("if":{"$ref":"numbers"},"then":{"minItems":2},"else":{"$ref":"list"},)"),
           {"[1,2]", R"(["a"])"},
           {"[1]", R"([1,"a"])"}}});
}

TEST(DynamicReference, WithoutADynamicAnchorIsAnOrdinaryReference) {
    hold({{R"({"$defs":{"x":{"$anchor":"T","type":"string"},
                        "y":{"$id":"other","$dynamicAnchor":"T","type":"null"}},
               "items":{"$dynamicRef":"#T"}})",
           {R"(["a"])"},
           {"[null]"}},
          {R"({"$defs":{"x":{"$dynamicAnchor":"T","type":"string"}},"items":{"$ref":"#T"}})",
           {R"(["a"])"},
           {"[null]"}},
          {R"({"$defs":{"x":{"type":"string"}},"items":{"$dynamicRef":"#/$defs/x"}})",
           {R"(["a"])"},
           {"[null]"}}});
}

}  // namespace
}  // namespace parlance::schema
