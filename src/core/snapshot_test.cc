// A state as bytes and back; and bytes of no state.
#include "core/snapshot.h"

#include <random>

#include <gtest/gtest.h>

#include "base/check.h"
#include "core/snapshot_pieces.h"
#include "core/testing/older_snapshot.h"
#include "core/testing/story.h"
#include "core/words.h"

namespace parlance::core {
namespace {

using namespace std::chrono_literals;

/// Some of everything that is shared, with one context in a handoff.
void share(Story& story) {
    story.ask(WriteContext{.workflow = "w",
                           .agent = {"alice"},
                           .entities = R"({"e":{"n":1}})",
                           .history = {R"({"did":"it"})"},
                           .artifacts = {"1"}});
    const auto& context = story.state().shared.contexts.at("w");
    const Letter letter{.id = "h", .to = "carol", .intent = Intent::Request};
    story.ask(HandOffContext{.workflow = "w",
                             .version = context.version,
                             .request = {.envelope = envelope(letter), .priority = Priority::High},
                             .done = envelope({.id = "d", .from = "carol", .to = "alice"})});
    story.ask(WriteTask{.id = "t", .document = R"({"id":"t"})", .agent = "bob", .user = "u"});
    story.ask(WriteAllocation{
        .id = "a",
        .allocation = {
            .agent = "bob", .resource = "cpu", .limit = 9, .expires_at = story.now() + 1h}});
    story.ask(WriteSession{.id = "s", .user = "u", .agent = "bob", .agent_state = "1"});
    story.ask(AddFacts{"s", {{.kind = "fact", .about = "a", .value = "1"}}});
    story.ask(KeepAnalysis{.session = "s", .key = "k", .capability = "c", .result = "1"});
}

/// A state with some of everything.
void live(Story& story) {
    story.limits().remembered_ids_max = 16;
    story.agent("alice").agent("carol");
    story.ask(RegisterAgent{{"bob"},
                            {.dialect = Dialect::Kessel,
                             .role = "clerk",
                             .tools_allowed = {"pen", "ink"},
                             .endpoint = "http://bob"}});
    story.ask(Subscribe{{"bob"}, {"news"}}).ask(Subscribe{{"carol"}, {"news"}});
    story.connect("bob", 3);
    const auto poller = story.poll("carol");
    story.send({.id = "m1", .task = "t"}).send({.id = "m2", .task = "t"}, Priority::Critical);
    story.send_for(1min, {.id = "m3", .task = "t"}, Priority::Low);
    story.send({.id = "m4"}, Priority::Normal).send({.id = "m5"}, Priority::Low);
    story.send({.id = "e1", .to = "topic:news", .body = R"({"n":1})"});
    story.ask(TakeMessages{poller, 1});
    story.request({.id = "q1", .to = "carol", .task = "u", .correlation = "c"}, true);
    story.request({.id = "q2", .to = "carol", .correlation = "c"});
    story.ask(TakeMessages{poller, 1});
    story.ask(NackDelivery{story.last_delivery(), "never", true});
    story.ask(TakeMessages{poller, 1}).nack(story.last_delivery());
    for (int i = 0; i < 12; ++i) story.send({.id = "x" + std::to_string(i), .to = "carol"});
    story.request({.id = "q3", .to = "human:legal", .correlation = "c"});
    story.as_operator().ask(OpenHumanTask{{.kind = HumanKind::Choose,
                                           .text = "Which?",
                                           .context = "{}",
                                           .options = {"red", "blue"},
                                           .workflow = "w",
                                           .reminder = 1min,
                                           .escalation = "finance",
                                           .approvals_needed = 2}});
    story.as_operator().ask(OpenHumanTask{{.text = "May I?"}});
    story.as_caller({.agent = {"ann"}, .is_operator = true});
    story.ask(AnswerHumanTask{story.state().people.human_tasks.tickets().back()}).as_the_hub();
    share(story);
}

TEST(Snapshot, W11_AReloadedHubContinuesUnchanged) {
    Story story;
    live(story);
    auto reloaded = decode_state(encode_state(story.state()), story.limits());
    ASSERT_TRUE(reloaded);
    EXPECT_EQ(next_due(*reloaded), next_due(story.state()));
    story.state() = std::move(*reloaded);
    story.restart().later(10s);
    story.connect("bob", 100);
    story.later(10min).tick();
    EXPECT_GT(story.happened<RequestFailed>().size() + story.happened<MessageExpired>().size(), 0U);
}

TEST(Snapshot, W11_CopiesOfOneMessageHaveTheSameBytesHoweverTheyAreShared) {
    Story story;
    story.agent("alice").agent("bob");
    const auto bob = story.poll("bob");
    // The dead question and the notice of its failure share one envelope, with another message
    // between.
    story.request({.id = "q", .to = "bob"});
    story.ask(TakeMessages{bob, 1});
    const auto question = story.last_delivery();
    story.send({.id = "m", .to = "bob"});
    story.ask(NackDelivery{question, "never", true});
    auto reloaded = decode_state(encode_state(story.state()), story.limits());
    ASSERT_TRUE(reloaded);
    story.state() = std::move(*reloaded);
    story.ask(TakeMessages{bob, 1});
    story.ask(AckDelivery{story.last_delivery()});  // Story compares with the replay.
    EXPECT_EQ(story.happened<DeliveryAcknowledged>().size(), 1U);
}

TEST(Snapshot, AnEmptyStateIsAState) {
    const auto bytes = encode_state({});
    const auto state = decode_state(bytes, {});
    ASSERT_TRUE(state);
    EXPECT_EQ(encode_state(*state), bytes);
}

std::vector<std::string> pieces_of(const State& state, std::size_t piece_bytes = kPieceBytes) {
    std::vector<std::string> pieces;
    const auto keep = [&](std::string piece) {
        pieces.push_back(std::move(piece));
        return true;
    };
    EXPECT_TRUE(encode_state(state, keep, piece_bytes));
    return pieces;
}

std::string joined(const std::vector<std::string>& pieces) {
    std::string bytes;
    for (const auto& piece : pieces) bytes += piece;
    return bytes;
}

Result<State> decode_pieces(const std::vector<std::string>& pieces, const Limits& limits) {
    std::size_t next = 0;
    const auto source = [&](std::string& piece) -> Result<bool> {
        if (next == pieces.size()) return false;
        piece = pieces[next++];
        return true;
    };
    return decode_state(source, joined(pieces).size(), limits);
}

TEST(Snapshot, PiecesOfAnySizeGiveTheSameBytesAndState) {
    Story story;
    live(story);
    const auto bytes = encode_state(story.state());
    std::size_t count_before = bytes.size();
    for (const std::size_t size : {1U, 10U, 100U, 1'000U, 1U << 20U}) {
        const auto pieces = pieces_of(story.state(), size);
        EXPECT_EQ(joined(pieces), bytes);
        EXPECT_LT(pieces.size(), count_before) << size;
        count_before = pieces.size();
        const auto state = decode_pieces(pieces, story.limits());
        ASSERT_TRUE(state) << size << ": " << state.error().message;
        EXPECT_EQ(encode_state(*state), bytes);
    }
    EXPECT_EQ(count_before, 1U);
}

TEST(Snapshot, MissingOrExtraPiecesAreAnError) {
    Story story;
    live(story);
    const auto pieces = pieces_of(story.state(), 1);
    ASSERT_GT(pieces.size(), 100U);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        auto fewer = pieces;
        fewer.resize(i);
        EXPECT_FALSE(decode_pieces(fewer, story.limits())) << "cut behind " << i;
    }
    auto more = pieces;
    more.emplace_back("\0", 1);
    EXPECT_FALSE(decode_pieces(more, story.limits()));
}

TEST(Snapshot, AnErrorOfTheSourceIsReturnedUnchanged) {
    Story story;
    live(story);
    const auto pieces = pieces_of(story.state(), 100);
    std::size_t next = 0;
    const auto source = [&](std::string& piece) -> Result<bool> {
        if (next == 3) return fail(Fault::Unavailable, "the disk failed");
        piece = pieces[next++];
        return true;
    };
    const auto state = decode_state(source, 1 << 20, story.limits());
    ASSERT_FALSE(state);
    EXPECT_EQ(state.error().fault, Fault::Unavailable);
}

/// Fills a mailbox with messages of this size, without a comparison after each.
void fill(Story& story, std::size_t messages, std::size_t body_bytes) {
    auto& state = story.state();
    for (std::size_t i = 0; i < messages; ++i) {
        Events events;
        const Letter letter{.id = "large-" + std::to_string(i),
                            .body = '"' + std::string(body_bytes, 'x') + '"'};
        decide(state,
               {.command = SendMessage{.envelope = envelope(letter), .fingerprint = i},
                .now = state.now},
               events);
        for (const auto& event : events) apply(state, state.now, event);
    }
    ASSERT_EQ(state.broker.messages.size(), messages);
}

TEST(Snapshot, ALargeStateIsNeverHeldAsOneString) {
    Story story;
    story.agent("alice").agent("bob");
    constexpr std::size_t kBody = 200'000;
    fill(story, 60, kBody);
    const auto pieces = pieces_of(story.state());
    EXPECT_GE(pieces.size(), 9U);
    for (const auto& piece : pieces) EXPECT_LT(piece.size(), kPieceBytes + kBody + 1'000);
    EXPECT_EQ(joined(pieces), encode_state(story.state()));
    const auto state = decode_pieces(pieces, story.limits());
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(encode_state(*state), joined(pieces));
}

TEST(Snapshot, ManySmallThingsFillSeveralPiecesToo) {
    Story story;
    story.agent("alice").agent("bob");
    fill(story, 20'000, 1);
    const auto pieces = pieces_of(story.state(), 10'000);
    for (const auto& piece : pieces) EXPECT_LT(piece.size(), 10'500U);
    const auto state = decode_pieces(pieces, story.limits());
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(encode_state(*state), joined(pieces));
}

TEST(Snapshot, AnItemLargerThanAPieceMakesALargerPiece) {
    Story story;
    story.agent("alice").agent("bob");
    fill(story, 3, 3 * kPieceBytes);
    const auto pieces = pieces_of(story.state());
    EXPECT_GE(pieces.size(), 3U);
    EXPECT_EQ(joined(pieces), encode_state(story.state()));
    const auto state = decode_pieces(pieces, story.limits());
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(encode_state(*state), joined(pieces));
}

TEST(Snapshot, EncodingStopsBehindTheLastWantedPiece) {
    Story story;
    story.agent("alice").agent("bob");
    fill(story, 1'000, 100);
    int taken = 0;
    const auto sink = [&](const std::string& /*piece*/) { return ++taken < 3; };
    EXPECT_FALSE(encode_state(story.state(), sink, 1'000));
    EXPECT_EQ(taken, 3);
}

TEST(Snapshot, ANewerFormIsUnsupported) {
    auto bytes = encode_state({});
    bytes[0] = static_cast<char>(bytes[0] + 1);
    const auto state = decode_state(bytes, {});
    ASSERT_FALSE(state);
    EXPECT_EQ(state.error().fault, Fault::Unsupported);
}

/// Before form 13 there were no epochs: the state as such a hub would have left it.
std::string encode_without_epoch(Story& story) {
    story.state().broker.epoch = {};
    return encode_state(story.state());
}

TEST(Snapshot, AnOlderFormWithoutLaterPartsIsRead) {
    Story story;
    story.agent("alice").send({.id = "m1", .to = "alice"});
    const auto bytes = encode_without_epoch(story);
    for (const char form : {'\2', '\3', '\4'}) {
        std::size_t found = 0;
        auto older = bytes;
        older[0] = form;
        // Later additions are empty here, and so nothing but zeros.
        while (older.back() == 0) {
            older.pop_back();
            const auto state = decode_state(older, story.limits());
            if (!state) continue;
            ++found;
            EXPECT_EQ(encode_state(*state), bytes);
        }
        EXPECT_EQ(found, 1U) << "form " << int{form};
    }
}

/// Before form 12 a snapshot did not end with the approvals of a stopped fleet, the stop itself and
/// the steps of rates; all of these are empty here.
std::string without_stop(std::string bytes) {
    for (int i = 0; i < 7; ++i) {  // Two of them are the epoch and the leases of earlier epochs.
        CHECK(bytes.back() == 0);
        bytes.pop_back();
    }
    return bytes;
}
/// Before form 11 there were no silent instances in a snapshot; here there are none.
std::string without_silent(std::string bytes) {
    bytes = without_stop(std::move(bytes));
    CHECK(bytes.back() == 0);
    bytes.pop_back();
    return bytes;
}

TEST(Snapshot, FormElevenIsReadAsThePresentForm) {
    Story story;
    story.agent("bob");
    story.connect("bob", 1);
    const auto now = encode_without_epoch(story);
    auto eleven = without_stop(now);
    eleven[0] = 11;
    const auto reloaded = decode_state(eleven, story.limits());
    ASSERT_TRUE(reloaded) << reloaded.error().message;
    EXPECT_EQ(encode_state(*reloaded), now);
}

TEST(Snapshot, FormTenIsReadAsThePresentForm) {
    Story story;
    story.agent("bob");
    story.connect("bob", 1);
    const auto now = encode_without_epoch(story);
    auto ten = without_silent(now);
    ten[0] = 10;
    const auto reloaded = decode_state(ten, story.limits());
    ASSERT_TRUE(reloaded) << reloaded.error().message;
    EXPECT_EQ(encode_state(*reloaded), now);
}

TEST(Snapshot, T16_AnAbsentEndpointIsAbsentAfterAReload) {
    Story story;
    story.agent("bob");
    story.ask(JoinInstance{{"bob"}, "endpoint", InstanceKind::Push, 1});
    story.send({.id = "m1"});
    const auto first = story.now();
    while (story.now() - first < story.limits().heartbeat_timeout) {
        story.ask(NackDelivery{.delivery = story.last_delivery(), .is_unheard = true});
        story.at(story.retry_at()).tick();
    }
    story.ask(NackDelivery{.delivery = story.last_delivery(), .is_unheard = true});
    const auto reloaded = decode_state(encode_state(story.state()), story.limits());
    ASSERT_TRUE(reloaded) << reloaded.error().message;
    EXPECT_FALSE(is_there(*reloaded, registry::find_agent(reloaded->registry, "bob")));
    EXPECT_EQ(encode_state(*reloaded), encode_state(story.state()));
}

TEST(Snapshot, T16_ASilentPollerWithALeaseIsSilentAfterAReload) {
    Story story;
    story.agent("bob");
    const auto poller = story.poll("bob");
    story.send({.id = "m1"}).ask(TakeMessages{poller, 1});
    story.ask(ExtendLease{story.last_delivery(), 600s});
    for (int i = 0; i < 2; ++i) story.later(30s).tick();
    const auto reloaded = decode_state(encode_state(story.state()), story.limits());
    ASSERT_TRUE(reloaded) << reloaded.error().message;
    EXPECT_FALSE(is_there(*reloaded, registry::find_agent(reloaded->registry, "bob")));
    EXPECT_EQ(next_due(*reloaded), next_due(story.state()));
    EXPECT_EQ(encode_state(*reloaded), encode_state(story.state()));
}

TEST(Snapshot, FormSixIsReadAsThePresentForm) {
    const std::string run_id = "5f0c9a52-6a1d-4f0e-9b7e-0123456789ab";
    Story story;
    story.agent("a");
    story.connect("a", 8);
    story.ask(StartWorkflow{.id = "5f0c9a52-6a1d-4f0e-9b7e-0123456789ab",
                            .plan = R"({"steps":[{"id":"x","agent":"a"},
            {"id":"y","agent":"a","after":["x"]},
            {"id":"z","human":{"role":"legal","question":"May we?"}}]})",
                            .input = R"({"n":1})"});
    const auto body = R"({"output":{"found":42}})";
    const auto reply = envelope({.id = "r",
                                 .from = "a",
                                 .to = "ORC",
                                 .correlation = run_id,
                                 .intent = Intent::Reply,
                                 .body = body});
    story.ask(ReplyToDelivery{.delivery = story.last_delivery(), .envelope = reply});
    const auto& state = story.state();
    // Form 6 did not record pending notifications: people have been notified.
    const auto& human_tasks = state.people.human_tasks;
    ASSERT_EQ(human_tasks.size(), 1U);
    const auto question = human_tasks.tickets().front();
    story.ask(NotePeopleTold{.id = question, .news = human_tasks.at(question)->news});
    ASSERT_EQ(human_tasks.at(question)->news, Sequence{});
    const auto now = encode_without_epoch(story);
    auto six = without_silent(now);
    six[0] = 6;
    // The place of the number of agents with tools set by an operator had the number of delegations
    // granted by a person.
    ASSERT_EQ(six.back(), 0);
    age(six,
        state.workflows.runs,
        workflow::RunCodec{&state.workflows.plans},
        [&](auto& out, const auto& run) {
            ASSERT_EQ(run.steps[0].stage, workflow::Stage::Done);
            ASSERT_EQ(run.steps[0].items[0].output, R"({"found":42})");
            put_six(out, run, reply);
        });
    const auto put_older = [](auto& out, const auto& thing) { put_six(out, thing); };
    age(six, state.people.human_tasks, people::HumanTaskCodec{}, put_older);
    age(six, state.governor.lineage.roots, governor::RootCodec{}, put_older);
    age(six, state.governor.lineage.delegations, governor::DelegationCodec{}, put_older);
    const auto reloaded = decode_state(six, story.limits());
    ASSERT_TRUE(reloaded) << reloaded.error().message;
    EXPECT_EQ(encode_state(*reloaded), now);
}

TEST(Snapshot, FormEightIsReadAsThePresentForm) {
    Story story;
    for (const auto* const name : {"a", "b"}) {
        story.agent(name);
        story.connect(name, 8);
    }
    // One step is done, one runs, one waits, and one has a human task.
    story.ask(StartWorkflow{.id = "5f0c9a52-6a1d-4f0e-9b7e-0123456789ab",
                            .plan = R"({"timeout_ms":90000,"steps":[{"id":"x","agent":"a"},
            {"id":"y","agent":"a","after":["x"]},{"id":"w","agent":"b","after":["y"]},
            {"id":"z","human":{"role":"legal","kind":"choose","options":["yes","no"],
                               "question":"May we?"}}]})",
                            .input = R"({"n":1})",
                            .user = "ann"});
    story.ask(ReplyToDelivery{.delivery = story.last_delivery(),
                              .envelope = envelope({.id = "r",
                                                    .from = "a",
                                                    .to = "ORC",
                                                    .intent = Intent::Reply,
                                                    .body = R"({"output":{"found":42}})"})});
    const auto& state = story.state();
    ASSERT_EQ(state.workflows.runs.size(), 1U);
    ASSERT_FALSE(state.governor.lineage.delegations.empty());
    const auto now = encode_without_epoch(story);
    auto eight = without_silent(now);
    eight[0] = 8;
    const auto put_older = [](auto& out, const auto& thing) { put_eight(out, thing); };
    age(eight, state.workflows.runs, workflow::RunCodec{&state.workflows.plans}, put_older);
    age(eight, state.people.human_tasks, people::HumanTaskCodec{}, put_older);
    age(eight, state.governor.lineage.roots, governor::RootCodec{}, put_older);
    age(eight, state.governor.lineage.delegations, governor::DelegationCodec{}, put_older);
    EXPECT_GT(eight.size(), now.size()) << "which is what form 9 is for";
    const auto reloaded = decode_state(eight, story.limits());
    ASSERT_TRUE(reloaded) << reloaded.error().message;
    EXPECT_EQ(encode_state(*reloaded), now);
}

TEST(Snapshot, FormNineIsReadAsThePresentForm) {
    Story story;
    story.agent("a").agent("b");
    story.as("a").request({.id = "q", .from = "a", .to = "all:b"});
    auto& calls = story.state().handing.calls;
    ASSERT_EQ(calls.size(), 1U);
    const auto call = calls.begin()->second;
    ASSERT_EQ(call.by, "a");
    // A call did not record on whose word and below which request it was opened.
    std::string until;
    put(until, call.until);
    auto encoded_call = until;
    put(encoded_call, call.by);
    put(encoded_call, call.parent.value);
    put(encoded_call, std::uint64_t{call.is_placed});
    const auto now = encode_without_epoch(story);
    auto nine = without_silent(now);
    nine[0] = 9;
    ASSERT_NE(nine.find(encoded_call), std::string::npos);
    nine.replace(nine.find(encoded_call), encoded_call.size(), until);
    auto reloaded = decode_state(nine, story.limits());
    ASSERT_TRUE(reloaded) << reloaded.error().message;
    auto& older = reloaded->handing.calls.begin()->second;
    EXPECT_FALSE(older.is_placed);
    older.by = call.by;
    older.is_placed = call.is_placed;
    EXPECT_EQ(encode_state(*reloaded), now);
}

TEST(Snapshot, EveryTruncationIsAnError) {
    Story story;
    live(story);
    const auto bytes = encode_state(story.state());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto state = decode_state(std::string_view{bytes}.substr(0, size), {});
        EXPECT_FALSE(state) << "cut after " << size << " of " << bytes.size();
    }
    EXPECT_FALSE(decode_state(bytes + '\0', {})) << "and so is a byte too many";
}

/// A state that can be read can be written, read again and run.
void expect_sound(const std::string& bytes, const Limits& limits) {
    auto state = decode_state(bytes, limits);
    if (!state) return;
    const auto written = encode_state(*state);
    const auto again = decode_state(written, limits);
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_EQ(encode_state(*again), written);

    Events events;
    Effects effects;
    const auto live_through = [&](Command command) {
        const Stamped stamped{
            .command = std::move(command), .now = state->now, .reply_target = {1}};
        decide(*state, stamped, events);
        for (const auto& event : events) {
            apply(*state, stamped.now, event);
            react(*state, stamped, event, effects);
        }
        return !events.empty();
    };
    if (state->sequence.value > 1'000'000) return;
    live_through(RegisterAgent{{"bob"}, {}});
    live_through(JoinInstance{{"bob"}, "new", InstanceKind::Socket, 100});
    for (int i = 0; i < 30 && live_through(Tick{}); ++i) {
    }
    for (const auto& deliver : Effects{effects}) {
        const auto* delivery = std::get_if<Deliver>(&deliver);
        if (delivery != nullptr) live_through(AckDelivery{delivery->delivery});
    }
    live_through(StartHub{});
}

TEST(Snapshot, AFlippedBitInAnyByteIsAnErrorOrASoundState) {
    Story story;
    live(story);
    const auto bytes = encode_state(story.state());
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        // The lowest bit changes a number, the highest joins it to the next number.
        for (const unsigned bit : {0U, static_cast<unsigned>(at % 8), 7U}) {
            auto changed = bytes;
            changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ (1U << bit));
            expect_sound(changed, story.limits());
            if (testing::Test::HasFatalFailure()) FAIL() << "byte " << at << ", bit " << bit;
        }
    }
}

