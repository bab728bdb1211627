// What a user's words come to: wishes, each a step of a workflow, with what is known put in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "gateway/desk.h"
#include "narrative/aggregate.h"

namespace parlance::gateway {

/// One thing that a user said.
struct Saying {
    std::string text;
    std::string user;
    std::string session;
    std::string given{"{}"};  ///< What the user says of single inputs, by name; JSON.
};

/// What one part of the words asks for.
struct Wish {
    std::string agent;
    std::string capability;
    std::string label{};                 ///< For the user.
    std::string narration{};             ///< What is being done, for the user.
    std::string inputs{};                ///< JSON.
    std::vector<std::string> lacking{};  ///< Inputs that have to be known first.
    std::vector<std::string> asked{};    ///< The same, in words for the user.
    std::vector<std::string> unfit{};    ///< Those of which the user gave a value that will not do.
};
Wish wish_for(const Desk& desk, const Saying& saying, std::string agent, std::string code);
/// Those that a classification found, in its order.
std::vector<Wish> wishes_of(const Desk& desk, const Saying& saying, json::Value found);

/// The workflow that sees to them.
std::string definition_of(const Saying& saying, const std::vector<Wish>& wishes);

/// The same, out of the workflow's plan.
std::vector<Wish> wishes_in(std::string_view plan);

/// A text as the input wants it: a number where it asks for one, and true or false for yes and no.
std::string as_input(const Desk& desk,
                     const Wish& wish,
                     std::string_view name,
                     std::string_view text);

/// K11: every agent and every capability by its code, and what users are told instead.
std::vector<narrative::Internal> internals_of(const std::vector<Offer>& offers);

}  // namespace parlance::gateway
