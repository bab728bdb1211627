#include "base/machine_memory.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/read_file.h"

namespace parlance {

namespace {

/// Reads a number at the beginning, after spaces; nothing for "max".
std::optional<std::uint64_t> number_in(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    std::uint64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc{}) return {};
    return value;
}

/// Calls `take` with each line.
template <class Take>
void for_each_line(std::string_view text, const Take& take) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        take(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

std::uint64_t physical_bytes(const std::string& root) {
    constexpr std::string_view kTotal = "MemTotal:";
    constexpr std::uint64_t kKibibyte = 1024;
    std::uint64_t bytes = 0;
    for_each_line(read_file(root + "/proc/meminfo").value_or(""), [&](std::string_view line) {
        if (!line.starts_with(kTotal)) return;
        bytes = number_in(line.substr(kTotal.size())).value_or(0) * kKibibyte;
    });
    return bytes;
}

/// The lowest limit of a cgroup and of its ancestors.
std::uint64_t lowest_limit(const std::string& mount, std::string path, const std::string& file) {
    auto lowest = std::numeric_limits<std::uint64_t>::max();
    for (;;) {
        if (path.ends_with('/')) path.pop_back();
        const auto text = read_file(fmt::format("{}{}/{}", mount, path, file)).value_or("");
        lowest = std::min(lowest, number_in(text).value_or(lowest));
        if (path.empty()) return lowest;
        path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
}

std::uint64_t cgroup_bytes(const std::string& root) {
    auto lowest = std::numeric_limits<std::uint64_t>::max();
    for_each_line(read_file(root + "/proc/self/cgroup").value_or(""), [&](std::string_view line) {
        // "0::/path" is version 2; "4:memory:/path" is the memory controller of version 1.
        const auto first = std::min(line.find(':'), line.size());
        const auto second = line.find(':', first + 1);
        if (second == std::string_view::npos) return;
        const auto controllers = line.substr(first + 1, second - first - 1);
        const std::string path{line.substr(second + 1)};
        const auto mount = root + "/sys/fs/cgroup";
        if (controllers.empty()) lowest = std::min(lowest, lowest_limit(mount, path, "memory.max"));
        if (controllers == "memory") {
            lowest =
                std::min(lowest, lowest_limit(mount + "/memory", path, "memory.limit_in_bytes"));
        }
    });
    return lowest;
}

}  // namespace

std::uint64_t machine_memory_bytes(const std::string& root) {
    const auto physical = physical_bytes(root);
    const auto limit = cgroup_bytes(root);
    if (physical > 0) return std::min(physical, limit);
    return limit == std::numeric_limits<std::uint64_t>::max() ? 0 : limit;
}

}  // namespace parlance
