// Human tasks: requests that wait for a person, each with a role, a deadline and a rule for no
// answer.
//
//   waiting ─┬─ answered     by one person, or by two if two approvals are needed
//     ▲  │   ├─ lapsed       no answer in time; the task says what follows
//     └──┘   └─ withdrawn    the request or workflow of the task has ended
//   reminded, escalated
//
// Knows the requesting message only by its ticket. A waiting task is these bytes and nothing else:
// no thread, no connection, no timer. Ended tasks stay for a while, so that a second answer is told
// from a wrong id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sorted_chunks.h"
#include "base/time.h"
#include "core/cold/cold_store.h"
#include "core/words.h"
#include "model/event.h"

namespace parlance::core::people {

enum class Stage : std::uint8_t { Waiting, Answered, Lapsed, Withdrawn };

/// As written on the wire.
constexpr std::string_view name_of(Stage stage) {
    switch (stage) {
        case Stage::Waiting:
            return "waiting";
        case Stage::Answered:
            return "answered";
        case Stage::Lapsed:
            return "lapsed";
        case Stage::Withdrawn:
            return "withdrawn";
    }
    return {};
}

struct HumanTask {
    HumanAsked asked;
    Time asked_at{};
    Time term_began{};  ///< When the present role's deadline began to run.
    bool is_reminded = false;
    bool is_escalated = false;
    Stage stage = Stage::Waiting;
    /// Record of the latest change that people were not notified of; none: all notified.
    Sequence news{};
    Sequence ended{};  ///< Record of the end.
    Time ended_at{};
    std::vector<HumanAnswered> answers{};  ///< If answered, the last answer decided.
    std::string end_reason{};              ///< Withdrawn: why. Lapsed: the consequence.
};

/// A human task as bytes: encoding.cc.
struct HumanTaskCodec {
    std::size_t pack(std::string& out, const HumanTask& human_task) const;
    HumanTask unpack(Ticket id, ByteReader& in) const;
    HumanTask unpack(ByteReader& in, RecordEncoding encoding) const;  ///< As a snapshot has it.
    bool is_small(const HumanTask& human_task) const;
};

struct People {
    ColdStore<HumanTask, HumanTaskCodec> human_tasks;

    // Derived from `human_tasks`.
    SortedChunks<std::pair<Time, Ticket>> due;           ///< The next reminder or deadline.
    SortedChunks<std::pair<Ticket, Ticket>> by_request;  ///< Waiting tasks.
    /// Waiting tasks without a request, by the hash of their workflow's id.
    SortedChunks<std::pair<std::uint64_t, Ticket>> by_workflow;
    std::map<Sequence, Ticket> ended;  ///< The oldest first.
    std::uint64_t bytes = 0;           ///< Of all tasks and answers.
};

/// Bytes of text.
std::uint64_t bytes_of(const HumanAsked& asked);
std::uint64_t bytes_of(const HumanTask& human_task);

Reading<HumanTask> find_human_task(const People& people, Ticket id);
/// The waiting task of this request, or null.
Reading<HumanTask> find_by_request(const People& people, Ticket request);
/// The waiting tasks of this workflow without a request, the oldest first.
std::vector<Ticket> find_of_workflow(const People& people, std::string_view workflow);
std::size_t waiting_count(const People& people);

/// The role asked now: after an escalation, the escalation role.
inline const std::string& role_of(const HumanTask& human_task) {
    return human_task.is_escalated ? human_task.asked.escalation : human_task.asked.role;
}
Time deadline_of(const HumanTask& human_task);
/// The next reminder, if not sent yet, or the deadline.
Time due_of(const HumanTask& human_task);
/// Whether the task lapses at its present deadline: no escalation is left, and the rule is not to
/// wait.
bool is_last_term(const HumanTask& human_task);
bool has_approved(const HumanTask& human_task, std::string_view person);

/// Sequence and time of an event's record, and how many ended tasks are kept.
struct Record {
    Sequence sequence;
    Time at{};
    std::uint64_t ended_max = 0;
};
void apply(People& people, const HumanAsked& event, const Record& record);
void apply(People& people, const HumanReminded& event, const Record& record);
void apply(People& people, const HumanEscalated& event, const Record& record);
void apply(People& people, const HumanNotified& event, const Record& record);
void apply(People& people, const HumanAnswered& event, const Record& record);
void apply(People& people, const HumanLapsed& event, const Record& record);
void apply(People& people, const HumanWithdrawn& event, const Record& record);

/// Enters a task into the derived indexes; also used after a snapshot was loaded.
void index(People& people, const HumanTask& human_task);

}  // namespace parlance::core::people
