#include "sim/hub.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/match.h"
#include "core/snapshot.h"
#include "journal/event_codec.h"
#include "sim/checkers/bounds.h"

namespace parlance::sim {

using journal::testing::Crashed;
using journal::testing::DiskFailure;
using journal::testing::MemoryDisk;

namespace {

/// Far more records than any life writes; beyond this number the hub loops.
constexpr std::uint64_t kRecordsMax = 60'000;
constexpr const char* kSegmentSuffix = ".journal";

/// A copy of the disk as the worst power failure would leave the disk.
std::unique_ptr<MemoryDisk> without_power(const MemoryDisk& disk) {
    auto copy = disk.clone();
    copy->lose_power([](std::uint64_t) { return std::uint64_t{0}; });
    return copy;
}

}  // namespace

Hub::Hub(const Plan& plan, Entropy& entropy, Timeline& timeline, History& history, Persons& persons)
    : plan_(plan),
      entropy_(entropy),
      timeline_(timeline),
      history_(history),
      verbs_entropy_(plan.verbs.seed) {
    if (!persons.are_there()) return;
    window_ = std::make_unique<Window>(persons, history, disk_, [this] { return wall_clock(); });
}

void Hub::trace(std::uint64_t word) {
    trace_hash_ = (trace_hash_ ^ word) * 0x0000'0100'0000'01B3ULL + (trace_hash_ >> 47U);
}

void Hub::find(std::string promise, std::string what) {
    history_.findings.push_back({std::move(promise), std::move(what), {}});
}

ReplyTarget Hub::submit(Command command,
                        const std::string& caller,
                        bool is_operator,
                        bool wants_answer) {
    if (window_) command = window_->receive(std::move(command), caller);
    trace(command.index());
    history_.coverage.note(command);
    const ReplyTarget reply_target{history_.asked.size() + 1};
    history_.asked.push_back({clock(), caller, command, history_.starts.size()});
    Stamped stamped{.command = std::move(command),
                    .caller = std::make_shared<Caller>(
                        Caller{.agent = {caller}, .is_operator = is_operator, .users = {"*"}})};
    if (wants_answer) stamped.reply_target = reply_target;
    history_.asked.back().is_taken = engine_->submit(std::move(stamped)) == Refusal::None;
    return history_.asked.back().is_taken ? reply_target : ReplyTarget{};
}

engine::World Hub::world() {
    const auto life = life_;
    return {.wall_clock = [this] { return wall_clock(); },
            .steady_clock = [this] { return timeline_.now().time_since_epoch(); },
            .entropy = [this] { return entropy_.bits(); },
            .outbox = [this](Effects&& effects) { show(std::move(effects)); },
            .background =
                [this, life](std::function<void()> chore) {
                    timeline_.after(entropy_.ms(0, 40), [this, life, chore = std::move(chore)] {
                        if (life != life_ || !is_up()) return;
                        try {
                            chore();
                        } catch (const Crashed&) {
                            fall(entropy_.percent(50));
                        }
                    });
                },
            .log =
                [this](const std::string& line) {
                    if (window_) window_->log(line);
                }};
}

/// The last record that a power failure now would leave. Journal::last_sequence() is believed only
/// while the disk has no unsynced bytes of the journal, and even then checked in 1 of 256 cases.
Sequence Hub::safe_sequence() const {
    const bool is_clean = !disk_.has_unsynced(kSegmentSuffix);
    if (is_clean && entropy_.below(256) != 0) return journal_->last_sequence();
    const auto platter = without_power(disk_);
    auto journal = journal::Journal::open(
        *platter, {.segment_bytes = plan_.journal.segment_bytes, .is_read_only = true});
    return journal ? (*journal)->last_sequence() : Sequence{};
}

/// Counts commands that the hub took; a refused command does not count.
void Hub::cover(const Effect& effect) {
    const auto asked = [&](ReplyTarget reply_target) -> const Asked* {
        return reply_target == ReplyTarget{} ? nullptr : &history_.asked[reply_target.value - 1];
    };
    match(
        effect,
        [&](const TellAccepted& told) {
            const auto* const question = asked(told.reply_target);
            if (question == nullptr || told.is_duplicate) return;
            const auto* const send = std::get_if<SendMessage>(&question->command);
            if (send != nullptr) history_.coverage.note_accepted(*send);
        },
        [&](const TellDone& told) {
            const auto* const order = asked(told.reply_target);
            if (order != nullptr) history_.coverage.note_done(order->command, order->caller);
        },
        [&](const Deliver& deliver) {
            if (!deliver.state.empty()) note(Act::StateReturned);
            expect_new_token(deliver);
        },
        [](const auto&) {});
}

/// A token of a run that a copy replaced must not fit a delivery of the current run.
void Hub::expect_new_token(const Deliver& deliver) {
    const auto& token = deliver.delivery;
    if (!lost_tokens_.contains({token.ticket, token.attempt, token.epoch})) return;
    find("D5",
         "delivery " + std::to_string(token.ticket.value) + "." + std::to_string(token.attempt) +
             "." + std::to_string(token.epoch.value) +
             " has the token of a delivery before the older copy was restored");
}

void Hub::show(Effects&& effects) {
    if (effects.empty()) return;
    note_records(journal_->last_sequence(), timeline_.now());
    const auto decided = timeline_.now();
    const auto sync_max = is_calm_ ? Duration{1} : plan_.sync_max;
    timeline_.pass(entropy_.ms(0, static_cast<std::uint64_t>(sync_max.count())));
    history_.pauses.push_back({decided, timeline_.now()});
    const auto safe = safe_sequence();
    told_ = std::max(told_, safe);
    for (auto& effect : effects) {
        trace(effect.index() + 1'000 * safe.value);
        history_.shown.push_back({clock(), safe, std::move(effect), decided});
        cover(history_.shown.back().effect);
        if (window_) window_->show(history_.shown.size() - 1);
        // The listener only schedules; the effect is copied because the history grows.
        if (listener_.on_effect) listener_.on_effect(Effect{history_.shown.back().effect});
    }
}

/// Notes that records up to `last` were on the disk by `world`, in true time.
void Hub::note_records(Sequence last, Time world) {
    if (last.value > written_.size()) written_.resize(last.value, world);
}

/// From here until end_pause() the hub can do nothing.
void Hub::begin_pause() {
    if (!paused_at_) paused_at_ = timeline_.now();
}

void Hub::end_pause() {
    if (paused_at_) history_.pauses.push_back({*paused_at_, timeline_.now()});
    paused_at_.reset();
}

/// Records whose time is unknown were written by the previous process, at its end at the latest.
/// Records that the disk lost are forgotten.
void Hub::begin_process(Sequence found) {
    const auto& processes = history_.processes;
    note_records(found, processes.empty() ? timeline_.now() : processes.back().end);
    written_.resize(found.value);
    history_.processes.push_back({.begin = timeline_.now(), .wall = wall_clock(), .last = found});
}

void Hub::end_process() {
    begin_pause();
    if (!history_.processes.empty() && history_.processes.back().end == Time::max()) {
        history_.processes.back().end = timeline_.now();
    }
}

void Hub::open() {
    auto journal = journal::Journal::open(disk_, plan_.journal);
    if (!journal) {
        if (journal.error().fault == Fault::Corrupt && was_flipped_) is_over_ = true;
        if (journal.error().fault == Fault::Corrupt && !was_flipped_) {
            find("A2", "after a crash the journal does not open: " + journal.error().message);
            is_over_ = true;
        }
        return;
    }
    journal_ = journal->get();
    const auto found = journal_->last_sequence();
    if (found < told_) {
        find("A2",
             "after a crash the journal ends at " + std::to_string(found.value) +
                 ", but the outside was told of " + std::to_string(told_.value));
    }
    begin_process(found);
    const auto true_time = timeline_.now();
    const auto wall = wall_clock();
    const auto last = journal_->last_time();
    if (wall < last) note(FaultKind::ClockBehindAtStart);
    auto engine = engine::Engine::open(std::move(*journal), plan_.engine, world());
    if (!engine) {
        if (engine.error().fault == Fault::Corrupt) {
            if (!was_flipped_) find("A2", "the hub cannot start: " + engine.error().message);
            is_over_ = true;
        }
        return;
    }
    engine_ = std::move(*engine);
    note_records(journal_->last_sequence(), timeline_.now());
    note_condition();
    hub_time_ahead_ = std::max(wall, last) - true_time;
    if (window_) window_->open(engine_.get());
}

void Hub::start() {
    if (is_up() || is_over_) return;
    ++life_;
    if (!is_calm_ && life_ > 1 && entropy_.percent(plan_.broken_start)) {
        plan_disk_fault();
        note(FaultKind::DiskFaultAtStart);
    }
    if (!is_calm_ && life_ > 1 && verbs_entropy_.percent(plan_.verbs.clock_behind)) {
        skew_ -= verbs_entropy_.ms(500, 30'000);
    }
    try {
        open();
    } catch (const Crashed&) {
        return fall(entropy_.percent(50));
    }
    disk_.forget_plans();
    if (is_over_) return;
    if (!is_up()) {
        end_process();
        disk_.restart();
        return come_back();
    }
    if (was_flipped_) {
        is_over_ = true;
        return look_for_altered();
    }
    read_journal();
    history_.starts.push_back(history_.journal.size());
    compare_states(core::encode_state(engine_->state()), "after a start");
}

void Hub::come_back() {
    timeline_.after(entropy_.ms(5, 600), [this, life = life_] {
        if (life == life_) start();
    });
}

void Hub::fall(bool loses_power) {
    if (is_up()) note_records(journal_->last_sequence(), timeline_.now());
    end_process();
    if (window_) window_->open(nullptr);
    engine_.reset();
    journal_ = nullptr;
    ++crashes_;
    ++life_;
    trace(crashes_);
    note(loses_power ? FaultKind::PowerLost : FaultKind::ProcessKilled);
    if (loses_power) {
        const bool all = entropy_.percent(20);
        disk_.lose_power(
            [&](std::uint64_t bound) { return all ? std::uint64_t{0} : entropy_.below(bound); });
    } else {
        disk_.restart();
    }
    if (listener_.on_down) listener_.on_down();
    if (plan_.flips_bit && !is_calm_ && !was_flipped_ && told_.value > 20) flip_bit();
    if (may_restore() && verbs_entropy_.percent(plan_.verbs.restore)) restore_copy();
    come_back();
}

void Hub::kill(bool loses_power) {
    if (is_up()) fall(loses_power);
}

/// Flips a bit in a written part of a segment. From here on the hub may refuse to start, but must
/// not serve altered records.
void Hub::flip_bit() {
    auto files = disk_.contents();
    std::erase_if(files, [](const auto& file) {
        return !file.first.ends_with(kSegmentSuffix) ||
               file.second.find_first_not_of('\0') == std::string::npos;
    });
    if (files.empty()) return;
    was_flipped_ = true;
    note(FaultKind::BitFlipped);
    auto file = files.begin();
    std::advance(file, static_cast<std::ptrdiff_t>(entropy_.below(files.size())));
    const auto written = file->second.find_last_not_of('\0') + 1;
    disk_.flip_bit(file->first, entropy_.below(written), static_cast<unsigned>(entropy_.below(8)));
}

/// G8: after a start, hub time advances exactly as true time does, whatever the wall clock does.
void Hub::check_time() {
    if (!is_up() || is_over_ || engine_->now() == timeline_.now() + hub_time_ahead_) return;
    find("G8",
         "hub time is " + std::to_string(engine_->now().time_since_epoch().count()) +
             " ms, and should be " +
             std::to_string((timeline_.now() + hub_time_ahead_).time_since_epoch().count()));
    is_over_ = true;
}

void Hub::note_condition() {
    if (engine_->health().condition == engine::Condition::Serving) {
        end_pause();
    } else {
        begin_pause();
    }
}

void Hub::work() {
    constexpr int kTurnsMax = 1'000;
    check_time();
    try {
        for (int i = 0; i < kTurnsMax && is_up(); ++i) {
            const bool is_due = engine_->has_work() || engine_->next_due() <= clock();
            if (!is_due) return;
            const auto before = engine_->durable();
            const bool has_more = engine_->turn();
            note_records(journal_->last_sequence(), timeline_.now());
            note_condition();
            if (history_.findings.empty()) check_bounds(engine_->state(), history_.findings);
            if (engine_->state().sequence.value > kRecordsMax) {
                find("G7", "the hub does not stop to record");
                is_over_ = true;
                return;
            }
            if (engine_->health().condition == engine::Condition::DiskFailed) {
                // An operator notices and restarts the hub.
                timeline_.after(entropy_.ms(10, 200), [this, life = life_] {
                    if (life == life_) kill(entropy_.percent(30));
                });
                return;
            }
            const bool is_idle = !has_more && engine_->durable() == before;
            if (is_idle && !engine_->has_work()) return;
            if (engine_->health().condition == engine::Condition::DiskFull && !has_more) return;
        }
    } catch (const Crashed&) {
        fall(entropy_.percent(60));
    }
}

Time Hub::wake_at() const {
    if (!is_up() || engine_->health().condition == engine::Condition::DiskFailed) {
        return Time::max();
    }
    const auto due = engine_->next_due();
    const auto ahead = engine_->now() - timeline_.now();
    return due == Time::max() ? due : std::max(due - ahead, timeline_.now() + Duration{1});
}

void Hub::plan_disk_fault() {
    constexpr auto kKinds = std::size(journal::testing::kDiskFailures);
    disk_.plan(entropy_.below(60), journal::testing::kDiskFailures[entropy_.below(kKinds)]);
    note(FaultKind::DiskFault);
}

void Hub::fill_disk(bool is_full) {
    constexpr auto kEndless = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t used = 0;
    for (const auto& [name, bytes] : disk_.contents()) used += bytes.size();
    disk_.set_capacity(is_full ? used + entropy_.below(20'000) : kEndless);
    if (is_full) note(FaultKind::DiskFull);
}

void Hub::exhaust_descriptors(bool are_exhausted) {
    const auto refused = disk_.opens_refused();
    if (refused > descriptor_refusals_) note(FaultKind::DescriptorsExhausted);
    descriptor_refusals_ = refused;
    disk_.refuse_opens(are_exhausted);
}

void Hub::copy_data() {
    const bool is_well =
        is_up() && !is_calm_ && engine_->health().condition == engine::Condition::Serving;
    // The window's views of the journal cannot go back in time.
    if (!is_well || was_flipped_ || window_) return;
    copy_ = DataCopy{.disk = disk_.clone(),
                     .at = timeline_.now(),
                     .told = told_,
                     .processes = history_.processes.size(),
                     .starts = history_.starts.size(),
                     .asked = history_.asked.size(),
                     .shown = history_.shown.size(),
                     .told_people = history_.told_people.size()};
}

bool Hub::may_restore() const { return copy_ && !is_calm_ && !was_flipped_ && !is_over_; }

/// Replaces the disk by the copy. The hub cannot know of the run since the copy, but agents still
/// bring its tokens and ids.
void Hub::restore_copy() {
    auto journal = journal::Journal::open(
        *copy_->disk, {.segment_bytes = plan_.journal.segment_bytes, .is_read_only = true});
    if (!journal) return;
    const auto kept = (*journal)->last_sequence().value;
    journal->reset();
    note(FaultKind::OlderCopyRestored);
    for (auto i = copy_->shown; i < history_.shown.size(); ++i) {
        const auto* const deliver = std::get_if<Deliver>(&history_.shown[i].effect);
        if (deliver == nullptr) continue;
        const auto& token = deliver->delivery;
        lost_tokens_.emplace(token.ticket, token.attempt, token.epoch);
    }
    disk_.restore(*copy_->disk);
    told_ = copy_->told;
    // The copied process ended with the copy, and no process has run since.
    history_.processes.resize(copy_->processes);
    history_.processes.back().end = copy_->at;
    paused_at_ = copy_->at;
    history_.starts.resize(copy_->starts);
    history_.asked.resize(copy_->asked);
    history_.shown.erase(history_.shown.begin() + static_cast<std::ptrdiff_t>(copy_->shown),
                         history_.shown.end());
    history_.told_people.erase(
        history_.told_people.begin() + static_cast<std::ptrdiff_t>(copy_->told_people),
        history_.told_people.end());
    copy_.reset();
    if (listener_.on_restored) listener_.on_restored();
    if (history_.journal.size() <= kept) return;
    history_.journal.erase(history_.journal.begin() + static_cast<std::ptrdiff_t>(kept),
                           history_.journal.end());
    shadow_ = core::State{};
    shadow_.limits = plan_.limits;
    for (const auto& entry : history_.journal) core::apply(shadow_, entry.at, entry.event);
}

void Hub::jump_wall_clock(Duration by) {
    skew_ += by;
    note(FaultKind::ClockJumped);
}

void Hub::calm() {
    is_calm_ = true;
    disk_.forget_plans();
    exhaust_descriptors(false);
    fill_disk(false);
    if (is_up() && engine_->health().condition == engine::Condition::DiskFailed) kill(false);
}

/// Appends the records that are new on the disk to the history.
void Hub::read_journal() {
    const auto up_to = journal_->last_sequence();
    auto reader = journal::Reader::open(disk_, {history_.journal.size() + 1});
    if (!reader) return find("A2", "the journal cannot be read: " + reader.error().message);
    journal::Record record;
    for (;;) {
        const auto more = reader->next(record, up_to);
        if (!more) {
            if (!was_flipped_) find("A2", "a record cannot be read: " + more.error().message);
            return;
        }
        if (!*more) break;
        auto event = journal::decode(record);
        if (!event) return find("A2", "a record cannot be decoded: " + event.error().message);
        shadow_.limits = plan_.limits;
        core::apply(shadow_, record.at, *event);
        history_.coverage.note(*event);
        const auto world = written_.at(record.sequence.value - 1);
        history_.journal.push_back({record.sequence, record.at, std::move(*event), world});
    }
}

/// The hub started despite a flipped bit: no record may read differently.
void Hub::look_for_altered() {
    auto reader = journal::Reader::open(disk_, {1});
    journal::Record record;
    std::string known;
    for (const auto& entry : history_.journal) {
        const auto more = reader ? reader->next(record, journal_->last_sequence())
                                 : Result<bool>{tl::unexpected(reader.error())};
        if (!more || !*more) return;  // The damage was found: the record is refused and not served.
        known.clear();
        journal::encode(entry.event, {entry.sequence, entry.at}, known);
        if (record.payload == known && record.at == entry.at) continue;
        return find("A2",
                    "record " + std::to_string(entry.sequence.value) +
                        " was altered on the disk and is served");
    }
}

void Hub::compare_states(const std::string& lived, const std::string& when) {
    if (was_flipped_) return;
    if (lived == core::encode_state(shadow_)) return;
    find("W11",
         when + ", at record " + std::to_string(shadow_.sequence.value) +
             ", the state of the hub is not the one that its journal gives");
}

/// Compares the live state with the state from the newest snapshot plus journal, as a start would
/// build that state, and verifies the whole journal.
void Hub::close() {
    if (!is_up() || was_flipped_) return;
    const auto lived = core::encode_state(engine_->state());
    read_journal();
    compare_states(lived, "at the end");
    if (window_) window_->close(journal_->last_sequence());

    const auto verified = journal::verify(disk_, [](std::uint64_t, std::uint64_t) {});
    if (!verified) {
        find("A2", "the journal cannot be verified: " + verified.error().message);
    } else if (!verified->problem.empty()) {
        find("A2", "the journal does not verify: " + verified->problem);
    } else if (verified->last < told_) {
        find("A2", "the journal ends before what the outside was told of");
    } else {
        for (const auto byte : verified->chain) trace(byte);
    }

    const auto copy = disk_.clone();
    auto journal = journal::Journal::open(
        *copy, {.segment_bytes = plan_.journal.segment_bytes, .is_read_only = true});
    if (!journal) return find("A2", "the journal does not open: " + journal.error().message);
    core::State state;
    state.limits = plan_.limits;
    if (auto snapshot = (*journal)->newest_snapshot(); snapshot && *snapshot) {
        auto decoded = core::decode_state((*snapshot)->payload, plan_.limits);
        if (!decoded) return find("W11", "a snapshot does not load: " + decoded.error().message);
        state = std::move(*decoded);
    }
    const auto replayed =
        (*journal)->replay(state.sequence, [&](const journal::Record& record) -> Result<void> {
            core::apply(state, record.at, TRY(journal::decode(record)));
            return {};
        });
    if (!replayed) return find("A2", "the journal does not replay: " + replayed.error().message);
    if (core::encode_state(state) != lived) {
        find("W11", "snapshot and tail do not give the state of the hub");
    }
    for (const auto& letter : engine_->dead_letters({.count_max = 1'000'000})) {
        history_.dead.insert(letter.ticket);
    }
    for (const auto& [workflow, context] : engine_->state().shared.contexts) {
        history_.told[workflow] = context.history;
    }
}

}  // namespace parlance::sim
