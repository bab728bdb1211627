// What an agent says about itself when it registers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/envelope.h"

namespace parlance {

struct Profile {
    Dialect dialect = Dialect::Taskwire;
    std::string role;
    std::string domain;
    std::uint32_t instance_count_max = 0;  ///< 0: any number.
    std::vector<std::string> tools_allowed;
    std::string capabilities = "[]";  ///< A JSON array, checked at the door and kept as it came.
    std::string endpoint;             ///< Empty: the agent comes to the hub.
    bool operator==(const Profile&) const = default;
};

}  // namespace parlance
