// The grant of a delegation: the hub's record of a delegate's place in the tree, by which the
// delegate will be judged. A grant stands beside the requester's message, whose bytes stay
// unchanged (D9).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/effect.h"

namespace parlance::gateway {

/// As a delivery carries the grant.
std::string grant_json(const Grant& grant);

/// The grant as headers of a posted delivery: the headers of the HTTP form (X12), and the hub's own
/// for the other members. A value that no header can carry is left out.
std::vector<std::pair<std::string, std::string>> grant_headers(const Envelope& request,
                                                               const Grant& grant);

}  // namespace parlance::gateway
