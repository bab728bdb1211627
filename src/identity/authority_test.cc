// The issued certificates, shown to each other over TLS without a socket.
#include "identity/authority.h"

#include <chrono>

#include <gtest/gtest.h>
#include <malloc.h>

#include "base/tls.h"
#include "identity/identity.h"
#include "identity/testing/scratch.h"

namespace parlance::identity {
namespace {

using testing::kDay;

/// OpenSSL checks certificates against the real clock, which no test can replace.
Time today() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

struct Handshake {
    bool is_open = false;
    std::string failure_reason;  ///< Why a side ended the handshake.
    std::shared_ptr<const TlsCertificate> shown;
};

struct AuthorityFixture : testing::Scratch {
    Folder folder{path()};
    explicit AuthorityFixture(const std::vector<std::string>& hosts = {}, Time at = today()) {
        const auto made = make_authority(folder, hosts, at);
        EXPECT_TRUE(made) << made.error().message;
    }
    TlsFiles hub() const {
        return {
            folder.path_of(kHubFile), folder.path_of(kHubKeyFile), folder.path_of(kAuthorityFile)};
    }
    TlsFiles stranger() const { return {{}, {}, folder.path_of(kAuthorityFile)}; }
    TlsFiles agent(const std::string& name, Duration ttl = kDay, Time at = today()) const {
        const auto issued = issue_certificate(folder, name, ttl, at).value();
        return {issued.certificate, issued.key, folder.path_of(kAuthorityFile)};
    }
};

/// Runs the handshake until neither side has anything left to send.
Handshake handshake(const TlsFiles& hub,
                    const TlsFiles& client,
                    const std::string& host = "localhost") {
    const auto hub_context = TlsContext::for_server(hub).value();
    const auto client_context = TlsContext::for_client(client).value();
    auto server = TlsSession::of_server(*hub_context);
    auto caller = TlsSession::of_client(*client_context, host);
    std::string to_hub;
    std::string to_caller;
    std::string ignored;
    caller.begin(to_hub);
    Handshake handshake;
    while (handshake.failure_reason.empty() && !(to_hub.empty() && to_caller.empty())) {
        const auto sent = std::exchange(to_hub, {});
        if (server.take(sent, ignored, to_caller) == TlsSession::Outcome::Broken) {
            handshake.failure_reason = "hub: " + server.failure_reason();
            break;
        }
        const auto answered = std::exchange(to_caller, {});
        if (caller.take(answered, ignored, to_hub) == TlsSession::Outcome::Broken) {
            handshake.failure_reason = "client: " + caller.failure_reason();
        }
    }
    handshake.is_open = handshake.failure_reason.empty() && server.is_open() && caller.is_open();
    handshake.shown = server.certificate();
    return handshake;
}

TEST(Authority, S14_GivesTheHubACertificateForItsHosts) {
    const AuthorityFixture fixture{{"hub.example", "10.0.0.7"}};
    for (const auto* host : {"localhost", "127.0.0.1", "::1", "hub.example", "10.0.0.7"}) {
        const auto said = handshake(fixture.hub(), fixture.stranger(), host);
        EXPECT_TRUE(said.is_open) << host << " " << said.failure_reason;
        EXPECT_EQ(said.shown, nullptr) << "a client need not have a certificate";
    }
    for (const auto* host : {"evil.example", "10.0.0.8", "example"}) {
        EXPECT_FALSE(handshake(fixture.hub(), fixture.stranger(), host).is_open) << host;
    }
}

TEST(Authority, RefusesHostsThatWouldAddOtherNames) {
    const testing::Scratch scratch;
    for (const auto* host : {"", "a,URI:parlance://agent/planner", "a b", "a\n", "a:1"}) {
        EXPECT_FALSE(make_authority(Folder{scratch.path()}, {host}, today())) << host;
    }
}

TEST(Authority, StaysWhenTheHubsCertificateIsReplaced) {
    const AuthorityFixture fixture;
    const auto planner = fixture.agent("planner");
    ASSERT_TRUE(make_authority(fixture.folder, {"hub.example"}, today()));
    EXPECT_TRUE(handshake(fixture.hub(), planner, "hub.example").is_open);
}

TEST(Authority, S15_NamesTheAgentInItsCertificate) {
    const AuthorityFixture fixture;
    for (const auto* agent : {"planner", "agent://planner/1", "a@b:c"}) {
        const auto said = handshake(fixture.hub(), fixture.agent(agent));
        ASSERT_TRUE(said.is_open) << said.failure_reason;
        ASSERT_NE(said.shown, nullptr);
        EXPECT_EQ(agent_named_by(said.shown->names), agent);
        const auto records = list_certificates(fixture.folder).value();
        EXPECT_EQ(records.back().serial, said.shown->serial);
        EXPECT_EQ(records.back().expires, said.shown->until);
        EXPECT_EQ(records.back().agent, agent);
    }
    EXPECT_FALSE(issue_certificate(fixture.folder, "a,URI:x", kDay, today()));
    EXPECT_FALSE(issue_certificate(fixture.folder, "", kDay, today()));
}

TEST(Authority, S15_CertificatesOfAForeignAuthorityAreRejected) {
    const AuthorityFixture fixture;
    const AuthorityFixture other;
    auto foreign = other.agent("planner");
    foreign.authority = fixture.folder.path_of(kAuthorityFile);
    EXPECT_FALSE(handshake(fixture.hub(), foreign).is_open);
    EXPECT_FALSE(handshake(fixture.hub(), other.stranger()).is_open)
        << "nor does a client trust the hub";
}

TEST(Authority, S15_IssuedCertificatesExpire) {
    const AuthorityFixture fixture;
    EXPECT_TRUE(handshake(fixture.hub(), fixture.agent("planner", kDay, today())).is_open);
    const auto over = handshake(fixture.hub(), fixture.agent("planner", kDay, today() - 2 * kDay));
    EXPECT_FALSE(over.is_open);
    EXPECT_NE(over.failure_reason.find("expired"), std::string::npos) << over.failure_reason;
    EXPECT_FALSE(handshake(fixture.hub(), fixture.agent("planner", kDay, today() + kDay)).is_open)
        << "not yet";
}

TEST(Authority, S15_HubAndAgentCertificatesAreNotInterchangeable) {
    const AuthorityFixture fixture;
    EXPECT_FALSE(handshake(fixture.hub(), fixture.hub()).is_open) << "it is for servers";
    const auto planner = fixture.agent("planner");
    EXPECT_FALSE(handshake(planner, fixture.stranger()).is_open) << "nor is an agent a hub";
}

TEST(Authority, IsNeededToIssueACertificate) {
    const testing::Scratch scratch;
    const auto issued = issue_certificate(Folder{scratch.path()}, "planner", kDay, today());
    ASSERT_FALSE(issued);
    EXPECT_NE(issued.error().message.find("cert init"), std::string::npos);
}

TEST(TlsContext, NamesTheUnusableFile) {
    const AuthorityFixture fixture;
    auto files = fixture.hub();
    files.key = fixture.folder.path_of("nothing");
    EXPECT_NE(TlsContext::for_server(files).error().message.find("nothing"), std::string::npos);
    files = fixture.hub();
    files.key = fixture.folder.path_of(kAuthorityKeyFile);
    EXPECT_FALSE(TlsContext::for_server(files)) << "the key of another";
}

TEST(TlsSession, CarriesBytesAndTheEndOfTheStream) {
    const AuthorityFixture fixture;
    const auto hub_context = TlsContext::for_server(fixture.hub()).value();
    const auto client_context = TlsContext::for_client(fixture.stranger()).value();
    auto server = TlsSession::of_server(*hub_context);
    auto caller = TlsSession::of_client(*client_context, "localhost");
    std::string to_hub;
    std::string to_caller;
    std::string heard;
    caller.begin(to_hub);
    while (!server.is_open() || !caller.is_open()) {
        server.take(std::exchange(to_hub, {}), heard, to_caller);
        caller.take(std::exchange(to_caller, {}), heard, to_hub);
    }
    const std::string large(100'000, 'x');
    caller.seal(large, to_hub);
    EXPECT_EQ(to_hub.find("xxxx"), std::string::npos);
    for (const char byte : to_hub) server.take({&byte, 1}, heard, to_caller);
    EXPECT_EQ(heard, large) << "in whatever pieces it comes";
    heard.clear();
    server.seal("hello", to_caller);
    server.say_goodbye(to_caller);
    EXPECT_EQ(caller.take(to_caller, heard, to_hub), TlsSession::Outcome::Ended);
    EXPECT_EQ(heard, "hello");
}

TEST(TlsSession, G7_KeepsNoMemoryOfTheBytesItCarried) {
    // Checks nothing under a sanitizer, which replaces the allocator.
    const auto allocated = [] {
        const auto info = ::mallinfo2();
        return info.uordblks + info.hblkhd;
    };
    const AuthorityFixture fixture;
    const auto hub_context = TlsContext::for_server(fixture.hub()).value();
    const auto client_context = TlsContext::for_client(fixture.stranger()).value();
    auto server = TlsSession::of_server(*hub_context);
    auto caller = TlsSession::of_client(*client_context, "localhost");
    std::string to_hub;
    std::string to_caller;
    std::string heard;
    caller.begin(to_hub);
    while (!server.is_open() || !caller.is_open()) {
        server.take(std::exchange(to_hub, {}), heard, to_caller);
        caller.take(std::exchange(to_caller, {}), heard, to_hub);
    }
    const std::string large(3'000'000, 'x');
    const auto before = allocated();
    server.seal(large, to_caller);
    EXPECT_EQ(caller.take(to_caller, heard, to_hub), TlsSession::Outcome::Fine);
    EXPECT_EQ(heard.size(), large.size());
    std::string{}.swap(to_caller);
    std::string{}.swap(heard);
    EXPECT_LT(allocated(), before + 100'000);
}

TEST(TlsSession, FailsOnBytesThatAreNoHandshake) {
    const AuthorityFixture fixture;
    const auto context = TlsContext::for_server(fixture.hub()).value();
    // Plain HTTP, and data before the handshake.
    for (const auto& bytes : {std::string{"GET / HTTP/1.1\r\nHost: x\r\n\r\n"},
                              "\x17\x03\x03\x01\x01" + std::string(257, 'z')}) {
        auto server = TlsSession::of_server(*context);
        std::string plain;
        std::string wire;
        EXPECT_EQ(server.take(bytes, plain, wire), TlsSession::Outcome::Broken);
        EXPECT_TRUE(plain.empty());
    }
}

}  // namespace
}  // namespace parlance::identity
