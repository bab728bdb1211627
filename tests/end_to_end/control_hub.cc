// A hub with a planted bug, for the checks that must catch the bug:
// control_hub MUTANT DATA PORT [CONFIG].
#include <algorithm>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "app/serve.h"
#include "base/mutant.h"

int main(int argc, char** argv) {
    if (argc != 4 && argc != 5) {
        fmt::print(stderr, "usage: control_hub MUTANT DATA PORT [CONFIG]\n");
        return 2;
    }
    const std::string name = argv[1];
    const auto row = std::ranges::find(parlance::kMutants, name, &parlance::MutantRow::name);
    if (!parlance::kHasMutants || row == parlance::kMutants.end()) {
        fmt::print(stderr, "control_hub: there is no mutant '{}' in this build\n", name);
        return 2;
    }
    parlance::plant(row->mutant);
    parlance::app::ServeOptions options;
    options.is_dev = true;
    options.data = argv[2];
    options.port = static_cast<std::uint16_t>(std::atoi(argv[3]));
    if (argc == 5) {
        const auto read = parlance::app::read_config(argv[4], options);
        if (!read) {
            fmt::print(stderr, "control_hub: {}\n", read.error().message);
            return 2;
        }
    }
    return parlance::app::serve(options);
}
