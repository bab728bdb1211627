#include "identity/certificate_book.h"

#include <gtest/gtest.h>

#include "identity/testing/scratch.h"

namespace parlance::identity {
namespace {

using testing::kDay;
using testing::kNoon;

struct Book : testing::Scratch {
    Folder folder{path()};
    Book() {
        const auto lock = folder.lock();
        for (const auto* serial : {"ab1", "ab2"}) {
            EXPECT_TRUE(add_certificate(
                folder, {.serial = serial, .agent = "planner", .expires = kNoon + kDay}));
        }
        EXPECT_TRUE(
            add_certificate(folder, {.serial = "c3", .agent = "coder", .expires = kNoon + kDay}));
    }
    std::string standings() const {
        std::string out;
        const auto records = list_certificates(folder).value();
        for (const auto& record : records) {
            out += record.serial + " " + std::string{standing_of(record, kNoon)} + "\n";
        }
        return out;
    }
};

TEST(CertificateBook, RevokesAllOfAnAgent) {
    const Book book;
    EXPECT_EQ(revoke_certificates(book.folder, "planner", kNoon)->size(), 2U);
    EXPECT_EQ(book.standings(), "ab1 revoked\nab2 revoked\nc3 valid\n");
    EXPECT_FALSE(revoke_certificates(book.folder, "planner", kNoon)) << "nothing is left of it";
}

TEST(CertificateBook, RevokesBySerialInAnyNotation) {
    const Book book;
    EXPECT_EQ(revoke_certificates(book.folder, "0A:B2", kNoon)->size(), 1U);
    EXPECT_EQ(book.standings(), "ab1 valid\nab2 revoked\nc3 valid\n");
}

TEST(CertificateBook, RevokesASerialOfAnotherAuthority) {
    const Book book;
    EXPECT_EQ(revoke_certificates(book.folder, "00:FF", kNoon)->size(), 1U);
    EXPECT_EQ(book.standings(), "ab1 valid\nab2 valid\nc3 valid\nff revoked\n");
}

TEST(CertificateBook, RevokingForAnUnknownAgentFails) {
    const Book book;
    const auto revoked = revoke_certificates(book.folder, "nobody", kNoon);
    ASSERT_FALSE(revoked);
    EXPECT_EQ(revoked.error().fault, Fault::NotFound);
}

TEST(CertificateBook, DamageIsReported) {
    for (const auto* text : {"", "{}", "{\"certificates\":[1]}", "{\"certificates\":[{}]}"}) {
        EXPECT_EQ(read_certificates(text).error().fault, Fault::Corrupt) << text;
    }
}

}  // namespace
}  // namespace parlance::identity
