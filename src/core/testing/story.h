// Lets a test of the core read as: given the past, when asked, then this happened.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/core.h"
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

/// Lives through commands as the engine would, without disk or doors.
class Story {
  public:
    Story() {
        ask(StartHub{.hub_id = "hub-1", .hash_key_0 = 1, .hash_key_1 = 2, .version = "test"});
    }

    State& state() { return state_; }
    Limits& limits() { return state_.limits; }
    const Events& events() const { return events_; }
    const Effects& effects() const { return effects_; }
    Time now() const { return now_; }

    Story& at(Time now) {
        now_ = now;
        return *this;
    }
    Story& later(Duration by) { return at(now_ + by); }
    Story& as(std::string agent) {
        caller_ = std::make_shared<Caller>(Caller{{std::move(agent)}});
        return *this;
    }

    /// One command and everything that follows from it by itself.
    Story& ask(Command command) {
        events_.clear();
        effects_.clear();
        step({.command = std::move(command),
              .caller = caller_,
              .now = now_,
              .chance = ++chance_,
              .ask = {77}});
        while (step({.command = Tick{}, .now = now_, .chance = ++chance_})) {
        }
        expect_replay();
        return *this;
    }
    Story& tick() { return ask(Tick{}); }

    Story& agent(const std::string& id) { return ask(RegisterAgent{{id}, {}}); }
    InstanceNumber connect(const std::string& id, std::uint32_t credit, std::string name = "one") {
        ask(JoinInstance{{id}, std::move(name), InstanceKind::Socket, credit});
        return {state_.registry.instance_last};
    }
    Story& send(const Letter& letter, Priority priority = Priority::High) {
        return ask(SendMessage{.envelope = envelope(letter),
                               .priority = priority,
                               .fingerprint = std::hash<std::string>{}(letter.body)});
    }

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
    std::vector<std::string> delivered() const {
        std::vector<std::string> ids;
        for (const auto& deliver : asked_for<Deliver>()) ids.emplace_back(deliver.envelope->id());
        return ids;
    }
    DeliveryToken last_delivery() const {
        const auto all = asked_for<Deliver>();
        return all.empty() ? DeliveryToken{} : all.back().delivery;
    }

  private:
    bool step(const Stamped& stamped) {
        Events events;
        decide(state_, stamped, events);
        for (const auto& event : events) {
            apply(state_, stamped.now, event);
            history_.emplace_back(stamped.now, event);
            react(state_, stamped, event, effects_);
            events_.push_back(event);
        }
        return !events.empty();
    }

    /// Every test is also a test of W11: living it, replaying it and reloading it are the same.
    void expect_replay() {
        const auto lived = encode_state(state_);
        State replayed;
        replayed.limits = state_.limits;
        for (const auto& [at, event] : history_) apply(replayed, at, event);
        EXPECT_EQ(lived, encode_state(replayed)) << "replaying the events gives another state";
        const auto reloaded = decode_state(lived, state_.limits);
        ASSERT_TRUE(reloaded) << reloaded.error().message;
        EXPECT_EQ(lived, encode_state(*reloaded)) << "reloading the snapshot gives another state";
    }

    State state_;
    Events events_;
    Effects effects_;
    std::vector<std::pair<Time, Event>> history_;
    std::shared_ptr<const Caller> caller_;
    Time now_{std::chrono::hours{480'000}};
    std::uint64_t chance_ = 0;
};

}  // namespace parlance::core
