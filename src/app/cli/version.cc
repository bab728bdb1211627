// `parlance version`.
#include "app/version.h"

#include <fmt/format.h>

#include "app/cli/cli.h"
#include "base/json_write.h"

namespace parlance::cli {

void add_version(CLI::App& app, Context& context) {
    app.set_version_flag("--version", fmt::format("parlance {}", app::kVersion));
    add_verb(app, {"version", "Say which version this is", "  parlance version --json"})
        ->callback(leave(context, [&context] {
            if (context.is_json) {
                fmt::print("{}\n",
                           json::ObjectWriter{}
                               .text("name", "parlance")
                               .text("version", app::kVersion)
                               .text("compiler", __VERSION__)
                               .done());
            } else {
                fmt::print("parlance {}\n", app::kVersion);
            }
            return static_cast<int>(Done);
        }));
}

}  // namespace parlance::cli
