// A running program with pipes to its stdin and from its stdout. Its stderr is ours.
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
    /// In a process group of its own, so that Ctrl-C reaches it through us and with notice.
    static Result<Child> spawn(const std::vector<std::string>& command);
    Child(Child&& other) noexcept;
    Child& operator=(Child&& other) noexcept;
    ~Child();

    /// Queues a line; flush() moves as much as the pipe takes.
    void write_line(std::string_view line);
    void flush();
    bool wants_to_write() const { return !unwritten_.empty(); }
    enum class Output { More, Drained, Closed };
    /// Reads one piece of what is there. More: there may be a further one.
    Output read(Lines& lines) const;

    int input() const { return input_; }
    int output() const { return output_; }
    void signal(int number) const;
    void close_input();
    /// How it ended ("exited with status 3", "was killed by signal 9"); nothing while it runs.
    std::optional<std::string> ending();
    /// Asks with the signal, waits a little, then insists.
    void end(int number, std::chrono::milliseconds grace);
    /// Waits for its end.
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
