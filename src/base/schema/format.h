// The formats that a schema can require of a string.
#pragma once

#include <cstddef>
#include <string_view>

namespace parlance::schema {

struct Format {
    std::string_view name;
    bool (*fits)(std::string_view text);
    std::string_view meaning;  ///< In words, after "must be".
    std::size_t steps = 4;     ///< Fixed cost of a check, in steps of check().
};

/// Null for a format that is not asserted.
const Format* format_named(std::string_view name);

}  // namespace parlance::schema
