// D4 and W2 while the hub forgets ids: the tests show the checkers repeats and late replies on both
// sides of the bound of a hub with room for eight ids.
#include "sim/checkers/id_window.h"

#include <string>

#include <gtest/gtest.h>

#include "sim/checkers/checkers.h"
#include "sim/testing/chronicle.h"

namespace parlance::sim {
namespace {

constexpr int kSure = 4;

struct Forgetful : testing::Test {
    Chronicle life;
    int others = 0;

    Forgetful() { life.history.limits.remembered_ids_max = 2 * kSure; }
    void take_ids(int count) {
        for (int i = 0; i < count; ++i) {
            life.acknowledge(life.lease(life.accept({.id = "other-" + std::to_string(++others)})));
        }
    }
    Ticket ask() {
        return life.accept({.id = "q", .intent = Intent::Request},
                           {.priority = Priority::High, .deadline = life.now() + Duration{1'000}});
    }
    void fail(Ticket request) {
        life.record(MessageExpired{request});
        life.record(RequestFailed{.request = request});
    }
    void reply(const std::string& from) {
        life.accept({.id = "late-" + from,
                     .from = from,
                     .to = "alice",
                     .intent = Intent::Reply,
                     .answers = "q"});
    }
};

TEST_F(Forgetful, D4_HubMustKnowTheLatestHalfOfTheWindow) {
    life.acknowledge(life.lease(life.accept({.id = "a"})));
    take_ids(kSure - 1);
    life.acknowledge(life.lease(life.accept({.id = "a"})));
    EXPECT_TRUE(life.breaks("D4"));
}

TEST_F(Forgetful, D4_HubMayForgetOlderIds) {
    life.acknowledge(life.lease(life.accept({.id = "a"})));
    take_ids(kSure);
    life.acknowledge(life.lease(life.accept({.id = "a"})));
    EXPECT_FALSE(life.breaks("D4")) << life.broken();
}

TEST_F(Forgetful, D4_HubMustKnowWaitingMessages) {
    life.accept({.id = "a"});
    take_ids(5 * kSure);
    life.accept({.id = "a"});
    EXPECT_TRUE(life.breaks("D4"));
}

TEST_F(Forgetful, D4_HubMustKnowMessagesThatOneSubscriberStillAwaits) {
    life.record(Subscribed{{"bob"}, {"news"}});
    life.record(Subscribed{{"carol"}, {"news"}});
    const auto first = life.accept({.id = "a", .to = "topic:news"});
    life.acknowledge(life.lease(first));
    take_ids(5 * kSure);
    life.accept({.id = "a", .to = "topic:news"});
    EXPECT_TRUE(life.breaks("D4"));
}

TEST_F(Forgetful, W2_HubMustKnowARecentlyEndedRequest) {
    const auto request = ask();
    fail(request);
    take_ids(kSure - 1);
    reply("bob");
    EXPECT_TRUE(life.breaks("W2"));
}

TEST_F(Forgetful, W2_HubMayForgetAnOldRequest) {
    const auto request = ask();
    fail(request);
    take_ids(kSure);
    reply("bob");
    EXPECT_FALSE(life.breaks("W2")) << life.broken();
}

TEST_F(Forgetful, W2_IsBrokenByALateReplyOfAnotherAgent) {
    const auto request = ask();
    fail(request);
    reply("carol");
    EXPECT_TRUE(life.breaks("W2"));
}

}  // namespace
}  // namespace parlance::sim
