// The front desk with nobody at the doors but the test: exchanges and sockets are scripted, turns
// are taken when the test says so, and the clock stands still. What is behind the desk is real.
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
#include "gateway/scribe.h"
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
    void on_gone(std::function<void()> gone) override { gone_ = std::move(gone); }
    /// The peer hangs up.
    void vanish() {
        if (const auto gone = std::exchange(gone_, nullptr)) gone();
    }

    int status() const { return answers.empty() ? 0 : answers.back().status; }
    std::string body() const { return answers.empty() ? "" : answers.back().body; }

    std::vector<transport::Response> answers;  ///< One, if the desk keeps its word.
    std::string streamed;
    std::size_t backlog = 0;
    bool has_ended = false;

  private:
    transport::Request request_;
    std::function<void()> gone_;
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

    /// Brings a request; `path` may have a query. Nothing is decided before turn().
    ExchangePtr ask(std::string method,
                    std::string path,
                    std::string body = {},
                    Headers headers = {});
    /// The same, and a turn: the body of the answer.
    std::string now(std::string method, std::string path, std::string body = {});
    /// A connection that has said nothing yet; nothing if the door does not upgrade it.
    SocketPtr open(Headers headers = {});
    /// What the door says to an upgrade that it refuses; nothing if it grants it.
    std::optional<transport::Response> refusal_of(Headers headers);
    /// A connection of this agent, welcomed.
    SocketPtr connect(const std::string& agent, int credit = 16);
    /// Everything that waits is decided, and what follows from it.
    void turn();
    /// Runs the loop until this is so, for what other threads and timers bring.
    void run_until(const std::function<bool()>& is_so);

    /// The disk takes nothing more.
    void fill_disk();

    engine::Engine& engine() { return *engine_; }
    gateway::Gateway& gateway() { return gateway_; }
    Time clock{Duration{1'700'000'000'000}};
    std::shared_ptr<const TlsCertificate> certificate{};  ///< What whoever asks shows.

  private:
    journal::testing::MemoryDisk disk_;
    transport::Loop loop_;
    views::Feed feed_{disk_};
    std::uint64_t chance_ = 0;
    gateway::DialectScribe scribe_;
    gateway::Gateway gateway_;
    std::unique_ptr<engine::Engine> engine_;
    transport::Doors doors_;
    std::vector<std::weak_ptr<ScriptedExchange>> exchanges_;
    std::vector<std::weak_ptr<ScriptedSocket>> sockets_;
};

}  // namespace parlance::front_desk
