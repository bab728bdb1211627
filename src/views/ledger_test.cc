#include "views/ledger.h"

#include <filesystem>
#include <memory>

#include "base/uuid.h"
#include "views/testing/delegations.h"

namespace parlance::views {
namespace {

using testing::answered;
using testing::delegated;
using testing::kNoon;

std::string as_it_is(std::string_view text, std::string_view) { return std::string{text}; }

class LedgerTest : public testing::DelegationsTest {
  protected:
    Ledger open(Harmless harmless = as_it_is, const std::string& name = "views.db") {
        auto ledger = Ledger::open(path(name), std::move(harmless));
        EXPECT_TRUE(ledger) << ledger.error().message;
        return *std::move(ledger);
    }
    /// Folds the journal's records from the ledger's checkpoint to `up_to`, without a commit.
    void fold(Ledger& ledger, Sequence up_to) {
        auto reader =
            journal::Reader::open(disk_, {ledger.checkpoint().sequence.value + 1}).value();
        journal::Record record;
        while (reader.next(record, up_to).value()) ASSERT_TRUE(ledger.fold(record));
    }
    void keep(Ledger& ledger) {
        fold(ledger, durable());
        ASSERT_TRUE(ledger.commit());
    }
    std::string log(const std::string& columns, const std::string& name = "views.db") {
        return select(path(name),
                      "SELECT " + columns + " FROM delegation_audit_log ORDER BY sequence");
    }
};

TEST_F(LedgerTest, X16_HasTheColumnsOfTheDocumentFirst) {
    auto ledger = open();
    // Audit Trail: id, request_id, origin_employee, target_employee, user_id, objective, success,
    // duration_ms, created_at.
    EXPECT_EQ(select(path(),
                     "SELECT group_concat(name) AS names FROM "
                     "(SELECT name FROM pragma_table_info('delegation_audit_log') LIMIT 9)"),
              "{\"names\":\"id,request_id,origin_employee,target_employee,user_id,objective,"
              "success,duration_ms,created_at\"}\n");
}

TEST_F(LedgerTest, X16_ADelegationIsARowThatIsOpenUntilItEnds) {
    auto ledger = open();
    happen(kNoon, delegated(1, "r-1", {.user = "u-1", .objective = "extract"}));
    keep(ledger);
    EXPECT_EQ(log("request_id, origin_employee, target_employee, user_id, objective, success, "
                  "duration_ms, created_at, depth"),
              R"({"request_id":"r-1","origin_employee":"prime","target_employee":"byte",)"
              R"("user_id":"u-1","objective":"extract","success":null,"duration_ms":null,)"
              R"("created_at":"1970-01-01T12:00:00.000Z","depth":1})"
              "\n");
    happen(kNoon + Duration{1500}, {answered(1, 470)});
    keep(ledger);
    EXPECT_EQ(log("success, duration_ms, tokens, refusal"),
              "{\"success\":true,\"duration_ms\":1500,\"tokens\":470,\"refusal\":null}\n");
    const auto id = select(path(), "SELECT id FROM delegation_audit_log");
    EXPECT_TRUE(is_uuid4(id.substr(7, 36))) << id;
}

TEST_F(LedgerTest, X16_APartialAnswerIsNoSuccess) {
    auto ledger = open();
    happen(kNoon, delegated(1, "r-1"));
    happen(kNoon + Duration{10}, {answered(1, 0, true)});
    keep(ledger);
    EXPECT_EQ(log("success, duration_ms"), "{\"success\":false,\"duration_ms\":10}\n");
}

TEST_F(LedgerTest, X16_AFailedDelegationHasItsReason) {
    auto ledger = open();
    happen(kNoon, delegated(1, "r-1"));
    happen(kNoon + Duration{15'000},
           {RequestFailed{.request = {1},
                          .refusal = Refusal::RequestTimedOut,
                          .detail = "Delegation timeout after 15000 ms"}});
    keep(ledger);
    EXPECT_EQ(log("success, duration_ms, refusal, reason"),
              R"({"success":false,"duration_ms":15000,"refusal":"REQUEST_TIMED_OUT",)"
              R"("reason":"Delegation timeout after 15000 ms"})"
              "\n");
}

TEST_F(LedgerTest, X16_ARefusedDelegationIsARowAndAnyOtherRefusalIsNone) {
    auto ledger = open();
    happen(kNoon,
           {MessageRefused{.from = "byte",
                           .id = "r-2",
                           .refusal = Refusal::DelegationDepthExceeded,
                           .detail = "too deep",
                           .to = "tag",
                           .user = "u-1",
                           .objective = "sort"},
            MessageRefused{.from = "bob", .id = "m", .refusal = Refusal::MessageMalformed}});
    keep(ledger);
    EXPECT_EQ(log("request_id, origin_employee, target_employee, user_id, objective, success, "
                  "duration_ms, refusal, reason"),
              R"({"request_id":"r-2","origin_employee":"byte","target_employee":"tag",)"
              R"("user_id":"u-1","objective":"sort","success":false,"duration_ms":0,)"
              R"("refusal":"DELEGATION_DEPTH_EXCEEDED","reason":"too deep"})"
              "\n");
}

TEST_F(LedgerTest, ARowNamesItsParentAndItsRootByTheirIds) {
    auto ledger = open();
    happen(kNoon, {DelegationFounded{.request = {1}, .id = "question"}});
    happen(kNoon, delegated(2, "r-2", {.parent = {1}, .root = {1}, .depth = 2}));
    happen(kNoon, delegated(3, "r-3", {.parent = {2}, .root = {1}, .depth = 3}));
    happen(kNoon, delegated(4, "r-4"));
    keep(ledger);
    EXPECT_EQ(log("root_request_id AS root, parent_request_id AS parent"),
              "{\"root\":\"question\",\"parent\":\"question\"}\n"
              "{\"root\":\"question\",\"parent\":\"r-2\"}\n"
              "{\"root\":\"r-4\",\"parent\":null}\n");
}

TEST_F(LedgerTest, AnIdThatLooksLikeANumberStaysAText) {
    auto ledger = open();
    happen(kNoon, delegated(1, "1e5"));
    keep(ledger);
    EXPECT_EQ(log("request_id"), "{\"request_id\":\"1e5\"}\n");
}

TEST_F(LedgerTest, A4_ShowsOnlyTheHarmlessFormOfAnObjective) {
    auto ledger = open([](std::string_view, std::string_view workflow) {
        return "[redacted in " + std::string{workflow} + "]";
    });
    happen(kNoon, delegated(1, "r-1", {.objective = "call 555-0100"}));
    keep(ledger);
    EXPECT_EQ(log("objective"), "{\"objective\":\"[redacted in r-1]\"}\n");
}

TEST_F(LedgerTest, TheEndOfAnUnrelatedRequestChangesNoRow) {
    auto ledger = open();
    happen(kNoon, delegated(1, "r-1"));
    happen(kNoon, {answered(9)});
    keep(ledger);
    EXPECT_EQ(log("success"), "{\"success\":null}\n");
}

TEST_F(LedgerTest, ACrashBeforeTheCommitUndoesRowsAndCheckpointTogether) {
    happen(kNoon, delegated(1, "r-1"));
    {
        auto ledger = open();
        keep(ledger);
        happen(kNoon, delegated(2, "r-2"));
        happen(kNoon + Duration{5}, {answered(1)});
        fold(ledger, durable());
        EXPECT_EQ(ledger.checkpoint().sequence, Sequence{5});
    }  // Destroyed without a commit.
    EXPECT_EQ(log("request_id, success"), "{\"request_id\":\"r-1\",\"success\":null}\n");
    auto ledger = open();
    EXPECT_EQ(ledger.checkpoint().sequence, Sequence{2});
    keep(ledger);
    EXPECT_EQ(log("request_id, success"),
              "{\"request_id\":\"r-1\",\"success\":true}\n"
              "{\"request_id\":\"r-2\",\"success\":null}\n");
}

TEST_F(LedgerTest, ARebuiltLedgerEqualsTheLedgerWrittenStepByStep) {
    auto ledger = open();
    for (std::uint64_t i = 1; i <= 20; ++i) {
        happen(
            kNoon + Duration{i},
            delegated(
                i, "r-" + std::to_string(i), {.parent = {i - 1}, .root = {1}, .objective = "o"}));
        if (i > 3) happen(kNoon + Duration{2 * i}, {answered(i - 3, i, i % 2 == 0)});
        keep(ledger);
        if (i % 7 == 0) ledger = open();
    }
    auto anew = open(as_it_is, "anew.db");
    keep(anew);
    const auto rows = log("*");
    EXPECT_EQ(log("*", "anew.db"), rows);
    EXPECT_EQ(std::ranges::count(rows, '\n'), 20);
    EXPECT_EQ(anew.checkpoint(), ledger.checkpoint());
}

TEST_F(LedgerTest, NoPlaceForACommitIsBetweenARequestAndItsAdmission) {
    auto ledger = open();
    happen(kNoon, delegated(1, "r-1"));
    fold(ledger, {1});
    EXPECT_TRUE(ledger.is_between());
    fold(ledger, {2});
    EXPECT_FALSE(ledger.is_between());
}

TEST_F(LedgerTest, ARecordThatChangesNoRowCostsNoWrite) {
    auto ledger = open();
    happen(kNoon, {WaitEnded{{1}}});
    keep(ledger);
    EXPECT_EQ(select(path(), "SELECT sequence FROM checkpoint"), "{\"sequence\":0}\n");
    ASSERT_TRUE(ledger.commit(true));
    EXPECT_EQ(select(path(), "SELECT sequence FROM checkpoint"), "{\"sequence\":1}\n");
}

TEST_F(LedgerTest, ListsByUserAgentTimeAndPage) {
    auto ledger = open();
    happen(kNoon, delegated(1, "r-1", {.user = "u-1"}));
    happen(kNoon + Duration{1}, delegated(2, "r-2", {.user = "u-2"}));
    happen(kNoon + Duration{2}, delegated(3, "r-3", {.user = "u-1"}));
    keep(ledger);
    const auto ids = [&](const DelegationQuery& query) {
        const auto rows = ledger.delegations(query).value();
        std::string found;
        for (const auto* id : {"r-1", "r-2", "r-3"}) {
            if (rows.find(id) != std::string::npos) found += id;
        }
        return found;
    };
    EXPECT_EQ(ids({}), "r-1r-2r-3");
    EXPECT_EQ(ids({.user = "u-1"}), "r-1r-3");
    EXPECT_EQ(ids({.agent = "byte"}), "r-1r-2r-3");
    EXPECT_EQ(ids({.agent = "tag"}), "");
    EXPECT_EQ(ids({.since = "1970-01-01T12:00:00.001Z"}), "r-2r-3");
    EXPECT_EQ(ids({.after = {2}, .count_max = 1}), "r-2");
}

TEST_F(LedgerTest, IsReadableOnlyForReadersOfTheJournal) {
    open();
    const auto mode = std::filesystem::status(path()).permissions();
    EXPECT_EQ(mode & std::filesystem::perms::others_all, std::filesystem::perms::none);
}

TEST_F(LedgerTest, AFileOfAnotherFormIsNotTouched) {
    open();
    {
        auto database = Database::open(path(), Database::Mode::Write).value();
        ASSERT_TRUE(database.run("PRAGMA user_version = 99"));
    }
    const auto ledger = Ledger::open(path(), as_it_is);
    ASSERT_FALSE(ledger);
    EXPECT_EQ(ledger.error().fault, Fault::Corrupt);
}

}  // namespace
}  // namespace parlance::views
