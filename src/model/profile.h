// An agent's registration.
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
    std::string capabilities = "[]";  ///< A JSON array, checked on receipt and kept as received.
    std::string endpoint;             ///< Empty: the agent connects to the hub.
    bool operator==(const Profile&) const = default;
};

}  // namespace parlance
