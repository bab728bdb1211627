// The life of one copy of a message from acceptance to its end, step by step.
//
// Every statement about a conversation, as of now or as of an earlier record, is folded from these
// steps, so no two accounts can differ.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/envelope.h"
#include "model/ids.h"

namespace parlance::views {

/// The state of a copy.
///
///   Waiting ⇄ AtWork, WaitingForHuman ─▶ a final state; a dead letter may be Waiting again
enum class Standing : std::uint8_t {
    Waiting,          ///< In a mailbox, first or again.
    AtWork,           ///< Leased to an agent.
    WaitingForHuman,  ///< Waits for people.
    Acknowledged,     ///< A one-way message that the recipient acknowledged.
    Told,             ///< Returned directly to a waiting requester, or sent to no subscriber.
    Answered,
    FellShort,  ///< Answered, but the request is not or not fully done.
    Failed,     ///< Answered by the hub with a failure.
    Dropped,
    Expired,
    DeadLettered,
    Discarded,
};

struct StandingRow {
    Standing standing;
    char letter;  ///< Used in the ledger.
    std::string_view name;
    std::string_view status;  ///< One of the three interaction statuses (C4).
};
inline constexpr std::array kStandings{
    StandingRow{Standing::Waiting, 'w', "waiting", "pending"},
    StandingRow{Standing::AtWork, 'a', "at_work", "pending"},
    StandingRow{Standing::WaitingForHuman, 'h', "waiting_for_human", "pending"},
    StandingRow{Standing::Acknowledged, 'k', "acknowledged", "success"},
    StandingRow{Standing::Told, 't', "told", "success"},
    StandingRow{Standing::Answered, 's', "answered", "success"},
    StandingRow{Standing::FellShort, 'p', "fell_short", "error"},
    StandingRow{Standing::Failed, 'f', "failed", "error"},
    StandingRow{Standing::Dropped, 'd', "dropped", "error"},
    StandingRow{Standing::Expired, 'x', "expired", "error"},
    StandingRow{Standing::DeadLettered, 'l', "dead_lettered", "error"},
    StandingRow{Standing::Discarded, 'c', "discarded", "error"},
};
constexpr const StandingRow& row_of(Standing standing) {
    return kStandings[static_cast<std::size_t>(standing)];
}
static_assert(
    [] {
        for (std::size_t i = 0; i < kStandings.size(); ++i) {
            if (static_cast<std::size_t>(kStandings[i].standing) != i) return false;
        }
        return true;
    }(),
    "the table stands in the order of its standings");
constexpr bool is_open(Standing standing) { return standing <= Standing::WaitingForHuman; }
constexpr bool is_failure(Standing standing) { return row_of(standing).status == "error"; }

struct Step {
    Standing to = Standing::Waiting;
    Sequence sequence{};
    Time at{};
    bool operator==(const Step&) const = default;
};

/// The kind of message. The last two are no messages: a workflow from start to end, and a human
/// task of a workflow.
enum class Part : std::uint8_t { OneWay, Request, Answer, Failure, Workflow, HumanTask };
inline constexpr std::array<std::string_view, 6> kPartNames{
    "one_way", "request", "answer", "failure", "workflow", "person"};
constexpr bool is_message(Part part) { return part < Part::Workflow; }

/// The current state of a copy, and the time spent so far.
struct Course {
    Standing standing = Standing::Waiting;
    std::uint32_t attempts = 0;
    Time since{};      ///< Time of the last step.
    Time leased_at{};  ///< First lease; zero: never leased.
    Duration queue{};  ///< Total time waiting for an agent.
    Duration run{};    ///< Total time leased to agents.
    Duration human{};  ///< Total time with people.
    bool waited_for_human = false;
    bool operator==(const Course&) const = default;
};

struct Span {
    Ticket ticket{};
    Sequence sequence{};
    Time accepted_at{};
    std::string correlation{};
    std::string root{};  ///< Correlation of the root request of the delegation, if any.
    std::string id{};
    std::string from{};  ///< Empty: the hub.
    std::string to{};
    std::string type{};
    Dialect dialect = Dialect::Taskwire;
    Part part = Part::OneWay;
    Ticket parent{};  ///< The request that this message was delegated for, or answers.
    std::string steps{};
    std::string user{};  ///< The user of the request, if any.
    Course course{};
};

/// The course before the first step.
Course course_at_start(const Span& span);
void take(Course& course, const Step& step);
/// Appends the step to `steps` and applies it.
void take(Span& span, const Step& step);
/// Parses `steps`; nothing if malformed.
std::optional<std::vector<Step>> steps_of(const Span& span);

/// The span as of record `at`; nothing if not yet begun.
std::optional<Span> as_of(const Span& span, Sequence at);

}  // namespace parlance::views
