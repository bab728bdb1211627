#include "gateway/openapi.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "base/json_write.h"
#include "gateway/components.h"
#include "gateway/route_table.h"

namespace parlance::gateway {

namespace {

std::string reference(std::string_view component) {
    return json::ObjectWriter{}
        .text("$ref", "#/components/schemas/" + std::string{component})
        .done();
}

/// `or_text`: a dialect's text form is possible too.
std::string content(std::string_view type, std::string_view component, bool or_text = false) {
    const auto media = [](std::string_view of) {
        return json::ObjectWriter{}.raw("schema", reference(of)).done();
    };
    json::ObjectWriter out;
    out.raw(type, media(component));
    if (or_text) out.raw("text/plain", media("Text"));
    return out.done();
}

/// "post_v1_deliveries_delivery_id_ack"
std::string operation_id(const Route& route) {
    std::string id;
    for (const char c : route.method) {
        id += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    for (const char c : route.pattern) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            id += c;
        } else if (id.back() != '_') {
            id += '_';
        }
    }
    return id.back() == '_' ? id.substr(0, id.size() - 1) : id;
}

/// The noun behind /v1, or the hub itself.
std::string_view tag_of(const Route& route) {
    constexpr std::string_view kPrefix = "/v1/";
    if (!route.pattern.starts_with(kPrefix)) return "hub";
    const auto rest = route.pattern.substr(kPrefix.size());
    return rest.substr(0, rest.find('/'));
}

void append_parameter(std::string& out, const Parameter& parameter, bool is_required) {
    out += out.size() > 1 ? "," : "";
    out += json::ObjectWriter{}
               .text("name", parameter.name)
               .text("in", parameter.in)
               .boolean("required", is_required)
               .text("description", parameter.meaning)
               .raw("schema", parameter.schema)
               .done();
}

std::string parameters_of(const Route& route) {
    std::string out = "[";
    auto rest = route.pattern;
    for (auto open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
        const auto close = rest.find('}');
        const Parameter in_path{rest.substr(open + 1, close - open - 1),
                                "path",
                                routes::kText,
                                "One or more characters, slashes included."};
        append_parameter(out, in_path, true);
        rest.remove_prefix(close + 1);
    }
    for (const Parameter& parameter : route.parameters) append_parameter(out, parameter, false);
    return out + "]";
}

std::string responses_of(const Route& route) {
    json::ObjectWriter out;
    for (const Answer& answer : route.answers) {
        json::ObjectWriter response;
        response.text("description", answer.meaning);
        if (!answer.component.empty()) {
            response.raw("content", content(answer.content_type, answer.component, answer.or_text));
        }
        out.raw(std::to_string(answer.status), response.done());
    }
    out.raw("default", R"({"$ref":"#/components/responses/Problem"})");
    return out.done();
}

/// The kinds of callers that may use the route, by name.
std::string callers_of(Who who) {
    std::string out = "[";
    for (const auto& kind : kCallerKinds) {
        if ((who & kind.bit) == 0) continue;
        out += out.size() > 1 ? ",\"" : "\"";
        out.append(kind.name).append("\"");
    }
    return out + "]";
}

std::string operation(const Route& route) {
    json::ObjectWriter out;
    out.text("operationId", operation_id(route)).text("summary", route.summary);
    std::string tag;
    json::append_quoted(tag, tag_of(route));
    out.raw("tags", "[" + tag + "]");
    if (route.who == kAnyone) out.raw("security", "[]");
    out.raw("x-callers", callers_of(route.who));
    out.raw("parameters", parameters_of(route));
    if (!route.body.empty()) {
        out.raw("requestBody",
                json::ObjectWriter{}
                    .boolean("required", route.is_body_required)
                    .raw("content", content("application/json", route.body, route.takes_text))
                    .done());
    }
    return out.raw("responses", responses_of(route)).done();
}

std::string paths() {
    std::vector<std::string_view> patterns;
    for (const Route& route : kRoutes) {
        if (std::ranges::find(patterns, route.pattern) == patterns.end()) {
            patterns.push_back(route.pattern);
        }
    }
    json::ObjectWriter out;
    for (const auto pattern : patterns) {
        json::ObjectWriter item;
        for (const Route& route : kRoutes) {
            if (route.pattern != pattern) continue;
            std::string method{route.method};
            std::ranges::transform(method, method.begin(), [](unsigned char c) {
                return static_cast<char>(std::tolower(c));
            });
            item.raw(method, operation(route));
        }
        out.raw(pattern, item.done());
    }
    return out.done();
}

/// How a caller proves its identity, or claims an identity with --dev.
constexpr std::string_view kIdentities =
    R"({"token":{"type":"http","scheme":"bearer","description":"Minted by `parlance token mint`."},
"certificate":{"type":"mutualTLS","description":"An agent's, issued by `parlance cert issue`."},
"agent":{"type":"apiKey","in":"header","name":"Parlance-Agent","description":"With --dev: the agent that calls."},
"operator":{"type":"apiKey","in":"header","name":"Parlance-Operator","description":"With --dev: the person who calls."},
"user":{"type":"apiKey","in":"header","name":"Parlance-User","description":"With --dev: the user who calls."}})";

std::string components() {
    const std::string problem =
        json::ObjectWriter{}
            .text("description", "It was refused, with what is wrong and what to do.")
            .raw("content", content("application/problem+json", "Problem"))
            .done();
    return json::ObjectWriter{}
        .raw("schemas", write_components())
        .raw("responses", json::ObjectWriter{}.raw("Problem", problem).done())
        .raw("securitySchemes", kIdentities)
        .done();
}

}  // namespace

std::string write_openapi(std::string_view version) {
    return json::ObjectWriter{}
        .text("openapi", "3.1.0")
        .raw("info",
             json::ObjectWriter{}
                 .text("title", "Parlance")
                 .text("version", version)
                 .text("description",
                       "A durable message hub for AI agents, over HTTP. The duplex connection is "
                       "described in /asyncapi.json.")
                 .raw("license", R"({"name":"Apache 2.0","identifier":"Apache-2.0"})")
                 .done())
        .text("jsonSchemaDialect", "https://json-schema.org/draft/2020-12/schema")
        .raw("security",
             R"([{"token":[]},{"certificate":[]},{"agent":[]},{"operator":[]},{"user":[]},{}])")
        .raw("paths", paths())
        .raw("components", components())
        .done();
}

}  // namespace parlance::gateway
