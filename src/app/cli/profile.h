// Ready profiles: the agents of a platform, to be registered all at once (K1). A profile is data;
// nothing in the hub knows one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parlance::cli {

/// An agent of a profile, and the object that registers it.
struct ProfiledAgent {
    std::string id{};
    std::string registration{};
};

/// The agents of a profile that the program has with it, or of one in a file of the same form.
Result<std::vector<ProfiledAgent>> read_profile(const std::string& name_or_file);

/// What the program has with it.
std::vector<std::string> profile_names();

}  // namespace parlance::cli
