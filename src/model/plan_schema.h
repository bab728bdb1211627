// The JSON Schema of a workflow: published, and used to validate POST /v1/workflows. The members of
// a run (input, user_id and the like) stand beside those of the plan.
#pragma once

#include <array>
#include <string_view>

namespace parlance {

/// The members of the plan; all remaining members describe one run.
inline constexpr std::array<std::string_view, 5> kPlanMembers{
    "name", "steps", "timeout_ms", "on_error", "terms"};

inline constexpr std::string_view kPlanSchema = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "/schemas/parlance/workflow.json",
  "title": "Workflow",
  "type": "object",
  "required": ["steps"],
  "additionalProperties": false,
  "properties": {
    "name": {"type": "string", "minLength": 1, "maxLength": 128},
    "steps": {"type": "array", "minItems": 1, "maxItems": 100, "items": {"$ref": "#/$defs/step"}},
    "timeout_ms": {"$ref": "#/$defs/milliseconds"},
    "on_error": {"enum": ["continue", "fail"]},
    "terms": {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}},
    "workflow_id": {"type": "string", "minLength": 1, "maxLength": 128},
    "correlation_id": {"type": "string", "minLength": 1, "maxLength": 128},
    "user_id": {"type": "string", "maxLength": 128},
    "session_id": {"type": "string", "maxLength": 128},
    "request": {"type": "string"},
    "constraints": {"type": "object"},
    "input": true
  },
  "$defs": {
    "milliseconds": {"type": "integer", "minimum": 1, "maximum": 604800000},
    "name": {"type": "string", "pattern": "^[A-Za-z0-9_.-]{1,64}$"},
    "pointer": {"type": "string", "pattern": "^/(input|request|constraints|item|steps/[A-Za-z0-9_.-]{1,64})(/.*)?$"},
    "condition": {
      "type": "object",
      "minProperties": 1,
      "additionalProperties": false,
      "properties": {
        "value": true,
        "is": true, "is_not": true,
        "above": {"type": "number"}, "at_least": {"type": "number"},
        "below": {"type": "number"}, "at_most": {"type": "number"},
        "contains": true,
        "exists": {"type": "boolean"},
        "all": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/condition"}},
        "any": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/condition"}},
        "not": {"$ref": "#/$defs/condition"}
      }
    },
    "duty": {
      "type": "object",
      "additionalProperties": false,
      "anyOf": [{"required": ["agent"]}, {"required": ["capability"]}],
      "properties": {
        "agent": {"type": "string", "minLength": 1, "maxLength": 128},
        "capability": {"type": "string", "minLength": 1, "maxLength": 128},
        "inputs": {"type": "object"}
      }
    },
    "person": {
      "type": "object",
      "additionalProperties": false,
      "required": ["question"],
      "properties": {
        "role": {"type": "string", "maxLength": 128},
        "kind": {"enum": ["approve", "answer", "edit", "choose"]},
        "question": {"type": "string", "minLength": 1, "maxLength": 4096},
        "options": {"type": "array", "maxItems": 32, "items": {"type": "string"}},
        "deadline_ms": {"$ref": "#/$defs/milliseconds"},
        "reminder_ms": {"$ref": "#/$defs/milliseconds"},
        "escalate_to": {"type": "string", "maxLength": 128},
        "if_nobody": {"enum": ["reject", "approve", "fail", "escalate", "wait"]},
        "approvals": {"type": "integer", "minimum": 1, "maximum": 2}
      }
    },
    "step": {
      "type": "object",
      "additionalProperties": false,
      "required": ["id"],
      "oneOf": [
        {"anyOf": [{"required": ["agent"]}, {"required": ["capability"]}]},
        {"required": ["human"]}
      ],
      "properties": {
        "id": {"$ref": "#/$defs/name"},
        "label": {"type": "string", "minLength": 1, "maxLength": 256},
        "objective": {"type": "string", "minLength": 1, "maxLength": 4096},
        "agent": {"type": "string", "minLength": 1, "maxLength": 128},
        "capability": {"type": "string", "minLength": 1, "maxLength": 128},
        "inputs": {"type": "object"},
        "after": {"type": "array", "uniqueItems": true, "items": {"$ref": "#/$defs/name"}},
        "when": {"$ref": "#/$defs/condition"},
        "for_each": {
          "type": "object",
          "required": ["$from"],
          "additionalProperties": false,
          "properties": {
            "$from": {"$ref": "#/$defs/pointer"},
            "at_most": {"type": "integer", "minimum": 1, "maximum": 1000}
          }
        },
        "timeout_ms": {"$ref": "#/$defs/milliseconds"},
        "max_tokens": {"type": "integer", "minimum": 1, "maximum": 1000000000},
        "retry": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "limit": {"type": "integer", "minimum": 0, "maximum": 20},
            "backoff_ms": {"$ref": "#/$defs/milliseconds"}
          }
        },
        "fallback": {
          "oneOf": [
            {"$ref": "#/$defs/duty"},
            {"type": "object", "additionalProperties": false, "required": ["value"], "properties": {"value": true}}
          ]
        },
        "confidence_min": {"type": "number", "minimum": 0, "maximum": 1},
        "on_error": {"enum": ["continue", "fail", "human"]},
        "compensate": {"$ref": "#/$defs/duty"},
        "human": {"$ref": "#/$defs/person"},
        "internal": {"type": "boolean"}
      }
    }
  }
})";

}  // namespace parlance
