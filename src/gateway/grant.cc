#include "gateway/grant.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/iso_time.h"
#include "base/json_write.h"

namespace parlance::gateway {

namespace {

std::string tools_json(const std::vector<std::string>& tools) {
    std::string list = "[";
    for (const auto& tool : tools) {
        if (list.size() > 1) list.push_back(',');
        json::append_quoted(list, tool);
    }
    return list + "]";
}

struct Granted {
    const Envelope& request;
    const Grant& grant;
};

/// A header and its value; an empty value leaves the header out.
struct HeaderRow {
    std::string_view name;
    std::string (*value)(const Granted& it);
};

constexpr std::array kHeaders{
    // Headers of the HTTP form.
    HeaderRow{"X-Agent-Request-ID", [](const Granted& it) { return std::string{it.request.id()}; }},
    HeaderRow{"X-Agent-Origin", [](const Granted& it) { return std::string{it.request.from()}; }},
    HeaderRow{"X-Agent-Depth", [](const Granted& it) { return std::to_string(it.grant.depth); }},
    HeaderRow{"X-Agent-Parent-Session", [](const Granted& it) { return it.grant.parent_session; }},
    // The hub's own.
    HeaderRow{"X-Agent-Depth-Max",
              [](const Granted& it) { return std::to_string(it.grant.depth_max); }},
    HeaderRow{"X-Agent-Deadline",
              [](const Granted& it) { return print_iso_time(it.grant.deadline); }},
    HeaderRow{"X-Agent-Deadline-Ms",
              [](const Granted& it) { return std::to_string(it.grant.left.count()); }},
    HeaderRow{"X-Agent-Tokens",
              [](const Granted& it) {
                  return it.grant.tokens == 0 ? std::string{} : std::to_string(it.grant.tokens);
              }},
    HeaderRow{"X-Agent-Tools",
              [](const Granted& it) {
                  return it.grant.limits_tools ? tools_json(it.grant.tools) : std::string{};
              }},
    HeaderRow{"X-Agent-User", [](const Granted& it) { return it.grant.user; }},
    HeaderRow{"X-Agent-Session", [](const Granted& it) { return it.grant.session; }},
    HeaderRow{"X-Agent-Parent", [](const Granted& it) { return it.grant.parent; }},
    HeaderRow{"X-Agent-Root",
              [](const Granted& it) { return std::to_string(it.grant.root.value); }},
};

/// Names may have any characters, headers only printable ASCII: a line end would begin another
/// header.
bool can_stand_in_a_header(std::string_view value) {
    return !value.empty() &&
           std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

std::string grant_json(const Grant& grant) {
    json::ObjectWriter out;
    out.integer("depth", grant.depth)
        .integer("depth_max", grant.depth_max)
        .text("deadline", print_iso_time(grant.deadline))
        .integer("deadline_ms", grant.left.count());
    if (grant.tokens > 0) out.integer("tokens", static_cast<std::int64_t>(grant.tokens));
    if (grant.limits_tools) out.raw("tools", tools_json(grant.tools));
    if (!grant.user.empty()) out.text("user", grant.user);
    if (!grant.session.empty()) out.text("session", grant.session);
    return out.text("parent", grant.parent).text("root", std::to_string(grant.root.value)).done();
}

std::vector<std::pair<std::string, std::string>> grant_headers(const Envelope& request,
                                                               const Grant& grant) {
    std::vector<std::pair<std::string, std::string>> headers;
    for (const auto& row : kHeaders) {
        auto value = row.value({request, grant});
        if (can_stand_in_a_header(value)) headers.emplace_back(row.name, std::move(value));
    }
    return headers;
}

}  // namespace parlance::gateway
