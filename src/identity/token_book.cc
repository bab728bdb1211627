#include "identity/token_book.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_write.h"
#include "base/secret.h"

namespace parlance::identity {

namespace {

constexpr std::size_t kTokensMax = 100'000;
constexpr std::size_t kIdBytes = 9;
constexpr std::size_t kHashDigits = 2 * sizeof(Digest);
/// How long the book keeps an expired token.
constexpr auto kKeepExpired = std::chrono::hours{30 * 24};

Result<TokenRecord> read_record(json::Value value) {
    TokenRecord record{.claims = TRY(read_claims(value.raw))};
    std::string spare;
    const auto hash = json::find(value, "sha256");
    if (!hash || !hash->is_string()) return fail(Fault::Corrupt, "a token has no sha256");
    record.hash = hash->text(spare);
    if (record.hash.size() != kHashDigits ||
        record.hash.find_first_not_of("0123456789abcdef") != std::string::npos) {
        return fail(Fault::Corrupt,
                    fmt::format("a token's sha256 is '{}', not {} hexadecimal digits",
                                json::shortened(record.hash),
                                kHashDigits));
    }
    if (const auto revoked = json::find(value, "revoked"); revoked && !revoked->is_null()) {
        const auto ms = revoked->integer();
        if (!ms) return fail(Fault::Corrupt, "a token is revoked at no time");
        record.revoked = Time{Duration{*ms}};
    }
    return record;
}

}  // namespace

std::string_view standing_of(const TokenRecord& record, Time now) {
    if (record.revoked) return "revoked";
    return now >= record.claims.expires ? "expired" : "valid";
}

std::string write_book(const std::vector<TokenRecord>& records) {
    std::string out = "{\"tokens\":[";
    for (const auto& record : records) {
        out += out.back() == '[' ? "\n{" : ",\n{";
        out += write_claims(record.claims) + R"(,"sha256":")" + record.hash + R"(","revoked":)";
        out += record.revoked ? std::to_string(record.revoked->time_since_epoch().count()) : "null";
        out += "}";
    }
    return out + "\n]}\n";
}

Result<std::vector<TokenRecord>> read_book(std::string_view text) {
    if (const auto checked = json::check(text); !checked) {
        return fail(Fault::Corrupt, checked.error().message);
    }
    const auto root = json::root(text);
    const auto list = root.is_object() ? json::find(root, "tokens") : std::nullopt;
    if (!list || !list->is_array()) return fail(Fault::Corrupt, "it has no list of tokens");
    std::vector<TokenRecord> records;
    for (json::Elements elements{*list}; elements.next();) {
        if (!elements.value.is_object()) return fail(Fault::Corrupt, "a token is no object");
        records.push_back(TRY(read_record(elements.value)));
    }
    return records;
}

Result<std::vector<TokenRecord>> list_tokens(const Folder& folder) {
    const auto text = TRY(folder.read(kTokenFile));
    if (!text) return std::vector<TokenRecord>{};
    auto records = read_book(*text);
    if (records) return records;
    return fail(Fault::Corrupt,
                fmt::format("{} is damaged: {}; restore it from a backup, or remove it and mint "
                            "every token anew",
                            folder.path_of(kTokenFile),
                            records.error().message));
}

Result<Minted> mint_token(const Folder& folder, Claims wanted, Time now) {
    if (wanted.kind != Kind::User) TRY(check_free_name(wanted.name));
    TRY(check_claims(wanted));
    if (wanted.expires <= now) return fail(Fault::Malformed, "a token must live for some time");
    const auto lock = TRY(folder.lock());
    auto records = TRY(list_tokens(folder));
    std::erase_if(records, [&](const TokenRecord& record) {
        return record.claims.expires + kKeepExpired <= now;
    });
    if (records.size() >= kTokensMax) {
        return fail(Fault::Exhausted, fmt::format("there are {} tokens already", kTokensMax));
    }
    wanted.id = to_base64url(random_bytes(kIdBytes));
    // A command line would take an id with a leading dash for an option of `revoke`.
    if (wanted.id.front() == '-') wanted.id.front() = '_';
    wanted.issued = now;
    const auto key = TRY(folder.secret(kTokenKeyFile));
    Minted minted{.claims = wanted, .secret = sign_token(wanted, key)};
    records.push_back({.claims = std::move(wanted), .hash = to_hex(sha256(minted.secret))});
    TRY(folder.write(kTokenFile, write_book(records)));
    return minted;
}

Result<TokenRecord> revoke_token(const Folder& folder, std::string_view id, Time now) {
    TRY(folder.check_is_there());
    const auto lock = TRY(folder.lock());
    auto records = TRY(list_tokens(folder));
    const auto found = std::ranges::find_if(
        records, [&](const TokenRecord& record) { return record.claims.id == id; });
    if (found == records.end()) {
        return fail(Fault::NotFound, fmt::format("there is no token '{}'", json::shortened(id)));
    }
    if (!found->revoked) {
        found->revoked = now;
        TRY(folder.write(kTokenFile, write_book(records)));
    }
    return *found;
}

}  // namespace parlance::identity
