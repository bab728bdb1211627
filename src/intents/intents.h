// Intent classifier: which of the learnt intents a sentence expresses, with a confidence for each.
//
// Training examples in, guesses out. The same examples make the same classifier, at any time and on
// any thread. The classifier knows no agent, no message and no threshold: callers decide how much
// confidence is enough.
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

/// A training example: one sentence and its intent. An empty intent marks an out-of-scope sentence.
struct TrainingExample {
    std::string intent;
    std::string text;
};

struct Guess {
    std::string_view intent;  ///< Owned by the classifier.
    double confidence = 0;    ///< How often such a guess is right, from 0 to 1.
};

class Classifier {
  public:
    /// Nothing if `stops` became true meanwhile. The work is linear in the text times the intents.
    static std::optional<Classifier> train(std::span<const TrainingExample> examples,
                                           const std::atomic<bool>& stops);
    ~Classifier();
    Classifier(Classifier&&) noexcept;
    Classifier& operator=(Classifier&&) noexcept;

    /// All intents, most confident first; ties in the order of the training examples.
    std::vector<Guess> guess(std::string_view text) const;

  private:
    struct Learnt;
    explicit Classifier(std::unique_ptr<const Learnt> learnt);
    std::unique_ptr<const Learnt> learnt_;
};

}  // namespace parlance::intents
