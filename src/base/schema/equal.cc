#include "base/schema/equal.h"

#include "base/decimal.h"
#include "base/hash.h"

namespace parlance::schema {

namespace {

/// Kinds of values, so that "1", 1 and [1] get different hashes.
enum Salt : std::uint64_t { OfWord, OfNumber, OfString, OfArray, OfObject };

std::uint64_t hash_text(Salt salt, std::uint64_t more, std::string_view text) {
    return siphash_short({process_key().low ^ salt, process_key().high ^ more}, text);
}

}  // namespace

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
        std::uint64_t sum = OfObject;  // A sum, because the order of members does not matter.
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
