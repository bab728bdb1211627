#include "gateway/intent_steps.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/fold.h"
#include "base/json_write.h"
#include "base/schema/schema.h"
#include "gateway/handlers.h"

namespace parlance::gateway {

namespace {

/// Inputs that take the user's own text.
constexpr std::array<std::string_view, 6> kOwnWords{
    "text", "question", "message", "query", "request", "input"};

struct TypeWords {
    std::string_view type;
    std::string_view words;
};
constexpr std::array kTypes{TypeWords{"number", "a number, like 12 or 0.5"},
                            TypeWords{"integer", "a whole number"},
                            TypeWords{"boolean", "yes or no"},
                            TypeWords{"array", "a list"}};

/// Words that make the intent steps run one after another.
constexpr std::array<std::string_view, 6> kInTurn{
    " then ", " afterwards", " after that", " based on ", " from that", " with the result"};

/// Whether an input takes the value. If the input's schema cannot be compiled alone, any value
/// passes until the request is sent.
bool takes(json::Value property, std::string_view value) {
    const auto schema = schema::compile(property.raw);
    return !schema || schema::check(*schema, json::root(value)).empty();
}

/// The values that an input takes, for the user; empty if unknown.
std::string wanted_by(json::Value property) {
    if (!property.is_object()) return {};
    if (const auto choice = json::find(property, "enum"); choice && choice->is_array()) {
        std::string words;
        std::string spare;
        for (json::Elements each{*choice}; each.next();) {
            words += words.empty() ? "one of " : ", ";
            words += each.value.is_string() ? each.value.text(spare) : each.value.raw;
        }
        return words;
    }
    const auto type = text_member(property, "type");
    const auto row = std::ranges::find(kTypes, type, &TypeWords::type);
    return row == kTypes.end() ? std::string{} : std::string{row->words};
}

/// The user's newest fact of this name with a fitting value; null without such a fact.
const Fact* known_fact(const Desk& desk,
                       std::string_view user,
                       std::string_view name,
                       json::Value property) {
    const auto* facts = core::shared::find(desk.engine->state().shared.facts, std::string{user});
    if (facts == nullptr) return nullptr;
    std::string spaced{name};
    std::ranges::replace(spaced, '_', ' ');
    const std::array wanted{folded(name), folded(spaced)};
    const auto is_it = [&](const core::shared::KnownFact& known) {
        return std::ranges::find(wanted, folded(known.fact.about)) != wanted.end() &&
               takes(property, known.fact.value);
    };
    const auto found = std::find_if(facts->rbegin(), facts->rend(), is_it);
    return found == facts->rend() ? nullptr : &found->fact;
}

/// The registered capability; nothing if not registered.
std::optional<json::Value> registered(const Desk& desk,
                                      std::string_view agent,
                                      std::string_view code) {
    const auto* profile = desk.engine->profile(agent);
    if (profile == nullptr || profile->capabilities.empty()) return std::nullopt;
    for (json::Elements each{json::root(profile->capabilities)}; each.next();) {
        if (text_member(each.value, "code") == code) return each.value;
    }
    return std::nullopt;
}

std::optional<json::Value> object_at(std::optional<json::Value> value, std::string_view pointer) {
    if (value) value = json::find_at(*value, pointer);
    return value && value->is_object() ? value : std::nullopt;
}

bool is_required(json::Value schema, std::string_view name) {
    const auto required = json::find(schema, "required");
    if (!required || !required->is_array()) return false;
    std::string spare;
    for (json::Elements each{*required}; each.next();) {
        if (each.value.is_string() && each.value.text(spare) == name) return true;
    }
    return false;
}

bool has_default(json::Value property) {
    return property.is_object() && json::find(property, "default").has_value();
}

/// Notes an input that the user must give.
void lack(IntentStep& intent_step, const std::string& name, json::Value property, bool is_unfit) {
    auto words = property.is_object() ? text_member(property, "description") : "";
    if (words.empty()) {
        words = name;
        std::ranges::replace(words, '_', ' ');
    }
    const auto wanted = is_unfit ? wanted_by(property) : std::string{};
    if (!wanted.empty()) words += " (" + wanted + ")";
    intent_step.lacking.push_back(name);
    intent_step.asked.push_back(std::move(words));
    if (is_unfit) intent_step.unfit.push_back(name);
}

/// Fills the inputs with given values, the user's text and known facts, and notes missing inputs.
void fill_inputs(const Desk& desk,
                 const Saying& saying,
                 json::Value schema,
                 IntentStep& intent_step) {
    json::ObjectWriter inputs;
    const auto properties = json::find(schema, "properties");
    for (json::Members each{*properties}; each.next();) {
        const std::string name{each.key};
        const auto given = json::find(json::root(saying.given), name);
        if (given && takes(each.value, given->raw)) {
            inputs.raw(name, given->raw);
        } else if (given) {
            lack(intent_step, name, each.value, true);
        } else if (std::ranges::find(kOwnWords, name) != kOwnWords.end()) {
            inputs.text(name, saying.text);
        } else if (const auto* fact = known_fact(desk, saying.user, name, each.value)) {
            inputs.raw(name, fact->value);
        } else if (is_required(schema, name) && !has_default(each.value)) {
            lack(intent_step, name, each.value, false);
        }
    }
    intent_step.inputs = inputs.done();
}

bool is_in_turn(std::string_view text) {
    const auto words = folded(text);
    return std::ranges::any_of(
        kInTurn, [&](std::string_view sign) { return words.find(sign) != std::string::npos; });
}

}  // namespace

IntentStep intent_step_for(const Desk& desk,
                           const Saying& saying,
                           std::string agent,
                           std::string code) {
    const auto capability = registered(desk, agent, code);
    IntentStep intent_step{.agent = std::move(agent), .capability = std::move(code)};
    if (capability) {
        intent_step.label = text_member(*capability, "description");
        intent_step.narration = text_member(*capability, "narration");
    }
    if (intent_step.label.empty()) intent_step.label = "What you asked for";
    if (intent_step.narration.empty())
        intent_step.narration = fmt::format("I am working on this: {}.", intent_step.label);
    const auto schema = object_at(capability, "/input_schema");
    if (object_at(schema, "/properties")) {
        fill_inputs(desk, saying, *schema, intent_step);
    } else {
        intent_step.inputs = json::ObjectWriter{}.text("text", saying.text).done();
    }
    return intent_step;
}

std::vector<IntentStep> intent_steps_of(const Desk& desk, const Saying& saying, json::Value found) {
    std::vector<IntentStep> intent_steps;
    intent_steps.push_back(intent_step_for(
        desk, saying, text_member(found, "target_agent"), text_member(found, "target_capability")));
    if (const auto others = json::find(found, "secondary_targets")) {
        for (json::Elements each{*others}; each.next();) {
            intent_steps.push_back(intent_step_for(desk,
                                                   saying,
                                                   text_member(each.value, "agent"),
                                                   text_member(each.value, "capability")));
        }
    }
    return intent_steps;
}

std::string definition_of(const Saying& saying, const std::vector<IntentStep>& intent_steps) {
    const bool in_turn = is_in_turn(saying.text);
    std::string steps = "[";
    for (std::size_t i = 0; i < intent_steps.size(); ++i) {
        json::ObjectWriter step;
        step.text("id", fmt::format("part-{}", i + 1))
            .text("label", intent_steps[i].label)
            .text("agent", intent_steps[i].agent)
            .text("capability", intent_steps[i].capability)
            .raw("inputs", intent_steps[i].inputs);
        if (in_turn && i > 0) step.raw("after", fmt::format(R"(["part-{}"])", i));
        steps += (i > 0 ? "," : "") + step.done();
    }
    return json::ObjectWriter{}
        .text("name", "chat")
        .text("request", saying.text)
        .text("user_id", saying.user)
        .text("session_id", saying.session)
        .raw("steps", steps + "]")
        .done();
}

std::vector<IntentStep> intent_steps_in(std::string_view plan) {
    std::vector<IntentStep> intent_steps;
    const auto steps = plan.empty() ? std::nullopt : json::find(json::root(plan), "steps");
    if (!steps) return intent_steps;
    for (json::Elements each{*steps}; each.next();) {
        const auto inputs = json::find(each.value, "inputs");
        intent_steps.push_back({.agent = text_member(each.value, "agent"),
                                .capability = text_member(each.value, "capability"),
                                .inputs = inputs ? std::string{inputs->raw} : std::string{}});
    }
    return intent_steps;
}

std::string as_input(const Desk& desk,
                     const IntentStep& intent_step,
                     std::string_view name,
                     std::string_view text) {
    const auto properties = object_at(registered(desk, intent_step.agent, intent_step.capability),
                                      "/input_schema/properties");
    const auto property = properties ? json::find(*properties, name) : std::nullopt;
    const auto type = property && property->is_object() ? text_member(*property, "type") : "";
    if (type == "number" || type == "integer") {
        double number = 0;
        const auto end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, number);
        const bool is_whole = read.ec == std::errc{} && read.ptr == end;
        if (is_whole && std::isfinite(number)) return fmt::format("{}", number);
    }
    if (type == "boolean") {
        const auto said = folded(text);
        if (said == "yes" || said == "true") return "true";
        if (said == "no" || said == "false") return "false";
    }
    std::string quoted;
    json::append_quoted(quoted, text);
    return quoted;
}

std::vector<narrative::Internal> internals_of(const std::vector<Offer>& offers) {
    std::vector<narrative::Internal> internals{{kOrchestrator, "our team"}};
    for (const auto& offer : offers) {
        const std::string_view words =
            offer.description.empty() ? std::string_view{"that"} : offer.description;
        internals.push_back({offer.code, words});
        internals.push_back({offer.agent, "our team"});
    }
    narrative::longest_first(internals);
    return internals;
}

}  // namespace parlance::gateway
