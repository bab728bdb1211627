// OpenSSL deprecates these functions in favour of functions that look the algorithm up, allocate
// and lock. The deprecated functions exist throughout version 3 of the library.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "base/sha256.h"

#include <algorithm>

#include "base/check.h"

namespace parlance {

Sha256::Sha256() { CHECK(SHA256_Init(&context_) == 1); }

void Sha256::add(std::string_view bytes) {
    CHECK(SHA256_Update(&context_, bytes.data(), bytes.size()) == 1);
}

Digest Sha256::finish() {
    Digest digest;
    CHECK(SHA256_Final(digest.data(), &context_) == 1);
    CHECK(SHA256_Init(&context_) == 1);
    return digest;
}

namespace {

std::string_view bytes_of(const Digest& digest) {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

/// Pads a key as in RFC 2104: one block, each byte xor `pad`.
std::string padded(std::string_view key, unsigned char pad) {
    std::string block =
        key.size() > SHA256_CBLOCK ? std::string{bytes_of(sha256(key))} : std::string{key};
    block.resize(SHA256_CBLOCK);
    for (char& byte : block) byte = static_cast<char>(static_cast<unsigned char>(byte) ^ pad);
    return block;
}

}  // namespace

KeyedSha256::KeyedSha256(std::string_view key, std::string_view begin) {
    constexpr unsigned char kInner = 0x36;
    constexpr unsigned char kOuter = 0x5c;
    inner_.add(padded(key, kInner));
    inner_.add(begin);
    outer_.add(padded(key, kOuter));
}

Digest KeyedSha256::of(std::string_view bytes) const {
    Sha256 inner = inner_;
    inner.add(bytes);
    Sha256 outer = outer_;
    outer.add(bytes_of(inner.finish()));
    return outer.finish();
}

Digest sha256(std::string_view bytes) {
    Sha256 hasher;
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
