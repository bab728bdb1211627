// What the events of one decision have ended.
//
// A decision is worked out against the state before it, and that state does not show what the
// decision's own events end. Whoever ends several things at once (a tree of requests, a workflow,
// a whole fleet) may come to the same thing by two ways; but an end can be applied only once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>

#include "model/event.h"

namespace parlance::core {

/// What can end. A copy has also ended for a decision when it has become a dead letter: whatever
/// else the decision knew of it is no longer so.
enum class Thing : std::uint8_t { None, Request, Copy, Appeal, Run, Tree, Call };

struct Ending {
    Thing thing = Thing::None;
    std::uint64_t number = 0;
    auto operator<=>(const Ending&) const = default;
};

class Endings {
  public:
    /// False, with nothing noted, if the event is about something that an event before it has
    /// ended.
    bool note(const Event& event);
    bool has(Thing thing, Ticket ticket) const { return contains({thing, ticket.value}); }

  private:
    bool contains(const Ending& ending) const;
    void insert(const Ending& ending);

    /// Nearly every decision ends one thing or none: that must not cost an allocation.
    static constexpr std::size_t kFewMax = 4;
    std::array<Ending, kFewMax> few_{};
    std::size_t few_count_ = 0;
    std::set<Ending> more_;
};

}  // namespace parlance::core
