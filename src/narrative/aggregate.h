// One answer out of several (K17, K18): the parts in their declared order, in one vocabulary, each
// with how sure it is; and where they contradict each other, that they do.
//
// What it writes is for users: no agent, no capability and no word about routing is in it (K11).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/plan.h"

namespace parlance::narrative {

/// What one step brought.
struct Part {
    std::string_view label{};
    std::string output{};  ///< JSON; empty: nothing came.
    std::uint32_t confidence = kNoConfidence;
    std::string_view reason{};  ///< Why nothing came.
};

/// A word that stands for something of ours, and what users are told instead.
struct Internal {
    std::string_view name{};
    std::string_view instead{};
};

struct Vocabulary {
    std::vector<std::pair<std::string, std::string>> terms{};  ///< One word for one thing.
    std::vector<Internal> internals{};
};

struct Aggregate {
    std::string components{};  ///< JSON: each part with its label, content and confidence.
    std::string conflicts{};   ///< JSON: values that contradict each other, with their sources.
    std::string answer{};      ///< All of it in sentences.
    std::string question{};    ///< What the user has to settle; empty if nothing.
};
Aggregate aggregate(const std::vector<Part>& parts, const Vocabulary& words);

/// So that a name is found before another one that it begins with.
void longest_first(std::vector<Internal>& internals);

/// The text without names of ours and without words about routing. Also for what an agent wrote for
/// users. `internals` are the longest first.
std::string discreet(std::string_view text, const std::vector<Internal>& internals);

}  // namespace parlance::narrative
