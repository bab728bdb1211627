// When the workflows began that are told to agents whose ids say so (C1).
//
// What is delivered again, and all that belongs to one workflow, goes by the same id. Known as long
// as the process lives and for as many workflows as there is room; the rest follows from the ids
// and times in the messages themselves.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/time.h"

namespace parlance::gateway {

class Beginnings {
  public:
    explicit Beginnings(std::size_t count_max = 16'384) : count_max_{count_max} {}

    /// When it was first asked for this workflow.
    Time of(std::string_view workflow, Time now);

  private:
    using Times = boost::unordered_flat_map<std::string, Time>;

    std::size_t count_max_;
    Times recent_;
    Times older_;  ///< Forgotten when there are as many newer ones.
};

}  // namespace parlance::gateway
