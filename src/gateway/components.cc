#include "gateway/components.h"

#include "base/json_write.h"
#include "dialects/schema.h"
#include "model/refusal.h"

namespace parlance::gateway {

namespace {

/// Any message of any dialect.
std::string message_schema() {
    std::string any;
    for (const auto& name : dialects::schema_names()) {
        if (!name.is_message) continue;
        any += any.empty() ? "" : ",";
        any += json::ObjectWriter{}
                   .text("$ref", dialects::schema_path(name.dialect, name.kind))
                   .done();
    }
    return R"({"type":"object","description":"A message of any dialect.","anyOf":[)" + any + "]}";
}

std::string refusal_codes() {
    std::string codes;
    std::string words;
    for (const RefusalRow& row : kRefusals) {
        codes += codes.empty() ? "[" : ",";
        json::append_quoted(codes, row.code);
        words.append(words.empty() ? "" : "\n").append(row.code).append(": ").append(row.advice);
    }
    return json::ObjectWriter{}
        .text("type", "string")
        .raw("enum", codes + "]")
        .text("description", words)
        .done();
}

constexpr std::string_view kProblem =
    R"({"type":"object","required":["type","title","status","code","detail","retryable"],"properties":{
"type":{"const":"about:blank"},"title":{"type":"string"},"status":{"type":"integer"},
"code":{"$ref":"#/components/schemas/RefusalCode"},
"detail":{"type":"string","description":"What is wrong, and what to do."},
"retryable":{"type":"boolean","description":"The same bytes may be accepted later; see Retry-After."},
"retry_after_ms":{"type":"integer","description":"When that is, where the hub knows: the minute of a rate limit, the time of a breaker."},
"problems":{"type":"array","items":{"type":"object","required":["pointer","value","rule","section"],"properties":{
"pointer":{"type":"string"},"value":{"type":"string"},"rule":{"type":"string"},"section":{"type":"string"}}}},
"dialect_error":{"type":"object","description":"The same in the sender's own dialect."}}})";

}  // namespace

std::string write_components() {
    json::ObjectWriter out;
    out.raw("Message", message_schema())
        .raw("RefusalCode", refusal_codes())
        .raw("Problem", kProblem);
    for (const Component& component : kComponents) out.raw(component.name, component.schema);
    return out.done();
}

}  // namespace parlance::gateway
