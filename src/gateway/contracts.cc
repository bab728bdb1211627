// Contracts for clients: the schema of every message, and the API descriptions.
#include "base/json_write.h"
#include "base/plain_text.h"
#include "dialects/schema.h"
#include "gateway/handlers.h"
#include "gateway/openapi.h"
#include "gateway/problem.h"
#include "model/plan_schema.h"

namespace parlance::gateway {

namespace {

constexpr std::string_view kSchemaType = "application/schema+json";

/// The existing schemas, for a caller who asked for a missing schema.
std::string known_kinds(std::string_view dialect) {
    std::string kinds;
    std::string dialects;
    for (const auto& name : dialects::schema_names()) {
        if (dialects.find(name.dialect) == std::string::npos) {
            dialects.append(dialects.empty() ? "" : ", ").append(name.dialect);
        }
        if (name.dialect == dialect) kinds.append(kinds.empty() ? "" : ", ").append(name.kind);
    }
    return kinds.empty() ? "the dialects are " + dialects : std::string{dialect} + " has " + kinds;
}

}  // namespace

void get_schemas(Desk& /*desk*/, Call& call) {
    std::string out;
    for (const auto& name : dialects::schema_names()) {
        if (!out.empty()) out.push_back(',');
        out += json::ObjectWriter{}
                   .text("dialect", name.dialect)
                   .text("kind", name.kind)
                   .boolean("is_message", name.is_message)
                   .text("path", dialects::schema_path(name.dialect, name.kind))
                   .done();
    }
    out += ',';
    out += json::ObjectWriter{}
               .text("dialect", "parlance")
               .text("kind", "workflow")
               .boolean("is_message", false)
               .text("path", dialects::schema_path("parlance", "workflow"))
               .done();
    call.exchange->respond({.headers = {}, .body = "{\"schemas\":[" + out + "]}"});
}

void get_schema(Desk& /*desk*/, Call& call) {
    const auto dialect = call.captures.at(0);
    const auto kind = call.captures.at(1);
    auto schema = dialects::write_schema(dialect, kind);
    if (dialect == "parlance" && kind == "workflow") schema = kPlanSchema;
    if (schema.empty()) {
        return call.exchange->respond(problem(Refusal::RouteNotFound,
                                              "there is no schema '" + std::string{cut(kind, 64)} +
                                                  "' of '" + std::string{cut(dialect, 64)} + "'; " +
                                                  known_kinds(dialect)));
    }
    call.exchange->respond(
        {.content_type = std::string{kSchemaType}, .headers = {}, .body = std::move(schema)});
}

// Both documents stay the same while the process runs, and cost more to write than to send.
void get_openapi(Desk& desk, Call& call) {
    static const auto document = write_openapi(desk.options.version);
    call.exchange->respond({.headers = {}, .body = document});
}

void get_asyncapi(Desk& desk, Call& call) {
    static const auto document = write_asyncapi(desk.options.version);
    call.exchange->respond({.headers = {}, .body = document});
}

}  // namespace parlance::gateway
