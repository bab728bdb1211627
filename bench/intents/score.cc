// The accuracy of the intent classifier at one threshold, and the time for training and guesses.
//
//   parlance_intents_score FOLDER [--threshold PERCENT] [--nothing-foreign] [--all]
//
// In the folder: train.tsv, val.tsv, oos_train.tsv, oos_val.tsv; if present, test.tsv and
// oos_test.tsv are judged in place of val.tsv and oos_val.tsv. A line is an intent, a tab and a
// sentence. With --nothing-foreign out-of-scope sentences are judged but not learnt from, as in a
// hub, which has no such training examples; with test files, --all learns from the val files too.
#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "intents/understand.h"

namespace parlance::intents {
namespace {

using TrainingExamples = std::vector<TrainingExample>;

TrainingExamples read(const std::string& path, bool is_foreign) {
    TrainingExamples examples;
    std::ifstream file{path};
    for (std::string line; std::getline(file, line);) {
        const auto tab = line.find('\t');
        if (tab == std::string::npos) continue;
        examples.push_back({is_foreign ? "" : line.substr(0, tab), line.substr(tab + 1)});
    }
    return examples;
}

void append(TrainingExamples& to, const TrainingExamples& from) {
    to.insert(to.end(), from.begin(), from.end());
}

/// Guesses of one range of confidence, and the number of right guesses.
struct Bin {
    int count = 0;
    int right = 0;
    double said = 0;
};

struct Tally {
    int own = 0;
    int own_right = 0;    ///< The right intent, and confident.
    int own_guessed = 0;  ///< The right intent, confident or not.
    int foreign = 0;
    int foreign_known = 0;  ///< Out of scope and not confident.
    std::array<Bin, 10> bins{};
};

void judge(const Classifier& classifier,
           const TrainingExample& example,
           const Bounds& bounds,
           Tally& tally) {
    const auto guess = [&](std::string_view text) { return classifier.guess(text); };
    const auto found = understand(guess, example.text, bounds);
    const bool is_sure = found.primary.confidence >= bounds.sure;
    const bool is_right = found.primary.intent == example.intent;
    if (example.intent.empty()) {
        ++tally.foreign;
        tally.foreign_known += is_sure ? 0 : 1;
    } else {
        ++tally.own;
        tally.own_guessed += is_right ? 1 : 0;
        tally.own_right += is_right && is_sure ? 1 : 0;
    }
    auto& bin = tally.bins.at(
        std::min<std::size_t>(9, static_cast<std::size_t>(found.primary.confidence * 10)));
    ++bin.count;
    bin.right += is_right ? 1 : 0;
    bin.said += found.primary.confidence;
}

double percent(int part, int whole) { return whole == 0 ? 0 : 100.0 * part / whole; }

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Options {
    std::string folder;
    Bounds bounds{};
    bool has_foreign = true;
    bool learns_all = false;
};

int run(const Options& options) {
    const auto path = [&](std::string_view name) {
        return fmt::format("{}/{}", options.folder, name);
    };
    auto examples = read(path("train.tsv"), false);
    if (examples.empty()) {
        fmt::print(stderr, "there are no lessons in {}\n", path("train.tsv"));
        return 1;
    }
    auto judged = read(path("test.tsv"), false);
    append(judged, read(path("oos_test.tsv"), true));
    auto spare = read(path("val.tsv"), false);
    append(spare, read(path("oos_val.tsv"), true));
    const auto foreign = read(path("oos_train.tsv"), true);
    const bool has_test = !judged.empty();
    if (has_test && options.learns_all) append(examples, spare);
    if (!has_test) judged = std::move(spare);
    append(options.has_foreign ? examples : judged, foreign);
    if (!options.has_foreign)
        std::erase_if(examples,
                      [](const TrainingExample& example) { return example.intent.empty(); });

    const std::atomic<bool> stops{false};
    auto start = std::chrono::steady_clock::now();
    const auto classifier = Classifier::train(examples, stops);
    fmt::print("learnt {} sentences in {:.1f} s\n", examples.size(), seconds_since(start));
    Tally tally;
    start = std::chrono::steady_clock::now();
    for (const TrainingExample& example : judged)
        judge(*classifier, example, options.bounds, tally);
    fmt::print("{:.3f} ms a sentence\n\n",
               1e3 * seconds_since(start) / static_cast<double>(judged.size()));

    fmt::print("at a threshold of {:.0f} %\n", 100 * options.bounds.sure);
    fmt::print("  in scope      {:5.1f} % of {} right ({:.1f} % if it had to guess)\n",
               percent(tally.own_right, tally.own),
               tally.own,
               percent(tally.own_guessed, tally.own));
    fmt::print("  out of scope  {:5.1f} % of {} recognised\n\nconfidence\n",
               percent(tally.foreign_known, tally.foreign),
               tally.foreign);
    for (const Bin& bin : tally.bins) {
        if (bin.count == 0) continue;
        fmt::print("  said {:5.1f} %  right {:5.1f} %  of {}\n",
                   100 * bin.said / bin.count,
                   percent(bin.right, bin.count),
                   bin.count);
    }
    return 0;
}

}  // namespace
}  // namespace parlance::intents

int main(int argc, char** argv) {
    parlance::intents::Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--nothing-foreign") {
            options.has_foreign = false;
        } else if (word == "--all") {
            options.learns_all = true;
        } else if (word == "--threshold" && i + 1 < argc) {
            options.bounds.sure = std::atof(argv[++i]) / 100;
        } else {
            options.folder = word;
        }
    }
    return parlance::intents::run(options);
}
