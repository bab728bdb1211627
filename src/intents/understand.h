// What to do about a sentence (K13): go ahead, ask back, offer a choice, or say that it cannot.
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

/// From 0 to 1.
struct Bounds {
    double sure = 0.25;       ///< From here on a guess is acted on.
    double thinkable = 0.15;  ///< Below, it is not even worth a question.
};

struct Understanding {
    Outcome outcome = Outcome::Cannot;
    Guess primary{};
    std::vector<Guess> secondary{};  ///< What the other parts of the request ask for.
    std::vector<Guess> rivals{};     ///< What it could mean, the primary included; best first.
};

inline constexpr std::size_t kRivalsMax = 4;

/// The outcome for guesses, best first, of one sentence.
Understanding weigh(const std::vector<Guess>& guesses, const Bounds& bounds);

/// The same for a text, which may ask for several things.
using Guesser = std::function<std::vector<Guess>(std::string_view)>;
Understanding understand(const Guesser& guess, std::string_view text, const Bounds& bounds);

}  // namespace parlance::intents
