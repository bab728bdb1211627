// The history of one life as seen from outside the hub: every command submitted, every effect shown
// with the last record durable at that moment, and the journal at the end.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/command.h"
#include "model/effect.h"
#include "model/event.h"
#include "model/limits.h"
#include "model/personal.h"
#include "sim/coverage.h"

namespace parlance::sim {

struct Entry {
    Sequence sequence;
    Time at{};  ///< Hub time, as the record says.
    Event event;
    Time world{};  ///< When the disk had the record, by the world's true clock.
};

/// Entry i of `History::asked` has ReplyTarget{i + 1}.
struct Asked {
    Time at{};
    std::string caller;
    Command command;
    std::size_t life = 0;  ///< Number of hub starts before the command.
    bool is_taken = true;  ///< False: the hub refused the command at the door.
};

struct Shown {
    Time at{};
    Sequence durable;  ///< The last record that a power failure at that moment would have left.
    Effect effect;
    Time world{};  ///< The same moment by the world's true clock, before the sync.
};

/// One process of the hub, by the clocks of the world.
struct Process {
    Time begin{};     ///< True time.
    Time wall{};      ///< The wall clock at `begin`, right or wrong.
    Sequence last{};  ///< The last record on the disk at `begin`.
    Time end = Time::max();
};

/// A span of the world's true clock in which the hub could do nothing: the hub was down, waited for
/// a sync, or had no disk to write to.
struct Pause {
    Time from{};
    Time until{};
};

/// One broken promise.
struct Finding {
    std::string promise;
    std::string what;
    Ticket ticket{};  ///< The message concerned; none if no single message is.
};

/// Personal data in the text of an agent, exactly as the agent wrote the value.
struct Planted {
    personal::Kind kind = personal::Kind::Email;
    std::string written;
    bool is_exempt = false;  ///< The field is exempt from redaction.
};

/// The way by which bytes left the hub.
enum class Exit {
    Delivery,  ///< A message, an answer or a delivery failure, to an agent.
    Part,      ///< A part of an answer, to the requester.
    Record,    ///< A journal record in the event feed.
    Row,       ///< A row of the audit log's SQL tables.
    Line,      ///< A line of the log.
    Page,      ///< A page for operators; metrics too.
};
struct Left {
    Exit exit = Exit::Delivery;
    std::string reader;     ///< Delivery, Part: the agent.
    std::size_t shown = 0;  ///< Delivery, Part: index of the effect in `History::shown`.
    std::string bytes;
};

/// A notification that reached people: the human task and the record it reports.
struct Told {
    Ticket id;
    Sequence news;
};

struct History {
    Limits limits;
    std::vector<Entry> journal;
    std::vector<std::size_t> starts;  ///< Length of the journal at each start of the hub.
    std::vector<Process> processes;   ///< Including processes that never came to serve.
    std::vector<Pause> pauses;        ///< In the order of their ends; pauses may overlap.
    std::vector<Asked> asked;
    std::vector<Shown> shown;
    std::set<Ticket> dead;  ///< The dead letters that the hub lists at the end.
    std::map<std::string, std::vector<std::string>> told;  ///< Final context histories.
    std::vector<Finding> findings;
    PersonalPolicy personal;
    std::vector<Planted> planted;
    std::vector<Left> left;         ///< Filled only in a life with personal data.
    std::vector<Told> told_people;  ///< Filled only in a life with a messenger.
    Coverage coverage;
};

}  // namespace parlance::sim
