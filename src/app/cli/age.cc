#include "app/cli/age.h"

#include <array>

#include <fmt/format.h>

#include "base/iso_time.h"

namespace parlance::cli {

std::string age_text(Time then, Time now) {
    struct Unit {
        std::int64_t seconds;
        std::string_view name;
    };
    constexpr std::array kUnits{Unit{86'400, "d"}, Unit{3'600, "h"}, Unit{60, "min"}, Unit{1, "s"}};
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - then).count();
    for (const Unit& unit : kUnits) {
        if (seconds >= unit.seconds)
            return fmt::format("{} {} ago", seconds / unit.seconds, unit.name);
    }
    return "now";
}

std::string age_text(std::string_view iso, Time now) {
    const auto then = parse_iso_time(iso);
    return then ? age_text(*then, now) : "–";
}

}  // namespace parlance::cli
