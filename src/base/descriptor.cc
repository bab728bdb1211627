#include "base/descriptor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

namespace parlance {

Descriptor::~Descriptor() {
    if (number_ >= 0) ::close(number_);
}

namespace {

struct FaultRow {
    int code;
    Fault fault;
};

/// Exhausted resources can recover without a restart: space, descriptors of this process or of the
/// machine, memory of the system.
constexpr std::array kFaults{FaultRow{ENOSPC, Fault::Exhausted},
                             FaultRow{EDQUOT, Fault::Exhausted},
                             FaultRow{EMFILE, Fault::Exhausted},
                             FaultRow{ENFILE, Fault::Exhausted},
                             FaultRow{ENOMEM, Fault::Exhausted},
                             FaultRow{ENOENT, Fault::NotFound}};

}  // namespace

Fault fault_of(int code) {
    const auto* const row = std::ranges::find(kFaults, code, &FaultRow::code);
    return row == kFaults.end() ? Fault::Unavailable : row->fault;
}

std::string system_message(int code) {
    // Not std::error_code: the undefined-behaviour sanitizer cannot check a virtual call in a
    // process without descriptors, and this function also describes the shortage of descriptors.
    std::array<char, 256> buffer{};
    return ::strerror_r(code, buffer.data(), buffer.size());
}

tl::unexpected<Error> system_failure(std::string_view action, const std::string& path) {
    const int code = errno;
    return fail(fault_of(code),
                fmt::format("cannot {} {}: {}", action, path, system_message(code)));
}

}  // namespace parlance
