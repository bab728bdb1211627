#include "identity/identity.h"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "identity/certificate_book.h"
#include "identity/testing/scratch.h"
#include "identity/token_book.h"

namespace parlance::identity {
namespace {

using testing::kDay;
using testing::kNoon;

/// During its lifetime the process can open no file, as under a flood of connections.
class NoDescriptorLeft {
  public:
    NoDescriptorLeft() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &none);
    }
    ~NoDescriptorLeft() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    NoDescriptorLeft(const NoDescriptorLeft&) = delete;
    NoDescriptorLeft& operator=(const NoDescriptorLeft&) = delete;

  private:
    rlimit before_{};
};

struct Door : testing::Scratch {
    Folder folder{path()};
    std::vector<std::string> log;
    SteadyTime steady{};
    Guard guard = new_guard();

    /// The guard of a freshly started hub.
    Guard new_guard() {
        return Guard{path(),
                     [this](const std::string& line) { log.push_back(line); },
                     [this] { return steady; }};
    }

    Minted mint(Claims claims) {
        claims.expires = kNoon + kDay;
        return mint_token(folder, std::move(claims), kNoon).value();
    }
    std::string why_not(std::string_view token, Time now = kNoon) {
        const auto caller = guard.by_token(token, now);
        return caller ? "it may" : caller.error().message;
    }
};

TEST(Guard, IdentifiesTheCallerOfEachKindOfToken) {
    Door door;
    const auto agent =
        door.guard
            .by_token(door.mint({.kind = Kind::Agent, .name = "planner", .users = {"u1"}}).secret,
                      kNoon)
            .value();
    EXPECT_EQ(agent.agent.value, "planner");
    EXPECT_TRUE(may_act_for(agent, "planner"));
    EXPECT_FALSE(may_act_for(agent, "coder"));
    EXPECT_TRUE(may_act_for_user(agent, "u1"));
    EXPECT_FALSE(may_act_for_user(agent, "u2"));

    const auto user =
        door.guard.by_token(door.mint({.kind = Kind::User, .name = "u1"}).secret, kNoon).value();
    EXPECT_EQ(user.user, "u1");
    EXPECT_FALSE(may_act_for(user, "u1")) << "a user is no agent, whatever it is called";
    EXPECT_FALSE(may_act_for(user, ""));
    EXPECT_TRUE(may_act_for_user(user, "u1"));
    EXPECT_FALSE(may_act_for_user(user, "u2"));
}

TEST(Guard, LetsOnlyOperatorsAndAdminsActForOthers) {
    constexpr std::pair<OperatorRole, bool> kRoles[] = {
        {OperatorRole::Viewer, false}, {OperatorRole::Operator, true}, {OperatorRole::Admin, true}};
    Door door;
    for (const auto& [role, may] : kRoles) {
        const auto minted = door.mint({.kind = Kind::Operator, .name = "ann", .role = role});
        const auto caller = door.guard.by_token(minted.secret, kNoon).value();
        EXPECT_EQ(caller.role, role);
        EXPECT_EQ(may_act_for(caller, "coder"), may);
        EXPECT_EQ(may_act_for(caller, "ann"), may) << "an agent of the same name is another";
    }
}

TEST(Guard, RefusesAnExpiredToken) {
    Door door;
    const auto minted = door.mint({.kind = Kind::User, .name = "u1"});
    EXPECT_EQ(door.why_not(minted.secret, kNoon + kDay - Duration{1}), "it may");
    EXPECT_EQ(door.why_not(minted.secret, kNoon + kDay), "the token has expired");
}

TEST(Guard, NoticesARevocationAtOnce) {
    Door door;
    const auto minted = door.mint({.kind = Kind::User, .name = "u1"});
    const auto other = door.mint({.kind = Kind::User, .name = "u1"});
    const auto caller = door.guard.by_token(minted.secret, kNoon).value();
    EXPECT_TRUE(door.guard.stands(caller, kNoon));
    EXPECT_FALSE(door.guard.look()) << "nothing has changed";
    ASSERT_TRUE(revoke_token(door.folder, minted.claims.id, kNoon));
    EXPECT_TRUE(door.guard.look());
    EXPECT_FALSE(door.guard.stands(caller, kNoon));
    EXPECT_EQ(door.why_not(minted.secret), "the token was revoked");
    EXPECT_EQ(door.why_not(other.secret), "it may");
}

