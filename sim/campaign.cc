#include "sim/campaign.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/mutant.h"
#include "sim/coverage.h"
#include "sim/worker.h"

namespace parlance::sim {

namespace {

constexpr std::size_t kFailuresShownMax = 10;

unsigned job_count(const CampaignOptions& options) {
    if (options.jobs > 0) return options.jobs;
    return std::max(1U, std::thread::hardware_concurrency());
}

/// A progress bar on a terminal, and silence elsewhere.
class Bar {
  public:
    explicit Bar(std::uint64_t all) : all_(all), is_shown_(::isatty(STDERR_FILENO) == 1) {}
    ~Bar() { clear(); }
    Bar(const Bar&) = delete;
    Bar& operator=(const Bar&) = delete;

    void advance() {
        ++done_;
        if (!is_shown_ || (done_ % 16 != 0 && done_ != all_)) return;
        constexpr std::uint64_t kWidth = 40;
        const auto filled = done_ * kWidth / std::max<std::uint64_t>(all_, 1);
        fmt::print(stderr,
                   "\r[{}{}] {} of {}",
                   std::string(filled, '#'),
                   std::string(kWidth - std::min(filled, kWidth), '.'),
                   done_,
                   all_);
        std::fflush(stderr);
    }
    void clear() const {
        if (is_shown_) fmt::print(stderr, "\r\x1b[K");
    }

  private:
    std::uint64_t all_;
    std::uint64_t done_ = 0;
    bool is_shown_;
};

// --- seeds -----------------------------------------------------------------------------------

struct Totals {
    std::uint64_t seeds = 0;
    std::uint64_t messages = 0;
    std::uint64_t records = 0;
    std::uint64_t crashes = 0;
    std::vector<Verdict> failures;
};

void count(Totals& totals, const Verdict& verdict) {
    ++totals.seeds;
    totals.messages += verdict.messages;
    totals.records += verdict.records;
    totals.crashes += verdict.crashes;
    if (!verdict.ok) totals.failures.push_back(verdict);
}

std::optional<std::vector<Task>> read_scenarios(const std::string& path) {
    std::vector<Task> tasks;
    if (path.empty()) return tasks;
    std::ifstream file{path};
    if (!file) return std::nullopt;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.front() == '#') continue;
        const auto seed = std::strtoull(line.c_str(), nullptr, 10);
        tasks.push_back({.first = seed, .last = seed});
    }
    return tasks;
}

std::string as_json(const Verdict& verdict) {
    return json::ObjectWriter{}
        .raw("seed", std::to_string(verdict.seed))
        .text("promise", verdict.promise)
        .text("what", verdict.what)
        .done();
}

void print_seeds(const CampaignOptions& options, const Totals& totals, double seconds) {
    if (options.is_json) {
        std::string failures;
        for (const auto& failure : totals.failures) {
            failures += (failures.empty() ? "" : ",") + as_json(failure);
        }
        fmt::print(
            "{{\"seeds\":{},\"failures\":[{}],\"messages\":{},\"records\":{},"
            "\"crashes\":{},\"seconds\":{:.1f}}}\n",
            totals.seeds,
            failures,
            totals.messages,
            totals.records,
            totals.crashes,
            seconds);
        return;
    }
    for (std::size_t i = 0; i < std::min(totals.failures.size(), kFailuresShownMax); ++i) {
        const auto& failure = totals.failures[i];
        fmt::print("seed {} breaks {}: {}\n  again: parlance sim --seed {}\n",
                   failure.seed,
                   failure.promise,
                   failure.what,
                   failure.seed);
    }
    if (totals.failures.size() > kFailuresShownMax) {
        fmt::print("and {} more\n", totals.failures.size() - kFailuresShownMax);
    }
    fmt::print("{} {}, {} failed: {} messages, {} records, {} {} in {:.1f} s\n",
               totals.seeds,
               totals.seeds == 1 ? "seed" : "seeds",
               totals.failures.size(),
               totals.messages,
               totals.records,
               totals.crashes,
               totals.crashes == 1 ? "crash" : "crashes",
               seconds);
}

int trace_seed(const CampaignOptions& options) {
    Totals totals;
    count(totals,
          run(options.seed_first,
              {.tells_stories = true, .tells_all = true, .is_plain = options.is_plain}));
    print_seeds(options, totals, 0);
    return totals.failures.empty() ? 0 : 1;
}

