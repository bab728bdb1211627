// Which network addresses are somebody's own: not to be called just because a text says so.
#pragma once

struct sockaddr;

namespace parlance {

/// Loopback, link-local, private, shared, multicast and unspecified ones, of IPv4 and IPv6; and
/// whatever is neither.
bool is_private_address(const sockaddr& address);

}  // namespace parlance
