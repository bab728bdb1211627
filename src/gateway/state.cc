// The shared state of taskwire: tasks, agents, resources and policy, read and updated.
//
// The core stores tasks and allocations. The agents shown are the registry's, and the policy shown
// is the policy in force, both in the form of taskwire's document.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/iso_time.h"
#include "base/json_merge.h"
#include "base/json_write.h"
#include "gateway/admission.h"
#include "gateway/handlers.h"
#include "gateway/personal.h"
#include "gateway/policy.h"
#include "gateway/problem.h"

namespace parlance::gateway {

namespace {

using core::shared::find;

constexpr std::size_t kPageMost = 1'000;
constexpr double kMillion = 1e6;

std::string quoted(std::string_view text) {
    std::string out;
    json::append_quoted(out, text);
    return out;
}

/// Millionths as a JSON number.
std::string amount(std::uint64_t millionths) {
    const auto whole = millionths / 1'000'000;
    const auto rest = millionths % 1'000'000;
    if (rest == 0) return std::to_string(whole);
    auto out = fmt::format("{}.{:06}", whole, rest);
    out.erase(out.find_last_not_of('0') + 1);
    return out;
}

std::string with_version(std::string_view document, std::uint64_t version) {
    const auto member =
        json::ObjectWriter{}.integer("version", static_cast<std::int64_t>(version)).done();
    return json::merged(json::root(document), json::root(member));
}

// --- documents -------------------------------------------------------------------------------

/// A user's task is hidden from callers who may not act for the user.
bool is_visible(const Caller& caller, const core::shared::Task& task) {
    return task.user.empty() || caller.role != OperatorRole::None ||
           may_act_for_user(caller, task.user);
}

std::string allocation_json(const Allocation& allocation) {
    json::ObjectWriter out;
    out.text("agent_id", allocation.agent)
        .text("resource_type", allocation.resource)
        .raw("allocated", amount(allocation.allocated))
        .raw("consumed", amount(allocation.consumed))
        .raw("limit", amount(allocation.limit));
    if (allocation.expires_at != Time{}) {
        out.text("expires_at", print_iso_time(allocation.expires_at));
    }
    return out.done();
}

std::string_view state_of(const Desk& desk, const AgentListing& agent) {
    const auto& state = desk.engine->state();
    const auto handle = core::registry::find_agent(state.registry, agent.agent.value);
    if (!agent.is_there) return "OFFLINE";
    if (core::governor::stage_of(state.governor.breakers, handle) ==
        core::governor::BreakerStage::Open) {
        return "ERROR";
    }
    return agent.in_flight > 0 ? "BUSY" : "IDLE";
}

/// The hub's own observations of an agent. Agents report ability and speed in their messages.
std::string agent_state_json(const Desk& desk, const AgentListing& agent) {
    Time seen{};
    for (const auto& instance : agent.instances) seen = std::max(seen, instance.last_seen);
    json::ObjectWriter out;
    out.text("agent_id", agent.agent.value).text("state", state_of(desk, agent));
    out.integer("in_flight", static_cast<std::int64_t>(agent.in_flight));
    out.raw("last_heartbeat", seen == Time{} ? "null" : quoted(print_iso_time(seen)));
    return out.done();
}

struct PolicyRow {
    std::string_view group;
    std::string_view key;
    Rule rule;
};
/// The document's policy members that map to rules of the hub. Budgets are in tokens.
constexpr std::array kPolicyRows{
    PolicyRow{"budget_limits", "per_task", Rule::TokensPerRoot},
    PolicyRow{"budget_limits", "per_agent", Rule::TokensPerAgent},
    PolicyRow{"budget_limits", "total", Rule::TokensInTotal},
    PolicyRow{"risk_thresholds", "low", Rule::RiskLow},
    PolicyRow{"risk_thresholds", "high", Rule::RiskHigh},
    PolicyRow{"circuit_breaker_config", "error_threshold", Rule::BreakerFailures},
    PolicyRow{"circuit_breaker_config", "timeout_ms", Rule::BreakerWindowMs},
    PolicyRow{"circuit_breaker_config", "reset_timeout_ms", Rule::BreakerOpenMs},
};

/// Stands for every chain.
constexpr std::string_view kAllChains = "*";

/// The chains that the policy opens by name, and "*" unless the policy closes all others.
std::vector<std::string> enabled_chains(const Policy& policy) {
    std::vector<std::string> chains;
    if (limit_of(policy, Rule::ChainEnabled) != 0) chains.emplace_back(kAllChains);
    for (const auto& [key, value] : policy.settings) {
        const auto& [rule, scope] = key;
        if (rule == Rule::ChainEnabled && scope.kind == ScopeKind::Chain && value != 0) {
            chains.push_back(scope.name);
        }
    }
    return chains;
}

/// Opens the listed chains and closes all others.
Result<void> enable_chains(json::Value list, Settings& settings) {
    std::erase_if(settings,
                  [](const auto& setting) { return setting.first.first == Rule::ChainEnabled; });
    settings[{Rule::ChainEnabled, Scope{}}] = 0;
    for (json::Elements chains{list}; chains.next();) {
        std::string spare;
        const std::string name{chains.value.is_string() ? chains.value.text(spare) : ""};
        if (name == kAllChains) {
            settings.erase({Rule::ChainEnabled, Scope{}});
        } else if (!is_chain(name) || name.find(' ') != std::string::npos) {
            return fail(Fault::Malformed,
                        fmt::format("enabled_chains: {} must be FROM>TO, where each is an agent, a "
                                    "platform or *; or * alone for all",
                                    json::shortened(chains.value.raw)));
        } else {
            settings[{Rule::ChainEnabled, Scope{ScopeKind::Chain, name}}] = 1;
        }
    }
    return {};
}

std::string policy_json(const Desk& desk) {
    const auto& policy = desk.engine->state().governor.policy;
    json::ObjectWriter out;
    out.text("version", std::to_string(policy.version));
    out.raw("enabled_chains", json::quoted_list(enabled_chains(policy)));
    for (const std::string_view group :
         {"risk_thresholds", "budget_limits", "circuit_breaker_config"}) {
        json::ObjectWriter members;
        for (const auto& row : kPolicyRows) {
            if (row.group == group) members.integer(row.key, limit_of(policy, row.rule));
        }
        out.raw(group, members.done());
    }
    return out.done();
}

// --- reading ---------------------------------------------------------------------------------

enum class Kind { Tasks, Agents, Resources, Policy };
constexpr std::array<std::string_view, 4> kKindNames{"tasks", "agents", "resources", "policy"};

std::optional<Kind> kind_named(std::string_view name) {
    const auto found = std::ranges::find(kKindNames, name);
    if (found == kKindNames.end()) return std::nullopt;
    return static_cast<Kind>(found - kKindNames.begin());
}

/// A task, agent, resource or the policy as a document; nothing if missing or hidden from the
/// caller.
std::optional<std::string> shown(const Desk& desk,
                                 const Caller& caller,
                                 Kind kind,
                                 const std::string& id) {
    const auto& shared = desk.engine->state().shared;
    switch (kind) {
        case Kind::Tasks: {
            const auto* task = find(shared.tasks, id);
            if (task == nullptr || !is_visible(caller, *task)) return std::nullopt;
            return shown_to(desk.options, caller, with_version(task->document, task->version), id);
        }
        case Kind::Agents: {
            const auto agent = desk.engine->agent(AgentId{id});
            if (!agent) return std::nullopt;
            return agent_state_json(desk, *agent);
        }
        case Kind::Resources: {
            const auto* allotment = find(shared.allocations, id);
            if (allotment == nullptr) return std::nullopt;
            return with_version(allocation_json(allotment->allocation), allotment->version);
        }
        case Kind::Policy:
            return policy_json(desk);
    }
    return std::nullopt;
}

transport::Response nothing_there(std::string_view kind, std::string_view id) {
    return problem(Refusal::StateNotFound,
                   fmt::format("there is nothing of {} by the id '{}'", kind, id));
}

/// The ids of a page, in order.
template <class Items>
std::vector<std::string> page(const Items& items, std::string_view after, std::size_t most) {
    std::vector<std::string> ids;
    for (auto at = items.upper_bound(after); at != items.end() && ids.size() < most; ++at) {
        ids.push_back(at->first);
    }
    return ids;
}

std::vector<std::string> ids_of(const Desk& desk, Kind kind, const transport::Request& request) {
    const auto after = request.parameter("after");
    const auto most = std::min<std::size_t>(
        parse_number(request.parameter("max")).value_or(kPageMost), kPageMost);
    const auto& shared = desk.engine->state().shared;
    if (kind == Kind::Tasks) return page(shared.tasks, after, most);
    if (kind == Kind::Resources) return page(shared.allocations, after, most);
    std::vector<std::string> ids;
    for (const auto& agent : desk.engine->agents()) {
        if (agent.agent.value > after && ids.size() < most) ids.push_back(agent.agent.value);
    }
    return ids;
}

// --- updating --------------------------------------------------------------------------------

struct Update {
    StateOperation operation = StateOperation::Create;
    std::string kind;
    std::string id;
    std::uint64_t version = 0;
    json::Value changes{};
};

/// Answers the call with all problems of an object; true if the object is valid. `place` is the
/// object's JSON pointer in the body.
bool is_object_of(Call& call,
                  std::string_view name,
                  std::string_view text,
                  std::string_view place = {}) {
    dialects::Rejection rejection{.problems =
                                      dialects::check_object(Dialect::Taskwire, name, text)};
    if (rejection.problems.empty()) return true;
    for (auto& each : rejection.problems) each.pointer.insert(0, place);
    const auto words = fmt::format("{}: {}", name, rejection.summary());
    call.exchange->respond(problem(Refusal::InputValidationFailed, words, rejection.problems, {}));
    return false;
}

constexpr std::string_view kInChanges = "/changes";

/// The body with defaults for the optional members. `changes` becomes {}, as only the type of
/// `changes` is checked here.
std::string update_around(json::Value body, Time now) {
    json::ObjectWriter out;
    for (json::Members members{body}; members.next();) {
        const bool is_large = members.key == "changes" && members.value.is_object();
        out.raw(members.key, is_large ? "{}" : members.value.raw);
    }
    if (!json::find(body, "changes")) out.raw("changes", "{}");
    if (!json::find(body, "version")) out.integer("version", 0);
    if (!json::find(body, "timestamp")) out.text("timestamp", print_iso_time(now));
    return out.done();
}

std::optional<Update> read_update(Call& call, json::Value body, Time now) {
    if (!is_object_of(call, "StateUpdate", update_around(body, now))) return std::nullopt;
    const auto operation = text_member(body, "operation");
    const auto given = json::find(body, "version");
    const auto version = given ? given->integer().value_or(-1) : 0;
    Update update{.operation = operation == "CREATE"   ? StateOperation::Create
                               : operation == "UPDATE" ? StateOperation::Update
                                                       : StateOperation::Delete,
                  .kind = text_member(body, "entity_type"),
                  .id = text_member(body, "entity_id"),
                  .version = static_cast<std::uint64_t>(version),
                  .changes = json::find(body, "changes").value_or(json::Value{"{}"})};
    if (update.id.empty() || update.id.size() > kIdBytesMax) {
        refuse_member(call, "entity_id", "1 to 128 bytes long");
        return std::nullopt;
    }
    if (version < 0) {
        refuse_member(call, "version", "the version that was changed");
        return std::nullopt;
    }
    return update;
}

/// Brings the command and answers with the document after the command.
void bring_update(Desk& desk, Call& call, Command command, Kind kind, const Update& update) {
    const auto id = update.id;
    const bool deletes = update.operation == StateOperation::Delete;
    bring_shown(desk,
                call,
                std::move(command),
                [&desk, kind, id, deletes, caller = call.caller]() -> transport::Response {
                    auto now = shown(desk, *caller, kind, id);
                    if (deletes || !now) return {.status = 204, .headers = {}, .body = {}};
                    return {.headers = {}, .body = *std::move(now)};
                });
}

/// A new task with default members.
std::string preset_task(const std::string& id, const std::string& now) {
    const auto context = json::ObjectWriter{}
                             .text("task_id", id)
                             .text("task_type", "general")
                             .text("priority", "normal")
                             .raw("metadata", "{}")
                             .raw("dependencies", "[]")
                             .raw("history", "[]")
                             .done();
    return json::ObjectWriter{}
        .text("id", id)
        .text("status", "pending")
        .text("created_at", now)
        .text("updated_at", now)
        .raw("context", context)
        .done();
}

/// The user is looked for in each place where a task may name its user, so that a task cannot hide
/// its user by using another place.
std::string user_of_task(json::Value task) {
    const auto context = json::find(task, "context");
    const auto metadata = context ? json::find(*context, "metadata") : std::nullopt;
    for (const auto& place : {metadata, context, std::optional{task}}) {
        if (!place || !place->is_object()) continue;
        if (auto user = text_member(*place, "user_id"); !user.empty()) return user;
    }
    return {};
}

void update_task(Desk& desk, Call& call, const Update& update) {
    const auto now = print_iso_time(desk.clock());
    const auto* task = find(desk.engine->state().shared.tasks, update.id);
    // The core refuses the command if `update.version` is no longer current, so a stored change is
    // always based on this document.
    const auto before = task != nullptr ? task->document : preset_task(update.id, now);
    const auto fixed = json::ObjectWriter{}.text("id", update.id).text("updated_at", now).done();
    auto document = json::merged(json::root(before), update.changes);
    document = json::merged(json::root(document), json::root(fixed));
    const bool deletes = update.operation == StateOperation::Delete;
    if (!deletes && !is_object_of(call, "TaskState", document, kInChanges)) return;
    const auto whole = json::root(document);
    WriteTask write{.operation = update.operation,
                    .id = update.id,
                    .version = update.version,
                    .document = document,
                    .agent = text_member(whole, "assigned_agent"),
                    .user = user_of_task(whole)};
    bring_update(desk, call, std::move(write), Kind::Tasks, update);
}

std::uint64_t millionths(json::Value object, std::string_view key) {
    constexpr double kMost = 9e12;
    const auto value = json::find(object, key);
    const auto number = value ? value->number().value_or(0) : 0;
    return static_cast<std::uint64_t>(std::llround(std::clamp(number, 0.0, kMost) * kMillion));
}

void update_resource(Desk& desk, Call& call, const Update& update) {
    const auto* allotment = find(desk.engine->state().shared.allocations, update.id);
    const std::string before = allotment != nullptr ? allocation_json(allotment->allocation)
                                                    : R"({"allocated":0,"consumed":0})";
    const auto document = json::merged(json::root(before), update.changes);
    const bool deletes = update.operation == StateOperation::Delete;
    if (!deletes && !is_object_of(call, "ResourceAllocation", document, kInChanges)) return;
    const auto whole = json::root(document);
    const auto expires_at = text_member(whole, "expires_at");
    WriteAllocation write{
        .operation = update.operation,
        .id = update.id,
        .version = update.version,
        .allocation = {.agent = text_member(whole, "agent_id"),
                       .resource = text_member(whole, "resource_type"),
                       .allocated = millionths(whole, "allocated"),
                       .consumed = millionths(whole, "consumed"),
                       .limit = millionths(whole, "limit"),
                       .expires_at = parse_iso_time(expires_at).value_or(Time{})}};
    bring_update(desk, call, std::move(write), Kind::Resources, update);
}

/// Changes the rules of one group of the document's policy.
Result<void> change_group(std::string_view group, json::Value rules, Settings& settings) {
    if (group == "enabled_chains" && rules.is_array()) return enable_chains(rules, settings);
    const bool is_known =
        std::ranges::find(kPolicyRows, group, &PolicyRow::group) != kPolicyRows.end();
    if (!is_known || !rules.is_object()) {
        return fail(Fault::Malformed,
                    fmt::format("'{}' is no part of the policy that acts here; enabled_chains, "
                                "risk_thresholds, budget_limits and circuit_breaker_config do",
                                json::shortened(group)));
    }
    for (json::Members members{rules}; members.next();) {
        const auto row = std::ranges::find_if(kPolicyRows, [&](const PolicyRow& each) {
            return each.group == group && each.key == members.key;
        });
        const auto value = members.value.integer();
        if (row == kPolicyRows.end() || !value) {
            return fail(Fault::Malformed,
                        fmt::format("'{}' of {} must be a whole number of a rule that there is",
                                    json::shortened(members.key),
                                    group));
        }
        settings[{row->rule, Scope{}}] = *value;
    }
    return {};
}

Result<Settings> changed_settings(const Settings& before, json::Value changes) {
    auto settings = before;
    for (json::Members groups{changes}; groups.next();) {
        TRY(change_group(std::string{groups.key}, groups.value, settings));
    }
    return settings;
}

void update_policy(Desk& desk, Call& call, const Update& update) {
    const bool is_unnamed = call.caller->agent.value.empty();
    if (call.caller->role != OperatorRole::Admin && !is_unnamed) {
        const std::string why = "the policy is for an admin to change";
        record_refusal(desk, Refusal::IdentityRoleForbidden, why, call.caller);
        return call.exchange->respond(problem(Refusal::IdentityRoleForbidden, why));
    }
    if (update.operation != StateOperation::Update) {
        return refuse_member(call, "operation", "UPDATE: there is one policy");
    }
    const auto settings =
        changed_settings(desk.engine->state().governor.policy.settings, update.changes);
    if (!settings) {
        return call.exchange->respond(problem(Refusal::PolicyInvalid, settings.error().message));
    }
    bring_update(desk,
                 call,
                 ChangePolicy{.settings = print_policy(*settings),
                              .version = update.version,
                              .reason = "a state update"},
                 Kind::Policy,
                 update);
}

}  // namespace

void get_state(Desk& desk, Call& call) {
    const auto kind = kind_named(call.captures.at(0));
    if (!kind) return call.exchange->respond(nothing_there(call.captures.at(0), ""));
    if (*kind == Kind::Policy) {
        return call.exchange->respond({.headers = {}, .body = policy_json(desk)});
    }
    json::ObjectWriter items;
    std::size_t bytes = 0;
    std::string last;
    const auto ids = ids_of(desk, *kind, call.request());
    for (const auto& id : ids) {
        if (bytes > kPageBytesMax) break;
        last = id;
        const auto item = shown(desk, *call.caller, *kind, id);
        if (!item) continue;
        bytes += item->size();
        items.raw(id, *item);
    }
    json::ObjectWriter page;
    page.raw(kKindNames[static_cast<std::size_t>(*kind)], items.done());
    if (!ids.empty() && last != ids.back()) page.text("next_after", last);
    call.exchange->respond({.headers = {}, .body = page.done()});
}

void get_state_item(Desk& desk, Call& call) {
    const auto kind = kind_named(call.captures.at(0));
    const std::string id{call.captures.at(1)};
    auto item = kind ? shown(desk, *call.caller, *kind, id) : std::nullopt;
    if (!item) {
        // Only a user's task can be hidden.
        if (kind == Kind::Tasks && find(desk.engine->state().shared.tasks, id) != nullptr) {
            record_unseen(desk,
                          Refusal::UserIsolationViolated,
                          fmt::format("task '{}'", json::shortened(id)),
                          call.caller);
        }
        return call.exchange->respond(nothing_there(call.captures.at(0), id));
    }
    call.exchange->respond({.headers = {}, .body = *std::move(item)});
}

void post_state(Desk& desk, Call& call) {
    auto body = read_object(call);
    if (!body) return;
    // The body is outlined once, so that deeply nested changes cost one pass.
    json::Outline outline;
    if (json::check(body->raw, outline)) body = json::root(body->raw, outline);
    const auto update = read_update(call, *body, desk.clock());
    if (!update) return;
    if (update->kind == "TASK") return update_task(desk, call, *update);
    if (update->kind == "RESOURCE") return update_resource(desk, call, *update);
    if (update->kind == "POLICY") return update_policy(desk, call, *update);
    refuse_member(call, "entity_type", "TASK, RESOURCE or POLICY: agents register themselves");
}

}  // namespace parlance::gateway
