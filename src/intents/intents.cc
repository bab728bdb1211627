#include "intents/intents.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include <linear.h>

#include "intents/background.h"
#include "intents/space.h"

namespace parlance::intents {

namespace {

/// LIBLINEAR's C: the cost of a misclassified training example against the model's simplicity.
constexpr double kPenalty = 2;
constexpr double kPrecision = 0.1;

/// Per so many training examples, one empty vector is added as an example of no intent: without
/// empty vectors, a classifier of two intents would assign every sentence to one of the two.
constexpr std::size_t kExamplesPerSilence = 10;

/// From this number of intents on, a second thread saves time.
constexpr std::size_t kIntentsForTwo = 16;

/// A background sentence with a larger cosine to a training example belongs to an intent and is
/// skipped.
constexpr double kNear = 0.3;

/// Share of the no-intent score that is subtracted from the score of each intent.
constexpr double kForeignShare = 0.5;

/// Logistic calibration from score to confidence, fitted to unseen sentences, a fifth of them out
/// of scope. A classifier trained on few examples knows fewer words of an in-scope sentence, so its
/// middle is lower: the steps are measured, see docs/explanation/intents.md.
constexpr double kSlope = 4;
constexpr double kMiddleMost = 0.11;
/// How sharply the best two intents are told apart.
constexpr double kRivalry = 8;
double middle_for(std::size_t examples) {
    const double size = static_cast<double>(std::max<std::size_t>(examples, 3));
    return std::min(kMiddleMost, 0.45 * std::log10(size) - 1.12);
}

using Row = std::vector<feature_node>;

/// A vector as LIBLINEAR reads it: indices from 1, the last one the bias, -1 at the end.
Row row_of(const Place& place, std::size_t size) {
    Row row;
    row.reserve(place.size() + 2);
    for (const Term& term : place) row.push_back({static_cast<int>(term.gram) + 1, term.weight});
    row.push_back({static_cast<int>(size) + 1, 1});
    row.push_back({-1, 0});
    return row;
}

/// Silences LIBLINEAR's progress output on stdout: once, for all threads.
void hush() {
    static const bool is_hushed = [] {
        set_print_string_function([](const char*) {});
        return true;
    }();
    (void)is_hushed;
}

/// The weights that separate the examples labelled 1 from all others.
std::vector<double> separate(const problem& examples) {
    parameter how{};
    how.solver_type = L2R_L2LOSS_SVC;  // The primal solver: the dual one uses random numbers.
    how.C = kPenalty;
    how.eps = kPrecision;
    model* made = ::train(&examples, &how);
    const double sign = made->label[0] > 0 ? 1 : -1;
    std::vector<double> weights(made->w, made->w + made->nr_feature);
    free_and_destroy_model(&made);
    for (double& weight : weights) weight *= sign;
    return weights;
}

bool is_near_any(const Place& place, std::span<const Place> others, std::vector<float>& scratch) {
    for (const Term& term : place) scratch[term.gram] = term.weight;
    const bool is_near = std::ranges::any_of(others, [&](const Place& other) {
        double sum = 0;
        for (const Term& term : other) sum += scratch[term.gram] * term.weight;
        return sum > kNear;
    });
    for (const Term& term : place) scratch[term.gram] = 0;
    return is_near;
}

/// The training examples as vectors, each with the number of its intent.
struct Course {
    std::vector<Place> places;
    std::vector<std::size_t> intents;
};

/// Input that the training threads share.
struct Task {
    const Course& course;
    const std::atomic<bool>& stops;
    std::vector<feature_node*> starts{};  ///< The course's vectors in LIBLINEAR's form.
};

void add_background(const Space& space, Course& course) {
    std::vector<float> scratch(space.size());
    const std::size_t examples = course.places.size();
    for (const auto text : kBackground) {
        auto place = space.place_of(text);
        if (is_near_any(place, std::span{course.places}.first(examples), scratch)) continue;
        course.places.push_back(std::move(place));
        course.intents.push_back(0);
    }
    course.places.resize(course.places.size() + examples / kExamplesPerSilence + 1);
    course.intents.resize(course.places.size());
}

}  // namespace

/// The trained model. Intent 0 is the empty one: no intent.
struct Classifier::Learnt {
    Space space;
    std::vector<std::string> intents{""};
    std::vector<float> weights{};  ///< All intents of the first gram, then of the second, …
    double middle = 0;             ///< The score with confidence one half.

