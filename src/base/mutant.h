// Planted bugs, so that the checkers of the simulator can be checked. Each breaks one promise, and
// is found when that one is seen broken; the few that truly break another as well say so. They
// exist only in builds with PARLANCE_MUTANTS; elsewhere the switch is a constant.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace parlance {

enum class Mutant : std::uint8_t {
    None,
    LoseReturnedMessage,
    RedeliverAtMostOnce,
    HandOverBeforeSync,
    IgnoreTaskOrder,
    RetryJumpsTheLane,
    ForgetMessageIds,
    AcceptConflictingId,
    AcceptStaleAck,
    AcceptStaleNack,
    AcceptStaleExtension,
    AcceptStaleReply,
    RetryForever,
    RetryAtOnce,
    CountRestarts,
    DropDeadLetter,
    DeliverExpired,
    ExpireWithoutRecord,
    ServeOldestFirst,
    StarveLow,
    FavourInARow,
    DeliverToNeighbour,
    ChangeBody,
    NeverTimeOut,
    AnswerTwice,
    ShowLateReply,
    AnswerAcrossWorkflows,
    ApplyDependsOnHistory,
    IgnoreMailboxLimit,
    RefuseOffTheRecord,
    RefuseTheClaimedSender,
    AcknowledgeBeforeSync,
    SkipSync,
    SkipDirectorySync,
    BreakTheChain,
    BelieveTheParent,
    LeaveTheTree,
    ForgetWhatCameBack,
    WidenTheDepth,
    IgnoreDepth,
    IgnoreFanout,
    IgnoreCycles,
    MixUsers,
    TakeAnyonesSession,
    AddTools,
    Overspend,
    AskForFree,
    OutliveTheParent,
    NeverOpen,
    HandOverWhileOpen,
    LeaveAllAlone,
    GrantAnyTool,
    GiveItselfTools,
    AnswerThePersonTwice,
    AnswerTheWithdrawn,
    ApproveSomethingElse,
    ForgetWhoIsAsked,
    WriteAnyContext,
    WriteAnyDomain,
    WriteWhileLocked,
    RewriteHistory,
    HandOverTwice,
    AcceptStaleState,
    ForgetTheRun,
    AskAgainWhatWasAnswered,
    ResumeWithSomethingElse,
    RunBeforeWhatItNeeds,
    UndoInOrder,
    UndoNothing,
    PassOnTheBroken,
    FailWithoutWords,
    HideWhatIsMissing,
    ForwardTheLastField,
    RevealToAll,
    TellTheRecordWhole,
    KeepTheRowsAsTheyCame,
    ForgetTheBound,
    AdmitAnotherBudget,
    ApproveTwoBudgets,
    LetOneDecideForTwo,
    BeginBeforeLeave,
    ForgetTheUntold,
    TellPeopleAgain,
    TakeOldNewsForNew,
};

struct MutantRow {
    Mutant mutant;
    std::string_view name;
    std::string_view promise;       ///< The invariant that it breaks, or the row.
    std::string_view also_breaks{};  ///< Another that is broken as truly; none: that one alone.
};

/// Whether it is found by this promise.
constexpr bool breaks(const MutantRow& row, std::string_view promise) {
    return promise == row.promise || (!promise.empty() && promise == row.also_breaks);
}