TEST(Guard, CallersStandUntilTheirTokenExpires) {
    Door door;
    const auto minted = door.mint({.kind = Kind::User, .name = "u1"});
    const auto caller = door.guard.by_token(minted.secret, kNoon).value();
    EXPECT_TRUE(door.guard.stands(caller, kNoon + kDay - Duration{1}));
    EXPECT_FALSE(door.guard.stands(caller, kNoon + kDay));
    EXPECT_TRUE(door.guard.stands({}, kNoon))
        << "who proved nothing, in --dev, has nothing to lose";
}

TEST(Guard, RefusesEveryTokenWithoutAKeyOrABook) {
    Door door;
    EXPECT_EQ(door.why_not(sign_token({.id = "x", .name = "a"}, "")),
              "this hub has minted no token");
    const auto minted = door.mint({.kind = Kind::User, .name = "u1"});
    ASSERT_EQ(door.why_not(minted.secret), "it may");
    // Signed by this hub but in no book: the token is from a backup, or the book was deleted.
    std::ofstream{door.folder.path_of(kTokenFile)} << "{\"tokens\":[]}";
    EXPECT_EQ(door.why_not(minted.secret), "the token is none that this hub minted");
    std::ofstream{door.folder.path_of(kTokenFile)} << "{\"tok";
    EXPECT_NE(door.why_not(minted.secret).find("cannot read its tokens"), std::string::npos);
    ASSERT_EQ(door.log.size(), 1U);
    EXPECT_NE(door.log[0].find("damaged"), std::string::npos) << door.log[0];
}

TEST(Guard, KeepsItsTokensWhileNoFileCanBeOpenedAndReadsNewTokensAfterwards) {
    Door door;
    const auto good = door.mint({.kind = Kind::Agent, .name = "planner"});
    const auto caller = door.guard.by_token(good.secret, kNoon).value();
    const auto other = door.mint({.kind = Kind::Agent, .name = "coder"});
    {
        const NoDescriptorLeft shortage;
        EXPECT_EQ(door.why_not(good.secret), "it may");
        EXPECT_FALSE(door.guard.look()) << "nothing was read";
        EXPECT_TRUE(door.guard.stands(caller, kNoon)) << "its connection stays";
        EXPECT_EQ(door.why_not(other.secret), "the token is none that this hub minted");
        door.steady += kReadAgainAfter;
        EXPECT_EQ(door.why_not(good.secret), "it may");
        ASSERT_EQ(door.log.size(), 1U) << "one shortage is logged once";
        EXPECT_NE(door.log[0].find("identity/token"), std::string::npos) << door.log[0];
        EXPECT_NE(door.log[0].find("Too many open files"), std::string::npos) << door.log[0];
    }
    EXPECT_EQ(door.why_not(other.secret), "the token is none that this hub minted")
        << "the files are not tried at every call";
    door.steady += kReadAgainAfter;
    EXPECT_EQ(door.why_not(other.secret), "it may");
    EXPECT_EQ(door.why_not(good.secret), "it may");
}

TEST(Guard, NoticesARevocationAsSoonAsTheShortageIsOver) {
    Door door;
    const auto token = door.mint({.kind = Kind::Agent, .name = "planner"});
    const TlsCertificate certificate{
        .serial = "ab1", .names = {"URI:parlance://agent/planner"}, .until = kNoon + kDay};
    const auto by_token = door.guard.by_token(token.secret, kNoon).value();
    const auto by_certificate = door.guard.by_certificate(certificate, kNoon).value();
    ASSERT_TRUE(revoke_token(door.folder, token.claims.id, kNoon));
    ASSERT_TRUE(revoke_certificates(door.folder, "ab1", kNoon));
    {
        const NoDescriptorLeft shortage;
        EXPECT_FALSE(door.guard.look());
        EXPECT_TRUE(door.guard.by_certificate(certificate, kNoon))
            << "the list that was read holds";
    }
    door.steady += kReadAgainAfter;
    EXPECT_TRUE(door.guard.look());
    EXPECT_FALSE(door.guard.stands(by_token, kNoon));
    EXPECT_FALSE(door.guard.stands(by_certificate, kNoon));
}

