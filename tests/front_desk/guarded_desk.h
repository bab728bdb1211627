// The front desk of a hub without --dev, and callers who prove who they are by tokens of its own.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "identity/testing/scratch.h"
#include "identity/token_book.h"
#include "tests/front_desk/front_desk.h"

namespace parlance::front_desk {

/// The `code` of a problem; empty if it is none.
std::string code_in(std::string_view body);

/// The options of a hub without --dev that has this data.
gateway::Options guarded(const std::string& data);

struct GuardedDesk : identity::testing::Scratch, FrontDesk {
    GuardedDesk() : FrontDesk({}, guarded(path())) {}

    std::string mint(identity::Claims claims);
    std::string mint_operator(const std::string& name, OperatorRole role);
    void revoke(const std::string& who);
    Headers proof(const std::string& who) const;
    /// A request with somebody's token, decided.
    ExchangePtr as(const std::string& who,
                   std::string method,
                   std::string path,
                   std::string body = {},
                   const Headers& more = {});
    /// What is on record from there on, as an admin reads it.
    std::string record(std::uint64_t from = 1);

    std::map<std::string, std::string> tokens;  ///< By who it is in the test.
    std::map<std::string, std::string> ids;     ///< Of each token.
};

}  // namespace parlance::front_desk
