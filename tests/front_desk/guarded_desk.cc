#include "tests/front_desk/guarded_desk.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace parlance::front_desk {

using identity::testing::kDay;
using identity::testing::kNoon;

std::string code_in(std::string_view body) {
    if (body.empty() || body.front() != '{') return "";
    const auto code = json::find(json::root(body), "code");
    std::string spare;
    return code ? std::string{code->text(spare)} : "";
}

gateway::Options guarded(const std::string& data) {
    return {.guard = std::make_shared<identity::Guard>(data, [](const std::string&) {}),
            .names = {"hub"}};
}

std::string GuardedDesk::mint(identity::Claims claims) {
    claims.expires = kNoon + kDay;
    auto minted = identity::mint_token(identity::Folder{path()}, std::move(claims), kNoon);
    ids[minted->secret] = minted->claims.id;
    return minted->secret;
}

std::string GuardedDesk::mint_operator(const std::string& name, OperatorRole role) {
    return mint({.kind = identity::Kind::Operator, .name = name, .role = role});
}

void GuardedDesk::revoke(const std::string& who) {
    ASSERT_TRUE(identity::revoke_token(identity::Folder{path()}, ids.at(tokens.at(who)), kNoon));
}

Headers GuardedDesk::proof(const std::string& who) const {
    return {{"Authorization", "Bearer " + tokens.at(who)}};
}

ExchangePtr GuardedDesk::as(const std::string& who,
                            std::string method,
                            std::string path,
                            std::string body,
                            const Headers& more) {
    auto headers = proof(who);
    headers.insert(headers.end(), more.begin(), more.end());
    auto exchange = ask(std::move(method), std::move(path), std::move(body), headers);
    turn();
    return exchange;
}

std::string GuardedDesk::record(std::uint64_t from) {
    turn();  // With the refusals before the engine.
    const auto events = as("admin", "GET", "/v1/events?follow=false&from=" + std::to_string(from));
    run_until([&] { return events->has_ended; });
    return events->streamed;
}

}  // namespace parlance::front_desk
