#include "fuzz/seeds.h"

int main(int count, char** arguments) {
    const std::string zero(1, '\0');
    return parlance::fuzz::write_seeds(
        count,
        arguments,
        {.inputs =
             {R"({"type":"object","required":["rate"],"properties":{"rate":{"type":"number","minimum":0,"multipleOf":0.01}},"additionalProperties":false})" +
                  zero + R"({"rate":0.05})",
              R"({"$id":"https://e.org/s","$dynamicAnchor":"node","$ref":"tree","unevaluatedProperties":false,"$defs":{"t":{"$id":"tree","$dynamicAnchor":"node","properties":{"data":true,"children":{"items":{"$dynamicRef":"#node"}}}}}})" +
                  zero + R"({"children":[{"data":1}]})",
              R"({"prefixItems":[{"const":1}],"items":{"enum":["a",2]},"contains":{"type":"string"},"uniqueItems":true,"maxContains":2})" +
                  zero + R"([1,"a",2])",
              R"({"if":{"properties":{"k":{"const":"x"}}},"then":{"patternProperties":{"^a":{"format":"uri"}}},"else":{"propertyNames":{"pattern":"^[a-z]{1,9}$"}},"unevaluatedProperties":{"not":{}}})" +
                  zero + R"({"k":"x","a":"http://[::1]/"})",
              R"({"anyOf":[{"$ref":"#a"},{"oneOf":[{"maxLength":2},{"format":"date-time"}]}],"$defs":{"x":{"$anchor":"a","dependentRequired":{"a":["b"]},"minProperties":1}}})" +
                  zero + R"("2016-12-31T23:59:60Z")",
              "[1,1.0,10e-1]" + zero + "[1,1,1]"},
         .words = {"\"$ref\":\"#",
                   "\"$defs\":{",
                   "\"$id\":\"",
                   "\"$anchor\":\"",
                   "\"$dynamicRef\":\"#",
                   "\"$dynamicAnchor\":\"",
                   "\"allOf\":[",
                   "\"anyOf\":[",
                   "\"oneOf\":[",
                   "\"not\":{",
                   "\"if\":{",
                   "\"then\":{",
                   "\"else\":{",
                   "\"dependentSchemas\":{",
                   "\"dependentRequired\":{",
                   "\"properties\":{",
                   "\"patternProperties\":{",
                   "\"additionalProperties\":",
                   "\"propertyNames\":",
                   "\"prefixItems\":[",
                   "\"items\":",
                   "\"contains\":",
                   "\"minContains\":",
                   "\"maxContains\":",
                   "\"unevaluatedItems\":",
                   "\"unevaluatedProperties\":",
                   "\"type\":",
                   "\"enum\":[",
                   "\"const\":",
                   "\"multipleOf\":",
                   "\"maximum\":",
                   "\"exclusiveMinimum\":",
                   "\"maxLength\":",
                   "\"pattern\":\"",
                   "\"uniqueItems\":true",
                   "\"required\":[",
                   "\"format\":\"",
                   "\"integer\"",
                   "\"object\"",
                   "\"date-time\"",
                   "\"email\"",
                   "\"uri-reference\"",
                   "\"regex\"",
                   "\"duration\"",
                   "1e400",
                   "\\\\p{L}",
                   "\\\\u00e9",
                   zero}});
}
