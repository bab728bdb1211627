#include "app/key.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include <fcntl.h>
#include <openssl/rand.h>
#include <unistd.h>

namespace parlance::app {

namespace {

constexpr std::size_t kKeyBytes = 32;

/// Nothing if there is no such file.
std::optional<std::string> read_file(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    if (!file) return {};
    return std::string{std::istreambuf_iterator<char>{file}, {}};
}

Error cannot(const std::string& what, const std::string& path) {
    return {Fault::Unavailable, "cannot " + what + " " + path + ": " + std::strerror(errno)};
}

/// Under another name first: a key that is there is there whole.
Result<void> write_key(const std::string& path, const std::string& key) {
    const std::string draft = path + ".new";
    const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return tl::unexpected(cannot("make", draft));
    const bool is_written =
        ::write(file, key.data(), key.size()) == ssize_t{kKeyBytes} && ::fsync(file) == 0;
    ::close(file);
    if (!is_written || ::rename(draft.c_str(), path.c_str()) != 0) {
        return tl::unexpected(cannot("write", path));
    }
    return {};
}

}  // namespace

Result<std::string> open_key(const std::string& path) {
    if (auto key = read_file(path)) {
        if (key->size() == kKeyBytes) return *std::move(key);
        return fail(Fault::Corrupt, path + " is not the key that the hub made");
    }
    std::array<unsigned char, kKeyBytes> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
        return fail(Fault::Unavailable, "the system has no random bytes for " + path);
    }
    std::string key{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    TRY(write_key(path, key));
    return key;
}

}  // namespace parlance::app
