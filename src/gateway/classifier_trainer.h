// Keeps a classifier of the capabilities that agents offer (K12), and trains a new classifier when
// the offers change.
//
// The registry is the truth: a classifier is not stored, and is trained again after a restart, on a
// thread beside the loop. For a small registry training takes milliseconds and the caller waits;
// for a large registry training takes seconds, and meanwhile the previous classifier answers with
// `is_current` false.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "intents/understand.h"
#include "transport/transport.h"

namespace parlance::gateway {

struct Desk;

/// A capability of an agent.
struct Offer {
    std::string agent{};
    std::string code{};
    std::string intent{};       ///< Name of the intent.
    std::string description{};  ///< In plain words, for people.
    std::string version{};
    std::vector<std::string> examples{};
};

/// The capability of an agent that classifies in the hub's place.
inline constexpr std::string_view kClassifyCode = "INTENT_CLASSIFY";

/// The capabilities that an agent has registered.
std::vector<Offer> read_offers(std::string_view agent, std::string_view capabilities);

/// Training examples: the examples and descriptions of offers. kClassifyCode is left out, as users
/// do not ask to be classified.
std::vector<intents::TrainingExample> training_examples_of(const std::vector<Offer>& offers);

class ClassifierTrainer {
  public:
    explicit ClassifierTrainer(transport::Loop& loop) : loop_(loop) {}
    ~ClassifierTrainer();
    ClassifierTrainer(const ClassifierTrainer&) = delete;
    ClassifierTrainer& operator=(const ClassifierTrainer&) = delete;

    /// All current offers, by agent.
    const std::vector<Offer>& offers(const engine::Engine& engine);

    /// Calls back with a classifier, and whether the classifier knows all current offers. On the
    /// loop's thread, possibly at once.
    using Use = std::function<void(const intents::Classifier&, bool is_current)>;
    void classify(const engine::Engine& engine, Use use);

  private:
    void look(const engine::Engine& engine);
    void learn();
    /// A version of the registry's training examples.
    struct Version {
        std::uint64_t registrations = 0;      ///< Registrations and removals so far.
        std::uint64_t training_examples = 0;  ///< Fingerprint of the training examples.
    };
    struct Waiting {
        Use use;
        std::uint64_t registrations;  ///< The classifier must include the offers up to this count.
    };
    bool is_current() const {
        return classifier_ && known_.training_examples == wanted_.training_examples;
    }
    void take(std::shared_ptr<const intents::Classifier> learnt, const Version& of);

    transport::Loop& loop_;
    std::vector<Offer> offers_;
    bool has_looked_ = false;
    Version wanted_;  ///< Of the offers.
    Version known_;   ///< Of the classifier.
    std::shared_ptr<const intents::Classifier> classifier_;
    std::vector<Waiting> waiting_;
    std::shared_ptr<std::atomic<bool>> stops_ = std::make_shared<std::atomic<bool>>(false);
    bool is_learning_ = false;
    std::jthread thread_;
};

ClassifierTrainer& trainer_of(Desk& desk);

/// The first offer of the capability, preferably of an agent that is connected; null if no agent
/// offers the capability.
const Offer* target_of(const std::vector<Offer>& offers,
                       std::string_view code,
                       const engine::Engine& engine);

/// Confidence bounds of the policy in force.
intents::Bounds bounds_of(const Desk& desk);

/// Classifies a text among the current offers with the hub's own classifier. The arguments of
/// `told` are valid only during the call.
using Told = std::function<void(const intents::Understanding&, bool is_current)>;
void understand(Desk& desk, std::string text, Told told);

}  // namespace parlance::gateway
