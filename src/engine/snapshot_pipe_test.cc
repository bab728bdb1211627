// Pieces of a snapshot on their way to a slow, late or full disk.
#include "engine/snapshot_pipe.h"

#include <condition_variable>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "journal/testing/memory_disk.h"

namespace parlance::engine {
namespace {

using journal::testing::DiskFailure;
using journal::testing::MemoryDisk;

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::size_t kHeldMax = SnapshotPipe::kBytesMax + kPieceBytes;

struct Bench {
    MemoryDisk disk;
    std::unique_ptr<journal::Journal> journal =
        journal::Journal::open(disk, {.segment_bytes = 1 << 20}).value();
    std::vector<std::function<void()>> jobs;  ///< Queued by later().
    std::vector<Result<void>> done;

    std::shared_ptr<SnapshotPipe> pipe(SnapshotPipe::Background background) {
        journal::Batch batch;
        batch.add("record");
        EXPECT_TRUE(journal->append(Time{}, batch));
        return std::make_shared<SnapshotPipe>(
            std::move(background),
            journal->start_snapshot(journal->last_sequence(), Time{}).value(),
            [this](const Result<void>& written) { done.push_back(written); });
    }
    SnapshotPipe::Background later() {
        return [this](std::function<void()> job) { jobs.push_back(std::move(job)); };
    }
    void run_jobs() {
        for (std::size_t i = 0; i < jobs.size(); ++i) std::vector{jobs}[i]();
        jobs.clear();
    }
    /// Puts `count` pieces with changing letters. Returns how many pieces the pipe accepted.
    static int put(SnapshotPipe& pipe, int count) {
        for (int i = 0; i < count; ++i) {
            if (!pipe.put(std::string(kPieceBytes, static_cast<char>('a' + i % 26)))) return i;
        }
        return count;
    }
    void expect_written(int count) {
        ASSERT_EQ(done.size(), 1U);
        ASSERT_TRUE(done.front()) << done.front().error().message;
        auto reader = journal->open_newest_snapshot();
        ASSERT_TRUE(reader && reader->has_value());
        std::string piece;
        for (int i = 0; i < count; ++i) {
            ASSERT_TRUE((*reader)->next(piece).value());
            EXPECT_EQ(piece, std::string(kPieceBytes, static_cast<char>('a' + i % 26)));
        }
        EXPECT_FALSE((*reader)->next(piece).value());
    }
    std::size_t files_of_snapshots() const {
        std::size_t count = 0;
        for (const auto& [name, bytes] : disk.contents()) {
            count += name.find(".snapshot") == std::string::npos ? 0U : 1U;
        }
        return count;
    }
};

TEST(SnapshotPipe, HoldsNoMoreThanItsBoundHoweverLargeTheStateIs) {
    Bench bench;
    const auto pipe = bench.pipe(bench.later());
    EXPECT_EQ(Bench::put(*pipe, 60), 60) << "the background has not come, and nobody waits for it";
    EXPECT_LE(pipe->bytes_held_max(), kHeldMax);
    pipe->finish();
    EXPECT_TRUE(bench.done.empty());
    bench.run_jobs();
    bench.expect_written(60);
}

TEST(SnapshotPipe, WritesAtOnceWhereTheBackgroundIsTheCallersThread) {
    Bench bench;
    const auto pipe = bench.pipe([](const std::function<void()>& job) { job(); });
    Bench::put(*pipe, 30);
    EXPECT_LE(pipe->bytes_held_max(), kPieceBytes);
    pipe->finish();
    bench.expect_written(30);
}

TEST(SnapshotPipe, KeepsTheOrderAndTheBoundBesideAThread) {
    Bench bench;
    std::vector<std::jthread> threads;
    const auto pipe =
        bench.pipe([&](std::function<void()> job) { threads.emplace_back(std::move(job)); });
    Bench::put(*pipe, 60);
    pipe->finish();
    threads.clear();
    EXPECT_LE(pipe->bytes_held_max(), kHeldMax);
    bench.expect_written(60);
}

TEST(SnapshotPipe, TakesNoMoreAfterAFailureAndLeavesNothingBehind) {
    for (const auto disk_failure :
         {DiskFailure::Full, DiskFailure::Error, DiskFailure::ShortFull}) {
        Bench bench;
        const auto pipe = bench.pipe(bench.later());
        bench.disk.plan(16,
                        disk_failure);  // Operation 16 falls within the frames of the first pieces.
        EXPECT_LT(Bench::put(*pipe, 60), 30);
        EXPECT_LE(pipe->bytes_held_max(), kHeldMax);
        pipe->finish();
        bench.run_jobs();
        ASSERT_EQ(bench.done.size(), 1U);
        EXPECT_FALSE(bench.done.front());
        EXPECT_EQ(bench.files_of_snapshots(), 0U);
    }
}

}  // namespace
}  // namespace parlance::engine
