#include "app/cli/exec/child.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace parlance::cli::exec {

namespace {

struct Pipe {
    int read = -1;
    int write = -1;
    Pipe() = default;
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        if (read >= 0) ::close(read);
        if (write >= 0) ::close(write);
    }
    bool open() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
        read = ends[0];
        write = ends[1];
        return true;
    }
};

void make_nonblocking(int descriptor) {
    ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

std::string describe(int status) {
    if (WIFEXITED(status)) return "exited with status " + std::to_string(WEXITSTATUS(status));
    return "was killed by signal " + std::to_string(WTERMSIG(status));
}

/// Returns 0, or the errno of the failure to start the program.
int start(const std::vector<std::string>& command, int stdin_end, int stdout_end, pid_t& process) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, stdin_end, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, stdout_end, STDOUT_FILENO);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    sigset_t usual;
    ::sigemptyset(&usual);
    for (const int number : {SIGINT, SIGTERM, SIGPIPE}) ::sigaddset(&usual, number);
    ::posix_spawnattr_setsigdefault(&attributes, &usual);

    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int error = ::posix_spawnp(
        &process, arguments.front(), &actions, &attributes, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    return error;
}

}  // namespace

Result<Child> Child::spawn(const std::vector<std::string>& command) {
    Pipe to_child;
    Pipe from_child;
    if (!to_child.open() || !from_child.open()) {
        return fail(Fault::Exhausted, std::string("cannot make a pipe: ") + std::strerror(errno));
    }
    Child child;
    const int error = start(command, to_child.read, from_child.write, child.process_);
    if (error != 0) {
        return fail(Fault::NotFound,
                    "cannot run '" + command.front() + "': " + std::strerror(error));
    }
    child.input_ = std::exchange(to_child.write, -1);
    child.output_ = std::exchange(from_child.read, -1);
    make_nonblocking(child.input_);
    make_nonblocking(child.output_);
    return child;
}

Child::Child(Child&& other) noexcept { *this = std::move(other); }

Child& Child::operator=(Child&& other) noexcept {
    std::swap(process_, other.process_);
    std::swap(input_, other.input_);
    std::swap(output_, other.output_);
    std::swap(unwritten_, other.unwritten_);
    std::swap(ending_, other.ending_);
    return *this;
}

Child::~Child() {
    close_input();
    if (output_ >= 0) ::close(output_);
    if (process_ < 0 || ending_) return;
    signal(SIGKILL);
    await_ending();
}

void Child::write_line(std::string_view line) {
    unwritten_.append(line).push_back('\n');
    flush();
}

void Child::flush() {
    while (!unwritten_.empty() && input_ >= 0) {
        const auto written = ::write(input_, unwritten_.data(), unwritten_.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EAGAIN) return;
        if (written < 0) {
            // The program closed its stdin. Its exit follows and settles its message.
            unwritten_.clear();
            return;
        }
        unwritten_.erase(0, static_cast<std::size_t>(written));
    }
}

Child::Output Child::read(Lines& lines) const {
    std::array<char, 65536> bytes{};
    ssize_t got = -1;
    do {
        got = ::read(output_, bytes.data(), bytes.size());
    } while (got < 0 && errno == EINTR);
    if (got == 0) return Output::Closed;
    if (got < 0) return errno == EAGAIN ? Output::Drained : Output::Closed;
    const auto count = static_cast<std::size_t>(got);
    lines.add({bytes.data(), count});
    // A pipe returns all available bytes.
    return count < bytes.size() ? Output::Drained : Output::More;
}

void Child::signal(int number) const {
    if (process_ > 0 && !ending_) ::kill(-process_, number);
}

void Child::close_input() {
    if (input_ >= 0) ::close(std::exchange(input_, -1));
}

std::optional<std::string> Child::ending() {
    int status = 0;
    if (!ending_ && process_ > 0 && ::waitpid(process_, &status, WNOHANG) == process_) {
        ending_ = describe(status);
    }
    return ending_;
}

void Child::end(int number, std::chrono::milliseconds grace) {
    constexpr std::chrono::milliseconds kStep{10};
    signal(number);
    for (auto waited = kStep; waited <= grace && !ending(); waited += kStep) {
        ::poll(nullptr, 0, static_cast<int>(kStep.count()));
    }
    signal(SIGKILL);
    await_ending();
}

std::string Child::await_ending() {
    int status = 0;
    while (!ending_) {
        const pid_t ended = ::waitpid(process_, &status, 0);
        if (ended == process_) ending_ = describe(status);
        if (ended < 0 && errno != EINTR) ending_ = "is gone";
    }
    return *ending_;
}

}  // namespace parlance::cli::exec
