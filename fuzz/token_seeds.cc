#include "fuzz/seeds.h"
#include "identity/certificate_book.h"
#include "identity/token_book.h"

int main(int count, char** arguments) {
    using namespace parlance;
    const identity::Claims claims{
        .id = "i", .name = "planner", .users = {"u1", "*"}, .expires = Time{Duration{1}}};
    return fuzz::write_seeds(
        count,
        arguments,
        {.inputs = {identity::sign_token(claims, std::string(32, 'k')),
                    "{" + identity::write_claims(claims) + "}",
                    identity::write_book(
                        {{.claims = claims, .hash = std::string(64, '0'), .revoked = Time{}}}),
                    identity::write_certificates({{.serial = "ab1", .agent = "planner"}}),
                    "URI:parlance://agent/planner"},
         .words = {"plt1.",
                   "\"kind\":\"operator\"",
                   "\"role\":\"admin\"",
                   "\"user\"",
                   "\"users\":",
                   "\"expires\":",
                   "\"revoked\":",
                   "null",
                   "URI:",
                   "parlance://agent/",
                   "DNS:"}});
}
