// The parts of a message in its sender's own words, not the protocol's: where personal data can
// occur.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/envelope.h"

namespace parlance::dialects {

/// The values of a message other than ids, agents, times, numbers and words of the dialect, in
/// order of position. An unknown member comes with its key, starting right behind the member
/// before. `exempt` are JSON pointers to leave out. `message` must be strict JSON.
std::vector<std::string_view> content_of(Dialect dialect,
                                         std::string_view message,
                                         std::span<const std::string> exempt = {});

/// The JSON pointers in a translated message's extension: string literals within the message,
/// quotes included. Pointers consist of the original's keys.
std::vector<std::string_view> pointers_in(std::string_view message);

}  // namespace parlance::dialects
