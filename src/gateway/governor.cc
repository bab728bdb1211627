// What operators read and decide: the policy, and whether the fleet works at all; and what agents
// ask of the governor apart from messages: tools, and an end to what they asked for.
#include <fmt/format.h>

#include "base/json.h"
#include "base/json_write.h"
#include "dialects/claim.h"
#include "gateway/capabilities.h"
#include "gateway/handlers.h"
#include "gateway/personal.h"
#include "gateway/policy.h"
#include "gateway/problem.h"

namespace parlance::gateway {

namespace {

std::string rules_json() {
    std::string rules = "[";
    for (const RuleRow& row : kRules) {
        if (rules.size() > 1) rules += ',';
        rules += json::ObjectWriter{}
                     .text("rule", row.name)
                     .integer("default", row.preset)
                     .integer("least", row.least)
                     .integer("most", row.most)
                     .text("meaning", row.meaning)
                     .done();
    }
    return rules + "]";
}

void invalid(Call& call, const std::string& detail) {
    call.exchange->respond(problem(Refusal::PolicyInvalid, detail));
}

std::string finding_json(const core::Finding& finding) {
    return json::ObjectWriter{}
        .text("guard", finding.guard)
        .boolean("passed", finding.refusal == Refusal::None)
        .text("detail", finding.detail)
        .done();
}

}  // namespace

std::optional<std::uint64_t> version_of(const transport::Request& request) {
    auto text = request.header("If-Match");
    while (text.starts_with('"')) text.remove_prefix(1);
    while (text.ends_with('"')) text.remove_suffix(1);
    return parse_number(text);
}

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
    bring_done(desk,
               call,
               ChangePolicy{.settings = print_policy(*settings),
                            .version = version_of(request),
                            .reason = std::string{request.header("Parlance-Reason")}});
}

/// What would become of a message, guard by guard. Nothing is sent and nothing is recorded.
void post_explain(Desk& desk, Call& call) {
    const auto written = read_written(call.request().body, desk.outline);
    if (!written) {
        return call.exchange->respond(problem(Refusal::MessageMalformed, written.error().message));
    }
    const std::string_view text = written->text(call.request().body);
    const auto fresh_id = fresh_uuid(desk);
    auto message = dialects::read_message(text,
                                          {.message = json::root(text, desk.outline),
                                           .dialect = written->dialect,
                                           .caller = call.caller->agent.value,
                                           .fresh_id = fresh_id,
                                           .now = desk.clock(),
                                           .role_of = &desk.role_of});
    if (!message) {
        return call.exchange->respond(problem(
            message.error(), message.error().dialect.value_or(Dialect::Taskwire), desk.clock()));
    }
    if (message->envelope->intent() == Intent::Request && !message->claim) {
        message->claim = dialects::claim_of(*message->envelope);
    }
    auto findings = desk.engine->explain(*message, call.caller);
    const bool passes = findings.empty() || findings.back().refusal == Refusal::None;
    if (passes && message->envelope->intent() == Intent::Request) {
        const auto unfit = unfit_request(desk, *message->envelope);
        findings.push_back({"capability",
                            unfit ? unfit->refusal : Refusal::None,
                            unfit ? unfit->summary() : std::string{}});
    }
    std::string list = "[";
    const core::Finding* refused = nullptr;
    for (const auto& finding : findings) {
        if (list.size() > 1) list += ',';
        list += finding_json(finding);
        if (finding.refusal != Refusal::None) refused = &finding;
    }
    json::ObjectWriter out;
    out.boolean("allowed", refused == nullptr);
    if (refused != nullptr) {
        const auto& row = refusal_row(refused->refusal);
        out.text("code", row.code).text("detail", refused->detail).text("instead", row.advice);
    }
    call.exchange->respond({.headers = {}, .body = out.raw("guards", list + "]").done()});
}

void get_fleet(Desk& desk, Call& call) {
    call.exchange->respond(
        {.headers = {},
         .body = json::ObjectWriter{}
                     .boolean("stopped", desk.engine->state().governor.is_stopped)
                     .done()});
}

void post_fleet_stop(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    const auto cancels = json::find(*body, "cancel");
    bring_done(desk,
               call,
               StopFleet{.reason = text_member(*body, "reason"),
                         .cancels = cancels && cancels->raw == "true"});
}

void post_fleet_resume(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    bring_done(desk, call, ResumeFleet{text_member(*body, "reason")});
}

void post_cancel(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    auto reason = text_member(*body, "reason");
    if (reason.empty()) reason = "cancelled";
    const std::string id{call.captures.at(0)};
    // Everyone below is told why, and personal data is nobody's there.
    reason = redacted_words(desk.options, reason, id);
    bring_done(desk, call, CancelRequest{id, std::move(reason)});
}

void post_authorize(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    AuthorizeTool ask{.agent = {text_member(*body, "agent")},
                      .tool = text_member(*body, "tool"),
                      .request = text_member(*body, "request_id")};
    if (ask.agent.value.empty()) ask.agent = call.caller->agent;
    if (ask.agent.value.empty() || ask.tool.empty()) {
        return call.exchange->respond(
            problem(Refusal::InputValidationFailed,
                    R"(an "agent" and the "tool" that it wants are needed)"));
    }
    Pending pending{.kind = Pending::Kind::Tool, .exchange = std::move(call.exchange)};
    bring(desk, std::move(ask), std::move(pending), std::move(call.caller));
}

}  // namespace parlance::gateway
