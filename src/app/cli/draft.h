// A taskwire message as the command line describes it, and where its payload comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/cli/cli.h"
#include "base/result.h"
#include "base/time.h"

namespace parlance::cli {

struct Draft {
    std::string id{};
    std::string from{};
    std::string to{};
    std::string type{};
    std::string priority{};
    std::string task{};
    std::string correlation{};
    std::optional<std::uint64_t> ttl_ms{};
    std::optional<std::uint64_t> timeout_ms{};
    std::string payload{};  ///< As it was typed: JSON, plain words, "@file" or "-".
};

/// The options that `send` and `request` have in common.
void add_draft_options(CLI::App& verb, Draft& draft);

/// What "@file" and "-" stand for; anything else stands for itself.
Result<std::string> read_payload(const std::string& typed);

/// Plain words become {"text":…}; what begins like JSON must be JSON. The task goes into it.
Result<std::string> shape_payload(std::string_view text, std::string_view task);

/// The message. An empty id gets a fresh one.
Result<std::string> compose(const Draft& draft, std::string_view payload, Time now);
/// All of it: reads the payload, shapes it and puts the message together.
Result<std::string> write_out(const Draft& draft, Time now);

std::string fresh_id();
Time now();

}  // namespace parlance::cli
