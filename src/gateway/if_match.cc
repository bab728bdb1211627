#include "gateway/if_match.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "gateway/desk.h"
#include "transport/request.h"

namespace parlance::gateway {

Result<std::optional<std::uint64_t>> version_matched(const transport::Request& request) {
    constexpr std::string_view kHeader = "If-Match";
    const auto is_it = [&](const auto& field) {
        return transport::equals_ignoring_case(field.first, kHeader);
    };
    const auto count = std::ranges::count_if(request.headers, is_it);
    auto text = request.header(kHeader);
    if (count == 0 || (count == 1 && text == "*")) return std::nullopt;

    constexpr std::string_view kWeak = "W/";
    const bool is_weak = text.starts_with(kWeak);
    if (is_weak) text.remove_prefix(kWeak.size());
    const bool is_quoted = text.size() > 1 && text.starts_with('"') && text.ends_with('"');
    if (is_quoted) text = text.substr(1, text.size() - 2);
    const auto version = parse_number(text);
    if (count == 1 && version && (is_quoted || !is_weak)) return version;
    return fail(Fault::Malformed,
                fmt::format("{} must be one version, as in \"3\", or * for any, not '{}'",
                            kHeader,
                            count == 1 ? json::shortened(request.header(kHeader))
                                       : fmt::format("{} of them", count)));
}

}  // namespace parlance::gateway
