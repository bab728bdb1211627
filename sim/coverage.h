// How often each command, event, recipient form, act and fault occurred in a simulated life. A
// simulator finds defects only in code it exercises: `parlance-sim --coverage` prints the sums, and
// fails when a sum is zero.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "model/command.h"
#include "model/event.h"

namespace parlance::sim {

/// The recipient form of an accepted message.
enum class RecipientForm : std::uint8_t {
    Agent,
    Topic,
    Human,
    Anyone,
    Capability,
    Domain,
    CallEarliest,
    CallCheapest,
    CallAblest,
    All,
};

/// An outcome of a command that the command's type does not tell. Counted when the hub took the
/// command.
enum class Act : std::uint8_t {
    TaskHandedOver,         ///< A TASK_HANDOFF was accepted.
    HelpRequested,          ///< A HELP_REQUEST was accepted.
    FallbackNamed,          ///< A TASK_HANDOFF or HELP_REQUEST named a fallback.
    StatePushed,            ///< A request stored its sender's state (S5).
    StateReturned,          ///< An answer came back with the stored state.
    FleetStopped,           ///< Open work waited.
    FleetStoppedCancelled,  ///< Open work was cancelled.
    PolicyChanged,
    AgentRemovedByItself,
    AgentRemovedByOperator,
};

/// Faults of the world around the hub.
enum class FaultKind : std::uint8_t {
    ProcessKilled,
    PowerLost,
    DiskFault,
    DiskFaultAtStart,
    DiskFull,
    DescriptorsExhausted,
    BitFlipped,
    ClockJumped,
    ClockBehindAtStart,
    OlderCopyRestored,
    CommandLost,
    CommandDoubled,
    DeliveryLost,
    PollResponseLost,
};

inline constexpr std::array<std::string_view, 10> kRecipientFormNames{"agent",
                                                                      "topic:",
                                                                      "human:",
                                                                      "anyone",
                                                                      "capability:",
                                                                      "domain:",
                                                                      "call:earliest:",
                                                                      "call:cheapest:",
                                                                      "call:ablest:",
                                                                      "all:"};
inline constexpr std::array<std::string_view, 10> kActNames{"task handed over",
                                                            "help requested",
                                                            "fallback named",
                                                            "state pushed",
                                                            "state returned",
                                                            "fleet stopped",
                                                            "fleet stopped and cancelled",
                                                            "policy changed",
                                                            "agent removed by itself",
                                                            "agent removed by an operator"};
inline constexpr std::array<std::string_view, 14> kFaultNames{"process killed",
                                                              "power lost",
                                                              "disk fault",
                                                              "disk fault at start",
                                                              "disk full",
                                                              "descriptors exhausted",
                                                              "bit flipped",
                                                              "clock jumped",
                                                              "clock behind at start",
                                                              "older copy restored",
                                                              "command lost",
                                                              "command doubled",
                                                              "delivery lost",
                                                              "poll response lost"};

class Coverage {
  public:
    void note(const Command& command) { ++commands_[command.index()]; }
    void note(const Event& event) { ++events_[event.index()]; }
    void note(FaultKind fault) { ++faults_.at(static_cast<std::size_t>(fault)); }
    void note(Act act) { ++acts_.at(static_cast<std::size_t>(act)); }
    /// The hub accepted a message with a new id.
    void note_accepted(const SendMessage& send);
    /// The hub carried out the command.
    void note_done(const Command& command, std::string_view caller);

    /// All counters, in the order of coverage_rows().
    std::vector<std::uint64_t> counts() const;

  private:
    void note(RecipientForm form) { ++recipients_.at(static_cast<std::size_t>(form)); }

    std::array<std::uint64_t, std::variant_size_v<Command>> commands_{};
    std::array<std::uint64_t, std::variant_size_v<Event>> events_{};
    std::array<std::uint64_t, kRecipientFormNames.size()> recipients_{};
    std::array<std::uint64_t, kActNames.size()> acts_{};
    std::array<std::uint64_t, kFaultNames.size()> faults_{};
};

struct CoverageRow {
    std::string_view group;  ///< "command", "event", "recipient", "act" or "fault".
    std::string_view name;
    /// The hub gives itself the command, so no caller brings it.
    bool is_exempt = false;
};

std::vector<CoverageRow> coverage_rows();

}  // namespace parlance::sim