int run_seeds(const CampaignOptions& options) {
    if (options.is_traced) return trace_seed(options);
    auto tasks = read_scenarios(options.scenarios);
    if (!tasks) {
        fmt::print(stderr, "parlance: there is no file '{}'\n", options.scenarios);
        return 2;
    }
    const auto jobs = job_count(options);
    const auto scenarios = tasks->size();
    for (unsigned i = 0; i < jobs && i <= options.seed_last - options.seed_first; ++i) {
        tasks->push_back({.first = options.seed_first + i,
                          .last = options.seed_last,
                          .stride = jobs,
                          .is_plain = options.is_plain});
    }
    const auto begin = std::chrono::steady_clock::now();
    Totals totals;
    {
        Bar bar{scenarios + options.seed_last - options.seed_first + 1};
        run_tasks(*std::move(tasks), jobs, [&](const Task&, const Verdict& verdict) {
            count(totals, verdict);
            bar.advance();
            return true;
        });
    }
    std::ranges::sort(totals.failures, {}, &Verdict::seed);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    print_seeds(options, totals, took.count());
    return totals.failures.empty() ? 0 : 1;
}

// --- coverage ----------------------------------------------------------------------------------

/// How often a row occurred in all seeds together, and in how many lives.
struct Covered {
    std::uint64_t times = 0;
    std::uint64_t lives = 0;
};

void add(std::vector<Covered>& all, const Verdict& verdict) {
    for (std::size_t i = 0; i < std::min(all.size(), verdict.coverage.size()); ++i) {
        all[i].times += verdict.coverage[i];
        all[i].lives += verdict.coverage[i] > 0 ? 1 : 0;
    }
}

/// Prints the table; true if every row occurred.
bool print_coverage(const std::vector<CoverageRow>& rows, const std::vector<Covered>& all) {
    std::vector<std::string> never;
    fmt::print("{:<10} {:<32} {:>10} {:>8}\n", "what", "name", "times", "lives");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].is_exempt) continue;
        fmt::print("{:<10} {:<32} {:>10} {:>8}\n",
                   rows[i].group,
                   rows[i].name,
                   all[i].times,
                   all[i].lives);
        if (all[i].times == 0) never.push_back(fmt::format("{} '{}'", rows[i].group, rows[i].name));
    }
    for (const auto& each : never) fmt::print("never occurred: {}\n", each);
    return never.empty();
}

int run_coverage(const CampaignOptions& options) {
    const auto rows = coverage_rows();
    std::vector<Covered> all(rows.size());
    const auto jobs = job_count(options);
    std::vector<Task> tasks;
    for (unsigned i = 0; i < jobs && i <= options.seed_last - options.seed_first; ++i) {
        tasks.push_back(
            {.first = options.seed_first + i, .last = options.seed_last, .stride = jobs});
    }
    run_tasks(std::move(tasks), jobs, [&](const Task&, const Verdict& verdict) {
        add(all, verdict);
        return true;
    });
    return print_coverage(rows, all) ? 0 : 1;
}

// --- planted bugs ----------------------------------------------------------------------------

/// Seeds by the name of the planted bug; nullopt if the file cannot be read.
std::optional<std::map<std::string, std::uint64_t, std::less<>>> read_known_seeds(
    const std::string& path) {
    std::map<std::string, std::uint64_t, std::less<>> seeds;
    if (path.empty()) return seeds;
    std::ifstream file{path};
    if (!file) return std::nullopt;
    for (std::string line; std::getline(file, line);) {
        const auto space = line.find(' ');
        if (line.empty() || line.front() == '#' || space == std::string::npos) continue;
        seeds[line.substr(0, space)] = std::strtoull(line.c_str() + space, nullptr, 10);
    }
    return seeds;
}

/// How a planted bug was found. Only a promise that the bug is known to break counts; any other
/// broken promise means that the bug's own checker did not fire.
struct Found {
    std::string promise{};  ///< A promise that the bug breaks. Empty: not found yet.
    std::uint64_t seed = 0;
    std::string other{};  ///< The first broken promise that the bug should not break.
};

class Hunt {
  public:
    Hunt(const CampaignOptions& options, std::vector<MutantRow> mutants)
        : options_(options), mutants_(std::move(mutants)) {}

