// Finds the function for a method and a path. The table is in route_table.h.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gateway/desk.h"

namespace parlance::gateway {

void route(Desk& desk, ExchangePtr exchange);

/// Refuses a request before its body is read: the caller is unknown, or the route takes no body.
std::optional<transport::Response> refusal_by_header(Desk& desk, const transport::Request& request);

/// Splits a path by a route's pattern; nothing if the path does not match. {…} takes one or more
/// characters, slashes included, so that an agent may be called "agent://planner/1".
/// `slashes_encoded` are the positions of slashes that came percent-encoded; such a slash is always
/// part of a name: "a%2Finbox" is an agent.
std::optional<std::vector<std::string_view>> match_path(
    std::string_view pattern,
    std::string_view path,
    std::span<const std::size_t> slashes_encoded = {});

}  // namespace parlance::gateway
