// One function per route; the table that names them is in route_table.h.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "base/json.h"
#include "gateway/desk.h"

namespace parlance::gateway {

void put_agent(Desk& desk, Call& call);
void get_agents(Desk& desk, Call& call);
void get_agent(Desk& desk, Call& call);
void delete_agent(Desk& desk, Call& call);
void post_heartbeat(Desk& desk, Call& call);
void get_inbox(Desk& desk, Call& call);
void post_message(Desk& desk, Call& call);
void post_delegation(Desk& desk, Call& call);
void get_delegations(Desk& desk, Call& call);
void post_ack(Desk& desk, Call& call);
void post_nack(Desk& desk, Call& call);
void post_extend(Desk& desk, Call& call);
void post_progress(Desk& desk, Call& call);
void post_reply(Desk& desk, Call& call);
void get_topics(Desk& desk, Call& call);
void put_subscriber(Desk& desk, Call& call);
void delete_subscriber(Desk& desk, Call& call);
void get_dead_letters(Desk& desk, Call& call);
void get_dead_letter(Desk& desk, Call& call);
void post_redeliver(Desk& desk, Call& call);
void post_discard(Desk& desk, Call& call);
void get_policy(Desk& desk, Call& call);
void put_policy(Desk& desk, Call& call);
void post_explain(Desk& desk, Call& call);
void get_fleet(Desk& desk, Call& call);
void post_fleet_stop(Desk& desk, Call& call);
void post_fleet_resume(Desk& desk, Call& call);
void post_cancel(Desk& desk, Call& call);
void post_workflow(Desk& desk, Call& call);
void get_workflow(Desk& desk, Call& call);
void post_authorize(Desk& desk, Call& call);
void get_events(Desk& desk, Call& call);
void get_connect(Desk& desk, Call& call);
void get_schemas(Desk& desk, Call& call);
void get_schema(Desk& desk, Call& call);
void get_openapi(Desk& desk, Call& call);
void get_asyncapi(Desk& desk, Call& call);
void get_hub(Desk& desk, Call& call);
void get_health(Desk& desk, Call& call);
void get_ready(Desk& desk, Call& call);
void get_metrics(Desk& desk, Call& call);
void get_page(Desk& desk, Call& call);
void post_chat(Desk& desk, Call& call);
void get_chat(Desk& desk, Call& call);
void post_classify(Desk& desk, Call& call);
void post_route(Desk& desk, Call& call);
void get_correlation(Desk& desk, Call& call);
void get_correlation_messages(Desk& desk, Call& call);
void get_correlation_timeline(Desk& desk, Call& call);
void get_analytics(Desk& desk, Call& call);
void post_human(Desk& desk, Call& call);
void get_humans(Desk& desk, Call& call);
void get_human(Desk& desk, Call& call);
void post_human_answer(Desk& desk, Call& call);

void get_context(Desk& desk, Call& call);
void patch_context(Desk& desk, Call& call);
void post_handoff(Desk& desk, Call& call);
void get_state(Desk& desk, Call& call);
void get_state_item(Desk& desk, Call& call);
void post_state(Desk& desk, Call& call);
void get_session(Desk& desk, Call& call);
void post_session(Desk& desk, Call& call);
void get_facts(Desk& desk, Call& call);
void post_facts(Desk& desk, Call& call);
void get_analyses(Desk& desk, Call& call);
void post_analysis(Desk& desk, Call& call);

void get_request(Desk& desk, Call& call);
void get_stream(Desk& desk, Call& call);

/// What an analysis goes by: what was asked for, with what. `inputs` is JSON, or nothing.
std::string analysis_key(std::string_view capability, std::string_view inputs);

/// Answers and records a message that could not be read.
void refuse_message(Desk& desk, Call& call, dialects::Rejection rejection);

/// What an agent says about itself, as PUT /v1/agents and a connection's "register" have it.
dialects::Reading<Profile> read_profile(const Desk& desk, std::string_view text);
/// Why the caller may not register the agent so; empty if it may. No agent makes itself the one
/// that users' words are put to; on a hub that asks nobody who it is there is nobody else to do so.
std::string cannot_register(const Desk& desk,
                            const Caller& caller,
                            const AgentId& agent,
                            const Profile& profile);

/// Whether a text is what the classifier takes; else the call is answered. Longer ones take long.
bool is_understandable(Call& call, std::string_view text);

/// "wait=1500" in Prefer (RFC 7240, but in milliseconds), alone or among other preferences; nothing
/// if it is not there. A time that cannot be read is an Error, a longer one than is held the
/// longest.
Result<std::optional<Duration>> preferred_wait(std::string_view prefer);
/// The same of a call; nothing, with the call answered, when it cannot be read.
std::optional<Duration> preferred_wait(Call& call, Duration otherwise);

/// What may stand after "topic:" in a recipient, and how to say that something may not.
bool is_topic_name(std::string_view name);
std::string no_topic_name(std::string_view name);

/// Says that a member of the body is not as it should be.
void refuse_member(Call& call, std::string_view key, std::string_view rule);

/// A member's text; empty if it is not there or no string.
std::string text_member(json::Value object, std::string_view key);

/// The body as a JSON object, or an empty one when there is none; nothing, with the call
/// answered, when it is something else.
std::optional<json::Value> read_object(Call& call);

/// A member that an order may have, and what it is.
struct OrderMember {
    enum class Type { Text, Flag };
    std::string_view name;
    Type type = Type::Text;
};
inline constexpr std::array kReasonOnly{OrderMember{"reason"}};
/// The body of an order, which is carried out as it was meant or not at all: the same, with the
/// call answered also if it has a member that is none of these, or is of another type.
std::optional<json::Value> read_order(Call& call, std::span<const OrderMember> members);

}  // namespace parlance::gateway
