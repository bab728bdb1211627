// Lets a test of the core read as: given these events, when a command comes, then these events
// follow.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/core.h"
#include "core/liveness.h"
#include "core/snapshot.h"
#include "model/envelope.h"

namespace parlance::core {

/// A message with the fields that a test cares about; the rest is plain.
struct Letter {
    std::string id;
    std::string from = "alice";
    std::string to = "bob";
    std::string task{};
    std::string correlation{};
    Intent intent = Intent::OneWay;
    std::string answers{};
    std::string body = "{}";
};

inline EnvelopePtr envelope(const Letter& letter) {
    return Envelope::make({.id = letter.id,
                           .from = letter.from,
                           .to = letter.to,
                           .type = "TEST",
                           .task = letter.task,
                           .correlation = letter.correlation,
                           .answers = letter.answers,
                           .intent = letter.intent},
                          letter.body);
}

/// The answer of an agent to a request.
inline SendMessage answer_to(const std::string& question,
                             const std::string& from,
                             std::uint64_t tokens = 0) {
    return {.envelope = envelope({.id = "answer to " + question,
                                  .from = from,
                                  .to = "",
                                  .intent = Intent::Reply,
                                  .answers = question}),
            .priority = Priority::High,
            .tokens_used = tokens};
}

inline std::uint64_t fingerprint(const Letter& letter) {
    return std::hash<std::string>{}(letter.body);
}

using Ids = std::vector<std::string>;

/// Takes commands as the engine would, without disk or transport.
class Story {
  public:
    // Long functions are compiled once, in story.cc, so that a test compiles quickly.
    Story();
    ~Story();

    State& state() { return state_; }
    Limits& limits() { return state_.limits; }
    const Events& events() const { return events_; }
    const Effects& effects() const { return effects_; }
    Time now() const { return now_; }
    Time next_due() const;

    Story& at(Time now) {
        now_ = now;
        return *this;
    }
    Story& later(Duration by) { return at(now_ + by); }
    Story& as(std::string agent);
    Story& as_operator();
    Story& as_caller(Caller caller);
    Story& as_the_hub() {
        caller_ = nullptr;
        return *this;
    }
    /// A long story compares itself with its replay only after every so many commands.
    Story& replayed_every(std::size_t commands) {
        replayed_every_ = commands;
        return *this;
    }

    /// Takes a command and every tick that follows.
    Story& ask(Command command);
    Story& tick() { return ask(Tick{}); }
    /// The process ends, and a new process starts with the same state.
    Story& restart() { return ask(StartHub{.hub_id = "hub-2", .version = "test"}); }

    Story& agent(const std::string& id) { return ask(RegisterAgent{{id}, {}}); }
    InstanceNumber connect(const std::string& id, std::uint32_t credit, std::string name = "one");
    InstanceNumber poll(const std::string& id, std::string name = "poller");
    Story& send(const Letter& letter, Priority priority = Priority::High);
    Story& send_for(Duration ttl, const Letter& letter, Priority priority = Priority::High);
    /// Sends a request; returns its ticket.
    Ticket request(Letter letter,
                   bool waits = false,
                   Priority priority = Priority::High,
                   std::optional<Duration> timeout = {});
    Story& ack(const DeliveryToken& delivery) { return ask(AckDelivery{delivery}); }
    Story& nack(const DeliveryToken& delivery) { return ask(NackDelivery{delivery, "not now"}); }

    /// The events of this kind after the last command.
    template <class Fact>
    std::vector<Fact> happened() const {
        std::vector<Fact> found;
        for (const auto& event : events_) {
            if (const auto* fact = std::get_if<Fact>(&event)) found.push_back(*fact);
        }
        return found;
    }
    template <class EffectType>
    std::vector<EffectType> asked_for() const {
        std::vector<EffectType> found;
        for (const auto& effect : effects_) {
            if (const auto* match = std::get_if<EffectType>(&effect)) found.push_back(*match);
        }
        return found;
    }
    /// The ids of the messages handed over, in order.
    std::vector<std::string> delivered() const;
    /// Why the last command was refused, whatever its kind.
    Refusal refusal() const;
    /// When the returned copy will be tried again.
    Time retry_at() const;
    const broker::Mailbox& mailbox(const std::string& agent) const;
    DeliveryToken last_delivery() const;

  private:
    static constexpr int kTicksMax = 100'000;

    bool step(const Stamped& stamped);

    /// Every test is also a test of W11: the lived, the replayed and the reloaded state are equal.
    void expect_replay();

    bool follow();

    State state_;
    Liveness liveness_;
    Events events_;
    Effects effects_;
    std::vector<std::pair<Time, Event>> history_;
    std::shared_ptr<const Caller> caller_;
    Time now_{std::chrono::hours{480'000}};
    std::uint64_t entropy_ = 0;
    std::size_t asked_ = 0;
    std::size_t replayed_every_ = 1;
};

}  // namespace parlance::core
