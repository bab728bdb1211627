// What passes through the doors beside messages, as JSON Schemas by name: for the documents that
// describe HTTP (openapi.cc) and the WebSocket (asyncapi.cc).
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace parlance::gateway {

struct Component {
    std::string_view name;
    std::string_view schema;  ///< JSON. Others of this table are #/components/schemas/Name.
};

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
"code":{"type":"string"},"description":{"type":"string"},"version":{"type":"string"},"narration":{"type":"string"},
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
        R"({"type":"object","properties":{"instance":{"type":"string","minLength":1,"maxLength":128}}})"},
    Component{"Accepted",
              R"({"type":"object","required":["message_id","sequence"],"properties":{
"message_id":{"type":"string"},"correlation_id":{"type":"string"},"sequence":{"type":"integer","minimum":1},
"duplicate":{"const":true,"description":"It was there already; this is the first one's outcome."},
"missed":{"type":"integer","minimum":1,"description":"So many subscribers of the topic had no room."}}})"},
    Component{"Delivery",
              R"({"type":"object","required":["delivery_id","attempt","message"],"properties":{
"delivery_id":{"type":"string"},"attempt":{"type":"integer","minimum":1},"message":{"$ref":"#/components/schemas/Message"}}})"},
    Component{
        "Deliveries",
        R"({"type":"object","required":["messages"],"properties":{"messages":{"type":"array","items":{"$ref":"#/components/schemas/Delivery"}}}})"},
    Component{
        "Nack",
        R"({"type":"object","properties":{"reason":{"type":"string"},"final":{"type":"boolean","description":"Never, instead of not now."}}})"},
    Component{"Extend",
              R"({"type":"object","properties":{"by_ms":{"type":"integer","minimum":1}}})"},
    Component{"Reason", R"({"type":"object","properties":{"reason":{"type":"string"}}})"},
    Component{
        "FleetStop",
        R"({"type":"object","properties":{"reason":{"type":"string"},"cancel":{"type":"boolean","description":"Also end what is open."}}})"},
    Component{
        "Fleet",
        R"({"type":"object","required":["stopped"],"properties":{"stopped":{"type":"boolean"}}})"},
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
"user":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Rules"}}}})"},
    Component{
        "PolicyInForce",
        R"({"type":"object","required":["version","policy","rules"],"properties":{"version":{"type":"integer"},
"policy":{"$ref":"#/components/schemas/Policy"},"rules":{"type":"array","items":{"type":"object"}}}})"},
    Component{
        "Explanation",
        R"({"type":"object","required":["allowed","guards"],"properties":{"allowed":{"type":"boolean"},"code":{"type":"string"},
"detail":{"type":"string"},"instead":{"type":"string"},"guards":{"type":"array","items":{"type":"object"}}}})"},
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
        R"({"type":"object","required":["reason"],"properties":{"reason":{"type":"string","minLength":1}}})"},
    Component{"Hub",
              R"({"type":"object","required":["hub","version","sequence","condition"],"properties":{
"hub":{"type":"string"},"version":{"type":"string"},"sequence":{"type":"integer"},"agents":{"type":"integer"},"instances":{"type":"integer"},
"waiting":{"type":"integer"},"in_flight":{"type":"integer"},"dead_letters":{"type":"integer"},"open_requests":{"type":"integer"},
"bytes":{"type":"integer"},"condition":{"type":"string"},"reason":{"type":"string"},
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
"at":{"type":"string","format":"date-time"},"facts":{"type":"array","items":{"type":"object"}}}})"},
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
    Component{"Refused",
              R"({"type":"object","required":["code","message","retryable"],"properties":{
"message_id":{"type":"string"},"delivery_id":{"type":"string"},"code":{"$ref":"#/components/schemas/RefusalCode"},
"message":{"type":"string"},"retryable":{"type":"boolean"},"retry_after_ms":{"type":"integer"},
"dialect_error":{"type":"object","description":"The same in the agent's own dialect."}}})"},
};

/// All of them as the members of one JSON object.
std::string write_components();

}  // namespace parlance::gateway
