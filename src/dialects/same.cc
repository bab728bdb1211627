#include "dialects/same.h"

#include "base/hash.h"

namespace parlance::dialects {

std::uint64_t digest_of(json::Value value) {
    // The first letter of a value tells its kind, so that "1" and 1 differ.
    const auto kind = static_cast<std::uint64_t>(static_cast<unsigned char>(value.raw.front()));
    if (value.is_string()) {
        std::string spare;
        return siphash_short({kind, 0}, value.text(spare));
    }
    std::uint64_t digest = kind;
    if (value.is_object()) {
        // A sum, for the order of members does not matter.
        for (json::Members members{value}; members.next();) {
            digest += siphash_short({digest_of(members.value), kind}, members.key);
        }
        return digest;
    }
    if (!value.is_array()) return siphash_short({}, value.raw);
    for (json::Elements elements{value}; elements.next();) {
        digest = digest * 0x9E3779B97F4A7C15U + digest_of(elements.value);
    }
    return digest;
}

}  // namespace parlance::dialects
