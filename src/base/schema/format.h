// The formats that a string can be asked to have.
#pragma once

#include <cstddef>
#include <string_view>

namespace parlance::schema {

struct Format {
    std::string_view name;
    bool (*fits)(std::string_view text);
    std::string_view meaning;  ///< In words, behind "must be".
    std::size_t steps = 4;     ///< What looking costs before the first byte, in steps of check().
};

/// Null for a format that is not asserted.
const Format* format_named(std::string_view name);

}  // namespace parlance::schema
