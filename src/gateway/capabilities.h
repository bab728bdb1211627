// What agents can do and with what (K6): capabilities as they are registered, and their schemas,
// which requests are held to before an agent is bothered and answers before anybody trusts them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/schema/schema.h"
#include "dialects/dialects.h"
#include "model/envelope.h"
#include "model/ids.h"
#include "model/scribe.h"

namespace parlance::gateway {

struct Desk;

struct Capability {
    std::string code;
    bool is_compiled = false;  ///< It has been asked for, and so has its schemas.
    std::optional<schema::Schema> input{};
    std::optional<schema::Schema> output{};
};

/// An agent's capabilities, and the text of its profile that they were made of.
struct CapabilitySet {
    std::string text;
    std::vector<Capability> all;
};

using CapabilityShelf = std::map<std::string, CapabilitySet, std::less<>>;  ///< By agent.

/// Compiled when it is first asked for, and again when the text is another; null if there is none.
/// The agent's other capabilities are left for when they are asked for.
const Capability* find_capability(CapabilityShelf& shelf,
                                  std::string_view agent,
                                  std::string_view capabilities,
                                  std::string_view code);

/// Adds a problem for everything that is wrong with a list of capabilities.
void check_capabilities(json::Value list, std::vector<dialects::Problem>& problems);

/// Why this request must not reach whoever would take it; nothing if it may.
std::optional<dialects::Rejection> unfit_for(CapabilityShelf& shelf,
                                             const Envelope& request,
                                             const Taker& taker,
                                             Time now);
/// The same of the recipient that it names.
std::optional<dialects::Rejection> unfit_request(Desk& desk, const Envelope& request);

/// Why this answer must not reach who asked; nothing if it may. `said` is what the agent wrote, of
/// which the answer was made.
struct GivenAnswer {
    const Envelope& request;
    const AgentId& agent;
    const Envelope& reply;
    std::string_view said;
};
std::optional<dialects::Rejection> unfit_answer(Desk& desk, const GivenAnswer& answer);
/// The same for an answer that comes as a message of its own.
std::optional<dialects::Rejection> unfit_message(Desk& desk, const Envelope& message);

}  // namespace parlance::gateway
