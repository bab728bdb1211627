// G7, as a table: each limit of the hub, and what it bounds. A limit without a row does not
// compile (bounds.cc), so that a new one cannot go unchecked.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/core.h"
#include "sim/history.h"

namespace parlance::sim {

struct Bound {
    std::string_view limit;  ///< Its name in model/limits.h.
    std::uint64_t (*most)(const Limits&) = nullptr;
    std::uint64_t (*used)(const core::State&) = nullptr;  ///< How much the state has of it.
    std::uint64_t (*recorded)(const Entry&) = nullptr;    ///< How much a record takes; 0: none.
    std::string_view held_by{};  ///< The promise whose checker holds it instead.
};
std::span<const Bound> bounds();

/// What the state has too much of.
void check_bounds(const core::State& state, std::vector<Finding>& findings);
/// What a record took too much of.
void check_bounds(const Entry& entry, const Limits& limits, std::vector<Finding>& findings);

}  // namespace parlance::sim
