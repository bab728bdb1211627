// `parlance version`.
#include <fmt/format.h>

#include "app/cli/cli.h"
#include "base/json_write.h"

namespace parlance::cli {

void add_version(CLI::App& app, Context& context) {
    add_verb(app, {"version", "Say which version this is", ""})->callback([&context] {
        context.run = [&context] {
            if (context.is_json) {
                fmt::print("{}\n",
                           json::ObjectWriter{}
                               .text("name", "parlance")
                               .text("version", PARLANCE_VERSION)
                               .text("compiler", __VERSION__)
                               .done());
            } else {
                fmt::print("parlance {}\n", PARLANCE_VERSION);
            }
            return static_cast<int>(Done);
        };
    });
}

}  // namespace parlance::cli
