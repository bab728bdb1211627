// All messages by conversation, as rows of the ledger's file; in memory, the conversations with
// open messages.
//
// Ended conversations are only in the file. Open conversations are in both, to be found at once: as
// many as fit, newest first. A row is written once per batch of records, not once per step.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "journal/journal.h"
#include "model/event.h"
#include "views/conversation.h"
#include "views/database.h"
#include "views/span.h"

namespace parlance::views {

/// Reduces a text to the part that readers of the views may see; equal texts give equal results
/// within a workflow.
using Harmless = std::function<std::string(std::string_view text, std::string_view workflow)>;

inline constexpr const char* kEverybody = R"(["*"])";

/// Selects messages of one conversation, in order.
struct SpanQuery {
    std::string correlation{};
    std::string agent{};  ///< Only messages sent or received by this agent; empty: all.
    /// Of the agent's requests for users, only those for these users: a JSON list; "*" means
    /// everybody.
    std::string users = kEverybody;
    std::optional<Sequence> at{};
    Ticket after{};
    std::int64_t count_max = 1000;
};

class TraceStore {
  public:
    /// Bound on messages, and on conversations, kept in memory after their batch; up to twice as
    /// many between evictions. Others are read from the file when an event concerns them.
    static constexpr std::size_t kHeldMax = 16'384;

    static constexpr const char* kTables = R"(
CREATE TABLE messages (
  ticket INTEGER PRIMARY KEY,
  sequence INT NOT NULL,
  correlation TEXT NOT NULL,
  root TEXT,
  parent INT,
  message_id TEXT NOT NULL,
  sender TEXT NOT NULL,
  recipient TEXT NOT NULL,
  type TEXT NOT NULL,
  dialect TEXT NOT NULL,
  kind TEXT NOT NULL,
  accepted_ms INT NOT NULL,
  leased_ms INT,
  ended_ms INT,
  outcome TEXT NOT NULL,
  attempts INT NOT NULL,
  queue_ms INT NOT NULL,
  run_ms INT NOT NULL,
  human_ms INT,
  steps TEXT NOT NULL,
  user TEXT
);
CREATE INDEX messages_by_correlation ON messages (correlation);
CREATE INDEX messages_by_root ON messages (root) WHERE root IS NOT NULL;
CREATE INDEX messages_open ON messages (ticket) WHERE ended_ms IS NULL;
CREATE TABLE subscriptions (topic TEXT, agent TEXT, PRIMARY KEY (topic, agent)) WITHOUT ROWID;
-- Here and there, where in the journal a batch begins: from there it is not far to any record.
CREATE TABLE landmarks (first INTEGER PRIMARY KEY, segment INT NOT NULL, place INT NOT NULL);
)";

    static Result<TraceStore> open(Database& database, Harmless harmless);

    Result<void> fold(const journal::Record& record);
    /// Whether write() has work.
    bool has_news() const { return !dirty_.empty() || !changes_.empty(); }
    /// Writes the changes to the file, within the caller's transaction.
    Result<void> write();
    void note(const journal::Place& landmark);

    // The following read what was written.
    Result<std::optional<Conversation>> conversation(const SpanQuery& query);
    Result<std::vector<Span>> spans(const SpanQuery& query);
    Result<std::optional<Span>> find(Ticket ticket);
    /// The conversation's open requests, oldest first, as of record `at` if given.
    Result<std::vector<Span>> open_requests(const Conversation& conversation,
                                            std::optional<Sequence> at,
                                            std::size_t count_max);
    /// Ended spans back to `since`, newest first.
    Result<std::vector<Span>> ended_since(Time since, std::int64_t count_max);
    Result<std::optional<journal::Place>> landmark_before(Sequence sequence);

    void hold_at_most(std::size_t count) { held_max_ = count; }
    /// Conversations and messages in memory.
    std::size_t active_count() const { return active_.size(); }
    std::size_t open_count() const { return spans_.size(); }

  private:
    struct Statements {
        Statement put, find, list, older, ended, subscribe, unsubscribe, mark, marked;
    };
    struct Held {
        Span span;
        bool is_dirty = false;
    };
    struct Active {
        Conversation sum;
        bool is_whole = false;  ///< Whether the file is known to hold no older messages.
    };
    struct Change {
        std::string topic;
        std::string agent;
        bool subscribes;
    };
    struct Taker;

    TraceStore(Statements statements, Harmless harmless)
        : statements_(std::move(statements)), harmless_(std::move(harmless)) {}
    Result<void> read_subscriptions(Database& database);
    Result<void> read_open(Database& database);
    static Result<std::vector<Span>> read_rows(Statement& rows);
    Result<bool> has_older(const std::string& correlation, Sequence first);
    Result<Conversation> read_whole(const SpanQuery& query);
    Result<void> put(const Span& span);

    void accepted(const MessageAccepted& event, const journal::Record& record);
    Result<void> admitted(const DelegationAdmitted& event);
    void started(const WorkflowStarted& event, const journal::Record& record);
    Result<void> asked(const HumanAsked& event, const journal::Record& record);
    Result<void> asked(const StepAsked& event);
    Result<void> answered(const RequestAnswered& event, const journal::Record& record);
    Result<void> failed(const RequestFailed& event, const journal::Record& record);
    void change(Change change);
    void removed(const AgentRemoved& event);

    void begin_span(Span span);
    void answer(Span answer, bool is_told, Standing end, const journal::Record& record);
    void join(const std::string& correlation, const Span& span);
    Result<void> step(Ticket ticket, Standing to, const journal::Record& record);
    void go(Held& held, Standing to, const journal::Record& record);
    /// The open span, from the file if needed; null if none.
    Result<Held*> hold(Ticket ticket);
    void make_room();
    /// Ends a message's copy. A request ends with its answer or failure instead, whatever happens
    /// to its copy.
    Result<void> end(Ticket ticket, Standing to, const journal::Record& record);
    /// A dead letter is delivered again or discarded.
    Result<void> step_again(Ticket ticket, Standing to, const journal::Record& record);
    void tell(const Span& span, Standing before, const Step& step);
    void touch(Held& held);

    Statements statements_;
    Harmless harmless_;
    std::size_t held_max_ = kHeldMax;
    std::uint64_t away_ = 0;                          ///< Open spans that are only in the file.
    std::unordered_map<std::uint64_t, Held> spans_;   ///< By ticket: open, or not written yet.
    std::vector<std::uint64_t> dirty_;                ///< Tickets of spans to be written.
    std::unordered_map<std::string, Active> active_;  ///< By correlation.
    std::map<std::string, std::set<std::string>> subscribers_;  ///< By topic.
    std::vector<Change> changes_;               ///< Changes of subscribers to be written.
    std::optional<journal::Place> landmark_{};  ///< Landmark to be written.
    Sequence landmark_last_{};
};

}  // namespace parlance::views
