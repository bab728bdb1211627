// K11: users never learn which agent does what. One guard covers every text that users see.
//
// Agents' sentences are prose, and internal names are removed from prose. A value of one word, a
// number, or a code beside a number ("AUD 500") is data and stays unchanged, even if an agent has
// the same name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace parlance::narrative {

/// An internal name (of an agent or a capability) or word, and its replacement for users.
struct Internal {
    std::string_view name{};
    std::string_view instead{};
};

/// Sorts so that a name is matched before any of its prefixes.
void longest_first(std::vector<Internal>& internals);

/// True if a text at this key of a structured answer is prose.
bool is_prose(std::string_view key, std::string_view text);

/// Prose without internal names and routing words. `internals` are sorted longest first. An
/// ordinary word is no name: "byte" gives nothing away.
std::string discreet(std::string_view text, const std::vector<Internal>& internals);

/// JSON with its prose guarded; data and keys are unchanged.
std::string discreet_json(json::Value value, const std::vector<Internal>& internals);

}  // namespace parlance::narrative
