#include "app/cli/profile.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/draft.h"
#include "app/cli/json_view.h"
#include "base/json.h"

namespace parlance::cli {

namespace {

struct ProfileRow {
    std::string_view name;
    std::string_view text;
};

constexpr std::array kProfiles{
#include "app/cli/profiles.inc"
};

Result<std::string> text_of(const std::string& name_or_file) {
    const auto row = std::ranges::find(kProfiles, name_or_file, &ProfileRow::name);
    if (row != kProfiles.end()) return std::string{row->text};
    auto text = read_payload("@" + name_or_file);
    if (text) return text;
    return fail(Fault::NotFound,
                fmt::format("there is no profile '{}', neither among those that are ready ({}) nor "
                            "as a file",
                            name_or_file,
                            fmt::join(profile_names(), ", ")));
}

}  // namespace

std::vector<std::string> profile_names() {
    std::vector<std::string> names;
    names.reserve(std::size(kProfiles));
    for (const ProfileRow& row : kProfiles) names.emplace_back(row.name);
    return names;
}

Result<std::vector<ProfiledAgent>> read_profile(const std::string& name_or_file) {
    const std::string text = TRY(text_of(name_or_file));
    const auto malformed = [&](std::string_view why) {
        return fail(Fault::Malformed, fmt::format("profile '{}' {}", name_or_file, why));
    };
    if (const auto checked = json::check(text); !checked) {
        return malformed("is no JSON: " + checked.error().message);
    }
    const json::Value profile = json::root(text);
    const auto agents = profile.is_object() ? json::find(profile, "agents") : std::nullopt;
    if (!agents || !agents->is_object()) {
        return malformed(R"(must be an object with "agents": what registers each, by its id)");
    }
    std::vector<ProfiledAgent> all;
    for (json::Members members{*agents}; members.next();) {
        all.push_back({std::string{members.key}, one_line(members.value.raw)});
    }
    return all;
}

}  // namespace parlance::cli
