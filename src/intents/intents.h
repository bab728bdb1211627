// What a sentence asks for: the intents that were learnt, with how sure it is of each.
//
// Lessons in, guesses out. The same lessons make the same classifier, whenever and in whatever
// thread it is made. It knows no agent, no message and no threshold: what is sure enough is for its
// user to say.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parlance::intents {

/// One sentence and what it asks for. Without an intent it is one that asks for nothing of ours.
struct Lesson {
    std::string intent;
    std::string text;
};

struct Guess {
    std::string_view intent;  ///< Of the classifier that made the guess.
    double confidence = 0;    ///< How often such a guess is right, from 0 to 1.
};

class Classifier {
  public:
    /// Nothing if `stops` became true meanwhile. The work is linear in the text times the intents.
    static std::optional<Classifier> train(std::span<const Lesson> lessons,
                                           const std::atomic<bool>& stops);
    ~Classifier();
    Classifier(Classifier&&) noexcept;
    Classifier& operator=(Classifier&&) noexcept;

    /// All intents, the likeliest first; in the order of the lessons where there is no difference.
    std::vector<Guess> guess(std::string_view text) const;

  private:
    struct Learnt;
    explicit Classifier(std::unique_ptr<const Learnt> learnt);
    std::unique_ptr<const Learnt> learnt_;
};

}  // namespace parlance::intents
