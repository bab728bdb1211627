// Thousands of random commands against a deliberately simple model of mailboxes.
//
// The model knows messages by id, in lists and maps; it follows the events and reports every event
// that breaks a promise. After every step the broker's counts are recounted by hand.
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

constexpr std::array kAgents{"ann", "bob", "cat"};
constexpr std::uint32_t kRetries = 2;
constexpr std::uint32_t kLowEvery = 12;  // At most two consumers of an agent: patience 3.

struct Copy {
    std::string agent;
    std::string task;
    Priority priority = Priority::Normal;
    std::uint32_t retry_count_max = 0;
    std::uint32_t tries = 0;
    Time not_before{};
    Time expires_at{};
    bool is_held = false;
    bool is_dead = false;
    bool is_answer = false;
};

/// The expected state, from the events alone.
class Model {
  public:
    void follow(const Event& event, Time now) {
        std::visit([&](const auto& fact) { on(fact, now); }, event);
    }

    std::size_t count(const std::string& agent, bool held, bool dead) const {
        std::size_t found = 0;
        for (const auto& [ticket, copy] : copies) {
            found += copy.agent == agent && copy.is_held == held && copy.is_dead == dead;
        }
        return found;
    }

    std::map<Ticket, Copy> copies;

  private:
    template <class Fact>
    void on(const Fact&, Time) {}

    void on(const MessageAccepted& fact, Time) {
        const auto& envelope = *fact.envelope;
        EXPECT_TRUE(ids_.insert({std::string{envelope.from()}, std::string{envelope.id()}}).second)
            << "D4: accepted twice";
        copies[fact.ticket] = {.agent = std::string{envelope.to()},
                               .task = std::string{envelope.task()},
                               .priority = fact.priority,
                               .retry_count_max = fact.retry_count_max,
                               .expires_at = fact.expires_at};
        if (envelope.intent() == Intent::Request) open_[fact.ticket] = envelope_of(fact);
    }

    void on(const LeaseGranted& fact, Time now) {
        auto& copy = copies.at(fact.ticket);
        EXPECT_FALSE(copy.is_held) << "two leases at once";
        EXPECT_FALSE(copy.is_dead);
        EXPECT_GE(now, copy.not_before) << "D6: before its wait was over";
        EXPECT_TRUE(copy.expires_at == Time{} || now < copy.expires_at) << "D7";
        copy.is_held = true;
        ++copy.tries;
        EXPECT_TRUE(is_at_least_once(copy.priority, copy.is_answer) || copy.tries == 1) << "D2";
        EXPECT_LE(copy.tries, copy.retry_count_max + 1) << "D6";
        expect_order(fact.ticket, copy);
        expect_urgency(fact, copy, now);
    }

    void on(const DeliveryAcknowledged& fact, Time) { EXPECT_EQ(copies.erase(fact.ticket), 1U); }
    void on(const MessageDropped& fact, Time) {
        const auto& copy = copies.at(fact.ticket);
        EXPECT_FALSE(is_at_least_once(copy.priority, copy.is_answer)) << "D1, W1";
        copies.erase(fact.ticket);
    }
    void on(const MessageExpired& fact, Time now) {
        EXPECT_LE(copies.at(fact.ticket).expires_at, now);
        copies.erase(fact.ticket);
    }
    void on(const DeliveryReturned& fact, Time) {
        auto& copy = copies.at(fact.ticket);
        EXPECT_TRUE(copy.is_held);
        copy.is_held = false;
        copy.not_before = fact.retry_at;
        if (!is_counted(fact.failure)) --copy.tries;
    }
    void on(const MessageDeadLettered& fact, Time) {
        const auto& given_up = copies.at(fact.ticket);
        EXPECT_TRUE(fact.failure != DeliveryFailure::RetriesExhausted ||
                    given_up.tries == given_up.retry_count_max + 1)
            << "D6: given up too soon";
        copies.at(fact.ticket).is_held = false;
        copies.at(fact.ticket).is_dead = true;
    }
    void on(const DeadLetterRedelivered& fact, Time) {
        auto node = copies.extract(fact.ticket);
        node.mapped().is_dead = false;
        node.mapped().tries = 0;
        node.mapped().not_before = {};
        node.mapped().expires_at = {};
        revived_.insert(fact.ticket);
        copies.insert(std::move(node));
    }
    void on(const DeadLetterDiscarded& fact, Time) { EXPECT_EQ(copies.erase(fact.ticket), 1U); }
    void on(const RequestAnswered& fact, Time) {
        end(fact.request, fact.ticket, std::string{fact.envelope->task()});
        copies.erase(fact.request);
    }
    void on(const RequestFailed& fact, Time) {
        const auto task = open_.contains(fact.request) ? open_.at(fact.request).task : "";
        end(fact.request, fact.ticket, task);
    }

