// A journal in which agents delegate, and a path for its ledger.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "journal/event_codec.h"
#include "journal/testing/memory_disk.h"
#include "model/event.h"
#include "views/database.h"

namespace parlance::views::testing {

inline constexpr Time kNoon{std::chrono::hours{12}};  // On 1970-01-01.

/// The adjacent events of a delegation under this ticket, as the core writes them.
inline std::vector<Event> delegated(std::uint64_t ticket,
                                    const std::string& id,
                                    DelegationAdmitted admission = {}) {
    admission.request = {ticket};
    if (admission.root == Ticket{}) admission.root = {ticket};
    if (admission.depth == 0) admission.depth = 1;
    return {MessageAccepted{.ticket = {ticket},
                            .envelope = Envelope::make({.id = id,
                                                        .from = "prime",
                                                        .to = "byte",
                                                        .dialect = Dialect::Delegation,
                                                        .intent = Intent::Request},
                                                       "{}")},
            admission};
}

inline Event answered(std::uint64_t ticket, std::uint64_t tokens = 0, bool falls_short = false) {
    return RequestAnswered{.request = {ticket},
                           .envelope = Envelope::make({.intent = Intent::Reply}, "{}"),
                           .tokens_used = tokens,
                           .falls_short = falls_short};
}

class DelegationsTest : public ::testing::Test {
  protected:
    DelegationsTest()
        : directory_(std::filesystem::temp_directory_path() /
                     ("parlance-views-" + std::to_string(::getpid()))) {
        std::filesystem::remove_all(directory_);
        std::filesystem::create_directory(directory_);
    }
    ~DelegationsTest() override { std::filesystem::remove_all(directory_); }

    std::string path(const std::string& name = "views.db") const { return directory_ / name; }

    /// Appends a turn of the hub.
    void happen(Time at, const std::vector<Event>& events) {
        journal::Batch batch;
        for (const auto& event : events) {
            journal::encode(event, batch.open());
            batch.close();
        }
        ASSERT_TRUE(journal_->append(at, batch));
    }
    Sequence durable() const { return journal_->last_sequence(); }

    /// Prints each row as a line of JSON, reading the file as any reader would.
    static std::string select(const std::string& file, const std::string& sql) {
        auto database = Database::open(file, Database::Mode::ReadOnly);
        if (!database) return database.error().message;
        auto statement = database->prepare(sql);
        if (!statement) return statement.error().message;
        std::string rows;
        while (statement->step().value()) rows += statement->row_as_json() + "\n";
        return rows;
    }

    std::filesystem::path directory_;
    journal::testing::MemoryDisk disk_;
    std::unique_ptr<journal::Journal> journal_ =
        journal::Journal::open(disk_, {.segment_bytes = 65'536}).value();
};

}  // namespace parlance::views::testing
