// Thousands of random endings. Workflows whose steps ask on and answer before their own requests
// are answered, calls to several agents, handed-over tasks and contexts, and requests held for
// people are cancelled, time out, are stopped with the whole fleet or lose their agent, in every
// order. One decision ends a thing once (the story checks each), every request has one answer, and
// all of it can be replayed.
#include <array>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

constexpr std::array kAgents{"ann", "bob", "cat", "dan", "eve"};
constexpr std::array kSeveral{
    "all:ann/bob/cat", "call:cheapest:S0", "call:earliest:bob/cat", "capability:S1", "human:boss"};
constexpr std::array kPlans{
    R"({"steps":[{"id":"a","agent":"ann"},{"id":"b","agent":"bob","after":["a"]}]})",
    R"({"timeout_ms":9000,"steps":[{"id":"a","agent":"ann"},{"id":"b","agent":"bob"},
        {"id":"c","agent":"cat"}]})",
    R"({"steps":[{"id":"a","agent":"dan","compensate":{"agent":"eve"}},
        {"id":"b","agent":"ann","after":["a"],"on_error":"fail"}]})",
    R"({"steps":[{"id":"a","agent":"bob","max_tokens":900},
        {"id":"p","human":{"role":"boss","question":"Well?"}},
        {"id":"b","agent":"cat","after":["p"],"on_error":"human"}]})"};

class EndingWalk {
  public:
    explicit EndingWalk(std::uint64_t seed) : entropy_(seed) {
        story_.replayed_every(97);
        story_.limits().request_timeout = 20s;
        story_.limits().request_timeout_max = 40s;
        story_.limits().lease = 5s;
        for (const auto* agent : kAgents) enter(agent);
    }

    void run(int steps) {
        for (int i = 0; i < steps; ++i) {
            step();
            follow();
            if (testing::Test::HasFailure()) FAIL() << "at step " << i;
        }
        // Then the fleet goes on, and everything comes to its end by itself.
        story_.as_operator().ask(ResumeFleet{"enough"});
        for (int i = 0; i < 40; ++i) {
            follow();
            story_.as_the_hub().later(20s).tick();
        }
        follow();
        EXPECT_TRUE(open_.empty());
        EXPECT_TRUE(story_.state().requests.slots.empty());
        EXPECT_TRUE(story_.state().handing.calls.empty());
        EXPECT_TRUE(story_.state().governor.held.empty());
        EXPECT_TRUE(story_.state().shared.handoffs.empty());
        EXPECT_GT(cancelled_, 5U);
        EXPECT_GT(ended_, 5U);
    }

  private:
    std::uint64_t any(std::uint64_t end) { return entropy_() % end; }
    bool is_one_in(std::uint64_t count) { return any(count) == 0; }
    std::string agent() { return kAgents[any(kAgents.size())]; }
    std::string next_id(const char* prefix) { return prefix + std::to_string(++made_); }
    std::string any_id(const char* prefix) { return prefix + std::to_string(any(made_ + 1)); }

    void enter(const std::string& agent) {
        const auto code = is_one_in(2) ? "S0" : "S1";
        story_.as_the_hub().ask(RegisterAgent{
            {agent}, {.capabilities = R"([{"code":")" + std::string{code} + R"("}])"}});
        follow();
        story_.connect(agent, 4);
        follow();
    }

    /// W1: every accepted request ends once.
    void follow() {
        for (const auto& event : story_.events()) {
            if (const auto* accepted = std::get_if<MessageAccepted>(&event)) {
                if (accepted->envelope->intent() == Intent::Request) open_.insert(accepted->ticket);
            } else if (const auto* answered = std::get_if<RequestAnswered>(&event)) {
                EXPECT_EQ(open_.erase(answered->request), 1U) << "W1";
            } else if (const auto* failed = std::get_if<RequestFailed>(&event)) {
                EXPECT_EQ(open_.erase(failed->request), 1U) << "W1";
            }
            cancelled_ += std::holds_alternative<RequestCancelled>(event) ? 1U : 0U;
            ended_ += std::holds_alternative<WorkflowEnded>(event) ? 1U : 0U;
        }
        for (const auto& deliver : story_.asked_for<Deliver>()) held_.push_back(deliver);
        EXPECT_EQ(open_.size(), story_.state().requests.slots.size());
        story_.as_the_hub().tick();
        for (const auto& deliver : story_.asked_for<Deliver>()) held_.push_back(deliver);
    }

