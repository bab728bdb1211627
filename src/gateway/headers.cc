#include "gateway/headers.h"

#include <algorithm>
#include <array>

#include "base/address.h"
#include "transport/request.h"

namespace parlance::gateway {

namespace {

using transport::equals_ignoring_case;

constexpr std::string_view kOfDelegations = "X-Agent-";
constexpr std::array<std::string_view, 2> kPrefixes{kOfDelegations, "Parlance-"};
constexpr std::array<std::string_view, 2> kNames{"Authorization", "Origin"};

bool begins_with(std::string_view name, std::string_view prefix) {
    return name.size() >= prefix.size() &&
           equals_ignoring_case(name.substr(0, prefix.size()), prefix);
}

bool is_said_once(std::string_view name) {
    const auto is = [&](std::string_view known) { return equals_ignoring_case(name, known); };
    const auto begins = [&](std::string_view prefix) { return begins_with(name, prefix); };
    return std::ranges::any_of(kNames, is) || std::ranges::any_of(kPrefixes, begins);
}

bool is_named(std::string_view host, std::string_view name) {
    if (!name.starts_with("*.")) return equals_ignoring_case(host, name);
    const auto dot = host.find('.');
    return dot != std::string_view::npos && dot > 0 &&
           equals_ignoring_case(host.substr(dot), name.substr(1));
}

}  // namespace

std::string_view doubled_in(const transport::Request& request) {
    const auto& headers = request.headers;
    for (auto one = headers.begin(); one != headers.end(); ++one) {
        if (!is_said_once(one->first)) continue;
        const bool is_doubled = std::any_of(one + 1, headers.end(), [&](const auto& other) {
            return equals_ignoring_case(other.first, one->first);
        });
        if (is_doubled) return one->first;
    }
    return {};
}

std::string_view empty_in(const transport::Request& request) {
    for (const auto& [name, value] : request.headers) {
        if (value.empty() && begins_with(name, kOfDelegations)) return name;
    }
    return {};
}

std::string_view without_port(std::string_view host) {
    const auto colon = host.rfind(':');
    const bool has_port = colon != std::string_view::npos && colon + 1 < host.size() &&
                          host.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
    return has_port ? host.substr(0, colon) : host;
}

bool is_own_host(std::string_view host, const std::vector<std::string>& names) {
    host = without_port(host);
    if (equals_ignoring_case(host, "localhost") || is_address(std::string{host})) return true;
    return std::ranges::any_of(names,
                               [&](const std::string& name) { return is_named(host, name); });
}

}  // namespace parlance::gateway
