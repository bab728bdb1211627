// Lets a test of the core read as: given the past, when asked, then this happened.
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

/// A message with what a test cares about; the rest is plain.
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

/// The answer of one agent to a request.
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

/// Lives through commands as the engine would, without disk or doors.
class Story {
  public:
    // What is long is written once, in story.cc: a test that only tells a story compiles in no
    // time.
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
    /// A long story compares itself with its replay only now and then.
    Story& replayed_every(std::size_t commands) {
        replayed_every_ = commands;
        return *this;
    }

    /// One command and everything that follows from it by itself.
    Story& ask(Command command);
    Story& tick() { return ask(Tick{}); }
    /// The process ends and another one starts with the same memory.
    Story& restart() { return ask(StartHub{.hub_id = "hub-2", .version = "test"}); }

    Story& agent(const std::string& id) { return ask(RegisterAgent{{id}, {}}); }
    InstanceNumber connect(const std::string& id, std::uint32_t credit, std::string name = "one");
    InstanceNumber poll(const std::string& id, std::string name = "poller");
    Story& send(const Letter& letter, Priority priority = Priority::High);
    Story& send_for(Duration ttl, const Letter& letter, Priority priority = Priority::High);
    /// A request, and the ticket by which the core knows it.
    Ticket request(Letter letter,
                   bool waits = false,
                   Priority priority = Priority::High,
                   std::optional<Duration> timeout = {});
    Story& ack(const DeliveryToken& delivery) { return ask(AckDelivery{delivery}); }
    Story& nack(const DeliveryToken& delivery) { return ask(NackDelivery{delivery, "not now"}); }

    /// The events of this kind in the last answer.
    template <class Fact>
    std::vector<Fact> happened() const {
        std::vector<Fact> found;
        for (const auto& event : events_) {
            if (const auto* fact = std::get_if<Fact>(&event)) found.push_back(*fact);
        }
        return found;
    }
    template <class Errand>
    std::vector<Errand> asked_for() const {
        std::vector<Errand> found;
        for (const auto& effect : effects_) {
            if (const auto* errand = std::get_if<Errand>(&effect)) found.push_back(*errand);
        }
        return found;
    }
    /// The ids of the messages that were handed over, in order.
    std::vector<std::string> delivered() const;
    /// Why the last command was refused, whatever it was.
    Refusal refusal() const;
    /// What a setback made of the copy's next try.
    Time retry_at() const;
    const broker::Mailbox& mailbox(const std::string& agent) const;
    DeliveryToken last_delivery() const;

  private:
    static constexpr int kTicksMax = 100'000;

    bool step(const Stamped& stamped);

    /// Every test is also a test of W11: living it, replaying it and reloading it are the same.
    void expect_replay();

    bool follow();

    State state_;
    Liveness liveness_;
    Events events_;
    Effects effects_;
    std::vector<std::pair<Time, Event>> history_;
    std::shared_ptr<const Caller> caller_;
    Time now_{std::chrono::hours{480'000}};
    std::uint64_t chance_ = 0;
    std::size_t asked_ = 0;
    std::size_t replayed_every_ = 1;
};

}  // namespace parlance::core
