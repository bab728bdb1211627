// The journal's records that the views lack because they could not be read: rows beside the views'
// own rows, so that readers of the views see that records are missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "journal/journal.h"
#include "views/database.h"

namespace parlance::views {

class MissingRecords {
  public:
    static constexpr const char* kTables = R"(
CREATE TABLE missing_records (
  first INTEGER PRIMARY KEY,
  last INT NOT NULL,
  segment TEXT NOT NULL,
  place INT NOT NULL,
  problem TEXT NOT NULL
);
)";

    static Result<MissingRecords> open(Database& database);

    /// Writes a row into the file, within the caller's transaction.
    Result<void> add(const journal::Damage& damage);
    /// In the order of the journal.
    const std::vector<journal::Damage>& all() const { return all_; }
    /// The ranges that overlap records `first` to `last`, as a JSON list of {"first","last"}; empty
    /// text if none.
    std::string list(Sequence first, Sequence last) const;

  private:
    explicit MissingRecords(Statement add) : add_(std::move(add)) {}

    Statement add_;
    std::vector<journal::Damage> all_{};
};

}  // namespace parlance::views
