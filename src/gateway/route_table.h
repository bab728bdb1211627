// Every route: its function, what the route takes and what the route answers. The dispatch
// (routes.cc), /openapi.json (openapi.cc) and docs/reference/http.md (by a test) follow this table.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "gateway/admission.h"
#include "gateway/handlers.h"

namespace parlance::gateway {

struct Parameter {
    std::string_view name;
    std::string_view in;      ///< "query" or "header"; path parameters are in the pattern.
    std::string_view schema;  ///< JSON.
    std::string_view meaning;
};

struct Answer {
    int status;
    std::string_view meaning;
    std::string_view component{};  ///< In components.h; empty: no content.
    std::string_view content_type = "application/json";
    bool or_text = false;  ///< Also a dialect's text, if text/plain is accepted.
};

struct Route {
    std::string_view method;
    std::string_view pattern;
    void (*handle)(Desk&, Call&);
    Who who;  ///< The kinds of callers allowed.
    std::string_view summary;
    std::span<const Answer> answers;  ///< Of success; all other answers are a Problem.
    std::string_view body{};          ///< Component of the request's body; empty: no body.
    bool is_body_required = false;
    std::span<const Parameter> parameters{};
    bool takes_text = false;  ///< The body may be a dialect's text form.
};

namespace routes {

inline constexpr std::string_view kText = R"({"type":"string"})";
inline constexpr std::string_view kCount = R"({"type":"integer","minimum":0})";

inline constexpr std::array kDone{Answer{204, "Done, and on disk."}};
inline constexpr std::array kAccepted{Answer{202, "Accepted, and on disk.", "Accepted"}};
// Rows keep their width, so that the tables can be read as tables.
// clang-format off
inline constexpr std::array kSent{
    Answer{202, "Accepted, and on disk. An answer, if one is awaited, comes to the inbox.", "Accepted"},
    Answer{.status = 200, .meaning = "The answer, in the sender's dialect.", .component = "Message", .or_text = true}};
inline constexpr std::array kReplied{
    Answer{202, "Accepted, and on disk.", "Accepted"},
    Answer{204, "Its status is pending: taken as progress; or nobody awaits it: taken as an acknowledgement. On disk."}};
inline constexpr std::array kDelegated{
    Answer{200, "The response, or the hub's own at the deadline.", "Message"},
    Answer{202, "Accepted; the answer comes to the inbox.", "Accepted"}};
inline constexpr std::array kDelegations{Answer{200, "A page of the log, oldest first.", "Delegations"}};
inline constexpr std::array kTaken{Answer{200, "What is leased to the asker now.", "Deliveries"}};
inline constexpr std::array kAgent{Answer{200, "The agent.", "Agent"}};
inline constexpr std::array kAgents{Answer{200, "All agents.", "Agents"}};
inline constexpr std::array kTopics{Answer{200, "All topics that have subscribers.", "Topics"}};
inline constexpr std::array kDeadLetters{Answer{200, "A page of them.", "DeadLetters"}};
inline constexpr std::array kDeadLetter{Answer{200, "The letter with its message.", "DeadLetter"}};
inline constexpr std::array kEvents{
    Answer{200, "One event of the record each, as server-sent events.", "Text", "text/event-stream"}};
inline constexpr std::array kParts{
    Answer{200, "The parts of the answer and then the whole, as server-sent events.", "Text", "text/event-stream"},
    Answer{204, "The answer was the last that this reader has."}};
inline constexpr std::array kRequest{Answer{200, "Where it stands, with its answer if it has one.", "Request"}};
inline constexpr std::array kUpgraded{Answer{101, "A WebSocket; /asyncapi.json says what is spoken."}};
inline constexpr std::array kHub{Answer{200, "The hub in figures.", "Hub"}};
inline constexpr std::array kHealth{Answer{200, "The process lives.", "Health"}};
inline constexpr std::array kReady{Answer{200, "The hub acknowledges.", "Readiness"},
                                   Answer{503, "It does not, and why.", "Readiness"}};
inline constexpr std::array kMetrics{
    Answer{200, "Figures for Prometheus.", "Text", "text/plain; version=0.0.4"}};
inline constexpr std::array kPage{Answer{200, "A page.", "Text", "text/html; charset=utf-8"}};
inline constexpr std::array kWorkflow{
    Answer{202, "It runs, and is on disk.", "WorkflowStarted"},
    Answer{200, "It has ended, and this came of it.", "WorkflowReport"}};
inline constexpr std::array kWorkflowReport{Answer{200, "The workflow.", "WorkflowReport"}};
inline constexpr std::array kAllowed{Answer{200, "It may; a refusal says why not.", "Allowed"}};
inline constexpr std::array kPolicy{Answer{200, "The policy.", "PolicyInForce"}};
inline constexpr std::array kExplained{Answer{200, "What it would say.", "Explanation"}};
inline constexpr std::array kFleet{Answer{200, "The fleet.", "Fleet"}};
inline constexpr std::array kClassified{
    Answer{.status = 200, .meaning = "What it asks for, and what to do about it.", .component = "Classification", .or_text = true}};
inline constexpr std::array kChatTurnBegun{Answer{200, "The answer, or what has to be known first.", "Talk"},
                                     Answer{202, "It is being worked on; chat_id shows it later.", "Talk"}};
inline constexpr std::array kChatTurn{Answer{200, "The answer, or how far it is.", "Talk"}};
inline constexpr std::array kRouted{Answer{200, "The decision, and the rule that made it.", "Routing"}};
inline constexpr std::array kSchemas{Answer{200, "All of them.", "Schemas"}};
inline constexpr std::array kSchema{
    Answer{200, "A JSON Schema.", "Document", "application/schema+json"}};
inline constexpr std::array kConversation{Answer{200, "Where it stands, or stood.", "Conversation"}};
inline constexpr std::array kConversationMessages{Answer{200, "A page of them, in order.", "ConversationMessages"}};
inline constexpr std::array kTimeline{Answer{200, "Its messages with their times, and figures by agent.", "Timeline"}};
inline constexpr std::array kAnalytics{Answer{200, "Figures by agent.", "Analytics"}};
inline constexpr std::array kHumanAsked{Answer{202, "Asked, and on disk.", "HumanAsked"}};
inline constexpr std::array kHumanTasks{Answer{200, "A page of them, the oldest first.", "HumanTasks"}};
inline constexpr std::array kHumanTask{Answer{200, "It, with all that is needed to decide.", "HumanTask"}};
inline constexpr std::array kDocument{Answer{200, "The document.", "Document"}};

inline constexpr std::array kSendParameters{
    Parameter{"Parlance-Dialect", "header", kText, "The message's dialect, where that is in doubt."},
    Parameter{"Prefer", "header", kText, "wait=MS: hold the line for the answer, at most so long."}};
inline constexpr std::array kWorkflowParameters{
    Parameter{"Prefer", "header", kText, "wait=MS: hold the line for its end, at most so long."}};
inline constexpr std::array kChatParameters{
    Parameter{"Prefer", "header", kText, "wait=MS: hold the line for the answer, at most so long; 60000 without it."}};
inline constexpr std::array kDelegationParameters{
    Parameter{"X-Agent-Request-ID", "header", kText, "The request_id, if the body has none; else the same."},
    Parameter{"X-Agent-Origin", "header", kText, "The same for origin_employee."},
    Parameter{"X-Agent-Depth", "header", kText, "The same for current_depth."},
    Parameter{"X-Agent-Parent-Session", "header", kText, "The same for parent_session_id."}};
inline constexpr std::array kDelegationLogParameters{
    Parameter{"user", "query", kText, "Only those for this user."},
    Parameter{"agent", "query", kText, "Only those that this agent asked for or was asked for."},
    Parameter{"since", "query", R"({"type":"string","format":"date-time"})", "Only those from then on."},
    Parameter{"after", "query", kCount, "Only those behind the one with this sequence."},
    Parameter{"max", "query", R"({"type":"integer","minimum":1,"maximum":1000,"default":100})", "So many at most."},
    Parameter{"after_sequence", "query", kCount, "Wait until this record of the journal is in it."}};
inline constexpr std::array kInboxParameters{
    Parameter{"max", "query", R"({"type":"integer","minimum":1,"maximum":1000,"default":1})", "So many at most."},
    Parameter{"wait", "query", R"({"type":"integer","minimum":0,"maximum":60000,"default":0})",
              "Milliseconds to wait for the first."},
    Parameter{"instance", "query", R"({"type":"string","maxLength":128,"pattern":"^[!#-&(-~]*$"})", "The name of the one that asks, if the agent has several."}};
inline constexpr std::array kDeadLetterParameters{
    Parameter{"agent", "query", kText, "Only those that were for this agent."},
    Parameter{"after", "query", kText, "Only those behind the one with this id."},
    Parameter{"max", "query", R"({"type":"integer","minimum":1,"maximum":1000,"default":100})", "So many at most."}};
inline constexpr std::array kPolicyParameters{
    Parameter{"If-Match", "header", kText, "The version that was changed; another one in force is not replaced."},
    Parameter{"Parlance-Reason", "header", kText, "Why, for the record."}};
inline constexpr std::array kPartParameters{
    Parameter{"after", "query", kCount, "The number of the last part that is known."},
    Parameter{"Last-Event-ID", "header", kText, "The same, as an EventSource says it."},
    Parameter{"agent", "query", kText, "Whose request it is, if not the caller's own."}};
inline constexpr std::array kRequestParameters{
    Parameter{"agent", "query", kText, "Whose request it is, if not the caller's own."}};
inline constexpr std::array kContext{Answer{200, "The context.", "Context"}};
inline constexpr std::array kState{Answer{200, "What there is.", "Document"}};
inline constexpr std::array kStateUpdated{Answer{200, "What it is now.", "Document"},
                                          Answer{204, "It is gone."}};
inline constexpr std::array kSession{Answer{200, "The session.", "Session"}};
inline constexpr std::array kFacts{Answer{200, "What is known, with where it is from.", "Facts"}};
inline constexpr std::array kAnalyses{Answer{200, "What was presented.", "Analyses"}};
inline constexpr std::array kAnalysis{Answer{200, "What was presented, if it was.", "Analysis"}};
inline constexpr std::array kContextParameters{
    Parameter{"If-Match", "header", kText, "The version that was changed; another one is not written to."}};
inline constexpr std::array kStateParameters{
    Parameter{"after", "query", kText, "Only those behind this id."},
    Parameter{"max", "query", R"({"type":"integer","minimum":0,"maximum":1000,"default":1000})", "So many at most."}};
inline constexpr std::array kFactParameters{
    Parameter{"about", "query", kText, "What is asked; then `known` says whether there is an answer."},
    Parameter{"after", "query", kCount, "Pass over so many, as next_after of the page before says."}};
inline constexpr std::array kEventParameters{
    Parameter{"from", "query", kCount, "The first sequence; without it, from now on."},
    Parameter{"follow", "query", R"({"type":"boolean","default":true})", "Whether to go on with what happens next."},
    Parameter{"limit", "query", kCount, "End after so many."},
    Parameter{"Last-Event-ID", "header", kText, "Begin behind this one."}};
inline constexpr std::array kConversationParameters{
    Parameter{"at", "query", kCount, "As it was when this record of the journal was the last."}};
inline constexpr std::array kConversationMessagesParameters{
    Parameter{"at", "query", kCount, "As it was when this record of the journal was the last."},
    Parameter{"after", "query", kCount, "Only those behind this one: the page before names it in next_after."},
    Parameter{"max", "query", R"({"type":"integer","minimum":1,"maximum":1000,"default":100})", "So many at most."}};
inline constexpr std::array kAnalyticsParameters{
    Parameter{"since", "query", R"({"type":"string","format":"date-time"})", "Only of messages from then on."}};

inline constexpr std::array kHumanParameters{
    Parameter{"role", "query", kText, "Only those that this role is asked."},
    Parameter{"state", "query", R"({"enum":["waiting","answered","lapsed","withdrawn","all"],"default":"waiting"})",
              "Only those that are so."},
    Parameter{"after", "query", kText, "Only those behind the one with this id."},
    Parameter{"max", "query", R"({"type":"integer","minimum":1,"maximum":1000,"default":100})", "So many at most."}};

}  // namespace routes

/// The busiest first; a longer pattern before a shorter pattern that matches the same path.
inline constexpr std::array kRoutes{
    Route{"POST", "/v1/messages", post_message, kWorkers, "Send a message of any dialect",
          routes::kSent, "Message", true, routes::kSendParameters, true},
    Route{"POST", "/v1/deliveries/{delivery_id}/ack", post_ack, kWorkers, "Settle a delivery: done",
          routes::kDone},
    Route{"POST", "/v1/deliveries/{delivery_id}/nack", post_nack, kWorkers, "Settle a delivery: not now, or never",
          routes::kDone, "Nack"},
    Route{"POST", "/v1/deliveries/{delivery_id}/extend", post_extend, kWorkers, "Hold a delivery longer",
          routes::kDone, "Extend"},
    Route{"POST", "/v1/deliveries/{delivery_id}/progress", post_progress, kWorkers, "Say how far it is",
          routes::kDone, "Note"},
    Route{"POST", "/v1/deliveries/{delivery_id}/reply", post_reply, kWorkers, "Settle a delivery with its answer",
          routes::kReplied, "Reply", true, {}, true},
    Route{"GET", "/v1/agents/{id}/inbox", get_inbox, kWorkers, "Lease waiting messages",
          routes::kTaken, {}, false, routes::kInboxParameters},
    Route{"POST", "/v1/delegations", post_delegation, kWorkers, "Delegate, and wait for the answer",
          routes::kDelegated, "Message", true, routes::kDelegationParameters},
    Route{"GET", "/v1/delegations", get_delegations, kWatchers, "List who delegated what to whom, and what came of it",
          routes::kDelegations, {}, false, routes::kDelegationLogParameters},
    Route{"POST", "/v1/agents/{id}/heartbeat", post_heartbeat, kWorkers, "Give a sign of life",
          routes::kDone, "Heartbeat"},
    Route{"GET", "/v1/agents", get_agents, kInsiders, "List the agents", routes::kAgents},
    Route{"GET", "/v1/agents/{id}", get_agent, kInsiders, "Show an agent", routes::kAgent},
    Route{"PUT", "/v1/agents/{id}", put_agent, kWorkers, "Register or update an agent",
          routes::kAgent, "Profile", true},
    Route{"DELETE", "/v1/agents/{id}", delete_agent, kWorkers, "Remove an agent that has no work left",
          routes::kDone},
    Route{"GET", "/v1/topics", get_topics, kInsiders, "List the topics", routes::kTopics},
    Route{"PUT", "/v1/topics/{topic}/subscribers/{agent}", put_subscriber, kWorkers, "Subscribe an agent",
          routes::kDone},
    Route{"DELETE", "/v1/topics/{topic}/subscribers/{agent}", delete_subscriber, kWorkers, "Unsubscribe an agent",
          routes::kDone},
    Route{"GET", "/v1/dead-letters", get_dead_letters, kInsiders, "List what could not be delivered",
          routes::kDeadLetters, {}, false, routes::kDeadLetterParameters},
    Route{"POST", "/v1/dead-letters/{id}/redeliver", post_redeliver, kOperators, "Try it again from the start",
          routes::kDone},
    Route{"POST", "/v1/dead-letters/{id}/discard", post_discard, kOperators, "Give it up, with a reason",
          routes::kDone, "Discard", true},
    Route{"GET", "/v1/dead-letters/{id}", get_dead_letter, kInsiders, "Show a dead letter", routes::kDeadLetter},
    Route{"POST", "/v1/workflows", post_workflow, kWorkers, "Start a workflow from its definition",
          routes::kWorkflow, "Workflow", true, routes::kWorkflowParameters},
    Route{"GET", "/v1/workflows/{id}", get_workflow, kInsiders, "Show how far a workflow is, or what came of it",
          routes::kWorkflowReport},
    Route{"POST", "/v1/workflows/{id}/cancel", post_cancel, kWorkers,
          "End an open request, session or workflow, with all that was delegated for it",
          routes::kDone, "Reason"},
    Route{"POST", "/v1/tools/authorize", post_authorize, kInsiders, "Ask whether an agent may use a tool now",
          routes::kAllowed, "ToolQuestion", true},
    Route{"GET", "/v1/policy", get_policy, kInsiders, "The policy in force, and every rule there is", routes::kPolicy},
    Route{"PUT", "/v1/policy", put_policy, kAdmins, "Put another policy in force from the next command on",
          routes::kDone, "Policy", true, routes::kPolicyParameters},
    Route{"POST", "/v1/policy/explain", post_explain, kInsiders, "What the governor would say to a message, guard by guard",
          routes::kExplained, "Message", true},
    Route{"GET", "/v1/fleet", get_fleet, kInsiders, "Whether the fleet is stopped", routes::kFleet},
    Route{"POST", "/v1/fleet/stop", post_fleet_stop, kOperators, "Stop all new work, and hand none over",
          routes::kDone, "FleetStop"},
    Route{"POST", "/v1/fleet/resume", post_fleet_resume, kOperators, "Go on", routes::kDone, "Reason"},
    Route{"POST", "/v1/chat", post_chat, kWorkers | kUsers, "A user's words in, one answer out",
          routes::kChatTurnBegun, "Saying", true, routes::kChatParameters},
    Route{"GET", "/v1/chat/{id}", get_chat, kWorkers | kUsers, "What came of words that were not answered at once",
          routes::kChatTurn},
    Route{"POST", "/v1/classify", post_classify, kInsiders, "What a user's words ask for, and what to do about it",
          routes::kClassified, "Words", true},
    Route{"POST", "/v1/route", post_route, kInsiders, "Whether an agent should route a request or handle it itself",
          routes::kRouted, "RoutingQuestion", true},
    Route{"POST", "/v1/contexts/{workflow_id}/handoff", post_handoff, kWorkers, "Hand a workflow's context to another agent",
          routes::kAccepted, "Handoff", true},
    Route{"GET", "/v1/contexts/{workflow_id}", get_context, kInsiders, "The context of a workflow", routes::kContext},
    Route{"PATCH", "/v1/contexts/{workflow_id}", patch_context, kWorkers, "Write to a context, or begin one",
          routes::kContext, "ContextPatch", true, routes::kContextParameters},
    Route{"POST", "/v1/state", post_state, kWorkers, "Create, update or delete a part of the shared state",
          routes::kStateUpdated, "StateUpdate", true},
    Route{"GET", "/v1/state/{kind}/{id}", get_state_item, kInsiders, "One task, agent, resource or policy", routes::kState},
    Route{"GET", "/v1/state/{kind}", get_state, kInsiders, "All tasks, agents or resources, or the policy",
          routes::kState, {}, false, routes::kStateParameters},
    Route{"GET", "/v1/sessions/{id}/facts", get_facts, kIdentified, "What is known of the user",
          routes::kFacts, {}, false, routes::kFactParameters},
    Route{"POST", "/v1/sessions/{id}/facts", post_facts, kWorkers | kUsers, "Add facts, decisions and constraints",
          routes::kDone, "NewFacts", true},
    Route{"GET", "/v1/sessions/{id}/analyses", get_analyses, kIdentified, "What was presented in a session", routes::kAnalyses},
    Route{"POST", "/v1/sessions/{id}/analyses", post_analysis, kWorkers | kUsers, "Keep an analysis, or ask whether there is one",
          routes::kAnalysis, "AnalysisQuestion", true},
    Route{"GET", "/v1/sessions/{id}", get_session, kIdentified, "Show a session", routes::kSession},
    Route{"POST", "/v1/sessions/{id}", post_session, kWorkers | kUsers, "Begin a session, or change it",
          routes::kSession, "SessionChange", true},
    Route{"GET", "/v1/events", get_events, kWatchers, "Follow everything that happens",
          routes::kEvents, {}, false, routes::kEventParameters},
    Route{"GET", "/v1/connect", get_connect, kAgents, "Open an agent's duplex connection", routes::kUpgraded},
    Route{"GET", "/v1/hub", get_hub, kWatchers, "Show the hub in figures", routes::kHub},
    Route{"GET", "/schemas/{dialect}/{kind}.json", get_schema, kInsiders, "The schema of a message or an object",
          routes::kSchema},
    Route{"GET", "/schemas", get_schemas, kInsiders, "List the schemas", routes::kSchemas},
    Route{"GET", "/openapi.json", get_openapi, kInsiders, "These routes as an OpenAPI 3.1 document", routes::kDocument},
    Route{"GET", "/asyncapi.json", get_asyncapi, kInsiders, "The WebSocket as an AsyncAPI 3.0 document",
          routes::kDocument},
    Route{"GET", "/healthz", get_health, kAnyone, "Whether the process lives", routes::kHealth},
    Route{"GET", "/readyz", get_ready, kAnyone, "Whether the hub acknowledges", routes::kReady},
    Route{"GET", "/metrics", get_metrics, kWatchers, "Figures for Prometheus", routes::kMetrics},
    Route{"POST", "/v1/human/{id}/answer", post_human_answer, kOperators, "Answer what was asked of people",
          routes::kDone, "HumanAnswer", true},
    Route{"GET", "/v1/human/{id}", get_human, kWatchers, "Show what was asked of people", routes::kHumanTask},
    Route{"GET", "/v1/human", get_humans, kWatchers, "List what waits for people",
          routes::kHumanTasks, {}, false, routes::kHumanParameters},
    Route{"POST", "/v1/human", post_human, kWorkers, "Ask people",
          routes::kHumanAsked, "HumanQuestion", true},
    Route{"GET", "/", get_page, kWatchers, "A page that says what runs here", routes::kPage},
    Route{"GET", "/v1/correlations/{id}/messages", get_correlation_messages, kInsiders, "Every message of a conversation",
          routes::kConversationMessages, {}, false, routes::kConversationMessagesParameters},
    Route{"GET", "/v1/correlations/{id}/timeline", get_correlation_timeline, kInsiders, "Where the time of a conversation went",
          routes::kTimeline, {}, false, routes::kConversationParameters},
    Route{"GET", "/v1/correlations/{id}", get_correlation, kInsiders, "Where a conversation stands",
          routes::kConversation, {}, false, routes::kConversationParameters},
    Route{"GET", "/v1/analytics", get_analytics, kWatchers, "Where the time of all messages went",
          routes::kAnalytics, {}, false, routes::kAnalyticsParameters},
    Route{"GET", "/v1/requests/{message_id}/stream", get_stream, kWorkers, "Follow the answer to a request, part by part",
          routes::kParts, {}, false, routes::kPartParameters},
    Route{"GET", "/v1/requests/{message_id}", get_request, kWorkers, "Show where a request stands, and its answer",
          routes::kRequest, {}, false, routes::kRequestParameters},
};
// clang-format on

}  // namespace parlance::gateway
