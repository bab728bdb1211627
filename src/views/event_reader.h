// Reads single records of the journal by sequence, using the ledger's landmarks.
#pragma once

#include <optional>

#include "views/bookkeeper.h"

namespace parlance::views {

class EventReader {
  public:
    explicit EventReader(const ViewSources& sources) : sources_(sources) {}
    /// Cheapest in ascending order. Corrupt: the record cannot be read.
    Result<Event> at(Sequence sequence);

  private:
    Result<void> go_to(Sequence sequence);

    const ViewSources& sources_;
    std::optional<journal::Reader> reader_;
    Sequence next_{};
};

}  // namespace parlance::views