inline constexpr std::array kMutants{
    MutantRow{Mutant::LoseReturnedMessage, "lose-returned-message", "D1"},
    MutantRow{Mutant::DropDeadLetter, "drop-dead-letter", "D1"},
    MutantRow{Mutant::RedeliverAtMostOnce, "redeliver-at-most-once", "D2"},
    MutantRow{Mutant::HandOverBeforeSync, "hand-over-before-sync", "D2"},
    MutantRow{Mutant::IgnoreTaskOrder, "ignore-task-order", "D3"},
    MutantRow{Mutant::RetryJumpsTheLane, "retry-jumps-the-lane", "D3"},
    MutantRow{Mutant::ForgetMessageIds, "forget-message-ids", "D4"},
    MutantRow{Mutant::AcceptConflictingId, "accept-conflicting-id", "D4"},
    MutantRow{Mutant::AcceptStaleAck, "accept-stale-ack", "D5"},
    MutantRow{Mutant::AcceptStaleNack, "accept-stale-nack", "D5"},
    MutantRow{Mutant::AcceptStaleExtension, "accept-stale-extension", "D5"},
    MutantRow{Mutant::AcceptStaleReply, "accept-stale-reply", "D5"},
    MutantRow{Mutant::RetryForever, "retry-forever", "D6"},
    MutantRow{Mutant::RetryAtOnce, "retry-at-once", "D6"},
    MutantRow{Mutant::CountRestarts, "count-restarts", "D6"},
    MutantRow{Mutant::DeliverExpired, "deliver-expired", "D7"},
    MutantRow{Mutant::ExpireWithoutRecord, "expire-without-record", "D7"},
    MutantRow{Mutant::ServeOldestFirst, "serve-oldest-first", "D8"},
    MutantRow{Mutant::StarveLow, "starve-low", "D8"},
    MutantRow{Mutant::FavourInARow, "favour-in-a-row", "D8"},
    MutantRow{Mutant::DeliverToNeighbour, "deliver-to-neighbour", "D9"},
    MutantRow{Mutant::ChangeBody, "change-body", "D9"},
    MutantRow{Mutant::NeverTimeOut, "never-time-out", "W1"},
    MutantRow{Mutant::AnswerTwice, "answer-twice", "W1"},
    MutantRow{Mutant::ShowLateReply, "show-late-reply", "W2"},
    MutantRow{Mutant::AnswerAcrossWorkflows, "answer-across-workflows", "W3"},
    MutantRow{Mutant::AnswerThePersonTwice, "answer-the-person-twice", "W9"},
    MutantRow{Mutant::AnswerTheWithdrawn, "answer-the-withdrawn", "W9"},
    MutantRow{Mutant::ApproveSomethingElse, "approve-something-else", "W9"},
    MutantRow{Mutant::ForgetWhoIsAsked, "forget-who-is-asked", "W9"},
    MutantRow{Mutant::AdmitAnotherBudget, "admit-another-budget", "W9"},
    MutantRow{Mutant::ApproveTwoBudgets, "approve-two-budgets", "W9"},
    MutantRow{Mutant::LetOneDecideForTwo, "let-one-decide-for-two", "W9"},
    MutantRow{Mutant::BeginBeforeLeave, "begin-before-leave", "W9"},
    MutantRow{Mutant::ForgetTheUntold, "forget-the-untold", "S13"},
    MutantRow{Mutant::TellPeopleAgain, "tell-people-again", "S13"},
    MutantRow{Mutant::TakeOldNewsForNew, "take-old-news-for-new", "S13"},
    MutantRow{Mutant::ApplyDependsOnHistory, "apply-depends-on-history", "W11"},
    MutantRow{Mutant::BelieveTheParent, "believe-the-parent", "G1"},
    MutantRow{Mutant::LeaveTheTree, "leave-the-tree", "G1"},
    MutantRow{Mutant::ForgetWhatCameBack, "forget-what-came-back", "G1"},
    MutantRow{Mutant::IgnoreDepth, "ignore-depth", "G1"},
    MutantRow{Mutant::IgnoreFanout, "ignore-fanout", "G2"},
    MutantRow{Mutant::IgnoreCycles, "ignore-cycles", "G3"},
    MutantRow{Mutant::Overspend, "overspend", "G4"},
    MutantRow{Mutant::AskForFree, "ask-for-free", "G4"},
    MutantRow{Mutant::NeverOpen, "never-open", "G5"},
    MutantRow{Mutant::HandOverWhileOpen, "hand-over-while-open", "G5"},
    MutantRow{Mutant::LeaveAllAlone, "leave-all-alone", "G6"},
    MutantRow{Mutant::IgnoreMailboxLimit, "ignore-mailbox-limit", "G7"},
    MutantRow{Mutant::WidenTheDepth, "widen-the-depth", "I2"},
    MutantRow{Mutant::AddTools, "add-tools", "I2"},
    MutantRow{Mutant::OutliveTheParent, "outlive-the-parent", "I2"},
    MutantRow{Mutant::MixUsers, "mix-users", "I3"},
    MutantRow{Mutant::TakeAnyonesSession, "take-anyones-session", "I3"},
    MutantRow{Mutant::GrantAnyTool, "grant-any-tool", "I4"},
    MutantRow{Mutant::GiveItselfTools, "give-itself-tools", "I4"},
    MutantRow{Mutant::ForgetTheBound, "forget-the-bound", "I4"},
    MutantRow{Mutant::RefuseOffTheRecord, "refuse-off-the-record", "A1"},
    MutantRow{Mutant::RefuseTheClaimedSender, "refuse-the-claimed-sender", "A1"},
    MutantRow{Mutant::AcknowledgeBeforeSync, "acknowledge-before-sync", "A1"},
    MutantRow{Mutant::SkipSync, "skip-sync", "A2"},
    MutantRow{Mutant::SkipDirectorySync, "skip-directory-sync", "A2"},
    MutantRow{Mutant::BreakTheChain, "break-the-chain", "A2"},
    MutantRow{Mutant::ForwardTheLastField, "forward-the-last-field", "A4"},
    MutantRow{Mutant::RevealToAll, "reveal-to-all", "A4"},
    MutantRow{Mutant::TellTheRecordWhole, "tell-the-record-whole", "A4"},
    MutantRow{Mutant::KeepTheRowsAsTheyCame, "keep-the-rows-as-they-came", "A4"},
    MutantRow{Mutant::WriteAnyContext, "write-any-context", "W5"},
    MutantRow{Mutant::WriteAnyDomain, "write-any-domain", "W5"},
    MutantRow{Mutant::WriteWhileLocked, "write-while-locked", "W5"},
    MutantRow{Mutant::RewriteHistory, "rewrite-history", "W6"},
    MutantRow{Mutant::HandOverTwice, "hand-over-twice", "W7"},
    MutantRow{Mutant::AcceptStaleState, "accept-stale-state", "W10"},
    MutantRow{Mutant::ForgetTheRun, "forget-the-run", "W1"},
    MutantRow{Mutant::PassOnTheBroken, "pass-on-the-broken", "W4"},
    MutantRow{Mutant::FailWithoutWords, "fail-without-words", "W4"},
    MutantRow{Mutant::HideWhatIsMissing, "hide-what-is-missing", "W4"},
    MutantRow{Mutant::AskAgainWhatWasAnswered, "ask-again-what-was-answered", "W8"},
    MutantRow{Mutant::ResumeWithSomethingElse, "resume-with-something-else", "W8"},
    MutantRow{Mutant::RunBeforeWhatItNeeds, "run-before-what-it-needs", "W8"},
    MutantRow{Mutant::UndoInOrder, "undo-in-order", "W8"},
    MutantRow{Mutant::UndoNothing, "undo-nothing", "W8"},
};

#ifdef PARLANCE_MUTANTS
inline constexpr bool kHasMutants = true;
inline Mutant planted_mutant = Mutant::None;
inline bool is_planted(Mutant mutant) { return planted_mutant == mutant; }
inline void plant(Mutant mutant) { planted_mutant = mutant; }
#else
inline constexpr bool kHasMutants = false;
constexpr bool is_planted(Mutant) { return false; }
inline void plant(Mutant) {}
#endif

}  // namespace parlance
