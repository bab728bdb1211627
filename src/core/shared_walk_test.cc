// Thousands of random changes of the shared state: every index agrees with the items, only the
// current agent writes to a context, and a context's history only grows.
#include <random>

#include <gtest/gtest.h>

#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

constexpr std::array kAgents{"ann", "bob", "cat"};
constexpr std::array kEntities{"vendor", "audit", "quote"};

class SharedWalk {
  public:
    explicit SharedWalk(std::uint64_t seed) : entropy_(seed) {
        story_.replayed_every(97);
        story_.limits().shared_items_max = 60;
        story_.limits().shared_item_bytes_max = 2'000;
        story_.limits().request_timeout = 5s;
        story_.ask(RegisterAgent{{"ann"}, {.domain = "vendor"}});
        story_.ask(RegisterAgent{{"bob"}, {.domain = "audit"}});
        story_.agent("cat");
        for (const auto* agent : kAgents) story_.connect(agent, 4);
    }

    void run(int steps) {
        for (int i = 0; i < steps; ++i) {
            step();
            expect_rules();
            expect_recount();
            for (const auto& deliver : story_.asked_for<Deliver>()) {
                tokens_.push_back(deliver.delivery);
            }
            before_ = story_.state().shared.contexts;
            if (testing::Test::HasFailure()) FAIL() << "at step " << i;
        }
    }

  private:
    std::uint64_t any(std::uint64_t end) { return entropy_() % end; }
    std::string agent() { return kAgents[any(kAgents.size())]; }
    std::string one_of(const char* what) { return what + std::to_string(any(3)); }

    /// W5, W6, W7, from the events and the state before them.
    void expect_rules() {
        for (const auto& written : story_.happened<ContextWritten>()) {
            const auto found = before_.find(written.workflow);
            if (found == before_.end()) continue;
            EXPECT_EQ(written.by, found->second.owner) << "W5";
            EXPECT_FALSE(found->second.is_locked()) << "W5";
            EXPECT_EQ(written.version, found->second.version + 1) << "W10";
        }
        for (const auto& [workflow, context] : before_) {
            const auto& now = story_.state().shared.contexts.at(workflow).history;
            ASSERT_GE(now.size(), context.history.size()) << "W6";
            EXPECT_TRUE(std::equal(context.history.begin(), context.history.end(), now.begin()))
                << "W6";
        }
        for (const auto& [workflow, context] : story_.state().shared.contexts) {
            const bool is_open =
                broker::find_request(story_.state().requests, context.handoff) != nullptr;
            EXPECT_EQ(context.is_locked(), is_open) << "W7";
        }
    }

    void expect_recount() {
        const auto& shared = story_.state().shared;
        auto counted = shared;
        counted.handoffs.clear();
        counted.expiring.clear();
        counted.allotted.clear();
        shared::index(counted);
        EXPECT_EQ(shared.count, counted.count);
        EXPECT_EQ(shared.bytes, counted.bytes);
        EXPECT_EQ(shared.handoffs, counted.handoffs);
        EXPECT_EQ(shared.expiring, counted.expiring);
        EXPECT_EQ(shared.allotted, counted.allotted);
        EXPECT_LE(shared.count, story_.limits().shared_items_max);
    }

    void write_context() {
        const auto name = agent();
        WriteContext write{.workflow = one_of("c"), .agent = {name}};
        if (any(2) == 0) write.history = {std::to_string(++last_)};
        if (any(2) == 0) {
            write.entities = R"({")" + std::string{kEntities[any(kEntities.size())]} + R"(":)" +
                             (any(4) == 0 ? "null" : std::to_string(last_)) + "}";
        }
        if (any(4) == 0) write.version = any(20);
        story_.as(name).ask(std::move(write));
    }

    void hand_off() {
        const auto workflow = one_of("c");
        const auto* context = shared::find(story_.state().shared.contexts, workflow);
        if (context == nullptr) {
            story_.tick();
            return;
        }
        const Letter letter{.id = "h" + std::to_string(++last_),
                            .from = any(5) == 0 ? agent() : context->owner,
                            .to = agent(),
                            .intent = Intent::Request};
        const Letter done{.id = "d" + std::to_string(last_),
                          .from = letter.to,
                          .to = letter.from,
                          .intent = Intent::Reply,
                          .answers = letter.id};
        story_.as(letter.from)
            .ask(HandOffContext{.workflow = workflow,
                                .version = context->version,
                                .request = {.envelope = envelope(letter),
                                            .priority = Priority::High,
                                            .fingerprint = last_},
                                .done = any(2) == 0 ? envelope(done) : nullptr});
    }

    void settle() {
        if (tokens_.empty()) {
            story_.tick();
            return;
        }
        const auto token = tokens_[any(tokens_.size())];
        if (any(3) == 0) {
            story_.ask(NackDelivery{token, "no", any(2) == 0});
        } else {
            story_.ask(AckDelivery{token});
        }
    }

    void write_state() {
        const auto operation = static_cast<StateOperation>(any(3));
        if (any(2) == 0) {
            story_.ask(WriteTask{operation, one_of("t"), any(4), "{}", agent(), {}});
            return;
        }
        Allocation allocation{agent(), "tokens", any(3), any(5), 3};
        if (any(2) == 0) allocation.expires_at = story_.now() + Duration{1 + any(9'000)};
        story_.ask(WriteAllocation{operation, one_of("a"), any(4), allocation});
    }

    void write_session() {
        const auto session = one_of("s");
        switch (any(3)) {
            case 0:
                story_.ask(WriteSession{.id = session, .user = "u", .workflow = "{}"});
                return;
            case 1:
                story_.ask(AddFacts{session, {{.kind = "fact", .about = "a", .value = "1"}}});
                return;
            default:
                story_.ask(KeepAnalysis{.session = session, .key = one_of("k"), .result = "1"});
        }
    }

    void step() {
        story_.as_the_hub().later(Duration{any(500)});
        switch (any(8)) {
            case 0:
                return hand_off();
            case 1:
            case 2:
                return settle();
            case 3:
                return write_state();
            case 4:
                return write_session();
            case 5:
                story_.ask(any(10) == 0 ? Command{StartHub{}} : Tick{});
                for (const auto* name : kAgents) story_.connect(name, 4);
                return;
            default:
                write_context();
        }
    }

    Story story_;
    std::mt19937_64 entropy_;
    std::vector<DeliveryToken> tokens_;
    shared::ById<shared::Context> before_;
    std::uint64_t last_ = 0;
};

TEST(SharedWalk, W5_W6_W7_W10_W11_HoldForAnyCommands) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        SharedWalk{seed}.run(1'000);
        if (testing::Test::HasFailure()) return;
    }
}

}  // namespace
}  // namespace parlance::core
