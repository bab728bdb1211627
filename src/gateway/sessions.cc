// A user's sessions: progress, facts and presented analyses.
//
// A session of another user is answered like a missing session.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/fold.h"
#include "base/iso_time.h"
#include "base/json_sorted.h"
#include "base/json_write.h"
#include "base/sha256.h"
#include "gateway/admission.h"
#include "gateway/handlers.h"
#include "gateway/personal.h"
#include "gateway/problem.h"

namespace parlance::gateway {

namespace {

using core::shared::KnownFact;
using core::shared::Session;

struct FactList {
    std::string_view key;   ///< Member of a body.
    std::string_view kind;  ///< Of the list's items.
};
constexpr std::array kFactLists{FactList{"facts", "fact"},
                                FactList{"decisions", "decision"},
                                FactList{"constraints", "constraint"}};

const core::shared::Shared& shared_of(const Desk& desk) { return desk.engine->state().shared; }

/// Operators see all sessions, a user its own, an agent the sessions of users that the agent may
/// act for.
bool may_see(const Caller& caller, std::string_view user) {
    return caller.role != OperatorRole::None || may_act_for_user(caller, user);
}

std::string no_session_words(std::string_view id) {
    return fmt::format("there is no session '{}' of this user", id);
}

transport::Response no_session(std::string_view id) {
    return problem(Refusal::SessionNotFound, no_session_words(id));
}

/// The user and the parent of a session, from the tree of delegations.
struct Descent {
    std::string user;
    std::string parent;
};
std::optional<Descent> descent_of(const Desk& desk, std::string_view id) {
    const auto& lineage = desk.engine->state().governor.lineage;
    if (const auto delegation = core::governor::find_session(lineage, id)) {
        const auto parent = core::governor::find_delegation(lineage, delegation->parent);
        const auto root = lineage.roots.at(delegation->root);
        return Descent{delegation->user, parent != nullptr ? parent->session : root->session};
    }
    const auto roots = core::governor::roots_named(lineage, id);
    if (roots.empty()) return std::nullopt;
    return Descent{lineage.roots.at(roots.front())->user, {}};
}

std::string session_json(const Desk& desk, const std::string& id, const Session& session) {
    const auto descent = descent_of(desk, id);
    json::ObjectWriter agents;
    for (const auto& [agent, part] : session.agents) agents.raw(agent, part);
    json::ObjectWriter out;
    out.text("session_id", id).text("user_id", session.user);
    const auto& parent = session.parent.empty() && descent ? descent->parent : session.parent;
    if (!parent.empty()) out.text("parent_session_id", parent);
    if (!session.history.empty()) out.text("history_reference", session.history);
    out.raw("workflow_state", session.workflow.empty() ? "{}" : session.workflow)
        .raw("agents", agents.done())
        .integer("version", static_cast<std::int64_t>(session.version));
    if (session.version > 0) {
        out.text("created_at", print_iso_time(session.begun_at))
            .text("updated_at", print_iso_time(session.changed_at));
    }
    return out.done();
}

/// The session as stored, or as its delegations describe the session; nothing if the caller may not
/// see the session.
std::optional<std::string> shown_session(const Desk& desk,
                                         const Caller& caller,
                                         const std::string& id) {
    if (const auto* session = core::shared::find(shared_of(desk).sessions, id)) {
        if (!may_see(caller, session->user)) return std::nullopt;
        return shown_to(desk.options, caller, session_json(desk, id, *session), id);
    }
    const auto descent = descent_of(desk, id);
    if (!descent || !may_see(caller, descent->user)) return std::nullopt;
    return session_json(desk, id, Session{.user = descent->user, .parent = descent->parent});
}

/// The session's user, as stored or from its delegations; nothing without such a session.
std::optional<std::string> owner_of(const Desk& desk, const std::string& id) {
    const auto* session = core::shared::find(shared_of(desk).sessions, id);
    if (session != nullptr) return session->user;
    const auto descent = descent_of(desk, id);
    return descent ? std::optional{descent->user} : std::nullopt;
}

/// Answers a missing session and another user's session alike; the latter is recorded.
void refuse_session(Desk& desk, Call& call, const std::string& id) {
    if (owner_of(desk, id)) {
        record_unseen(desk,
                      Refusal::UserIsolationViolated,
                      fmt::format("session '{}'", json::shortened(id)),
                      call.caller);
    }
    call.exchange->respond(no_session(id));
}

/// The session's user; nothing, with the call answered, if the caller may not see the session.
std::optional<std::string> user_of(Desk& desk, Call& call, const std::string& id) {
    auto user = owner_of(desk, id);
    if (user && may_see(*call.caller, *user)) return user;
    refuse_session(desk, call, id);
    return std::nullopt;
}

bool is_agent(const Caller& caller) { return !caller.is_operator && caller.user.empty(); }

/// The agent that a statement is from: the calling agent, or the agent named by a caller who may
/// act for the agent.
std::string speaker(const Call& call, json::Value body) {
    auto agent = text_member(body, "agent");
    if (agent.empty() && is_agent(*call.caller)) agent = call.caller->agent.value;
    return agent;
}

std::string source_json(const KnownFact& known) {
    json::ObjectWriter out;
    if (known.fact.agent.empty()) {
        out.text("said_by", "user");
    } else {
        out.text("agent", known.fact.agent);
    }
    if (!known.fact.source.empty()) out.text("message_id", known.fact.source);
    if (!known.session.empty()) out.text("session_id", known.session);
    return out.done();
}

std::string fact_json(const KnownFact& known) {
    return json::ObjectWriter{}
        .text("kind", known.fact.kind)
        .text("about", known.fact.about)
        .raw("value", known.fact.value)
        .raw("source", source_json(known))
        .text("at", print_iso_time(known.at))
        .done();
}

/// The newest fact of this session, else the user's newest fact.
const KnownFact* best_of(const std::vector<const KnownFact*>& facts, const std::string& session) {
    const auto own = std::find_if(facts.rbegin(), facts.rend(), [&](const KnownFact* known) {
        return known->session == session;
    });
    if (own != facts.rend()) return *own;
    return facts.empty() ? nullptr : facts.back();
}

/// False, with the call answered, if `said` is no fact.
bool read_fact(Call& call, json::Value said, std::string_view kind, std::vector<Fact>& facts) {
    const auto value = said.is_object() ? json::find(said, "value") : std::optional{said};
    const auto words = said.is_object() ? said : json::Value{"{}"};
    Fact fact{.kind = std::string{kind},
              .about = text_member(words, "about"),
              .value = value ? std::string{value->raw} : std::string{},
              .agent = speaker(call, words),
              .source = text_member(words, "message_id")};
    if (fact.agent.empty() && call.caller->is_operator) fact.agent = call.caller->agent.value;
    if (!value || fact.about.size() > kIdBytesMax || fact.source.size() > kIdBytesMax) {
        refuse_member(call, kind, R"({"about","value"}, with "about" of at most 128 bytes)");
        return false;
    }
    facts.push_back(std::move(fact));
    return true;
}

bool read_facts(Call& call, json::Value body, std::vector<Fact>& facts) {
    for (const auto& [key, kind] : kFactLists) {
        const auto list = json::find(body, key);
        if (!list) continue;
        if (!list->is_array()) {
            refuse_member(call, key, "a list");
            return false;
        }
        for (json::Elements elements{*list}; elements.next();) {
            if (!read_fact(call, elements.value, kind, facts)) return false;
        }
    }
    if (!facts.empty()) return true;
    const auto named = text_member(body, "kind");
    const auto row = std::ranges::find(kFactLists, named.empty() ? "fact" : named, &FactList::kind);
    if (row != kFactLists.end()) return read_fact(call, body, row->kind, facts);
    refuse_member(call, "kind", "fact, decision or constraint");
    return false;
}

/// Appends the value as text that does not depend on the order of members.
void append_sorted(std::string& out, json::Value value) {
    if (value.is_object()) {
        out += '{';
        const json::SortedMembers members{value};
        for (const auto& [key, member] : members.all()) {
            json::append_quoted(out, key);
            append_sorted(out, member);
        }
        out += '}';
    } else if (value.is_array()) {
        out += '[';
        for (json::Elements elements{value}; elements.next();) append_sorted(out, elements.value);
        out += ']';
    } else {
        out += value.raw;
        out += ',';
    }
}

/// The key of an analysis: given, or made of the capability and its inputs.
std::string key_of(json::Value body) {
    auto key = text_member(body, "key");
    if (!key.empty()) return key;
    const auto inputs = json::find(body, "inputs");
    return analysis_key(text_member(body, "capability"), inputs ? inputs->raw : std::string_view{});
}

std::string analysis_json(const std::string& key, const core::shared::Analysis* analysis) {
    json::ObjectWriter out;
    out.text("key", key).boolean("known", analysis != nullptr);
    if (analysis == nullptr) return out.done();
    return out.text("capability", analysis->capability)
        .raw("result", analysis->result)
        .raw("source", json::ObjectWriter{}.text("agent", analysis->agent).done())
        .text("presented_at", print_iso_time(analysis->at))
        .done();
}

}  // namespace

std::string analysis_key(std::string_view capability, std::string_view inputs) {
    std::string text{capability};
    text += '\n';
    if (!inputs.empty()) append_sorted(text, json::root(inputs));
    return to_hex(sha256(text));
}

void get_session(Desk& desk, Call& call) {
    const std::string id{call.captures.at(0)};
    auto body = shown_session(desk, *call.caller, id);
    if (!body) return refuse_session(desk, call, id);
    call.exchange->respond({.headers = {}, .body = *std::move(body)});
}

void post_session(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    const std::string id{call.captures.at(0)};
    if (id.size() > kIdBytesMax) return refuse_member(call, "session_id", "at most 128 bytes long");
    WriteSession write{.id = id,
                       .user = text_member(*body, "user_id"),
                       .parent = text_member(*body, "parent_session_id"),
                       .history = text_member(*body, "history_reference")};
    if (write.user.empty()) write.user = call.caller->user;
    if (write.user.size() > kIdBytesMax || write.parent.size() > kIdBytesMax) {
        return refuse_member(call, "user_id", "at most 128 bytes long, as parent_session_id");
    }
    const auto descent = descent_of(desk, id);
    if (write.user.empty() && descent && may_see(*call.caller, descent->user)) {
        write.user = descent->user;
    }
    const auto* kept = core::shared::find(shared_of(desk).sessions, id);
    // A caller without user_id must not learn of another user's session, so such a session counts
    // as new.
    const bool is_new = kept == nullptr || !may_see(*call.caller, kept->user);
    if (is_new && write.user.empty()) return refuse_member(call, "user_id", "whose session it is");
    if (kept == nullptr && descent && descent->user != write.user) {
        record_refusal(desk, Refusal::SessionNotFound, no_session_words(id), call.caller);
        return call.exchange->respond(no_session(id));
    }
    if (const auto state = json::find(*body, "workflow_state")) write.workflow = state->raw;
    if (const auto state = json::find(*body, "agent_state")) {
        write.agent = speaker(call, *body);
        write.agent_state = state->raw;
        if (write.agent.empty()) return refuse_member(call, "agent", "whose state it is");
    }
    bring_shown(
        desk, call, std::move(write), [&desk, id, caller = call.caller]() -> transport::Response {
            return {.headers = {}, .body = shown_session(desk, *caller, id).value_or("{}")};
        });
}

void get_facts(Desk& desk, Call& call) {
    const std::string id{call.captures.at(0)};
    const auto user = user_of(desk, call, id);
    if (!user) return;
    const auto about = call.request().parameter("about");
    const auto wanted = folded(about);
    std::vector<const KnownFact*> facts;
    if (const auto* known = core::shared::find(shared_of(desk).facts, *user)) {
        for (const auto& each : *known) {
            if (about.empty() || folded(each.fact.about) == wanted) facts.push_back(&each);
        }
    }
    std::string list;
    auto shown = std::min<std::size_t>(parse_number(call.request().parameter("after")).value_or(0),
                                       facts.size());
    for (; shown < facts.size() && list.size() <= kPageBytesMax; ++shown) {
        list += (list.empty() ? "" : ",") + fact_json(*facts[shown]);
    }
    json::ObjectWriter out;
    if (!about.empty()) {
        const auto* best = best_of(facts, id);
        out.boolean("known", best != nullptr);
        if (best != nullptr) {
            out.raw("value", best->fact.value)
                .raw("source", source_json(*best))
                .text("at", print_iso_time(best->at));
        }
    }
    out.raw("facts", "[" + list + "]");
    if (shown < facts.size()) out.integer("next_after", static_cast<std::int64_t>(shown));
    auto body = out.done();
    call.exchange->respond(
        {.headers = {}, .body = shown_to(desk.options, *call.caller, std::move(body), id)});
}

void post_facts(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    AddFacts add{.session = std::string{call.captures.at(0)}, .facts = {}};
    if (!read_facts(call, *body, add.facts)) return;
    bring_done(desk, call, std::move(add));
}

void get_analyses(Desk& desk, Call& call) {
    const std::string id{call.captures.at(0)};
    if (!user_of(desk, call, id)) return;
    std::string list;
    if (const auto* session = core::shared::find(shared_of(desk).sessions, id)) {
        for (const auto& [key, analysis] : session->analyses) {
            list += (list.empty() ? "" : ",") + analysis_json(key, &analysis);
        }
    }
    auto body = R"({"analyses":[)" + list + "]}";
    call.exchange->respond(
        {.headers = {}, .body = shown_to(desk.options, *call.caller, std::move(body), id)});
}

/// Stores an analysis if the body has a result; else says whether the analysis is known.
void post_analysis(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    const std::string id{call.captures.at(0)};
    const auto key = key_of(*body);
    if (key.size() > kIdBytesMax) return refuse_member(call, "key", "at most 128 bytes long");
    const auto result = json::find(*body, "result");
    const auto show =
        [&desk, id, key, caller = call.caller](bool is_wanted) -> transport::Response {
        const auto* session = core::shared::find(shared_of(desk).sessions, id);
        const auto* known =
            session != nullptr && is_wanted ? core::shared::find(session->analyses, key) : nullptr;
        return {.headers = {},
                .body = shown_to(desk.options, *caller, analysis_json(key, known), id)};
    };
    if (!result) {
        if (!user_of(desk, call, id)) return;
        const auto afresh = json::find(*body, "afresh");
        return call.exchange->respond(show(!afresh || afresh->raw != "true"));
    }
    bring_shown(desk,
                call,
                KeepAnalysis{.session = id,
                             .key = key,
                             .capability = text_member(*body, "capability"),
                             .result = std::string{result->raw},
                             .agent = speaker(call, *body)},
                [show] { return show(true); });
}

}  // namespace parlance::gateway
