// JSON Schemas of the bodies beside messages, by name, for the descriptions of HTTP (openapi.cc)
// and of the WebSocket (asyncapi.cc).
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace parlance::gateway {

struct Component {
    std::string_view name;
    std::string_view schema;  ///< JSON. Refers to other rows as #/components/schemas/Name.
};

// clang-format off
/// `Message`, `Problem` and `RefusalCode` come from other tables; see write_components().
inline constexpr std::array kComponents{
    Component{"Profile",
              R"({"type":"object","required":["dialect"],"properties":{
"dialect":{"type":"string","description":"The dialect that the agent speaks and reads."},
"role":{"type":"string","maxLength":1024},
"domain":{"type":"string","maxLength":1024},
"instances":{"type":"integer","minimum":0,"maximum":10000,"description":"How many may live at once; 0 for any number."},
"tools_allowed":{"type":"array","items":{"type":"string"}},
"capabilities":{"type":"array","items":{"$ref":"#/components/schemas/Capability"}},
"endpoint":{"type":["string","null"],"pattern":"^(http://.*)?$","description":"Where messages are posted to, for an agent without a client."}}})"},
    Component{"Capability",
              R"({"type":"object","required":["code"],"properties":{
"code":{"type":"string"},"description":{"type":"string"},"version":{"type":"string"},"narration":{"type":"string"},"intent":{"type":"string"},
"examples":{"type":"array","items":{"type":"string"}},"input_schema":{"type":["object","boolean"]},"output_schema":{"type":["object","boolean"]}}})"},
    Component{
        "Agent",
        R"({"type":"object","required":["agent","dialect","role","domain","status","instances","waiting","in_flight","dead_letters","topics","tools_allowed","capabilities","endpoint"],"properties":{
"agent":{"type":"string"},"dialect":{"type":"string"},"role":{"type":"string"},"domain":{"type":"string"},
"status":{"enum":["OFFLINE","IDLE","BUSY"]},
"instances":{"type":"array","items":{"$ref":"#/components/schemas/Instance"}},
"waiting":{"type":"integer"},"in_flight":{"type":"integer"},"dead_letters":{"type":"integer"},
"topics":{"type":"array","items":{"type":"string"}},
"tools_allowed":{"type":"array","items":{"type":"string"}},
"capabilities":{"type":"array","items":{"$ref":"#/components/schemas/Capability"}},
"endpoint":{"type":"string"}}})"},
    Component{
        "Instance",
        R"({"type":"object","required":["instance","name","kind","credit","in_flight","last_seen"],"properties":{
"instance":{"type":"string"},"name":{"type":"string"},"kind":{"type":"string"},
"credit":{"type":"integer"},"in_flight":{"type":"integer"},"last_seen":{"type":"string","format":"date-time"}}})"},
    Component{
        "Agents",
        R"({"type":"object","required":["agents"],"properties":{"agents":{"type":"array","items":{"$ref":"#/components/schemas/Agent"}}}})"},
    Component{
        "Heartbeat",
        R"({"type":"object","properties":{"instance":{"type":"string","minLength":1,"maxLength":128,"pattern":"^[!#-&(-~]+$"}}})"},
    Component{"Accepted",
              R"({"type":"object","required":["message_id","sequence"],"properties":{
"message_id":{"type":"string"},"correlation_id":{"type":"string"},"sequence":{"type":"integer","minimum":1},
"duplicate":{"const":true,"description":"It was there already; this is the first one's outcome."},
"missed":{"type":"integer","minimum":1,"description":"So many subscribers of the topic had no room."}}})"},
    Component{"Delivery",
              R"({"type":"object","required":["delivery_id","attempt","message"],"properties":{
"delivery_id":{"type":"string"},"attempt":{"type":"integer","minimum":1},"message":{"$ref":"#/components/schemas/Message"},
"state":{"description":"Of an answer: what its reader laid down when it asked."},
"grant":{"$ref":"#/components/schemas/Grant"}}})"},
    Component{"Grant",
              R"({"type":"object","description":"Of a request in a tree of delegations: what the hub's own record gives with it, whatever its asker wrote.",
"required":["depth","depth_max","deadline","deadline_ms","parent","root"],"properties":{
"depth":{"type":"integer","minimum":1},"depth_max":{"type":"integer","description":"A delegation of this depth is refused."},
"deadline":{"type":"string","format":"date-time"},"deadline_ms":{"type":"integer","description":"How long that was away when it was handed over."},
"tokens":{"type":"integer","minimum":1,"description":"Set aside for it and all that is delegated for it."},
"tools":{"type":"array","items":{"type":"string"},"description":"The only ones that it may use; without this member, all that the agent may."},
"user":{"type":"string"},"session":{"type":"string","description":"Where it is to be worked on."},
"parent":{"type":"string","description":"The agent that asked, to whom the result goes."},
"root":{"type":"string","description":"The tree, by the hub's own number of its first request."}}})"},
    Component{
        "Deliveries",
        R"({"type":"object","required":["messages"],"properties":{"messages":{"type":"array","items":{"$ref":"#/components/schemas/Delivery"}}}})"},
    Component{
        "Nack",
        R"({"type":"object","properties":{"reason":{"type":"string"},"final":{"type":"boolean","description":"Never, instead of not now."}}})"},
    Component{"Extend",
              R"({"type":"object","properties":{"by_ms":{"type":"integer","minimum":1}}})"},
    Component{
        "Reason",
        R"({"type":"object","properties":{"reason":{"type":"string"}},"additionalProperties":false})"},
    Component{
        "Workflow",
        R"({"type":"object","required":["steps"],"description":"A workflow, and what it is to be run with. Its JSON Schema is served as /schemas/parlance/workflow.json.","properties":{
"name":{"type":"string"},"steps":{"type":"array","minItems":1,"maxItems":100,"items":{"type":"object","required":["id"]}},
"input":true,"user_id":{"type":"string"},"session_id":{"type":"string"}}})"},
    Component{
        "WorkflowStarted",
        R"({"type":"object","required":["workflow_id","correlation_id","status","sequence"],"properties":{
"workflow_id":{"type":"string"},"correlation_id":{"type":"string"},"status":{"const":"RUNNING"},
"sequence":{"type":"integer"}}})"},
    Component{
        "WorkflowReport",
        R"({"type":"object","required":["workflow_id","correlation_id","status","started_at","steps","output"],"properties":{
"workflow_id":{"type":"string"},"correlation_id":{"type":"string"},"name":{"type":"string"},
"user_id":{"type":"string"},"session_id":{"type":"string"},
"status":{"enum":["RUNNING","WAITING_FOR_HUMAN","COMPENSATING","COMPLETED","PARTIAL","FAILED","CANCELLED","TIMED_OUT"]},
"started_at":{"type":"string","format":"date-time"},"ended_at":{"type":"string","format":"date-time"},
"reason":{"type":"string"},"tokens_used":{"type":"integer","description":"By all steps."},
"steps":{"type":"array","items":{"type":"object","required":["id","label","status","attempts"],"properties":{
"id":{"type":"string"},"label":{"type":"string"},
"status":{"enum":["PENDING","RUNNING","RETRYING","WAITING_FOR_HUMAN","COMPLETED","FAILED","SKIPPED","BLOCKED","CANCELLED","COMPENSATED","COMPENSATION_FAILED"]},
"agent":{"type":"string"},"capability":{"type":"string"},"attempts":{"type":"integer"},"by":{"type":"string"},
"partial":{"type":"boolean"},"confidence":{"type":"number","minimum":0,"maximum":1},"output":true,
"tokens_used":{"type":"integer","description":"By all elements of its list and all their tries."},
"error":{"type":"object","required":["code","message"]}}}},
"output":{"type":"object","description":"What each step brought, by its id."},
"missing":{"type":"array","items":{"type":"object","required":["step","label","reason"]}},
"answer":{"type":"string","description":"All of it in sentences, for users."},"question":{"type":"string"},
"components":{"$ref":"#/components/schemas/ReportComponents"},"conflicts":{"$ref":"#/components/schemas/ReportConflicts"}}})"},
    Component{
        "FleetStop",
        R"({"type":"object","properties":{"reason":{"type":"string"},"cancel":{"type":"boolean","description":"Also end what is open."}},"additionalProperties":false})"},
    Component{
        "Fleet",
        R"({"type":"object","required":["stopped"],"properties":{"stopped":{"type":"boolean"},
"by":{"type":"string","description":"Who stopped it; this and the next two while it is stopped."},"reason":{"type":"string"},"at":{"type":"string"},
"in_flight":{"type":"integer","description":"Deliveries that agents have in hand."},"waiting":{"type":"integer"},
"open_requests":{"type":"integer"},"workflows":{"type":"integer","description":"Those that run."}}})"},
    Component{
        "ToolQuestion",
        R"({"type":"object","required":["tool"],"properties":{"agent":{"type":"string"},"tool":{"type":"string"},"request_id":{"type":"string","description":"The request or session that it is wanted for."}}})"},
    Component{
        "Allowed",
        R"({"type":"object","required":["allowed"],"properties":{"allowed":{"const":true}}})"},
    Component{"Rules", R"({"type":"object","additionalProperties":{"type":"integer"}})"},
    Component{
        "Policy",
        R"({"type":"object","additionalProperties":false,"properties":{"hub":{"$ref":"#/components/schemas/Rules"},
"platform":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Rules"}},
"agent":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Rules"}},
"capability":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Rules"}},
"user":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Rules"}},
"chain":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Rules"}}}})"},
    Component{
        "PolicyInForce",
        R"({"type":"object","required":["version","policy","rules"],"properties":{"version":{"type":"integer"},
"policy":{"$ref":"#/components/schemas/Policy"},"rules":{"type":"array","items":{"type":"object"}}}})"},
    Component{
        "Explanation",
        R"({"type":"object","required":["allowed","guards"],"properties":{"allowed":{"type":"boolean"},"code":{"type":"string"},
"detail":{"type":"string"},"instead":{"type":"string"},"retry_after_ms":{"type":"integer"},
"approvals_needed":{"type":"integer","minimum":1,"description":"It would be accepted, and wait for so many people."},
"duplicate":{"const":true,"description":"It came before, and would get that outcome."},
"guards":{"type":"array","description":"Those that are asked, in order, up to the one that refuses.","items":{"type":"object","required":["guard","detail"],"properties":{
"guard":{"type":"string"},"passed":{"type":"boolean"},"applies":{"const":false,"description":"It is not asked, and the detail says why."},
"detail":{"type":"string"},"approvals_needed":{"type":"integer","description":"So many people may let it pass."},
"rules":{"type":"array","description":"What it goes by.","items":{"type":"object","required":["rule","value","scope"],"properties":{
"rule":{"type":"string"},"value":{"type":"integer"},"scope":{"type":"string","description":"default, hub, or a kind and a name: agent byte-doc."}}}},
"code":{"type":"string"},"instead":{"type":"string"}}}}}})"},
    Component{"Note", R"({"description":"Any JSON: how far it is."})"},
    Component{
        "Reply",
        R"({"description":"The answer in the agent's own dialect. What the request settles may be left out; a bare result is put into the form that answers."})"},
    Component{
        "Topics",
        R"({"type":"object","required":["topics"],"properties":{"topics":{"type":"array","items":{
"type":"object","required":["topic","subscribers"],"properties":{"topic":{"type":"string"},"subscribers":{"type":"array","items":{"type":"string"}}}}}}})"},
    Component{
        "DeadLetter",
        R"({"type":"object","required":["dead_letter_id","recipient","message_id","from","type","priority","reason","detail","attempts","died_at"],"properties":{
"dead_letter_id":{"type":"string"},"recipient":{"type":"string"},"message_id":{"type":"string"},"from":{"type":"string"},
"type":{"type":"string"},"priority":{"enum":["critical","high","normal","low"]},"reason":{"type":"string"},"detail":{"type":"string"},
"attempts":{"type":"integer"},"died_at":{"type":"string","format":"date-time"},
"message":{"$ref":"#/components/schemas/Message","description":"Only where one letter is asked for."}}})"},
    Component{
        "DeadLetters",
        R"({"type":"object","required":["dead_letters"],"properties":{"dead_letters":{"type":"array","items":{"$ref":"#/components/schemas/DeadLetter"}}}})"},
    Component{
        "Discard",
        R"({"type":"object","required":["reason"],"properties":{"reason":{"type":"string","minLength":1}},"additionalProperties":false})"},
    Component{"Request",
              R"({"type":"object","required":["message_id","correlation_id","from","to","state","sequence"],"properties":{
"message_id":{"type":"string"},"correlation_id":{"type":"string"},"from":{"type":"string"},"to":{"type":"string"},
"state":{"enum":["open","answered","failed"],"description":"failed: the hub answered in place of the target."},
"sequence":{"type":"integer"},"deadline":{"type":"string","format":"date-time","description":"While it is open."},
"answer_sequence":{"type":"integer"},"answered_by":{"type":"string"},
"code":{"type":"string","description":"Of a failed one: why."},
"answer":{"$ref":"#/components/schemas/Message"}}})"},
    Component{"Hub",
              R"({"type":"object","required":["hub","version","epoch","sequence","condition"],"properties":{
"hub":{"type":"string"},"version":{"type":"string"},"epoch":{"type":"integer","description":"Drawn at each start. Deliveries granted in another run have another."},"sequence":{"type":"integer"},"agents":{"type":"integer"},"instances":{"type":"integer"},
"waiting":{"type":"integer"},"in_flight":{"type":"integer"},"dead_letters":{"type":"integer"},"open_requests":{"type":"integer"},
"bytes":{"type":"integer"},"bytes_max":{"type":"integer"},
"hub_time":{"type":"string","format":"date-time","description":"By which deadlines, leases and ttls are measured."},
"hub_time_ahead_ms":{"type":"integer","description":"How far hub time is ahead of the wall clock; negative if it is behind."},
"condition":{"type":"string"},"reason":{"type":"string"},
"views":{"type":"object","required":["sequence","lag_records","problem"],"properties":{
"sequence":{"type":"integer"},"lag_records":{"type":"integer"},"problem":{"type":"string","description":"Empty: they follow the journal."}}}}})"},
    Component{
        "Delegations",
        R"({"type":"object","required":["delegations","sequence"],"properties":{"sequence":{"type":"integer","description":"The last record that is in it."},
"delegations":{"type":"array","items":{"type":"object",
"required":["id","request_id","origin_employee","target_employee","user_id","objective","success","duration_ms","created_at","sequence"],"properties":{
"id":{"type":"string","format":"uuid"},"request_id":{"type":"string"},"origin_employee":{"type":"string"},"target_employee":{"type":"string"},
"user_id":{"type":"string"},"objective":{"type":"string"},"success":{"type":["boolean","null"],"description":"null: it is open."},
"duration_ms":{"type":["integer","null"]},"created_at":{"type":"string","format":"date-time"},"depth":{"type":["integer","null"]},
"root_request_id":{"type":["string","null"]},"parent_request_id":{"type":["string","null"]},"tokens":{"type":["integer","null"]},
"refusal":{"type":["string","null"]},"reason":{"type":["string","null"]},"sequence":{"type":"integer"}}}}}})"},
    Component{
        "Health",
        R"({"type":"object","required":["status","version"],"properties":{"status":{"const":"alive"},"version":{"type":"string"}}})"},
    Component{"Readiness",
              R"({"type":"object","required":["status","condition","reason"],"properties":{
"status":{"enum":["ready","not ready"]},"condition":{"type":"string"},"reason":{"type":"string"}}})"},
    Component{
        "Schemas",
        R"({"type":"object","required":["schemas"],"properties":{"schemas":{"type":"array","items":{
"type":"object","required":["dialect","kind","is_message","path"],"properties":{
"dialect":{"type":"string"},"kind":{"type":"string"},"is_message":{"type":"boolean"},"path":{"type":"string"}}}}}})"},
    Component{
        "Words",
        R"({"type":"object","required":["text"],"properties":{"text":{"type":"string","minLength":1,"maxLength":8192}}})"},
    Component{
        "Saying",
        R"({"type":"object","properties":{
"text":{"type":"string","minLength":1,"maxLength":8192,"description":"What the user said; message is the same."},
"message":{"type":"string","minLength":1,"maxLength":8192},
"user_id":{"type":"string","maxLength":128,"description":"Whose words these are; a user's own token says so."},
"session_id":{"type":"string","maxLength":128,"description":"The conversation that goes on; without it a new one begins."},
"inputs":{"type":"object","description":"Values that the user gives, by name; they are remembered."},
"afresh":{"type":"boolean","description":"Work it out again, even if it was presented before."}}})"},
    Component{
        "Talk",
        R"({"type":"object","required":["session_id","status"],"properties":{
"session_id":{"type":"string"},"chat_id":{"type":"string"},"correlation_id":{"type":"string"},
"status":{"enum":["answered","partial","failed","working","waiting_for_a_person","clarify","options","cannot"]},
"answer":{"type":"string"},"question":{"type":"string"},
"decision":{"type":"object","required":["about","value"],"description":"What the user's words settled.","properties":{"about":{"type":"string"},"value":{}}},
"options":{"type":"array","items":{"type":"string"}},"inputs_needed":{"type":"array","items":{"type":"string"}},
"components":{"$ref":"#/components/schemas/ReportComponents"},"conflicts":{"$ref":"#/components/schemas/ReportConflicts"},
"presented_at":{"type":"string","format":"date-time"}}})"},
    Component{
        "ReportComponents",
        R"({"type":"array","items":{"type":"object","required":["label"],"properties":{
"label":{"type":"string"},"content":true,"missing":{"const":true},
"confidence":{"type":"number","minimum":0,"maximum":1},"confidence_level":{"enum":["high","medium","low","speculative"]}}}})"},
    Component{
        "ReportConflicts",
        R"({"type":"array","items":{"type":"object","required":["about","values","preferred"],"properties":{
"about":{"type":"string"},"preferred":true,
"values":{"type":"array","minItems":2,"items":{"type":"object","required":["value","source"],"properties":{
"value":true,"source":{"type":"string"},"confidence":{"type":"number","minimum":0,"maximum":1}}}}}}})"},
    Component{
        "Classification",
        R"({"type":"object","required":["primary_intent","intent_confidence","secondary_intents","secondary_targets","outcome","classified_by","up_to_date"],"properties":{
"primary_intent":{"type":"string"},"intent_confidence":{"type":"number","minimum":0,"maximum":1},
"target_agent":{"type":"string"},"target_capability":{"type":"string"},
"secondary_intents":{"type":"array","items":{"type":"string"}},
"secondary_targets":{"type":"array","items":{"type":"object","required":["agent","capability"],"properties":{"agent":{"type":"string"},"capability":{"type":"string"}}}},
"outcome":{"enum":["route","clarify","options","cannot"]},
"question":{"type":"string","description":"For the user, where the outcome is clarify or options."},
"options":{"type":"array","items":{"type":"string"},"description":"For the user, best first."},
"option_targets":{"type":"array","items":{"type":"object","required":["agent","capability","confidence"],"properties":{"agent":{"type":"string"},"capability":{"type":"string"},"confidence":{"type":"number"}}}},
"message":{"type":"string","description":"For the user, where the outcome is cannot."},
"classified_by":{"type":"string","description":"built-in, or the agent that did it."},
"fallback_reason":{"type":"string","description":"Why the agent that was appointed did not."},
"up_to_date":{"type":"boolean","description":"false: the newest registrations are still being learnt."}}})"},
    Component{
        "RoutingQuestion",
        R"({"type":"object","properties":{"agent":{"type":"string","description":"Who asks; the caller if it is left out."},
"text":{"type":"string"},"capability":{"type":"string"},"lacks_data":{"type":"boolean","default":false}}})"},
    Component{
        "Routing",
        R"({"type":"object","required":["decision","target","rule"],"properties":{"decision":{"enum":["route","local"]},
"target":{"type":"string"},"capability":{"type":"string"},"rule":{"type":"string"}}})"},
    Component{
        "HumanQuestion",
        R"({"type":"object","required":["question"],"properties":{"question":{"type":"string","minLength":1},
"role":{"type":"string","description":"Empty: any operator."},"kind":{"enum":["approve","answer","edit","choose"],"default":"answer"},
"context":{"description":"What is needed to decide."},"options":{"type":"array","items":{"type":"string"}},
"workflow_id":{"type":"string"},"step":{"type":"string"},"user_id":{"type":"string"},
"deadline_ms":{"type":"integer","minimum":0},"reminder_ms":{"type":"integer","minimum":0},"escalate_to":{"type":"string"},
"if_nobody":{"enum":["fail","reject","approve","escalate","wait"]},"approvals_needed":{"enum":[1,2]},
"state_version":{"type":"integer","minimum":0}}})"},
    Component{"HumanAsked",
              R"({"type":"object","required":["id"],"properties":{"id":{"type":"string"}}})"},
    Component{
        "HumanTask",
        R"({"type":"object","required":["id","state","role","kind","question","asked_by","asked_at","deadline","answers"],"properties":{
"id":{"type":"string"},"state":{"enum":["waiting","answered","lapsed","withdrawn"]},"role":{"type":"string"},
"kind":{"enum":["approve","answer","edit","choose"]},"question":{"type":"string"},"asked_by":{"type":"string"},
"user_id":{"type":"string"},"workflow_id":{"type":"string"},"step":{"type":"string"},
"asked_at":{"type":"string","format":"date-time"},"deadline":{"type":"string","format":"date-time"},
"if_nobody":{"type":"string"},"escalate_to":{"type":"string"},"approvals_needed":{"type":"integer"},"state_version":{"type":"integer"},
"notified":{"type":"boolean","description":"Whether its people were told, by mail or in Slack."},
"answers":{"type":"array","items":{"type":"object","required":["by","decision","reason"],"properties":{
"by":{"type":"string"},"decision":{"type":"string"},"reason":{"type":"string"},"content":{}}}},
"ended_at":{"type":"string","format":"date-time"},"reason":{"type":"string"},
"context":{"description":"Only where one is asked for, as are the options and the message."},
"options":{"type":"array","items":{"type":"string"}},"message":{"$ref":"#/components/schemas/Message"}}})"},
    Component{
        "HumanTasks",
        R"({"type":"object","required":["human_tasks"],"properties":{"human_tasks":{"type":"array","items":{"$ref":"#/components/schemas/HumanTask"}},
"next_after":{"type":"string","description":"Where the page is cut although there may be more: the `after` of the next."}}})"},
    Component{
        "HumanAnswer",
        R"({"type":"object","required":["decision"],"properties":{"decision":{"enum":["approve","reject","edit","answer"]},
"reason":{"type":"string"},"content":{},"expected_version":{"type":"integer","minimum":0},"tokens":{"type":"integer","minimum":0}}})"},
    Component{
        "Context",
        R"({"type":"object","required":["workflow_id","status","current_agent","entities","history","artifacts","version","locked"],"properties":{
"workflow_id":{"type":"string"},"status":{"type":"string"},"current_agent":{"type":"string"},"entities":{"type":"object"},
"history":{"type":"array","items":{"type":"object"}},"artifacts":{"type":"array"},"version":{"type":"integer"},"locked":{"type":"boolean"},
"handoff_to":{"type":"string","description":"While it is locked."}}})"},
    Component{
        "ContextPatch",
        R"({"type":"object","additionalProperties":false,"properties":{"workflow_id":{"type":"string"},"agent":{"type":"string","description":"Who writes, where the caller may act for several."},
"current_agent":{"type":"string"},"version":{"type":"integer"},"status":{"type":"string","maxLength":64},
"entities":{"type":"object","description":"A merge patch (RFC 7396)."},
"history":{"type":"array","description":"Entries to append, or all that there are and those behind them."},"artifacts":{"type":"array","description":"To append."}}})"},
    Component{
        "Handoff",
        R"({"type":"object","required":["to"],"properties":{"to":{"type":"string"},"agent":{"type":"string"},
"timeout_ms":{"type":"integer","minimum":1},"data":{"description":"Any JSON: what the recipient should know besides."}}})"},
    Component{
        "StateUpdate",
        R"({"type":"object","required":["operation","entity_type","entity_id"],"properties":{"operation":{"enum":["CREATE","UPDATE","DELETE"]},
"entity_type":{"enum":["TASK","AGENT","RESOURCE","POLICY"]},"entity_id":{"type":"string"},"changes":{"type":"object"},
"version":{"type":"integer","description":"The version that was changed."},"timestamp":{"type":"string","format":"date-time"}}})"},
    Component{
        "Session",
        R"({"type":"object","required":["session_id","user_id","workflow_state","agents","version"],"properties":{
"session_id":{"type":"string"},"user_id":{"type":"string"},"parent_session_id":{"type":"string"},"history_reference":{"type":"string"},
"workflow_state":{},"agents":{"type":"object"},"version":{"type":"integer"},
"created_at":{"type":"string","format":"date-time"},"updated_at":{"type":"string","format":"date-time"}}})"},
    Component{
        "SessionChange",
        R"({"type":"object","properties":{"user_id":{"type":"string"},"parent_session_id":{"type":"string"},"history_reference":{"type":"string"},
"workflow_state":{},"agent":{"type":"string"},"agent_state":{}}})"},
    Component{
        "Facts",
        R"({"type":"object","required":["facts"],"properties":{"known":{"type":"boolean"},"value":{},"source":{"type":"object"},
"at":{"type":"string","format":"date-time"},"facts":{"type":"array","items":{"type":"object"}},
"next_after":{"type":"integer","description":"Where the page is cut: the `after` of the next."}}})"},
    Component{
        "NewFacts",
        R"({"type":"object","properties":{"kind":{"enum":["fact","decision","constraint"]},"about":{"type":"string"},"value":{},"message_id":{"type":"string"},"agent":{"type":"string"},
"facts":{"type":"array"},"decisions":{"type":"array"},"constraints":{"type":"array"}}})"},
    Component{
        "Analysis",
        R"({"type":"object","required":["key","known"],"properties":{"key":{"type":"string"},"known":{"type":"boolean"},"capability":{"type":"string"},
"result":{},"source":{"type":"object"},"presented_at":{"type":"string","format":"date-time"}}})"},
    Component{
        "Analyses",
        R"({"type":"object","required":["analyses"],"properties":{"analyses":{"type":"array","items":{"$ref":"#/components/schemas/Analysis"}}}})"},
    Component{
        "AnalysisQuestion",
        R"({"type":"object","properties":{"key":{"type":"string"},"capability":{"type":"string"},"inputs":{},"result":{"description":"Without it: was it presented?"},
"afresh":{"type":"boolean","description":"As if it had not been."},"agent":{"type":"string"}}})"},
    Component{"Document", R"({"type":["object","boolean"]})"},
    Component{"Text", R"({"type":"string"})"},
    Component{"Conversation",
              R"({"type":"object","required":["correlation_id","status","started","changed","started_by","agents_involved","messages","requests","open","at_work","failures","open_request_count","open_requests","first_sequence","last_sequence","as_of"],"properties":{
"correlation_id":{"type":"string"},"status":{"enum":["active","completed","failed"]},
"started":{"type":"string","format":"date-time"},"changed":{"type":"string","format":"date-time"},"started_by":{"type":"string"},
"agents_involved":{"type":"array","items":{"type":"string"}},"messages":{"type":"integer"},"requests":{"type":"integer"},
"open":{"type":"integer"},"at_work":{"type":"integer"},"waiting_for_human":{"type":"integer"},"failures":{"type":"integer"},"open_request_count":{"type":"integer"},
"open_requests":{"type":"array","maxItems":100,"items":{"type":"object","required":["message_id","from","to","state","since"]}},
"first_sequence":{"type":"integer"},"last_sequence":{"type":"integer"},
"as_of":{"type":"integer","description":"The last record of the journal that is in it."}}})"},
    Component{
        "Journey",
        R"({"type":"object","required":["message_id","sequence","from","to","type","dialect","kind","state","status","attempts","accepted_at","leased_at","ended_at","queue_ms","run_ms","human_ms"],"properties":{
"message_id":{"type":"string"},"sequence":{"type":"integer"},"ticket":{"type":"integer"},
"parent":{"type":"integer","description":"The ticket of the request that it answers, or that it was delegated for; 0: none."},
"from":{"type":"string","description":"Empty: the hub."},"to":{"type":"string"},"type":{"type":"string"},"dialect":{"type":"string"},
"kind":{"enum":["one_way","request","answer","failure","person"],"description":"person: what a workflow asks of people, in a timeline."},
"state":{"enum":["waiting","at_work","waiting_for_human","acknowledged","told","answered","fell_short","failed","dropped","expired","dead_lettered","discarded"]},
"status":{"enum":["pending","success","error"]},"attempts":{"type":"integer"},
"accepted_at":{"type":"string","format":"date-time"},"leased_at":{"type":["string","null"]},"ended_at":{"type":["string","null"]},
"queue_ms":{"type":"integer"},"run_ms":{"type":"integer"},"human_ms":{"type":["integer","null"],"description":"null: no person had it."},
"own_ms":{"type":"integer","description":"Of run_ms: without what the agent waited for others."},
"message":{"type":["object","null"],"description":"As it was sent, with placeholders for personal data."},"detail":{"type":"string"}}})"},
    Component{
        "ConversationMessages",
        R"({"type":"object","required":["correlation_id","messages","next_after","as_of"],"properties":{"correlation_id":{"type":"string"},
"messages":{"type":"array","items":{"$ref":"#/components/schemas/Journey"}},"next_after":{"type":["integer","null"]},"as_of":{"type":"integer"}}})"},
    Component{
        "Share",
        R"({"type":"object","required":["agent","messages","failures","queue_ms","run_ms","queue_ms_total","run_ms_total","own_ms_total"],"properties":{
"agent":{"type":"string"},"type":{"type":"string"},"messages":{"type":"integer"},"failures":{"type":"integer"},
"queue_ms":{"$ref":"#/components/schemas/Percentiles"},"run_ms":{"$ref":"#/components/schemas/Percentiles"},
"queue_ms_total":{"type":"integer"},"run_ms_total":{"type":"integer"},"own_ms_total":{"type":"integer"}}})"},
    Component{
        "Percentiles",
        R"({"type":"object","required":["p50","p90","p99"],"properties":{"p50":{"type":"integer"},"p90":{"type":"integer"},"p99":{"type":"integer"}}})"},
    Component{
        "Timeline",
        R"({"type":"object","required":["correlation_id","status","started","duration_ms","bottleneck","agents","steps","messages","truncated","as_of"],"properties":{
"correlation_id":{"type":"string"},"status":{"type":"string"},"started":{"type":"string"},"duration_ms":{"type":"integer"},
"bottleneck":{"type":"string","description":"Who took longest, in a sentence."},
"agents":{"type":"array","items":{"$ref":"#/components/schemas/Share"}},"steps":{"type":"array","items":{"$ref":"#/components/schemas/Share"}},
"messages":{"type":"array","items":{"$ref":"#/components/schemas/Journey"}},"truncated":{"type":"boolean"},"as_of":{"type":"integer"}}})"},
    Component{
        "Analytics",
        R"({"type":"object","required":["messages","bottleneck","agents","steps","truncated","as_of"],"properties":{"messages":{"type":"integer"},
"bottleneck":{"type":"string"},"agents":{"type":"array","items":{"$ref":"#/components/schemas/Share"}},
"steps":{"type":"array","items":{"$ref":"#/components/schemas/Share"}},"truncated":{"type":"boolean"},"as_of":{"type":"integer"}}})"},
    Component{"Refused",
              R"({"type":"object","required":["code","message","retryable"],"properties":{
"message_id":{"type":"string"},"delivery_id":{"type":"string"},"code":{"$ref":"#/components/schemas/RefusalCode"},
"message":{"type":"string"},"retryable":{"type":"boolean"},"retry_after_ms":{"type":"integer"},
"dialect_error":{"type":"object","description":"The same in the agent's own dialect."}}})"},
};
// clang-format on

/// All components as the members of a JSON object.
std::string write_components();

}  // namespace parlance::gateway
