// Merges several parts into one answer (K17, K18): parts in their declared order, in one
// vocabulary, each with its confidence, and with a note wherever parts contradict each other.
//
// The text is for users: it names no agent, no capability and no routing (K11).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/plan.h"
#include "narrative/guard.h"

namespace parlance::narrative {

/// The result of one plan step.
struct Part {
    std::string_view label{};
    std::string output{};  ///< JSON; empty without a result.
    std::uint32_t confidence = kNoConfidence;
    std::string_view reason{};  ///< Why there is no result.
};

/// The user's choice among contradicting values.
struct Decision {
    std::string about{};  ///< The term.
    std::string value{};  ///< JSON.
};

struct Vocabulary {
    std::vector<std::pair<std::string, std::string>> terms{};  ///< Key, term.
    std::vector<Internal> internals{};
    std::vector<Decision> decisions{};
};

struct Aggregate {
    std::string components{};  ///< JSON: each part with its label, content and confidence.
    std::string conflicts{};   ///< JSON: values that contradict each other, with their sources.
    std::string answer{};      ///< All parts in sentences.
    std::string question{};    ///< Ties for the user to settle; empty without ties.
};
Aggregate aggregate(const std::vector<Part>& parts, const Vocabulary& words);

}  // namespace parlance::narrative