TEST(Guard, StartedDuringAShortageRefusesEveryCredentialUntilFilesAreRead) {
    Door door;
    const auto token = door.mint({.kind = Kind::Agent, .name = "planner"});
    const TlsCertificate certificate{
        .serial = "ab1", .names = {"URI:parlance://agent/planner"}, .until = kNoon + kDay};
    ASSERT_TRUE(revoke_certificates(door.folder, "ab2", kNoon));
    {
        const NoDescriptorLeft shortage;
        EXPECT_NE(door.why_not(token.secret).find("cannot read its tokens"), std::string::npos);
        EXPECT_FALSE(door.guard.by_certificate(certificate, kNoon)) << "it may be revoked";
    }
    door.steady += kReadAgainAfter;
    EXPECT_EQ(door.why_not(token.secret), "it may");
    EXPECT_TRUE(door.guard.by_certificate(certificate, kNoon));
}

TEST(Guard, RefusesEveryTokenOnceTheBookIsDamagedEvenIfTheBookThenCannotBeOpened) {
    Door door;
    const auto token = door.mint({.kind = Kind::Agent, .name = "planner"});
    ASSERT_EQ(door.why_not(token.secret), "it may");
    std::ofstream{door.folder.path_of(kTokenFile)} << "{\"tok";
    EXPECT_NE(door.why_not(token.secret), "it may");
    std::ofstream{door.folder.path_of(kTokenFile)} << "{\"toke";
    const NoDescriptorLeft shortage;
    EXPECT_NE(door.why_not(token.secret), "it may");
}

TEST(Guard, HoldsATokenAgainstTheHashInTheBook) {
    Door door;
    const auto minted = door.mint({.kind = Kind::User, .name = "u1"});
    auto records = list_tokens(door.folder).value();
    records[0].hash = to_hex(sha256("another"));
    {
        const auto lock = door.folder.lock();
        ASSERT_TRUE(door.folder.write(kTokenFile, write_book(records)));
    }
    EXPECT_EQ(door.why_not(minted.secret), "the token is none that this hub minted");
}

TEST(Guard, I1_DenialsNameTheOwnerOfARevokedOrExpiredToken) {
    Door door;
    const auto revoked = door.mint({.kind = Kind::Agent, .name = "planner"});
    const auto expired = door.mint({.kind = Kind::User, .name = "u1"});
    ASSERT_TRUE(revoke_token(door.folder, revoked.claims.id, kNoon));
    EXPECT_EQ(door.guard.by_token(revoked.secret, kNoon).error().whose->agent.value, "planner");
    EXPECT_EQ(door.guard.by_token(expired.secret, kNoon + kDay).error().whose->user, "u1");
    EXPECT_FALSE(door.guard.by_token(expired.secret + "x", kNoon).error().whose)
        << "what is not signed by this hub is a stranger's";
}

// --- certificates --------------------------------------------------------------------------------

TEST(CertificateName, S15_IsExactlyOneUri) {
    EXPECT_EQ(agent_named_by({"URI:parlance://agent/planner"}), "planner");
    EXPECT_EQ(agent_named_by({"URI:parlance://agent/agent://planner/1"}), "agent://planner/1");
    const std::vector<std::vector<std::string>> kOdd{
        {},
        {"DNS:planner"},
        {"URI:parlance://agent/"},
        {"URI:parlance://agent/a b"},
        {"URI:parlance://agent/topic:x"},
        {"URI:parlance://agent/" + std::string(129, 'a')},
        {std::string{"URI:parlance://agent/planner\0evil", 33}},
        {"URI:PARLANCE://agent/planner"},
        {"URI:parlance://user/planner"},
        {"URI:https://example/parlance://agent/planner"},
        {"URI:parlance://agent/planner", "URI:parlance://agent/coder"},
        {"URI:parlance://agent/planner", "URI:parlance://agent/planner"},
        {"URI:parlance://agent/planner", "DNS:planner"},
        {"DNS:parlance://agent/planner"},
    };
    for (const auto& names : kOdd) EXPECT_FALSE(agent_named_by(names));
}

