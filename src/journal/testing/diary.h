// Writes a journal as a hub does, keeps account of acknowledged records, and compares a disk with
// that account afterwards.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "journal/journal.h"
#include "journal/testing/memory_disk.h"

namespace parlance::journal::testing {

inline constexpr Options kSmall{.segment_bytes = 8192, .is_read_only = false};

inline Time at_ms(std::int64_t ms) { return Time{Duration{ms}}; }

/// Different numbers give different texts, and no two sectors are alike.
inline std::string text_of(std::size_t number, std::size_t bytes) {
    std::string text = fmt::format("record {} ", number);
    while (text.size() < bytes) text += fmt::format("{:x}-", text.size() * 2654435761U + number);
    text.resize(std::max<std::size_t>(bytes, 12));
    return text;
}

inline Batch batch_of(const std::vector<std::string>& payloads) {
    Batch batch;
    for (const auto& payload : payloads) batch.add(payload);
    return batch;
}

inline std::vector<std::string> read_all(Journal& journal, Sequence after = {0}) {
    std::vector<std::string> payloads;
    auto expected = after.value + 1;
    const auto replayed = journal.replay(after, [&](const Record& record) -> Result<void> {
        EXPECT_EQ(record.sequence.value, expected++);
        payloads.emplace_back(record.payload);
        return {};
    });
    EXPECT_TRUE(replayed) << replayed.error().message;
    return payloads;
}

struct Diary {
    std::vector<std::string> acknowledged;
    std::vector<std::string> in_flight;  ///< The records of an append that was not acknowledged.
    std::size_t number = 0;

    /// Appends one batch; false when the journal accepts no more batches.
    bool append(Journal& journal, const std::vector<std::size_t>& sizes) {
        in_flight.clear();
        for (const auto bytes : sizes) in_flight.push_back(text_of(number++, bytes));
        const auto time = at_ms(static_cast<std::int64_t>(1000 + number));
        const auto batch = batch_of(in_flight);
        auto appended = journal.append(time, batch);
        if (!appended && appended.error().fault == Fault::Exhausted) {
            appended = journal.append(time, batch);
        }
        if (!appended) return false;
        acknowledged.insert(acknowledged.end(), in_flight.begin(), in_flight.end());
        in_flight.clear();
        return true;
    }

    /// The disk holds exactly the acknowledged records, plus at most the whole batch in flight.
    void expect_kept(const std::vector<std::string>& found) const {
        auto with_last = acknowledged;
        with_last.insert(with_last.end(), in_flight.begin(), in_flight.end());
        EXPECT_TRUE(found == acknowledged || found == with_last)
            << acknowledged.size() << " acknowledged, " << in_flight.size() << " in flight, "
            << found.size() << " found";
    }
};

}  // namespace parlance::journal::testing
