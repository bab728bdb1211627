// A running program with pipes to its stdin and from its stdout. Its stderr is the verb's.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "app/cli/exec/lines.h"
#include "base/result.h"

namespace parlance::cli::exec {

class Child {
  public:
    /// Spawns in a separate process group, so that the verb can handle Ctrl-C before the program
    /// does.
    static Result<Child> spawn(const std::vector<std::string>& command);
    Child(Child&& other) noexcept;
    Child& operator=(Child&& other) noexcept;
    ~Child();

    /// Queues a line; flush() writes as much as the pipe takes.
    void write_line(std::string_view line);
    void flush();
    bool wants_to_write() const { return !unwritten_.empty(); }
    enum class Output { More, Drained, Closed };
    /// Reads once. More: further output may be available.
    Output read(Lines& lines) const;

    int input() const { return input_; }
    int output() const { return output_; }
    void signal(int number) const;
    void close_input();
    /// The exit in words ("exited with status 3", "was killed by signal 9"); nothing while running.
    std::optional<std::string> ending();
    /// Sends the signal, waits for `grace`, then kills.
    void end(int number, std::chrono::milliseconds grace);
    /// Waits for the exit.
    std::string await_ending();

  private:
    Child() = default;
    pid_t process_ = -1;
    int input_ = -1;
    int output_ = -1;
    std::string unwritten_{};
    std::optional<std::string> ending_{};
};

}  // namespace parlance::cli::exec
