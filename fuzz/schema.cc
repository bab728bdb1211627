// Can a hostile schema or instance break the validator, and does the validator give the same result
// for an instance with and without an outline? The input is a schema, a zero byte and an instance.
#include "base/schema/schema.h"

#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/schema/equal.h"

namespace parlance::schema {
namespace {

bool is_same(const std::vector<Violation>& left, const std::vector<Violation>& right) {
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i].pointer != right[i].pointer || left[i].keyword != right[i].keyword)
            return false;
    }
    return true;
}

void look_at_values(json::Value left, json::Value right) {
    CHECK(is_equal(left, left));
    if (is_equal(left, right)) CHECK(hash_of(left) == hash_of(right));
    CHECK(is_equal(left, right) == is_equal(right, left));
}

void look_at(std::string_view text) {
    const auto zero = text.find('\0');
    const auto schema = compile(text.substr(0, zero));
    if (!schema) {
        CHECK(!schema.error().empty());
        for (const auto& flaw : schema.error()) CHECK(!flaw.reason.empty());
    }
    if (zero == std::string_view::npos) return;
    const std::string instance{text.substr(zero + 1)};
    json::Outline outline;
    if (!json::check(instance, outline)) return;
    if (json::check(text.substr(0, zero))) {
        look_at_values(json::root(text.substr(0, zero)), json::root(instance));
    }
    if (!schema) return;
    const auto violations = check(*schema, json::root(instance, outline));
    CHECK(violations.size() <= kViolationsMax);
    CHECK(is_same(violations, check(*schema, json::root(instance))));
}

}  // namespace
}  // namespace parlance::schema

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    parlance::schema::look_at({reinterpret_cast<const char*>(data), size});
    return 0;
}
