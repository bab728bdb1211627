// When workflows began, for agents whose dialect puts the time into ids (C1).
//
// Repeated deliveries and all messages of a workflow thus get the same id. Times are kept while the
// process lives, for a bounded number of workflows; all other parts of an id follow from the ids
// and times in the messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/time.h"

namespace parlance::gateway {

class WorkflowStartTimes {
  public:
    explicit WorkflowStartTimes(std::size_t count_max = 16'384) : count_max_{count_max} {}

    /// When of() was first called for the workflow.
    Time of(std::string_view workflow, Time now);

  private:
    using Times = boost::unordered_flat_map<std::string, Time>;

    std::size_t count_max_;
    Times recent_;
    Times older_;  ///< Replaced by `recent_` once `recent_` is full.
};

}  // namespace parlance::gateway
