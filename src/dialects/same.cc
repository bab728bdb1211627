#include "dialects/same.h"

#include "base/hash.h"

namespace parlance::dialects {

namespace {

/// The first character of a value tells its kind, so "1" and 1 differ.
std::uint64_t kind_of(json::Value value) { return static_cast<unsigned char>(value.raw.front()); }

}  // namespace

std::uint64_t digest_of(json::Value object, std::string_view left_out) {
    const std::uint64_t kind = kind_of(object);
    std::uint64_t digest = kind;
    // A sum, independent of the order of members.
    for (json::Members members{object}; members.next();) {
        if (!left_out.empty() && members.key == left_out) continue;
        digest += siphash_short({digest_of(members.value), kind}, members.key);
    }
    return digest;
}

std::uint64_t digest_of(json::Value value) {
    const std::uint64_t kind = kind_of(value);
    if (value.is_string()) {
        std::string spare;
        return siphash_short({kind, 0}, value.text(spare));
    }
    if (value.is_object()) return digest_of(value, {});
    std::uint64_t digest = kind;
    if (!value.is_array()) return siphash_short({}, value.raw);
    for (json::Elements elements{value}; elements.next();) {
        digest = digest * 0x9E3779B97F4A7C15U + digest_of(elements.value);
    }
    return digest;
}

}  // namespace parlance::dialects
