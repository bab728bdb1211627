// What a delegate is told of its place in the tree, beside the message that its asker wrote: the
// hub's own record, by which it will be judged. The bytes of the message stay as they came (D9).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/effect.h"

namespace parlance::gateway {

/// As a delivery carries it.
std::string grant_json(const Grant& grant);

/// The same for a delivery that is posted: the headers of the HTTP form (X12) and, for what that
/// has none for, some of ours. A value that no header can carry is left out.
std::vector<std::pair<std::string, std::string>> grant_headers(const Envelope& request,
                                                               const Grant& grant);

}  // namespace parlance::gateway
