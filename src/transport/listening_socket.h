// Gives a server's sockets to a thread that answers while the loop is stuck.
#pragma once

#include <vector>

#include "transport/transport.h"

namespace parlance::transport {

/// The listening descriptor; closed by stop_accepting() and with the server. Non-blocking.
int listening_socket(const Server& server);

/// Sends queued answers on unencrypted connections, and returns the descriptors of the connections
/// that then have no request in progress and no unprocessed byte. For the loop's thread, or while
/// that thread certainly stands still.
std::vector<int> serve_idle_sockets(const Server& server);

}  // namespace parlance::transport
