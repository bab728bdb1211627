// Outcome for a sentence (K13): route, ask back, offer options, or say that no agent can help.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "intents/intents.h"

namespace parlance::intents {

enum class Outcome : std::uint8_t { Route, Clarify, Options, Cannot };
inline constexpr std::array<std::string_view, 4> kOutcomeNames{
    "route", "clarify", "options", "cannot"};

/// Confidence thresholds, from 0 to 1.
struct Bounds {
    double sure = 0.25;       ///< From here on a guess is acted on.
    double thinkable = 0.15;  ///< Below, the hub does not even ask back.
};

struct Understanding {
    Outcome outcome = Outcome::Cannot;
    Guess primary{};
    std::vector<Guess> secondary{};  ///< Intents of the request's other parts.
    std::vector<Guess> rivals{};     ///< Possible meanings, the primary included; best first.
};

inline constexpr std::size_t kRivalsMax = 4;

/// The outcome for one sentence; guesses come best first.
Understanding weigh(const std::vector<Guess>& guesses, const Bounds& bounds);

/// The outcome for a text that may ask for several things.
using Guesser = std::function<std::vector<Guess>(std::string_view)>;
Understanding understand(const Guesser& guess, std::string_view text, const Bounds& bounds);

}  // namespace parlance::intents
