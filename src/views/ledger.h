// What the journal says of delegations (X16) and of messages, as rows of a SQLite file that anybody
// may read while the hub runs. Who delegated what to whom is kept here, messages by trace_book.h.
//
// The file is a copy: it can be thrown away and is written anew from the journal. How far it goes
// stands in it, and is committed together with the rows: after a crash it goes on where they end.
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
#include "views/trace_book.h"

namespace parlance::views {

/// The form of the tables. A file of another form is written anew.
inline constexpr std::int64_t kLedgerForm = 6;

/// Which delegations, oldest first. Empty texts ask for nothing.
struct DelegationQuery {
    std::string user{};
    std::string agent{};  ///< Who asked or was asked.
    std::string since{};  ///< As print_iso_time() writes it.
    Sequence after{};     ///< Only those whose row has a higher sequence.
    std::int64_t count_max = 100;
};

/// The last record that the file knows of, and a checksum by which it is found to be the same one.
struct Checkpoint {
    Sequence sequence{};
    std::int64_t mark = 0;
    bool operator==(const Checkpoint&) const = default;
};
std::int64_t mark_of(const journal::Record& record);
/// Instead of a checksum: the record could not be read.
inline constexpr std::int64_t kUnreadMark = -1;

class Ledger {
  public:
    /// Corrupt also for a file of another form: remove it, and open again.
    static Result<Ledger> open(const std::string& path, Harmless harmless);
    /// The file with all that SQLite keeps beside it.
    static void remove(const std::string& path);

    const Checkpoint& checkpoint() const { return checkpoint_; }
    /// Takes the next record in. Nobody sees it, and a crash undoes it, until commit().
    Result<void> fold(const journal::Record& record);
    /// Notes that the given records, directly behind the last folded record, cannot be read.
    Result<void> skip(const journal::Damage& damage);
    /// Whether what the last record began is told by the next: no place for a commit.
    bool is_between() const { return is_between_; }
    /// Only where rows changed, or a restart would have much to read again; `is_last` at the end.
    Result<void> commit(bool is_last = false);

    /// The rows as JSON, with commas between them.
    Result<std::string> delegations(const DelegationQuery& query);
    /// The messages of every conversation.
    TraceBook& traces() { return traces_; }
    /// What none of the above has, because the journal is damaged there.
    const MissingRecords& missing() const { return missing_; }

  private:
    struct Statements {
        Statement admit, hold, release, refuse, end, found, checkpoint;
    };
    struct Handler;
    Ledger(Database database,
           Statements statements,
           TraceBook traces,
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
    TraceBook traces_;
    MissingRecords missing_;
    Harmless harmless_;
    Checkpoint checkpoint_;  ///< Of the last record that was folded.
    Sequence written_{};     ///< The checkpoint in the file.
    bool is_writing_ = false;
    bool is_between_ = false;
    /// The last MessageAccepted, as it stands in the journal; empty if it may be another's.
    std::string accepted_{};
    journal::Record accepted_record_{};    ///< The same, with where it stands.
    std::map<std::int64_t, Time> open_{};  ///< By ticket: when what has not ended began.
};

}  // namespace parlance::views
