// Messages in a file, and their faults; for the verbs that need no hub.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/cli.h"
#include "base/result.h"
#include "dialects/dialects.h"

namespace parlance::cli {

/// One message as written.
struct Written {
    std::string text{};
    /// Known only for unmistakable forms, such as a kessel block.
    std::optional<Dialect> dialect{};
};

/// The messages of a file, or of stdin for "-": one JSON object, a list of objects, one object per
/// line, or a kessel block. Unreadable text counts as one invalid message.
Result<std::vector<Written>> read_written(const std::string& file);

/// The message as strict JSON.
dialects::Reading<std::string> plain_json(const Written& written, std::optional<Dialect> named);

/// Reads the message as the hub would for a known caller. `named` is the dialect option.
dialects::Reading<SendMessage> read_as_hub(const Context& context,
                                           const Written& written,
                                           std::optional<Dialect> named);

/// A refused text may still be a valid part of a message, as in the dialect's document.
std::optional<dialects::Part> as_part(const Written& written, std::optional<Dialect> dialect);

/// "INPUT_VALIDATION_FAILED in taskwire", and below, each problem: position, rule, value, section.
std::string in_words(const Screen& screen, const dialects::Rejection& rejection);
/// The same as one JSON object; `number` is the message's, counted from 1.
std::string as_json(const dialects::Rejection& rejection, std::size_t number = 0);

/// The dialect of an option value already checked by CLI11; empty without the option.
std::optional<Dialect> dialect_option(const std::string& name);

}  // namespace parlance::cli
