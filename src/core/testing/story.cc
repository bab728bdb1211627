#include "core/testing/story.h"

#include <algorithm>
#include <deque>

#include "core/snapshot_pieces.h"
#include "core/testing/ends_once.h"
#include "core/testing/plain_message_writer.h"

namespace parlance::core {

Story::Story() {
    static const PlainMessageWriter message_writer;
    state_.message_writer = &message_writer;
    state_.limits.awake_max = 1;  // Everything waiting is packed, and no test may notice.
    ask(StartHub{.hub_id = "hub-1", .hash_key_0 = 1, .hash_key_1 = 2, .version = "test"});
}

Story::~Story() = default;

Story& Story::ask(Command command) {
    events_.clear();
    effects_.clear();
    if (std::holds_alternative<StartHub>(command)) liveness_.begin(state_, now_);
    step({.command = std::move(command),
          .caller = caller_,
          .now = now_,
          .entropy = ++entropy_,
          .reply_target = {77}});
    int ticks = 0;
    while (follow()) {
        if (++ticks < kTicksMax) continue;
        ADD_FAILURE() << "the hub never comes to rest";
        break;
    }
    if (++asked_ % replayed_every_ == 0) expect_replay();
    return *this;
}

/// Takes a tick; false if nothing happened.
bool Story::follow() {
    const auto silent = liveness_.silent(now_, state_.limits.heartbeat_timeout);
    const Tick tick{silent.value_or(InstanceNumber{})};
    return step({.command = tick, .now = now_, .entropy = ++entropy_}) || silent.has_value();
}

Time Story::next_due() const {
    return std::min(core::next_due(state_), liveness_.next_due(state_.limits.heartbeat_timeout));
}

InstanceNumber Story::connect(const std::string& id, std::uint32_t credit, std::string name) {
    ask(JoinInstance{{id}, std::move(name), InstanceKind::Socket, credit});
    return {state_.registry.instance_last};
}

InstanceNumber Story::poll(const std::string& id, std::string name) {
    ask(JoinInstance{{id}, std::move(name), InstanceKind::Poll, 0});
    const auto joined = asked_for<TellJoined>();
    return joined.empty() ? InstanceNumber{} : joined.back().instance;
}

Story& Story::send(const Letter& letter, Priority priority) {
    return ask(SendMessage{
        .envelope = envelope(letter), .priority = priority, .fingerprint = fingerprint(letter)});
}

Story& Story::send_for(Duration ttl, const Letter& letter, Priority priority) {
    return ask(SendMessage{.envelope = envelope(letter),
                           .priority = priority,
                           .ttl = ttl,
                           .fingerprint = fingerprint(letter)});
}

Ticket Story::request(Letter letter,
                      bool waits,
                      Priority priority,
                      std::optional<Duration> timeout) {
    letter.intent = Intent::Request;
    ask(SendMessage{.envelope = envelope(letter),
                    .priority = priority,
                    .timeout = timeout,
                    .fingerprint = fingerprint(letter),
                    .waits = waits});
    const auto accepted = happened<MessageAccepted>();
    return accepted.empty() ? Ticket{} : accepted.front().ticket;
}

std::vector<std::string> Story::delivered() const {
    std::vector<std::string> ids;
    for (const auto& deliver : asked_for<Deliver>()) ids.emplace_back(deliver.envelope->id());
    return ids;
}

Refusal Story::refusal() const {
    const auto refused = asked_for<TellRefused>();
    return refused.empty() ? Refusal::None : refused.back().refusal;
}

Time Story::retry_at() const {
    const auto returned = happened<DeliveryReturned>();
    return returned.empty() ? Time{} : returned.back().retry_at;
}

const broker::Mailbox& Story::mailbox(const std::string& agent) const {
    return broker::mailbox_of(state_.broker, registry::find_agent(state_.registry, agent));
}

DeliveryToken Story::last_delivery() const {
    const auto all = asked_for<Deliver>();
    return all.empty() ? DeliveryToken{} : all.back().delivery;
}

bool Story::step(const Stamped& stamped) {
    Events events;
    Heard heard;
    decide(state_, stamped, events, &heard);
    EXPECT_EQ(ended_twice(events), "") << "one decision ends it twice";
    for (const auto& event : events) {
        apply(state_, stamped.now, event);
        history_.emplace_back(stamped.now, event);
        react(state_, stamped, event, effects_);
        events_.push_back(event);
    }
    liveness_.note(stamped, events, heard);
    return !events.empty();
}

namespace {

/// The bytes of open requests whose message is in no mailbox, counted one by one.
std::uint64_t bytes_adrift(const State& state) {
    std::uint64_t bytes = 0;
    state.requests.slots.for_each([&](Slot slot) {
        const auto& request = state.requests.open[slot];
        const bool is_adrift = broker::find_message(state.broker, request.ticket) == nullptr;
        if (is_adrift) bytes += request.asked->body().size();
    });
    for (const auto& [request, held] : state.governor.held) bytes += governor::bytes_of(held);
    return bytes;
}

/// Checks that a snapshot cut into pieces item by item loads to the same state.
void expect_pieces(const State& state, const std::string& bytes) {
    std::deque<std::string> pieces;
    const auto keep = [&](std::string piece) {
        pieces.push_back(std::move(piece));
        return true;
    };
    EXPECT_TRUE(encode_state(state, keep, 1));
    const auto source = [&](std::string& piece) -> Result<bool> {
        if (pieces.empty()) return false;
        piece = std::move(pieces.front());
        pieces.pop_front();
        return true;
    };
    const auto reloaded = decode_state(source, bytes.size(), state.limits);
    ASSERT_TRUE(reloaded) << reloaded.error().message;
    EXPECT_EQ(bytes, encode_state(*reloaded)) << "the pieces of the snapshot give another state";
}

}  // namespace

void Story::expect_replay() {
    const auto lived = encode_state(state_);
    State replayed;
    replayed.limits = state_.limits;
    replayed.limits.awake_max = Limits{}.awake_max;  // Loaded or packed must make no difference.
    for (const auto& [at, event] : history_) apply(replayed, at, event);
    EXPECT_EQ(lived, encode_state(replayed)) << "replaying the events gives another state";
    const auto reloaded = decode_state(lived, state_.limits);
    ASSERT_TRUE(reloaded) << reloaded.error().message;
    EXPECT_EQ(lived, encode_state(*reloaded)) << "reloading the snapshot gives another state";
    expect_pieces(state_, lived);
    EXPECT_EQ(state_.broker.ready_requests, reloaded->broker.ready_requests);
    EXPECT_EQ(state_.broker.answers, reloaded->broker.answers);
    EXPECT_EQ(state_.broker.hands_answers_only, reloaded->broker.hands_answers_only);
    EXPECT_TRUE(std::ranges::equal(state_.broker.mailboxes,
                                   reloaded->broker.mailboxes,
                                   {},
                                   &broker::Mailbox::requests,
                                   &broker::Mailbox::requests));
    EXPECT_EQ(state_.requests.adrift_bytes, bytes_adrift(state_));
    EXPECT_EQ(reloaded->requests.adrift_bytes, bytes_adrift(state_));
    EXPECT_EQ(bytes_kept(*reloaded), bytes_kept(state_));
    EXPECT_EQ(bytes_kept(replayed), bytes_kept(state_));
}

Story& Story::as(std::string agent) {
    caller_ = std::make_shared<Caller>(Caller{{std::move(agent)}});
    return *this;
}

Story& Story::as_caller(Caller caller) {
    caller_ = std::make_shared<Caller>(std::move(caller));
    return *this;
}

Story& Story::as_operator() {
    caller_ = std::make_shared<Caller>(Caller{{"olga"}, true});
    return *this;
}

}  // namespace parlance::core
