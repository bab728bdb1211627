// The gateway without a network: exchanges and sockets are scripted, the test takes the turns, and
// the clock stands still. Engine, journal and gateway are real.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "gateway/gateway.h"
#include "gateway/message_writer.h"
#include "journal/testing/memory_disk.h"
#include "views/feed.h"

namespace parlance::front_desk {

class ScriptedExchange final : public transport::Exchange {
  public:
    explicit ScriptedExchange(transport::Request request) : request_(std::move(request)) {}

    const transport::Request& request() const override { return request_; }
    void respond(transport::Response response) override { answers.push_back(std::move(response)); }
    void begin_stream(transport::Response head) override { answers.push_back(std::move(head)); }
    void write(std::string chunk) override { streamed += chunk; }
    std::size_t backlog_bytes() const override { return backlog; }
    void end_stream() override { has_ended = true; }
    /// As at the real door, whoever asks too late to be told in time is told at once.
    void on_gone(std::function<void()> gone) override {
        if (has_vanished_) return gone();
        gone_ = std::move(gone);
    }
    /// The peer hangs up.
    void vanish() {
        has_vanished_ = true;
        if (const auto gone = std::exchange(gone_, nullptr)) gone();
    }

    int status() const { return answers.empty() ? 0 : answers.back().status; }
    std::string body() const { return answers.empty() ? "" : answers.back().body; }

    std::vector<transport::Response> answers;  ///< Exactly one, if the gateway is correct.
    std::string streamed;
    std::size_t backlog = 0;
    bool has_ended = false;

  private:
    transport::Request request_;
    std::function<void()> gone_;
    bool has_vanished_ = false;
};

class ScriptedSocket final : public transport::Socket {
  public:
    explicit ScriptedSocket(transport::Request request = {}) : request_(std::move(request)) {}

    const transport::Request& request() const override { return request_; }
    void send(std::string frame) override { frames.push_back(std::move(frame)); }
    void close(std::uint16_t code, std::string) override { close_code = code; }
    std::size_t backlog_bytes() const override { return 0; }
    void on_frame(std::function<void(std::string_view)> hear) override { say_ = std::move(hear); }
    void on_gone(std::function<void()> gone) override { gone_ = std::move(gone); }
    void say(std::string_view frame) { say_(frame); }
    void vanish() {
        say_ = nullptr;
        if (const auto gone = std::exchange(gone_, nullptr)) gone();
    }

    std::vector<std::string> frames;
    std::uint16_t close_code = 0;

  private:
    transport::Request request_;
    std::function<void(std::string_view)> say_;
    std::function<void()> gone_;
};

using Headers = std::vector<std::pair<std::string, std::string>>;
using ExchangePtr = std::shared_ptr<ScriptedExchange>;
using SocketPtr = std::shared_ptr<ScriptedSocket>;

class FrontDesk {
  public:
    explicit FrontDesk(engine::Options options = {}, gateway::Options door = {.is_dev = true});
    ~FrontDesk();
    FrontDesk(const FrontDesk&) = delete;
    FrontDesk& operator=(const FrontDesk&) = delete;

    /// Sends a request; `path` may have a query. Nothing is decided before turn().
    ExchangePtr ask(std::string method,
                    std::string path,
                    std::string body = {},
                    Headers headers = {});
    /// ask() and a turn; returns the body of the answer.
    std::string now(std::string method, std::string path, std::string body = {});
    /// A connection before its hello; null if the gateway refuses the upgrade.
    SocketPtr open(Headers headers = {});
    /// The gateway's refusal of an upgrade, if any.
    std::optional<transport::Response> refusal_of(Headers headers);
    /// A connection of this agent, after the welcome.
    SocketPtr connect(const std::string& agent, int credit = 16);
    /// Decides all waiting commands, with all consequences.
    void turn();
    /// Runs the loop until `is_so`, for results of other threads and of timers.
    void run_until(const std::function<bool()>& is_so);

    /// From here on the disk is full.
    void fill_disk();

    engine::Engine& engine() { return *engine_; }
    gateway::Gateway& gateway() { return gateway_; }
    Time clock{Duration{1'700'000'000'000}};
    /// The client certificate of every further request.
    std::shared_ptr<const TlsCertificate> certificate{};

  private:
    journal::testing::MemoryDisk disk_;
    transport::Loop loop_;
    views::Feed feed_{disk_};
    std::uint64_t entropy_ = 0;
    gateway::DialectMessageWriter message_writer_;
    gateway::Gateway gateway_;
    std::unique_ptr<engine::Engine> engine_;
    transport::Doors doors_;
    std::vector<std::weak_ptr<ScriptedExchange>> exchanges_;
    std::vector<std::weak_ptr<ScriptedSocket>> sockets_;
};

}  // namespace parlance::front_desk
