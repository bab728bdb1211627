// Which tokens there are: minted, listed and revoked, whether a hub runs on the data or not.
//
// The secrets are not here, only their SHA-256: who reads the book cannot come in with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "identity/folder.h"
#include "identity/token.h"

namespace parlance::identity {

inline constexpr std::string_view kTokenFile = "tokens.json";
inline constexpr std::string_view kTokenKeyFile = "token.key";

struct TokenRecord {
    Claims claims{};
    std::string hash{};  ///< SHA-256 of the whole token, in hexadecimal.
    std::optional<Time> revoked{};
    bool operator==(const TokenRecord&) const = default;
};

/// "valid", "expired" or "revoked".
std::string_view standing_of(const TokenRecord& record, Time now);

std::string write_book(const std::vector<TokenRecord>& records);
Result<std::vector<TokenRecord>> read_book(std::string_view text);

/// All of them, in the order in which they were minted.
Result<std::vector<TokenRecord>> list_tokens(const Folder& folder);

struct Minted {
    Claims claims;
    std::string secret;  ///< Told once; it cannot be had again.
};
/// `wanted` without id and issue: those are made here. Durable on return.
Result<Minted> mint_token(const Folder& folder, Claims wanted, Time now);
/// Fault::NotFound if there is none. One that is revoked stays as it was.
Result<TokenRecord> revoke_token(const Folder& folder, std::string_view id, Time now);

}  // namespace parlance::identity
