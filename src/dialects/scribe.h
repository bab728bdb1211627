// The hub's own hand: writes the requests of its workflows in the dialect of whoever gets them, and
// reads what comes back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "model/envelope.h"
#include "model/message.h"

namespace parlance::dialects {

/// A request that the hub makes in its own name.
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
    std::uint64_t tokens_max = 0;  ///< 0: it says none.
    Time now{};
    Priority priority = Priority::High;
};
/// Null, if it would be more than a message may be.
EnvelopePtr write_request(Dialect dialect, const HubRequest& request);

/// What an answer says, whatever its dialect.
struct Said {
    bool is_done = false;
    bool is_partial = false;
    std::string_view content{};  ///< JSON, in the answer's body; or in `made`.
    std::string made{};          ///< Where a text was itself JSON.
    std::optional<double> confidence{};
    std::string code{};
    std::string text{};
    std::optional<bool> is_retryable{};
    std::string fallback{};
    std::uint64_t tokens_used = 0;
};
Said read_said(const Envelope& answer);

/// What an answer that is not all that was asked tells of its agent (K21): an error of its own, or
/// a request that it declines, by its code or its words.
AnswerKind kind_of(const Envelope& answer);

}  // namespace parlance::dialects
