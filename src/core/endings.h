// The requests, copies and other things ended by the events of one decision.
//
// A decision is worked out against the earlier state, which does not show the endings of the
// decision's own events. A command that ends several things at once (a tree of requests, a
// workflow, a whole fleet) may reach the same thing on two paths; but an ending can be applied only
// once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>

#include "model/event.h"

namespace parlance::core {

/// A copy that became a dead letter counts as ended: the rest of the decision cannot rely on its
/// earlier stage.
enum class Thing : std::uint8_t { None, Request, Copy, HumanTask, Run, Tree, Call };

struct Ending {
    Thing thing = Thing::None;
    std::uint64_t number = 0;
    auto operator<=>(const Ending&) const = default;
};

class Endings {
  public:
    /// False, with nothing noted, if an earlier event has ended the subject of this event.
    bool note(const Event& event);
    bool has(Thing thing, Ticket ticket) const { return contains({thing, ticket.value}); }

  private:
    bool contains(const Ending& ending) const;
    void insert(const Ending& ending);

    /// Nearly every decision ends one thing or none, and must not cost an allocation.
    static constexpr std::size_t kFewMax = 4;
    std::array<Ending, kFewMax> few_{};
    std::size_t few_count_ = 0;
    std::set<Ending> more_;
};

}  // namespace parlance::core
