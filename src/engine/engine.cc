#include "engine/engine.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

#include "base/iso_time.h"
#include "base/match.h"
#include "base/mutant.h"
#include "base/uuid.h"
#include "core/snapshot_pieces.h"
#include "engine/snapshot_pipe.h"
#include "journal/event_codec.h"

namespace parlance::engine {

namespace {

/// Journal space kept free for the records of a turn, so that a decided turn can be written.
constexpr std::uint64_t kReserveBytes = std::uint64_t{1} << 20;
/// Bound on the follow-up steps (timers, deadlines, deliveries) that a turn decides before its
/// sync.
constexpr int kFollowUpsMax = 10'000;

/// A wall clock behind the journal by less than this is not logged: clock corrections during a
/// restart are of this size.
constexpr Duration kClockBehindMin{1'000};

std::size_t bytes_of(const std::vector<std::string>& texts) {
    std::size_t bytes = 0;
    for (const auto& text : texts) bytes += text.size();
    return bytes;
}

std::size_t bytes_of(const Stamped& stamped) {
    return match(
        stamped.command,
        [](const SendMessage& send) { return send.envelope->body().size(); },
        [](const ReplyToDelivery& reply) { return reply.envelope->body().size(); },
        [](const HandOffContext& handoff) { return handoff.request.envelope->body().size(); },
        [](const WriteContext& write) {
            return write.entities.size() + bytes_of(write.history) + bytes_of(write.artifacts);
        },
        [](const WriteTask& write) { return write.document.size(); },
        [](const WriteSession& write) { return write.workflow.size() + write.agent_state.size(); },
        [](const AddFacts& add) {
            std::size_t bytes = 0;
            for (const auto& fact : add.facts) bytes += fact.about.size() + fact.value.size();
            return bytes;
        },
        [](const KeepAnalysis& keep) { return keep.result.size(); },
        [](const auto&) { return std::size_t{0}; });
}

std::size_t bytes_handed(std::span<const Effect> effects) {
    std::size_t bytes = 0;
    for (const auto& effect : effects) {
        const auto* deliver = std::get_if<Deliver>(&effect);
        if (deliver != nullptr && deliver->envelope) bytes += deliver->envelope->body().size();
    }
    return bytes;
}

/// Prints "86400.250 s".
std::string print_seconds(Duration duration) {
    auto thousandths = std::to_string(1'000 + duration.count() % 1'000);
    thousandths.front() = '.';
    return std::to_string(duration.count() / 1'000) + thousandths + " s";
}

/// The refusal of a command that the engine did not take, naming the command's message or delivery.
TellRefused not_taken(const Stamped& stamped, Refusal refusal, const std::string& why) {
    TellRefused refused{.reply_target = stamped.reply_target, .refusal = refusal, .detail = why};
    match(stamped.command, [&](const auto& command) {
        if constexpr (requires { command.delivery; }) refused.delivery = command.delivery;
    });
    const auto* send = std::get_if<SendMessage>(&stamped.command);
    if (send != nullptr) {
        refused.id = send->envelope->id();
        refused.envelope = send->envelope;
    }
    const auto* reply = std::get_if<ReplyToDelivery>(&stamped.command);
    if (reply != nullptr) refused.envelope = reply->envelope;
    return refused;
}

/// The reply target and message of an effect, for refusing the caller instead.
TellRefused addressee_of(const Effect& effect) {
    return match(
        effect,
        [](const TellAccepted& accepted) {
            return TellRefused{
                .reply_target = accepted.reply_target,
                .id = accepted.envelope ? std::string{accepted.envelope->id()} : accepted.id,
                .envelope = accepted.envelope};
        },
        [](const TellRefused& refused) {
            return TellRefused{.reply_target = refused.reply_target,
                               .id = refused.id,
                               .envelope = refused.envelope};
        },
        [](const TellDone& done) { return TellRefused{done.reply_target}; },
        [](const TellJoined& joined) { return TellRefused{joined.reply_target}; },
        [](const Deliver& deliver) { return TellRefused{deliver.reply_target}; },
        [](const auto&) { return TellRefused{}; });
}

}  // namespace

/// State of the background jobs. Jobs hold Chores rather than the engine, which may be destroyed
/// first.
struct Engine::Chores {
    std::unique_ptr<journal::Journal> journal{};  ///< Set when the engine is destroyed.
    std::atomic<bool> is_preparing{false};
    std::atomic<bool> is_snapshotting{false};
    std::atomic<bool> is_marking{false};
    std::atomic<std::uint64_t> marked{0};  ///< Last record that the high-water mark covers.
    std::atomic<bool> has_mark_failed{false};
};

Engine::Engine(std::unique_ptr<journal::Journal> journal, Options options, World world)
    : journal_(std::move(journal)),
      options_(std::move(options)),
      world_(std::move(world)),
      chores_(std::make_shared<Chores>()) {
    state_.limits = options_.limits;
    state_.message_writer = options_.message_writer;
}

// The engine may be destroyed while a background job uses the journal, for example when the hub
// cannot bind its port: the journal is destroyed with the last job.
Engine::~Engine() { chores_->journal = std::move(journal_); }

Result<std::unique_ptr<Engine>> Engine::open(std::unique_ptr<journal::Journal> journal,
                                             Options options,
                                             World world) {
    std::unique_ptr<Engine> engine{
        new Engine{std::move(journal), std::move(options), std::move(world)}};
    TRY(engine->recover());
    const auto bits = [&] { return engine->world_.entropy(); };
    engine->submit({.command = StartHub{.hub_id = uuid_v4(bits(), bits()),
                                        .hash_key_0 = bits(),
                                        .hash_key_1 = bits(),
                                        .version = engine->options_.version}});
    const auto cannot_start = [&] {
        return fail(Fault::Unavailable, "the hub cannot start: " + engine->health_.reason);
    };
    engine->is_starting_ = true;
    bool has_more = engine->turn();
    engine->is_starting_ = false;
    if (engine->health_.condition != Condition::Serving) return cannot_start();
    while (has_more) has_more = engine->turn();
    // Once StartHub is on record, a hub started on a full disk serves like a hub whose disk became
    // full.
    if (engine->health_.condition == Condition::DiskFailed) return cannot_start();
    return engine;
}

Result<void> Engine::recover() {
    const auto note_damage = [&](const std::string& why) {
        world_.log("a snapshot is damaged and passed over, the journal is read instead: " + why);
    };
    if (auto snapshot = TRY(journal_->open_newest_snapshot(note_damage))) {
        const core::PieceSource source = [&](std::string& piece) { return snapshot->next(piece); };
        auto state = core::decode_state(source, snapshot->bytes(), options_.limits);
        if (state) {
            state_ = std::move(*state);
            state_.message_writer = options_.message_writer;
            snapshot_sequence_ = state_.sequence.value;
            snapshot_bytes_ = snapshot->bytes();
        } else {
            world_.log("snapshot at " + std::to_string(snapshot->sequence().value) +
                       " is passed over: " + state.error().message);
        }
    }
    const auto live_again = [&](const journal::Record& record) -> Result<void> {
        state_.sequence = {record.sequence.value - 1};  // Skips an accepted loss.
        core::apply(state_, record.at, TRY(journal::decode(record)));
        return {};
    };
    TRY(journal_->replay(state_.sequence, live_again));
    state_.sequence = journal_->last_sequence();
    start_clock();
    // Opening the journal wrote the mark for the records found.
    chores_->marked = journal_->last_sequence().value;
    high_water_due_ = now() + options_.high_water_interval;
    liveness_.begin(state_, now());
    return {};
}

void Engine::start_clock() {
    const auto last = std::max(state_.now, journal_->last_time());
    const auto wall = world_.wall_clock();
    now_ = last;
    started_steady_ = world_.steady_clock();
    started_at_ = is_planted(Mutant::WaitForTheWallClock) ? wall : std::max(last, wall);
    if (last - wall < kClockBehindMin) return;
    world_.log(
        "the wall clock says " + print_iso_time(wall) + ", but the last record of the " +
        "journal is of " + print_iso_time(last) + ", " + print_seconds(last - wall) +
        " later; hub time goes on from the record. Set the wall clock of this machine right");
}

Time Engine::now() const {
    return std::max(now_, started_at_ + (world_.steady_clock() - started_steady_));
}

Refusal Engine::submit(Stamped command) {
    const auto refuse = [&](Refusal refusal) {
        ++counts_.commands_refused;
        return refusal;
    };
    if (health_.condition == Condition::DiskFailed) return refuse(Refusal::HubStorageFailed);
    if (health_.condition == Condition::DiskFull) return refuse(Refusal::HubStorageFull);
    const auto bytes = bytes_of(command);
    if (inbox_.size() >= options_.inbox_commands_max ||
        inbox_bytes_ + bytes > options_.inbox_bytes_max) {
        return refuse(Refusal::HubOverloaded);
    }
    inbox_bytes_ += bytes;
    inbox_.push_back(std::move(command));
    return Refusal::None;
}

bool Engine::take_step(const Stamped& stamped) {
    heard_.clear();
    core::decide(state_, stamped, events_, &heard_);
    for (const auto& event : events_) {
        core::apply(state_, stamped.now, event);
        journal::encode(event, {state_.sequence, stamped.now}, batch_.open());
        batch_.close();
        core::react(state_, stamped, event, effects_);
        ++counts_.events[event.index()];
    }
    liveness_.note(stamped, events_, heard_);
    if (events_.empty() && stamped.reply_target != ReplyTarget{})
        effects_.emplace_back(TellDone{stamped.reply_target});
    return !events_.empty();
}

void Engine::take_commands(Time now) {
    const auto share = std::max(inbox_.size() / 4, options_.turn_commands_min);
    const auto count = std::min({inbox_.size(), share, options_.turn_commands_max});
    for (std::size_t i = 0; i < count; ++i) core::foresee(state_, inbox_[i].command);
    std::size_t done = 0;
    std::size_t handed_bytes = 0;
    const auto is_full = [&] {
        return batch_.bytes() >= options_.turn_bytes_max ||
               handed_bytes >= options_.turn_handed_bytes_max;
    };
    for (; done < count && !is_full(); ++done) {
        auto& stamped = inbox_[done];
        stamped.now = now;
        stamped.entropy = world_.entropy();
        inbox_bytes_ -= bytes_of(stamped);
        const auto effects_before = effects_.size();
        take_step(stamped);
        if (std::holds_alternative<TakeMessages>(stamped.command)) {
            handed_bytes += bytes_handed(std::span{effects_}.subspan(effects_before));
        }
        ++counts_.commands;
    }
    commands_left_ += done;
    inbox_.erase(inbox_.begin(), inbox_.begin() + static_cast<std::ptrdiff_t>(done));
}

bool Engine::follow_up(Time now) {
    Stamped tick{.command = Tick{}, .now = now};
    for (int i = 0; i < kFollowUpsMax && batch_.bytes() < options_.turn_bytes_max; ++i) {
        const auto silent = liveness_.silent(now, state_.limits.heartbeat_timeout);
        tick.command = Tick{silent.value_or(InstanceNumber{})};
        tick.entropy = world_.entropy();
        if (!take_step(tick) && !silent) return false;
    }
    return true;
}

bool Engine::has_room() {
    const auto needed = kReserveBytes + 2 * std::min(inbox_bytes_, options_.turn_bytes_max);
    if (journal_->room_bytes() >= needed) return true;
    // The background is late, or the disk is full. The turn prepares the spare segment here, or
    // waits for the background job that is preparing the spare. A late background alone is not a
    // full disk.
    const auto made = journal_->prepare_spare();
    if (made) return true;
    if (made.error().fault != Fault::Exhausted) {
        stop_for(made.error());
        return false;
    }
    room_problem_ = made.error().message;
    return journal_->room_bytes() >= needed;
}

void Engine::refuse_for_want_of_room() {
    if (health_.condition == Condition::Serving) {
        health_ = {
            Condition::DiskFull,
            "there is no room for new work, which is refused until there is: " + room_problem_};
        world_.log(health_.reason);
    }
    for (auto& stamped : inbox_) {
        ++counts_.commands_refused;
        if (stamped.reply_target == ReplyTarget{}) continue;
        effects_.emplace_back(not_taken(stamped, Refusal::HubStorageFull, health_.reason));
    }
    commands_left_ += inbox_.size();
    inbox_.clear();
    inbox_bytes_ = 0;
    speak();
}

bool Engine::turn() {
    if (health_.condition == Condition::DiskFailed) return false;
    if (!is_planted(Mutant::LookAtNoClockWhileBusy) || inbox_.empty()) now_ = now();
    if (health_.condition == Condition::DiskFull && now_ < retry_at_) return false;
    retry_at_ = now_ + options_.full_disk_retry;

    if (pending_.empty()) {
        const bool has_reserve = has_room();
        if (health_.condition == Condition::DiskFailed) return false;
        if (!has_reserve && !is_starting_) {
            refuse_for_want_of_room();
            return false;
        }
        if (health_.condition == Condition::DiskFull) {
            health_ = {};
            world_.log("there is room again; the hub serves");
        }
        decided_at_ = now_;
        take_commands(now_);
        // The records of a start, and of timers due meanwhile, fit into the rest of the reserve.
        const bool has_more = follow_up(now_) || !has_reserve;
        return commit() && (has_more || !inbox_.empty());
    }
    std::swap(batch_, pending_);
    return commit() && !inbox_.empty();
}

/// No effect leaves before the append succeeds.
bool Engine::commit() {
    if (batch_.empty()) {
        speak();
        advance_high_water();
        return true;
    }
    if (is_planted(Mutant::AcknowledgeBeforeSync) || is_planted(Mutant::HandOverBeforeSync)) {
        Effects early;
        std::erase_if(effects_, [&](Effect& effect) {
            const bool leaves = is_planted(Mutant::HandOverBeforeSync)
                                    ? std::holds_alternative<Deliver>(effect)
                                    : std::holds_alternative<TellAccepted>(effect);
            if (leaves) early.push_back(effect);
            return leaves;
        });
        world_.outbox(std::move(early));
    }
    // A batch that waited for room keeps its time of decision and application: a replay under
    // another time would rebuild another state.
    const auto written = journal_->append(decided_at_, batch_);
    if (!written && written.error().fault == Fault::Exhausted) {
        std::swap(batch_, pending_);
        if (health_.condition == Condition::Serving) world_.log(written.error().message);
        health_ = {Condition::DiskFull, written.error().message};
        return false;
    }
    if (!written) {
        stop_for(written.error());
        return false;
    }
    health_ = {};
    ++counts_.turns;
    counts_.records += batch_.count();
    counts_.bytes += batch_.bytes();
    bytes_since_snapshot_ += batch_.bytes();
    batch_.clear();
    speak();
    maintain();
    return true;
}

void Engine::speak() {
    if (effects_.empty()) return;
    world_.outbox(std::move(effects_));
    effects_.clear();  // Keeps its capacity if the outbox only read the effects.
}

/// A failed sync is final: the contents of the disk are unknown, so the hub acknowledges nothing
/// more.
void Engine::stop_for(const Error& error) {
    health_ = {Condition::DiskFailed, error.message};
    // Callers of the failed turn are answered at once. Nobody knows whether the disk holds their
    // messages; a message sent again under its id after the restart is either new or a duplicate.
    Effects refusals;
    for (const auto& effect : effects_) {
        auto refused = addressee_of(effect);
        if (refused.reply_target == ReplyTarget{}) continue;
        refused.refusal = Refusal::HubStorageFailed;
        refused.detail = error.message;
        refusals.emplace_back(std::move(refused));
    }
    effects_ = std::move(refusals);
    world_.log("the hub stops acknowledging: " + error.message);
    for (const auto& stamped : inbox_) {
        if (stamped.reply_target == ReplyTarget{}) continue;
        effects_.emplace_back(not_taken(stamped, Refusal::HubStorageFailed, error.message));
    }
    commands_left_ += inbox_.size();
    inbox_.clear();
    inbox_bytes_ = 0;
    speak();
}

/// Schedules the journal's background jobs: the next segment, and sometimes a snapshot.
void Engine::maintain() {
    if (journal_->wants_spare() && !chores_->is_preparing.exchange(true)) {
        // The journal has just used its spare. The mark first names a record of the new segment, so
        // that the loss of the whole segment is noticed.
        world_.background([journal = journal_.get(),
                           chores = chores_,
                           mark = journal_->high_water()] {
            (void)journal->write_high_water(mark);  // advance_high_water() retries and logs later.
            // A failure shows in has_room() when space is needed; until then a retry may succeed.
            (void)journal->prepare_spare();
            chores->is_preparing = false;
        });
    }
    const auto records = state_.sequence.value - snapshot_sequence_;
    const bool is_worth_it =
        records >= options_.snapshot_records_min &&
        bytes_since_snapshot_ >= options_.snapshot_bytes_factor * snapshot_bytes_;
    if (is_worth_it && !chores_->is_snapshotting.load()) snapshot_now();
    advance_high_water();
}

/// Writes the mark in the background, once per interval: a turn pays for one sync and no more.
void Engine::advance_high_water() {
    if (now_ < high_water_due_ || chores_->marked == journal_->last_sequence().value) return;
    if (chores_->is_marking.exchange(true)) return;
    high_water_due_ = now_ + options_.high_water_interval;
    world_.background([journal = journal_.get(),
                       chores = chores_,
                       mark = journal_->high_water(),
                       log = world_.log] {
        const auto written = journal->write_high_water(mark);
        if (written) chores->marked = mark.sequence.value;
        if (!written && !chores->has_mark_failed.exchange(true)) {
            log("the high-water mark stays behind, and is tried again: " + written.error().message);
        }
        if (written) chores->has_mark_failed = false;
        chores->is_marking = false;
    });
}

void Engine::write_high_water_now() {
    if (health_.condition == Condition::DiskFailed) return;
    const auto written = journal_->write_high_water(journal_->high_water());
    if (!written) world_.log("the high-water mark stays behind: " + written.error().message);
}

void Engine::snapshot_now() {
    if (health_.condition != Condition::Serving || state_.sequence != journal_->last_sequence())
        return;
    if (state_.sequence.value == snapshot_sequence_) return;
    if (chores_->is_snapshotting.exchange(true)) return;
    auto writer = journal_->start_snapshot(state_.sequence, state_.now);
    if (!writer) return;  // The journal is read-only.
    // This thread owns the state, so nothing changes the state while its bytes are encoded and
    // written.
    const auto pipe = std::make_shared<SnapshotPipe>(
        world_.background,
        std::move(*writer),
        [chores = chores_, log = world_.log](const Result<void>& written) {
            if (!written) log("no snapshot this time: " + written.error().message);
            chores->is_snapshotting = false;
        });
    std::uint64_t bytes = 0;
    const core::PieceSink sink = [&](std::string piece) {
        bytes += piece.size();
        return pipe->put(std::move(piece));
    };
    const bool is_whole = core::encode_state(state_, sink);
    pipe->finish();
    snapshot_sequence_ = state_.sequence.value;
    // A failed snapshot covers only a part of the state, so the previous size is the better
    // estimate if it is larger.
    snapshot_bytes_ = is_whole ? bytes : std::max(bytes, snapshot_bytes_);
    bytes_since_snapshot_ = 0;
    ++counts_.snapshots;
}

Time Engine::next_due() const {
    if (health_.condition == Condition::DiskFull) return retry_at_;
    return std::min(core::next_due(state_), liveness_.next_due(state_.limits.heartbeat_timeout));
}

HubListing Engine::hub() const { return core::list_hub(state_); }
std::vector<AgentListing> Engine::agents() const {
    auto agents = core::list_agents(state_);
    for (auto& agent : agents) add_signs_of_life(agent);
    return agents;
}
std::optional<AgentListing> Engine::agent(const AgentId& agent) const {
    auto found = core::find_agent(state_, agent);
    if (found) add_signs_of_life(*found);
    return found;
}
void Engine::add_signs_of_life(AgentListing& agent) const {
    for (auto& instance : agent.instances) {
        instance.last_seen = std::max(instance.last_seen, liveness_.last_seen(instance.number));
    }
}
std::vector<DeadLetterListing> Engine::dead_letters(const core::DeadLetterQuery& query) const {
    return core::list_dead_letters(state_, query);
}
std::optional<DeadLetterListing> Engine::dead_letter(Ticket ticket) const {
    return core::find_dead_letter(state_, ticket);
}
core::Explanation Engine::explain(const SendMessage& message,
                                  const std::shared_ptr<const Caller>& caller) const {
    Stamped cause;
    cause.caller = caller;
    cause.now = now();
    return core::explain(state_, cause, message);
}

bool Engine::is_at_work(std::string_view agent) const { return core::is_at_work(state_, agent); }

bool Engine::limits_spending() const { return parlance::limits_spending(state_.governor.policy); }

bool Engine::remembers(const Envelope& envelope) const {
    return core::is_remembered(state_, envelope);
}

const Profile* Engine::profile(std::string_view agent) const {
    return core::find_profile(state_, agent);
}

EnvelopePtr Engine::question(const Envelope& reply) const {
    return core::find_question(state_, reply);
}

std::optional<core::HeldDelivery> Engine::delivery(const DeliveryToken& delivery) const {
    return core::find_delivery(state_, delivery);
}

}  // namespace parlance::engine
