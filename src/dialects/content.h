// What in a message is its sender's own words, and not the protocol's: where personal data can be.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/envelope.h"

namespace parlance::dialects {

/// The values of a message that are neither ids, agents, times, numbers nor words of the dialect,
/// in the order in which they stand; members that no table knows are among them. `exempt` are JSON
/// pointers of what is left out. `message` must be strict JSON.
std::vector<std::string_view> content_of(Dialect dialect,
                                         std::string_view message,
                                         std::span<const std::string> exempt = {});

}  // namespace parlance::dialects
