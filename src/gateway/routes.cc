#include "gateway/routes.h"

#include "gateway/problem.h"
#include "gateway/route_table.h"

namespace parlance::gateway {

namespace {

bool is_loopback_name(std::string_view host) {
    if (host.starts_with('[')) return host.starts_with("[::1]");
    host = host.substr(0, host.find(':'));
    return host == "localhost" || host.starts_with("127.");
}

/// A page from elsewhere must not reach a hub on loopback through the visitor's browser: neither
/// by a name that was made to point here, nor by calling it directly.
bool is_foreign(const transport::Request& request) {
    const auto host = request.header("Host");
    if (!host.empty() && !is_loopback_name(host)) return true;
    auto origin = request.header("Origin");
    if (origin.empty()) return false;
    const auto scheme = origin.find("://");
    return scheme == std::string_view::npos || !is_loopback_name(origin.substr(scheme + 3));
}

void refuse_path(Call& call, const std::string& allowed) {
    const auto& request = call.request();
    if (allowed.empty()) {
        return call.exchange->respond(
            problem(Refusal::RouteNotFound, "nothing is at '" + request.path.substr(0, 200) + "'"));
    }
    auto response = problem(Refusal::MethodNotAllowed,
                            request.method + " is not for '" + request.path.substr(0, 200) + "'");
    response.headers.emplace_back("Allow", allowed);
    call.exchange->respond(std::move(response));
}

}  // namespace

/// What comes here is no WebSocket: the door would have taken that.
void get_connect(Desk&, Call& call) {
    auto response = problem(Refusal::ConnectionUpgradeRequired,
                            "/v1/connect is a WebSocket, and this is a plain request");
    response.headers.emplace_back("Upgrade", "websocket");
    call.exchange->respond(std::move(response));
}

std::optional<std::vector<std::string_view>> match_path(std::string_view pattern,
                                                        std::string_view path) {
    std::vector<std::string_view> captures;
    for (;;) {
        const auto open = pattern.find('{');
        const auto literal = pattern.substr(0, open);
        if (!path.starts_with(literal)) return std::nullopt;
        path.remove_prefix(literal.size());
        if (open == std::string_view::npos) {
            if (!path.empty()) return std::nullopt;
            return captures;
        }
        pattern.remove_prefix(pattern.find('}') + 1);
        const auto next = pattern.substr(0, pattern.find('{'));
        const auto end = next.empty() ? path.size() : path.rfind(next);
        if (end == std::string_view::npos || end == 0) return std::nullopt;
        captures.push_back(path.substr(0, end));
        path.remove_prefix(end);
    }
}

Admission admit(const Desk& desk, const transport::Request& request) {
    static const auto anonymous = std::make_shared<const Caller>();
    if (!desk.options.is_dev) {
        return {nullptr,
                problem(Refusal::IdentityRequired, "this hub asks every caller who it is")};
    }
    if (is_foreign(request)) {
        return {nullptr,
                problem(Refusal::IdentityRoleForbidden,
                        "Host or Origin names another site than this hub on loopback")};
    }
    if (const auto agent = request.header("Parlance-Agent"); !agent.empty()) {
        if (agent.size() > kIdBytesMax) {
            return {nullptr, problem(Refusal::InputValidationFailed, "Parlance-Agent is too long")};
        }
        return {std::make_shared<Caller>(Caller{{std::string{agent}}}), std::nullopt};
    }
    if (const auto name = request.header("Parlance-Operator"); !name.empty()) {
        if (name.size() > kIdBytesMax) {
            return {nullptr,
                    problem(Refusal::InputValidationFailed, "Parlance-Operator is too long")};
        }
        return {std::make_shared<Caller>(Caller{{std::string{name}}, true}), std::nullopt};
    }
    return {anonymous, std::nullopt};
}

void route(Desk& desk, ExchangePtr exchange) {
    Call call{.exchange = std::move(exchange), .caller = nullptr, .captures = {}};
    const auto request_keeper = call.exchange;  // Captures point into the request.
    const auto& request = request_keeper->request();
    const std::string_view method =
        request.method == "HEAD" ? "GET" : std::string_view{request.method};
    std::string allowed;
    for (const auto& row : kRoutes) {
        auto captures = match_path(row.pattern, request.path);
        if (!captures) continue;
        if (row.method != method) {
            allowed += (allowed.empty() ? "" : ", ") + std::string{row.method};
            continue;
        }
        call.captures = std::move(*captures);
        if (!row.is_public) {
            auto admission = admit(desk, request);
            if (admission.refusal) return call.exchange->respond(std::move(*admission.refusal));
            call.caller = std::move(admission.caller);
        }
        return row.handle(desk, call);
    }
    refuse_path(call, allowed);
}

}  // namespace parlance::gateway