    /// W1: every request ends once.
    void end(Ticket request, Ticket answer, const std::string& task) {
        const auto found = open_.find(request);
        ASSERT_NE(found, open_.end()) << "W1: answered twice";
        if (answer != Ticket{}) {
            const bool is_apart = is_in_hand(found->second.agent, task, request);
            copies[answer] = {.agent = found->second.agent,
                              .task = is_apart ? std::string{} : task,
                              .priority = found->second.priority,
                              .retry_count_max = kRetries,
                              .is_answer = true};
        }
        open_.erase(found);
    }

    /// True if the agent has one copy of the task in all, delivered, and not the question itself.
    bool is_in_hand(const std::string& agent, const std::string& task, Ticket question) const {
        std::vector<std::pair<Ticket, bool>> lane;
        for (const auto& [ticket, copy] : copies) {
            if (copy.is_dead || copy.agent != agent || copy.task != task) continue;
            lane.emplace_back(ticket, copy.is_held);
        }
        return lane.size() == 1 && lane.front().second && lane.front().first != question;
    }

    /// D3: no older message of the same task may still be there. A revived dead letter starts anew.
    void expect_order(Ticket ticket, const Copy& copy) const {
        if (copy.task.empty() || revived_.contains(ticket)) return;
        for (const auto& [other, elder] : copies) {
            if (other >= ticket) break;
            if (elder.is_dead || revived_.contains(other)) continue;
            EXPECT_FALSE(elder.agent == copy.agent && elder.task == copy.task)
                << "D3: " << other.value << " was still to come before " << ticket.value;
        }
    }

    /// D8: while a critical message without a task waits, a lower one is delivered only if neither
    /// the agent's previous delivery nor the consumer's previous delivery was lower.
    void expect_urgency(const LeaseGranted& fact, const Copy& copy, Time now) {
        const bool has_critical = std::ranges::any_of(copies, [&](const auto& entry) {
            const auto& [other, waiting] = entry;
            const bool is_expired = waiting.expires_at != Time{} && waiting.expires_at <= now;
            return other != fact.ticket && waiting.agent == copy.agent && !waiting.is_held &&
                   !waiting.is_dead && waiting.task.empty() && waiting.not_before <= now &&
                   waiting.priority == Priority::Critical && !is_expired;
        });
        // A message with a task may be as urgent as the messages behind it.
        const bool is_lower = copy.task.empty() && copy.priority != Priority::Critical;
        auto& before = was_lower_[copy.agent];
        auto& before_here = had_lower_[fact.instance];
        EXPECT_FALSE(is_lower && has_critical && (before || before_here)) << "D8";
        before = before_here = is_lower;
    }

    struct Open {
        std::string agent;  ///< The requester.
        std::string task;
        Priority priority = Priority::Normal;
    };
    static Open envelope_of(const MessageAccepted& fact) {
        return {
            std::string{fact.envelope->from()}, std::string{fact.envelope->task()}, fact.priority};
    }

    std::set<std::pair<std::string, std::string>> ids_;
    std::set<Ticket> revived_;
    std::map<Ticket, Open> open_;
    std::map<std::string, bool> was_lower_;
    std::map<InstanceNumber, bool> had_lower_;
};

