// What came to pass in one life of a hub, as seen from outside: what was asked, what was shown and
// how much of the journal was safe at that moment, and what the journal holds in the end.
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
    Time world{};  ///< When the disk had it, by the world's true clock.
};

/// The n-th of them has the Ask n + 1.
struct Asked {
    Time at{};
    std::string caller;
    Command command;
    std::size_t life = 0;  ///< So many starts of the hub came before.
    bool is_taken = true;  ///< Else it was turned away at the door.
};

struct Shown {
    Time at{};
    Sequence durable;  ///< The last record that a power failure at this moment would have left.
    Effect effect;
    Time world{};  ///< The same moment by the world's true clock, before the time of the sync.
};

/// One process of the hub, by the clocks of the world.
struct Process {
    Time begin{};     ///< True time.
    Time wall{};      ///< What the wall clock said then, right or wrong.
    Sequence last{};  ///< The last record that the disk held then.
    Time end = Time::max();
};

/// A while, by the world's true clock, in which the hub could do nothing: it was down, waited for a
/// sync, or had no disk to write to.
struct Pause {
    Time from{};
    Time until{};
};

/// One broken promise.
struct Finding {
    std::string promise;
    std::string what;
    Ticket ticket{};  ///< Whose story to tell; none if it is about no single message.
};

/// Personal data that an agent wrote somewhere, as it stands there.
struct Planted {
    personal::Kind kind = personal::Kind::Email;
    std::string written;
    bool is_exempt = false;  ///< In a field in which delegates may see it.
};

/// How something left the hub, in the bytes in which it did.
enum class Exit {
    Delivery,  ///< A message, an answer, or that there is none, to an agent.
    Part,      ///< Of an answer, to who asked.
    Record,    ///< Of the journal, as the feed of events tells it.
    Row,       ///< Of what anybody may read by SQL.
    Line,      ///< Of the log.
    Page,      ///< What an operator looks at; metrics too.
};
struct Left {
    Exit exit = Exit::Delivery;
    std::string reader;     ///< Delivery, Part: the agent.
    std::size_t shown = 0;  ///< Delivery, Part: which of the effects it is.
    std::string bytes;
};

/// People heard of something: of this news of what they were asked.
struct Told {
    Ticket id;
    Sequence news;
};

struct History {
    Limits limits;
    std::vector<Entry> journal;
    std::vector<std::size_t> starts;  ///< How long the journal was at each start of the hub.
    std::vector<Process> processes;   ///< Also those that did not come to serve.
    std::vector<Pause> pauses;        ///< In the order of their ends; they may overlap.
    std::vector<Asked> asked;
    std::vector<Shown> shown;
    std::set<Ticket> dead;  ///< The dead letters that the hub lists at the end.
    std::map<std::string, std::vector<std::string>> told;  ///< And the history of each context.
    std::vector<Finding> findings;
    PersonalPolicy personal;
    std::vector<Planted> planted;
    std::vector<Left> left;         ///< In a life that has personal data in it.
    std::vector<Told> told_people;  ///< In a life that has one who tells them.
    Coverage coverage;
};

}  // namespace parlance::sim
