// The journal's delegations (X16) and messages as rows of a SQLite file that other programs may
// read while the hub runs. This file keeps delegations; trace_store.h keeps messages.
//
// The file is a copy that can be deleted and is rebuilt from the journal. Its checkpoint is
// committed together with the rows: after a crash the ledger continues where the rows end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "journal/journal.h"
#include "model/event.h"
#include "views/database.h"
#include "views/missing.h"
#include "views/trace_store.h"

namespace parlance::views {

/// Version of the tables. A file of another version is rebuilt.
inline constexpr std::int64_t kLedgerForm = 6;

/// Selects delegations, oldest first. Empty texts match everything.
struct DelegationQuery {
    std::string user{};
    std::string agent{};  ///< Requester or recipient.
    std::string since{};  ///< In the format of print_iso_time().
    Sequence after{};     ///< Only rows with a higher sequence.
    std::int64_t count_max = 100;
};

/// The last record folded into the file, and a checksum that identifies the record.
struct Checkpoint {
    Sequence sequence{};
    std::int64_t mark = 0;
    bool operator==(const Checkpoint&) const = default;
};
std::int64_t mark_of(const journal::Record& record);
/// Stands for the checksum of an unreadable record.
inline constexpr std::int64_t kUnreadMark = -1;

class Ledger {
  public:
    /// Also fails with Corrupt for a file of another version: remove the file and open again.
    static Result<Ledger> open(const std::string& path, Harmless harmless);
    /// Removes the file and the files that SQLite keeps beside it.
    static void remove(const std::string& path);

    const Checkpoint& checkpoint() const { return checkpoint_; }
    /// Folds the next record. Invisible to readers, and undone by a crash, until commit().
    Result<void> fold(const journal::Record& record);
    /// Notes that the given records, directly behind the last folded record, cannot be read.
    Result<void> skip(const journal::Damage& damage);
    /// Whether the next record completes the last one: no commit is allowed here.
    bool is_between() const { return is_between_; }
    /// Commits if rows changed, if a restart would have many records to read again, or if
    /// `is_last`.
    Result<void> commit(bool is_last = false);

    /// The rows as JSON, separated by commas.
    Result<std::string> delegations(const DelegationQuery& query);
    /// The messages of all conversations.
    TraceStore& traces() { return traces_; }
    /// The records that ledger and traces lack because the journal is damaged.
    const MissingRecords& missing() const { return missing_; }

  private:
    struct Statements {
        Statement admit, hold, release, refuse, end, found, checkpoint;
    };
    struct Handler;
    Ledger(Database database,
           Statements statements,
           TraceStore traces,
           MissingRecords missing,
           Harmless harmless);
    static Result<Ledger> open_as_it_is(const std::string& path, Harmless harmless);
    Result<void> begin();
    Result<void> accepted(const journal::Record& record);
    Result<void> founded(const journal::Record& record);
    Result<void> admitted(const journal::Record& record);
    Result<void> held(const journal::Record& record);
    Result<void> answered(const journal::Record& record);
    Result<void> failed(const journal::Record& record);
    Result<void> refused(const journal::Record& record);
    struct Ending;
    Result<void> end(Ticket request, const Ending& ending);

    Database database_;
    Statements statements_;
    TraceStore traces_;
    MissingRecords missing_;
    Harmless harmless_;
    Checkpoint checkpoint_;  ///< Of the last folded record.
    Sequence written_{};     ///< The checkpoint in the file.
    bool is_writing_ = false;
    bool is_between_ = false;
    /// Payload of the last MessageAccepted; empty if the next record may concern another message.
    std::string accepted_{};
    journal::Record accepted_record_{};    ///< The record of accepted_, with its position.
    std::map<std::int64_t, Time> open_{};  ///< Start times of open delegations, by ticket.
};

}  // namespace parlance::views
