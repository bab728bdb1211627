#include "base/descriptor.h"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace parlance {

Descriptor::~Descriptor() {
    if (number_ >= 0) ::close(number_);
}

Fault fault_of(int code) {
    if (code == ENOSPC || code == EDQUOT) return Fault::Exhausted;
    if (code == ENOENT) return Fault::NotFound;
    return Fault::Unavailable;
}

tl::unexpected<Error> system_failure(std::string_view action, const std::string& path) {
    const int code = errno;
    return fail(fault_of(code),
                fmt::format("cannot {} {}: {}",
                            action,
                            path,
                            std::error_code(code, std::generic_category()).message()));
}

}  // namespace parlance
