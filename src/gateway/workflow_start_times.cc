#include "gateway/workflow_start_times.h"

#include <utility>

namespace parlance::gateway {

Time WorkflowStartTimes::of(std::string_view workflow, Time now) {
    const std::string name{workflow};
    if (const auto found = recent_.find(name); found != recent_.end()) return found->second;
    const auto before = older_.find(name);
    const Time began = before == older_.end() ? now : before->second;
    if (recent_.size() >= count_max_ / 2) older_ = std::exchange(recent_, {});
    recent_.emplace(name, began);
    return began;
}

}  // namespace parlance::gateway
