#include "base/uuid.h"

#include <cstddef>

#include "base/hash.h"

namespace parlance {

namespace {

constexpr std::size_t kTextBytes = 36;

constexpr bool is_hyphen_place(std::size_t place) {
    return place == 8 || place == 13 || place == 18 || place == 23;
}

constexpr bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

std::string uuid_v4(std::uint64_t random_high, std::uint64_t random_low) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::uint64_t high = (random_high & 0xFFFFFFFFFFFF0FFFU) | 0x4000U;
    std::uint64_t low = (random_low & 0x3FFFFFFFFFFFFFFFU) | 0x8000000000000000U;

    std::string text(kTextBytes, '-');
    for (std::size_t place = kTextBytes; place-- > 0;) {
        if (is_hyphen_place(place)) continue;
        std::uint64_t& half = place > 18 ? low : high;
        text[place] = kDigits[half & 0xFU];
        half >>= 4U;
    }
    return text;
}

bool is_uuid(std::string_view text) {
    if (text.size() != kTextBytes) return false;
    for (std::size_t place = 0; place < kTextBytes; ++place) {
        const bool fits = is_hyphen_place(place) ? text[place] == '-' : is_hex(text[place]);
        if (!fits) return false;
    }
    return true;
}

bool is_uuid4(std::string_view text) {
    constexpr std::size_t kVersionPlace = 14;
    constexpr std::size_t kVariantPlace = 19;
    constexpr std::string_view kVariants = "89abAB";
    return is_uuid(text) && text[kVersionPlace] == '4' &&
           kVariants.find(text[kVariantPlace]) != std::string_view::npos;
}

std::string derived_uuid(std::string_view text) {
    const std::uint64_t high = siphash({0x7061726c616e6365U, 0x646961676f6e616cU}, text);
    return uuid_v4(high, siphash({high, 0x6964U}, text));
}

std::string derived_uuid(std::uint64_t digest) {
    return uuid_v4(digest, siphash({digest, 0x6964U}, "digest"));
}

}  // namespace parlance
