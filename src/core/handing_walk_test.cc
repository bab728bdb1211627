// Thousands of random handoffs, requests for help, calls for proposals and refusals: every request
// has one answer, every task is with one agent, and every index agrees with the things themselves.
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

constexpr std::array kAgents{"ann", "bob", "cat", "dan"};
constexpr std::array kWhom{"capability:S0",
                           "capability:S1",
                           "capability:S9",
                           "anyone",
                           "call:earliest:S0",
                           "call:cheapest:ann/bob",
                           "call:ablest:S1",
                           "all:S0",
                           "all:ann/bob/cat",
                           "human:boss"};
constexpr std::array kBodies{
    "{}", R"({"error":"NO"})", R"({"cost":3})", R"({"cost":2,"time":5,"confidence":0.5})"};

class HandingWalk {
  public:
    explicit HandingWalk(std::uint64_t seed) : entropy_(seed) {
        story_.replayed_every(41);
        story_.limits().request_timeout = 20s;
        story_.limits().request_timeout_max = 60s;  // The time of a request to people.
        int number = 0;
        for (const auto* agent : kAgents) {
            const auto code = "S" + std::to_string(number++ % 2);
            story_.ask(RegisterAgent{{agent}, {.capabilities = R"([{"code":")" + code + R"("}])"}});
            story_.connect(agent, 3);
        }
    }

    void run(int steps) {
        for (int i = 0; i < steps; ++i) {
            step();
            expect_one_answer();
            expect_recount();
            for (const auto& deliver : story_.asked_for<Deliver>()) held_.push_back(deliver);
            if (testing::Test::HasFailure()) FAIL() << "at step " << i;
        }
        // Then no command follows, and everything comes to its end.
        for (int i = 0; i < 10; ++i) {
            story_.as_the_hub().later(10s).tick();
            expect_one_answer();
        }
        EXPECT_TRUE(story_.state().requests.slots.empty());
        EXPECT_TRUE(open_.empty());
        EXPECT_TRUE(story_.state().handing.passes.empty());
        EXPECT_TRUE(story_.state().handing.calls.empty());
        EXPECT_TRUE(story_.state().handing.moved.empty());
        EXPECT_TRUE(story_.state().handing.pushed.empty());
        EXPECT_GT(moved_, 20U);
    }

  private:
    std::uint64_t any(std::uint64_t end) { return entropy_() % end; }
    std::string agent() { return kAgents[any(kAgents.size())]; }

    /// W1, W2: every accepted request ends once.
    void expect_one_answer() {
        for (const auto& event : story_.events()) {
            if (const auto* accepted = std::get_if<MessageAccepted>(&event)) {
                if (accepted->envelope->intent() == Intent::Request) open_.insert(accepted->ticket);
            } else if (const auto* answered = std::get_if<RequestAnswered>(&event)) {
                EXPECT_EQ(open_.erase(answered->request), 1U) << "W1";
            } else if (const auto* failed = std::get_if<RequestFailed>(&event)) {
                EXPECT_EQ(open_.erase(failed->request), 1U) << "W1";
            } else if (std::holds_alternative<MessageMoved>(event)) {
                ++moved_;
            }
        }
    }

    void expect_recount() {
        const auto& state = story_.state();
        EXPECT_EQ(open_.size(), state.requests.slots.size());
        const auto ticket_of = broker::ticket_of(state.requests.open);
        for (const auto& [ticket, slot] : state.requests.slots.sorted(ticket_of)) {
            // W7: the agent who has to answer a request has it in its mailbox.
            const auto* message = broker::find_message(state.broker, Ticket{ticket});
            if (message == nullptr || message->stage == broker::Stage::Dead) continue;
            EXPECT_EQ(state.registry.agents[message->mailbox].id.value,
                      state.requests.open[slot].asked->to());
        }
        for (const auto& [request, asked_for] : state.handing.asked) {
            EXPECT_TRUE(open_.contains(request));
            EXPECT_TRUE(state.handing.calls.contains(asked_for.first));
        }
        for (const auto& [task, request] : state.handing.by_task) {
            EXPECT_TRUE(open_.contains(request));
        }
        for (const auto& [address, request] : state.handing.moved) {
            EXPECT_TRUE(open_.contains(request));
        }
    }

