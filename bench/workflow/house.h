// A hub without network: the engine, the journal on a disk, the dialects, and agents that answer in
// the same process. Decisions are durable before an agent gets them, as in the real hub.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "gateway/message_writer.h"
#include "journal/disk.h"

namespace parlance::bench {

class House {
  public:
    struct Options {
        std::string folder;          ///< Folder of the journal; created, and removed at the end.
        bool has_own_clock = false;  ///< Time advances only by pass(); else the wall clock.
        std::size_t agents = 5;
    };
    explicit House(Options options);
    ~House();
    House(const House&) = delete;
    House& operator=(const House&) = delete;

    /// All workflows use the same plan; ids are counted.
    void start(const std::string& plan, const std::string& input);
    /// The id of the workflow started as number `number`, from 1 on.
    static std::string id_of(std::uint64_t number);
    /// Submits an operator's command.
    void order(Command command);
    /// A taskwire message, as received from the network.
    void send(const std::string& text);
    /// One turn of the hub. False if nothing was left to do.
    bool turn() { return engine_->turn(); }
    void settle();
    void pass(std::chrono::milliseconds time);

    /// A delivery to an agent, not yet answered.
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
    gateway::DialectMessageWriter message_writer_;
    std::unique_ptr<journal::Disk> disk_;
    Time now_;
    std::uint64_t entropy_ = 0;
    std::uint64_t started_ = 0;
    std::uint64_t ended_ = 0;
    std::string last_report_;
    std::deque<Held> held_;
    std::unique_ptr<engine::Engine> engine_;
    /// Background jobs of the journal; few, and joined before the journal is destroyed.
    std::vector<std::jthread> jobs_;
};

}  // namespace parlance::bench
