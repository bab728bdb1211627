#include "gateway/classifier_trainer.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/hash.h"
#include "base/json.h"
#include "gateway/handlers.h"
#include "model/policy.h"

namespace parlance::gateway {

namespace {

/// Training examples times intents: training up to this cost takes about a second, and the caller
/// waits.
constexpr std::size_t kSmall = 200'000;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::vector<std::string> texts_of(json::Value list) {
    std::vector<std::string> texts;
    if (!list.is_array()) return texts;
    std::string spare;
    for (json::Elements elements{list}; elements.next();) {
        if (elements.value.is_string()) texts.emplace_back(elements.value.text(spare));
    }
    return texts;
}

std::string lowered(std::string text) {
    std::ranges::transform(text, text.begin(), lower);
    return text;
}

/// "DOC_GENERATE" as words, for a capability without a description.
std::string words_of_code(std::string_view code) {
    std::string words{code};
    std::ranges::replace(words, '_', ' ');
    return words;
}

std::uint64_t fingerprint_of(const std::vector<intents::TrainingExample>& training_examples) {
    std::string all;
    for (const auto& training_example : training_examples) {
        // Neither text can contain a zero byte, so different lists give different input.
        all.append(training_example.intent).push_back('\0');
        all.append(training_example.text).push_back('\0');
    }
    return siphash(process_key(), all);
}

std::size_t cost_of(const std::vector<Offer>& offers) {
    std::size_t training_examples = 1;
    for (const Offer& offer : offers) training_examples += 1 + offer.examples.size();
    return training_examples * offers.size();
}

}  // namespace

std::vector<Offer> read_offers(std::string_view agent, std::string_view capabilities) {
    std::vector<Offer> offers;
    const auto list = json::root(capabilities);
    if (!list.is_array()) return offers;
    for (json::Elements elements{list}; elements.next();) {
        if (!elements.value.is_object()) continue;
        Offer offer{.agent = std::string{agent},
                    .code = text_member(elements.value, "code"),
                    .intent = text_member(elements.value, "intent"),
                    .description = text_member(elements.value, "description"),
                    .version = text_member(elements.value, "version")};
        if (offer.code.empty()) continue;
        if (offer.intent.empty()) offer.intent = lowered(offer.code);
        if (const auto examples = json::find(elements.value, "examples")) {
            offer.examples = texts_of(*examples);
        }
        offers.push_back(std::move(offer));
    }
    return offers;
}

std::vector<intents::TrainingExample> training_examples_of(const std::vector<Offer>& offers) {
    std::vector<intents::TrainingExample> training_examples;
    for (const Offer& offer : offers) {
        if (offer.code == kClassifyCode) continue;
        for (const auto& example : offer.examples)
            training_examples.push_back({offer.code, example});
        if (!offer.description.empty())
            training_examples.push_back({offer.code, offer.description});
        if (offer.examples.empty() && offer.description.empty()) {
            training_examples.push_back({offer.code, words_of_code(offer.code)});
        }
    }
    // Neither the order of offers nor repeats among agents change the training examples.
    const auto key = [](const intents::TrainingExample& training_example) {
        return std::tie(training_example.intent, training_example.text);
    };
    std::ranges::sort(training_examples, {}, key);
    const auto is_same = [&](const intents::TrainingExample& left,
                             const intents::TrainingExample& right) {
        return key(left) == key(right);
    };
    training_examples.erase(
        std::unique(training_examples.begin(), training_examples.end(), is_same),
        training_examples.end());
    return training_examples;
}

ClassifierTrainer::~ClassifierTrainer() { *stops_ = true; }

const std::vector<Offer>& ClassifierTrainer::offers(const engine::Engine& engine) {
    look(engine);
    return offers_;
}

