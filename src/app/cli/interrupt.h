// Ctrl-C as a descriptor to poll beside the sockets, instead of an abrupt end.
#pragma once

#include <chrono>

namespace parlance::cli {

/// From now on SIGINT and SIGTERM end the program with 130, and clear the line on a terminal. For
/// verbs that can stop at any moment; all others use the descriptor below.
void leave_when_interrupted();
/// From now on SIGINT and SIGTERM only make the descriptor readable. A second Ctrl-C ends the
/// program.
int interrupt_descriptor();
bool is_interrupted();
/// Waits for the time to pass; false if interrupted.
bool rest(std::chrono::milliseconds time);
/// Waits until `descriptor` is readable, the time is over, or an interrupt.
void await_input(int descriptor, std::chrono::milliseconds time);

}  // namespace parlance::cli
