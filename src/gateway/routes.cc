#include "gateway/routes.h"

#include <algorithm>

#include "base/plain_text.h"
#include "gateway/problem.h"
#include "gateway/route_table.h"

namespace parlance::gateway {

namespace {

/// A route without a body ignores a body up to this size.
constexpr std::uint64_t kStrayBodyBytesMax = 4096;

void refuse_path(Call& call, const std::string& allowed) {
    const auto& request = call.request();
    if (allowed.empty()) {
        return call.exchange->respond(problem(
            Refusal::RouteNotFound, "nothing is at '" + std::string{cut(request.path, 200)} + "'"));
    }
    auto response =
        problem(Refusal::MethodNotAllowed,
                request.method + " is not for '" + std::string{cut(request.path, 200)} + "'");
    response.headers.emplace_back("Allow", allowed);
    call.exchange->respond(std::move(response));
}

/// The rule that a parameter's value breaks; empty if the value fits the schema.
std::string rule_broken(json::Value schema, std::string_view text) {
    const auto kind = text_member(schema, "type");
    if (kind == "boolean") {
        return text == "true" || text == "false" ? std::string{} : "must be true or false";
    }
    if (const auto names = json::find(schema, "enum")) {
        std::string spare;
        for (json::Elements known{*names}; known.next();) {
            if (known.value.text(spare) == text) return {};
        }
        return "must be one of " + std::string{names->raw};
    }
    if (kind != "integer") return {};
    const auto bound = [&](std::string_view name) {
        const auto value = json::find(schema, name);
        return value ? value->integer() : std::nullopt;
    };
    const auto number = parse_number(text);
    const auto least = static_cast<std::uint64_t>(bound("minimum").value_or(0));
    const auto most = bound("maximum");
    if (number && *number >= least && (!most || *number <= static_cast<std::uint64_t>(*most))) {
        return {};
    }
    return "must be a whole number from " + std::to_string(least) +
           (most ? " to " + std::to_string(*most) : std::string{});
}

/// Checks the query against the parameters of the route's row.
std::vector<dialects::Problem> flaws_of(const Route& row, const transport::Request& request) {
    static constexpr std::size_t kShownBytesMax = 64;
    std::vector<dialects::Problem> flaws;
    for (const auto& parameter : row.parameters) {
        if (parameter.in != "query") continue;
        const auto text = request.parameter(parameter.name);
        if (text.empty()) continue;
        auto rule = rule_broken(json::root(parameter.schema), text);
        if (rule.empty()) continue;
        flaws.push_back({.pointer = "?" + std::string{parameter.name},
                         .value = std::string{cut(text, kShownBytesMax)},
                         .rule = std::move(rule),
                         .section = std::string{row.method} + " " + std::string{row.pattern}});
    }
    return flaws;
}

void refuse_query(Call& call, std::vector<dialects::Problem> flaws) {
    const dialects::Rejection rejection{.refusal = Refusal::InputValidationFailed,
                                        .problems = std::move(flaws)};
    call.exchange->respond(problem(rejection.refusal, rejection.summary(), rejection.problems, {}));
}

}  // namespace

/// Only plain requests get here, as the transport takes WebSocket upgrades.
void get_connect(Desk&, Call& call) {
    auto response = problem(Refusal::ConnectionUpgradeRequired,
                            "/v1/connect is a WebSocket, and this is a plain request");
    response.headers.emplace_back("Upgrade", "websocket");
    call.exchange->respond(std::move(response));
}

std::optional<std::vector<std::string_view>> match_path(
    std::string_view pattern, std::string_view path, std::span<const std::size_t> slashes_encoded) {
    const std::string_view whole = path;
    /// Whether the literal covers no encoded slash, which would belong to a name.
    const auto is_open = [&](std::size_t at, std::size_t size) {
        const auto from = static_cast<std::size_t>(path.data() - whole.data()) + at;
        return std::ranges::none_of(slashes_encoded, [&](std::size_t slash) {
            return slash >= from && slash < from + size;
        });
    };
    std::vector<std::string_view> captures;
    for (;;) {
        const auto open = pattern.find('{');
        const auto literal = pattern.substr(0, open);
        if (!path.starts_with(literal) || !is_open(0, literal.size())) return std::nullopt;
        path.remove_prefix(literal.size());
        if (open == std::string_view::npos) {
            if (!path.empty()) return std::nullopt;
            return captures;
        }
        pattern.remove_prefix(pattern.find('}') + 1);
        const auto next = pattern.substr(0, pattern.find('{'));
        auto end = next.empty() ? path.size() : path.rfind(next);
        while (end != std::string_view::npos && end > 0 && !is_open(end, next.size())) {
            end = path.rfind(next, end - 1);
        }
        if (end == std::string_view::npos || end == 0) return std::nullopt;
        captures.push_back(path.substr(0, end));
        path.remove_prefix(end);
    }
}

std::optional<transport::Response> refusal_by_header(Desk& desk,
                                                     const transport::Request& request) {
    if (auto doubled = refusal_of_doubled(request)) return doubled;
    const std::string_view method =
        request.method == "HEAD" ? "GET" : std::string_view{request.method};
    const auto row = std::ranges::find_if(kRoutes, [&](const Route& route) {
        return route.method == method &&
               match_path(route.pattern, request.path, request.slashes_encoded);
    });
    if (row == kRoutes.end()) return refusal_of_stranger(desk, request);
    if (row->who != kAnyone) {
        if (auto refusal = refusal_of_stranger(desk, request)) return refusal;
        // Some clients send {} with every POST.
        const bool is_stray =
            row->body.empty() &&
            parse_number(request.header("Content-Length")).value_or(0) > kStrayBodyBytesMax;
        if (!is_stray) return std::nullopt;
    }
    // Anonymous callers could otherwise make the hub buffer any number of bodies.
    return door_problem(
        413, std::string{row->method} + " " + std::string{row->pattern} + " takes no body");
}

void route(Desk& desk, ExchangePtr exchange) {
    Call call{.exchange = std::move(exchange), .caller = nullptr, .captures = {}};
    const auto request_keeper = call.exchange;  // Captures point into the request.
    const auto& request = request_keeper->request();
    if (auto doubled = refusal_of_doubled(request)) return call.exchange->respond(*doubled);
    const bool is_head = request.method == "HEAD";
    const std::string_view method = is_head ? "GET" : std::string_view{request.method};
    std::string allowed;
    for (const auto& row : kRoutes) {
        auto captures = match_path(row.pattern, request.path, request.slashes_encoded);
        if (!captures) continue;
        // A HEAD of an inbox would lease messages and show none of them.
        if (is_head && row.handle == get_inbox) {
            allowed = row.method;
            break;
        }
        if (row.method != method) {
            allowed += (allowed.empty() ? "" : ", ") + std::string{row.method};
            continue;
        }
        call.captures = std::move(*captures);
        auto admission = admit(desk, request, row.who);
        if (admission.refusal) return call.exchange->respond(std::move(*admission.refusal));
        call.caller = std::move(admission.caller);
        if (auto flaws = flaws_of(row, request); !flaws.empty()) {
            return refuse_query(call, std::move(flaws));
        }
        return row.handle(desk, call);
    }
    // A stranger must not learn which routes exist.
    auto admission = admit(desk, request, kIdentified);
    if (admission.refusal) return call.exchange->respond(std::move(*admission.refusal));
    refuse_path(call, allowed);
}

}  // namespace parlance::gateway
