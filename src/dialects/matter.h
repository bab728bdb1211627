// What a request is about: what is wanted, and with what; or what came of it. This is what an
// agent's capabilities, with their schemas, are held against (K6).
#pragma once

#include <string>
#include <string_view>

#include "dialects/dialects.h"

namespace parlance::dialects {

struct Matter {
    std::string action{};          ///< Empty if none is named.
    std::string action_pointer{};  ///< Where it stands in the message.
    std::string content{};         ///< JSON. Of a text that is itself an object or a list, that.
    std::string content_pointer{};
    bool names_capability = false;  ///< A request whose action is nothing but a capability.
    bool is_success = false;        ///< An answer that claims to be whole.
};

Matter matter_of(const Envelope& envelope);

/// Whether each request of the dialect names a capability; in others an action may be free text.
bool names_capabilities(Dialect dialect);

}  // namespace parlance::dialects
