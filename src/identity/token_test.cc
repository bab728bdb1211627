#include "identity/token.h"

#include <gtest/gtest.h>

#include "base/secret.h"
#include "identity/testing/scratch.h"

namespace parlance::identity {
namespace {

using testing::kDay;
using testing::kNoon;

const std::string kKey(32, 'k');

Claims claims_of(Kind kind) {
    return {.id = "id-1",
            .kind = kind,
            .name = "ann",
            .role = kind == Kind::Operator ? OperatorRole::Viewer : OperatorRole::None,
            .users = kind == Kind::Agent ? std::vector<std::string>{"u \"1\"", "*"}
                                         : std::vector<std::string>{},
            .issued = kNoon,
            .expires = kNoon + kDay};
}

TEST(Token, NamesItsBearer) {
    for (const auto kind : {Kind::Agent, Kind::Operator, Kind::User}) {
        const auto claims = claims_of(kind);
        const auto read = read_token(sign_token(claims, kKey), kKey);
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(*read, claims);
    }
}

TEST(Token, NamesTheGroupsOfAnOperator) {
    auto claims = claims_of(Kind::Operator);
    claims.groups = {"finance", "legal"};
    const auto read = read_token(sign_token(claims, kKey), kKey);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->groups, claims.groups);
    for (const auto kind : {Kind::Agent, Kind::User}) {
        auto other = claims_of(kind);
        other.groups = {"finance"};
        EXPECT_FALSE(check_claims(other));
    }
    claims.groups.assign(kGroupsMax + 1, "g");
    EXPECT_FALSE(check_claims(claims));
}

TEST(Token, IsWorthlessWithAnyBitChanged) {
    const auto token = sign_token(claims_of(Kind::Operator), kKey);
    for (std::size_t at = 0; at < token.size(); ++at) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            auto forged = token;
            forged[at] = static_cast<char>(static_cast<unsigned char>(forged[at]) ^ 1U << bit);
            EXPECT_FALSE(read_token(forged, kKey)) << at << " " << bit;
        }
    }
}

TEST(Token, IsWorthlessCutShortOrExtended) {
    const auto token = sign_token(claims_of(Kind::User), kKey);
    for (std::size_t size = 0; size < token.size(); ++size) {
        EXPECT_FALSE(read_token(std::string_view{token}.substr(0, size), kKey)) << size;
    }
    for (const auto* more : {"=", ".", " ", "A", "\n"}) {
        EXPECT_FALSE(read_token(token + more, kKey)) << more;
    }
}

TEST(Token, OfAnotherHubIsWorthless) {
    EXPECT_FALSE(read_token(sign_token(claims_of(Kind::Agent), std::string(32, 'j')), kKey));
}

TEST(Token, IsNoLongerThanItsLimit) {
    auto claims = claims_of(Kind::Agent);
    claims.users.assign(kUsersMax, std::string(128, 'u'));
    const auto token = sign_token(claims, kKey);
    EXPECT_LE(token.size(), kTokenBytesMax);
    EXPECT_TRUE(read_token(token, kKey)) << "the largest that can be minted";
    EXPECT_FALSE(read_token("plt1." + std::string(kTokenBytesMax, 'A'), kKey));
}

struct Wrong {
    std::string_view what;
    void (*spoil)(Claims&);
};

TEST(Claims, AreCheckedWhoeverSigned) {
    const Wrong kWrongs[] = {
        {"an agent without a name", [](Claims& c) { c.name = ""; }},
        {"a name that no agent can have", [](Claims& c) { c.name = "a b"; }},
        {"a topic", [](Claims& c) { c.name = "topic:x"; }},
        {"a name that is too long", [](Claims& c) { c.name = std::string(129, 'a'); }},
        {"an agent with a role", [](Claims& c) { c.role = OperatorRole::Admin; }},
        {"an empty user", [](Claims& c) { c.users = {""}; }},
        {"a user with a line end", [](Claims& c) { c.users = {"a\nb"}; }},
        {"more users than a token has", [](Claims& c) { c.users.assign(kUsersMax + 1, "u"); }},
        {"no id", [](Claims& c) { c.id = ""; }},
        {"a user who acts for users", [](Claims& c) { c.kind = Kind::User; }},
        {"an operator without a role",
         [](Claims& c) {
             c.kind = Kind::Operator;
             c.users.clear();
         }},
    };
    for (const auto& wrong : kWrongs) {
        auto claims = claims_of(Kind::Agent);
        EXPECT_TRUE(read_token(sign_token(claims, kKey), kKey));
        wrong.spoil(claims);
        EXPECT_FALSE(read_token(sign_token(claims, kKey), kKey)) << wrong.what;
    }
}

TEST(Claims, RefuseAMissingMember) {
    const std::string whole = "{" + write_claims(claims_of(Kind::Agent)) + "}";
    ASSERT_TRUE(read_claims(whole));
    for (const auto* key : {"id", "kind", "name", "role", "users", "issued", "expires"}) {
        auto lacking = whole;
        lacking.replace(lacking.find("\"" + std::string{key} + "\""), 2, "\"x");
        EXPECT_FALSE(read_claims(lacking)) << lacking;
    }
    for (const auto* text : {"", "{", "[]", "null", "{}", "{\"kind\":\"king\"}"}) {
        EXPECT_FALSE(read_claims(text)) << text;
    }
}

}  // namespace
}  // namespace parlance::identity
