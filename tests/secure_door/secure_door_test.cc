// The TLS listener with a real client: which connections pass, which are refused, and how long a
// silent peer may take. Certificates are made for each test.
#include <atomic>
#include <chrono>
#include <memory>

#include <gtest/gtest.h>

#include "identity/authority.h"
#include "identity/testing/scratch.h"
#include "sdk/cpp/client.h"
#include "transport/testing/peer.h"

namespace parlance {
namespace {

using identity::Folder;
using sdk::Client;
using sdk::HubAddress;
using transport::DoorLimits;
using transport::testing::House;

Time today() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

struct CertificateFixture : identity::testing::Scratch {
    Folder folder{path()};
    CertificateFixture() { EXPECT_TRUE(identity::make_authority(folder, {}, today())); }
    TlsFiles hub() const {
        return {folder.path_of(identity::kHubFile),
                folder.path_of(identity::kHubKeyFile),
                folder.path_of(identity::kAuthorityFile)};
    }
};

/// Answers with the name in the client certificate, and echoes frames.
transport::Doors doors() {
    auto doors = transport::testing::echo_doors();
    doors.on_request = [](const std::shared_ptr<transport::Exchange>& exchange) {
        const auto& certificate = exchange->request().certificate;
        exchange->respond(
            {.body = certificate ? certificate->names.at(0) : exchange->request().body});
    };
    return doors;
}

struct SecureHouse : CertificateFixture {
    explicit SecureHouse(DoorLimits limits = {}) : house{limits, doors(), hub()} {}
    HubAddress address(const TlsFiles& own = {}) const {
        HubAddress hub{.host = "localhost", .port = house.port(), .is_tls = true, .tls = own};
        hub.tls.authority = folder.path_of(identity::kAuthorityFile);
        return hub;
    }
    House house;
};

TEST(SecureDoor, S14_CarriesCallsOfAnySizeOverOneConnection) {
    const SecureHouse house;
    Client client{house.address(), {}};
    for (const std::size_t size : {1U, 16'384U, 16'385U, 900'000U, 3U}) {
        const std::string body(size, 'x');
        const auto answer = client.call("POST", "/", body);
        ASSERT_TRUE(answer) << answer.error().message;
        EXPECT_EQ(answer->body.size(), size);
    }
}

TEST(SecureDoor, S14_CarriesFramesBothWays) {
    const SecureHouse house;
    auto connection = sdk::Connection::open(house.address(), {});
    ASSERT_TRUE(connection) << connection.error().message;
    for (const std::size_t size : {1U, 70'000U, 500'000U}) {
        const std::string frame(size, 'x');
        ASSERT_TRUE(connection->send(frame));
        const auto echo = connection->receive(std::chrono::seconds{10});
        ASSERT_TRUE(echo && *echo);
        EXPECT_EQ((*echo)->size(), size);
    }
    connection->close();
}

TEST(SecureDoor, S15_ReportsTheAgentOfAClientCertificate) {
    const SecureHouse house;
    const auto issued =
        identity::issue_certificate(house.folder, "planner", std::chrono::hours{1}, today())
            .value();
    Client planner{house.address({issued.certificate, issued.key}), {}};
    EXPECT_EQ(planner.call("GET", "/")->body, "URI:parlance://agent/planner");
    Client nobody{house.address(), {}};
    EXPECT_EQ(nobody.call("POST", "/", "nobody")->body, "nobody");
}

TEST(SecureDoor, S15_RefusesCertificatesOfAnotherAuthority) {
    const SecureHouse house;
    const CertificateFixture other;
    const auto issued =
        identity::issue_certificate(other.folder, "planner", std::chrono::hours{1}, today())
            .value();
    Client planner{house.address({issued.certificate, issued.key}), {}};
    const auto answer = planner.call("GET", "/");
    ASSERT_FALSE(answer);
    EXPECT_NE(answer.error().message.find("unknown ca"), std::string::npos)
        << answer.error().message;
}

TEST(SecureDoor, S14_ShowsARenewedCertificateToNewConnections) {
    SecureHouse house;
    const CertificateFixture other;
    const auto renew = [&](const TlsFiles& files) {
        bool is_renewed = false;
        house.house.on_loop([&] { is_renewed = house.house.server().renew(files).has_value(); });
        return is_renewed;
    };
    Client early{house.address(), {}};
    ASSERT_TRUE(early.call("GET", "/"));
    EXPECT_TRUE(renew(other.hub()));
    EXPECT_TRUE(early.call("GET", "/")) << "who is there stays";
    EXPECT_FALSE((Client{house.address(), {}}.call("GET", "/")));
    auto address = house.address();
    address.tls.authority = other.folder.path_of(identity::kAuthorityFile);
    EXPECT_TRUE((Client{address, {}}.call("GET", "/")));
    EXPECT_FALSE(renew({"nowhere.pem", "nowhere.key"}));
    EXPECT_TRUE((Client{address, {}}.call("GET", "/"))) << "all is as it was";
}

TEST(SecureDoor, S14_IsNotTrustedWithoutItsAuthority) {
    const SecureHouse house;
    const CertificateFixture other;
    auto address = house.address();
    address.tls.authority = other.folder.path_of(identity::kAuthorityFile);
    EXPECT_FALSE((Client{address, {}}.call("GET", "/")));
}

TEST(SecureDoor, S14_AnswersNothingInTheClear) {
    const SecureHouse house;
    transport::testing::Peer peer{house.house.port()};
    peer.send(transport::testing::request_text("GET", "/"));
    std::string heard;
    while (!peer.has_ended()) heard += peer.read_bytes(1);
    EXPECT_EQ(heard.find("HTTP"), std::string::npos) << heard;
    EXPECT_LE(heard.size(), 7U) << "an alert at most";
}

TEST(SecureDoor, S14_ClosesConnectionsWhoseHandshakeExceedsItsLimit) {
    SecureHouse house{{.handshake_time_max = Duration{1'000}}};
    const auto begin = std::chrono::steady_clock::now();
    transport::testing::Peer silent{house.house.port()};
    transport::testing::Peer half{house.house.port()};
    half.send("\x16\x03\x01");  // A record that begins and never ends.
    EXPECT_TRUE(silent.has_ended());
    EXPECT_TRUE(half.has_ended());
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds{900});
    EXPECT_EQ(house.house.counts().connections_shed, 2U);
    Client client{house.address(), {}};
    EXPECT_TRUE(client.call("GET", "/")) << "others go on";
}

TEST(SecureDoor, RefusesAnExcessConnectionOverTls) {
    // An idle connection makes room for another peer's connection, but not for the same peer's.
    const SecureHouse house{{.connections_per_peer_max = 1}};
    Client first{house.address(), {}};
    ASSERT_TRUE(first.call("GET", "/"));
    Client second{house.address(), {}};
    const auto answer = second.call("GET", "/");
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 429);
}

TEST(SecureDoor, DoesNotOpenWithoutItsFiles) {
    const CertificateFixture fixture;
    auto files = fixture.hub();
    files.certificate = fixture.folder.path_of("nothing.pem");
    transport::Loop loop;
    const auto server = transport::Server::listen(loop, "127.0.0.1", 0, {}, doors(), files);
    ASSERT_FALSE(server);
    EXPECT_NE(server.error().message.find("nothing.pem"), std::string::npos);
}

}  // namespace
}  // namespace parlance
