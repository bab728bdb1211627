// Delegation: the dialect in which XspensesAI's "Prime" delegates to its specialists.
#pragma once

#include <functional>

#include "dialects/dialect_row.h"

namespace parlance::dialects::delegation {

extern const DialectRow kRow;

/// X12: every header of the HTTP form that contradicts the request. `header` gives the value of a
/// header, empty if there is none.
Problems check_headers(json::Value request,
                       const std::function<std::string_view(std::string_view name)>& header);

}  // namespace parlance::dialects::delegation
