#include "model/user.h"

#include <gtest/gtest.h>

namespace parlance {
namespace {

TEST(User, X13_KeepsItsNameAsWritten) {
    for (const auto* name : {"u-1", "Ann", " u-1", "unknown-2", "the unknown", "0"}) {
        EXPECT_EQ(user_named(name), name);
    }
}

TEST(User, X13_IsEmptyForUnknownInAnySpelling) {
    for (const auto* name :
         {"", " ", "unknown", "Unknown", " UNKNOWN ", "un\u200bknown", "\t\n", "ｕｎｋｎｏｗｎ"}) {
        EXPECT_EQ(user_named(name), "") << '\'' << name << '\'';
    }
}

}  // namespace
}  // namespace parlance
