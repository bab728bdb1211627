// Can hostile bytes pass for a token, for claims, for a book, or for the name in a certificate?
#include "identity/token.h"

#include <cstdint>

#include "base/check.h"
#include "base/secret.h"
#include "identity/certificate_book.h"
#include "identity/identity.h"
#include "identity/token_book.h"

namespace {

using namespace parlance;

const std::string kKey(32, 'k');

/// The fuzzer has no key: a readable token was signed with the key, and its claims are the signed
/// claims.
void check_token(std::string_view bytes) {
    const auto claims = identity::read_token(bytes, kKey);
    if (claims) CHECK(identity::sign_token(*claims, kKey) == bytes);
}

/// Readable claims can be signed, and read back from the token.
void check_claims(std::string_view bytes) {
    const auto claims = identity::read_claims(bytes);
    if (!claims) return;
    const auto token = identity::sign_token(*claims, kKey);
    const auto again = identity::read_token(token, kKey);
    CHECK(token.size() > identity::kTokenBytesMax || (again && *again == *claims));
}

void check_credential_books(std::string_view bytes) {
    if (const auto book = identity::read_book(bytes)) {
        CHECK(identity::read_book(identity::write_book(*book)) == *book);
    }
    if (const auto book = identity::read_certificates(bytes)) {
        CHECK(identity::read_certificates(identity::write_certificates(*book)) == *book);
    }
}

void check_name(std::string_view bytes) {
    const auto agent = identity::agent_named_by({std::string{bytes}});
    if (!agent) return;
    CHECK(identity::is_agent_id(*agent));
    CHECK("URI:parlance://agent/" + *agent == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes{reinterpret_cast<const char*>(data), size};
    check_token(bytes);
    check_claims(bytes);
    check_credential_books(bytes);
    check_name(bytes);
    if (const auto decoded = from_base64url(bytes)) CHECK(to_base64url(*decoded) == bytes);
    return 0;
}
