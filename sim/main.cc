// parlance-sim: the simulator as a program of its own.
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "sim/campaign.h"

namespace {

using parlance::sim::CampaignOptions;

constexpr const char* kUsage =
    "usage: parlance-sim --seed N | --seeds A..B [--mutant NAME | --mutants | --coverage] [--jobs "
    "N]\n"
    "                    [--known FILE] [--save FILE] [--json] [--scenarios FILE] [--trace] "
    "[--plain]\n";

/// "7" or "1..2000".
bool read_seeds(const std::string& text, CampaignOptions& options) {
    char* end = nullptr;
    if (text.find('-') != std::string::npos)
        return false;  // strtoull would take "-1" for a very large seed.
    options.seed_first = options.seed_last = std::strtoull(text.c_str(), &end, 10);
    if (end == text.c_str()) return false;
    if (std::strncmp(end, "..", 2) == 0) options.seed_last = std::strtoull(end + 2, &end, 10);
    return *end == '\0' && options.seed_first <= options.seed_last;
}

std::optional<CampaignOptions> read_arguments(int argc, char** argv) {
    CampaignOptions options{.seed_last = 300};
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        if (name == "--json") {
            options.is_json = true;
            continue;
        }
        if (name == "--trace") {
            options.is_traced = true;
            continue;
        }
        if (name == "--mutants") {
            options.all_mutants = true;
            continue;
        }
        if (name == "--plain") {
            options.is_plain = true;
            continue;
        }
        if (name == "--coverage") {
            options.shows_coverage = true;
            continue;
        }
        if (++i >= argc) return std::nullopt;
        if (name == "--seed" || name == "--seeds") {
            if (!read_seeds(argv[i], options)) return std::nullopt;
        } else if (name == "--mutant") {
            options.mutant = argv[i];
        } else if (name == "--scenarios") {
            options.scenarios = argv[i];
        } else if (name == "--known") {
            options.known_seeds = argv[i];
        } else if (name == "--save") {
            options.save = argv[i];
        } else if (name == "--jobs") {
            options.jobs = static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10));
        } else {
            return std::nullopt;
        }
    }
    return options;
}

}  // namespace

int main(int argc, char** argv) {
    const auto options = read_arguments(argc, argv);
    if (options) return parlance::sim::run_campaign(*options);
    fmt::print(stderr, "{}", kUsage);
    return 2;
}
