// Formats that documents prescribe: request ids (K3), correlation ids (C1), error codes (K5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace parlance::dialects {

/// True if the text has a prefix, a '-' or '_', and a time: 20250118-143022, 20250118143022 or a
/// Unix time of ten to thirteen digits.
bool ends_in_time(std::string_view text);
/// The time at the end of such a text; nothing if there is none, or no such date.
std::optional<Time> time_in(std::string_view text);

struct CorrelationParts {
    std::string_view session;
    std::string_view query_hash;  ///< The first eight hexadecimal digits of the query's MD5.
    std::string_view seconds;     ///< Since 1970.
};

/// Empty parts if the text is not of the form `{session}_{hash}_{seconds}`.
CorrelationParts split_correlation_id(std::string_view text);
bool is_correlation_id(std::string_view text);
std::string make_correlation_id(std::string_view session, std::string_view query, Time now);

/// The correlation id for a workflow of another dialect: the workflow's id as the session, the hash
/// of the id, and the start time.
std::string derived_correlation_id(std::string_view workflow, Time began);
/// The workflow's own id: the input of derived_correlation_id(), or the text itself.
std::string_view workflow_of(std::string_view correlation_id);

/// CATEGORY_SPECIFIC_ERROR: capitals and digits, and at least one underscore between them.
bool is_error_code(std::string_view text);
/// The valid code nearest to a text: "api timeout" becomes API_TIMEOUT.
std::string make_error_code(std::string_view text);

}  // namespace parlance::dialects
