// The way of one copy of a message, from where it was accepted to where it ended, step by step.
//
// Everything that is said of a conversation is folded from these steps, whether it is said of now
// or of any record before: there is no other account that could differ.
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

/// Where a copy stands.
//
//   Waiting ⇄ AtWork, WithPerson ─▶ one of the others; a dead letter may be Waiting again
enum class Standing : std::uint8_t {
    Waiting,       ///< In a mailbox, for the first time or again.
    AtWork,        ///< An agent has it.
    WithPerson,    ///< A person was asked.
    Acknowledged,  ///< One-way, and taken.
    Told,          ///< An answer that went to one who held the line for it.
    Answered,
    FellShort,  ///< Answered: what was asked is not done, or not wholly.
    Failed,     ///< The hub answered for the agent.
    Dropped,
    Expired,
    DeadLettered,
    Discarded,
};

struct StandingRow {
    Standing standing;
    char letter;  ///< In the ledger.
    std::string_view name;
    std::string_view status;  ///< One of the three that every interaction has (C4).
};
inline constexpr std::array kStandings{
    StandingRow{Standing::Waiting, 'w', "waiting", "pending"},
    StandingRow{Standing::AtWork, 'a', "at_work", "pending"},
    StandingRow{Standing::WithPerson, 'h', "waiting_for_human", "pending"},
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
constexpr bool is_open(Standing standing) { return standing <= Standing::WithPerson; }
constexpr bool is_failure(Standing standing) { return row_of(standing).status == "error"; }

struct Step {
    Standing to = Standing::Waiting;
    Sequence sequence{};
    Time at{};
    bool operator==(const Step&) const = default;
};

/// What kind of thing the copy is of. The last two are no messages: a workflow from its beginning
/// to its end, and what it asks of people.
enum class Part : std::uint8_t { OneWay, Request, Answer, Failure, Workflow, Person };
inline constexpr std::array<std::string_view, 6> kPartNames{
    "one_way", "request", "answer", "failure", "workflow", "person"};
constexpr bool is_message(Part part) { return part < Part::Workflow; }

/// How far it has come, and how long it took.
struct Course {
    Standing standing = Standing::Waiting;
    std::uint32_t attempts = 0;
    Time since{};      ///< Of this standing.
    Time leased_at{};  ///< For the first time; zero: never.
    Duration queue{};  ///< All the time that it waited for an agent.
    Duration run{};    ///< All the time that an agent had it.
    Duration human{};  ///< All the time that a person had it.
    bool was_with_person = false;
    bool operator==(const Course&) const = default;
};

struct Journey {
    Ticket ticket{};
    Sequence sequence{};
    Time accepted_at{};
    std::string correlation{};
    std::string root{};  ///< The correlation of the request for which it was delegated, if any.
    std::string id{};
    std::string from{};  ///< Empty: the hub.
    std::string to{};
    std::string type{};
    Dialect dialect = Dialect::Taskwire;
    Part part = Part::OneWay;
    Ticket parent{};  ///< The request for which it was delegated, or which it answers.
    std::string steps{};
    std::string user{};  ///< For whom it was asked, if for anybody.
    Course course{};
};

/// At its beginning, when nothing has become of it yet.
Course course_at_start(const Journey& journey);
void take(Course& course, const Step& step);
/// Notes the step and takes it.
void take(Journey& journey, const Step& step);
/// All that were noted; nothing if this is no such text.
std::optional<std::vector<Step>> steps_of(const Journey& journey);

/// As it was when the record `at` was the last; nothing if it had not begun.
std::optional<Journey> as_of(const Journey& journey, Sequence at);

}  // namespace parlance::views
