// A whole hub in this process: the real rooms on a real disk and a real port, but with a clock that
// moves only when the transcript says so, and the same entropy in every run.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "app/serve.h"
#include "engine/engine.h"
#include "gateway/gateway.h"
#include "gateway/message_writer.h"
#include "journal/posix_disk.h"
#include "transport/transport.h"
#include "views/bookkeeper.h"
#include "views/feed.h"

namespace parlance::scenarios {

class Hub {
  public:
    Hub(app::ServeOptions options, std::function<Time()> clock);
    ~Hub();
    Hub(const Hub&) = delete;
    Hub& operator=(const Hub&) = delete;

    std::uint16_t port() const { return server_->port(); }
    /// Waits until every request that has arrived is decided, durable and answered.
    void settle();
    /// await() waits until the listener's counts satisfy `has_arrived`.
    transport::DoorCounts counts();
    void await(const std::function<bool(const transport::DoorCounts&)>& has_arrived);
    /// As SIGTERM does; the destructor alone drops everything, as a crash would.
    void stop_cleanly();

  private:
    void open();
    void turn();
    void wake();
    void on_loop(const std::function<void()>& work);

    app::ServeOptions options_;
    std::function<Time()> clock_;
    std::mt19937_64 entropy_{42};
    transport::Loop loop_;
    std::unique_ptr<journal::Disk> disk_;
    std::unique_ptr<views::Feed> feed_;
    std::unique_ptr<views::Bookkeeper> bookkeeper_;
    gateway::DialectMessageWriter message_writer_;
    std::unique_ptr<gateway::Gateway> gateway_;
    std::unique_ptr<engine::Engine> engine_;
    std::unique_ptr<transport::Server> server_;
    std::uint64_t beats_ = 0;  ///< Touched on the loop alone.
    std::thread thread_;
};

/// An agent's push endpoint: keeps the posted requests, and answers from a script.
class Receiver {
  public:
    struct Reply {
        int status = 200;
        std::string body;
    };

    Receiver();
    ~Receiver();
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    std::uint16_t port() const { return server_->port(); }
    void will_answer(Reply reply);
    struct Posted {
        std::string text{};  ///< "POST /path body"; empty if none came in time.
        std::string head{};  ///< Headers, one per line.
    };
    Posted next();

  private:
    void take(const std::shared_ptr<transport::Exchange>& exchange);

    std::mutex mutex_;
    std::condition_variable came_;
    std::deque<Reply> script_;
    std::deque<Posted> got_;
    transport::Loop loop_;
    std::unique_ptr<transport::Server> server_;
    std::thread thread_;
};

}  // namespace parlance::scenarios
