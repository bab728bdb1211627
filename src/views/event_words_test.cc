#include "views/event_words.h"

#include <string>

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/personal/redact.h"
#include "journal/event_codec.h"
#include "journal/event_tables.h"

namespace parlance::views {
namespace {

using journal::As;

constexpr std::string_view kCard = "4111 1111 1111 1111";

/// Puts the number into the member if the member can hold text; returns how often.
template <class Value>
int put(Value&, As) {
    return 0;
}
int put(std::string& text, As as) {
    if (as == As::Name) return 0;
    text =
        as == As::Document ? R"({"deep":[{"in it":"4111 1111 1111 1111"}]})" : std::string{kCard};
    return 1;
}
int put(std::vector<std::string>& texts, As as) {
    if (as == As::Name) return 0;
    texts = {"first", std::string{kCard}};
    return 1;
}
int put(EnvelopePtr& envelope, As) {
    envelope = Envelope::make({.id = "m-1", .dialect = Dialect::Taskwire},
                              R"({"payload":"4111 1111 1111 1111"})");
    return 1;
}
int put(Profile& profile, As);
int put(Allocation& allocation, As);
template <class T>
int fill(T& value) {
    return std::apply(
        [&](const auto&... field) { return (put(value.*field.member, field.as) + ...); },
        journal::kFields<T>);
}
int put(Profile& profile, As) { return fill(profile); }
int put(Allocation& allocation, As) { return fill(allocation); }

int count_of_cards(std::string_view text) {
    int count = 0;
    for (auto at = text.find(kCard); at != std::string_view::npos; at = text.find(kCard, at + 1)) {
        ++count;
    }
    return count;
}

std::string print(const Event& event) {
    std::string printed;
    journal::append_json(printed, {7}, Time{}, event);
    return printed;
}

std::string redacted(std::string_view printed) {
    std::vector<std::string_view> parts;
    for (const auto& stretch : words_in(printed)) parts.push_back(stretch.json);
    const auto text = personal::redact(
        printed, parts, {.kinds = personal::structured_kinds(), .scope = "w", .key = "a key"});
    return text.value_or(std::string{printed});
}

template <std::size_t index>
void expect_that_all_is_found() {
    Event event{std::in_place_index<index>};
    const int count = fill(std::get<index>(event));
    const auto printed = print(event);
    ASSERT_EQ(count_of_cards(printed), count) << printed;
    EXPECT_EQ(count_of_cards(redacted(printed)), 0) << redacted(printed);
}

TEST(WordsOfEvents, A4_X15_EveryTextOfEveryEventIsWordsUnlessItIsAName) {
    []<std::size_t... index>(std::index_sequence<index...>) {
        (expect_that_all_is_found<index>(), ...);
    }
    (std::make_index_sequence<std::variant_size_v<Event>>{});
}

TEST(WordsOfEvents, NamesAndIdsAreNotWords) {
    const auto printed = print(DelegationAdmitted{.user = "ana@example.org",
                                                  .session = "s@example.org",
                                                  .objective = "call ana@example.org"});
    const auto words = words_in(printed);
    ASSERT_EQ(words.size(), 2U);  // The second stretch holds the tools.
    EXPECT_EQ(words.front().json, R"("call ana@example.org")");
}

TEST(WordsOfEvents, AnUnknownEventIsWordsAsAWhole) {
    const std::string printed = R"({"event":"SomethingNew","who":"ana@example.org"})";
    ASSERT_EQ(words_in(printed).size(), 1U);
    EXPECT_EQ(words_in(printed).front().json, printed);
}

}  // namespace
}  // namespace parlance::views
