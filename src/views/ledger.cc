#include "views/ledger.h"

#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/crc32c.h"
#include "base/iso_time.h"
#include "base/uuid.h"
#include "journal/event_codec.h"
#include "journal/event_tables.h"
#include "model/refusal.h"

namespace parlance::views {

namespace {

/// A restart may read this many unchanged records again: cheaper than writing each checkpoint.
constexpr std::uint64_t kUnwrittenMax = 100'000;

std::string_view workflow_of(const Envelope& envelope) {
    return envelope.correlation().empty() ? envelope.id() : envelope.correlation();
}

// The specification names the first nine columns. UUIDs are stored as text: an id of another
// dialect may look like a number, and SQLite would convert it.
constexpr const char* kTables = R"(
CREATE TABLE delegation_audit_log (
  id UUID TEXT PRIMARY KEY,
  request_id UUID TEXT NOT NULL,
  origin_employee TEXT,
  target_employee TEXT,
  user_id TEXT,
  objective TEXT,
  success BOOLEAN,
  duration_ms INT,
  created_at TIMESTAMPTZ,
  depth INT,
  root_request_id TEXT,
  parent_request_id TEXT,
  tokens INT,
  refusal TEXT,
  reason TEXT,
  sequence INT NOT NULL,
  ticket INT
);
CREATE UNIQUE INDEX delegations_by_sequence ON delegation_audit_log (sequence);
CREATE INDEX delegations_by_ticket ON delegation_audit_log (ticket) WHERE ticket IS NOT NULL;
CREATE INDEX delegations_by_user ON delegation_audit_log (user_id, sequence);
-- Requests out of which something was delegated, and which are no delegations themselves.
CREATE TABLE delegation_roots (ticket INTEGER PRIMARY KEY, request_id TEXT NOT NULL);
CREATE TABLE checkpoint (
  only INTEGER PRIMARY KEY CHECK (only = 1), sequence INT NOT NULL, mark INT NOT NULL);
INSERT INTO checkpoint VALUES (1, 0, 0);
)";

constexpr std::string_view kAdmit = R"(
INSERT INTO delegation_audit_log (id, request_id, origin_employee, target_employee, user_id,
  objective, created_at, depth, sequence, ticket, root_request_id, parent_request_id)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
  CASE ?11 WHEN ?10 THEN ?2 ELSE coalesce(
    (SELECT request_id FROM delegation_audit_log WHERE ticket = ?11),
    (SELECT request_id FROM delegation_roots WHERE ticket = ?11)) END,
  coalesce((SELECT request_id FROM delegation_audit_log WHERE ticket = ?12),
           (SELECT request_id FROM delegation_roots WHERE ticket = ?12))))";

// A held request waits for approval; its depth and root are known once people approve.
constexpr std::string_view kHold = R"(
INSERT INTO delegation_audit_log (id, request_id, origin_employee, target_employee, user_id,
  objective, created_at, sequence, ticket)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9))";

constexpr std::string_view kRelease = R"(
UPDATE delegation_audit_log SET depth = ?2,
  root_request_id = CASE ?3 WHEN ?1 THEN request_id ELSE coalesce(
    (SELECT request_id FROM delegation_audit_log WHERE ticket = ?3),
    (SELECT request_id FROM delegation_roots WHERE ticket = ?3)) END,
  parent_request_id =
    coalesce((SELECT request_id FROM delegation_audit_log WHERE ticket = ?4),
             (SELECT request_id FROM delegation_roots WHERE ticket = ?4))
WHERE ticket = ?1)";

constexpr std::string_view kRefuse = R"(
INSERT INTO delegation_audit_log (id, request_id, origin_employee, target_employee, user_id,
  objective, created_at, success, duration_ms, refusal, reason, sequence)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, 0, ?8, ?9, ?10))";

constexpr std::string_view kEnd = R"(
UPDATE delegation_audit_log
SET success = ?2, duration_ms = ?3, tokens = ?4, refusal = ?5, reason = ?6 WHERE ticket = ?1)";

constexpr std::string_view kFound = "INSERT OR REPLACE INTO delegation_roots VALUES (?1, ?2)";
constexpr std::string_view kCheckpoint = "UPDATE checkpoint SET sequence = ?1, mark = ?2";