TEST(Guard, S15_AcceptsACertificateForTheNamedAgent) {
    Door door;
    const TlsCertificate certificate{
        .serial = "ab1", .names = {"URI:parlance://agent/planner"}, .until = kNoon + kDay};
    const auto caller = door.guard.by_certificate(certificate, kNoon).value();
    EXPECT_TRUE(may_act_for(caller, "planner"));
    EXPECT_FALSE(may_act_for(caller, "coder"));
    EXPECT_FALSE(door.guard.by_certificate(certificate, kNoon + kDay));
    EXPECT_FALSE(door.guard.stands(caller, kNoon + kDay));

    EXPECT_TRUE(door.guard.stands(caller, kNoon));
    ASSERT_TRUE(revoke_certificates(door.folder, "AB1", kNoon));
    EXPECT_TRUE(door.guard.look());
    EXPECT_FALSE(door.guard.stands(caller, kNoon));
    EXPECT_EQ(door.guard.by_certificate(certificate, kNoon).error().message,
              "the certificate was revoked");
}

TEST(Guard, S15_DenialsNameTheOwnerOfAnInvalidCertificate) {
    Door door;
    TlsCertificate certificate{
        .serial = "ab1", .names = {"URI:parlance://agent/planner"}, .until = kNoon + kDay};
    const auto whose = [&](Time now) {
        return door.guard.by_certificate(certificate, now).error().whose->agent.value;
    };
    EXPECT_EQ(whose(kNoon + kDay), "planner");
    ASSERT_TRUE(revoke_certificates(door.folder, "ab1", kNoon));
    EXPECT_EQ(whose(kNoon), "planner");
    certificate.names.emplace_back("URI:parlance://agent/coder");
    EXPECT_EQ(whose(kNoon), "certificate ab1") << "it is neither of them";
}

TEST(Guard, S15_RefusesEveryCertificateWhileTheRevocationListIsUnreadable) {
    Door door;
    const TlsCertificate certificate{
        .serial = "ab1", .names = {"URI:parlance://agent/planner"}, .until = kNoon + kDay};
    ASSERT_TRUE(revoke_certificates(door.folder, "ab1", kNoon));
    const auto book = door.folder.read(kCertificateFile).value().value();
    std::ofstream{door.folder.path_of(kCertificateFile)} << "{\"certificates\":[";
    // The guard of a hub started on the damaged file, without any earlier contents.
    auto fresh = door.new_guard();
    for (const auto* serial : {"ab1", "ab2"}) {
        auto shown = certificate;
        shown.serial = serial;
        const auto caller = fresh.by_certificate(shown, kNoon);
        ASSERT_FALSE(caller) << serial;
        EXPECT_NE(caller.error().message.find("cannot read which certificates"), std::string::npos);
    }
    ASSERT_EQ(door.log.size(), 1U);
    EXPECT_NE(door.log[0].find("nobody comes in by a certificate"), std::string::npos);
    std::ofstream{door.folder.path_of(kCertificateFile)} << book;
    auto other = certificate;
    other.serial = "ab2";
    EXPECT_TRUE(fresh.by_certificate(other, kNoon));
    EXPECT_FALSE(fresh.by_certificate(certificate, kNoon));
}

TEST(Guard, S15_CallersWithTwoCredentialsStandWhileBothHold) {
    Door door;
    const TlsCertificate certificate{
        .serial = "ab1", .names = {"URI:parlance://agent/planner"}, .until = kNoon + kDay / 2};
    const auto minted = door.mint({.kind = Kind::Agent, .name = "planner", .users = {"u1"}});
    const auto both = proved_by_both(door.guard.by_certificate(certificate, kNoon).value(),
                                     door.guard.by_token(minted.secret, kNoon).value());
    EXPECT_TRUE(may_act_for_user(both, "u1"));
    EXPECT_TRUE(door.guard.stands(both, kNoon));
    EXPECT_FALSE(door.guard.stands(both, kNoon + kDay / 2)) << "its certificate is over";
    ASSERT_TRUE(revoke_certificates(door.folder, "ab1", kNoon));
    door.guard.look();
    EXPECT_FALSE(door.guard.stands(both, kNoon));
}

}  // namespace
}  // namespace parlance::identity
