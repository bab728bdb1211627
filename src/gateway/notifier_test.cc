#include "gateway/notifier.h"

#include <future>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace parlance::gateway {
namespace {

NotifyPeople notice() {
    return {.id = {4711},
            .role = "compliance",
            .question = "May the vendor be paid?",
            .asked_by = "buyer",
            .asked_at = Time{std::chrono::milliseconds{35}},
            .deadline = Time{std::chrono::hours{480'000}}};
}

const Contact kContact{.email = {"ann@example.com", "bea@example.com"}};

TEST(Notice, S13_ShowsTheTaskAndHowToAnswer) {
    const auto text = notice_text(notice(), "https://hub:7420");
    EXPECT_NE(text.find("May the vendor be paid?"), std::string::npos);
    EXPECT_NE(text.find("parlance human answer 4711.z "), std::string::npos);
    EXPECT_NE(text.find("https://hub:7420/v1/human/4711.z\n"), std::string::npos);
    EXPECT_NE(text.find("2024-10-04T00:00:00"), std::string::npos);  // 20,000 days after 1970.
}

TEST(Notice, S13_AQuestionCannotAddALineToAMail) {
    auto hostile = notice();
    hostile.role = "compliance\r\nBcc: mallory@example.com";
    hostile.question = "hello\r\n.\r\nMAIL FROM:<mallory@example.com>";
    const auto mail = notice_mail(hostile, kContact, {.mail = {.from = "hub@example.com"}});
    EXPECT_EQ(mail.find("\nBcc:"), std::string::npos);
    EXPECT_EQ(mail.find("\r\n.\r\n"), std::string::npos);
    EXPECT_EQ(mail.find("\nMAIL FROM"), std::string::npos);
}

TEST(Notice, S13_AMailHasItsHeaderAndLinesEndingInCrLf) {
    const auto mail = notice_mail(notice(), kContact, {.mail = {.from = "hub@example.com"}});
    EXPECT_TRUE(
        mail.starts_with("From: hub@example.com\r\nTo: ann@example.com, bea@example.com\r\n"
                         "Subject: Parlance: 4711.z waits for compliance\r\n"))
        << mail;
    for (auto at = mail.find('\n'); at != std::string::npos; at = mail.find('\n', at + 1)) {
        EXPECT_EQ(mail[at - 1], '\r');
    }
    EXPECT_NE(mail.find("\r\n\r\nSomething waits"), std::string::npos);
}

/// The kernel accepts connections, and the server never sends a byte.
class SilentServer {
  public:
    SilentServer() {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
        EXPECT_EQ(::listen(socket_, 16), 0);
        EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
        port_ = ntohs(address.sin_port);
    }
    ~SilentServer() { ::close(socket_); }
    SilentServer(const SilentServer&) = delete;
    SilentServer& operator=(const SilentServer&) = delete;
    int port() const { return port_; }

  private:
    int socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int port_ = 0;
};

TEST(Notifier, S13_SlackIsTriedWhileTheMailServerHangs) {
    const SilentServer server;
    std::promise<std::string> said;
    {
        Notifier notifier{
            {.roles = {{"compliance",
                        {.email = kContact.email, .slack_webhook = "http://127.0.0.1:1/x"}}},
             .mail = {.server = fmt::format("smtp://127.0.0.1:{}", server.port()), .from = "hub@x"},
             .pauses = {},
             .log = [&said](const std::string& line) { said.set_value(line); }}};
        notifier.post(notice());
        auto line = said.get_future();
        ASSERT_EQ(line.wait_for(std::chrono::seconds{8}), std::future_status::ready)
            << "Slack waited for the mail server";
        EXPECT_NE(line.get().find("a word in Slack to compliance about 4711"), std::string::npos);
    }  // Ends although the mail server still hangs.
}

TEST(Notifier, G7_AFullQueueRefusesWithACountAndHarmsNoOtherChannel) {
    const SilentServer server;
    std::vector<std::string> lines;
    Notifier notifier{
        {.roles = {{"compliance", kContact}},
         .mail = {.server = fmt::format("smtp://127.0.0.1:{}", server.port()), .from = "hub@x"},
         .log = [&lines](const std::string& line) { lines.push_back(line); },
         .queue_max = 2}};
    for (int i = 0; i < 5; ++i) notifier.post(notice());  // One may be under way, two wait.
    const auto counts = notifier.counts();
    EXPECT_LE(counts.mail.queued, 2U);
    EXPECT_GE(counts.mail.failed, 2U);
    EXPECT_EQ(counts.slack.failed, 0U);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0],
              "2 notices wait for the mail server and no more are taken: 1 refused so far");
}

}  // namespace
}  // namespace parlance::gateway