void ClassifierTrainer::look(const engine::Engine& engine) {
    static const auto registered = Event{AgentRegistered{}}.index();
    static const auto removed = Event{AgentRemoved{}}.index();
    const auto& counts = engine.counts().events;
    const auto registrations = counts.at(registered) + counts.at(removed);
    if (has_looked_ && registrations == wanted_.registrations) return;
    has_looked_ = true;
    offers_.clear();
    for (const auto& listing : engine.agents()) {
        if (!listing.is_registered) continue;
        auto offers = read_offers(listing.agent.value, listing.profile.capabilities);
        std::ranges::move(offers, std::back_inserter(offers_));
    }
    wanted_ = {registrations, fingerprint_of(training_examples_of(offers_))};
}

void ClassifierTrainer::classify(const engine::Engine& engine, Use use) {
    look(engine);
    const bool knows_all = is_current();
    if (!knows_all && !is_learning_) learn();
    const bool is_long = classifier_ && cost_of(offers_) > kSmall;
    if (knows_all || is_long) return use(*classifier_, knows_all);
    waiting_.push_back({std::move(use), wanted_.registrations});
}

void ClassifierTrainer::learn() {
    is_learning_ = true;
    thread_ = std::jthread{
        [this, stops = stops_, of = wanted_, training_examples = training_examples_of(offers_)] {
            auto learnt = intents::Classifier::train(training_examples, *stops);
            if (!learnt) return;
            auto shared = std::make_shared<const intents::Classifier>(*std::move(learnt));
            loop_.post([this, stops, of, shared = std::move(shared)] {
                if (!*stops) take(shared, of);
            });
        }};
}

void ClassifierTrainer::take(std::shared_ptr<const intents::Classifier> learnt, const Version& of) {
    is_learning_ = false;
    classifier_ = std::move(learnt);
    known_ = of;
    auto waiting = std::exchange(waiting_, {});
    // A caller that came after a later registration waits for a classifier with that registration.
    const auto early =
        std::stable_partition(waiting.begin(), waiting.end(), [&](const Waiting& each) {
            return each.registrations > of.registrations;
        });
    std::move(waiting.begin(), early, std::back_inserter(waiting_));
    if (!waiting_.empty()) learn();
    std::for_each(
        early, waiting.end(), [&](const Waiting& each) { each.use(*classifier_, is_current()); });
}

ClassifierTrainer& trainer_of(Desk& desk) {
    if (!desk.trainer) desk.trainer = std::make_unique<ClassifierTrainer>(desk.loop);
    return *desk.trainer;
}

const Offer* target_of(const std::vector<Offer>& offers,
                       std::string_view code,
                       const engine::Engine& engine) {
    const auto first = std::ranges::find(offers, code, &Offer::code);
    if (first == offers.end()) return nullptr;
    const auto is_there = [&](const Offer& offer) {
        if (offer.code != code) return false;
        const auto listing = engine.agent({offer.agent});
        return listing && listing->is_there;
    };
    const auto next = std::ranges::find(std::next(first), offers.end(), code, &Offer::code);
    if (next == offers.end()) return &*first;
    const auto there = std::find_if(first, offers.end(), is_there);
    return there == offers.end() ? &*first : &*there;
}

intents::Bounds bounds_of(const Desk& desk) {
    const auto& policy = desk.engine->state().governor.policy;
    const auto share = [&](Rule rule) { return static_cast<double>(limit_of(policy, rule)) / 100; };
    return {.sure = share(Rule::IntentSurePercent),
            .thinkable = share(Rule::IntentThinkablePercent)};
}

void understand(Desk& desk, std::string text, Told told) {
    trainer_of(desk).classify(
        *desk.engine,
        [&desk, text = std::move(text), told = std::move(told)](
            const intents::Classifier& classifier, bool is_current) {
            const auto& offers = trainer_of(desk).offers(*desk.engine);
            const auto guess = [&](std::string_view part) {
                auto guesses = classifier.guess(part);
                // An outdated classifier may know capabilities that no agent offers any more.
                if (!is_current) {
                    std::erase_if(guesses, [&](const intents::Guess& each) {
                        return std::ranges::find(offers, each.intent, &Offer::code) == offers.end();
                    });
                }
                return guesses;
            };
            told(intents::understand(guess, text, bounds_of(desk)), is_current);
        });
}

}  // namespace parlance::gateway