    Course course_of(std::span<const TrainingExample> examples);
    bool learn(const Course& course, const std::atomic<bool>& stops);
    void learn_some(const Task& task, std::atomic<std::size_t>& next);
    std::vector<Guess> guesses_of(const std::vector<double>& scores) const;
};

Course Classifier::Learnt::course_of(std::span<const TrainingExample> examples) {
    Course course;
    for (const TrainingExample& example : examples) {
        const auto found = std::ranges::find(intents, example.intent);
        course.intents.push_back(static_cast<std::size_t>(found - intents.begin()));
        if (found == intents.end()) intents.push_back(example.intent);
        course.places.push_back(space.place_of(example.text));
    }
    return course;
}

/// Takes the next untrained intent and trains its weights, until no intent is left or `stops` is
/// set.
void Classifier::Learnt::learn_some(const Task& task, std::atomic<std::size_t>& next) {
    std::vector<double> sides(task.starts.size());
    auto starts = task.starts;
    const problem all{.l = static_cast<int>(starts.size()),
                      .n = static_cast<int>(space.size()) + 1,
                      .y = sides.data(),
                      .x = starts.data(),
                      .bias = -1};
    for (std::size_t intent = next++; intent < intents.size() && !task.stops; intent = next++) {
        std::ranges::transform(task.course.intents, sides.begin(), [&](std::size_t number) {
            return number == intent ? 1.0 : -1.0;
        });
        const auto of_intent = separate(all);
        for (std::size_t gram = 0; gram <= space.size(); ++gram) {
            weights[gram * intents.size() + intent] = static_cast<float>(of_intent[gram]);
        }
    }
}

/// False if `stops` was set. Each intent is trained independently, so the result does not depend on
/// the thread.
bool Classifier::Learnt::learn(const Course& course, const std::atomic<bool>& stops) {
    std::vector<Row> rows;
    for (const Place& place : course.places) rows.push_back(row_of(place, space.size()));
    Task task{.course = course, .stops = stops};
    task.starts.reserve(rows.size());
    for (Row& row : rows) task.starts.push_back(row.data());
    weights.resize((space.size() + 1) * intents.size());
    std::atomic<std::size_t> next{0};
    if (intents.size() >= kIntentsForTwo) {
        const std::jthread helper{[&] { learn_some(task, next); }};
        learn_some(task, next);
    } else {
        learn_some(task, next);
    }
    return !stops;
}

/// Confidence: the calibrated score, divided between the intent and its strongest rival.
std::vector<Guess> Classifier::Learnt::guesses_of(const std::vector<double>& scores) const {
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, std::ranges::greater{}, [&](std::size_t i) { return scores[i]; });
    const auto rank = [&](std::size_t i) {
        return std::exp(kRivalry * (scores[i] - scores[order.front()]));
    };
    const double best_two = order.size() > 1 ? 1 + rank(order[1]) : 1;
    std::vector<Guess> guesses;
    guesses.reserve(order.size());
    for (const std::size_t i : order) {
        const double is_ours = 1 / (1 + std::exp(-kSlope * (scores[i] - middle)));
        guesses.push_back({intents[i + 1], is_ours * rank(i) / best_two});
    }
    return guesses;
}

Classifier::Classifier(std::unique_ptr<const Learnt> learnt) : learnt_(std::move(learnt)) {}
Classifier::~Classifier() = default;
Classifier::Classifier(Classifier&&) noexcept = default;
Classifier& Classifier::operator=(Classifier&&) noexcept = default;

std::optional<Classifier> Classifier::train(std::span<const TrainingExample> examples,
                                            const std::atomic<bool>& stops) {
    hush();
    std::vector<std::string_view> texts;
    for (const TrainingExample& example : examples) texts.push_back(example.text);
    texts.insert(texts.end(), kBackground.begin(), kBackground.end());
    auto learnt = std::make_unique<Learnt>(
        Learnt{.space = Space{texts}, .middle = middle_for(examples.size())});
    auto course = learnt->course_of(examples);
    add_background(learnt->space, course);
    if (!learnt->learn(course, stops)) return std::nullopt;
    return Classifier{std::move(learnt)};
}

std::vector<Guess> Classifier::guess(std::string_view text) const {
    const std::size_t count = learnt_->intents.size();
    auto place = learnt_->space.place_of(text);
    place.push_back({static_cast<std::uint32_t>(learnt_->space.size()), 1});
    std::vector<float> sums(count);
    for (const Term& term : place) {
        const float* weights = &learnt_->weights[term.gram * count];
        for (std::size_t i = 0; i < count; ++i) sums[i] += weights[i] * term.weight;
    }
    std::vector<double> scores;
    scores.reserve(count);
    for (std::size_t i = 1; i < count; ++i) {
        scores.push_back(sums[i] - kForeignShare * sums.front());
    }
    return learnt_->guesses_of(scores);
}

}  // namespace parlance::intents
