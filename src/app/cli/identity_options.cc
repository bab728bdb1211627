#include "app/cli/identity_options.h"

#include <charconv>
#include <chrono>

#include <fmt/format.h>

namespace parlance::cli {

Result<Duration> parse_ttl(std::string_view text) {
    constexpr std::chrono::hours kMax{10 * 365 * 24};
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool has_unit = error == std::errc{} && end + 1 == text.data() + text.size();
    const std::int64_t seconds = !has_unit     ? 0
                                 : *end == 's' ? 1
                                 : *end == 'm' ? 60
                                 : *end == 'h' ? 3600
                                 : *end == 'd' ? 86'400
                                               : 0;
    const bool is_right =
        seconds > 0 && count > 0 && count <= std::chrono::seconds{kMax}.count() / seconds;
    if (is_right) return std::chrono::seconds{count * seconds};
    return fail(Fault::Malformed,
                fmt::format("'{}' is no time to live; write it like 12h or 30d, at most 3650d",
                            text.substr(0, 40)));
}

Tone tone_of_standing(std::string_view standing) {
    if (standing == "valid") return Tone::Green;
    return standing == "revoked" ? Tone::Red : Tone::Dim;
}

int complain_about_identity(const Context& context, const Error& error) {
    switch (error.fault) {
        case Fault::Corrupt:
            return complain(context, BadData, error.message);
        case Fault::NotFound:
            return complain(context, Refused, error.message, "See what there is with `list`.");
        default:
            return complain(context, Misused, error.message);
    }
}

}  // namespace parlance::cli