/// Recounts everything from the messages themselves.
void expect_recount(const State& state, const Model& model) {
    const auto& broker = state.broker;
    std::map<AgentHandle, broker::Mailbox> counted;
    std::map<Slot, std::uint32_t> held;
    std::uint64_t bytes = 0;
    for (const auto& [ticket, slot] : broker.slots.sorted(broker::ticket_of(broker.messages))) {
        const auto& message = broker.messages[slot];
        auto& mailbox = counted[message.mailbox];
        mailbox.bytes += message.envelope->body().size();
        bytes += message.envelope->body().size();
        if (message.stage == broker::Stage::Leased) {
            ++mailbox.in_flight;
            ++held[message.consumer];
        } else if (message.stage == broker::Stage::Dead) {
            ++mailbox.dead;
        } else {
            ++mailbox.waiting;
        }
    }
    ASSERT_EQ(broker.bytes, bytes);
    for (AgentHandle agent = 0; agent < broker.mailboxes.size(); ++agent) {
        const auto& mailbox = broker.mailboxes[agent];
        ASSERT_EQ(mailbox.waiting, counted[agent].waiting);
        ASSERT_EQ(mailbox.in_flight, counted[agent].in_flight);
        ASSERT_EQ(mailbox.dead, counted[agent].dead);
        ASSERT_EQ(mailbox.bytes, counted[agent].bytes);
        const auto& name = state.registry.agents[agent].id.value;
        ASSERT_EQ(mailbox.waiting, model.count(name, false, false)) << name;
        ASSERT_EQ(mailbox.in_flight, model.count(name, true, false)) << name;
        ASSERT_EQ(mailbox.dead, model.count(name, false, true)) << name;
        const bool is_tried =
            governor::stage_of(state.governor.breakers, agent) == governor::BreakerStage::Closed;
        for (const Slot slot : mailbox.consumers) {
            const auto& consumer = broker.consumers[slot];
            ASSERT_EQ(consumer.in_flight, held[slot]);
            if (!is_tried) continue;  // An agent that fails too often is left alone.
            if (consumer.kind != InstanceKind::Socket || consumer.in_flight >= consumer.credit) {
                continue;
            }
            for (const auto& list : mailbox.ready) ASSERT_EQ(list.head, kNoSlot) << "idle hands";
        }
    }
}

class Walk {
  public:
    explicit Walk(std::uint64_t seed) : entropy_(seed) {
        story_.replayed_every(101);
        story_.limits().low_every = kLowEvery;
        story_.limits().remembered_ids_max = 200'000;
        story_.limits().mailbox_messages_max = 60;
        story_.limits().retry_count_max = kRetries;
        story_.limits().request_timeout = 60s;
        for (const auto* agent : kAgents) story_.agent(agent);
    }

    void run(int steps) {
        for (int i = 0; i < steps; ++i) {
            step();
            for (const auto& event : story_.events()) model_.follow(event, story_.now());
            for (const auto& deliver : story_.asked_for<Deliver>()) {
                tokens_.push_back(deliver.delivery);
            }
            expect_recount(story_.state(), model_);
            if (testing::Test::HasFailure()) FAIL() << "at step " << i;
        }
    }

    /// D1: once every agent is connected and takes everything, only dead letters are left.
    void settle() {
        story_.replayed_every(1000);
        for (int i = 0; i < 3000; ++i) {
            for (const auto* agent : kAgents) {
                if (story_.mailbox(agent).consumers.empty() || i % 50 == 0) {
                    act(JoinInstance{{agent}, "last", InstanceKind::Socket, 100});
                }
            }
            while (!tokens_.empty()) {
                const auto token = tokens_.back();
                tokens_.pop_back();
                act(AckDelivery{token});
            }
            story_.later(1s);
            act(Tick{});
            if (story_.state().broker.waiting + story_.state().broker.in_flight == 0) break;
        }
        EXPECT_EQ(story_.state().broker.waiting, 0U);
        EXPECT_EQ(story_.state().broker.in_flight, 0U);
        EXPECT_EQ(story_.state().broker.dead.size(), model_.copies.size());
        EXPECT_EQ(story_.state().broker.messages.size(), model_.copies.size());
    }

  private:
    std::uint64_t any(std::uint64_t end) { return entropy_() % end; }
    std::string agent() { return kAgents[any(kAgents.size())]; }

