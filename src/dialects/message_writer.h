// The message writer: writes the requests of the hub's workflows in the recipient's dialect, and
// reads the answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "model/envelope.h"
#include "model/message.h"

namespace parlance::dialects {

/// A request in the hub's own name.
struct HubRequest {
    std::string_view id{};
    std::string_view from{};
    std::string_view to{};
    std::string_view capability{};
    std::string_view objective{};
    std::string_view inputs{};   ///< JSON.
    std::string_view context{};  ///< JSON.
    std::string_view correlation{};
    std::string_view user{};
    std::string_view session{};
    Duration timeout{};
    std::uint64_t tokens_max = 0;  ///< 0: no budget stated.
    Time now{};
    Priority priority = Priority::High;
};
/// Null if the message would break the limits of a message.
EnvelopePtr write_request(Dialect dialect, const HubRequest& request);

/// The content of an answer, in any dialect.
struct Said {
    bool is_done = false;
    bool is_partial = false;
    std::string_view content{};  ///< JSON, in the answer's body; or in `made`.
    std::string made{};          ///< Built by the reader, as when a text was itself JSON.
    std::optional<double> confidence{};
    std::string code{};
    std::string text{};
    std::optional<bool> is_retryable{};
    std::string fallback{};
    std::uint64_t tokens_used = 0;
};
Said read_said(const Envelope& answer);

/// What an incomplete answer tells about its agent (K21): a failure of the agent's own, or a
/// declined request, by the error's code or words.
AnswerKind kind_of(const Envelope& answer);

}  // namespace parlance::dialects
