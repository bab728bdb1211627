#include "sim/worker.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/check.h"

namespace parlance::sim {

namespace {

/// The promise reported broken when a worker dies.
constexpr const char* kDied = "CHECK";

void write_all(int pipe, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(pipe, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) ::_exit(1);  // The reader is gone.
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void put_text(std::string& out, std::string_view text) {
    append_varint(out, text.size());
    out.append(text);
}

std::string pack(const Verdict& verdict) {
    std::string body;
    for (const auto number : {verdict.seed,
                              std::uint64_t{verdict.ok},
                              verdict.steps,
                              verdict.messages,
                              verdict.records,
                              verdict.crashes,
                              verdict.trace_hash,
                              std::uint64_t{verdict.promises.size()}}) {
        append_varint(body, number);
    }
    for (const auto& promise : verdict.promises) put_text(body, promise);
    append_varint(body, verdict.coverage.size());
    for (const auto count : verdict.coverage) append_varint(body, count);
    put_text(body, verdict.promise);
    put_text(body, verdict.what);
    const auto size = static_cast<std::uint32_t>(body.size());
    std::string frame(sizeof size, '\0');
    std::memcpy(frame.data(), &size, sizeof size);
    return frame + body;
}

Verdict unpack(std::string_view body) {
    ByteReader in{body};
    Verdict verdict{.seed = in.varint(),
                    .ok = in.varint() != 0,
                    .promise = {},
                    .what = {},
                    .promises = {},
                    .steps = in.varint(),
                    .messages = in.varint(),
                    .records = in.varint(),
                    .crashes = in.varint(),
                    .trace_hash = in.varint(),
                    .coverage = {}};
    const auto text = [&] { return std::string{in.bytes(in.varint())}; };
    for (auto left = in.varint(); left > 0 && in.ok(); --left) verdict.promises.push_back(text());
    for (auto left = in.varint(); left > 0 && in.ok(); --left) {
        verdict.coverage.push_back(in.varint());
    }
    verdict.promise = text();
    verdict.what = text();
    return verdict;
}

[[noreturn]] void work(const Task& task, int pipe) {
    if (task.mutant) {
        plant(task.mutant->mutant);
        // A planted bug may break a CHECK, which prints a message: expected, and many times over.
        const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
    }
    for (auto seed = task.first;; seed += task.stride) {
        auto verdict = run(seed, {.is_plain = task.is_plain});
        if (!verdict.ok && !task.mutant) {
            verdict = run(seed, {.tells_stories = true, .is_plain = task.is_plain});
        }
        write_all(pipe, pack(verdict));
        if (task.last - seed < task.stride)
            break;  // No seed follows the greatest number of the type.
    }
    std::fflush(nullptr);
    ::_exit(0);
}

struct Worker {
    Task task;  ///< The rest of the task, from the seed that is running.
    pid_t process = 0;
    int pipe = -1;
    std::string received;
    bool is_stopped = false;
};

class Pool {
  public:
    Pool(std::vector<Task> tasks, unsigned jobs, const OnVerdict& on_verdict)
        : tasks_(std::move(tasks)), jobs_(std::max(jobs, 1U)), on_verdict_(on_verdict) {
        std::ranges::reverse(tasks_);
    }

    void run() {
        for (;;) {
            while (workers_.size() < jobs_ && !tasks_.empty()) {
                start(tasks_.back());
                tasks_.pop_back();
            }
            if (workers_.empty()) return;
            wait();
        }
    }

  private:
    void start(const Task& task) {
        if (task.is_done()) return;
        int ends[2];
        CHECK(::pipe2(ends, O_CLOEXEC) == 0);
        std::fflush(nullptr);
        const auto process = ::fork();
        CHECK(process >= 0);
        if (process == 0) {
            ::close(ends[0]);
            work(task, ends[1]);
        }
        ::close(ends[1]);
        workers_.push_back({.task = task, .process = process, .pipe = ends[0], .received = {}});
    }

    void wait() {
        std::vector<pollfd> polls;
        for (const auto& worker : workers_) polls.push_back({worker.pipe, POLLIN, 0});
        if (::poll(polls.data(), polls.size(), -1) < 0) return;
        std::vector<Worker> alive;
        for (std::size_t i = 0; i < polls.size(); ++i) {
            if (polls[i].revents == 0 || hear(workers_[i])) {
                alive.push_back(std::move(workers_[i]));
            } else {
                bury(workers_[i]);
            }
        }
        workers_ = std::move(alive);
    }

    /// False when nothing more will come.
    bool hear(Worker& worker) {
        char bytes[16'384];
        const auto count = ::read(worker.pipe, bytes, sizeof bytes);
        if (count <= 0) return count < 0 && errno == EINTR;
        worker.received.append(bytes, static_cast<std::size_t>(count));
        std::uint32_t size = 0;
        while (worker.received.size() >= sizeof size) {
            std::memcpy(&size, worker.received.data(), sizeof size);
            if (worker.received.size() < sizeof size + size) break;
            const auto verdict =
                unpack(std::string_view{worker.received}.substr(sizeof size, size));
            worker.received.erase(0, sizeof size + size);
            worker.task.advance(verdict.seed);
            if (worker.is_stopped || on_verdict_(worker.task, verdict)) continue;
            worker.is_stopped = true;
            ::kill(worker.process, SIGKILL);
        }
        return true;
    }

    /// A worker that died before its task was done failed the seed it was running; the rest is
    /// queued.
    void bury(Worker& worker) {
        ::close(worker.pipe);
        int status = 0;
        while (::waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
        }
        if (worker.is_stopped || worker.task.is_done()) return;
        const Verdict verdict{.seed = worker.task.first,
                              .ok = false,
                              .promise = kDied,
                              .what = "the hub's process died",
                              .promises = {kDied}};
        worker.task.advance(worker.task.first);
        if (on_verdict_(worker.task, verdict)) tasks_.push_back(worker.task);
    }

    std::vector<Task> tasks_;
    unsigned jobs_;
    const OnVerdict& on_verdict_;
    std::vector<Worker> workers_;
};

}  // namespace

void run_tasks(std::vector<Task> tasks, unsigned jobs, const OnVerdict& on_verdict) {
    Pool{std::move(tasks), jobs, on_verdict}.run();
}

}  // namespace parlance::sim
