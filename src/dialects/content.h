// What in a message is its sender's own words, and not the protocol's: where personal data can be.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/envelope.h"

namespace parlance::dialects {

/// The values of a message that are neither ids, agents, times, numbers nor words of the dialect,
/// in the order in which they stand. A member that no table knows is among them with its key, from
/// behind the member before it on. `exempt` are JSON pointers of what is left out. `message` must
/// be strict JSON.
std::vector<std::string_view> content_of(Dialect dialect,
                                         std::string_view message,
                                         std::span<const std::string> exempt = {});

/// The JSON pointers by which a translated message keeps what has no counterpart: strings that
/// stand in it, quotes included. They are made of keys.
std::vector<std::string_view> pointers_in(std::string_view message);

}  // namespace parlance::dialects
