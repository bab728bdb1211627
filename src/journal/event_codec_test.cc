#include "journal/event_codec.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/json.h"
#include "journal/event_tables.h"

namespace parlance::journal {
namespace {

/// Decodes bytes in the long form, whose meaning does not depend on the position.
Result<Event> decode(std::string_view bytes) { return decode(bytes, Position{}); }

constexpr std::string_view kBody =
    R"({"id":"m-1","from":"alice","to":"bob","type":"TASK_ASSIGNMENT","task":"t-9"})";

EnvelopePtr some_envelope() {
    return Envelope::make({.id = kBody.substr(7, 3),
                           .from = kBody.substr(20, 5),
                           .to = "topic:news",
                           .type = kBody.substr(44, 15),
                           .task = {},
                           .correlation = "beside the body",
                           .answers = {},
                           .dialect = Dialect::Kessel,
                           .intent = Intent::Request},
                          kBody);
}

/// Gives every member a distinct value that is not the default.
struct Filler {
    std::uint64_t next = 1'000'000'007;

    void fill(std::string& text) { text = "text " + std::to_string(next++); }
    void fill(std::vector<std::string>& texts) { texts = {"one", "", std::to_string(next++)}; }
    void fill(std::uint64_t& number) { number = next++ << 20U; }
    void fill(std::uint32_t& number) { number = static_cast<std::uint32_t>(next++); }
    void fill(bool& flag) { flag = true; }
    void fill(Time& time) { time = Time{Duration{static_cast<std::int64_t>(next++)}}; }
    void fill(EnvelopePtr& envelope) { envelope = some_envelope(); }
    void fill(Priority& priority) { priority = Priority::Critical; }
    void fill(InstanceKind& kind) { kind = InstanceKind::Push; }
    void fill(DeliveryFailure& failure) { failure = DeliveryFailure::MailboxFull; }
    void fill(StepPath& path) { path = StepPath::Strategy; }
    void fill(StepEnd& end) { end = StepEnd::Blocked; }
    void fill(WorkflowEnd& end) { end = WorkflowEnd::Cancelled; }
    void fill(Refusal& refusal) { refusal = Refusal::AgentHasWork; }
    void fill(Dialect& dialect) { dialect = Dialect::Correlation; }
    void fill(HumanKind& kind) { kind = HumanKind::Choose; }
    void fill(HumanDecision& decision) { decision = HumanDecision::Edit; }
    void fill(IfNobody& what) { what = IfNobody::Wait; }
    void fill(CallKind& kind) { kind = CallKind::All; }
    void fill(AnswerKind& kind) { kind = AnswerKind::Failed; }
    template <class Tag, class Value>
    void fill(Strong<Tag, Value>& strong) {
        fill(strong.value);
    }
    template <class Owner>
    void fill(Owner& owner) {
        std::apply([&](const auto&... field) { (fill(owner.*field.member), ...); }, kFields<Owner>);
    }
};

bool is_same(const EnvelopePtr& left, const EnvelopePtr& right) {
    return left == right || (left && right && *left == *right);
}
template <class Value>
bool is_same(const Value& left, const Value& right) {
    return left == right;
}

template <class OneEvent>
void expect_same(const OneEvent& left, const OneEvent& right) {
    std::apply(
        [&](const auto&... field) {
            ([&] { EXPECT_TRUE(is_same(left.*field.member, right.*field.member)) << field.name; }(),
             ...);
        },
        kFields<OneEvent>);
}

template <class Visit>
void each_kind(const Visit& visit) {
    [&]<class... OneEvent>(const std::tuple<Kind<OneEvent>...>&) {
        (visit(std::type_identity<OneEvent>{}), ...);
    }(kKinds);
}

std::vector<Event> all_events() {
    std::vector<Event> events;
    Filler filler;
    each_kind([&]<class OneEvent>(std::type_identity<OneEvent>) {
        OneEvent event;
        filler.fill(event);
        events.emplace_back(event);
        events.emplace_back(OneEvent{});
    });
    return events;
}

std::string encoded(const Event& event) {
    std::string out;
    encode(event, out);
    return out;
}

TEST(EventCodec, RoundTripsEveryEvent) {
    for (const auto& event : all_events()) {
        SCOPED_TRACE(event_name(event));
        const auto back = decode(encoded(event));
        ASSERT_TRUE(back) << back.error().message;
        ASSERT_EQ(back->index(), event.index());
        std::visit([&]<class OneEvent>(
                       const OneEvent& one) { expect_same(one, std::get<OneEvent>(*back)); },
                   event);
    }
}

TEST(EventCodec, AppendsToTheOutput) {
    std::string out = "before";
    encode(WaitEnded{Ticket{7}}, out);
    EXPECT_EQ(out, "before" + encoded(WaitEnded{Ticket{7}}));
}

TEST(EventCodec, WritesNoDefaults) {
    EXPECT_EQ(encoded(LeaseGranted{}).size(), 1U);
    EXPECT_EQ(encoded(MessageAccepted{}).size(), 1U);
}

TEST(EventCodec, WritesCommonEventsInFewBytes) {
    EXPECT_LE(encoded(DeliveryAcknowledged{Ticket{70'000}, 1}).size(), 7U);
    const auto bytes = encoded(MessageAccepted{.ticket = Ticket{1}, .envelope = some_envelope()});
    EXPECT_LE(bytes.size(), kBody.size() + 60);
}

TEST(EventCodec, KeepsTimesBeforeTheEpoch) {
    const Event event = LeaseExtended{Ticket{1}, Time{Duration{-5}}};
    EXPECT_EQ(std::get<LeaseExtended>(*decode(encoded(event))).until, Time{Duration{-5}});
}

TEST(EventCodec, SkipsFieldsOfANewerWriter) {
    auto bytes = encoded(WaitEnded{Ticket{7}});
    append_varint(bytes, 30U << 2U | 0U);
    append_varint(bytes, 123456789);
    append_varint(bytes, 31U << 2U | 1U);
    append_varint(bytes, 3);
    bytes += "new";
    append_varint(bytes, 32U << 2U | 2U);
    append_word(bytes, std::uint64_t{1} << 63U);
    const auto back = decode(bytes);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(std::get<WaitEnded>(*back).request, Ticket{7});
}

TEST(EventCodec, RefusesAnEventOfANewerWriter) {
    std::string bytes;
    append_varint(bytes, kKindNumberLast + 1);
    EXPECT_EQ(decode(bytes).error().fault, Fault::Unsupported);
}

TEST(EventCodec, RefusesANumberThatNoEventHas) {
    std::string bytes;
    append_varint(bytes, kKind<HumanAsked>.number - 1);
    EXPECT_EQ(decode(bytes).error().fault, Fault::Unsupported);
}

TEST(EventCodec, RefusesAValueOfANewerWriter) {
    std::string bytes;
    append_varint(bytes, kKind<MessageDropped>.number);
    append_varint(bytes, 2U << 2U);
    append_varint(bytes, 99);
    EXPECT_EQ(decode(bytes).error().fault, Fault::Unsupported);
}

TEST(EventCodec, RefusesBytesThatAreNoEvent) {
    EXPECT_EQ(decode("").error().fault, Fault::Corrupt);
    EXPECT_EQ(decode(std::string(1, '\0')).error().fault, Fault::Corrupt);
    std::string wrong_form;
    append_varint(wrong_form, kKind<WaitEnded>.number);
    append_varint(wrong_form, 1U << 2U | 1U);
    append_varint(wrong_form, 0);
    EXPECT_EQ(decode(wrong_form).error().fault, Fault::Corrupt);
    std::string too_large;
    append_varint(too_large, kKind<CreditGranted>.number);
    append_varint(too_large, 2U << 2U);
    append_varint(too_large, std::uint64_t{1} << 40U);
    EXPECT_EQ(decode(too_large).error().fault, Fault::Corrupt);
}

TEST(EventCodec, NeverDecodesATruncatedEventAsTheWholeEvent) {
    for (const auto& event : all_events()) {
        SCOPED_TRACE(event_name(event));
        const auto bytes = encoded(event);
        for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
            const auto back = decode(std::string_view{bytes}.substr(0, cut));
            if (back) {
                EXPECT_NE(encoded(*back), bytes);  // Cut between two fields.
            }
        }
    }
}

TEST(EventCodec, SurvivesAnyBytes) {
    std::mt19937 entropy{20};
    for (const auto& event : all_events()) {
        const auto bytes = encoded(event);
        for (int i = 0; i < 300; ++i) {
            auto changed = bytes;
            for (auto n = entropy() % 4 + 1; n > 0; --n) {
                changed[entropy() % changed.size()] = static_cast<char>(entropy());
            }
            if (entropy() % 4 == 0) changed.resize(entropy() % (changed.size() + 1));
            const auto back = decode(changed);
            if (!back) continue;
            // Every decoded event can be encoded, decoded and shown.
            EXPECT_TRUE(decode(encoded(*back)));
            std::string shown;
            append_json(shown, {1}, {}, *back);
        }
    }
}

TEST(EventJson, IsStrictJsonForEveryEvent) {
    for (const auto& event : all_events()) {
        std::string out;
        append_json(out, {5}, Time{Duration{1'700'000'000'123}}, event);
        EXPECT_TRUE(json::check(out)) << out;
    }
}

TEST(EventJson, ShowsFieldsByName) {
    std::string out;
    append_json(out,
                {5},
                Time{Duration{1'700'000'000'123}},
                LeaseGranted{Ticket{3}, InstanceNumber{4}, 1, Time{Duration{1'700'000'030'123}}});
    EXPECT_EQ(out,
              R"({"sequence":5,"at":"2023-11-14T22:13:20.123Z","event":"LeaseGranted",)"
              R"("ticket":3,"instance":4,"attempt":1,"until":"2023-11-14T22:13:50.123Z"})");
}

TEST(EventJson, ShowsTheOriginalMessage) {
    std::string out;
    append_json(out, {1}, {}, RequestAnswered{Ticket{1}, some_envelope(), {}});
    EXPECT_NE(out.find("\"message\":" + std::string{kBody}), std::string::npos) << out;
    EXPECT_NE(out.find(R"("to":"topic:news")"), std::string::npos) << out;
    EXPECT_NE(out.find(R"("dialect":"kessel")"), std::string::npos) << out;
}

TEST(EventJson, QuotesTextThatIsNoJson) {
    std::string out;
    append_json(out, {1}, {}, ProgressReported{Ticket{1}, {}, "half \"way\n"});
    EXPECT_TRUE(json::check(out)) << out;
    EXPECT_NE(out.find(R"("note":"half \"way\n")"), std::string::npos) << out;
}

TEST(EventJson, NamesEnumeratorsAndHidesKeys) {
    std::string out;
    append_json(out, {1}, {}, MessageRefused{"a", "m", Refusal::MailboxFull, ""});
    EXPECT_NE(out.find(R"("refusal":"MAILBOX_FULL")"), std::string::npos) << out;
    out.clear();
    append_json(out, {1}, {}, HubFounded{"hub", 0x1234567, 0x89ABCDE});
    EXPECT_EQ(out.find("hash_key"), std::string::npos) << out;
}

TEST(EventTables, GiveEachFieldOfAnEventADistinctNumber) {
    each_kind([&]<class OneEvent>(std::type_identity<OneEvent>) {
        std::set<std::uint32_t> tags;
        std::apply(
            [&](const auto&... field) {
                (tags.insert(field.tag), ...);
                EXPECT_EQ(tags.size(), sizeof...(field)) << kKind<OneEvent>.name;
            },
            kFields<OneEvent>);
    });
}

}  // namespace
}  // namespace parlance::journal
