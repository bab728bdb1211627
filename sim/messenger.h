// Sends people mail about their human tasks: a part of the hub's process, slow at times, and gone
// when the process ends. Active in some lives only, and drawn from a separate random stream.
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

    Entropy entropy_;
    Timeline& timeline_;
    Hub& hub_;
    History& history_;
};

}  // namespace parlance::sim
