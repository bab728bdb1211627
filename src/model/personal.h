// Which personal data is kept from whom. Data only: who acts on it is the gateway.
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
    /// Who is asked something by a message of these, or reads one of these, sees placeholders.
    std::vector<Dialect> dialects{Dialect::Delegation};
    personal::Kinds kinds = personal::structured_kinds();
    std::map<std::string, personal::Kinds, std::less<>> reveal{};  ///< By agent: what it may see.
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
