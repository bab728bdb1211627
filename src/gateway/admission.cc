#include "gateway/admission.h"

#include <algorithm>
#include <utility>

#include "base/address.h"
#include "base/json.h"
#include "dialects/claim.h"
#include "gateway/connection.h"
#include "gateway/headers.h"
#include "gateway/problem.h"
#include "gateway/stream.h"
#include "model/envelope.h"

namespace parlance::gateway {

namespace {

using transport::Request;
using transport::Response;

constexpr std::string_view kDelegation = "delegation";
/// The objective, in the log of delegations, of a delegation whose body was refused as too large.
constexpr std::string_view kNotRead = "(too large to be read)";
constexpr std::string_view kChallenge = "Bearer realm=\"parlance\"";

/// A caller, or the response to a request without a proved caller.
using Proof = tl::expected<Caller, Response>;

auto refused(Refusal refusal, std::string_view detail) {
    return tl::unexpected<Response>(problem(refusal, detail));
}

/// The response to a request without credentials or with invalid credentials.
Response unproved(std::string_view detail, bool is_token_wrong) {
    auto response = problem(Refusal::IdentityRequired, detail);
    response.headers.emplace_back(
        "WWW-Authenticate",
        std::string{kChallenge} + (is_token_wrong ? ", error=\"invalid_token\"" : ""));
    return response;
}

constexpr std::string_view kLedAstray =
    "a browser asks without saying for which page (Origin), or for one of another site";
constexpr std::string_view kForeignHost = "Host names another site than this hub (doors.hosts)";
constexpr std::string_view kForeignOrigin = "Origin names another site than this hub";

/// `host` may have a port.
bool is_loopback_name(std::string_view host) {
    host = without_port(host);
    // Only brackets separate an IPv6 address from its port.
    if (host.find(':') != std::string_view::npos) return host == "[::1]";
    return is_loopback_host(std::string{host});
}

/// "https://hub:7420" without its scheme; nothing without a scheme.
std::optional<std::string_view> authority_of(std::string_view origin) {
    const auto scheme = origin.find("://");
    if (scheme == std::string_view::npos) return std::nullopt;
    return origin.substr(scheme + 3);
}

/// A page may call only the hub that served the page: a browser presents the visitor's certificate
/// to every page.
bool is_foreign(const Request& request) {
    const auto origin = request.header("Origin");
    return !origin.empty() && authority_of(origin) != request.header("Host");
}

/// A page of another site must not reach a hub on loopback through the visitor's browser, neither
/// by a host name that resolves to loopback nor by a direct call.
bool is_foreign_to_loopback(const Request& request) {
    const auto host = request.header("Host");
    if (!host.empty()) return !is_loopback_name(host) || is_foreign(request);
    const auto origin = request.header("Origin");
    return !origin.empty() && !is_loopback_name(authority_of(origin).value_or(""));
}

/// Whether a page of another site may have caused the request without an Origin: an image, a form,
/// a frame. The browser's Sec-Fetch-Site is believed; a browser request without Sec-Fetch-Site is
/// refused if the request could change something.
bool is_led_astray(const Request& request) {
    if (!request.header("Origin").empty()) return false;  // An Origin is checked by is_foreign().
    const auto site = request.header("Sec-Fetch-Site");
    if (site.empty() && !request.header("User-Agent").starts_with("Mozilla/")) return false;
    const std::string_view path = request.path;
    const bool only_reads =
        (request.method == "GET" || request.method == "HEAD") && request.header("Upgrade").empty();
    if (!only_reads) return true;
    // To read an inbox is to lease its messages.
    if (site.empty()) return path.ends_with("/inbox");
    const bool is_link =
        request.header("Sec-Fetch-Mode") == "navigate" && !path.starts_with("/v1/");
    return site != "same-origin" && site != "none" && !is_link;
}

struct Said {
    std::string_view header;
    void (*tell)(Caller&, std::string_view);
};
constexpr std::array kSaid{
    Said{"Parlance-Agent",
         [](Caller& caller, std::string_view name) { caller.agent.value = name; }},
    Said{"Parlance-Operator",
         [](Caller& caller, std::string_view name) {
             caller.agent.value = name;
             caller.is_operator = true;
             caller.role = OperatorRole::Admin;
         }},
    Said{"Parlance-User", [](Caller& caller, std::string_view name) { caller.user = name; }}};

/// "finance, legal": a caller who names groups has only the named groups.
void join_groups(Caller& caller, std::string_view groups) {
    caller.role = OperatorRole::Operator;
    while (!groups.empty()) {
        const auto comma = std::min(groups.find(','), groups.size());
        auto name = groups.substr(0, comma);
        groups.remove_prefix(std::min(comma + 1, groups.size()));
        name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
        name = name.substr(0, name.find_last_not_of(' ') + 1);
        if (!name.empty()) caller.groups.emplace_back(name);
    }
}

/// With --dev the headers, or later the message, name the caller without proof.
Proof who_it_says(const Request& request) {
    if (is_led_astray(request)) return refused(Refusal::IdentityRoleForbidden, kLedAstray);
    if (is_foreign_to_loopback(request)) {
        return refused(Refusal::IdentityRoleForbidden,
                       "Host or Origin names another site than this hub on loopback");
    }
    Caller caller{.users = {"*"}};
    for (const auto& said : kSaid) {
        const auto name = request.header(said.header);
        if (name.empty()) continue;
        if (name.size() > kIdBytesMax) {
            return refused(Refusal::InputValidationFailed,
                           std::string{said.header} + " is too long");
        }
        said.tell(caller, name);
        break;
    }
    const auto groups = request.header("Parlance-Operator-Groups");
    if (caller.is_operator && !groups.empty()) join_groups(caller, groups);
    return caller;
}

/// The token behind "Bearer"; nothing if the header is missing or of another scheme.
std::optional<std::string_view> bearer_token(const Request& request) {
    constexpr std::string_view kScheme = "bearer ";
    auto value = request.header("Authorization");
    const bool is_bearer =
        value.size() > kScheme.size() &&
        std::ranges::equal(value.substr(0, kScheme.size()), kScheme, [](char c, char expected) {
            return (c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) == expected;
        });
    if (!is_bearer) return std::nullopt;
    value.remove_prefix(kScheme.size());
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    return value;
}

/// Names neither an agent nor a user. With --dev such a caller may do everything.
bool is_unnamed(const Caller& caller) { return caller.agent.value.empty() && caller.user.empty(); }

Who kind_of(const Caller& caller) {
    if (!caller.user.empty()) return kUsers;
    switch (caller.role) {
        case OperatorRole::None:
            return kAgents;
        case OperatorRole::Viewer:
            return kViewers;
        case OperatorRole::Operator:
            return kMereOperators;
        case OperatorRole::Admin:
            return kAdmins;
    }
    return 0;
}

std::string name_of(const Caller& caller) {
    const auto kind = std::ranges::find(kCallerKinds, kind_of(caller), &CallerKind::bit);
    return std::string{kind->name} + " '" +
           (caller.user.empty() ? caller.agent.value : caller.user) + "'";
}

/// Whether certificate and token name the same agent.
bool is_same(const Caller& shown, const Caller& borne) {
    return kind_of(borne) == kAgents && shown.agent == borne.agent;
}

Proof refused_as_two(Desk& desk, const Caller& shown, const Caller& borne) {
    const auto why =
        "the certificate is of " + name_of(shown) + " and the token of " + name_of(borne);
    record_refusal(desk, Refusal::IdentityMismatch, why, std::make_shared<const Caller>(shown));
    return refused(Refusal::IdentityMismatch, why);
}

/// "GET /v1/hub: ", for the record.
std::string on_its_way(const Request& request) {
    return request.method + " " + json::shortened(request.path) + ": ";
}

/// Why a page of another site may have caused the request; empty if nothing suggests so.
std::string_view why_astray(const Desk& desk, const Request& request) {
    if (is_led_astray(request)) return kLedAstray;
    if (is_foreign(request)) return kForeignOrigin;
    // With a host name that resolves to the hub, the Origin of the attacking page would match Host.
    const auto host = request.header("Host");
    if (!host.empty() && !is_own_host(host, desk.options.names)) return kForeignHost;
    return {};
}

/// Refuses an invalid credential. The refusal is recorded if the credential once belonged to a
/// caller; strangers are not recorded, as anybody could fill the journal with them.
Proof denied(Desk& desk,
             const Request& request,
             const identity::Denial& denial,
             bool is_token_wrong) {
    if (denial.whose) {
        record_refusal(desk,
                       Refusal::IdentityRequired,
                       on_its_way(request) + denial.message,
                       std::make_shared<const Caller>(*denial.whose));
    }
    return tl::unexpected(unproved(denial.message, is_token_wrong));
}

Proof who_it_proves(Desk& desk, const Request& request) {
    auto* const guard = desk.options.guard.get();
    const auto token = bearer_token(request);
    if (!token && !request.header("Authorization").empty()) {
        return tl::unexpected(unproved("only a bearer token is read in Authorization", true));
    }
    if (guard == nullptr || (!token && !request.certificate)) {
        return tl::unexpected(unproved("this hub asks every caller who it is", false));
    }
    std::optional<Caller> caller;
    if (request.certificate) {
        auto shown = guard->by_certificate(*request.certificate, desk.wall_clock());
        if (!shown) return denied(desk, request, shown.error(), false);
        caller = *std::move(shown);
    }
    if (token) {
        auto borne = guard->by_token(*token, desk.wall_clock());
        if (!borne) return denied(desk, request, borne.error(), true);
        if (caller && !is_same(*caller, *borne)) return refused_as_two(desk, *caller, *borne);
        // The token may add the users that the agent may act for.
        caller = caller ? identity::proved_by_both(*caller, *std::move(borne)) : *std::move(borne);
    }
    const auto astray = why_astray(desk, request);
    if (astray.empty()) return *std::move(caller);
    record_refusal(desk,
                   Refusal::IdentityRoleForbidden,
                   on_its_way(request) + std::string{astray},
                   std::make_shared<const Caller>(*std::move(caller)));
    return refused(Refusal::IdentityRoleForbidden, astray);
}

/// "agent, operator or admin".
std::string names_in(Who who) {
    std::string out;
    std::string_view last;
    for (const auto& kind : kCallerKinds) {
        if ((who & kind.bit) == 0) continue;
        if (!last.empty()) out.append(out.empty() ? "" : ", ").append(last);
        last = kind.name;
    }
    return out.append(out.empty() ? "" : " or ").append(last);
}

/// Whether an agent claims to be another agent, in the header that only --dev believes.
bool contradicts(const Caller& caller, const Request& request) {
    const auto said = request.header("Parlance-Agent");
    return !said.empty() && !may_act_for(caller, said);
}

/// Records a refusal. For a delegation the record includes the delegation's own claims, so that the
/// log of delegations lists the refusal.
void record_turned_away(Desk& desk,
                        const Request& request,
                        const Failure& why,
                        const CallerPtr& caller) {
    dialects::Rejection rejection{.refusal = why.refusal, .dialect = Dialect::Delegation};
    const bool is_delegation = request.method == "POST" && request.path == "/v1/delegations";
    if (is_delegation) dialects::note_claim(rejection, request.body);
    submit(desk,
           RecordRefusal{.id = rejection.id,
                         .refusal = static_cast<std::uint8_t>(why.refusal),
                         .detail = why.detail,
                         .to = rejection.to,
                         .user = rejection.user,
                         .objective = rejection.objective},
           caller,
           {});
}

}  // namespace

Admission admit(Desk& desk, const Request& request, Who who) {
    static const auto nobody = std::make_shared<const Caller>();
    if (who == kAnyone) return {nobody, std::nullopt};
    auto proof = desk.options.is_dev ? who_it_says(request) : who_it_proves(desk, request);
    if (!proof) return {nullptr, std::move(proof).error()};
    auto caller = std::make_shared<const Caller>(*std::move(proof));
    const auto turn_away = [&](Refusal refusal, const std::string& why) {
        record_turned_away(desk, request, {.refusal = refusal, .detail = why}, caller);
        return Admission{nullptr, problem(refusal, why)};
    };
    if (contradicts(*caller, request)) {
        return turn_away(Refusal::IdentityMismatch,
                         name_of(*caller) + " cannot be '" +
                             json::shortened(request.header("Parlance-Agent")) + "'");
    }
    if (!is_unnamed(*caller) && (who & kind_of(*caller)) == 0) {
        return turn_away(Refusal::IdentityRoleForbidden,
                         request.method + " " + json::shortened(request.path) + " is for " +
                             names_in(who) + ", and this is " + name_of(*caller));
    }
    return {std::move(caller), std::nullopt};
}

std::optional<Response> refusal_of_stranger(Desk& desk, const Request& request) {
    auto proof = desk.options.is_dev ? who_it_says(request) : who_it_proves(desk, request);
    if (proof) return std::nullopt;
    return std::move(proof).error();
}

std::optional<Response> refusal_of_doubled(const Request& request) {
    const auto name = doubled_in(request);
    if (name.empty()) return std::nullopt;
    return door_problem(400, "the header '" + std::string{name} + "' is there twice");
}

bool stands(const Desk& desk, const Caller& caller) {
    return !desk.options.guard || desk.options.guard->stands(caller, desk.wall_clock());
}

Response no_longer_proved() { return unproved(kNoLongerProved, true); }

std::optional<std::string> lack_of_lines(const Desk& desk, const Caller& caller, std::size_t own) {
    if (is_unnamed(caller)) return std::nullopt;
    std::size_t open = 0;
    const auto count = [&](const Caller& other) {
        open += other.agent == caller.agent && other.user == caller.user ? 1U : 0U;
    };
    for (const auto& [reply_target, connection] : desk.connections) count(connection->caller());
    for (const auto& stream : desk.streams) {
        if (!stream->is_closed) count(*stream->caller);
    }
    for (const auto& follower : desk.followers) {
        if (!follower->is_closed && !follower->is_on_connection) count(*follower->caller);
    }
    const auto most = desk.options.connections_per_identity_max;
    if (open < most + own) return std::nullopt;
    return name_of(caller) + " has " + std::to_string(open - own) +
           " connections and streams open, and " + std::to_string(most) + " is the most";
}

std::shared_ptr<void> place_to_wait(Desk& desk, const Caller& caller) {
    constexpr std::size_t kPlacesMin = 16;
    constexpr std::size_t kPlacesShare = 4;
    if (is_unnamed(caller)) return std::make_shared<char>();
    const auto connections_max =
        desk.server != nullptr ? desk.server->counts().connections_max : std::uint64_t{0};
    return desk.waits.take(line_of(caller),
                           std::max<std::size_t>(connections_max / kPlacesShare, kPlacesMin));
}

void record_too_large(Desk& desk, const Request& head, std::string_view what) {
    auto proof = desk.options.is_dev ? who_it_says(head) : who_it_proves(desk, head);
    if (!proof) return;  // Strangers are not recorded.
    auto& caller = *proof;
    const auto claimed = head.header("X-Agent-Origin");
    if (desk.options.is_dev && is_unnamed(caller) && is_agent_id(claimed)) {
        caller.agent = {std::string{claimed}};
    }
    const auto id = head.header("X-Agent-Request-ID");
    const bool is_delegation = head.path == "/v1/delegations" ||
                               head.header("Parlance-Dialect") == kDelegation ||
                               dialect_of(desk, caller.agent) == Dialect::Delegation;
    submit(desk,
           RecordRefusal{
               .id = std::string{id.size() > kIdBytesMax ? "" : id},
               .refusal = static_cast<std::uint8_t>(Refusal::MessageTooLarge),
               .detail = head.method + " " + json::shortened(head.path) + ": " + std::string{what},
               .objective = is_delegation ? std::string{kNotRead} : std::string{}},
           std::make_shared<const Caller>(std::move(caller)),
           {});
}

void record_refusal(Desk& desk, Refusal refusal, std::string detail, const CallerPtr& caller) {
    submit(
        desk,
        RecordRefusal{.refusal = static_cast<std::uint8_t>(refusal), .detail = std::move(detail)},
        caller,
        {});
}

void record_unseen(Desk& desk, Refusal refusal, std::string_view what, const CallerPtr& caller) {
    record_refusal(desk, refusal, name_of(*caller) + " may not see " + std::string{what}, caller);
}

void refuse_identity(Desk& desk, Call& call, std::string_view what, std::string_view whose) {
    const auto why = name_of(*call.caller) + " may not " + std::string{what} + " '" +
                     json::shortened(whose) + "'";
    record_refusal(desk, Refusal::IdentityMismatch, why, call.caller);
    call.exchange->respond(problem(Refusal::IdentityMismatch, why));
}

}  // namespace parlance::gateway