constexpr std::string_view kList = R"(
SELECT id, request_id, origin_employee, target_employee, user_id, objective, success, duration_ms,
  created_at, depth, root_request_id, parent_request_id, tokens, refusal, reason, sequence
FROM delegation_audit_log
WHERE sequence > ?1 AND (?2 = '' OR user_id = ?2)
  AND (?3 = '' OR origin_employee = ?3 OR target_employee = ?3) AND (?4 = '' OR created_at >= ?4)
ORDER BY sequence LIMIT ?5)";

std::int64_t signed_of(std::uint64_t number) { return static_cast<std::int64_t>(number); }

/// The id of a row: equal for the same record in every rebuild of the file.
std::string id_of(const journal::Record& record) {
    return derived_uuid("delegation " + std::to_string(record.sequence.value) + " " +
                        std::string{record.payload});
}

/// An unreadable event is no damage of the ledger file.
template <class OneEvent>
Result<OneEvent> read(const journal::Record& record) {
    auto event = journal::decode(record);
    if (!event) return fail(Fault::Unavailable, event.error().message);
    return std::get<OneEvent>(*std::move(event));
}

Result<void> prepare_file(Database& database) {
    TRY(database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"));
    const auto form = TRY(database.number("PRAGMA user_version"));
    if (form == 0 && TRY(database.number("SELECT count(*) FROM sqlite_schema")) == 0) {
        TRY(database.run("BEGIN IMMEDIATE"));
        TRY(database.run(kTables));
        TRY(database.run(TraceStore::kTables));
        TRY(database.run(MissingRecords::kTables));
        TRY(database.run(("PRAGMA user_version = " + std::to_string(kLedgerForm)).c_str()));
        return database.run("COMMIT");
    }
    if (form != kLedgerForm) {
        return fail(Fault::Corrupt,
                    "it has form " + std::to_string(form) + ", and this program writes form " +
                        std::to_string(kLedgerForm));
    }
    auto check = TRY(database.prepare("PRAGMA quick_check(1)"));
    const bool is_told = TRY(check.step());
    if (is_told && check.text(0) == "ok") return {};
    return fail(Fault::Corrupt, is_told ? check.text(0) : "it cannot be checked");
}

Result<std::map<std::int64_t, Time>> read_open(Database& database) {
    std::map<std::int64_t, Time> open;
    auto rows = TRY(database.prepare(
        "SELECT ticket, created_at FROM delegation_audit_log WHERE success IS NULL"));
    while (TRY(rows.step())) open.emplace(rows.number(0), TRY(parse_iso_time(rows.text(1))));
    return open;
}

}  // namespace

std::int64_t mark_of(const journal::Record& record) {
    return crc32c(record.payload, static_cast<std::uint32_t>(record.at.time_since_epoch().count()));
}

/// The outcome of a delegation.
struct Ledger::Ending {
    Time at{};
    bool is_success = false;
    std::uint64_t tokens = 0;
    Refusal refusal = Refusal::None;
    std::string_view detail{};
};

/// The events that change a row; all others are skipped unread.
struct Ledger::Handler {
    std::uint64_t number;
    Result<void> (Ledger::*take)(const journal::Record& record);
};

Ledger::Ledger(Database database,
               Statements statements,
               TraceStore traces,
               MissingRecords missing,
               Harmless harmless)
    : database_(std::move(database)),
      statements_(std::move(statements)),
      traces_(std::move(traces)),
      missing_(std::move(missing)),
      harmless_(std::move(harmless)) {}

Result<Ledger> Ledger::open(const std::string& path, Harmless harmless) {
    auto ledger = open_as_it_is(path, std::move(harmless));
    // A table or a column is missing, or a time is malformed.
    if (!ledger && ledger.error().fault == Fault::Malformed) ledger.error().fault = Fault::Corrupt;
    return ledger;
}

