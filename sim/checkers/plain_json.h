// JSON as the checkers read it: a small reader of their own, so that expectations do not come out
// of the code under test. Reads the texts of the simulated world and the hub's records of them;
// invalid JSON is an empty value.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parlance::sim {

struct PlainJson {
    std::string raw{};   ///< The value as written; empty: no value.
    std::string text{};  ///< The value of a string, without its quotes and escapes.
    std::vector<std::pair<std::string, PlainJson>> members{};
    std::vector<PlainJson> elements{};

    bool empty() const { return raw.empty(); }
    bool is_object() const { return raw.starts_with('{'); }
    bool is_array() const { return raw.starts_with('['); }
    bool is_string() const { return raw.starts_with('"'); }
    bool is_true() const { return raw == "true"; }
    /// The member of an object; an empty value if the object has none of this name.
    const PlainJson& operator[](std::string_view name) const;
    /// The value at a pointer; an empty value if the pointer leads nowhere.
    const PlainJson& at(std::string_view pointer) const;
};

PlainJson read_json(std::string_view text);

/// The text with each {"$from": pointer} replaced by `value_at(pointer)`, by its "default", or by
/// null.
std::string filled_in(const PlainJson& json,
                      const std::function<PlainJson(std::string_view)>& value_at);

}  // namespace parlance::sim
