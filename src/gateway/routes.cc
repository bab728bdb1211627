#include "gateway/routes.h"

#include "gateway/problem.h"
#include "gateway/route_table.h"

namespace parlance::gateway {

namespace {

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
        auto admission = admit(desk, request, row.who);
        if (admission.refusal) return call.exchange->respond(std::move(*admission.refusal));
        call.caller = std::move(admission.caller);
        return row.handle(desk, call);
    }
    // A stranger is not told what there is.
    auto admission = admit(desk, request, kIdentified);
    if (admission.refusal) return call.exchange->respond(std::move(*admission.refusal));
    refuse_path(call, allowed);
}

}  // namespace parlance::gateway
