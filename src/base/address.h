// Which network addresses are somebody's own: not to be called just because a text says so.
#pragma once

#include <string>

struct sockaddr;

namespace parlance {

/// Loopback, link-local, private, shared, multicast and unspecified ones, of IPv4 and IPv6; and
/// whatever is neither.
bool is_private_address(const sockaddr& address);

/// Whether a host as it is written is such an address, in any form that a system takes for one
/// ("0x7f.1"), or a name for this machine. Nothing is looked up: other names are not.
bool is_private_host(const std::string& host);

/// Whether a host as it is written in a URL is an address and no name: "10.0.0.1" or "[fe80::1]".
bool is_address(const std::string& host);

/// Whether a host as it is written is this machine and no other: "localhost", an address of 127/8
/// or "::1". A name that only begins like one is somebody's.
bool is_loopback_host(const std::string& host);

}  // namespace parlance
