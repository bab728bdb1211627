// Messages that stand in a file, and what is wrong with them; for the verbs that need no hub.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/cli.h"
#include "base/result.h"
#include "dialects/dialects.h"

namespace parlance::cli {

/// One message as it was written.
struct Written {
    std::string text{};
    std::optional<Dialect> dialect{};  ///< Where its form says so, as a block of kessel does.
};

/// The messages of a file, or of stdin for "-": one JSON object, a list of them, one a line, or a
/// block of kessel. What cannot be read as any of these is one message, and no good one.
Result<std::vector<Written>> read_written(const std::string& file);

/// The message as strict JSON.
dialects::Reading<std::string> plain_json(const Written& written, std::optional<Dialect> named);

/// Reads it as the hub would for a caller that it knows. `named` is the dialect by option.
dialects::Reading<SendMessage> read_as_hub(const Context& context,
                                           const Written& written,
                                           std::optional<Dialect> named);

/// What is refused as a message may be a part of one, as its document shows it.
std::optional<dialects::Part> as_part(const Written& written, std::optional<Dialect> dialect);

/// "INPUT_VALIDATION_FAILED in taskwire", and under it each problem: place, rule, value, section.
std::string in_words(const Screen& screen, const dialects::Rejection& rejection);
/// The same as one JSON object; `number`: which of the messages it is about, counted from 1.
std::string as_json(const dialects::Rejection& rejection, std::size_t number = 0);

/// The dialect of this name; CLI11 has checked that there is one, or the option was not given.
std::optional<Dialect> dialect_option(const std::string& name);

}  // namespace parlance::cli