    void send() {
        const auto from = agent();
        const Letter letter{.id = "m" + std::to_string(++sent_),
                            .from = from,
                            .to = any(2) == 0 ? agent() : std::string{kWhom[any(kWhom.size())]},
                            .task = "t" + std::to_string(any(4)),
                            .correlation = "c" + std::to_string(any(3)),
                            .intent = any(5) == 0 ? Intent::OneWay : Intent::Request};
        SendMessage send{.envelope = envelope(letter),
                         .priority = any(4) == 0 ? Priority::Normal : Priority::High,
                         .fingerprint = fingerprint(letter)};
        if (any(2) == 0) {
            Passing passing{.hands_over = any(2) == 0};
            if (any(3) == 0) passing.skills = {"S1"};
            if (any(2) == 0) passing.fallback = any(3) == 0 ? "human:boss" : agent();
            send.passing = std::make_shared<const Passing>(passing);
        }
        if (any(4) == 0) send.state = "1";
        story_.as(from).ask(std::move(send));
    }

    void settle() {
        if (held_.empty()) return send();
        const auto at = held_.begin() + static_cast<std::ptrdiff_t>(any(held_.size()));
        const auto deliver = *at;
        held_.erase(at);
        const auto* message = broker::find_message(story_.state().broker, deliver.delivery.ticket);
        // The events of the previous step are not to be counted twice.
        if (message == nullptr) return void(story_.as_the_hub().tick());
        const auto holder = story_.state().registry.agents[message->mailbox].id.value;
        story_.as(holder);
        if (any(6) == 0) {
            return void(story_.ask(NackDelivery{deliver.delivery, "no", any(2) == 0}));
        }
        if (deliver.envelope->intent() != Intent::Request || any(8) == 0) {
            return void(story_.ack(deliver.delivery));
        }
        const Letter letter{.id = "r" + std::to_string(++sent_),
                            .from = holder,
                            .to = std::string{deliver.envelope->from()},
                            .task = std::string{deliver.envelope->task()},
                            .correlation = std::string{deliver.envelope->correlation()},
                            .intent = Intent::Reply,
                            .body = kBodies[any(kBodies.size())]};
        story_.ask(ReplyToDelivery{.delivery = deliver.delivery,
                                   .envelope = envelope(letter),
                                   .falls_short = any(3) == 0});
    }

    void restart() {
        story_.as_the_hub().restart();
        held_.clear();
        for (const auto* each : kAgents) {
            expect_one_answer();
            story_.as_the_hub().connect(each, 3);
        }
    }

    void step() {
        switch (any(12)) {
            case 0:
            case 1:
            case 2:
            case 3:
                return send();
            case 4:
                return void(story_.as_the_hub().later(Duration{any(4000)}).tick());
            case 5:
                if (any(10) != 0) return settle();
                return restart();
            case 6:
                if (any(4) != 0) return settle();
                return void(story_.as_the_hub().ask(
                    CancelRequest{.id = "m" + std::to_string(any(sent_ + 1)), .reason = "enough"}));
            default:
                return settle();
        }
    }

    std::mt19937_64 entropy_;
    Story story_;
    std::vector<Deliver> held_;
    std::set<Ticket> open_;
    std::uint64_t sent_ = 0;
    std::uint64_t moved_ = 0;
};

TEST(Handing, W11_IndexesStayConsistentOnAnyWalk) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        HandingWalk walk{seed};
        walk.run(1000);
        if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
    }
}

}  // namespace
}  // namespace parlance::core
