#include "app/cli/examination.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "app/cli/interrupt.h"
#include "app/cli/json_view.h"
#include "base/json_write.h"
#include "base/uuid.h"

namespace parlance::cli {

namespace {

constexpr std::string_view kPlatform = "delegation";
constexpr int kRounds = 20;  ///< Rounds of attempts to remove an agent.
constexpr std::chrono::milliseconds kBetweenRounds{50};

/// The rules that cause a refusal with this code, or an approval by people.
struct Limit {
    std::string_view code;
    std::initializer_list<Rule> rules;
};

constexpr std::string_view kPeople = "people";
const std::array kLimits{
    Limit{"RATE_LIMIT_EXCEEDED", {Rule::MessagesPerMinute, Rule::RequestsPerUserMinute}},
    Limit{"BUDGET_TOKENS_EXCEEDED",
          {Rule::TokensPerDelegation,
           Rule::TokensPerRoot,
           Rule::TokensPerAgent,
           Rule::TokensPerUser,
           Rule::TokensInTotal,
           Rule::DeadlineMsMax}},  // A parent whose deadline has passed has no tokens left.
    Limit{"BUDGET_COST_EXCEEDED",
          {Rule::CostPerDelegation,
           Rule::CostPerRoot,
           Rule::CostPerAgent,
           Rule::CostPerUser,
           Rule::CostInTotal}},
    Limit{"DELEGATION_DEPTH_EXCEEDED", {Rule::DepthMax}},
    Limit{"DELEGATION_FANOUT_EXCEEDED", {Rule::FanoutMax}},
    Limit{"ROUTE_NOT_PERMITTED", {Rule::ChainEnabled}},
    Limit{"AGENT_CIRCUIT_OPEN", {Rule::BreakerFailures}},
    Limit{"RESOURCE_LIMIT_EXCEEDED", {}},
    Limit{"HUB_OVERLOADED", {}},
    Limit{"MAILBOX_FULL", {}},
    Limit{"HUB_STORAGE_FULL", {}},
    Limit{"FLEET_STOPPED", {}},
    Limit{kPeople, {Rule::RiskLow, Rule::RiskHigh, Rule::BudgetAsksPeople}},
};

/// The fault, without the advice of the problem.
std::string detail_of(const Reply& reply) {
    if (reply.body.empty()) return {};
    const json::Value said = json::root(reply.body);
    auto detail = text_member(member(said, "dialect_error"), "error");
    if (detail.empty()) detail = text_member(said, "detail");
    while (detail.ends_with('.')) detail.pop_back();
    return detail;
}

/// In an explanation, the text of the guard that requires approval by people.
std::string asking_for_people(json::Value explained) {
    const json::Value guards = member(explained, "guards");
    if (!guards.is_array()) return {};
    for (json::Elements guard{guards}; guard.next();) {
        if (number_member(guard.value, "approvals_needed").value_or(0) == 0) continue;
        return text_member(guard.value, "detail");
    }
    return {};
}

}  // namespace

std::string Reply::in_short() const {
    if (status == 0) return hindrance.empty() ? "no answer" : "not sent";
    return code.empty() ? std::to_string(status) : fmt::format("{} {}", status, code);
}

std::string rule_in_words(Rule rule, const Ruling& ruling) {
    return fmt::format("{} {} ({})",
                       kRules[static_cast<std::size_t>(rule)].name,
                       ruling.value,
                       ruling.is_preset ? "default" : name_of(ruling.scope));
}

Examination::Examination(sdk::Client& client, Policy policy, std::uint64_t seed)
    : client_{client}, policy_{std::move(policy)}, entropy_{seed} {
    mark_ = fmt::format("parlance-doctor-{:08x}", entropy_() & 0xFFFF'FFFFU);
}

std::string Examination::name(std::string_view whose) const {
    return fmt::format("{}-{}", mark_, whose);
}

/// Agents and users of this run have no rules of their own, so only the platform's and the hub's
/// count.
Ruling Examination::ruling_of(Rule rule) const {
    return ruling(policy_, rule, {.platform = kPlatform});
}

Reply Examination::ask(std::string_view method,
                       const std::string& target,
                       const std::string& body) {
    const auto response = client_.call(method, target, body);
    if (!response) return {};
    Reply reply{.status = response->status};
    if (!json::check(response->body, json::kDepthMadeMax)) return reply;
    reply.body = response->body;
    reply.code = text_member(json::root(reply.body), "code");
    return reply;
}

std::string Examination::fresh_id() { return uuid_v4(entropy_(), entropy_()); }

std::string Examination::request(const DelegationDraft& draft) {
    return json::ObjectWriter{}
        .text("request_id", draft.id.empty() ? fresh_id() : draft.id)
        .text("origin_employee", name(draft.from))
        .text("target_employee", name(draft.to))
        .text("user_id", name(draft.user))
        .text("parent_session_id", draft.session)
        .text("objective", draft.objective)
        .text("input", draft.input)
        .raw("constraints", draft.constraints)
        .done();
}

Reply Examination::explain(const DelegationDraft& draft) {
    return ask("POST", "/v1/policy/explain", request(draft));
}

std::string Examination::hindrance_of(const DelegationDraft& draft, const Reply& reply) const {
    const auto limit = std::ranges::find(kLimits, std::string_view{reply.code}, &Limit::code);
    if (limit == kLimits.end()) return {};
    std::string rules;
    for (const Rule rule : limit->rules) {
        const auto found = rule == Rule::ChainEnabled ? chain_ruling(policy_,
                                                                     {.from = name(draft.from),
                                                                      .to = name(draft.to),
                                                                      .from_platform = kPlatform,
                                                                      .to_platform = kPlatform})
                                                      : ruling_of(rule);
        if (found.is_preset) continue;
        rules += fmt::format("{}{}", rules.empty() ? "" : ", ", rule_in_words(rule, found));
    }
    if (rules.empty()) rules = reply.code;
    const auto detail = detail_of(reply);
    return detail.empty() ? rules : fmt::format("{}: {}", rules, detail);
}

Reply Examination::delegate(const DelegationDraft& draft, const std::string& target) {
    const auto foreseen = explain(draft);
    if (!foreseen.body.empty()) {
        const json::Value said = json::root(foreseen.body);
        if (number_member(said, "approvals_needed").value_or(0) > 0) {
            const auto why = json::ObjectWriter{}.text("detail", asking_for_people(said)).done();
            Reply kept{.body = why, .code = std::string{kPeople}};
            kept.hindrance = hindrance_of(draft, kept);
            return kept;
        }
    }
    auto reply = ask("POST", target, request(draft));
    if (!reply.is_taken()) reply.hindrance = hindrance_of(draft, reply);
    return reply;
}

/// A lease outlives its request: taken deliveries are kept until settled.
std::string Examination::take_all(const std::string& agent) {
    auto reply = ask("GET", fmt::format("/v1/agents/{}/inbox?max=100", agent));
    if (reply.body.empty()) return {};
    const json::Value messages = member(json::root(reply.body), "messages");
    if (!messages.is_array()) return {};
    for (json::Elements each{messages}; each.next();) {
        taken_[agent].push_back(text_member(each.value, "delivery_id"));
    }
    return std::move(reply.body);
}

Examination::Delivery Examination::take(std::string_view agent, std::string_view request) {
    const auto taken = take_all(name(agent));
    if (taken.empty()) return {};
    for (json::Elements each{member(json::root(taken), "messages")}; each.next();) {
        const json::Value message = member(each.value, "message");
        if (text_member(message, "request_id") != request) continue;
        return {text_member(each.value, "delivery_id"), std::string{message.raw}};
    }
    return {};
}

void Examination::answer(const Delivery& delivery) {
    ask("POST",
        fmt::format("/v1/deliveries/{}/reply", delivery.id),
        R"({"summary":"","result":"","status":"success",)"
        R"("token_usage":{"prompt":0,"completion":0,"total":0}})");
}

std::string Examination::move_in(std::vector<std::string_view> askers) {
    const auto profile = json::ObjectWriter{}
                             .text("dialect", kPlatform)
                             .text("role", "examination")
                             .raw("tools_allowed", fmt::format("[\"{}\"]", kTool))
                             .done();
    askers.insert(askers.end(), kDelegates.begin(), kDelegates.end());
    for (const std::string_view agent : askers) {
        agents_.push_back(name(agent));
        const auto reply = ask("PUT", "/v1/agents/" + agents_.back(), profile);
        if (reply.status == 200) continue;
        if (reply.status != 0) agents_.pop_back();  // Without an answer the agent may exist.
        return reply.in_short();
    }
    return {};
}

void Examination::begin() { begun_ = std::chrono::steady_clock::now(); }

std::chrono::milliseconds Examination::took() const {
    return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun_);
}

void Examination::end(const std::string& id) {
    ask("POST",
        fmt::format("/v1/workflows/{}/cancel", id),
        R"({"reason":"the examination is over"})");
}

/// Settles taken deliveries first: a further poll would not return them again.
Reply Examination::sign_off(const std::string& agent) {
    for (int i = 0; i < kRounds; ++i) {
        for (const auto& delivery : std::exchange(taken_[agent], {})) {
            auto settled = ask("POST", fmt::format("/v1/deliveries/{}/ack", delivery));
            if (settled.status == 0) return settled;
        }
        take_all(agent);
        if (taken_[agent].empty()) break;
    }
    return ask("DELETE", "/v1/agents/" + agent);
}

std::vector<std::string> Examination::move_out() {
    std::vector<std::string> left;
    bool is_answered = true;
    for (int round = 0; round < kRounds && is_answered && !agents_.empty(); ++round) {
        if (round > 0) rest(kBetweenRounds);
        left.clear();
        std::erase_if(agents_, [&](const std::string& agent) {
            const auto reply = is_answered ? sign_off(agent) : Reply{};
            is_answered &= reply.status != 0;
            if (reply.status / 100 == 2 || reply.code == "AGENT_NOT_REGISTERED") return true;
            const auto detail = detail_of(reply);
            left.push_back(detail.empty() ? fmt::format("agent '{}': {}", agent, reply.in_short())
                                          : detail);
            return false;
        });
    }
    return left;
}

}  // namespace parlance::cli
