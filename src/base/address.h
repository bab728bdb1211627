// Recognises private network addresses, which must not be called just because a text names them.
#pragma once

#include <string>

struct sockaddr;

namespace parlance {

/// Whether the address is loopback, link-local, private, shared, multicast or unspecified, of IPv4
/// or IPv6. Addresses of other families count as private.
bool is_private_address(const sockaddr& address);

/// Whether a host, as written, is a private address in any form that a system accepts ("0x7f.1"),
/// or a name of this machine. No lookup: all other names are not private.
bool is_private_host(const std::string& host);

/// Whether a host, as written in a URL, is an address and no name: "10.0.0.1" or "[fe80::1]".
bool is_address(const std::string& host);

/// Whether a host, as written, is this machine: "localhost", an address of 127/8 or "::1". A name
/// with such a beginning belongs to another machine.
bool is_loopback_host(const std::string& host);

}  // namespace parlance
