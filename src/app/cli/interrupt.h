// Ctrl-C as something to wait for: a descriptor beside the sockets, instead of an end in the
// middle of a sentence.
#pragma once

#include <chrono>

namespace parlance::cli {

/// From now on SIGINT and SIGTERM end the program with 130, and with a clean line on a terminal.
/// For what can be left at any moment; the rest waits for the descriptor below.
void leave_when_interrupted();
/// From now on SIGINT and SIGTERM only make this readable. A second Ctrl-C ends the program.
int interrupt_descriptor();
bool is_interrupted();
/// Waits for the time to pass; false if it was interrupted.
bool rest(std::chrono::milliseconds time);
/// Waits until `descriptor` can be read, the time is over, or it was interrupted.
void await_input(int descriptor, std::chrono::milliseconds time);

}  // namespace parlance::cli
