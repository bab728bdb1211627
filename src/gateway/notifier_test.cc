#include "gateway/notifier.h"

#include <gtest/gtest.h>

namespace parlance::gateway {
namespace {

NotifyPeople notice() {
    return {.id = {4711},
            .role = "compliance",
            .question = "May the vendor be paid?",
            .asked_by = "buyer",
            .deadline = Time{std::chrono::hours{480'000}}};
}

const Contact kOffice{.email = {"ann@example.com", "bea@example.com"}};

TEST(Notice, S13_SaysWhatWaitsAndHowToAnswer) {
    const auto text = notice_text(notice(), "https://hub:7420");
    EXPECT_NE(text.find("May the vendor be paid?"), std::string::npos);
    EXPECT_NE(text.find("parlance human answer 4711"), std::string::npos);
    EXPECT_NE(text.find("https://hub:7420/v1/human/4711"), std::string::npos);
    EXPECT_NE(text.find("2024-10-04T00:00:00"), std::string::npos);  // 20,000 days after 1970.
}

TEST(Notice, S13_AQuestionCannotAddALineToAMail) {
    auto hostile = notice();
    hostile.role = "compliance\r\nBcc: mallory@example.com";
    hostile.question = "hello\r\n.\r\nMAIL FROM:<mallory@example.com>";
    const auto mail = notice_mail(hostile, kOffice, {.mail = {.from = "hub@example.com"}});
    EXPECT_EQ(mail.find("\nBcc:"), std::string::npos);
    EXPECT_EQ(mail.find("\r\n.\r\n"), std::string::npos);
    EXPECT_EQ(mail.find("\nMAIL FROM"), std::string::npos);
}

TEST(Notice, S13_AMailHasItsHeaderAndLinesThatEndAsMailsDo) {
    const auto mail = notice_mail(notice(), kOffice, {.mail = {.from = "hub@example.com"}});
    EXPECT_TRUE(
        mail.starts_with("From: hub@example.com\r\nTo: ann@example.com, bea@example.com\r\n"
                         "Subject: Parlance: 4711 waits for compliance\r\n"))
        << mail;
    for (auto at = mail.find('\n'); at != std::string::npos; at = mail.find('\n', at + 1)) {
        EXPECT_EQ(mail[at - 1], '\r');
    }
    EXPECT_NE(mail.find("\r\n\r\nSomething waits"), std::string::npos);
}

}  // namespace
}  // namespace parlance::gateway
