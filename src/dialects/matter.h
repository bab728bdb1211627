// The subject of a request (action and content) or the result of an answer, which is checked
// against the schemas of an agent's capabilities (K6).
#pragma once

#include <string>
#include <string_view>

#include "dialects/dialects.h"

namespace parlance::dialects {

struct Matter {
    std::string action{};          ///< Empty if the message names none.
    std::string action_pointer{};  ///< The action's position in the message.
    std::string content{};         ///< JSON. A string that contains an object or a list is parsed.
    std::string content_pointer{};
    bool names_capability = false;  ///< A request whose action is always a capability.
    bool is_success = false;        ///< An answer that claims complete success.
};

Matter matter_of(const Envelope& envelope);

/// True if every request of the dialect names a capability; in other dialects the action may be
/// free text.
bool names_capabilities(Dialect dialect);

}  // namespace parlance::dialects
