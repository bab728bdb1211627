// The routes about agents and topics.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/iso_time.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/plain_text.h"
#include "dialects/dialect_row.h"
#include "gateway/admission.h"
#include "gateway/classifier_trainer.h"
#include "gateway/endpoint.h"
#include "gateway/handlers.h"
#include "gateway/instance_name.h"
#include "gateway/problem.h"
#include "model/names.h"

namespace parlance::gateway {

namespace {

std::string status_of(const AgentListing& agent) {
    if (!agent.is_there) return "OFFLINE";
    return agent.in_flight > 0 ? "BUSY" : "IDLE";
}

std::string instances_of(const AgentListing& agent) {
    std::string out = "[";
    for (const auto& instance : agent.instances) {
        if (out.size() > 1) out.push_back(',');
        out += json::ObjectWriter{}
                   .text("instance", std::to_string(instance.number.value))
                   .text("name", instance.name)
                   .text("kind", enum_name(instance.kind))
                   .integer("credit", instance.credit)
                   .integer("in_flight", instance.in_flight)
                   .text("last_seen", print_iso_time(instance.last_seen))
                   .done();
    }
    return out + "]";
}

/// `is_own`: the reader is the agent or acts for the agent. Other readers get the endpoint without
/// its secrets.
std::string agent_json(const AgentListing& agent, bool is_own) {
    std::vector<std::string> topics;
    for (const auto& topic : agent.topics) topics.push_back(topic.value);
    return json::ObjectWriter{}
        .text("agent", agent.agent.value)
        .text("dialect", dialects::name_of(agent.profile.dialect))
        .text("role", agent.profile.role)
        .text("domain", agent.profile.domain)
        .text("status", status_of(agent))
        .raw("instances", instances_of(agent))
        .integer("waiting", static_cast<std::int64_t>(agent.waiting))
        .integer("in_flight", static_cast<std::int64_t>(agent.in_flight))
        .integer("dead_letters", static_cast<std::int64_t>(agent.dead))
        .raw("topics", json::quoted_list(topics))
        .raw("tools_allowed", json::quoted_list(agent.profile.tools_allowed))
        .raw("capabilities", agent.profile.capabilities)
        .text("endpoint", is_own ? agent.profile.endpoint : plain_address(agent.profile.endpoint))
        .done();
}

using Problems = std::vector<dialects::Problem>;

void expect(
    Problems& problems, bool is_right, std::string_view key, json::Value value, std::string rule) {
    if (is_right) return;
    problems.push_back({.pointer = "/" + std::string{key},
                        .value = std::string{cut(value.raw, 64)},
                        .rule = std::move(rule),
                        .section = "PUT /v1/agents/{id}"});
}

void read_text_field(Problems& problems,
                     std::string_view key,
                     json::Value value,
                     std::string& out) {
    std::string spare;
    expect(problems, value.is_string(), key, value, "must be a string");
    if (value.is_string()) out = value.text(spare);
    expect(problems, out.size() <= 1024, key, value, "must have at most 1024 bytes");
}

std::string known_dialects() {
    std::string names;
    const auto rows = dialects::all_rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i > 0) names += i + 1 == rows.size() ? " or " : ", ";
        names += rows[i]->name;
    }
    return names;
}

void read_dialect(Problems& problems, std::string_view key, json::Value value, Profile& profile) {
    std::string name;
    read_text_field(problems, key, value, name);
    const auto dialect = dialects::dialect_named(name);
    expect(problems, dialect.has_value(), key, value, "must be " + known_dialects());
    if (dialect) profile.dialect = *dialect;
}

void read_instances(Problems& problems, std::string_view key, json::Value value, Profile& profile) {
    const auto count = value.integer();
    const bool is_right = count && *count >= 0 && *count <= 10'000;
    expect(problems,
           is_right,
           key,
           value,
           "must be how many instances may live at once, up to 10000, or 0 for any number");
    if (is_right) profile.instance_count_max = static_cast<std::uint32_t>(*count);
}

void read_tools(Problems& problems, std::string_view key, json::Value value, Profile& profile) {
    expect(problems, value.is_array(), key, value, "must be a list of tool names");
    if (!value.is_array()) return;
    json::Elements tools{value};
    std::string spare;
    while (tools.next() && problems.size() < dialects::kProblemsMax) {
        expect(problems, tools.value.is_string(), key, tools.value, "must be the name of a tool");
        if (tools.value.is_string()) profile.tools_allowed.emplace_back(tools.value.text(spare));
    }
}

void read_capabilities(Problems& problems,
                       std::string_view /*key*/,
                       json::Value value,
                       Profile& profile) {
    check_capabilities(value, problems);
    profile.capabilities = value.raw;
}

