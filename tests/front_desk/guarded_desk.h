// The gateway of a hub without --dev, and callers with the hub's own tokens.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "identity/testing/scratch.h"
#include "identity/token_book.h"
#include "tests/front_desk/front_desk.h"

namespace parlance::front_desk {

/// The `code` of a problem; empty if the body is no problem.
std::string code_in(std::string_view body);

/// The options of a hub without --dev and with this data.
gateway::Options guarded(const std::string& data);

struct GuardedDesk : identity::testing::Scratch, FrontDesk {
    GuardedDesk() : FrontDesk({}, guarded(path())) {}

    std::string mint(identity::Claims claims);
    std::string mint_operator(const std::string& name, OperatorRole role);
    void revoke(const std::string& who);
    Headers proof(const std::string& who) const;
    /// A request with this caller's token, decided.
    ExchangePtr as(const std::string& who,
                   std::string method,
                   std::string path,
                   std::string body = {},
                   const Headers& more = {});
    /// The record from this sequence on, as an admin reads it.
    std::string record(std::uint64_t from = 1);

    std::map<std::string, std::string> tokens;  ///< By the caller's name in the test.
    std::map<std::string, std::string> ids;     ///< Token ids, by secret.
};

}  // namespace parlance::front_desk
