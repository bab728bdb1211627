#include "base/address.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace parlance {

namespace {

struct Range {
    std::uint32_t network;
    std::uint32_t bits;
};

// The registry of special-purpose addresses (RFC 6890), and multicast.
constexpr std::array kPrivate{
    Range{0x0000'0000, 8},   // This network.
    Range{0x0A00'0000, 8},   // Private.
    Range{0x6440'0000, 10},  // Shared by carriers.
    Range{0x7F00'0000, 8},   // Loopback.
    Range{0xA9FE'0000, 16},  // Link-local.
    Range{0xAC10'0000, 12},  // Private.
    Range{0xC000'0000, 24},  // Protocol assignments.
    Range{0xC0A8'0000, 16},  // Private.
    Range{0xC612'0000, 15},  // Benchmarks.
    Range{0xE000'0000, 3},   // Multicast, reserved, broadcast.
};

bool is_private_v4(std::uint32_t address) {
    return std::ranges::any_of(kPrivate, [address](const Range& range) {
        const auto mask = ~std::uint32_t{0} << (32U - range.bits);
        return (address & mask) == range.network;
    });
}

bool is_private_v6(const std::array<std::uint8_t, 16>& bytes) {
    const auto last_four = [&] {
        return std::uint32_t{bytes[12]} << 24U | std::uint32_t{bytes[13]} << 16U |
               std::uint32_t{bytes[14]} << 8U | std::uint32_t{bytes[15]};
    };
    const auto is_zero = [&](std::size_t from, std::size_t to) {
        return std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                           bytes.begin() + static_cast<std::ptrdiff_t>(to),
                           [](std::uint8_t byte) { return byte == 0; });
    };
    // An IPv4 address inside IPv6: mapped, compatible or translated. Includes the loopback ::1.
    const bool is_mapped = is_zero(0, 10) && bytes[10] == 0xFF && bytes[11] == 0xFF;
    const bool is_translated =
        bytes[0] == 0 && bytes[1] == 0x64 && bytes[2] == 0xFF && bytes[3] == 0x9B;
    if (is_mapped || is_translated || is_zero(0, 12)) return is_private_v4(last_four());
    const bool is_unique_local = (bytes[0] & 0xFEU) == 0xFC;
    const bool is_link_local = bytes[0] == 0xFE && (bytes[1] & 0x80U) == 0x80;
    return is_unique_local || is_link_local || bytes[0] == 0xFF;
}

}  // namespace

bool is_private_address(const sockaddr& address) {
    if (address.sa_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, &address, sizeof v4);
        return is_private_v4(ntohl(v4.sin_addr.s_addr));
    }
    if (address.sa_family == AF_INET6) {
        sockaddr_in6 v6{};
        std::memcpy(&v6, &address, sizeof v6);
        std::array<std::uint8_t, 16> bytes{};
        std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
        return is_private_v6(bytes);
    }
    return true;
}

bool is_private_host(const std::string& host) {
    auto name = host;
    while (name.ends_with('.')) name.pop_back();
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (name == "localhost" || name.ends_with(".localhost")) return true;
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST;
    addrinfo* found = nullptr;
    if (getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0) return false;
    const bool is_private = is_private_address(*found->ai_addr);
    freeaddrinfo(found);
    return is_private;
}

bool is_address(const std::string& host) {
    in_addr v4{};
    if (::inet_pton(AF_INET, host.c_str(), &v4) == 1) return true;
    if (!host.starts_with('[') || !host.ends_with(']')) return false;
    in6_addr v6{};
    return ::inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &v6) == 1;
}

bool is_loopback_host(const std::string& host) {
    if (host == "localhost" || host == "::1") return true;
    in_addr address{};
    const bool is_address = ::inet_pton(AF_INET, host.c_str(), &address) == 1;
    return is_address && (ntohl(address.s_addr) >> 24U) == IN_LOOPBACKNET;
}

}  // namespace parlance
