// What waits for a person: appeals, each a question with a role, a time and a rule for when nobody
// answers.
//
//   waiting ─┬─ answered     by one person, or by two where two are needed
//     ▲  │   ├─ lapsed       nobody in time; the appeal says what follows
//     └──┘   └─ withdrawn    what it belonged to has ended
//   reminded, escalated
//
// Knows the message that asked only by its ticket. A waiting appeal is these bytes and nothing
// else: no thread, no connection, no timer of the system. Those that ended stay for a while, so
// that a second answer is told from a wrong one.
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
#include "core/chest.h"
#include "core/words.h"
#include "model/event.h"

namespace parlance::core::people {

enum class Stage : std::uint8_t { Waiting, Answered, Lapsed, Withdrawn };

/// The words at the doors.
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

struct Appeal {
    HumanAsked asked;
    Time asked_at{};
    Time term_began{};  ///< Since when this role has its time.
    bool is_reminded = false;
    bool is_escalated = false;
    Stage stage = Stage::Waiting;
    Sequence news{};   ///< Where what they were not told yet is on record; none: they were.
    Sequence ended{};  ///< Where that is on record.
    Time ended_at{};
    std::vector<HumanAnswered> answers{};  ///< The last one decided, if it is answered.
    std::string end_reason{};              ///< Withdrawn: why. Lapsed: what follows.
};

/// An appeal as bytes: packing.cc.
struct AppealCodec {
    std::size_t pack(std::string& out, const Appeal& appeal) const;
    Appeal unpack(Ticket id, ByteReader& in) const;
    Appeal unpack(ByteReader& in, Packing packing) const;  ///< As a snapshot has it.
    bool is_small(const Appeal& appeal) const;
};

struct People {
    Chest<Appeal, AppealCodec> appeals;

    // Found again from it.
    SortedChunks<std::pair<Time, Ticket>> due;           ///< A reminder, or the end of the time.
    SortedChunks<std::pair<Ticket, Ticket>> by_request;  ///< Of what waits.
    /// Of what waits and was asked by no message, by the hash of its workflow's id.
    SortedChunks<std::pair<std::uint64_t, Ticket>> by_workflow;
    std::map<Sequence, Ticket> ended;  ///< The oldest first.
    std::uint64_t bytes = 0;           ///< Of the words of all appeals, and of their answers.
};

/// How much there is to read in it.
std::uint64_t bytes_of(const HumanAsked& asked);
std::uint64_t bytes_of(const Appeal& appeal);

Reading<Appeal> find_appeal(const People& people, Ticket id);
/// The waiting appeal that was asked by this message, or null.
Reading<Appeal> find_by_request(const People& people, Ticket request);
/// The waiting appeals of this workflow that were asked by no message, the oldest first.
std::vector<Ticket> find_of_workflow(const People& people, std::string_view workflow);
std::size_t waiting_count(const People& people);

/// Who is asked now; another one after an escalation.
inline const std::string& role_of(const Appeal& appeal) {
    return appeal.is_escalated ? appeal.asked.escalation : appeal.asked.role;
}
Time deadline_of(const Appeal& appeal);
/// When something is next due: the reminder, while there was none, or the end of the time.
Time due_of(const Appeal& appeal);
/// Whether nobody has more time once this time is over.
bool is_last_term(const Appeal& appeal);
bool has_approved(const Appeal& appeal, std::string_view person);

/// Where and when the event is on record, and how many that ended are kept.
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

/// Puts an appeal, as a snapshot has it, into what is found by.
void index(People& people, const Appeal& appeal);

}  // namespace parlance::core::people
