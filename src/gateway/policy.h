// A policy as JSON, for the API and for policy files (TOML of the same shape):
// {"hub": {"depth_max": 4}, "agent": {"byte-doc": {"fanout_max": 2}}}
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "model/policy.h"

namespace parlance::gateway {

/// An Error names the scope, the rule, the value and its bounds.
Result<Settings> read_settings(json::Value policy);
/// Whether `chain` is two names with '>' between; "*" is a name too.
bool is_chain(std::string_view chain);
std::string write_settings(const Settings& settings);

}  // namespace parlance::gateway
