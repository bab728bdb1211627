// A hub without doors: the engine, the journal on a disk, the dialects, and agents that answer in
// the same process. What is decided is durable before an agent hears of it, as in the hub.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "gateway/scribe.h"
#include "journal/disk.h"

namespace parlance::bench {

class House {
  public:
    struct Options {
        std::string folder;          ///< Where the journal is; made, and removed in the end.
        bool has_own_clock = false;  ///< Time stands still but for pass(); else it is the wall's.
        std::size_t agents = 5;
    };
    explicit House(Options options);
    ~House();
    House(const House&) = delete;
    House& operator=(const House&) = delete;

    /// The plan is the same for all; ids are counted.
    void start(const std::string& plan, const std::string& input);
    /// Of the workflow that was started as this one, from 1 on.
    static std::string id_of(std::uint64_t number);
    /// What an operator asks.
    void order(Command command);
    /// A taskwire message, as it would come through a door.
    void send(const std::string& text);
    /// One turn of the hub. False if nothing was left to do.
    bool turn() { return engine_->turn(); }
    void settle();
    void pass(std::chrono::milliseconds time);

    /// What an agent was handed and has not answered.
    struct Held {
        DeliveryToken delivery;
        EnvelopePtr asked;
        std::chrono::steady_clock::time_point since;
    };
    std::deque<Held>& held() { return held_; }
    void answer(const Held& held);
    void acknowledge(const Held& held) { submit(AckDelivery{held.delivery}); }

    std::uint64_t started() const { return started_; }
    std::uint64_t ended() const { return ended_; }
    const std::string& last_report() const { return last_report_; }
    const engine::Engine& engine() const { return *engine_; }

  private:
    void take(Effects&& effects);
    void submit(Command command);

    Options options_;
    gateway::DialectScribe scribe_;
    std::unique_ptr<journal::Disk> disk_;
    Time now_;
    std::uint64_t chance_ = 0;
    std::uint64_t started_ = 0;
    std::uint64_t ended_ = 0;
    std::string last_report_;
    std::deque<Held> held_;
    std::unique_ptr<engine::Engine> engine_;
    std::vector<std::jthread> jobs_;  ///< Of the journal; few, and done before it goes.
};

}  // namespace parlance::bench
