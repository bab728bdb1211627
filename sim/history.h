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

namespace parlance::sim {

struct Entry {
    Sequence sequence;
    Time at{};
    Event event;
};

/// The n-th of them has the Ask n + 1.
struct Asked {
    Time at{};
    std::string caller;
    Command command;
};

struct Shown {
    Time at{};
    Sequence durable;  ///< The last record that a power failure at this moment would have left.
    Effect effect;
};

/// One broken promise.
struct Finding {
    std::string promise;
    std::string what;
    Ticket ticket{};  ///< Whose story to tell; none if it is about no single message.
};

struct History {
    Limits limits;
    std::vector<Entry> journal;
    std::vector<Asked> asked;
    std::vector<Shown> shown;
    std::set<Ticket> dead;  ///< The dead letters that the hub lists at the end.
    std::map<std::string, std::vector<std::string>> told;  ///< And the history of each context.
    std::vector<Finding> findings;
};

}  // namespace parlance::sim
