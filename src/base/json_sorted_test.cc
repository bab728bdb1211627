#include "base/json_sorted.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace parlance::json {
namespace {

std::vector<std::string> sorted_keys(const std::string& object) {
    std::vector<std::string> keys;
    const SortedMembers members{root(object)};
    for (const auto& member : members.all()) keys.emplace_back(member.key);
    return keys;
}

/// An object with these keys in this order, each with the value 0.
std::string object_of(const std::vector<std::string>& keys) {
    std::string object = "{";
    for (const std::string& key : keys) {
        if (object.size() > 1) object += ',';
        append_quoted(object, key);
        object += ":0";
    }
    return object + "}";
}

// Few members and many members are sorted by different methods.
TEST(SortedMembers, StandInTheOrderOfTheirKeysHoweverManyThereAre) {
    for (const int count : {1, 16, 64, 65, 1'000}) {
        for (const std::string before : {"", "a", "all of them begin so, "}) {
            std::vector<std::string> keys;
            for (int i = 0; i < count; ++i) {
                keys.push_back(before + std::to_string(i * 7919 % count) +
                               std::string(static_cast<std::size_t>(i % 3) * 7, 'x'));
            }
            std::vector<std::string> expected = keys;
            std::ranges::sort(expected);
            EXPECT_EQ(sorted_keys(object_of(keys)), expected) << count << before;
        }
    }
}

TEST(SortedMembers, TellAKeyFromTheSameKeyWithANulByte) {
    std::vector<std::string> keys{"", "a", std::string{"a\0", 2}, std::string{"\0", 1}};
    for (std::size_t i = 0; i < 100; ++i) keys.push_back("a" + std::string(100 - i, '\x01'));
    std::vector<std::string> expected = keys;
    std::ranges::sort(expected);
    EXPECT_EQ(sorted_keys(object_of(keys)), expected);
}

}  // namespace
}  // namespace parlance::json