Result<Ledger> Ledger::open_as_it_is(const std::string& path, Harmless harmless) {
    auto database = TRY(Database::open(path, Database::Mode::Write));
    TRY(prepare_file(database));
    // Separate statements: an early return within an initialiser would leak the members made
    // before.
    auto admit = TRY(database.prepare(kAdmit));
    auto hold = TRY(database.prepare(kHold));
    auto release = TRY(database.prepare(kRelease));
    auto refuse = TRY(database.prepare(kRefuse));
    auto end = TRY(database.prepare(kEnd));
    auto found = TRY(database.prepare(kFound));
    auto checkpoint_of = TRY(database.prepare(kCheckpoint));
    Statements statements{.admit = std::move(admit),
                          .hold = std::move(hold),
                          .release = std::move(release),
                          .refuse = std::move(refuse),
                          .end = std::move(end),
                          .found = std::move(found),
                          .checkpoint = std::move(checkpoint_of)};
    auto traces = TRY(TraceStore::open(database, harmless));
    auto missing = TRY(MissingRecords::open(database));
    auto open = TRY(read_open(database));
    auto at = TRY(database.prepare("SELECT sequence, mark FROM checkpoint"));
    if (!TRY(at.step())) return fail(Fault::Corrupt, "it does not say how far it goes");
    const Checkpoint checkpoint{{static_cast<std::uint64_t>(at.number(0))}, at.number(1)};
    at.reset();
    Ledger ledger{std::move(database),
                  std::move(statements),
                  std::move(traces),
                  std::move(missing),
                  std::move(harmless)};
    ledger.checkpoint_ = checkpoint;
    ledger.written_ = checkpoint.sequence;
    ledger.open_ = std::move(open);
    return ledger;
}

void Ledger::remove(const std::string& path) {
    // The database goes first: the files beside it are useless without it, but not the reverse.
    for (const auto* suffix : {"", "-wal", "-shm"}) {
        std::error_code ignored;
        std::filesystem::remove(path + suffix, ignored);
    }
}

Result<void> Ledger::fold(const journal::Record& record) {
    static constexpr std::array<Handler, 7> kHandlers{{
        {journal::kKind<MessageAccepted>.number, &Ledger::accepted},
        {journal::kKind<MessageRefused>.number, &Ledger::refused},
        {journal::kKind<RequestAnswered>.number, &Ledger::answered},
        {journal::kKind<RequestFailed>.number, &Ledger::failed},
        {journal::kKind<DelegationFounded>.number, &Ledger::founded},
        {journal::kKind<DelegationAdmitted>.number, &Ledger::admitted},
        {journal::kKind<RequestHeld>.number, &Ledger::held},
    }};
    is_between_ = false;
    const auto number = journal::number_of(record.payload);
    for (const auto& handler : kHandlers) {
        if (handler.number == number) TRY((this->*handler.take)(record));
    }
    TRY(traces_.fold(record));
    checkpoint_ = {record.sequence, mark_of(record)};
    return {};
}

Result<void> Ledger::skip(const journal::Damage& damage) {
    TRY(begin());
    TRY(missing_.add(damage));
    // The next record may concern a message among the lost records.
    accepted_.clear();
    is_between_ = false;
    checkpoint_ = {damage.last, kUnreadMark};
    return {};
}

Result<void> Ledger::begin() {
    if (is_writing_) return {};
    TRY(database_.run("BEGIN IMMEDIATE"));
    is_writing_ = true;
    return {};
}

Result<void> Ledger::commit(bool is_last) {
    const auto unwritten = checkpoint_.sequence.value - written_.value;
    const bool is_worth_it =
        is_writing_ || traces_.has_news() || unwritten >= kUnwrittenMax || is_last;
    if (!is_worth_it || unwritten == 0) return {};
    TRY(begin());
    TRY(traces_.write());
    TRY(execute(statements_.checkpoint, signed_of(checkpoint_.sequence.value), checkpoint_.mark));
    TRY(database_.run("COMMIT"));
    is_writing_ = false;
    written_ = checkpoint_.sequence;
    return {};
}

/// Keeps the message undecoded: few messages are delegations, and the next record tells which.
Result<void> Ledger::accepted(const journal::Record& record) {
    accepted_ = record.payload;
    accepted_record_ = record;
    is_between_ = true;
    return {};
}

Result<void> Ledger::founded(const journal::Record& record) {
    const auto root = TRY(read<DelegationFounded>(record));
    TRY(begin());
    return execute(statements_.found, signed_of(root.request.value), root.id);
}

