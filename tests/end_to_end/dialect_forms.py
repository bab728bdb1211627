"""Messages of the five dialects for the kill test, each built from a reference.

A reference is a short name in the content of a message, as `ref:NAME;`, so that a reader of any dialect finds the name.
A reply also has `said:MARK;` with a new mark, which distinguishes two replies to one request.
"""
import hashlib
import json
import re
import uuid

DIALECTS = ("taskwire", "kessel", "delegation", "sam", "correlation")
PRIORITIES = ("critical", "high", "normal", "low")
CAPABILITY = {"code": "ANL_NPV", "version": "1.0", "description": "answers a question",
              "input_schema": {"type": "object"}, "output_schema": {"type": ["object", "string"]}}
TIMEOUT_MS = 120_000  # Longer than a run, so that a lost request shows as unanswered and not as timed out.
NOW = "2025-11-23T10:00:00Z"

REFERENCE = re.compile(r"ref:([\w.-]+);")
MARK = re.compile(r"said:([\w.-]+);")
CODE = re.compile(r'\\?"(?:code|error_code|error_type)\\?": ?\\?"([A-Z_]+)\\?"')


def text_of(name):
    return f"ref:{name};"


def uuid_of(name):
    """Returns a UUID v4 derived from the name."""
    return str(uuid.UUID(bytes=hashlib.md5(name.encode()).digest(), version=4))


def conversation_of(name):
    """Returns a correlation id in the form that the dialect `correlation` requires."""
    return f"session_user_1692633600_{hashlib.md5(name.encode()).hexdigest()[:8]}_1692633612"


# --- one-way messages ------------------------------------------------------------------------------------------------------

def taskwire_notice(name, sender, to, priority, task):
    kind = "ERROR_REPORT" if priority in ("critical", "high") else "STATUS_UPDATE"
    return {"id": name, "from": sender, "to": to, "type": kind, "timestamp": NOW,
            "payload": {"task_id": task, "text": text_of(name)}, "metadata": {"priority": priority}}


def kessel_notice(name, sender, to, _priority, task):
    return {"request_id": uuid_of(name), "source_agent": sender, "recipient_agent": to, "primary_intent": text_of(name),
            "intent_confidence": 0.9, "correlation_id": task}


def sam_notice(name, sender, to, priority, task):
    return {"message_id": name, "correlation_id": task, "timestamp": NOW, "sender": {"agent_id": sender},
            "recipient": {"agent_id": to}, "message_type": "EVENT", "metadata": {"priority": priority},
            "payload": {"action": "note", "data": {"text": text_of(name)}, "context": {}}}


def correlation_notice(name, sender, to, priority, task):
    return {"message_id": name, "correlation_id": conversation_of(task), "agent": sender, "target_agent": to,
            "timestamp": NOW, "message_type": "status_update", "status": "success", "priority": priority,
            "payload": {"text": text_of(name)}}


# Every message of the dialect `delegation` is a request or a reply, so the dialect is missing here.
NOTICES = {"taskwire": taskwire_notice, "kessel": kessel_notice, "sam": sam_notice, "correlation": correlation_notice}


def priority_of(dialect, is_request, priority):
    """Returns the priority of the message in the dialect: kessel has no critical, and notices of kessel are normal."""
    if dialect != "kessel":
        return priority
    return ("high" if priority == "critical" else priority) if is_request else "normal"


# --- requests and replies --------------------------------------------------------------------------------------------------

def taskwire_request(name, sender, to, priority, timeout_ms):
    return {"id": name, "from": sender, "to": to, "type": "TASK_ASSIGNMENT", "timestamp": NOW,
            "payload": {"action": "answer", "input": {"question": text_of(name)}},
            "metadata": {"priority": priority, "timeout_ms": timeout_ms, "correlation_id": name}}


def kessel_request(name, sender, to, priority, timeout_ms):
    return {"request_id": uuid_of(name), "source_agent": sender, "target_agent": to, "capability_code": CAPABILITY["code"],
            "inputs_json": {"question": text_of(name)}, "timeout_ms": timeout_ms, "correlation_id": name,
            "priority": priority_of("kessel", True, priority).upper()}


def delegation_request(name, sender, to, priority, timeout_ms):
    return {"request_id": uuid_of(name), "origin_employee": sender, "target_employee": to, "user_id": "user-1",
            "parent_session_id": f"session-{name}", "objective": f"answer {name}", "input": text_of(name), "priority": priority,
            "constraints": {"deadline_ms": timeout_ms}, "correlation_id": name, "created_at": NOW}


def sam_request(name, sender, to, priority, timeout_ms):
    return {"message_id": name, "correlation_id": name, "timestamp": NOW, "sender": {"agent_id": sender},
            "recipient": {"agent_id": to}, "message_type": "REQUEST",
            "metadata": {"priority": priority, "timeout_ms": timeout_ms},
            "payload": {"action": "answer", "data": {"question": text_of(name)}, "context": {}}}


def correlation_request(name, sender, to, priority, timeout_ms):
    return {"message_id": name, "correlation_id": conversation_of(name), "agent": sender, "target_agent": to, "timestamp": NOW,
            "message_type": "orchestration_command", "status": "pending", "priority": priority, "timeout_ms": timeout_ms,
            "payload": {"question": text_of(name)}}


REQUESTS = {"taskwire": taskwire_request, "kessel": kessel_request, "delegation": delegation_request, "sam": sam_request,
            "correlation": correlation_request}

REPLIES = {
    "taskwire": lambda said: {"answer": said},
    "kessel": lambda said: {"status": "SUCCESS", "result_json": {"answer": said}, "confidence_level": "HIGH"},
    "delegation": lambda said: {"summary": said, "result": said, "status": "success",
                                "token_usage": {"prompt": 1, "completion": 1, "total": 2}},
    "sam": lambda said: {"message_type": "RESPONSE", "payload": {"data": {"answer": said}}},
    "correlation": lambda said: {"message_type": "status_update", "status": "success", "payload": {"answer": said}},
}


def reply_to(dialect, name, mark):
    return REPLIES[dialect](f"{text_of(name)} said:{mark};")


# --- reading ---------------------------------------------------------------------------------------------------------------

def id_of(dialect, name):
    """Returns the message id for the reference."""
    return uuid_of(name) if dialect in ("kessel", "delegation") else name


def reference_in(message):
    """Returns the reference in the content, or None."""
    found = REFERENCE.search(json.dumps(message))
    return found[1] if found else None


def outcome_in(answer):
    """Returns the mark in the answer, or the hub's error code."""
    text = json.dumps(answer)
    if found := MARK.search(text):
        return found[1]
    found = CODE.search(text)
    return f"hub:{found[1]}" if found else f"hub:{text[:400]}"


def answered_name(answer, names):
    """Returns the reference of the request that the answer is for; `names` maps ids of open requests to references."""
    name = reference_in(answer)
    if name in names.values():
        return name
    payload = answer.get("payload") if isinstance(answer.get("payload"), dict) else {}
    for value in (answer.get("in_reply_to"), answer.get("request_id"), payload.get("request_id"), payload.get("message_id"),
                  answer.get("correlation_id"), (answer.get("metadata") or {}).get("correlation_id")):
        if value in names:
            return names[value]
    return None
