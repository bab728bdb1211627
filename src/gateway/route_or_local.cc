// POST /v1/route: whether an agent should route a request or handle the request itself (K9).
#include <algorithm>

#include "base/json_write.h"
#include "gateway/admission.h"
#include "gateway/handlers.h"
#include "gateway/problem.h"
#include "intents/routing.h"

namespace parlance::gateway {

namespace {

/// The work that an agent has in hand, and the capability that the work needs.
struct RoutingQuestion {
    std::string agent;
    std::string capability;  ///< Empty: no agent offers one.
    bool is_named = false;   ///< Named by the agent; else classified.
    bool is_sure = true;
    bool lacks_data = false;
};

/// The other agents with the capability; a request would go to the first.
std::vector<AgentListing> others_with(const Desk& desk,
                                      const std::vector<Offer>& offers,
                                      const RoutingQuestion& question) {
    std::vector<AgentListing> others;
    for (const Offer& offer : offers) {
        if (offer.code != question.capability || offer.agent == question.agent) continue;
        if (auto listing = desk.engine->agent({offer.agent})) others.push_back(*std::move(listing));
    }
    std::stable_partition(
        others.begin(), others.end(), [](const AgentListing& other) { return other.is_there; });
    return others;
}

void decide(Desk& desk, transport::Exchange& exchange, const RoutingQuestion& question) {
    const auto& offers = trainer_of(desk).offers(*desk.engine);
    const auto others = others_with(desk, offers, question);
    const auto* own = desk.engine->profile(question.agent);
    const auto* other = others.empty() ? nullptr : &others.front();
    const bool is_own = std::ranges::any_of(offers, [&](const Offer& offer) {
        return offer.agent == question.agent && offer.code == question.capability;
    });
    const bool same_domain = other != nullptr && own != nullptr && !own->domain.empty() &&
                             own->domain == other->profile.domain;
    const auto& rule =
        intents::routing_rule({.is_own = is_own,
                               .has_target = other != nullptr,
                               .is_named = question.is_named,
                               .is_sure = question.is_sure,
                               .same_domain = same_domain,
                               .lacks_data = question.lacks_data,
                               .is_target_there = other != nullptr && other->is_there});
    json::ObjectWriter out;
    out.text("decision", rule.routes ? "route" : "local")
        .text("target", rule.routes ? other->agent.value : question.agent);
    if (!question.capability.empty()) out.text("capability", question.capability);
    exchange.respond({.headers = {}, .body = out.text("rule", rule.words).done()});
}

bool is_offered(const std::vector<Offer>& offers, std::string_view code) {
    return std::ranges::find(offers, code, &Offer::code) != offers.end();
}

}  // namespace

void post_route(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    const auto lacks = json::find(*body, "lacks_data");
    RoutingQuestion question{.agent = text_member(*body, "agent"),
                             .capability = text_member(*body, "capability"),
                             .lacks_data = lacks && lacks->raw == "true"};
    question.is_named = !question.capability.empty();
    if (question.agent.empty()) question.agent = call.caller->agent.value;
    auto text = text_member(*body, "text");
    if (question.agent.empty() || text.empty() == question.capability.empty()) {
        return call.exchange->respond(
            problem(Refusal::InputValidationFailed,
                    R"(an "agent" is needed, and either the "text" or the "capability")"));
    }
    if (!may_read_of(*call.caller, question.agent)) {
        return refuse_identity(desk, call, "ask for", question.agent);
    }
    if (!question.is_named && !is_understandable(call, text)) return;
    if (desk.engine->profile(question.agent) == nullptr) {
        return call.exchange->respond(problem(Refusal::AgentNotRegistered,
                                              "agent '" + question.agent + "' is not registered"));
    }
    if (question.is_named) {
        if (!is_offered(trainer_of(desk).offers(*desk.engine), question.capability)) {
            return call.exchange->respond(
                problem(Refusal::CapabilityNotRegistered,
                        "nobody has registered '" + question.capability + "'"));
        }
        return decide(desk, *call.exchange, question);
    }
    understand(desk,
               std::move(text),
               [&desk, question, exchange = std::move(call.exchange)](
                   const intents::Understanding& found, bool /*is_current*/) mutable {
                   question.capability = found.primary.intent;
                   question.is_sure = found.outcome == intents::Outcome::Route ||
                                      found.outcome == intents::Outcome::Options;
                   if (found.outcome == intents::Outcome::Cannot) question.capability.clear();
                   decide(desk, *exchange, question);
               });
}

}  // namespace parlance::gateway
