// How long the hub must remember an id: a model of the hub's promise, not of its tables.
//
// `remembered_ids_max` bounds how many ids the hub keeps. The hub forgets half of them at a time,
// so the latest half is always known. An id is taken by every accepted message, every answer, every
// reply with which an agent declines a request that then goes on to the next agent, and every
// workflow; a workflow takes a second id, under the name of its starter.
#pragma once

#include <cstdint>

#include "base/match.h"
#include "model/event.h"
#include "model/limits.h"

namespace parlance::sim {

class IdWindow {
  public:
    explicit IdWindow(const Limits& limits) : sure_((limits.remembered_ids_max + 1) / 2) {}

    void follow(const Event& event) {
        taken_ += match(
            event,
            [](const MessageAccepted&) { return 1U; },
            [](const RequestAnswered&) { return 1U; },
            [](const PassingRefused& refused) { return refused.reply ? 1U : 0U; },
            [](const WorkflowStarted&) { return 2U; },
            [](const auto&) { return 0U; });
    }
    /// Number of ids taken so far.
    std::uint64_t taken() const { return taken_; }
    /// True if an id taken as number `taken_then` must still be known.
    bool covers(std::uint64_t taken_then) const { return taken_ - taken_then < sure_; }

  private:
    std::uint64_t sure_;
    std::uint64_t taken_ = 0;
};

}  // namespace parlance::sim
