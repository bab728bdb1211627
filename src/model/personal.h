// The policy of hiding personal data. Data only: the gateway applies the policy.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/personal/personal.h"
#include "model/envelope.h"

namespace parlance {

struct PersonalPolicy {
    /// A recipient sees placeholders if the message's dialect or the recipient's own is listed.
    std::vector<Dialect> dialects{Dialect::Delegation};
    personal::Kinds kinds = personal::structured_kinds();
    std::map<std::string, personal::Kinds, std::less<>> reveal{};  ///< By agent: kinds it may see.
    std::vector<std::string> fields_exempt{};                      ///< JSON pointers into messages.

    bool covers(Dialect dialect) const {
        return std::ranges::find(dialects, dialect) != dialects.end();
    }
    personal::Kinds kinds_for(std::string_view agent) const {
        const auto found = reveal.find(agent);
        return found == reveal.end() ? kinds : kinds.without(found->second);
    }
    bool operator==(const PersonalPolicy&) const = default;
};

}  // namespace parlance
