// The context of a workflow: shown, changed by a merge patch, and handed to the next agent.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/iso_time.h"
#include "base/json_equal.h"
#include "base/json_write.h"
#include "gateway/admission.h"
#include "gateway/handlers.h"
#include "gateway/if_match.h"
#include "gateway/intake.h"
#include "gateway/personal.h"
#include "gateway/problem.h"
#include "gateway/unreadable.h"

namespace parlance::gateway {

namespace {

constexpr std::size_t kStatusBytesMax = 64;

const core::shared::Context* find_context(const Desk& desk, std::string_view workflow) {
    return core::shared::find(desk.engine->state().shared.contexts, workflow);
}

std::string array_of(const std::vector<std::string>& items) {
    return fmt::format("[{}]", fmt::join(items, ","));
}

std::string context_json(std::string_view workflow, const core::shared::Context& context) {
    json::ObjectWriter entities;
    for (const auto& [name, entity] : context.entities) entities.raw(name, entity.value);
    json::ObjectWriter out;
    out.text("workflow_id", workflow)
        .text("status", context.status)
        .text("current_agent", context.owner)
        .raw("entities", entities.done())
        .raw("history", array_of(context.history))
        .raw("artifacts", array_of(context.artifacts))
        .integer("version", static_cast<std::int64_t>(context.version))
        .boolean("locked", context.is_locked());
    if (context.is_locked()) out.text("handoff_to", context.recipient);
    return out.done();
}

/// The agent and the user of a context's workflow; both empty without a workflow.
struct Origin {
    std::string by{};
    std::string user{};
    std::optional<Error> problem{};  ///< The workflow's record cannot be read.
};

/// Calls `use(origin)`: at once while the workflow runs, and after a read of the journal once the
/// workflow is over.
template <class Use>
void with_origin(Desk& desk, std::string_view workflow, Use use) {
    const auto standing = desk.engine->workflow(workflow);
    if (!standing) return use(Origin{});
    if (standing->ended == Sequence{}) return use(Origin{standing->by, standing->user});
    auto& loop = desk.loop;
    desk.feed.read_one(standing->started, [&loop, use](const Result<EventPtr>& event) {
        loop.post([use = Use{use}, event]() mutable {
            if (!event) return use(Origin{.problem = event.error()});
            const auto* start = std::get_if<WorkflowStarted>(event->get());
            use(start == nullptr ? Origin{} : Origin{start->by, start->user});
        });
    });
}

/// Whether the caller takes part: the caller is or was the context's agent, works or worked on a
/// step of the workflow, or may act for the workflow's user (X13). The agent that began the
/// workflow for a user did so by a grant, and needs the grant to read on.
bool may_see(const Desk& desk,
             const Caller& caller,
             std::string_view workflow,
             const core::shared::Context& context,
             const Origin& origin) {
    const std::string_view agent = caller.agent.value;
    if (caller.is_operator || caller.role != OperatorRole::None || agent.empty()) return true;
    if (agent == origin.by) return core::may_know_of(desk.engine->state(), caller, origin.user);
    if (agent == context.owner || agent == context.recipient) return true;
    const bool wrote = std::ranges::any_of(context.history, [&](const std::string& entry) {
        return text_member(json::root(entry), "agent") == agent;
    });
    if (wrote) return true;
    const auto part = core::part_in(desk.engine->state(), workflow, agent);
    return part.is_in_it || (!part.user.empty() && may_act_for_user(caller, part.user));
}

transport::Response not_found(std::string_view workflow) {
    return problem(Refusal::ContextNotFound,
                   fmt::format("there is no context of workflow '{}'", workflow));
}

/// For callers that may see the context.
transport::Response show_context(const Desk& desk,
                                 const Caller& caller,
                                 const std::string& workflow) {
    const auto* context = find_context(desk, workflow);
    if (context == nullptr) return not_found(workflow);
    return {.headers = {{"ETag", fmt::format("\"{}\"", context->version)}},
            .body = shown_to(desk.options, caller, context_json(workflow, *context), workflow)};
}

/// The acting agent: the agent in the body, which an operator or, with --dev, any caller may name;
/// else the calling agent.
AgentId acting_agent(const Call& call, json::Value body) {
    AgentId agent{text_member(body, "agent")};
    if (agent.value.empty() && !call.caller->is_operator) agent = call.caller->agent;
    return agent;
}

/// An entry as stored: agent and time are the hub's, whatever the writer says.
std::string stamped(json::Value entry, std::string_view agent, std::string_view now) {
    json::ObjectWriter out;
    out.text("agent", agent);
    if (entry.is_string()) {
        out.raw("action", entry.raw);
    } else {
        for (json::Members members{entry}; members.next();) {
            if (members.key == "agent" || members.key == "timestamp") continue;
            out.raw(members.key, members.value.raw);
        }
    }
    return out.text("timestamp", now).done();
}

/// How many leading entries repeat the stored history; nothing if a stored entry is changed or left
/// out. Entries with the same timestamp are the same entry.
std::optional<std::size_t> repeated(const std::vector<json::Value>& entries,
                                    const std::vector<std::string>& there) {
    const auto is_same = [](json::Value entry, const std::string& old) {
        return json::is_equal(entry, json::root(old), json::Numbers::ByValue);
    };
    if (there.empty()) return 0;
    if (entries.empty()) return std::nullopt;
    if (entries.size() >= there.size() &&
        std::equal(there.begin(), there.end(), entries.begin(), [&](const auto& old, auto entry) {
            return is_same(entry, old);
        })) {
        return there.size();
    }
    std::set<std::string> times;
    for (const auto& old : there) times.insert(text_member(json::root(old), "timestamp"));
    const bool is_past = std::ranges::any_of(entries, [&](json::Value entry) {
        return entry.is_object() && times.contains(text_member(entry, "timestamp"));
    });
    if (is_past) return std::nullopt;
    return 0;
}

/// False, with the call answered, if `list` is no list of entries.
bool read_history(Call& call,
                  json::Value list,
                  const core::shared::Context* context,
                  std::string_view now,
                  WriteContext& write) {
    static const std::vector<std::string> none;
    const auto& there = context != nullptr ? context->history : none;
    std::vector<json::Value> entries;
    if (list.is_array()) {
        for (json::Elements elements{list}; elements.next();) entries.push_back(elements.value);
    }
    const bool is_list = list.is_array() && std::ranges::all_of(entries, [](json::Value entry) {
                             return entry.is_object() || entry.is_string();
                         });
    if (!is_list && !list.is_null()) {
        refuse_member(call, "history", "a list of entries to append");
        return false;
    }
    const auto count = repeated(entries, there);
    write.changes_history = !count;
    if (!count) return true;
    // Entries that repeat the history refer to the version the history has now.
    if (*count > 0 && !write.version) write.version = context->version;
    const std::string_view writer =
        write.agent.value.empty() ? call.caller->agent.value : write.agent.value;
    for (std::size_t i = *count; i < entries.size(); ++i) {
        write.history.push_back(stamped(entries[i], writer, now));
    }
    return true;
}

std::string text_of(json::Value value) {
    std::string spare;
    return value.is_string() ? std::string{value.text(spare)} : std::string{};
}

bool read_status(json::Value value, WriteContext& write) {
    write.status = text_of(value);
    return !write.status.empty() && write.status.size() <= kStatusBytesMax;
}

/// An explicit version takes precedence over the version that read_history() assumes.
bool read_version(json::Value value, WriteContext& write) {
    const auto version = value.integer();
    if (!version || *version < 0) return false;
    write.version = static_cast<std::uint64_t>(*version);
    return true;
}

bool read_owner(json::Value value, WriteContext& write) {
    write.owner.value = text_of(value);
    return write.agent.value.empty() || write.owner == write.agent;
}

bool read_entities(json::Value value, WriteContext& write) {
    write.entities = value.raw;
    return value.is_object();
}

bool read_artifacts(json::Value value, WriteContext& write) {
    if (!value.is_array()) return false;
    for (json::Elements elements{value}; elements.next();) {
        write.artifacts.emplace_back(elements.value.raw);
    }
    return true;
}

struct PatchRow {
    std::string_view key;
    std::string_view rule;
    bool (*read)(json::Value value, WriteContext& write);
};
/// The members of a patch but history, which read_history() compares with the stored history.
constexpr std::array kPatchRows{
    PatchRow{
        "workflow_id",
        "the workflow of the path",
        [](json::Value value, WriteContext& write) { return text_of(value) == write.workflow; }},
    PatchRow{"agent",
             "the name of an agent",
             [](json::Value value, WriteContext&) { return value.is_string(); }},
    PatchRow{"current_agent", "the writer: a context changes hands by a handoff", read_owner},
    PatchRow{"version", "the version that was changed", read_version},
    PatchRow{"status", "a word of 1 to 64 bytes", read_status},
    PatchRow{"entities", "an object: entities by name, or null to remove one", read_entities},
    PatchRow{"artifacts", "a list of artifacts to append", read_artifacts},
};

/// False, with the call answered, if a member is invalid.
bool read_patch(Desk& desk, Call& call, json::Value body, WriteContext& write) {
    const auto* context = find_context(desk, write.workflow);
    const auto now = print_iso_time(desk.clock());
    std::vector<dialects::Problem> problems;
    std::string words;
    std::optional<json::Value> history;
    for (json::Members members{body}; members.next();) {
        if (members.key == "history") {
            history = members.value;
            continue;
        }
        const auto row = std::ranges::find(kPatchRows, members.key, &PatchRow::key);
        const bool is_known = row != kPatchRows.end();
        if (is_known && row->read(members.value, write)) continue;
        if (problems.size() == dialects::kProblemsMax) continue;
        const auto name = json::shortened(members.key);
        const auto rule = fmt::format(
            "must be {}", is_known ? row->rule : "left out: a context has no such member");
        words += fmt::format("{}'{}' {}", words.empty() ? "" : "; ", name, rule);
        std::string pointer;
        json::append_step(pointer, name);
        problems.push_back({.pointer = std::move(pointer),
                            .value = json::shortened(members.value.raw),
                            .rule = rule});
    }
    if (problems.empty()) {
        return !history || read_history(call, *history, context, now, write);
    }
    call.exchange->respond(problem(Refusal::InputValidationFailed, words, problems, {}));
    return false;
}

/// The request that hands the context to the next agent.
std::string handoff_message(const AgentId& from,
                            std::string_view to,
                            std::string_view workflow,
                            const core::shared::Context& context,
                            json::Value body) {
    json::ObjectWriter metadata;
    metadata.text("priority", "high");
    const auto timeout = json::find(body, "timeout_ms");
    if (timeout) metadata.raw("timeout_ms", timeout->raw);
    const auto data = json::find(body, "data");
    json::ObjectWriter payload;
    payload.text("action", "handoff").raw("data", data ? data->raw : "{}");
    payload.raw("context", context_json(workflow, context));
    return json::ObjectWriter{}
        .text("correlation_id", workflow)
        .raw("sender", json::ObjectWriter{}.text("agent_id", from.value).done())
        .raw("recipient", json::ObjectWriter{}.text("agent_id", to).done())
        .text("message_type", "REQUEST")
        .raw("metadata", metadata.done())
        .raw("payload", payload.done())
        .done();
}

void change_context(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    const std::string workflow{call.captures.at(0)};
    if (workflow.size() > kIdBytesMax) {
        return refuse_member(call, "workflow_id", "at most 128 bytes long");
    }
    const auto version = version_matched(call.request());
    if (!version) {
        return call.exchange->respond(
            problem(Refusal::InputValidationFailed, version.error().message));
    }
    const auto said = json::find(*body, "version");
    if (*version && said && said->integer() != static_cast<std::int64_t>(**version)) {
        return refuse_member(call, "version", "the version that If-Match names");
    }
    WriteContext write{
        .workflow = workflow, .agent = acting_agent(call, *body), .version = *version};
    if (!read_patch(desk, call, *body, write)) return;
    bring_shown(desk, call, std::move(write), [&desk, workflow, caller = *call.caller] {
        return show_context(desk, caller, workflow);
    });
}

void hand_off(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    const std::string workflow{call.captures.at(0)};
    const auto* context = find_context(desk, workflow);
    if (context == nullptr) return call.exchange->respond(not_found(workflow));
    const auto to = text_member(*body, "to");
    if (to.empty()) return refuse_member(call, "to", "the agent that takes the context over");
    auto from = acting_agent(call, *body);
    if (from.value.empty()) from.value = context->owner;
    const auto text = handoff_message(from, to, workflow, *context, *body);
    const auto request_id = fresh_uuid(desk);
    const auto now = desk.clock();
    auto request = take_in(
        desk,
        {.text = text, .dialect = Dialect::Sam, .sender = from.value, .fresh_id = request_id});
    if (!request) return refuse_message(desk, call, std::move(request).error());
    const auto reply_id = fresh_uuid(desk);
    const auto said = json::ObjectWriter{}
                          .text("handoff", "complete")
                          .text("workflow_id", workflow)
                          .text("current_agent", to)
                          .done();
    auto done = dialects::read_reply(
        said,
        *request->envelope,
        {.dialect = Dialect::Sam, .caller = to, .fresh_id = reply_id, .now = now});
    if (!done) return refuse_message(desk, call, std::move(done).error());
    Pending pending{.kind = Pending::Kind::Send,
                    .exchange = std::move(call.exchange),
                    .envelope = request->envelope,
                    .caller = call.caller};
    bring(desk,
          HandOffContext{.workflow = workflow,
                         .version = context->version,
                         .request = *std::move(request),
                         .done = done->envelope},
          std::move(pending),
          std::move(call.caller));
}

/// The core refuses a caller whose turn has not come (S7). The agent that began the workflow for a
/// user did so by a grant, and needs the grant for every later change (I3).
template <class GoOn>
void for_its_user(Desk& desk, const Call& call, GoOn go_on) {
    const std::string_view workflow = call.captures.at(0);
    with_origin(desk, workflow, [&desk, call = Call{call}, go_on](const Origin& origin) mutable {
        // Without the record nobody knows whether the caller needs a grant.
        if (origin.problem) return call.exchange->respond(unreadable(*origin.problem));
        const std::string_view id = call.captures.at(0);
        const bool is_its = call.caller->agent.value == origin.by;
        const auto& state = desk.engine->state();
        if (is_its && !core::may_know_of(state, *call.caller, origin.user)) {
            return call.exchange->respond(not_found(id));
        }
        go_on(call);
    });
}

}  // namespace

void refuse_member(Call& call, std::string_view key, std::string_view rule) {
    call.exchange->respond(
        problem(Refusal::InputValidationFailed, fmt::format("'{}' must be {}", key, rule)));
}

void get_context(Desk& desk, Call& call) {
    const std::string_view workflow = call.captures.at(0);
    with_origin(desk, workflow, [&desk, call = Call{call}](const Origin& origin) {
        const std::string id{call.captures.at(0)};
        const auto* context = find_context(desk, id);
        if (context != nullptr && !may_see(desk, *call.caller, id, *context, origin)) {
            if (origin.problem) return call.exchange->respond(unreadable(*origin.problem));
            record_unseen(desk,
                          Refusal::IdentityMismatch,
                          fmt::format("the context of workflow '{}'", json::shortened(id)),
                          call.caller);
            return call.exchange->respond(not_found(id));
        }
        call.exchange->respond(show_context(desk, *call.caller, id));
    });
}

void patch_context(Desk& desk, Call& call) {
    for_its_user(desk, call, [&desk](Call& asked) { change_context(desk, asked); });
}

void post_handoff(Desk& desk, Call& call) {
    for_its_user(desk, call, [&desk](Call& asked) { hand_off(desk, asked); });
}

}  // namespace parlance::gateway