Result<void> Ledger::admitted(const journal::Record& record) {
    const auto admission = TRY(read<DelegationAdmitted>(record));
    const auto ticket = signed_of(admission.request.value);
    TRY(begin());
    if (open_.contains(ticket)) {  // The request was held, so its row exists.
        return execute(statements_.release,
                       ticket,
                       std::int64_t{admission.depth},
                       signed_of(admission.root.value),
                       signed_of(admission.parent.value));
    }
    if (accepted_.empty()) return {};
    accepted_record_.payload = accepted_;
    const auto message = TRY(read<MessageAccepted>(accepted_record_));
    TRY(execute(statements_.admit,
                id_of(record),
                message.envelope->id(),
                message.envelope->from(),
                message.envelope->to(),
                admission.user,
                harmless_(admission.objective, workflow_of(*message.envelope)),
                print_iso_time(record.at),
                std::int64_t{admission.depth},
                signed_of(record.sequence.value),
                ticket,
                signed_of(admission.root.value),
                signed_of(admission.parent.value)));
    open_.insert_or_assign(ticket, record.at);
    return {};
}

Result<void> Ledger::held(const journal::Record& record) {
    const auto waiting = TRY(read<RequestHeld>(record));
    if (accepted_.empty()) return {};
    accepted_record_.payload = accepted_;
    const auto message = TRY(read<MessageAccepted>(accepted_record_));
    TRY(begin());
    const auto ticket = signed_of(waiting.request.value);
    TRY(execute(statements_.hold,
                id_of(record),
                message.envelope->id(),
                message.envelope->from(),
                message.envelope->to(),
                waiting.user,
                harmless_(waiting.objective, workflow_of(*message.envelope)),
                print_iso_time(record.at),
                signed_of(record.sequence.value),
                ticket));
    open_.insert_or_assign(ticket, record.at);
    return {};
}

Result<void> Ledger::refused(const journal::Record& record) {
    const auto refusal = TRY(read<MessageRefused>(record));
    if (refusal.to.empty() && refusal.objective.empty()) return {};  // Not a delegation.
    TRY(begin());
    return execute(statements_.refuse,
                   id_of(record),
                   refusal.id,
                   refusal.from,
                   refusal.to,
                   refusal.user,
                   harmless_(refusal.objective, refusal.id),
                   print_iso_time(record.at),
                   refusal_row(refusal.refusal).code,
                   harmless_(refusal.detail, refusal.id),
                   signed_of(record.sequence.value));
}

Result<void> Ledger::answered(const journal::Record& record) {
    if (open_.empty()) return {};
    const auto answer = TRY(read<RequestAnswered>(record));
    return end(answer.request,
               {.at = record.at, .is_success = !answer.falls_short, .tokens = answer.tokens_used});
}

Result<void> Ledger::failed(const journal::Record& record) {
    if (open_.empty()) return {};
    const auto failure = TRY(read<RequestFailed>(record));
    return end(failure.request,
               {.at = record.at, .refusal = failure.refusal, .detail = failure.detail});
}

Result<void> Ledger::end(Ticket request, const Ending& ending) {
    const auto found = open_.find(signed_of(request.value));
    if (found == open_.end()) return {};
    TRY(begin());
    const bool has_reason = ending.refusal != Refusal::None;
    const auto span = has_reason ? TRY(traces_.find(request)) : std::nullopt;
    const auto reason = harmless_(ending.detail, span ? span->correlation : std::string{});
    TRY(execute(statements_.end,
                found->first,
                std::int64_t{ending.is_success ? 1 : 0},
                std::int64_t{(ending.at - found->second).count()},
                signed_of(ending.tokens),
                has_reason ? std::optional{refusal_row(ending.refusal).code} : std::nullopt,
                has_reason ? std::optional<std::string_view>{reason} : std::nullopt));
    open_.erase(found);
    return {};
}

Result<std::string> Ledger::delegations(const DelegationQuery& query) {
    auto rows = TRY(database_.prepare(kList));
    bind_all(
        rows, signed_of(query.after.value), query.user, query.agent, query.since, query.count_max);
    std::string list;
    while (TRY(rows.step())) {
        if (!list.empty()) list.push_back(',');
        list += rows.row_as_json();
    }
    return list;
}

}  // namespace parlance::views
