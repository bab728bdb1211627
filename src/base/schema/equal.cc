#include "base/schema/equal.h"

#include <algorithm>

#include "base/decimal.h"
#include "base/hash.h"
#include "base/json_sorted.h"

namespace parlance::schema {

namespace {

/// The kinds of values, so that "1" and 1 and [1] differ.
enum Salt : std::uint64_t { OfWord, OfNumber, OfString, OfArray, OfObject };

std::uint64_t hash_text(Salt salt, std::uint64_t more, std::string_view text) {
    return siphash_short({process_key().low ^ salt, process_key().high ^ more}, text);
}

bool is_equal_object(json::Value left, json::Value right) {
    const json::SortedMembers lefts{left};
    const json::SortedMembers rights{right};
    return std::ranges::equal(lefts.all(), rights.all(), [](const auto& one, const auto& other) {
        return one.key == other.key && is_equal(one.value, other.value);
    });
}

bool is_equal_array(json::Value left, json::Value right) {
    json::Elements lefts{left};
    json::Elements rights{right};
    while (true) {
        const bool has_left = lefts.next();
        if (has_left != rights.next()) return false;
        if (!has_left) return true;
        if (!is_equal(lefts.value, rights.value)) return false;
    }
}

}  // namespace

bool is_equal(json::Value left, json::Value right) {
    if (left.raw == right.raw) return true;
    if (left.is_number() && right.is_number()) {
        return decimal_of(left.raw) == decimal_of(right.raw);
    }
    if (left.is_string() && right.is_string()) {
        std::string spare_left;
        std::string spare_right;
        return left.text(spare_left) == right.text(spare_right);
    }
    if (left.is_object() && right.is_object()) return is_equal_object(left, right);
    return left.is_array() && right.is_array() && is_equal_array(left, right);
}

std::uint64_t hash_of(json::Value value) {
    if (value.is_string()) {
        std::string spare;
        return hash_text(OfString, 0, value.text(spare));
    }
    if (value.is_number()) {
        const auto number = decimal_of(value.raw);
        const auto scale = static_cast<std::uint64_t>(number.exponent) * 2;
        return hash_text(OfNumber, scale + std::uint64_t{number.is_negative}, number.digits);
    }
    if (value.is_object()) {
        std::uint64_t sum = OfObject;  // For the order of members does not matter.
        for (json::Members members{value}; members.next();) {
            sum += hash_text(OfObject, hash_of(members.value), members.key);
        }
        return sum;
    }
    if (!value.is_array()) return hash_text(OfWord, 0, value.raw);
    std::uint64_t hash = hash_text(OfArray, 0, {});
    for (json::Elements elements{value}; elements.next();) {
        hash = hash_text(OfArray, hash + hash_of(elements.value), {});
    }
    return hash;
}

}  // namespace parlance::schema
