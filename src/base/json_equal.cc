#include "base/json_equal.h"

#include <algorithm>

#include "base/decimal.h"
#include "base/json_sorted.h"

namespace parlance::json {

namespace {

bool is_equal_object(Value left, Value right, Numbers numbers) {
    Members lefts{left};
    Members rights{right};
    // Copies of an object have their members in the same order.
    while (true) {
        const bool has_left = lefts.next();
        if (has_left != rights.next()) return false;
        if (!has_left) return true;
        if (lefts.key != rights.key) break;
        if (!is_equal(lefts.value, rights.value, numbers)) return false;
    }
    const SortedMembers lefts_left{left, lefts};
    const SortedMembers rights_left{right, rights};
    return std::ranges::equal(
        lefts_left.all(), rights_left.all(), [numbers](const auto& one, const auto& other) {
            return one.key == other.key && is_equal(one.value, other.value, numbers);
        });
}

bool is_equal_array(Value left, Value right, Numbers numbers) {
    Elements lefts{left};
    Elements rights{right};
    while (true) {
        const bool has_left = lefts.next();
        if (has_left != rights.next()) return false;
        if (!has_left) return true;
        if (!is_equal(lefts.value, rights.value, numbers)) return false;
    }
}

}  // namespace

bool is_equal(Value left, Value right, Numbers numbers) {
    if (left.raw == right.raw) return true;
    if (numbers == Numbers::ByValue && left.is_number() && right.is_number()) {
        return decimal_of(left.raw) == decimal_of(right.raw);
    }
    if (left.is_string() && right.is_string()) {
        std::string spare_left;
        std::string spare_right;
        return left.text(spare_left) == right.text(spare_right);
    }
    if (left.is_object() && right.is_object()) return is_equal_object(left, right, numbers);
    return left.is_array() && right.is_array() && is_equal_array(left, right, numbers);
}

}  // namespace parlance::json