void read_endpoint(Problems& problems, std::string_view key, json::Value value, Profile& profile) {
    if (value.is_null()) return;
    read_text_field(problems, key, value, profile.endpoint);
    if (profile.endpoint.empty()) return;
    const auto checked = transport::check_url(profile.endpoint);
    expect(problems,
           checked.has_value(),
           key,
           value,
           "must be an address like http://HOST:PORT/PATH" +
               (checked ? std::string{} : ": " + checked.error().message));
}

struct ProfileField {
    std::string_view key;
    void (*read)(Problems&, std::string_view, json::Value, Profile&);
};
constexpr std::array kProfileFields{
    ProfileField{"dialect", read_dialect},
    ProfileField{"role",
                 [](Problems& p, std::string_view k, json::Value v, Profile& out) {
                     read_text_field(p, k, v, out.role);
                 }},
    ProfileField{"domain",
                 [](Problems& p, std::string_view k, json::Value v, Profile& out) {
                     read_text_field(p, k, v, out.domain);
                 }},
    ProfileField{"instances", read_instances},
    ProfileField{"tools_allowed", read_tools},
    ProfileField{"capabilities", read_capabilities},
    ProfileField{"endpoint", read_endpoint},
};

/// Whether the capabilities include kClassifyCode, whose agent gets all users' words.
bool classifies(std::string_view capabilities) {
    if (capabilities.empty()) return false;
    for (json::Elements each{json::root(capabilities)}; each.next();) {
        if (each.value.is_object() && text_member(each.value, "code") == kClassifyCode) return true;
    }
    return false;
}

}  // namespace

std::string cannot_register(const Desk& desk,
                            const Caller& caller,
                            const AgentId& agent,
                            const Profile& profile) {
    if (desk.options.is_dev || caller.is_operator || !classifies(profile.capabilities)) return {};
    const auto* before = desk.engine->profile(agent.value);
    if (before != nullptr && classifies(before->capabilities)) return {};
    return fmt::format(
        "'{}' would read what every user says in /v1/chat with the capability {}, "
        "and only an operator registers an agent with that",
        agent.value,
        kClassifyCode);
}

bool is_topic_name(std::string_view name) {
    return name.size() + 6 <= kIdBytesMax && is_agent_id(name);
}

std::string no_topic_name(std::string_view name) {
    return "topic '" + std::string{cut(name, 140)} + "' is not 1 to 122 letters, digits or ._-:/@";
}

dialects::Reading<Profile> read_profile(const Desk& desk, std::string_view text) {
    dialects::Rejection rejection{.refusal = Refusal::InputValidationFailed};
    Profile profile;
    const auto root = json::root(text);
    if (!root.is_object()) {
        rejection.problems.push_back({.rule = "must be an object that describes the agent"});
        return tl::unexpected(std::move(rejection));
    }
    bool has_dialect = false;
    json::Members members{root};
    while (members.next()) {
        has_dialect = has_dialect || members.key == "dialect";
        for (const auto& field : kProfileFields) {
            if (field.key == members.key) {
                field.read(rejection.problems, members.key, members.value, profile);
            }
        }
    }
    if (!has_dialect) {
        rejection.problems.push_back(
            {.pointer = "/dialect",
             .rule = "must say which dialect the agent speaks: " + known_dialects(),
             .section = "PUT /v1/agents/{id}"});
    }
    if (auto flaw = flaw_of_endpoint(desk, profile.endpoint); !flaw.empty()) {
        rejection.problems.push_back({.pointer = "/endpoint",
                                      .value = json::shortened(plain_address(profile.endpoint)),
                                      .rule = std::move(flaw),
                                      .section = "PUT /v1/agents/{id}"});
    }
    if (!rejection.problems.empty()) return tl::unexpected(std::move(rejection));
    return profile;
}

std::string text_member(json::Value object, std::string_view key) {
    std::string spare;
    const auto value = json::find(object, key);
    return value && value->is_string() ? std::string{value->text(spare)} : std::string{};
}

std::optional<json::Value> read_object(Call& call) {
    const auto& body = call.request().body;
    if (body.empty()) return json::Value{"{}"};
    const auto checked = json::check(body);
    if (checked && json::root(body).is_object()) return json::root(body);
    call.exchange->respond(
        problem(Refusal::MessageMalformed,
                checked ? "the body is not a JSON object" : checked.error().message));
    return std::nullopt;
}

namespace {

std::string listed(std::span<const OrderMember> members) {
    std::string names;
    for (const auto& member : members) {
        names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", member.name);
    }
    return names;
}

/// The flaw of an order; empty if there is none.
std::string flaw_of_order(json::Value order, std::span<const OrderMember> members) {
    for (json::Members said{order}; said.next();) {
        const auto known = std::ranges::find(members, said.key, &OrderMember::name);
        if (known == members.end()) {
            return fmt::format("nothing here is called \"{}\"; there is {}",
                               json::shortened(said.key),
                               listed(members));
        }
        const bool is_text = known->type == OrderMember::Type::Text;
        const auto raw = said.value.raw;
        const bool fits = is_text ? said.value.is_string() : raw == "true" || raw == "false";
        if (fits) continue;
        return fmt::format("\"{}\" must be {}, and is {}",
                           known->name,
                           is_text ? "text" : "true or false",
                           json::shortened(raw));
    }
    return {};
}

}  // namespace

