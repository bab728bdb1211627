// Keeps a classifier that knows what the agents offer (K12), and teaches another when that changes.
//
// The registry is the truth: what was learnt is kept nowhere, and learnt anew after a restart. It
// is learnt beside the loop. For a small registry, which takes milliseconds, the caller waits; for
// a large one, which takes seconds, the classifier of before answers meanwhile, and says so.
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

/// A capability and who has it.
struct Offer {
    std::string agent{};
    std::string code{};
    std::string intent{};       ///< What the wish for it is called.
    std::string description{};  ///< In plain words, for people.
    std::string version{};
    std::vector<std::string> examples{};
};

/// The capability of an agent that is asked to classify in the hub's place.
inline constexpr std::string_view kClassifyCode = "INTENT_CLASSIFY";

/// What an agent has registered.
std::vector<Offer> read_offers(std::string_view agent, std::string_view capabilities);

/// What there is to learn from offers: their examples and descriptions. Who appointed an agent to
/// classify does not ask for that.
std::vector<intents::Lesson> lessons_of(const std::vector<Offer>& offers);

class Tutor {
  public:
    explicit Tutor(transport::Loop& loop) : loop_(loop) {}
    ~Tutor();
    Tutor(const Tutor&) = delete;
    Tutor& operator=(const Tutor&) = delete;

    /// All that is offered now, by agent.
    const std::vector<Offer>& offers(const engine::Engine& engine);

    /// Calls back with a classifier, and whether it knows all that is offered. On the loop's
    /// thread, maybe at once.
    using Use = std::function<void(const intents::Classifier&, bool is_current)>;
    void classify(const engine::Engine& engine, Use use);

  private:
    void look(const engine::Engine& engine);
    void learn();
    /// A registry as far as it matters here.
    struct Version {
        std::uint64_t registrations = 0;  ///< How many there were.
        std::uint64_t lessons = 0;        ///< A fingerprint of what there is to learn.
    };
    struct Waiting {
        Use use;
        std::uint64_t registrations;  ///< The classifier must know of as many.
    };
    bool is_current() const { return classifier_ && known_.lessons == wanted_.lessons; }
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

Tutor& tutor_of(Desk& desk);

/// Who has the capability: somebody who is there, if there is a choice. Nothing if nobody has it.
const Offer* target_of(const std::vector<Offer>& offers,
                       std::string_view code,
                       const engine::Engine& engine);

/// What is sure enough, by the policy in force.
intents::Bounds bounds_of(const Desk& desk);

/// What a text asks for, of what is offered now, by the hub's own classifier. What is told holds
/// for the call only.
using Told = std::function<void(const intents::Understanding&, bool is_current)>;
void understand(Desk& desk, std::string text, Told told);

}  // namespace parlance::gateway
