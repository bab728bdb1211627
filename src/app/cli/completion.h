// Shell completion, generated from the command tree.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace parlance::cli {

std::string bash_completion(const CLI::App& root);
std::string zsh_completion(const CLI::App& root);
std::string fish_completion(const CLI::App& root);

}  // namespace parlance::cli
