// K11: users are not told which agent does what. One guard for every text that they see.
//
// What an agent says in sentences is prose, and names of ours are taken out of it. A value that is
// one word, a number, or a code beside a number ("AUD 500") is data: it stays as it is, whatever
// our agents are called.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace parlance::narrative {

/// A word that stands for something of ours, and what users are told instead.
struct Internal {
    std::string_view name{};
    std::string_view instead{};
};

/// So that a name is found before another one that it begins with.
void longest_first(std::vector<Internal>& internals);

/// Whether a text at this key of a structured answer is prose.
bool is_prose(std::string_view key, std::string_view text);

/// Prose without names of ours and without words about routing. `internals` are the longest first.
/// An ordinary word is no name: "byte" gives nothing away.
std::string discreet(std::string_view text, const std::vector<Internal>& internals);

/// The same for the prose in JSON; its data and its keys are as they were.
std::string discreet_json(json::Value value, const std::vector<Internal>& internals);

}  // namespace parlance::narrative
