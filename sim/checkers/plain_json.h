// JSON as the checkers read it: a small reader of their own, so that what they expect does not come
// out of the code that they check. For what the simulated world writes and the hub records of it;
// text that is no JSON is an empty value.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parlance::sim {

struct PlainJson {
    std::string raw{};   ///< As it is written; empty: there is nothing.
    std::string text{};  ///< Of a string, without its quotes and escapes.
    std::vector<std::pair<std::string, PlainJson>> members{};
    std::vector<PlainJson> elements{};

    bool empty() const { return raw.empty(); }
    bool is_object() const { return raw.starts_with('{'); }
    bool is_array() const { return raw.starts_with('['); }
    bool is_string() const { return raw.starts_with('"'); }
    bool is_true() const { return raw == "true"; }
    /// Of an object; an empty value if it has none of that name.
    const PlainJson& operator[](std::string_view name) const;
    /// What a pointer leads to; an empty value if there is nothing.
    const PlainJson& at(std::string_view pointer) const;
};

PlainJson read_json(std::string_view text);

/// The text with each {"$from": pointer} replaced by what `value_at` says is there, by its
/// "default", or by null.
std::string filled_in(const PlainJson& json,
                      const std::function<PlainJson(std::string_view)>& value_at);

}  // namespace parlance::sim
