// Writes a journal the way a hub does, keeps account of what was acknowledged, and holds a disk to
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

/// Never twice the same for two numbers, and no two sectors alike.
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
    std::vector<std::string> in_flight;  ///< Of the append that got no answer.
    std::size_t number = 0;

    /// Appends one batch; false when the journal will take no more.
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

    /// What the disk holds is what was acknowledged, and at most the whole of the batch in flight.
    void expect_kept(const std::vector<std::string>& found) const {
        auto with_last = acknowledged;
        with_last.insert(with_last.end(), in_flight.begin(), in_flight.end());
        EXPECT_TRUE(found == acknowledged || found == with_last)
            << acknowledged.size() << " acknowledged, " << in_flight.size() << " in flight, "
            << found.size() << " found";
    }
};

}  // namespace parlance::journal::testing
