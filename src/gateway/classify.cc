// POST /v1/classify: the intent of a user's text, and how to go on (K12, K13).
//
// The hub's own classifier answers, or an agent with the capability to classify; if the agent
// fails, is late or answers badly, the hub's own classifier answers after all.
#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_write.h"
#include "gateway/handlers.h"
#include "gateway/internal_request.h"
#include "gateway/problem.h"
#include "intents/understand.h"
#include "model/policy.h"

namespace parlance::gateway {

namespace {

constexpr std::string_view kBuiltIn = "built-in";
constexpr std::string_view kNoIntent = "out_of_scope";
constexpr std::size_t kShownMax = 8;   ///< Offers named in a refusal.
constexpr std::size_t kToldMax = 500;  ///< Offers sent to a classifying agent.

using Offers = std::vector<Offer>;

/// The result of classifying.
struct Verdict {
    const Offers& offers;
    intents::Understanding found;
    std::string classified_by{kBuiltIn};
    std::string why_not{};  ///< Why the classifying agent's result was not used.
    bool is_current = true;
};

// --- words for people ------------------------------------------------------------------------

/// An offer in words for people, without codes.
std::string plain_words(const Offer& offer) {
    if (!offer.description.empty()) return offer.description;
    return offer.examples.empty() ? std::string{} : offer.examples.front();
}

std::string quoted_words(const std::vector<std::string>& words) {
    std::string out;
    for (const auto& each : words) out += (out.empty() ? "“" : ", “") + each + "”";
    return out;
}

std::string question_of(const std::vector<std::string>& words) {
    if (words.empty()) return "I am not sure what you need. Could you say it in other words?";
    return fmt::format("I am not sure what you need. {}: {}? If not, please say it in other words.",
                       words.size() == 1 ? "Is it this" : "Is it one of these",
                       quoted_words(words));
}

std::string limitation_of(const Offers& offers) {
    std::vector<std::string> words;
    for (const Offer& offer : offers) {
        auto plain = plain_words(offer);
        const bool is_said = std::ranges::find(words, plain) != words.end();
        if (offer.code == kClassifyCode || plain.empty() || is_said) continue;
        if (words.size() == kShownMax) {
            return fmt::format("I cannot help with that. What I can do: {}, and more.",
                               quoted_words(words));
        }
        words.push_back(std::move(plain));
    }
    if (words.empty()) return "I cannot help with that.";
    return fmt::format("I cannot help with that. What I can do: {}.", quoted_words(words));
}

// --- JSON ------------------------------------------------------------------------------------

std::string rounded(double confidence) { return fmt::format("{:.2f}", confidence); }

template <class Items, class Write>
std::string list_json(const Items& items, Write write) {
    std::string out = "[";
    for (const auto& item : items) {
        if (out.size() > 1) out.push_back(',');
        out += write(item);
    }
    return out + "]";
}

std::string quoted(std::string_view text) {
    std::string out;
    json::append_quoted(out, text);
    return out;
}

/// Each guess with the agent that offers the capability; guesses that no agent offers any more are
/// left out.
std::vector<std::pair<const Offer*, double>> targets_of(
    const Desk& desk, const Offers& offers, const std::vector<intents::Guess>& guesses) {
    std::vector<std::pair<const Offer*, double>> targets;
    for (const auto& guess : guesses) {
        const auto* offer = target_of(offers, guess.intent, *desk.engine);
        if (offer != nullptr) targets.emplace_back(offer, guess.confidence);
    }
    return targets;
}

/// The members of the contract's INTENT CLASSIFICATION.
void write_classification(const Desk& desk, const Verdict& verdict, json::ObjectWriter& out) {
    const auto& found = verdict.found;
    const bool is_known = found.outcome != intents::Outcome::Cannot;
    const auto* target =
        is_known ? target_of(verdict.offers, found.primary.intent, *desk.engine) : nullptr;
    out.text("primary_intent", target == nullptr ? kNoIntent : std::string_view{target->intent})
        .raw("intent_confidence", rounded(found.primary.confidence));
    if (target != nullptr) {
        out.text("target_agent", target->agent).text("target_capability", target->code);
    }
    const auto others = targets_of(desk, verdict.offers, found.secondary);
    out.raw("secondary_intents",
            list_json(others, [](const auto& other) { return quoted(other.first->intent); }))
        .raw("secondary_targets", list_json(others, [](const auto& other) {
                 return json::ObjectWriter{}
                     .text("agent", other.first->agent)
                     .text("capability", other.first->code)
                     .done();
             }));
}

/// The possible intents, in plain words and, separately, by name.
std::vector<std::string> write_options(const Desk& desk,
                                       const Verdict& verdict,
                                       json::ObjectWriter& out) {
    const auto rivals = targets_of(desk, verdict.offers, verdict.found.rivals);
    std::vector<std::string> words;
    for (const auto& [offer, confidence] : rivals) {
        if (auto plain = plain_words(*offer); !plain.empty()) words.push_back(std::move(plain));
    }
    out.raw("options", list_json(words, quoted))
        .raw("option_targets", list_json(rivals, [](const auto& rival) {
                 return json::ObjectWriter{}
                     .text("agent", rival.first->agent)
                     .text("capability", rival.first->code)
                     .raw("confidence", rounded(rival.second))
                     .done();
             }));
    return words;
}

void write_outcome(const Desk& desk, const Verdict& verdict, json::ObjectWriter& out) {
    const auto outcome = verdict.found.outcome;
    out.text("outcome", intents::kOutcomeNames.at(static_cast<std::size_t>(outcome)));
    if (outcome == intents::Outcome::Clarify) {
        const auto words = write_options(desk, verdict, out);
        out.text("question", question_of(words));
    } else if (outcome == intents::Outcome::Options) {
        write_options(desk, verdict, out);
        out.text("question", "This can mean more than one thing. Which one do you mean?");
    } else if (outcome == intents::Outcome::Cannot) {
        out.text("message", limitation_of(verdict.offers));
    }
}

void answer(const Desk& desk, transport::Exchange& exchange, const Verdict& verdict) {
    json::ObjectWriter out;
    write_classification(desk, verdict, out);
    if (exchange.request().header("Accept").find("text/plain") != std::string_view::npos) {
        auto block = dialects::to_text_form(Dialect::Kessel, out.done());
        return exchange.respond({.content_type = "text/plain; charset=utf-8",
                                 .headers = {},
                                 .body = block.value_or(std::string{})});
    }
    write_outcome(desk, verdict, out);
    out.text("classified_by", verdict.classified_by);
    if (!verdict.why_not.empty()) out.text("fallback_reason", verdict.why_not);
    exchange.respond({.headers = {}, .body = out.boolean("up_to_date", verdict.is_current).done()});
}

// --- classified by the hub -------------------------------------------------------------------

void classify_here(Desk& desk, ExchangePtr exchange, std::string text, std::string why_not) {
    understand(desk,
               std::move(text),
               [&desk, exchange = std::move(exchange), why_not = std::move(why_not)](
                   const intents::Understanding& found, bool is_current) {
                   answer(desk,
                          *exchange,
                          {.offers = trainer_of(desk).offers(*desk.engine),
                           .found = found,
                           .why_not = why_not,
                           .is_current = is_current});
               });
}

// --- classified by an agent ------------------------------------------------------------------

const Offer* appointed(const Desk& desk, const Offers& offers, const Caller& caller) {
    const auto* offer = target_of(offers, kClassifyCode, *desk.engine);
    // A classifying agent that asks the hub to classify must not be asked in turn.
    return offer != nullptr && offer->agent != caller.agent.value ? offer : nullptr;
}

std::string request_to(Desk& desk,
                       const Offer& classifier,
                       const Caller& caller,
                       std::string_view text,
                       std::int64_t wait_ms) {
    const auto& offers = trainer_of(desk).offers(*desk.engine);
    const bool is_agent = !caller.agent.value.empty() && !caller.is_operator;
    Offers told;
    std::ranges::remove_copy(offers, std::back_inserter(told), kClassifyCode, &Offer::code);
    told.resize(std::min(told.size(), kToldMax));
    const auto inputs = json::ObjectWriter{}
                            .text("text", text)
                            .raw("capabilities",
                                 list_json(told,
                                           [](const Offer& offer) {
                                               return json::ObjectWriter{}
                                                   .text("agent", offer.agent)
                                                   .text("capability", offer.code)
                                                   .text("intent", offer.intent)
                                                   .text("description", offer.description)
                                                   .done();
                                           }))
                            .done();
    return json::ObjectWriter{}
        .text("source_agent", is_agent ? std::string_view{caller.agent.value} : "parlance")
        .text("target_agent", classifier.agent)
        .text("capability_code", kClassifyCode)
        .text("request_id", fresh_uuid(desk))
        .raw("inputs_json", inputs)
        .integer("timeout_ms", wait_ms)
        .done();
}

/// An agent's classification, checked against the contract's form and the registered capabilities.
struct Said {
    std::string primary;
    double confidence = 0;
    std::vector<std::string> others;
};

Result<std::string> capability_said(const Offers& offers,
                                    json::Value said,
                                    std::string_view agent_key,
                                    std::string_view code_key) {
    const auto agent = text_member(said, agent_key);
    auto code = text_member(said, code_key);
    const bool is_there = std::ranges::any_of(
        offers, [&](const Offer& offer) { return offer.agent == agent && offer.code == code; });
    if (!is_there) {
        return fail(Fault::Malformed,
                    fmt::format("it named '{}' of '{}', which is not registered", code, agent));
    }
    return code;
}

Result<Said> read_said(const Offers& offers, const transport::Response& response) {
    if (response.status != 200) {
        return fail(
            Fault::Unavailable,
            fmt::format("it was not reached or did not answer in time ({})", response.status));
    }
    const auto reply = json::root(response.body);
    const auto result = json::find(reply, "result_json");
    if (text_member(reply, "status") != "SUCCESS" || !result || !result->is_object()) {
        return fail(Fault::Unavailable, "it said " + text_member(reply, "status"));
    }
    const auto problems =
        dialects::check_object(Dialect::Kessel, "INTENT CLASSIFICATION", result->raw);
    if (!problems.empty()) {
        return fail(Fault::Malformed, problems.front().pointer + " " + problems.front().rule);
    }
    Said said{.confidence = json::find(*result, "intent_confidence")->number().value_or(0)};
    // Without a target the agent says that no capability fits.
    if (json::find(*result, "target_capability")) {
        said.primary = TRY(capability_said(offers, *result, "target_agent", "target_capability"));
    }
    if (const auto others = json::find(*result, "secondary_targets")) {
        for (json::Elements each{*others}; each.next();) {
            said.others.push_back(TRY(capability_said(offers, each.value, "agent", "capability")));
        }
    }
    return said;
}

intents::Understanding understanding_of(const Said& said, const intents::Bounds& bounds) {
    if (said.primary.empty()) return {.primary = {.confidence = said.confidence}};
    auto found = intents::weigh({{said.primary, said.confidence}}, bounds);
    for (const auto& other : said.others) found.secondary.push_back({other, said.confidence});
    return found;
}

void ask_agent(Desk& desk, Call& call, const Offer& classifier, std::string text) {
    const auto wait_ms = limit_of(desk.engine->state().governor.policy, Rule::IntentAgentWaitMs);
    // The hub itself answers at the deadline; the line is held a moment longer.
    transport::Request request{.method = "POST",
                               .path = "/v1/messages",
                               .headers = {{"Prefer", "wait=" + std::to_string(wait_ms + 1'000)}},
                               .body = request_to(desk, classifier, *call.caller, text, wait_ms)};
    auto then = [&desk,
                 exchange = std::move(call.exchange),
                 text = std::move(text),
                 agent = classifier.agent](const transport::Response& response) {
        const auto& offers = trainer_of(desk).offers(*desk.engine);
        const auto said = read_said(offers, response);
        if (!said) return classify_here(desk, exchange, text, said.error().message);
        answer(desk,
               *exchange,
               {.offers = offers,
                .found = understanding_of(*said, bounds_of(desk)),
                .classified_by = agent});
    };
    auto internal_call = make_internal_call(std::move(request), call.caller, std::move(then));
    post_message(desk, internal_call);
}

}  // namespace

bool is_understandable(Call& call, std::string_view text) {
    constexpr std::size_t kTextBytesMax = 8'192;
    if (!text.empty() && text.size() <= kTextBytesMax) return true;
    call.exchange->respond(problem(
        Refusal::InputValidationFailed,
        fmt::format(R"(a "text" of 1 to {} bytes is needed, what a user said)", kTextBytesMax)));
    return false;
}

void post_classify(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    auto text = text_member(*body, "text");
    if (!is_understandable(call, text)) return;
    const auto* classifier = appointed(desk, trainer_of(desk).offers(*desk.engine), *call.caller);
    if (classifier != nullptr) return ask_agent(desk, call, *classifier, std::move(text));
    classify_here(desk, std::move(call.exchange), std::move(text), {});
}

}  // namespace parlance::gateway
