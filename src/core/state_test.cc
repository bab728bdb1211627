// The shared state: versions, owners of tasks, and enforced allocations.
#include <gtest/gtest.h>

#include "core/testing/story.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kOne = 1'000'000;

class SharedState : public testing::Test {
  protected:
    SharedState() { story.agent("alice").agent("bob"); }

    Refusal task(const std::string& as, WriteTask write) {
        write.id = "t";
        if (write.document.empty()) write.document = "{}";
        story.as(as).ask(std::move(write));
        return story.refusal();
    }
    Refusal allot(StateOperation operation, std::uint64_t version, Allocation allocation) {
        story.as_operator().ask(WriteAllocation{operation, "a", version, std::move(allocation)});
        return story.refusal();
    }
    Refusal use(std::uint64_t version, std::uint64_t consumed) {
        auto allocation = story.state().shared.allocations.at("a").allocation;
        allocation.consumed = consumed;
        story.as("bob").ask(WriteAllocation{StateOperation::Update, "a", version, allocation});
        return story.refusal();
    }

    Story story;
    const Allocation tokens{.agent = "bob", .resource = "tokens", .limit = 100 * kOne};
};

TEST_F(SharedState, T13_AStaleUpdateIsRefusedWithTheCurrentVersion) {
    EXPECT_EQ(task("alice", {}), Refusal::None);
    EXPECT_EQ(task("alice", {.operation = StateOperation::Update, .version = 1}), Refusal::None);
    EXPECT_EQ(task("alice", {.operation = StateOperation::Update, .version = 1}),
              Refusal::StateVersionStale);
    EXPECT_NE(story.asked_for<TellRefused>().front().detail.find("version 2"), std::string::npos);
    EXPECT_EQ(task("alice", {.operation = StateOperation::Delete, .version = 1}),
              Refusal::StateVersionStale);
    EXPECT_EQ(task("alice", {.operation = StateOperation::Delete, .version = 2}), Refusal::None);
    EXPECT_TRUE(story.state().shared.tasks.empty());
}

TEST_F(SharedState, T13_ExistingItemsAreNotCreatedAndMissingItemsAreNotChanged) {
    EXPECT_EQ(task("alice", {.operation = StateOperation::Update}), Refusal::StateNotFound);
    task("alice", {});
    EXPECT_EQ(task("alice", {}), Refusal::StateVersionStale);
}

TEST_F(SharedState, T12_ATaskIsChangedByItsAssigneeElseByItsCreator) {
    task("alice", {});
    EXPECT_EQ(task("bob", {.operation = StateOperation::Update, .version = 1}),
              Refusal::IdentityMismatch);
    task("alice", {.operation = StateOperation::Update, .version = 1, .agent = "bob"});
    EXPECT_EQ(task("alice", {.operation = StateOperation::Update, .version = 2}),
              Refusal::IdentityMismatch);
    EXPECT_EQ(task("bob", {.operation = StateOperation::Update, .version = 2, .agent = "bob"}),
              Refusal::None);
    story.as_operator().ask(WriteTask{StateOperation::Delete, "t", 3});
    EXPECT_EQ(story.refusal(), Refusal::None);
}

TEST_F(SharedState, X13_AUsersTaskIsHiddenFromCallersWhoMayNotActForTheUser) {
    story.as_operator().ask(WriteTask{.id = "t", .document = "{}", .agent = "bob", .user = "u"});
    EXPECT_EQ(task("bob", {.operation = StateOperation::Update, .version = 1, .user = "u"}),
              Refusal::StateNotFound);
}

TEST_F(SharedState, T15_UsingMoreThanTheLimitIsRefused) {
    EXPECT_EQ(allot(StateOperation::Create, 0, tokens), Refusal::None);
    EXPECT_EQ(use(1, 100 * kOne), Refusal::None);
    EXPECT_EQ(use(2, 100 * kOne + 1), Refusal::ResourceLimitExceeded);
    EXPECT_EQ(use(2, 50 * kOne), Refusal::ResourceLimitExceeded) << "what is used is used";
}

TEST_F(SharedState, T15_OnlyAnOperatorAllocates) {
    story.as("bob").ask(WriteAllocation{StateOperation::Create, "a", 0, tokens});
    EXPECT_EQ(story.refusal(), Refusal::IdentityRoleForbidden);
    allot(StateOperation::Create, 0, tokens);
    auto more = tokens;
    more.limit *= 2;
    story.as("bob").ask(WriteAllocation{StateOperation::Update, "a", 1, more});
    EXPECT_EQ(story.refusal(), Refusal::IdentityRoleForbidden);
    EXPECT_EQ(allot(StateOperation::Update, 1, more), Refusal::None);
}

TEST_F(SharedState, T15_AnAllocationEndsAtItsTimeAndNotBefore) {
    auto brief = tokens;
    brief.expires_at = story.now() + 10s;
    allot(StateOperation::Create, 0, brief);
    EXPECT_EQ(next_due(story.state()), brief.expires_at);
    story.later(10s - 1ms).tick();
    EXPECT_EQ(story.happened<AllocationEnded>().size(), 0U);
    story.later(1ms).tick();
    ASSERT_EQ(story.happened<AllocationEnded>().size(), 1U);
    EXPECT_TRUE(story.happened<AllocationEnded>().front().is_expired);
    EXPECT_TRUE(story.state().shared.allocations.empty());
    EXPECT_EQ(allot(StateOperation::Create, 0, brief), Refusal::InputValidationFailed);
}

TEST_F(SharedState, T15_AnswersAreChargedAndAnEmptyAllocationRefusesRequests) {
    allot(StateOperation::Create, 0, tokens);
    story.as_the_hub().connect("bob", 9);
    story.request({.id = "q1"});
    const Letter reply{
        .id = "r1", .from = "bob", .to = "alice", .intent = Intent::Reply, .answers = "q1"};
    story.ask(ReplyToDelivery{
        .delivery = story.last_delivery(), .envelope = envelope(reply), .tokens_used = 100});
    EXPECT_EQ(story.state().shared.allocations.at("a").allocation.consumed, 100 * kOne);
    EXPECT_EQ(story.request({.id = "q2"}), Ticket{});
    EXPECT_EQ(story.refusal(), Refusal::ResourceLimitExceeded);
    auto more = tokens;
    more.limit *= 2;
    more.consumed = 100 * kOne;
    EXPECT_EQ(allot(StateOperation::Update, 2, more), Refusal::None);
    EXPECT_NE(story.as_the_hub().request({.id = "q3"}), Ticket{});
}

}  // namespace
}  // namespace parlance::core
