// Delegation: the dialect in which XspensesAI's "Prime" delegates to its specialists.
#pragma once

#include <functional>

#include "dialects/dialect_row.h"

namespace parlance::dialects::delegation {

extern const DialectRow kRow;

/// X17: the message in the current version.
Reading<std::string> in_current_version(std::string_view text);

/// X12: every header of the HTTP form that contradicts the request. `header` returns a header's
/// value, empty if there is none.
using HeaderOf = std::function<std::string_view(std::string_view name)>;
Problems check_headers(json::Value request, const HeaderOf& header);

/// The request with the members that its headers supply.
std::string with_headers(json::Value request, const HeaderOf& header);

/// Member of a request that names the requester.
inline constexpr std::string_view kOriginPointer = "/origin_employee";

}  // namespace parlance::dialects::delegation
