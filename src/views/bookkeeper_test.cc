#include "views/bookkeeper.h"

#include <fstream>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include "views/testing/delegations.h"

namespace parlance::views {
namespace {

using testing::answered;
using testing::delegated;
using testing::kNoon;

class BookkeeperTest : public testing::DelegationsTest {
  protected:
    BookkeeperOptions options() {
        return {.path = path(),
                .log = [this](const std::string& line) { log_ += line; },
                .look_pause = Duration{1},
                .retry_pause = Duration{1}};
    }
    /// A hub that is always busy: the ledger folds only when a read waits or the lag is too long.
    BookkeeperOptions options_under_load(std::uint64_t lag_max) {
        auto busy = options();
        busy.busy_records = 0;
        busy.lag_max = lag_max;
        return busy;
    }
    void start() { start(options()); }
    void start(BookkeeperOptions options) {
        keeper_.emplace(disk_, std::move(options));
        keeper_->follow(durable());
    }
    struct Page {
        std::string rows;
        Sequence folded;
    };
    static Result<Page> read(const Result<ViewSources>& sources) {
        if (!sources) return tl::unexpected(sources.error());
        return Page{TRY(sources->ledger.delegations({})), sources->folded};
    }
    Result<Page> ask(Sequence current_at) {
        std::promise<Result<Page>> told;
        keeper_->follow(durable());
        keeper_->ask(current_at,
                     [&](const Result<ViewSources>& sources) { told.set_value(read(sources)); });
        return told.get_future().get();
    }
    std::string rows() {
        const auto page = ask(durable());
        return page ? page->rows : page.error().message;
    }
    std::string ids() {
        return select(path(), "SELECT request_id AS r FROM delegation_audit_log ORDER BY sequence");
    }

