// Summary of a conversation: status, agents, open messages and counts. Pure: spans in, figures
// out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "views/span.h"

namespace parlance::views {

/// A message that has not ended.
struct OpenMessage {
    Ticket ticket{};
    Time since{};
    Part part = Part::OneWay;
    Standing standing = Standing::Waiting;
    bool operator==(const OpenMessage&) const = default;
};

/// The sum of a conversation's spans, independent of the order in which steps are added.
struct Conversation {
    Sequence first{};
    Sequence last{};
    Time started{};
    Time changed{};
    std::string starter{};
    std::vector<std::string> agents{};  ///< Sorted by name.
    std::uint64_t messages = 0;
    std::uint64_t requests = 0;
    std::uint64_t failures = 0;
    std::vector<OpenMessage> open{};  ///< Sorted by ticket.
    /// Start of the message that decides the outcome: the workflow, or else the starter's last
    /// request.
    Sequence decisive{};
    Part decides = Part::Request;
    Standing outcome = Standing::Waiting;
    bool operator==(const Conversation&) const = default;
};

/// Adds a new span.
void begin(Conversation& conversation, const Span& span);
/// Adds the step that `span` has just taken from the standing `before`.
void go_on(Conversation& conversation, const Span& span, Standing before, const Step& step);
/// Sums the spans, each up to record `at`.
Conversation fold(std::span<const Span> spans, Sequence at);
void add(Conversation& conversation, const Span& span, Sequence at);

/// "active", "waiting_for_human" if only people have work left, "completed" or "failed".
std::string_view status_of(const Conversation& conversation);
/// The JSON of GET /v1/correlations/{id}. `asked` holds open requests of the conversation, possibly
/// not all.
std::string print(const Conversation& conversation,
                  std::string_view id,
                  std::span<const Span> asked,
                  Sequence as_of);

}  // namespace parlance::views
