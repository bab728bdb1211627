// Intent steps of a chat turn: each becomes a step of a workflow, with known inputs filled in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "gateway/desk.h"
#include "narrative/aggregate.h"

namespace parlance::gateway {

/// A user's text.
struct Saying {
    std::string text;
    std::string user;
    std::string session;
    std::string given{"{}"};  ///< Inputs that the user gave by name; JSON.
};

/// An intent step.
struct IntentStep {
    std::string agent;
    std::string capability;
    std::string label{};                 ///< For the user.
    std::string narration{};             ///< The work under way, for the user.
    std::string inputs{};                ///< JSON.
    std::vector<std::string> lacking{};  ///< Inputs still to be asked for.
    std::vector<std::string> asked{};    ///< The same, in words for the user.
    std::vector<std::string> unfit{};    ///< Inputs whose given value breaks the schema.
};
IntentStep intent_step_for(const Desk& desk,
                           const Saying& saying,
                           std::string agent,
                           std::string code);
/// The intent steps of a classification, in order.
std::vector<IntentStep> intent_steps_of(const Desk& desk, const Saying& saying, json::Value found);

/// The workflow of the intent steps.
std::string definition_of(const Saying& saying, const std::vector<IntentStep>& intent_steps);

/// The intent steps of a workflow's plan.
std::vector<IntentStep> intent_steps_in(std::string_view plan);

/// A text as JSON for the input's type: a number where the schema wants a number, and true or false
/// for yes and no.
std::string as_input(const Desk& desk,
                     const IntentStep& intent_step,
                     std::string_view name,
                     std::string_view text);

/// K11: every agent and every capability code, with the words that users are shown instead.
std::vector<narrative::Internal> internals_of(const std::vector<Offer>& offers);

}  // namespace parlance::gateway
