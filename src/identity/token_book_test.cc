#include "identity/token_book.h"

#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "identity/testing/scratch.h"

namespace parlance::identity {
namespace {

using testing::kDay;
using testing::kNoon;

struct Book : testing::Scratch {
    Folder folder{path()};
    Minted mint(const std::string& name = "planner") {
        return mint_token(
                   folder, {.kind = Kind::Agent, .name = name, .expires = kNoon + kDay}, kNoon)
            .value();
    }
    std::string text() { return folder.read(kTokenFile).value().value_or(""); }
};

TEST(TokenBook, KeepsMintedTokensWithoutTheirSecrets) {
    Book book;
    const auto first = book.mint();
    const auto second = book.mint("coder");
    EXPECT_NE(first.claims.id, second.claims.id);
    const auto records = list_tokens(book.folder).value();
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[0].claims, first.claims);
    EXPECT_EQ(records[0].hash, to_hex(sha256(first.secret)));
    EXPECT_EQ(records[1].claims.name, "coder");
    const auto signature = first.secret.substr(first.secret.rfind('.') + 1);
    EXPECT_EQ(book.text().find(signature), std::string::npos);
}

TEST(TokenBook, RefusesNamesThatTheHubReserves) {
    Book book;
    for (const auto kind : {Kind::Agent, Kind::Operator}) {
        for (const auto* name : {"parlance",
                                 "human",
                                 "human:finance",
                                 "anyone",
                                 "capability:X",
                                 "domain:x",
                                 "call:cheapest:X",
                                 "all:a/b",
                                 "topic:news",
                                 "ORC"}) {
            const auto role = kind == Kind::Agent ? OperatorRole::None : OperatorRole::Viewer;
            const auto minted =
                mint_token(book.folder,
                           {.kind = kind, .name = name, .role = role, .expires = kNoon + kDay},
                           kNoon);
            ASSERT_FALSE(minted) << name;
            EXPECT_NE(minted.error().message.find("nobody can be called so"), std::string::npos)
                << minted.error().message;
        }
    }
    EXPECT_EQ(book.text(), "");
    book.mint("humane");
    book.mint("callx");
}

TEST(TokenBook, RevokingFailsWithoutADataDirectory) {
    testing::Scratch scratch;
    const auto elsewhere = scratch.path() + "/mistyped";
    const auto revoked = revoke_token(Folder{elsewhere}, "x", kNoon);
    ASSERT_FALSE(revoked);
    EXPECT_EQ(revoked.error().fault, Fault::NotFound);
    EXPECT_EQ(stamp_of(elsewhere), Stamp{}) << "nor is it made";
}

TEST(TokenBook, RevokesATokenAndKeepsTheTime) {
    Book book;
    const auto minted = book.mint();
    book.mint("coder");
    ASSERT_TRUE(revoke_token(book.folder, minted.claims.id, kNoon + Duration{5}));
    ASSERT_TRUE(revoke_token(book.folder, minted.claims.id, kNoon + kDay)) << "twice is once";
    const auto records = list_tokens(book.folder).value();
    EXPECT_EQ(records[0].revoked, kNoon + Duration{5});
    EXPECT_EQ(standing_of(records[0], kNoon), "revoked");
    EXPECT_EQ(standing_of(records[1], kNoon + kDay - Duration{1}), "valid");
    EXPECT_EQ(standing_of(records[1], kNoon + kDay), "expired");
    const auto unknown = revoke_token(book.folder, "nobody", kNoon);
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().fault, Fault::NotFound);
}

TEST(TokenBook, RefusesToMintAnExpiredToken) {
    Book book;
    const Claims wanted{.kind = Kind::User, .name = "u1", .expires = kNoon};
    EXPECT_FALSE(mint_token(book.folder, wanted, kNoon));
    EXPECT_TRUE(mint_token(book.folder, wanted, kNoon - Duration{1}));
}

TEST(TokenBook, ForgetsTokensThatExpiredLongAgo) {
    Book book;
    book.mint();
    const Claims wanted{.kind = Kind::User, .name = "u1", .expires = kNoon + 60 * kDay};
    ASSERT_TRUE(mint_token(book.folder, wanted, kNoon + 31 * kDay - Duration{1}));
    EXPECT_EQ(list_tokens(book.folder)->size(), 2U);
    ASSERT_TRUE(mint_token(book.folder, wanted, kNoon + 31 * kDay));
    EXPECT_EQ(list_tokens(book.folder)->size(), 2U) << "the first has gone";
}

TEST(TokenBook, DamageIsReportedAndTheFileKept) {
    Book book;
    book.mint();
    const auto half = book.text().substr(0, 40);
    std::ofstream{book.folder.path_of(kTokenFile)} << half;
    for (const auto& error :
         {list_tokens(book.folder).error(),
          revoke_token(book.folder, "x", kNoon).error(),
          mint_token(book.folder, {.kind = Kind::User, .name = "u", .expires = kNoon + kDay}, kNoon)
              .error()}) {
        EXPECT_EQ(error.fault, Fault::Corrupt) << error.message;
    }
    EXPECT_EQ(book.text(), half);
}

// Written back as it was read, such a hash could end its own JSON string.
TEST(TokenBook, MalformedHashIsDamage) {
    Book book;
    book.mint();
    const auto right = book.text();
    const auto hash = right.find(R"("sha256":")") + 10;
    for (const std::string odd : {R"(\\\\n]ame)", R"(\",\"x\":\")", "A0", ""}) {
        auto text = right;
        text.replace(hash, odd.empty() ? 64 : odd.size(), odd);
        const auto records = read_book(text);
        ASSERT_FALSE(records) << text;
        EXPECT_EQ(records.error().fault, Fault::Corrupt) << records.error().message;
    }
    EXPECT_TRUE(read_book(right));
}

TEST(TokenBook, LosesNoTokenToConcurrentWriters) {
    Book book;
    constexpr int kWriters = 4;
    constexpr int kEach = 8;
    {
        std::vector<std::jthread> writers;
        for (int i = 0; i < kWriters; ++i) {
            writers.emplace_back([&] {
                for (int n = 0; n < kEach; ++n) book.mint();
            });
        }
    }
    EXPECT_EQ(list_tokens(book.folder)->size(), std::size_t{kWriters} * kEach);
}

}  // namespace
}  // namespace parlance::identity
