// The sockets of a server, for whoever answers while the loop cannot.
#pragma once

#include <vector>

#include "transport/transport.h"

namespace parlance::transport {

/// Its descriptor; closed by stop_accepting() and with the server. It never blocks.
int listening_socket(const Server& server);

/// Sends the answers that are queued on connections in the clear, and returns the descriptors of
/// those on which no request is under way then and no byte waits. For the loop's thread, or while
/// that thread certainly stands still.
std::vector<int> serve_idle_sockets(const Server& server);

}  // namespace parlance::transport
