// The routes of the governor: for operators the policy and the stop of the fleet; for agents tools
// and the cancelling of requests.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/iso_time.h"
#include "base/json.h"
#include "base/json_write.h"
#include "gateway/handlers.h"
#include "gateway/if_match.h"
#include "gateway/intake.h"
#include "gateway/personal.h"
#include "gateway/policy.h"
#include "gateway/problem.h"

namespace parlance::gateway {

namespace {

std::string scopes_json(Scopes scopes) {
    std::vector<std::string> names;
    for (std::size_t kind = 0; kind < kScopeNames.size(); ++kind) {
        if (is_among(static_cast<ScopeKind>(kind), scopes)) names.emplace_back(kScopeNames[kind]);
    }
    return json::quoted_list(names);
}

std::string rules_json() {
    std::string rules = "[";
    for (const RuleRow& row : kRules) {
        if (rules.size() > 1) rules += ',';
        rules += json::ObjectWriter{}
                     .text("rule", row.name)
                     .integer("default", row.preset)
                     .integer("least", row.least)
                     .integer("most", row.most)
                     .raw("scopes", scopes_json(row.scopes))
                     .text("meaning", row.meaning)
                     .done();
    }
    return rules + "]";
}

void invalid(Call& call, const std::string& detail) {
    call.exchange->respond(problem(Refusal::PolicyInvalid, detail));
}

std::string scope_name(const Ruling& ruling) {
    if (ruling.is_preset) return "default";
    return name_of(ruling.scope);
}

/// The rules that a guard looked up, each once.
std::string looked_up_json(const std::vector<core::LookedUp>& rules) {
    std::vector<std::string> list;
    for (const auto& [rule, ruling] : rules) {
        auto each = json::ObjectWriter{}
                        .text("rule", kRules[static_cast<std::size_t>(rule)].name)
                        .integer("value", ruling.value)
                        .text("scope", scope_name(ruling))
                        .done();
        if (std::ranges::find(list, each) == list.end()) list.push_back(std::move(each));
    }
    return fmt::format("[{}]", fmt::join(list, ","));
}

/// A guard that was not asked has no "passed".
std::string finding_json(const core::Finding& finding) {
    json::ObjectWriter out;
    out.text("guard", finding.guard);
    if (finding.is_asked) {
        out.boolean("passed", finding.refusal == Refusal::None);
    } else {
        out.boolean("applies", false);
    }
    out.text("detail", finding.detail);
    if (!finding.rules.empty()) out.raw("rules", looked_up_json(finding.rules));
    if (finding.approvals_needed > 0) out.integer("approvals_needed", finding.approvals_needed);
    if (finding.refusal != Refusal::None) {
        const auto& row = refusal_row(finding.refusal);
        out.text("code", row.code).text("instead", row.advice);
    }
    return out.done();
}

std::string explanation_json(const core::Explanation& told) {
    std::vector<std::string> guards;
    for (const auto& finding : told.findings) guards.push_back(finding_json(finding));
    json::ObjectWriter out;
    out.boolean("allowed", told.refusal == Refusal::None);
    if (told.refusal != Refusal::None) {
        const auto& row = refusal_row(told.refusal);
        out.text("code", row.code).text("detail", told.detail).text("instead", row.advice);
    }
    if (told.retry_after_ms > 0) {
        out.integer("retry_after_ms", static_cast<std::int64_t>(told.retry_after_ms));
    }
    if (told.approvals_needed > 0) out.integer("approvals_needed", told.approvals_needed);
    if (told.is_repeat) out.boolean("duplicate", true);
    return out.raw("guards", fmt::format("[{}]", fmt::join(guards, ","))).done();
}

/// To explain changes nothing, so every operator may explain any message, even a viewer, who may
/// send none.
CallerPtr asker_of(const Call& call) {
    if (call.caller->role != OperatorRole::Viewer) return call.caller;
    auto caller = *call.caller;
    caller.role = OperatorRole::Operator;
    caller.is_operator = true;
    return std::make_shared<const Caller>(std::move(caller));
}

/// The findings of the front desk and then of the core, as when the message is sent.
core::Explanation explained(Desk& desk, Call& call, SendMessage message) {
    const bool is_request = message.envelope->intent() == Intent::Request;
    core::Finding door{.guard = "capability"};
    if (const auto unfit = complete(desk, message)) {
        door.refusal = unfit->refusal;
        door.detail = unfit->summary();
        return {.refusal = door.refusal, .detail = door.detail, .findings = {door}};
    }
    auto told = desk.engine->explain(message, asker_of(call));
    const bool is_held_to_it =
        is_request && desk.engine->profile(message.envelope->to()) != nullptr;
    if (is_held_to_it) told.findings.insert(told.findings.begin(), std::move(door));
    return told;
}

}  // namespace

void get_policy(Desk& desk, Call& call) {
    const auto& policy = desk.engine->state().governor.policy;
    call.exchange->respond(
        {.headers = {},
         .body = json::ObjectWriter{}
                     .integer("version", static_cast<std::int64_t>(policy.version))
                     .raw("policy", write_settings(policy.settings))
                     .raw("rules", rules_json())
                     .done()});
}

void put_policy(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    auto settings = read_settings(*body);
    if (!settings) return invalid(call, settings.error().message);
    const auto& request = call.request();
    const auto version = version_matched(request);
    if (!version) {
        return call.exchange->respond(
            problem(Refusal::InputValidationFailed, version.error().message));
    }
    bring_done(desk,
               call,
               ChangePolicy{.settings = print_policy(*settings),
                            .version = *version,
                            .reason = std::string{request.header("Parlance-Reason")}});
}

/// Explains the fate of a message, guard by guard. Nothing is sent and nothing is recorded.
void post_explain(Desk& desk, Call& call) {
    const auto written = read_written(call.request().body, desk.outline);
    if (!written) {
        return call.exchange->respond(problem(Refusal::MessageMalformed, written.error().message));
    }
    const std::string_view text = written->text(call.request().body);
    const auto fresh_id = fresh_uuid(desk);
    const auto answering = desk.answering;  // An explained message leaves no answer under way.
    auto message = read_incoming(desk,
                                 {.text = text,
                                  .outlined = json::root(text, desk.outline),
                                  .dialect = written->dialect,
                                  .sender = call.caller->agent.value,
                                  .fresh_id = fresh_id});
    desk.answering = answering;
    if (!message) {
        return call.exchange->respond(problem(
            message.error(), message.error().dialect.value_or(Dialect::Taskwire), desk.clock()));
    }
    call.exchange->respond(
        {.headers = {}, .body = explanation_json(explained(desk, call, *std::move(message)))});
}

void get_fleet(Desk& desk, Call& call) {
    const auto& state = desk.engine->state();
    const auto& governor = state.governor;
    json::ObjectWriter out;
    out.boolean("stopped", governor.is_stopped);
    if (governor.is_stopped) {
        out.text("by", governor.stop.by)
            .text("reason", governor.stop.reason)
            .text("at", print_iso_time(governor.stop.at));
    }
    const auto hub = desk.engine->hub();
    out.integer("in_flight", static_cast<std::int64_t>(hub.in_flight))
        .integer("waiting", static_cast<std::int64_t>(hub.waiting))
        .integer("open_requests", static_cast<std::int64_t>(hub.open_requests))
        .integer("workflows", static_cast<std::int64_t>(state.workflows.runs.size()));
    call.exchange->respond({.headers = {}, .body = out.done()});
}

void post_fleet_stop(Desk& desk, Call& call) {
    constexpr std::array kMembers{OrderMember{"reason"},
                                  OrderMember{"cancel", OrderMember::Type::Flag}};
    const auto body = read_order(call, kMembers);
    if (!body) return;
    const auto cancels = json::find(*body, "cancel");
    bring_done(desk,
               call,
               StopFleet{.reason = text_member(*body, "reason"),
                         .cancels = cancels && cancels->raw == "true"});
}

void post_fleet_resume(Desk& desk, Call& call) {
    const auto body = read_order(call, kReasonOnly);
    if (!body) return;
    bring_done(desk, call, ResumeFleet{text_member(*body, "reason")});
}

void post_cancel(Desk& desk, Call& call) {
    const auto body = read_order(call, kReasonOnly);
    if (!body) return;
    auto reason = text_member(*body, "reason");
    if (reason.empty()) reason = "cancelled";
    const std::string id{call.captures.at(0)};
    // All delegates are told the reason, so the reason must have no personal data.
    reason = redacted_words(desk.options, reason, id);
    bring_done(desk, call, CancelRequest{id, std::move(reason)});
}

void post_authorize(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    AuthorizeTool command{.agent = {text_member(*body, "agent")},
                          .tool = text_member(*body, "tool"),
                          .request = text_member(*body, "request_id")};
    if (command.agent.value.empty()) command.agent = call.caller->agent;
    if (command.agent.value.empty() || command.tool.empty()) {
        return call.exchange->respond(
            problem(Refusal::InputValidationFailed,
                    R"(an "agent" and the "tool" that it wants are needed)"));
    }
    Pending pending{.kind = Pending::Kind::Tool, .exchange = std::move(call.exchange)};
    bring(desk, std::move(command), std::move(pending), std::move(call.caller));
}

}  // namespace parlance::gateway
