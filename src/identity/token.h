// A bearer token: its bearer's identity and expiry, signed by the hub that minted the token.
//
//   plt1.CLAIMS.SIGNATURE      claims in JSON, and HMAC-SHA-256 over all before; both in base64url
//
// A right signature is not enough: a token must also be listed, unrevoked, in the book
// (token_book.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/caller.h"

namespace parlance::identity {

enum class Kind : std::uint8_t { Agent, Operator, User };

inline constexpr std::size_t kTokenBytesMax = std::size_t{8} * 1024;
inline constexpr std::size_t kUsersMax = 32;
inline constexpr std::size_t kGroupsMax = 32;

struct Claims {
    std::string id{};  ///< Names the token; no secret.
    Kind kind = Kind::Agent;
    std::string name{};                      ///< The agent's, the operator's or the user's.
    OperatorRole role = OperatorRole::None;  ///< Operators only.
    std::vector<std::string> users{};        ///< Users that an agent may act for; "*" for all.
    std::vector<std::string> groups{};       ///< An operator's roles for human tasks.
    Time issued{};
    Time expires{};
    bool operator==(const Claims&) const = default;
};

/// "agent", "operator", "user" and "viewer", "operator", "admin".
std::string_view name_of(Kind kind);
std::string_view name_of(OperatorRole role);
Result<OperatorRole> role_named(std::string_view name);

/// One to 128 letters, digits or ._-:/@, and no "topic:…".
bool is_agent_id(std::string_view id);
/// Fails if no agent can authenticate under this name, as for the hub's own.
Result<void> check_agent_name(std::string_view name);
/// Fails if agents and operators cannot bear the name because the hub reserves it for itself,
/// people or several recipients.
Result<void> check_free_name(std::string_view name);
/// Names of users and operators may have any bytes but control characters.
Result<void> check_claims(const Claims& claims);

/// As members of a JSON object, without its braces; the book adds members of its own.
std::string write_claims(const Claims& claims);
Result<Claims> read_claims(std::string_view json);

std::string sign_token(const Claims& claims, std::string_view key);
/// The claims, if the signature is right. Neither expiry nor revocation is checked.
Result<Claims> read_token(std::string_view token, std::string_view key);

}  // namespace parlance::identity
