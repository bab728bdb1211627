// Capabilities of agents (K6) with their schemas. Requests are checked before the agent gets them,
// answers before the requester does.
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
#include "model/message_writer.h"

namespace parlance::gateway {

struct Desk;

struct Capability {
    std::string code;
    bool is_compiled = false;  ///< Set at the first use, together with the schemas.
    std::optional<schema::Schema> input{};
    std::optional<schema::Schema> output{};
};

/// An agent's capabilities, and the text of the profile that they were read from.
struct CapabilitySet {
    std::string text;
    std::vector<Capability> all;
};

using CapabilityShelf = std::map<std::string, CapabilitySet, std::less<>>;  ///< By agent.

/// The capability, null if missing. Its schemas are compiled at the first use and again after a
/// change of the text; the agent's other capabilities are not compiled.
const Capability* find_capability(CapabilityShelf& shelf,
                                  std::string_view agent,
                                  std::string_view capabilities,
                                  std::string_view code);

/// Adds a problem for every flaw in a list of capabilities.
void check_capabilities(json::Value list, std::vector<dialects::Problem>& problems);

/// Why the request must not reach the agent that would take the request; nothing if it may.
std::optional<dialects::Rejection> unfit_for(CapabilityShelf& shelf,
                                             const Envelope& request,
                                             const Taker& taker,
                                             Time now);
/// The same for the recipient that the request names.
std::optional<dialects::Rejection> unfit_request(Desk& desk, const Envelope& request);

/// An answer for unfit_answer(), which returns why the answer must not reach the requester. `said`
/// is the agent's text, from which `reply` was made.
struct GivenAnswer {
    const Envelope& request;
    const AgentId& agent;
    const Envelope& reply;
    std::string_view said;
};
std::optional<dialects::Rejection> unfit_answer(Desk& desk, const GivenAnswer& answer);
/// As unfit_request() for a request, and as unfit_answer() for an answer sent as a message.
std::optional<dialects::Rejection> unfit_message(Desk& desk, const Envelope& message);

}  // namespace parlance::gateway
