// How far back the hub must know which ids it took: a model of its promise, not of its tables.
//
// `remembered_ids_max` bounds how many ids the hub keeps. It forgets half of them at a time, so the
// latest half is always known. Every message that is accepted, every answer, every reply with which
// an agent declines what then goes on to the next one, and every workflow takes an id; a workflow
// takes a second id, under the name of its starter.
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
    /// How many ids were taken so far.
    std::uint64_t taken() const { return taken_; }
    /// Whether what the hub learnt when so many were taken must be known now.
    bool covers(std::uint64_t taken_then) const { return taken_ - taken_then < sure_; }

  private:
    std::uint64_t sure_;
    std::uint64_t taken_ = 0;
};

}  // namespace parlance::sim
