// `parlance journal repair`: restores damaged and missing segments from a copy.
#pragma once

#include <functional>
#include <string>

#include "app/cli/cli.h"

namespace parlance::cli {

/// Adds the verb below `parlance journal`; `data` returns the directory.
void add_journal_repair(CLI::App& journal, Context& context, std::function<std::string()> data);

}  // namespace parlance::cli
