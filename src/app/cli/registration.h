// The options that describe an agent, and the registration object made from them.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace parlance::cli {

struct Registration {
    std::string dialect = "taskwire";
    std::string role{};
    std::string domain{};
    std::string endpoint{};
    std::vector<std::string> tools{};
    std::vector<std::string> capabilities{};  ///< Codes, or JSON objects.
};

void add_registration_options(CLI::App& verb, Registration& registration);

/// The object of PUT /v1/agents/{id}.
Result<std::string> write_registration(const Registration& registration);

}  // namespace parlance::cli
