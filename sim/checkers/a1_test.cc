// A1 of cancellations: the ids by which an order may name requests, and a record for each
// cancellation.
#include <gtest/gtest.h>

#include "sim/testing/chronicle.h"

namespace parlance::sim {
namespace {

/// A request of alice to bob; tests add a second request in the same conversation.
class Cancellations : public ::testing::Test {
  protected:
    Cancellations() { first = ask("q1"); }

    Ticket ask(const std::string& id) {
        return chronicle.accept({.id = id, .correlation = "flow", .intent = Intent::Request});
    }
    void admit(Ticket request, const std::string& session, Ticket parent = {}) {
        chronicle.record(DelegationAdmitted{
            .request = request, .parent = parent, .session = "s", .child_session = session});
    }
    void call_off(Ticket request, const std::string& by = "alice") {
        chronicle.record(RequestCancelled{.request = request, .by = by, .reason = "enough"});
        chronicle.record(RequestFailed{.request = request, .refusal = Refusal::RequestCancelled});
    }
    /// The hub confirms a cancellation to its caller.
    void tell(const std::string& id, const std::string& caller = "alice") {
        const auto order = chronicle.ask(CancelRequest{id, "enough"}, caller);
        chronicle.show(TellDone{order});
    }
    bool is_found() const { return chronicle.breaks("A1"); }

    Chronicle chronicle;
    Ticket first;
};

TEST_F(Cancellations, A1_AreNamedByRequestConversationOrSession) {
    for (const char* const id : {"q1", "flow", "child"}) {
        Cancellations::chronicle = Chronicle{};
        first = ask("q1");
        admit(first, "child");
        call_off(first);
        tell(id);
        EXPECT_FALSE(is_found()) << id << "\n" << chronicle.broken();
    }
}

TEST_F(Cancellations, A1_AreNotNamedByOtherIdsOrCallers) {
    admit(first, "child");
    call_off(first);
    const auto before = chronicle;
    tell("another");
    EXPECT_TRUE(is_found());
    chronicle = before;
    tell("q1", "bob");
    EXPECT_TRUE(is_found());
}

TEST_F(Cancellations, A1_OneOrderCoversAllMatchesAndTheNextCoversNone) {
    const auto second = ask("q2");
    call_off(first);
    call_off(second);
    tell("flow");
    EXPECT_FALSE(is_found()) << chronicle.broken();
    tell("flow");
    EXPECT_TRUE(is_found()) << "nothing was called off for it";
}

TEST_F(Cancellations, A1_CoverDelegationsBelowTheRequest) {
    admit(first, "child");
    const auto second =
        chronicle.accept({.id = "d1", .correlation = "other", .intent = Intent::Request});
    admit(second, "grandchild", first);
    call_off(first);
    call_off(second);
    tell("q1");
    EXPECT_FALSE(is_found()) << chronicle.broken();
    tell("d1");
    EXPECT_TRUE(is_found()) << "it was called off with the first";
}

TEST_F(Cancellations, A1_OfLaterRequestsNeedAnOrderOfTheirOwn) {
    call_off(first);
    const auto second = ask("q2");
    call_off(second);
    tell("flow");
    tell("flow");
    EXPECT_FALSE(is_found()) << chronicle.broken();
    tell("flow");
    EXPECT_TRUE(is_found());
}

TEST_F(Cancellations, A1_ByAStopOfTheFleetCoverNoOrder) {
    chronicle.record(RequestCancelled{
        .request = first, .by = "alice", .reason = "the fleet was stopped: drill"});
    tell("q1");
    EXPECT_TRUE(is_found());
}

}  // namespace
}  // namespace parlance::sim
