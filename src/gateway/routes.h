// Which function answers which method and path. The table is in route_table.h.
#pragma once

#include "gateway/desk.h"

namespace parlance::gateway {

void route(Desk& desk, ExchangePtr exchange);

/// Splits a path by a route's pattern; nothing if it does not fit. {…} takes one or more
/// characters, slashes included, so that an agent may be called "agent://planner/1".
std::optional<std::vector<std::string_view>> match_path(std::string_view pattern,
                                                        std::string_view path);

}  // namespace parlance::gateway
