#include "base/read_file.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/descriptor.h"

namespace parlance {

namespace {

auto unreadable(const std::string& path, int code) {
    const auto why = code == EISDIR   ? std::string{"it is a directory"}
                     : code == ENOENT ? std::string{"there is no such file"}
                                      : system_message(code);
    return fail(Fault::NotFound, fmt::format("cannot read '{}': {}", path, why));
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.number() < 0) return unreadable(path, errno);
    std::string text;
    std::array<char, std::size_t{64} * 1024> piece{};
    for (;;) {
        const auto count = ::read(file.number(), piece.data(), piece.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return unreadable(path, errno);  // Opening a directory succeeds.
        if (count == 0) return text;
        text.append(piece.data(), static_cast<std::size_t>(count));
    }
}

}  // namespace parlance
