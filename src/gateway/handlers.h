// One function per route; route_table.h names them.
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

/// The key of an analysis: a hash of the capability and its inputs. `inputs` is JSON or empty.
std::string analysis_key(std::string_view capability, std::string_view inputs);

/// Answers and records a message that could not be read.
void refuse_message(Desk& desk, Call& call, dialects::Rejection rejection);

/// Reads an agent's description of itself, from PUT /v1/agents or a connection's "register".
dialects::Reading<Profile> read_profile(const Desk& desk, std::string_view text);
/// Why the caller may not register the agent with this profile; empty if the caller may. An agent
/// cannot give itself the capability to classify users' words. With --dev, where callers prove
/// nothing, an agent can.
std::string cannot_register(const Desk& desk,
                            const Caller& caller,
                            const AgentId& agent,
                            const Profile& profile);

/// Whether the classifier takes the text; if not, the call is answered. The length is limited
/// because classifying takes longer for longer texts.
bool is_understandable(Call& call, std::string_view text);

/// The time in "wait=1500" of Prefer (RFC 7240, but in milliseconds), alone or among other
/// preferences; nothing if Prefer has no wait. An unreadable time is an Error; a time above the
/// limit becomes the limit.
Result<std::optional<Duration>> preferred_wait(std::string_view prefer);
/// The wait of a call, or `otherwise` without a preference; nothing, with the call answered, if the
/// preference is unreadable.
std::optional<Duration> preferred_wait(Call& call, Duration otherwise);

/// Names that may follow "topic:" in a recipient, and the message for an invalid name.
bool is_topic_name(std::string_view name);
std::string no_topic_name(std::string_view name);

/// Answers the call: the body's member `key` must be `rule`.
void refuse_member(Call& call, std::string_view key, std::string_view rule);

/// A member's text; empty if the member is missing or no string.
std::string text_member(json::Value object, std::string_view key);

/// The body as a JSON object, or an empty object without a body; nothing, with the call answered,
/// if the body is no object.
std::optional<json::Value> read_object(Call& call);

/// A member that an order may have, with its type.
struct OrderMember {
    enum class Type { Text, Flag };
    std::string_view name;
    Type type = Type::Text;
};
inline constexpr std::array kReasonOnly{OrderMember{"reason"}};
/// The body of an order, read as by read_object(). An order is carried out as meant or not at all:
/// an unknown member or a member of another type is refused too.
std::optional<json::Value> read_order(Call& call, std::span<const OrderMember> members);

}  // namespace parlance::gateway
