#include "intents/understand.h"

#include <algorithm>

#include "intents/parts.h"

namespace parlance::intents {

namespace {

/// A guess with this share of the best confidence ties with the best.
constexpr double kTie = 0.8;

bool is_asked_for(const Understanding& found, std::string_view intent) {
    return found.primary.intent == intent ||
           std::ranges::find(found.secondary, intent, &Guess::intent) != found.secondary.end();
}

}  // namespace

Understanding weigh(const std::vector<Guess>& guesses, const Bounds& bounds) {
    Understanding found;
    if (guesses.empty()) return found;
    found.primary = guesses.front();
    const double best = found.primary.confidence;
    if (best < bounds.thinkable) return found;
    const bool is_sure = best >= bounds.sure;
    const double least = is_sure ? std::max(bounds.sure, best * kTie) : bounds.thinkable;
    for (const Guess& guess : guesses) {
        if (guess.confidence < least || found.rivals.size() == kRivalsMax) break;
        found.rivals.push_back(guess);
    }
    if (!is_sure) {
        found.outcome = Outcome::Clarify;
    } else {
        found.outcome = found.rivals.size() > 1 ? Outcome::Options : Outcome::Route;
    }
    return found;
}

Understanding understand(const Guesser& guess, std::string_view text, const Bounds& bounds) {
    auto whole = weigh(guess(text), bounds);
    const auto parts = parts_of(text);
    if (parts.size() < 2) return whole;
    // Only a part that is unambiguous alone is a separate intent step: "terms and conditions" stay
    // together.
    Understanding apart;
    for (const auto part : parts) {
        auto found = weigh(guess(part), bounds);
        if (found.outcome != Outcome::Route || is_asked_for(apart, found.primary.intent)) continue;
        if (apart.outcome == Outcome::Cannot) {
            apart = std::move(found);
        } else {
            apart.secondary.push_back(found.primary);
        }
    }
    // The intent of the whole text must be among the parts, or the text was cut in the wrong place.
    const bool is_several = !apart.secondary.empty() && is_asked_for(apart, whole.primary.intent);
    return is_several ? apart : whole;
}

}  // namespace parlance::intents
