#include "app/cli/interrupt.h"

#include <array>
#include <atomic>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "base/check.h"

namespace parlance::cli {

namespace {

std::atomic<bool> interrupted = false;
std::atomic<bool> is_terminal = false;
std::array<int, 2> ends{-1, -1};

extern "C" void on_interrupt(int) {
    const int saved = errno;
    interrupted = true;
    // A full pipe is readable already.
    [[maybe_unused]] const auto written = ::write(ends[1], "!", 1);
    errno = saved;
}

/// Only async-signal-safe calls: the main code may be drawing a bar.
extern "C" void on_leave(int) {
    if (is_terminal) {
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, "\r\x1b[K", 4);
    }
    ::_exit(Interrupted);
}

void handle(void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    // The first signal is a request, the second has its default effect.
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

void leave_when_interrupted() {
    is_terminal = ::isatty(STDERR_FILENO) == 1;
    handle(on_leave);
}

int interrupt_descriptor() {
    if (ends[0] >= 0) return ends[0];
    CHECK(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0);
    handle(on_interrupt);
    return ends[0];
}

bool is_interrupted() { return interrupted; }

bool rest(std::chrono::milliseconds time) {
    pollfd item{.fd = interrupt_descriptor(), .events = POLLIN, .revents = 0};
    ::poll(&item, 1, static_cast<int>(time.count()));
    return !is_interrupted();
}

void await_input(int descriptor, std::chrono::milliseconds time) {
    std::array<pollfd, 2> items{
        pollfd{.fd = interrupt_descriptor(), .events = POLLIN, .revents = 0},
        pollfd{.fd = descriptor, .events = POLLIN, .revents = 0}};
    ::poll(items.data(), items.size(), static_cast<int>(time.count()));
}

}  // namespace parlance::cli