    int run() {
        const auto begin = std::chrono::steady_clock::now();
        const auto known = read_known_seeds(options_.known_seeds);
        if (!known) {
            fmt::print(stderr, "parlance: there is no file '{}'\n", options_.known_seeds);
            return 2;
        }
        std::vector<Task> tasks;
        for (const auto& mutant : mutants_) {
            const auto seed = known->find(mutant.name);
            if (seed == known->end()) continue;
            tasks.push_back({.first = seed->second, .last = seed->second, .mutant = mutant});
        }
        hunt(std::move(tasks));
        tasks.clear();
        for (const auto& mutant : mutants_) {
            if (!found_[mutant.mutant].promise.empty()) continue;
            tasks.push_back({.first = options_.seed_first,
                             .last = options_.seed_last,
                             .stride = 1,
                             .mutant = mutant});
        }
        hunt(std::move(tasks));
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        options_.is_json ? print_json(took.count()) : print_table(took.count());
        if (!options_.save.empty() && !save_seeds()) {
            fmt::print(stderr, "parlance: cannot write '{}'\n", options_.save);
            return 2;
        }
        return count_found() == mutants_.size() ? 0 : 1;
    }

  private:
    void hunt(std::vector<Task> tasks) {
        run_tasks(std::move(tasks), job_count(options_), [&](const Task& task, const Verdict& v) {
            return note(*task.mutant, v);
        });
    }

    bool save_seeds() {
        std::ofstream file{options_.save};
        file << "# For each planted bug a seed whose life shows the bug; written by\n"
                "# parlance-sim --mutants --seeds 1..300 --save FILE\n";
        for (const auto& mutant : mutants_) {
            const auto& found = found_[mutant.mutant];
            if (!found.promise.empty()) file << mutant.name << ' ' << found.seed << '\n';
        }
        file.close();
        return !file.fail();
    }

    /// True while the hunt must go on: until a promise that the bug breaks is seen broken.
    bool note(const MutantRow& mutant, const Verdict& verdict) {
        auto& found = found_[mutant.mutant];
        const auto own = std::ranges::find_if(
            verdict.promises, [&](const std::string& each) { return breaks(mutant, each); });
        if (own != verdict.promises.end()) {
            found.promise = *own;
            found.seed = verdict.seed;
            return false;
        }
        if (!verdict.ok && found.other.empty()) found.other = verdict.promise;
        return true;
    }

    std::size_t count_found() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            found_, [](const auto& entry) { return !entry.second.promise.empty(); }));
    }

    void print_table(double seconds) {
        fmt::print("{:<32} {:<8} {:<8} {}\n", "planted bug", "breaks", "found by", "seed");
        for (const auto& mutant : mutants_) {
            const auto& found = found_[mutant.mutant];
            fmt::print("{:<32} {:<8} {:<8} {}\n",
                       mutant.name,
                       mutant.promise,
                       found.promise.empty() ? "-" : found.promise,
                       seen(found));
        }
        fmt::print("{} of {} planted bugs found, each within {} seeds, in {:.1f} s\n",
                   count_found(),
                   mutants_.size(),
                   options_.seed_last - options_.seed_first + 1,
                   seconds);
    }

    static std::string seen(const Found& found) {
        if (!found.promise.empty()) return std::to_string(found.seed);
        return found.other.empty() ? "not found" : "not found, but " + found.other + " is broken";
    }

    void print_json(double seconds) {
        std::string rows;
        for (const auto& mutant : mutants_) {
            const auto& found = found_[mutant.mutant];
            rows += (rows.empty() ? "" : ",") +
                    json::ObjectWriter{}
                        .text("mutant", mutant.name)
                        .text("promise", mutant.promise)
                        .text("found_by", found.promise)
                        .integer("seed", static_cast<std::int64_t>(found.seed))
                        .done();
        }
        fmt::print(
            "{{\"mutants\":[{}],\"found\":{},\"seconds\":{:.1f}}}\n", rows, count_found(), seconds);
    }

    const CampaignOptions& options_;
    std::vector<MutantRow> mutants_;
    std::map<Mutant, Found> found_;
};

}  // namespace

int run_campaign(const CampaignOptions& options) {
    if (options.shows_coverage) return run_coverage(options);
    if (!options.all_mutants && options.mutant.empty()) return run_seeds(options);
    if (!kHasMutants) {
        fmt::print(stderr,
                   "parlance: this program was built without planted bugs\n"
                   "  → Build it with -DPARLANCE_MUTANTS=ON, as the presets dev and sim do.\n");
        return 2;
    }
    std::vector<MutantRow> mutants;
    for (const auto& row : kMutants) {
        if (options.all_mutants || row.name == options.mutant) mutants.push_back(row);
    }
    if (mutants.empty()) {
        fmt::print(
            stderr, "parlance: there is no planted bug '{}'\n  → These exist:\n", options.mutant);
        for (const auto& row : kMutants) fmt::print(stderr, "    {} ({})\n", row.name, row.promise);
        return 2;
    }
    return Hunt{options, std::move(mutants)}.run();
}

}  // namespace parlance::sim
