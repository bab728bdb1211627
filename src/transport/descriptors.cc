#include "transport/descriptors.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include <sys/resource.h>

namespace parlance::transport {

std::uint64_t raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    const auto before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    // If the system has a lower bound than the hard limit, the previous limit stays.
    return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : before;
}

std::uint64_t open_descriptors(std::uint64_t limit) {
    std::error_code error;
    std::uint64_t count = 0;
    for (std::filesystem::directory_iterator at{"/proc/self/fd", error}, end; !error && at != end;
         at.increment(error)) {
        const auto name = at->path().filename().string();
        std::uint64_t number = 0;
        std::from_chars(name.data(), name.data() + name.size(), number);
        if (number < limit) ++count;
    }
    return count > 0 ? count - 1 : 0;  // Without the iterator's own descriptor.
}

DescriptorShares share_descriptors(std::uint64_t descriptors, std::size_t connections_wanted) {
    const auto reserved =
        std::min<std::uint64_t>(kDescriptorsReserved + kConnectionsTurnedAwayMax, descriptors / 2);
    const auto outgoing = std::max<std::uint64_t>((descriptors - reserved) / kOutgoingShare, 1);
    const auto left = descriptors - reserved - std::min(outgoing, descriptors - reserved);
    return {.connections_max = std::max<std::size_t>(
                static_cast<std::size_t>(std::min<std::uint64_t>(left, connections_wanted)), 1),
            .outgoing_max = static_cast<std::size_t>(outgoing)};
}

}  // namespace parlance::transport
