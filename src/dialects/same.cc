#include "dialects/same.h"

#include <algorithm>

#include "base/hash.h"
#include "base/json_sorted.h"

namespace parlance::dialects {

namespace {

bool is_same_object(json::Value left, json::Value right) {
    const json::SortedMembers lefts{left};
    const json::SortedMembers rights{right};
    return std::ranges::equal(lefts.all(), rights.all(), [](const auto& one, const auto& other) {
        return one.key == other.key && is_same(one.value, other.value);
    });
}

bool is_same_array(json::Value left, json::Value right) {
    json::Elements lefts{left};
    json::Elements rights{right};
    while (true) {
        const bool has_left = lefts.next();
        if (has_left != rights.next()) return false;
        if (!has_left) return true;
        if (!is_same(lefts.value, rights.value)) return false;
    }
}

}  // namespace

bool is_same(json::Value left, json::Value right) {
    if (left.raw == right.raw) return true;
    if (left.is_string() && right.is_string()) {
        std::string spare_left;
        std::string spare_right;
        return left.text(spare_left) == right.text(spare_right);
    }
    if (left.is_object() && right.is_object()) return is_same_object(left, right);
    return left.is_array() && right.is_array() && is_same_array(left, right);
}

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
