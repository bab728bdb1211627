// Ready profiles: the agents of a platform, registered all at once (K1). A profile is data; the hub
// itself knows no profile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parlance::cli {

/// An agent of a profile, and its registration object.
struct ProfiledAgent {
    std::string id{};
    std::string registration{};
};

/// The agents of a built-in profile, or of a file of the same form.
Result<std::vector<ProfiledAgent>> read_profile(const std::string& name_or_file);

/// The built-in profiles.
std::vector<std::string> profile_names();

}  // namespace parlance::cli