    void act(Command command) {
        story_.ask(std::move(command));
        for (const auto& event : story_.events()) model_.follow(event, story_.now());
        for (const auto& deliver : story_.asked_for<Deliver>()) tokens_.push_back(deliver.delivery);
    }

    DeliveryToken token() {
        if (tokens_.empty()) return {{any(5000)}, 1};
        const auto at = any(tokens_.size());
        const auto token = tokens_[at];
        if (any(4) != 0) tokens_.erase(tokens_.begin() + static_cast<std::ptrdiff_t>(at));
        return token;
    }

    SendMessage message() {
        Letter letter{.id = "m" + std::to_string(any(10) == 0 ? any(sent_ + 1) : ++sent_),
                      .from = agent(),
                      .to = agent(),
                      .task = any(2) == 0 ? "t" + std::to_string(any(4)) : "",
                      .intent = any(4) == 0 ? Intent::Request : Intent::OneWay,
                      .body = std::string(any(30), 'x')};
        SendMessage send{.envelope = envelope(letter),
                         .priority = static_cast<Priority>(any(4)),
                         .fingerprint = fingerprint(letter),
                         .waits = any(2) == 0};
        if (any(4) == 0) send.ttl = Duration{any(20'000)};
        if (any(8) == 0) send.retry_count_max = static_cast<std::uint32_t>(any(4));
        return send;
    }

    InstanceNumber instance() { return {1 + any(story_.state().registry.instance_last + 1)}; }

    Ticket dead() {
        const auto& letters = story_.state().broker.dead;
        if (letters.empty()) return {any(5000)};
        return std::next(letters.begin(), static_cast<std::ptrdiff_t>(any(letters.size())))->first;
    }

    void step() {
        story_.later(Duration{any(3) == 0 ? any(4000) : 0});
        switch (any(20)) {
            case 0:
                story_.ask(JoinInstance{{agent()},
                                        any(2) == 0 ? "one" : "two",
                                        any(3) == 0 ? InstanceKind::Poll : InstanceKind::Socket,
                                        static_cast<std::uint32_t>(any(6))});
                break;
            case 1:
                story_.ask(any(5) == 0 ? Command{LeaveInstance{instance(), "bye"}} : Tick{});
                break;
            case 2:
                story_.ask(GrantCredit{instance(), static_cast<std::uint32_t>(any(8))});
                break;
            case 3:
                story_.ask(Heartbeat{instance()});
                break;
            case 4:
            case 5:
                story_.ask(TakeMessages{instance(), static_cast<std::uint32_t>(any(4))});
                break;
            case 6:
            case 7:
                story_.ask(NackDelivery{token(), "no", any(4) == 0});
                break;
            case 8:
                story_.ask(ExtendLease{token(), Duration{any(60'000)}});
                break;
            case 9:
                reply();
                break;
            case 10:
                story_.ask(any(3) == 0 ? Command{DiscardDeadLetter{dead(), "old"}}
                                       : RedeliverDeadLetter{dead()});
                break;
            case 11:
                story_.ask(any(20) == 0 ? Command{StartHub{}} : Tick{});
                break;
            case 12:
            case 13:
            case 14:
                story_.ask(AckDelivery{token()});
                break;
            default:
                story_.ask(message());
        }
    }

    void reply() {
        const auto held = token();
        const auto* question = broker::find_message(story_.state().broker, held.ticket);
        if (question == nullptr) {
            story_.tick();
            return;
        }
        story_.ask(ReplyToDelivery{held,
                                   envelope({.id = "r" + std::to_string(++sent_),
                                             .from = std::string{question->envelope->to()},
                                             .to = std::string{question->envelope->from()},
                                             .task = std::string{question->envelope->task()},
                                             .intent = Intent::Reply})});
    }

    Story story_;
    Model model_;
    std::mt19937_64 entropy_;
    std::vector<DeliveryToken> tokens_;
    std::uint64_t sent_ = 0;
};

TEST(Walk, D1_D2_D3_D4_D6_D7_D8_HoldForAnyCommands) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Walk walk{seed};
        walk.run(1500);
        if (testing::Test::HasFailure()) return;
        walk.settle();
        if (testing::Test::HasFailure()) return;
    }
}

}  // namespace
}  // namespace parlance::core
