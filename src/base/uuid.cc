#include "base/uuid.h"

#include <array>
#include <cstddef>

#include "base/hash.h"

namespace parlance {

namespace {

constexpr std::size_t kTextBytes = 36;

/// Begin and end of a group of digits; hyphens separate groups.
struct Group {
    std::size_t begin;
    std::size_t end;
};
constexpr std::array kGroups{
    Group{0, 8}, Group{9, 13}, Group{14, 18}, Group{19, 23}, Group{24, kTextBytes}};

constexpr std::array<bool, 256> kIsHex = [] {
    std::array<bool, 256> is_hex{};
    for (const char c : std::string_view{"0123456789abcdefABCDEF"}) {
        is_hex[static_cast<unsigned char>(c)] = true;
    }
    return is_hex;
}();

}  // namespace

// Called for every message without an id, and every id is checked: hence no branch per digit.
std::string uuid_v4(std::uint64_t random_high, std::uint64_t random_low) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const std::uint64_t high = (random_high & 0xFFFFFFFFFFFF0FFFU) | 0x4000U;
    const std::uint64_t low = (random_low & 0x3FFFFFFFFFFFFFFFU) | 0x8000000000000000U;

    std::string text(kTextBytes, '-');
    char* out = text.data();
    const auto put = [&](std::uint64_t bits, unsigned digits) {
        for (unsigned left = digits; left-- > 0;) *out++ = kDigits[(bits >> (4U * left)) & 0xFU];
        ++out;  // Skips the hyphen.
    };
    put(high >> 32U, 8);
    put(high >> 16U, 4);
    put(high, 4);
    put(low >> 48U, 4);
    put(low, 12);
    return text;
}

bool is_uuid(std::string_view text) {
    if (text.size() != kTextBytes) return false;
    bool is_one = true;
    for (const Group& group : kGroups) {
        if (group.end < kTextBytes) is_one = is_one && text[group.end] == '-';
        for (std::size_t place = group.begin; place < group.end; ++place) {
            is_one &= kIsHex[static_cast<unsigned char>(text[place])];
        }
    }
    return is_one;
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
