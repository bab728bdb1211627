// `parlance sim`: runs simulated lives of the hub, by seed.
#include <charconv>
#include <optional>
#include <string_view>

#include "app/cli/cli.h"
#include "sim/campaign.h"

namespace parlance::cli {

namespace {

constexpr std::uint64_t kSeedsForMutants = 300;

std::optional<std::uint64_t> parse_seed(std::string_view text) {
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return seed;
}

/// "A..B", both included.
bool parse_seeds(std::string_view text, sim::CampaignOptions& options) {
    const auto dots = text.find("..");
    if (dots == std::string_view::npos) return false;
    const auto first = parse_seed(text.substr(0, dots));
    const auto last = parse_seed(text.substr(dots + 2));
    if (!first || !last || *first > *last) return false;
    options.seed_first = *first;
    options.seed_last = *last;
    return true;
}

}  // namespace

void add_sim(CLI::App& app, Context& context) {
    auto* verb = add_verb(app,
                          {"sim",
                           "Run the hub in a simulated world that fails by seed",
                           "parlance sim --seeds 1..2000 --jobs 2"});
    const auto options = std::make_shared<sim::CampaignOptions>();
    const auto seeds = std::make_shared<std::string>();
    const auto seed = std::make_shared<std::optional<std::uint64_t>>();
    auto* one = verb->add_option("--seed", *seed, "One life, by its seed")->check(whole_number());
    verb->add_option("--seeds", *seeds, "All lives from A to B, as A..B")->excludes(one);
    auto* mutant =
        verb->add_option("--mutant", options->mutant, "Plant this bug; it must be found");
    verb->add_flag("--mutants", options->all_mutants, "Plant each bug in turn")->excludes(mutant);
    verb->add_option("--jobs", options->jobs, "Processes at a time (default: one a processor)")
        ->check(whole_number(1, 1024));
    verb->add_option("--scenarios", options->scenarios, "A file of seeds to run first");
    verb->add_flag("--trace", options->is_traced, "Print the whole journal of the seed");
    verb->callback(leave(context, [&context, options, seeds, seed] {
        options->is_json = context.is_json;
        const bool hunts = options->all_mutants || !options->mutant.empty();
        options->seed_last = hunts ? kSeedsForMutants : 1;
        if (*seed) options->seed_first = options->seed_last = **seed;
        if (!seeds->empty() && !parse_seeds(*seeds, *options)) {
            return complain(context,
                            Misused,
                            "--seeds '" + *seeds + "' is not a range",
                            "Give the first and the last, as in 1..2000.");
        }
        return sim::run_campaign(*options);
    }));
}

}  // namespace parlance::cli
