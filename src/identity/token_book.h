// The tokens: minted, listed and revoked, with or without a running hub.
//
// The book keeps only the SHA-256 of each secret: a reader of the book cannot authenticate with it.
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

/// All tokens, in the order of minting.
Result<std::vector<TokenRecord>> list_tokens(const Folder& folder);

struct Minted {
    Claims claims;
    std::string secret;  ///< Shown once; the hub keeps no copy.
};
/// Sets the id and issue time of `wanted`. Durable on return.
Result<Minted> mint_token(const Folder& folder, Claims wanted, Time now);
/// Fault::NotFound if there is no such token. A revoked token keeps its first revocation time.
Result<TokenRecord> revoke_token(const Folder& folder, std::string_view id, Time now);

}  // namespace parlance::identity
