#include "base/secret.h"

#include <cstdint>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "base/check.h"

namespace parlance {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

Digest hmac_sha256(std::string_view key, std::string_view bytes) {
    Digest digest{};
    unsigned int size = 0;
    const auto* const made = HMAC(EVP_sha256(),
                                  key.data(),
                                  static_cast<int>(key.size()),
                                  bytes_of(bytes),
                                  bytes.size(),
                                  digest.data(),
                                  &size);
    CHECK(made != nullptr && size == digest.size());
    return digest;
}

std::string random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    auto* const out = reinterpret_cast<unsigned char*>(bytes.data());
    CHECK(RAND_bytes(out, static_cast<int>(count)) == 1);
    return bytes;
}

bool is_same_secret(std::string_view left, std::string_view right) {
    return left.size() == right.size() &&
           CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

std::string to_base64url(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() * 4 + 2) / 3);
    std::uint32_t held = 0;
    unsigned bits = 0;
    for (const char c : bytes) {
        held = held << 8U | static_cast<unsigned char>(c);
        for (bits += 8; bits >= 6; bits -= 6) text.push_back(kAlphabet[held >> (bits - 6) & 63U]);
    }
    if (bits > 0) text.push_back(kAlphabet[held << (6 - bits) & 63U]);
    return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size() * 3 / 4);
    std::uint32_t held = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const auto value = kAlphabet.find(c);
        if (value == std::string_view::npos) return std::nullopt;
        held = held << 6U | static_cast<std::uint32_t>(value);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes.push_back(static_cast<char>(held >> bits & 0xFFU));
    }
    // A single last character encodes no byte, and leftover bits must be zero.
    const bool is_exact = text.size() % 4 != 1 && (held & ((1U << bits) - 1)) == 0;
    if (!is_exact) return std::nullopt;
    return bytes;
}

}  // namespace parlance
