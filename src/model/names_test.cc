#include "model/names.h"

#include <set>

#include <gtest/gtest.h>

namespace parlance {
namespace {

template <class Enum>
void expect_a_word_for_each(Enum first, Enum last) {
    std::set<std::string_view> words;
    const auto end = static_cast<int>(last);
    for (int number = static_cast<int>(first); number <= end; ++number) {
        const auto word = enum_name(static_cast<Enum>(number));
        EXPECT_FALSE(word.empty()) << number;
        EXPECT_TRUE(words.insert(word).second) << word;
    }
    EXPECT_EQ(words.size(), kEnumNames<Enum>.size());
    EXPECT_EQ(enum_name(static_cast<Enum>(end + 1)), "") << "a number that nobody has";
}

TEST(Names, AreDistinctForEveryEnumerator) {
    expect_a_word_for_each(Priority::Critical, Priority::Low);
    expect_a_word_for_each(DeliveryFailure::Nacked, DeliveryFailure::NotReached);
    expect_a_word_for_each(InstanceKind::Socket, InstanceKind::Push);
    expect_a_word_for_each(Dialect::Taskwire, Dialect::Correlation);
    expect_a_word_for_each(HumanKind::Approve, HumanKind::Choose);
    expect_a_word_for_each(HumanDecision::Approve, HumanDecision::Answer);
    expect_a_word_for_each(IfNobody::Fail, IfNobody::Wait);
    expect_a_word_for_each(CallKind::Earliest, CallKind::All);
}

TEST(Names, OfRefusalsAreTheirCodes) {
    EXPECT_EQ(enum_name(Refusal::None), "NONE");
    for (const auto& row : kRefusals) EXPECT_EQ(enum_name(row.refusal), row.code);
}

}  // namespace
}  // namespace parlance
