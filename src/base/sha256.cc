#include "base/sha256.h"

#include <openssl/evp.h>

#include "base/check.h"

namespace parlance {

namespace {

// Looking the algorithm up costs more than hashing a short record: done once, and never freed,
// because contexts of static lifetime may outlive any owner.
const EVP_MD* algorithm() {
    static const EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    CHECK(found != nullptr);
    return found;
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
    CHECK(context_ != nullptr);
    CHECK(EVP_DigestInit_ex2(context_.get(), algorithm(), nullptr) == 1);
}

void Sha256::add(std::string_view bytes) {
    CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

Digest Sha256::finish() {
    Digest digest;
    CHECK(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == 1);
    CHECK(EVP_DigestInit_ex2(context_.get(), nullptr, nullptr) == 1);
    return digest;
}

Digest sha256(std::string_view bytes) {
    thread_local Sha256 hasher;  // Making one costs more than hashing a short text.
    hasher.add(bytes);
    return hasher.finish();
}

std::string to_hex(const Digest& digest) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex(digest.size() * 2, '\0');
    auto* digit = hex.data();
    for (const auto byte : digest) {
        *digit++ = kDigits[byte >> 4U];
        *digit++ = kDigits[byte & 0xFU];
    }
    return hex;
}

}  // namespace parlance
