#include "base/slab.h"

#include <string>

#include <gtest/gtest.h>

namespace parlance {
namespace {

TEST(Slab, ReusesTheSlotThatWasFreedLast) {
    Slab<std::string> slab;
    const Slot first = slab.add("one");
    const Slot second = slab.add("two");
    slab.add("three");
    slab.remove(first);
    slab.remove(second);
    EXPECT_EQ(slab.add("four"), second);
    EXPECT_EQ(slab.add("five"), first);
    EXPECT_EQ(slab[second], "four");
    EXPECT_EQ(slab.size(), 3U);
}

TEST(Slab, KeepsAddressesWhileItGrows) {
    Slab<int> slab;
    const Slot slot = slab.add(42);
    const int* address = &slab[slot];
    for (int i = 0; i < 10'000; ++i) slab.add(i);
    EXPECT_EQ(&slab[slot], address);
    EXPECT_EQ(slab[slot], 42);
}

TEST(Slab, BeginsAnewWhenEmptied) {
    Slab<int> slab;
    const Slot slot = slab.add(1);
    slab.add(2);
    slab.remove(slot);
    slab.remove(1);
    EXPECT_EQ(slab.size(), 0U);
    EXPECT_EQ(slab.add(3), 0U);
}

}  // namespace
}  // namespace parlance
