// The engine: the only writer. Each turn decides commands, appends their events to the journal, and
// only then sends effects.
//
// The engine parses nothing and does not know who is connected: commands come in through a bounded
// inbox, effects leave through the outbox once the journal holds their events. The engine has no
// thread; callers that submit commands also call turn(), so one event loop can be listener and
// writer.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "core/admission.h"
#include "core/core.h"
#include "core/inspect.h"
#include "core/liveness.h"
#include "journal/journal.h"
#include "model/command.h"
#include "model/effect.h"
#include "model/limits.h"
#include "model/listing.h"

namespace parlance::engine {

struct Options {
    Limits limits;
    const MessageWriter* message_writer =
        nullptr;  ///< Message writer; null: workflows send no requests.
    std::string version;
    std::size_t inbox_commands_max = 65'536;
    std::size_t inbox_bytes_max = std::size_t{256} << 20;
    /// A turn takes a quarter of the inbox, within these bounds: callers receive the results of the
    /// turn and work on them while the hub works on the rest of the inbox.
    std::size_t turn_commands_min = 256;
    std::size_t turn_commands_max = 4'096;
    std::size_t turn_bytes_max = std::size_t{8} << 20;
    /// Bound on the message bytes handed to the take commands of one turn, because all their
    /// answers are in memory at once. The remaining takes are decided in the next turn.
    std::size_t turn_handed_bytes_max = std::size_t{8} << 20;
    std::uint64_t snapshot_records_min = 500'000;
    std::uint64_t snapshot_bytes_factor = 4;  ///< Bytes of new records per snapshot byte.
    Duration full_disk_retry{std::chrono::milliseconds{250}};
    /// How far the high-water mark may lag behind the acknowledged records.
    Duration high_water_interval{std::chrono::seconds{1}};
};

/// The clocks, entropy and outputs that the engine uses. The simulator supplies simulated versions.
struct World {
    std::function<Time()> wall_clock;        ///< May be set while the hub runs or is down.
    std::function<Duration()> steady_clock;  ///< Time since some fixed moment; never set.
    std::function<std::uint64_t()> entropy;
    std::function<void(Effects&&)> outbox;  ///< Called after each durable turn.
    std::function<void(std::function<void()>)>
        background;  ///< Runs slow work, on another thread if possible.
    std::function<void(const std::string&)> log;
};

enum class Condition { Serving, DiskFull, DiskFailed };

struct Health {
    Condition condition = Condition::Serving;
    std::string reason;
};

struct Counts {
    std::uint64_t turns = 0;
    std::uint64_t commands = 0;
    std::uint64_t commands_refused = 0;  ///< Inbox full, or disk full or failed.
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
    std::uint64_t snapshots = 0;
    std::array<std::uint64_t, std::variant_size_v<Event>> events{};
};

class Engine {
  public:
    /// Rebuilds the state from the journal and records that the hub has started.
    static Result<std::unique_ptr<Engine>> open(std::unique_ptr<journal::Journal> journal,
                                                Options options,
                                                World world);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Returns Refusal::None when the command will be part of a coming turn. The engine stamps time
    /// and entropy.
    Refusal submit(Stamped command);

    /// Decides waiting commands and due timers, makes the events durable, then sends the effects.
    /// Returns true if work is left.
    bool turn();

    /// Hub time. Hub time starts at the wall clock or at the last record, whichever is later, and
    /// advances with the steady clock: setting the wall clock neither stops hub time nor moves it
    /// back.
    Time now() const;
    /// How far hub time is ahead of the wall clock; negative if it is behind.
    Duration ahead_of_wall_clock() const { return now() - world_.wall_clock(); }

    bool has_work() const { return !inbox_.empty() || !pending_.empty(); }
    Time next_due() const;
    Health health() const { return health_; }
    const Counts& counts() const { return counts_; }
    std::size_t inbox_size() const { return inbox_.size(); }
    /// Number of commands that have left the inbox; the command submitted last leaves as number
    /// commands_left() + inbox_size().
    std::uint64_t commands_left() const { return commands_left_; }
    Sequence durable() const { return journal_->last_sequence(); }

    HubListing hub() const;
    std::vector<AgentListing> agents() const;
    std::optional<AgentListing> agent(const AgentId& agent) const;
    const Profile* profile(std::string_view agent) const;
    std::vector<DeadLetterListing> dead_letters(const core::DeadLetterQuery& query) const;
    std::optional<DeadLetterListing> dead_letter(Ticket ticket) const;
    std::optional<core::HeldDelivery> delivery(const DeliveryToken& delivery) const;
    EnvelopePtr question(const Envelope& reply) const;
    bool remembers(const Envelope& envelope) const;
    /// Dry run: the outcome of sending this message now, and the verdict of each guard.
    core::Explanation explain(const SendMessage& message,
                              const std::shared_ptr<const Caller>& caller) const;
    std::optional<core::WorkflowStanding> workflow(std::string_view id) const {
        return core::find_workflow(state_, id);
    }
    /// Whether the agent holds deliveries, or requests that it has to answer.
    bool is_at_work(std::string_view agent) const;
    /// Whether the policy has any spending budget for requests.
    bool limits_spending() const;
    std::optional<core::StreamStanding> stream(const core::StreamQuery& query) const {
        return core::find_stream(state_, query);
    }
    const core::State& state() const { return state_; }

    /// Takes a snapshot for a clean stop: the next start then has nothing to replay.
    void snapshot_now();
    /// Writes the high-water mark of the last record on this thread, for a clean stop. Call only
    /// after the background has ended.
    void write_high_water_now();

  private:
    struct Chores;

    Engine(std::unique_ptr<journal::Journal> journal, Options options, World world);
    Result<void> recover();
    void start_clock();
    bool take_step(const Stamped& stamped);
    void take_commands(Time now);
    bool follow_up(Time now);
    void add_signs_of_life(AgentListing& agent) const;
    bool has_room();
    void refuse_for_want_of_room();
    bool commit();
    void speak();
    void maintain();
    void advance_high_water();
    void stop_for(const Error& error);

    std::unique_ptr<journal::Journal> journal_;
    Options options_;
    World world_;
    core::State state_;
    core::Liveness liveness_;
    core::Heard heard_;
    Health health_;
    Counts counts_;

    std::vector<Stamped> inbox_;
    std::size_t inbox_bytes_ = 0;
    std::uint64_t commands_left_ = 0;  ///< Taken or refused; see commands_left().
    std::vector<Stamped> taken_;
    Events events_;
    journal::Batch batch_;
    Effects effects_;
    journal::Batch pending_;  ///< Decided and applied while the disk was full: written later.
    Time decided_at_{};       ///< When the events in batch_ or pending_ were decided.
    Time retry_at_{};
    Time high_water_due_{};
    std::string room_problem_;   ///< Why there is no room for a turn.
    Time now_{};                 ///< Hub time of the current or last turn.
    Time started_at_{};          ///< Hub time when the engine opened.
    Duration started_steady_{};  ///< Steady clock when the engine opened.
    bool is_starting_ = false;
    std::shared_ptr<Chores> chores_;
    std::uint64_t snapshot_sequence_ = 0;
    std::uint64_t snapshot_bytes_ = 0;
    std::uint64_t bytes_since_snapshot_ = 0;
};

}  // namespace parlance::engine