    std::string log_;
    std::optional<Bookkeeper> keeper_;
};

TEST_F(BookkeeperTest, AReadThatMustBeCurrentWaitsForItsSequence) {
    happen(kNoon, {HubStarted{"1"}});
    start();
    happen(kNoon, delegated(1, "r-1"));
    const auto page = ask(durable());
    ASSERT_TRUE(page) << page.error().message;
    EXPECT_EQ(page->folded, Sequence{3});
    EXPECT_NE(page->rows.find("\"request_id\":\"r-1\""), std::string::npos) << page->rows;
    EXPECT_EQ(keeper_->status().folded, Sequence{3});
    EXPECT_EQ(keeper_->status().problem, "");
}

TEST_F(BookkeeperTest, GoesOnWhereItStoppedAndRepeatsNothing) {
    happen(kNoon, delegated(1, "r-1"));
    start();
    rows();
    keeper_.reset();
    happen(kNoon, delegated(2, "r-2"));
    start();
    rows();
    EXPECT_EQ(ids(), "{\"r\":\"r-1\"}\n{\"r\":\"r-2\"}\n");
    EXPECT_EQ(keeper_->status().rebuilds, 0U);
}

TEST_F(BookkeeperTest, FoldsMoreThanOneBatch) {
    for (std::uint64_t i = 1; i <= 3'000; ++i) happen(kNoon, delegated(i, std::to_string(i)));
    start();
    rows();
    EXPECT_EQ(select(path(), "SELECT count(*) AS n, max(ticket) AS m FROM delegation_audit_log"),
              "{\"n\":3000,\"m\":3000}\n");
}

TEST(Pace, GivesWayToABusyHubUntilAReadWaitsOrTheLedgerLagsTooFar) {
    const BookkeeperOptions options{.path = "", .busy_records = 100, .lag_max = 1'000};
    const Pace busy{.looked = 5'000, .durable = 5'100, .folded = 4'101};
    EXPECT_TRUE(gives_way(busy, options));

    auto quieter = busy;
    quieter.looked = 5'001;
    EXPECT_FALSE(gives_way(quieter, options));
    auto asked = busy;
    asked.is_asked = true;
    EXPECT_FALSE(gives_way(asked, options));
    auto behind = busy;
    behind.folded = 4'100;
    EXPECT_FALSE(gives_way(behind, options));
}

TEST_F(BookkeeperTest, AReadIsAnsweredAlsoUnderLoad) {
    happen(kNoon, delegated(1, "r-1"));
    start(options_under_load(1'000));
    EXPECT_NE(rows().find("\"request_id\":\"r-1\""), std::string::npos);
}

TEST_F(BookkeeperTest, LagsBehindABusyHubOnlySoFar) {
    happen(kNoon, delegated(1, "r-1"));
    start(options_under_load(durable().value));
    while (keeper_->status().folded < durable()) std::this_thread::yield();
    EXPECT_EQ(ids(), "{\"r\":\"r-1\"}\n");
}

TEST_F(BookkeeperTest, AFileThatIsNoDatabaseIsWrittenAnew) {
    happen(kNoon, delegated(1, "r-1"));
    std::ofstream{path()} << std::string(10'000, 'x');
    start();
    rows();
    EXPECT_EQ(ids(), "{\"r\":\"r-1\"}\n");
    EXPECT_EQ(keeper_->status().rebuilds, 1U);
    EXPECT_NE(log_.find("written anew from the journal"), std::string::npos) << log_;
}

TEST_F(BookkeeperTest, ADamagedFileIsWrittenAnew) {
    for (std::uint64_t i = 1; i <= 500; ++i) happen(kNoon, delegated(i, std::to_string(i)));
    start();
    const auto before = rows();
    keeper_.reset();
    {
        std::fstream file{path(), std::ios::in | std::ios::out | std::ios::binary};
        file.seekp(3 * 4096);
        file << std::string(4096, '\x5a');
    }
    start();
    EXPECT_EQ(rows(), before);
    EXPECT_EQ(keeper_->status().rebuilds, 1U);
}

TEST_F(BookkeeperTest, AFileThatSomebodyRemovedIsWrittenAnew) {
    happen(kNoon, delegated(1, "r-1"));
    start();
    rows();
    std::filesystem::remove(path());
    happen(kNoon, delegated(2, "r-2"));
    rows();
    EXPECT_EQ(ids(), "{\"r\":\"r-1\"}\n{\"r\":\"r-2\"}\n");
}

TEST_F(BookkeeperTest, AFileOfAnotherFormIsWrittenAnew) {
    happen(kNoon, delegated(1, "r-1"));
    {
        auto database = Database::open(path(), Database::Mode::Write).value();
        ASSERT_TRUE(database.run("CREATE TABLE other (x); PRAGMA user_version = 99"));
    }
    start();
    rows();
    EXPECT_EQ(ids(), "{\"r\":\"r-1\"}\n");
}

TEST_F(BookkeeperTest, TheFileOfAnotherJournalIsWrittenAnew) {
    happen(kNoon, delegated(1, "r-1"));
    start();
    rows();
    keeper_.reset();
    journal_.reset();
    journal::testing::MemoryDisk other;
    journal_ = journal::Journal::open(other, {.segment_bytes = 65'536}).value();
    happen(kNoon + Duration{1}, delegated(1, "s-1"));
    happen(kNoon + Duration{2}, delegated(2, "s-2"));
    Bookkeeper keeper{other, {.path = path()}};
    keeper.follow(durable());
    std::promise<void> told;
    keeper.ask(durable(), [&](const Result<ViewSources>&) { told.set_value(); });
    told.get_future().get();
    EXPECT_EQ(ids(), "{\"r\":\"s-1\"}\n{\"r\":\"s-2\"}\n");
    EXPECT_EQ(keeper.status().rebuilds, 1U);
}

TEST_F(BookkeeperTest, AFailedWriteIsReportedAndRetried) {
    happen(kNoon, delegated(1, "r-1"));
    std::filesystem::create_directory(path());  // SQLite can make no file here.
    start();
    const auto page = ask(durable());
    ASSERT_FALSE(page);
    EXPECT_GE(keeper_->status().failures, 1U);
    EXPECT_NE(keeper_->status().problem, "");
    std::filesystem::remove(path());
    while (!ask(durable())) {
    }
    EXPECT_EQ(ids(), "{\"r\":\"r-1\"}\n");
    EXPECT_EQ(keeper_->status().problem, "");
}

class DamagedJournalTest : public BookkeeperTest {
  protected:
    void flip(const std::string& text) {
        const auto bytes = disk_.contents().at(kName);
        if (place_ == std::string::npos) place_ = bytes.find(text);
        ASSERT_NE(place_, std::string::npos);
        disk_.flip_bit(kName, place_, 0);
    }
    std::string missing() {
        return select(path(), "SELECT first AS f, last AS l FROM missing_records ORDER BY first");
    }

    static constexpr const char* kName = "00000000000000000001.journal";
    std::size_t place_ = std::string::npos;
};

TEST_F(DamagedJournalTest, SkipsAndNotesAnUnreadableRecordAndGoesOn) {
    happen(kNoon, delegated(1, "r-1"));
    start();
    rows();
    happen(kNoon, delegated(2, "r-22222"));
    flip("r-22222");  // MessageAccepted, record 3; record 4 admits the delegation.
    happen(kNoon, delegated(3, "r-3"));
    ASSERT_TRUE(ask(durable()));
    EXPECT_EQ(ids(), "{\"r\":\"r-1\"}\n{\"r\":\"r-3\"}\n");
    EXPECT_EQ(missing(), "{\"f\":3,\"l\":3}\n");
    const auto status = keeper_->status();
    EXPECT_EQ(status.rebuilds, 0U);
    EXPECT_EQ(status.problem, "");
    EXPECT_EQ(status.folded, durable());
    EXPECT_EQ(status.missing_records(), 1U);
    EXPECT_NE(log_.find("record 3 cannot be read"), std::string::npos) << log_;
}

TEST_F(DamagedJournalTest, IsCurrentAlsoWhereTheLastRecordCannotBeRead) {
    happen(kNoon, {HubStarted{"1"}});
    happen(kNoon, {HubStarted{"22222"}});
    flip("22222");
    start();
    EXPECT_EQ(ask(durable())->folded, durable());
    keeper_.reset();
    happen(kNoon, delegated(1, "r-1"));
    start();
    rows();
    EXPECT_EQ(ids(), "{\"r\":\"r-1\"}\n");
    EXPECT_EQ(missing(), "{\"f\":2,\"l\":2}\n");
    EXPECT_EQ(keeper_->status().rebuilds, 0U);
    EXPECT_EQ(keeper_->status().missing_records(), 1U);
}

TEST_F(DamagedJournalTest, GoesOnBehindACheckpointThatCannotBeReadAnyMore) {
    happen(kNoon, {HubStarted{"1"}});
    happen(kNoon, {HubStarted{"22222"}});
    start();
    rows();
    keeper_.reset();
    flip("22222");
    happen(kNoon, delegated(1, "r-1"));
    start();
    rows();
    EXPECT_EQ(ids(), "{\"r\":\"r-1\"}\n");
    EXPECT_EQ(missing(), "");
    EXPECT_EQ(keeper_->status().rebuilds, 0U);
}

TEST_F(DamagedJournalTest, GoesOnBehindBytesThatTheDiskCannotRead) {
    for (std::uint64_t i = 1; i <= 100; ++i) happen(kNoon, delegated(i, std::to_string(i)));
    disk_.refuse_reads(kName, 8192, 12'288);
    start();
    ASSERT_TRUE(ask(durable()));
    const auto status = keeper_->status();
    EXPECT_EQ(status.problem, "");
    EXPECT_EQ(status.folded, durable());
    EXPECT_EQ(status.rebuilds, 0U);
    EXPECT_GT(status.missing_records(), 10U);
    EXPECT_LT(status.missing_records(), 100U);
}

TEST_F(DamagedJournalTest, RebuildsTheLedgerWhenMissingRecordsCanBeReadAgain) {
    happen(kNoon, delegated(1, "r-11111"));
    flip("r-11111");
    happen(kNoon, delegated(2, "r-2"));
    start();
    rows();
    EXPECT_EQ(ids(), "{\"r\":\"r-2\"}\n");
    keeper_.reset();
    start();
    rows();
    EXPECT_EQ(ids(), "{\"r\":\"r-2\"}\n");
    EXPECT_EQ(keeper_->status().rebuilds, 0U);
    keeper_.reset();
    flip("");
    start();
    rows();
    EXPECT_EQ(ids(), "{\"r\":\"r-11111\"}\n{\"r\":\"r-2\"}\n");
    EXPECT_EQ(missing(), "");
    EXPECT_EQ(keeper_->status().rebuilds, 1U);
    EXPECT_NE(log_.find("can be read again"), std::string::npos) << log_;
}

}  // namespace
}  // namespace parlance::views
