// Does json::check() agree with simdjson on valid JSON, and does walking a checked text stay inside
// the text and give the same values?
#include "base/json.h"

#include <cmath>
#include <cstdint>

#include <simdjson.h>

#include "base/check.h"

namespace parlance::json {
namespace {

/// The whole value, rewritten without space. Notes numbers too large for simdjson.
std::string walked(Value value, bool& has_large_number) {
    std::string spare;
    std::string out;
    if (value.is_object()) {
        for (Members members{value}; members.next();) {
            out += out.empty() ? "{" : ",";
            append_quoted(out, members.key);
            CHECK(find(value, std::string{members.key})->raw == members.value.raw);
            out += ':' + walked(members.value, has_large_number);
        }
        return out.empty() ? "{}" : out + "}";
    }
    if (value.is_array()) {
        for (Elements elements{value}; elements.next();) {
            out += (out.empty() ? "[" : ",") + walked(elements.value, has_large_number);
        }
        return out.empty() ? "[]" : out + "]";
    }
    if (value.is_string()) {
        append_quoted(out, value.text(spare));
        return out;
    }
    CHECK(value.is_number() || value.is_bool() || value.is_null());
    if (value.is_number()) {
        const auto number = value.number();
        if (!number || std::abs(*number) >= 9.2e18) has_large_number = true;
        if (const auto integer = value.integer()) {
            CHECK(!number || std::abs(static_cast<double>(*integer) - *number) <= 2048);
        }
    }
    return std::string{value.raw};
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

void look_at(std::string_view text) {
    static simdjson::dom::parser parser;
    static simdjson::dom::parser parser_again;
    static Outline outline;
    static Outline shallow{.depth_max = 1};
    const auto checked = check(text);
    CHECK(check(text, outline).has_value() == checked.has_value());
    CHECK(check(text, shallow).has_value() == checked.has_value());
    const auto document = parser.parse(text.data(), text.size());
    if (!checked) {
        const auto& reason = checked.error().message;
        const bool is_ours = contains(reason, "twice") || contains(reason, "deeply");
        CHECK(is_ours || document.error() != simdjson::SUCCESS);
        return;
    }
    bool has_large_number = false;
    const std::string again = walked(root(text), has_large_number);
    CHECK(walked(root(text, outline), has_large_number) == again);
    CHECK(walked(root(text, shallow), has_large_number) == again);
    CHECK(check(again));
    if (has_large_number) return;
    CHECK(document.error() == simdjson::SUCCESS);
    const std::string expected = simdjson::minify(document.value_unsafe());
    CHECK(simdjson::minify(parser_again.parse(again).value_unsafe()) == expected);
}

}  // namespace
}  // namespace parlance::json

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    parlance::json::look_at({reinterpret_cast<const char*>(data), size});
    return 0;
}