std::optional<json::Value> read_order(Call& call, std::span<const OrderMember> members) {
    const auto body = read_object(call);
    if (!body) return std::nullopt;
    const auto flaw = flaw_of_order(*body, members);
    if (flaw.empty()) return body;
    call.exchange->respond(problem(Refusal::InputValidationFailed, flaw));
    return std::nullopt;
}

std::string agent_body(const Desk& desk, const AgentId& agent) {
    const auto listing = desk.engine->agent(agent);
    return listing ? agent_json(*listing, true) : "{}";
}

void put_agent(Desk& desk, Call& call) {
    const AgentId agent{std::string{call.captures.at(0)}};
    if (!is_agent_id(agent.value)) {
        return call.exchange->respond(
            problem(Refusal::InputValidationFailed,
                    "agent id '" + std::string{cut(agent.value, 140)} +
                        "' is not 1 to 128 letters, digits or ._-:/@ (and not \"topic:…\")"));
    }
    if (const auto checked = json::check(call.request().body); !checked) {
        return call.exchange->respond(problem(Refusal::MessageMalformed, checked.error().message));
    }
    auto profile = read_profile(desk, call.request().body);
    if (!profile)
        return call.exchange->respond(problem(profile.error(), Dialect::Taskwire, desk.clock()));
    if (const auto no = cannot_register(desk, *call.caller, agent, *profile); !no.empty()) {
        record_refusal(desk, Refusal::RouteNotPermitted, no, call.caller);
        return call.exchange->respond(problem(Refusal::RouteNotPermitted, no));
    }
    auto caller = call.caller;
    const bool says_tools =
        json::find(json::root(call.request().body), "tools_allowed").has_value();
    bring(desk,
          RegisterAgent{agent, std::move(*profile), says_tools},
          {.exchange = std::move(call.exchange), .agent = agent},
          std::move(caller));
}

void get_agents(Desk& desk, Call& call) {
    std::string out;
    for (const auto& agent : desk.engine->agents()) {
        if (!out.empty()) out.push_back(',');
        out += agent_json(agent, may_act_for(*call.caller, agent.agent.value));
    }
    call.exchange->respond({.headers = {}, .body = "{\"agents\":[" + out + "]}"});
}

void get_agent(Desk& desk, Call& call) {
    const AgentId id{std::string{call.captures.at(0)}};
    const auto agent = desk.engine->agent(id);
    if (!agent) {
        return call.exchange->respond(
            problem(Refusal::AgentNotRegistered, "agent '" + id.value + "' is not registered"));
    }
    call.exchange->respond(
        {.headers = {}, .body = agent_json(*agent, may_act_for(*call.caller, id.value))});
}

void delete_agent(Desk& desk, Call& call) {
    bring_done(desk, call, RemoveAgent{{std::string{call.captures.at(0)}}});
}

void post_heartbeat(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    std::string spare;
    const auto named = json::find(*body, "instance");
    const std::string name{named && named->is_string() ? named->text(spare) : "poll"};
    if ((named && !named->is_string()) || !is_instance_name(name)) {
        return call.exchange->respond(problem(Refusal::InputValidationFailed, kNoInstanceName));
    }
    // Joining again under the same name is a sign of life, and brings back an instance that was let
    // go.
    bring_done(desk,
               call,
               JoinInstance{.agent = {std::string{call.captures.at(0)}},
                            .name = name,
                            .kind = InstanceKind::Poll,
                            .is_heartbeat = true});
}

void get_topics(Desk& desk, Call& call) {
    std::map<std::string, std::vector<std::string>> topics;
    for (const auto& agent : desk.engine->agents()) {
        for (const auto& topic : agent.topics) topics[topic.value].push_back(agent.agent.value);
    }
    std::string out;
    for (const auto& [topic, subscribers] : topics) {
        if (!out.empty()) out.push_back(',');
        out += json::ObjectWriter{}
                   .text("topic", topic)
                   .raw("subscribers", json::quoted_list(subscribers))
                   .done();
    }
    call.exchange->respond({.headers = {}, .body = "{\"topics\":[" + out + "]}"});
}

void put_subscriber(Desk& desk, Call& call) {
    const TopicName topic{std::string{call.captures.at(0)}};
    if (!is_topic_name(topic.value)) {
        return call.exchange->respond(
            problem(Refusal::InputValidationFailed, no_topic_name(topic.value)));
    }
    bring_done(desk, call, Subscribe{{std::string{call.captures.at(1)}}, topic});
}

void delete_subscriber(Desk& desk, Call& call) {
    bring_done(desk,
               call,
               Unsubscribe{{std::string{call.captures.at(1)}}, {std::string{call.captures.at(0)}}});
}

}  // namespace parlance::gateway
