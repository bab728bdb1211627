// A policy as JSON, as the API and a policy file (TOML of the same shape) have it:
// {"hub": {"depth_max": 4}, "agent": {"byte-doc": {"fanout_max": 2}}}
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "model/policy.h"

namespace parlance::gateway {

/// Names what is wrong: the scope, the rule, the value and its bounds.
Result<Settings> read_settings(json::Value policy);
/// Whether it is two names with '>' between them; "*" is one too.
bool is_chain(std::string_view chain);
std::string write_settings(const Settings& settings);

}  // namespace parlance::gateway