TEST(Snapshot, RandomChangesAreAnErrorOrASoundState) {
    Story story;
    live(story);
    const auto bytes = encode_state(story.state());
    std::mt19937_64 entropy{7};
    const auto any = [&](std::size_t end) { return static_cast<std::size_t>(entropy() % end); };
    for (int round = 0; round < 2000; ++round) {
        auto changed = bytes;
        switch (any(4)) {
            case 0:
                changed[any(bytes.size())] = static_cast<char>(entropy());
                break;
            case 1:
                changed.erase(any(bytes.size()), 1 + any(4));
                break;
            case 2:
                changed.insert(any(bytes.size()), 1 + any(4), static_cast<char>(entropy()));
                break;
            default:
                std::swap(changed[any(bytes.size())], changed[any(bytes.size())]);
        }
        expect_sound(changed, story.limits());
        if (testing::Test::HasFatalFailure()) FAIL() << "round " << round;
    }
}

TEST(Snapshot, GarbageNeverReservesMoreMemoryThanItsBytes) {
    std::mt19937_64 entropy{11};
    for (int round = 0; round < 2000; ++round) {
        std::string bytes(1 + entropy() % 200, '\0');
        for (auto& byte : bytes) byte = static_cast<char>(entropy() % 4 == 0 ? 0xFF : entropy());
        bytes[0] = 1;
        expect_sound(bytes, {});
    }
}

}  // namespace
}  // namespace parlance::core
