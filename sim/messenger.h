// Who tells people by mail that something waits for them: a part of the hub's process, slow at
// times, and gone with it. Only in some lives, and drawn apart from all other chance.
#pragma once

#include <cstdint>

#include "sim/door.h"
#include "sim/history.h"

namespace parlance::sim {

class Messenger {
  public:
    Messenger(std::uint64_t seed, Timeline& timeline, Hub& hub, Door& door, History& history);

  private:
    void take(const NotifyPeople& notice);

    Chance chance_;
    Timeline& timeline_;
    Hub& hub_;
    History& history_;
};

}  // namespace parlance::sim
