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
#include "narrative/guard.h"

namespace parlance::narrative {

/// What one step brought.
struct Part {
    std::string_view label{};
    std::string output{};  ///< JSON; empty: nothing came.
    std::uint32_t confidence = kNoConfidence;
    std::string_view reason{};  ///< Why nothing came.
};

/// Which of several values the user goes by.
struct Decision {
    std::string about{};  ///< The term.
    std::string value{};  ///< JSON.
};

struct Vocabulary {
    std::vector<std::pair<std::string, std::string>> terms{};  ///< One word for one thing.
    std::vector<Internal> internals{};
    std::vector<Decision> decisions{};
};

struct Aggregate {
    std::string components{};  ///< JSON: each part with its label, content and confidence.
    std::string conflicts{};   ///< JSON: values that contradict each other, with their sources.
    std::string answer{};      ///< All of it in sentences.
    std::string question{};    ///< What the user has to settle; empty if nothing.
};
Aggregate aggregate(const std::vector<Part>& parts, const Vocabulary& words);

}  // namespace parlance::narrative
