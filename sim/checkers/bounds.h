// G7, as a table: each limit of the hub, and the use it bounds. A limit without a row does not
// compile (bounds.cc), so that a new limit cannot go unchecked.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/core.h"
#include "sim/history.h"

namespace parlance::sim {

struct Bound {
    std::string_view limit;  ///< The name in model/limits.h.
    std::uint64_t (*most)(const Limits&) = nullptr;
    std::uint64_t (*used)(const core::State&) = nullptr;  ///< Use by the state.
    std::uint64_t (*recorded)(const Entry&) = nullptr;    ///< Use by a record; 0: none.
    std::string_view held_by{};  ///< The promise whose checker holds the limit instead.
};
std::span<const Bound> bounds();

/// Reports limits that the state exceeds.
void check_bounds(const core::State& state, std::vector<Finding>& findings);
/// Reports limits that a record exceeds.
void check_bounds(const Entry& entry, const Limits& limits, std::vector<Finding>& findings);

}  // namespace parlance::sim
