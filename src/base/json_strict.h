// Whether a text is JSON, where nobody asks why not: saying why takes longer than a short text.
#pragma once

#include <string_view>

namespace parlance::json {

/// Whether check() passes it.
bool is_strict(std::string_view text);

}  // namespace parlance::json
