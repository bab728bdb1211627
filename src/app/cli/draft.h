// A taskwire message built from the command line, and the source of its payload.
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
    std::string payload{};  ///< As typed: JSON, plain words, "@file" or "-".
};

/// The common options of `send` and `request`.
void add_draft_options(CLI::App& verb, Draft& draft);

/// Reads the file of "@file" or stdin for "-"; returns any different text as typed.
Result<std::string> read_payload(const std::string& typed);

/// Plain words become {"text":…}; text that begins like JSON must be JSON. The task is added.
Result<std::string> shape_payload(std::string_view text, std::string_view task);

/// The message. An empty id gets a fresh one.
Result<std::string> compose(const Draft& draft, std::string_view payload, Time now);
/// Reads and shapes the payload, and composes the message.
Result<std::string> write_out(const Draft& draft, Time now);

std::string fresh_id();
Time now();

}  // namespace parlance::cli