    void start() {
        const auto by = is_one_in(3) ? agent() : std::string{"olga"};
        if (by == "olga") story_.as_operator();
        if (by != "olga") story_.as(by);
        story_.ask(
            StartWorkflow{.id = next_id("w"), .plan = kPlans[any(kPlans.size())], .input = "{}"});
    }

    /// An agent asks another agent for the work in its hand, or for work of its own.
    void ask_on() {
        const auto from = agent();
        const auto id = next_id("m");
        const auto session = "s" + std::to_string(any(4));
        const auto body = R"({"delegation":{"session":")" + session + R"(","child_session":")" +
                          id + R"(-s","objective":")" + id + R"(","depth_max":6,"tokens_max":)" +
                          std::to_string(is_one_in(4) ? 5000 : 50) + "}}";
        const Letter letter{
            .id = id,
            .from = from,
            .to = is_one_in(4) ? std::string{kSeveral[any(kSeveral.size())]} : agent(),
            .task = "t" + std::to_string(any(6)),
            .correlation = is_one_in(2) ? session : any_id("w"),
            .intent = Intent::Request,
            .body = is_one_in(3) ? std::string{"{}"} : body};
        SendMessage send{.envelope = envelope(letter),
                         .priority = is_one_in(3) ? Priority::Normal : Priority::High,
                         .fingerprint = fingerprint(letter),
                         .waits = is_one_in(2)};
        send.claim = story_.state().message_writer->claim(*send.envelope);
        if (is_one_in(5)) {
            Passing passing{.hands_over = is_one_in(2)};
            if (is_one_in(2)) passing.fallback = is_one_in(3) ? "human:boss" : agent();
            send.passing = std::make_shared<const Passing>(passing);
        }
        story_.as(from).ask(std::move(send));
    }

    void hand_over_context() {
        const auto from = agent();
        const auto workflow = "c" + std::to_string(any(3));
        story_.as(from).ask(
            WriteContext{.workflow = workflow, .agent = {from}, .entities = R"({"x":1})"});
        follow();
        const auto* context = shared::find(story_.state().shared.contexts, workflow);
        if (context == nullptr) return;
        const Letter letter{.id = next_id("m"),
                            .from = context->owner,
                            .to = is_one_in(4) ? std::string{"human:boss"} : agent(),
                            .correlation = workflow,
                            .intent = Intent::Request};
        const Letter done{.id = letter.id + "-done",
                          .from = letter.to,
                          .to = letter.from,
                          .intent = Intent::Reply,
                          .answers = letter.id};
        story_.as(context->owner)
            .ask(HandOffContext{.workflow = workflow,
                                .version = context->version,
                                .request = {.envelope = envelope(letter),
                                            .priority = Priority::High,
                                            .fingerprint = fingerprint(letter)},
                                .done = is_one_in(2) ? envelope(done) : nullptr});
    }

    void settle() {
        if (held_.empty()) return ask_on();
        const auto at = held_.begin() + static_cast<std::ptrdiff_t>(any(held_.size()));
        const auto deliver = *at;
        held_.erase(at);
        const auto* message = broker::find_message(story_.state().broker, deliver.delivery.ticket);
        if (message == nullptr) return;
        const auto holder = story_.state().registry.agents[message->mailbox].id.value;
        story_.as(holder);
        if (is_one_in(8)) {
            return void(story_.ask(NackDelivery{deliver.delivery, "no", is_one_in(2)}));
        }
        if (is_one_in(12)) {
            return void(story_.ask(RefuseReply{.delivery = deliver.delivery, .id = "bad"}));
        }
        if (deliver.envelope->intent() != Intent::Request || is_one_in(6)) {
            return void(story_.ack(deliver.delivery));
        }
        const Letter letter{.id = next_id("r"),
                            .from = holder,
                            .to = std::string{deliver.envelope->from()},
                            .task = std::string{deliver.envelope->task()},
                            .correlation = std::string{deliver.envelope->correlation()},
                            .intent = Intent::Reply,
                            .body = is_one_in(4) ? R"({"error":"NO","retryable":true})"
                                                 : R"({"output":1,"cost":3})"};
        story_.ask(ReplyToDelivery{.delivery = deliver.delivery,
                                   .envelope = envelope(letter),
                                   .falls_short = is_one_in(4)});
    }

    void answer_human_task() {
        const auto all = story_.state().people.human_tasks.tickets();
        if (all.empty()) return ask_on();
        const auto human_task = all[any(all.size())];
        const auto found = people::find_human_task(story_.state().people, human_task);
        const Letter letter{.id = next_id("p"), .from = "human:boss", .intent = Intent::Reply};
        story_.as_operator().ask(AnswerHumanTask{
            .id = human_task,
            .decision = is_one_in(2)   ? HumanDecision::Approve
                        : is_one_in(2) ? HumanDecision::Answer
                                       : HumanDecision::Reject,
            .reason = "so it is",
            .content = "1",
            .reply = found->asked.request != Ticket{} ? envelope(letter) : nullptr});
    }

    void order() {
        story_.as_operator();
        switch (any(8)) {
            case 0:
                return void(story_.ask(StopFleet{"a stop", is_one_in(2)}));
            case 1:
            case 2:
                return void(story_.ask(ResumeFleet{"on"}));
            case 3:
                story_.ask(ChangePolicy{
                    .settings = print_policy(
                        {{{Rule::TokensPerRoot, {}}, static_cast<std::int64_t>(any(2) * 1000)},
                         {{Rule::BudgetAsksPeople, {}}, 1},
                         {{Rule::BreakerFailures, {}}, static_cast<std::int64_t>(any(4))}}),
                    .reason = "a change"});
                return;
            case 4: {
                const auto gone = agent();
                story_.ask(RemoveAgent{{gone}});
                follow();
                if (is_one_in(2)) enter(gone);
                return;
            }
            default:
                return void(story_.ask(CancelRequest{any_id("w"), "enough"}));
        }
    }

    void restart() {
        story_.as_the_hub().restart();
        held_.clear();
        for (const auto* each : kAgents) {
            follow();
            if (registry::find_agent(story_.state().registry, each) != kNoAgent) {
                story_.as_the_hub().connect(each, 4);
            }
        }
    }

    void step() {
        switch (any(20)) {
            case 0:
            case 1:
                return start();
            case 2:
            case 3:
            case 4:
            case 5:
            case 6:
                return ask_on();
            case 7:
                return hand_over_context();
            case 8:
                return answer_human_task();
            case 9:
                return order();
            case 10:
                return void(story_.as_operator().ask(CancelRequest{any_id("w"), "enough"}));
            case 11:
                return void(story_.as_operator().ask(CancelRequest{
                    is_one_in(3) ? "s" + std::to_string(any(4)) : any_id("m"), "no"}));
            case 12:
                return void(story_.as_the_hub().later(Duration{any(6000)}).tick());
            case 13:
                if (is_one_in(6)) return restart();
                return settle();
            case 14:
                if (!is_one_in(4)) return settle();
                return void(story_.as_the_hub().ask(
                    LeaveInstance{{1 + any(story_.state().registry.instance_last)}, "bye"}));
            case 15:
                return void(story_.as_the_hub().connect(agent(), 4));
            default:
                return settle();
        }
    }

    std::mt19937_64 entropy_;
    Story story_;
    std::vector<Deliver> held_;
    std::set<Ticket> open_;
    std::uint64_t made_ = 0;
    std::uint64_t cancelled_ = 0;
    std::uint64_t ended_ = 0;
};

TEST(Ending, W1_X21_NoDecisionEndsAThingTwice) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        EndingWalk walk{seed};
        walk.run(1200);
        if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
    }
}

}  // namespace
}  // namespace parlance::core
