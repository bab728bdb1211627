#include "identity/token.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_write.h"
#include "base/secret.h"
#include "model/envelope.h"
#include "model/handing.h"
#include "model/names.h"
#include "model/plan.h"

namespace parlance::identity {

namespace {

constexpr std::string_view kPrefix = "plt1.";

constexpr std::array kKinds{EnumName{Kind::Agent, "agent"},
                            EnumName{Kind::Operator, "operator"},
                            EnumName{Kind::User, "user"}};
constexpr std::array kRoles{EnumName{OperatorRole::None, ""},
                            EnumName{OperatorRole::Viewer, "viewer"},
                            EnumName{OperatorRole::Operator, "operator"},
                            EnumName{OperatorRole::Admin, "admin"}};

std::string_view text_of(const Digest& digest) {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

auto no_claims(std::string_view what) {
    return fail(Fault::Malformed, fmt::format("a token's claims have no {}", what));
}

Result<std::string> text_member(json::Value object, std::string_view key) {
    const auto value = json::find(object, key);
    if (!value || !value->is_string()) return no_claims(key);
    std::string spare;
    return std::string{value->text(spare)};
}

Result<Time> time_member(json::Value object, std::string_view key) {
    const auto value = json::find(object, key);
    const auto ms = value ? value->integer() : std::nullopt;
    // Far outside of any clock, where arithmetic would overflow.
    if (!ms || *ms < 0 || *ms > std::int64_t{1} << 50) return no_claims(key);
    return Time{Duration{*ms}};
}

Result<std::vector<std::string>> names_member(json::Value object, std::string_view key) {
    const auto list = json::find(object, key);
    if (!list || !list->is_array()) return no_claims(key);
    std::vector<std::string> names;
    std::string spare;
    for (json::Elements elements{*list}; elements.next();) {
        if (!elements.value.is_string()) return no_claims(fmt::format("{} that are texts", key));
        names.emplace_back(elements.value.text(spare));
    }
    return names;
}

bool is_plain_name(std::string_view name) {
    return !name.empty() && name.size() <= kIdBytesMax &&
           std::ranges::none_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

}  // namespace

std::string_view name_of(Kind kind) {
    return std::ranges::find(kKinds, kind, &EnumName<Kind>::value)->name;
}

std::string_view name_of(OperatorRole role) {
    return std::ranges::find(kRoles, role, &EnumName<OperatorRole>::value)->name;
}

Result<OperatorRole> role_named(std::string_view name) {
    const auto found = std::ranges::find(kRoles, name, &EnumName<OperatorRole>::name);
    if (found != kRoles.end()) return found->value;
    return fail(Fault::Malformed,
                fmt::format("there is no role '{}'; there are viewer, operator and admin",
                            json::shortened(name)));
}

bool is_agent_id(std::string_view id) {
    constexpr std::string_view kAllowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-:/@";
    return !id.empty() && id.size() <= kIdBytesMax &&
           id.find_first_not_of(kAllowed) == std::string_view::npos && !id.starts_with("topic:");
}

Result<void> check_agent_name(std::string_view name) {
    if (!is_agent_id(name)) {
        return fail(
            Fault::Malformed,
            fmt::format("'{}' is not 1 to 128 letters, digits or ._-:/@", json::shortened(name)));
    }
    if (name == kOrchestrator) {
        return fail(Fault::Malformed,
                    fmt::format("'{}' is the hub itself, in whose name the steps of workflows are "
                                "asked; call the agent otherwise",
                                name));
    }
    return {};
}

Result<void> check_free_name(std::string_view name) {
    const auto meaning = name == kOrchestrator || name == kHubName ? "the hub itself"
                         : is_for_people(name)                     ? "people"
                         : is_no_agent(name)                       ? "whoever can do something"
                         : name.starts_with("topic:")              ? "the subscribers of a topic"
                                                                   : nullptr;
    if (meaning == nullptr) return {};
    return fail(Fault::Malformed,
                fmt::format("'{}' means {} to the hub, and nobody can be called so",
                            json::shortened(name),
                            meaning));
}

Result<void> check_claims(const Claims& claims) {
    if (claims.kind == Kind::Agent) {
        if (auto name = check_agent_name(claims.name); !name) return name;
    }
    if (!is_plain_name(claims.name) || !std::ranges::all_of(claims.users, is_plain_name) ||
        !std::ranges::all_of(claims.groups, is_plain_name)) {
        return fail(Fault::Malformed, "a name has 1 to 128 bytes, and no control characters");
    }
    const bool has_role = claims.role != OperatorRole::None;
    if (has_role != (claims.kind == Kind::Operator)) {
        return fail(Fault::Malformed, "an operator has a role, and nobody else has one");
    }
    if (claims.kind != Kind::Agent && !claims.users.empty()) {
        return fail(Fault::Malformed, "only an agent acts for users");
    }
    if (claims.kind != Kind::Operator && !claims.groups.empty()) {
        return fail(Fault::Malformed, "only an operator is of groups");
    }
    if (claims.groups.size() > kGroupsMax) {
        return fail(Fault::Malformed, fmt::format("a token names at most {} groups", kGroupsMax));
    }
    if (claims.users.size() > kUsersMax) {
        return fail(Fault::Malformed,
                    fmt::format("a token names at most {} users; '*' stands for all", kUsersMax));
    }
    return {};
}

std::string write_claims(const Claims& claims) {
    json::ObjectWriter out;
    out.text("id", claims.id)
        .text("kind", name_of(claims.kind))
        .text("name", claims.name)
        .text("role", name_of(claims.role))
        .raw("users", json::quoted_list(claims.users));
    if (!claims.groups.empty()) out.raw("groups", json::quoted_list(claims.groups));
    out.integer("issued", claims.issued.time_since_epoch().count())
        .integer("expires", claims.expires.time_since_epoch().count());
    const auto object = out.done();
    return object.substr(1, object.size() - 2);
}

Result<Claims> read_claims(std::string_view json) {
    TRY(json::check(json));
    const auto root = json::root(json);
    if (!root.is_object()) return no_claims("object");
    const auto kind_name = TRY(text_member(root, "kind"));
    const auto kind = std::ranges::find(kKinds, kind_name, &EnumName<Kind>::name);
    if (kind == kKinds.end()) return no_claims("kind that is known");
    const auto role = TRY(text_member(root, "role"));
    // Member by member: a return out of the middle of an initialiser leaks the members made so far.
    Claims claims;
    claims.kind = kind->value;
    claims.id = TRY(text_member(root, "id"));
    claims.name = TRY(text_member(root, "name"));
    claims.role = TRY(role_named(role));
    claims.users = TRY(names_member(root, "users"));
    // Tokens minted before groups existed have no groups.
    if (json::find(root, "groups")) claims.groups = TRY(names_member(root, "groups"));
    claims.issued = TRY(time_member(root, "issued"));
    claims.expires = TRY(time_member(root, "expires"));
    if (claims.id.empty()) return no_claims("id");
    TRY(check_claims(claims));
    return claims;
}

std::string sign_token(const Claims& claims, std::string_view key) {
    auto token = std::string{kPrefix} + to_base64url("{" + write_claims(claims) + "}");
    const auto signature = hmac_sha256(key, token);
    return token + "." + to_base64url(text_of(signature));
}

Result<Claims> read_token(std::string_view token, std::string_view key) {
    const auto stranger = [] {
        return fail(Fault::Malformed, "the token is none that this hub minted");
    };
    const auto dot = token.rfind('.');
    if (token.size() > kTokenBytesMax || !token.starts_with(kPrefix) || dot < kPrefix.size()) {
        return stranger();
    }
    const auto signature = from_base64url(token.substr(dot + 1));
    const auto expected = hmac_sha256(key, token.substr(0, dot));
    // The signature first: claims of unsigned tokens are never parsed.
    if (!signature || !is_same_secret(*signature, text_of(expected))) return stranger();
    const auto claims = from_base64url(token.substr(kPrefix.size(), dot - kPrefix.size()));
    if (!claims) return stranger();
    return read_claims(*claims);
}

}  // namespace parlance::identity
