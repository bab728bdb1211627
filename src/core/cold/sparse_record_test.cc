#include "core/cold/sparse_record.h"

#include <vector>

#include <gtest/gtest.h>

namespace parlance::core {
namespace {

struct Thing {
    Ticket number;
    Time began{};
    std::uint8_t tries = 1;
    std::uint64_t size = 0;
    bool is_done = false;
    std::string name{};
    std::string title{};  ///< Mostly the name.
    Ticket parent{};
    Time due{};
    bool operator==(const Thing&) const = default;
};

template <class Fields, class SomeThing>
void fields_of(Fields& fields, SomeThing& thing) {
    fields.number(thing.tries, 1);
    fields.number(thing.size);
    fields.flag(thing.is_done);
    fields.text(thing.name);
    fields.text_unlike(thing.title, thing.name);
    fields.near(thing.parent, thing.number);
    fields.near(thing.due, thing.began);
}

std::string packed(const Thing& thing) {
    std::string out;
    {
        SparseRecordWriter fields{out};
        fields_of(fields, thing);
    }
    return out;
}

Thing unpacked(const std::string& bytes, Ticket number, Time began) {
    ByteReader in{bytes};
    Thing thing{.number = number, .began = began};
    {
        SparseRecordReader fields{in};
        fields_of(fields, thing);
    }
    EXPECT_TRUE(in.ok() && in.at_end());
    return thing;
}

constexpr Ticket kNumber{7 * kCopiesMax};
const Time kBegan{Duration{1'700'000'000'000}};

TEST(SparseRecord, AStructOfDefaultsTakesTwoBytes) {
    const Thing usual{.number = kNumber, .began = kBegan};
    EXPECT_EQ(packed(usual), std::string(2, '\0'));
    EXPECT_EQ(unpacked(packed(usual), kNumber, kBegan), usual);
}

TEST(SparseRecord, EachFieldIsReadBackAloneAndWithAllOthers) {
    const Thing usual{.number = kNumber, .began = kBegan};
    std::vector<Thing> things(8, usual);
    things[0].tries = 255;
    things[1].size = UINT64_MAX;
    things[2].is_done = true;
    things[3].name = things[3].title = "a name";
    things[4].title = "no name";
    things[5].parent = Ticket{3 * kCopiesMax};
    things[6].due = kBegan + Duration{30'000};
    things[7] = {.number = kNumber,
                 .began = kBegan,
                 .tries = 0,
                 .size = 1,
                 .is_done = true,
                 .name = "a",
                 .parent = Ticket{5 * kCopiesMax + 3},
                 .due = kBegan - Duration{1}};
    for (const auto& thing : things) {
        EXPECT_EQ(unpacked(packed(thing), kNumber, kBegan), thing);
    }
}

TEST(SparseRecord, ANearTicketIsReadBackFromAnyDistance) {
    for (const auto ticket : {std::uint64_t{0},
                              std::uint64_t{1},
                              kCopiesMax,
                              7 * kCopiesMax + 5,
                              9'000'000 * kCopiesMax,
                              UINT64_MAX / 2}) {
        std::string out;
        put_near(out, Ticket{ticket}, kNumber);
        ByteReader in{out};
        EXPECT_EQ(take_near(in, kNumber), Ticket{ticket});
        EXPECT_TRUE(in.ok() && in.at_end());
    }
    std::string out;
    put_near(out, Ticket{kNumber.value + 20 * kCopiesMax}, kNumber);
    EXPECT_EQ(out.size(), 1U) << "and in few bytes if it is near";
}

TEST(SparseRecord, AnUnknownMaskBitIsGarbage) {
    std::string bytes{"\0\x80", 2};  // The sixteenth of seven fields.
    ByteReader in{bytes};
    Thing thing{.number = kNumber};
    {
        SparseRecordReader fields{in};
        fields_of(fields, thing);
    }
    EXPECT_FALSE(in.ok());
}

}  // namespace
}  // namespace parlance::core
