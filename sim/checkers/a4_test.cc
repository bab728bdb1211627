// A4: histories in which personal data leaves the hub against the policy.
#include <gtest/gtest.h>

#include "sim/testing/chronicle.h"

namespace parlance::sim {
namespace {

using personal::Kind;

constexpr const char* kAddress = "ana@mail.example.org";
constexpr const char* kCard = "4111-1111-1111-1111";

Letter letter_about(const std::string& words) {
    return {.id = "m1", .body = R"({"note":")" + words + R"("})"};
}

/// Alice has sent bob personal data, under a policy that covers the dialect.
class A4 : public ::testing::Test {
  protected:
    A4() {
        chronicle.history.personal.dialects = {Dialect::Taskwire};
        chronicle.history.planted = {{.kind = Kind::Email, .written = kAddress},
                                     {.kind = Kind::Card, .written = kCard}};
        ticket = chronicle.accept(letter_about("of " + std::string{kAddress}));
        chronicle.lease(ticket);
    }
    void leave(Exit exit, std::string bytes, std::string reader = {}) {
        chronicle.history.left.push_back({.exit = exit,
                                          .reader = std::move(reader),
                                          .shown = chronicle.history.shown.size() - 1,
                                          .bytes = std::move(bytes)});
    }
    bool is_found() const { return chronicle.breaks("A4"); }

    Chronicle chronicle;
    Ticket ticket;
};

TEST_F(A4, LetsPlaceholdersPass) {
    leave(Exit::Delivery, R"({"note":"of [EMAIL_85a2752e]"})", "bob");
    leave(Exit::Record, R"({"event":"MessageAccepted","note":"[EMAIL_85a2752e]"})");
    EXPECT_FALSE(is_found());
}

TEST_F(A4, FindsAValueShownToADelegate) {
    leave(Exit::Delivery, R"({"note":"of ana@mail.example.org"})", "bob");
    EXPECT_TRUE(is_found());
}

TEST_F(A4, FindsAValueInEveryNotation) {
    for (const char* const written : {R"(Ana\u0040Mail.Example.org)",
                                      R"(\"ana\\u0040mail.example.org\")",
                                      "4111 1111 1111 1111",
                                      "4111111111111111"}) {
        chronicle.history.left.clear();
        leave(Exit::Delivery, written, "bob");
        EXPECT_TRUE(is_found()) << written;
    }
}

TEST_F(A4, FindsAValueInARecordARowALineAndAPage) {
    for (const auto exit : {Exit::Record, Exit::Row, Exit::Line, Exit::Page}) {
        chronicle.history.left.clear();
        leave(exit, "told of " + std::string{kCard});
        EXPECT_TRUE(is_found()) << static_cast<int>(exit);
    }
}

TEST_F(A4, AllowsValuesThatThePolicyRevealsOrDoesNotCover) {
    leave(Exit::Delivery, R"({"note":"of ana@mail.example.org"})", "bob");
    chronicle.history.personal.reveal["bob"].add(Kind::Email);
    EXPECT_FALSE(is_found()) << "bob may see it";
    chronicle.history.personal.reveal.clear();
    chronicle.history.personal.dialects = {Dialect::Kessel};
    EXPECT_FALSE(is_found()) << "neither of them speaks what is covered";
    chronicle.history.personal.dialects = {Dialect::Taskwire};
    chronicle.history.planted.front().is_exempt = true;
    EXPECT_FALSE(is_found()) << "it stood in a field that is exempt";
    chronicle.history.planted.front().is_exempt = false;
    chronicle.history.personal.kinds.remove(Kind::Email);
    EXPECT_FALSE(is_found()) << "it is of no kind that is redacted";
}

TEST_F(A4, FindsValuesInRecordsEvenIfDelegatesMaySeeThem) {
    chronicle.history.personal.reveal["bob"].add(Kind::Email);
    chronicle.history.planted.front().is_exempt = true;
    leave(Exit::Record, kAddress);
    EXPECT_TRUE(is_found());
}

TEST_F(A4, AllowsRequestersOnlyTheirOwnValuesInAnswers) {
    const auto asked = chronicle.accept(
        {.id = "q1", .intent = Intent::Request, .body = R"({"note":"of ana@mail.example.org"})"});
    chronicle.lease(asked);
    const auto answer = envelope(
        {.id = "r1", .from = "bob", .to = "alice", .intent = Intent::Reply, .answers = "q1"});
    chronicle.record(RequestAnswered{.request = asked, .envelope = answer});
    chronicle.show(TellAnswer{.request = asked, .reply = answer, .failure = {}});
    leave(Exit::Delivery, "wrote to ana@mail.example.org", "alice");
    EXPECT_FALSE(is_found());
    leave(Exit::Delivery, "by 4111111111111111", "alice");
    EXPECT_TRUE(is_found());
}

}  // namespace
}  // namespace parlance::sim
