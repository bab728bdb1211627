"""Compares the contracts that the hub serves with the messages that the hub accepts and sends.

An independent JSON Schema implementation validates messages generated from the dialects' tables, corrupted copies of
these messages, and deliveries to agents of five dialects; hub and schema must agree on every message. PARLANCE_SAMPLES
sets the number of messages of each kind (default 12), PARLANCE_SEED the random seed.
"""
import copy
import http.client
import json
import os
import random
import re
import subprocess
import uuid

from five_dialects import CAPABILITY, DIALECTS
from hub import Hub, Scratch, Socket, check, message, package

jsonschema = package("jsonschema")

COUNT = int(os.environ.get("PARLANCE_SAMPLES", "12"))
SEED = int(os.environ.get("PARLANCE_SEED", "7"))
PROGRAM = os.environ.get("PARLANCE_SAMPLE_PROGRAM", "samples")
WRONG = [None, [], {}, "", "nonsense", 17, -1, 0.5, True, [None], {"x": None}]
UNREAD = {"PROTOCOL_VERSION_UNSUPPORTED", "INPUT_VALIDATION_FAILED", "OUTPUT_VALIDATION_FAILED", "MESSAGE_MALFORMED",
          "MESSAGE_DIALECT_UNKNOWN", "HANDOFF_CONTEXT_INCOMPLETE"}
BEYOND_SCHEMAS = "must be prompt and completion together"  # JSON Schema cannot express a sum.


class Schemas:
    """Validators for all schemas under /schemas."""

    def __init__(self, hub):
        status, listed = hub.ask("GET", "/schemas")
        check(status == 200, f"/schemas says {status}")
        self.by_path, self.messages, self.texts = {}, {}, {}
        for row in listed["schemas"]:
            status, schema = hub.ask("GET", row["path"])
            check(status == 200 and schema["$id"] == row["path"], f"{row['path']} says {status}")
            jsonschema.Draft202012Validator.check_schema(schema)
            self.texts[row["path"]] = schema
            self.by_path[row["path"]] = jsonschema.Draft202012Validator(schema)
            if row["is_message"]:
                self.messages.setdefault(row["dialect"], []).append(row["path"])

    def complaints(self, path, sample):
        return [f"{error.json_path}: {error.message[:200]}" for error in self.by_path[path].iter_errors(sample)]

    def takes(self, dialect, sample):
        return any(self.by_path[path].is_valid(sample) for path in self.messages[dialect])


def is_read(hub, dialect, sample):
    """Returns (whether the hub can read the message, the hub's answer). The recipient need not exist."""
    _, answer = hub.ask("POST", "/v1/messages", sample, {"Parlance-Dialect": dialect, "Parlance-Agent": "caller"})
    problems = [one for one in answer.get("problems", []) if BEYOND_SCHEMAS not in one["rule"]]
    return not (answer.get("code") in UNREAD and problems), answer.get("detail", "")


def places(value, path=()):
    """Yields the path of every value in the message."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inner:
        yield from places(each, path + (name,))


def spoilt(sample, chance):
    """Returns (description, copy of the message) with one value removed or replaced."""
    changed = copy.deepcopy(sample)
    path = chance.choice(list(places(changed)))
    around = changed
    for name in path[:-1]:
        around = around[name]
    if chance.random() < 0.4:
        del around[path[-1]]
        return f"without {path}", changed
    around[path[-1]] = chance.choice(WRONG)
    return f"{path} is {around[path[-1]]!r}", changed


def the_schema_agrees_with_the_hub(hub, schemas):
    chance = random.Random(SEED)
    lines = subprocess.run([PROGRAM, str(COUNT), str(SEED)], capture_output=True, text=True, check=True, timeout=60)
    refused = 0
    for line in lines.stdout.splitlines():
        made = json.loads(line)
        sample, dialect = made["sample"], made["dialect"]
        complaints = schemas.complaints(made["path"], sample)
        check(not complaints, f"{made['path']} refuses what keeps its rules: {complaints}: {json.dumps(sample)}")
        if not made["is_message"]:
            continue
        read, why = is_read(hub, dialect, sample)
        check(read, f"the hub refuses what keeps the rules of {made['path']}: {why}: {json.dumps(sample)}")
        for _ in range(4):
            what, wrong = spoilt(sample, chance)
            read, why = is_read(hub, dialect, wrong)
            check(read == schemas.takes(dialect, wrong),
                  f"{made['path']} {what}: the hub {'reads' if read else 'refuses'} it ({why}), the schema does not agree: "
                  f"{json.dumps(wrong)}")
            refused += not read
    check(refused > COUNT, "hardly anything that was spoilt was refused")
    print(f"{len(lines.stdout.splitlines())} samples, {refused} of those spoilt refused, by both")


def what_is_delivered_keeps_its_schema(hub, schemas):
    for dialect in DIALECTS:
        hub.ask("PUT", f"/v1/agents/{dialect}", {"dialect": dialect, "capabilities": [CAPABILITY]})
    for asker in DIALECTS:
        for answerer in DIALECTS:
            question = DIALECTS[asker]["ask"](asker, answerer, f"what is it {uuid.uuid4()}")
            check(schemas.takes(asker, question), f"{asker}'s question is refused by its schema: {question}")
            status, told = hub.ask("POST", "/v1/messages", question, {"Parlance-Agent": asker})
            check(status == 202, f"{asker} asked {answerer} and got {status} {told}")
            delivery = taken(hub, answerer)
            check(schemas.takes(answerer, delivery["message"]),
                  f"{answerer} was shown what its schema refuses: {delivery['message']}")
            status, told = hub.ask("POST", f"/v1/deliveries/{delivery['delivery_id']}/reply",
                                   DIALECTS[answerer]["reply"]("it is"))
            check(status == 202, f"the reply of {answerer} was refused: {status} {told}")
            answer = taken(hub, asker)
            check(schemas.takes(asker, answer["message"]), f"{asker} was answered against its schema: {answer}")
            hub.ask("POST", f"/v1/deliveries/{answer['delivery_id']}/ack")
    print(f"{len(DIALECTS) ** 2} questions and answers keep the schemas of those who read them")


def taken(hub, agent):
    status, inbox = hub.ask("GET", f"/v1/agents/{agent}/inbox?wait=5000")
    check(status == 200 and inbox["messages"], f"{agent} got no mail: {status} {inbox}")
    return inbox["messages"][0]


def an_unknown_kind_is_told_the_known_ones(hub):
    status, answer = hub.ask("GET", "/schemas/kessel/NONSENSE.json")
    check(status == 404 and "REQUEST" in answer["detail"], f"{status} {answer}")
    status, answer = hub.ask("GET", "/schemas/nonsense/REQUEST.json")
    check(status == 404 and "taskwire" in answer["detail"], f"{status} {answer}")


class Document:
    """An OpenAPI or AsyncAPI document with the schemas that the document refers to."""

    def __init__(self, hub, path, schemas):
        status, self.root = hub.ask("GET", path)
        check(status == 200, f"{path} says {status}")
        self.schemas = schemas
        for schema in self.root["components"]["schemas"].values():
            jsonschema.Draft202012Validator.check_schema(self.whole(schema))

    def at(self, reference):
        place = self.root
        for name in reference.removeprefix("#/").split("/"):
            place = place[name.replace("~1", "/").replace("~0", "~")]
        return place

    def whole(self, value):
        """Returns the schema with every reference replaced by the referenced schema."""
        if isinstance(value, list):
            return [self.whole(each) for each in value]
        if not isinstance(value, dict):
            return value
        value = dict(value)
        reference = value.pop("$ref", None)
        if reference:
            target = self.at(reference) if reference.startswith("#") else {
                name: each for name, each in self.schemas.texts[reference].items() if name != "$id"}
            value = {**target, **value}
        return {name: self.whole(each) for name, each in value.items()}

    def expect(self, schema, value, what):
        errors = [f"{error.json_path}: {error.message[:200]}"
                  for error in jsonschema.Draft202012Validator(self.whole(schema)).iter_errors(value)]
        check(not errors, f"{what}: {errors}: {json.dumps(value)[:1000]}")


class Routes(Document):
    """Calls the hub, and validates requests and answers against /openapi.json."""

    def __init__(self, hub, schemas):
        super().__init__(hub, "/openapi.json", schemas)
        self.hub = hub
        self.visited = set()

    def operation(self, method, path):
        for pattern, item in self.root["paths"].items():
            if method.lower() in item and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", pattern), path.split("?")[0]):
                self.visited.add((method, pattern))
                return item[method.lower()]
        raise AssertionError(f"{method} {path} is not in the document")

    def call(self, method, path, body=None, headers=None, is_good=True):
        operation = self.operation(method, path)
        if is_good and body is not None:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            self.expect(schema, body, f"the body of {method} {path}")
        line = http.client.HTTPConnection("127.0.0.1", self.hub.port, timeout=20)
        line.request(method, path, None if body is None else json.dumps(body), headers or {})
        answer = line.getresponse()
        text = answer.read().decode()
        line.close()
        what = f"{method} {path} says {answer.status} {text[:300]}"
        response = operation["responses"].get(str(answer.status))
        check(bool(response) == is_good, what)
        if not response:
            response = self.at(operation["responses"]["default"]["$ref"])
        content = response.get("content")
        check(bool(content) == bool(text), what)
        if not content:
            return None
        kind = answer.getheader("Content-Type")
        check(kind in content, f"{what}, as {kind}")
        value = json.loads(text) if "json" in kind else text
        self.expect(content[kind]["schema"], value, f"{method} {path}")
        return value

    def refuse(self, method, path, body=None):
        return self.call(method, path, body, is_good=False)


def the_routes_are_as_described(hub, schemas):
    """Calls every route once with success, and some routes with an error."""
    routes = Routes(hub, schemas)
    call, refuse = routes.call, routes.refuse
    call("PUT", "/v1/agents/tour", {"dialect": "taskwire", "capabilities": [{"code": "T"}], "tools_allowed": ["x"]})
    refuse("PUT", "/v1/agents/tour", {"dialect": "klingon"})
    call("GET", "/v1/agents/tour")
    refuse("GET", "/v1/agents/nobody")
    call("POST", "/v1/agents/tour/heartbeat", {"instance": "poll"})
    for number, (verb, body) in enumerate([("ack", None), ("nack", {"reason": "no", "final": True}), ("reply", {"a": 1})]):
        item = message("alice", f"tour-{number}", "tour", "HELP_REQUEST" if verb == "reply" else "ERROR_REPORT")
        call("POST", "/v1/messages", item)
        delivery = call("GET", "/v1/agents/tour/inbox?max=1&wait=5000")["messages"][0]
        where = f"/v1/deliveries/{delivery['delivery_id']}/"
        call("POST", where + "extend", {"by_ms": 60_000})
        call("POST", where + "progress", {"percent": 50})
        call("GET", "/v1/agents")
        call("POST", where + verb, body)
        refuse("POST", where + verb, body)
        if verb == "reply":
            call("GET", f"/v1/requests/{item['id']}/stream?agent=alice")
            refuse("GET", "/v1/requests/never-asked/stream?agent=alice")
            call("GET", f"/v1/requests/{item['id']}?agent=alice")
            refuse("GET", "/v1/requests/never-asked?agent=alice")
    refuse("POST", "/v1/messages", {"to": 7, "type": "NONSENSE"})
    call("PUT", "/v1/agents/delegate", {"dialect": "delegation"})
    call("POST", "/v1/delegations", {"request_id": str(uuid.uuid4()), "origin_employee": "alice", "user_id": "u",
                                     "target_employee": "delegate", "parent_session_id": "s", "objective": "o",
                                     "input": "i", "constraints": {"deadline_ms": 50}})
    call("POST", "/v1/messages", {"request_id": str(uuid.uuid4()), "origin_employee": "alice", "user_id": "u",
                                  "target_employee": "delegate", "parent_session_id": "t", "objective": "o", "input": "i"})
    given = call("GET", "/v1/agents/delegate/inbox?max=1&wait=5000")["messages"][0]
    check(given["grant"]["depth"] == 1 and given["grant"]["parent"] == "alice", f"no grant: {given}")
    call("POST", "/v1/messages", message("alice", "tour-x", "tour", "HELP_REQUEST"))
    call("POST", "/v1/workflows", {"workflow_id": "tour", "steps": [{"id": "a", "agent": "nobody-there"}]},
         headers={"Prefer": "wait=5000"})
    call("POST", "/v1/workflows", {"steps": [{"id": "a", "agent": "alice"}]})
    refuse("POST", "/v1/workflows", {"steps": []})
    call("GET", "/v1/workflows/tour")
    refuse("GET", "/v1/workflows/nowhere")
    call("POST", "/v1/workflows/alice-tour-x/cancel", {"reason": "no longer needed"})
    refuse("POST", "/v1/workflows/alice-tour-x/cancel", {"reason": "again"})
    call("POST", "/v1/tools/authorize", {"agent": "tour", "tool": "x"})
    refuse("POST", "/v1/tools/authorize", {"agent": "tour", "tool": "y"})
    call("PUT", "/v1/policy", {"hub": {"depth_max": 4}, "agent": {"tour": {"fanout_max": 2}}})
    refuse("PUT", "/v1/policy", {"hub": {"depth_max": 0}})
    check(call("GET", "/v1/policy")["policy"]["hub"] == {"depth_max": 4}, "the policy is not the one that was put")
    check(call("POST", "/v1/policy/explain", message("alice", "why", "tour", "HELP_REQUEST"))["allowed"], "not allowed")
    found = call("POST", "/v1/classify", {"text": "how tall is a giraffe"})
    check(found["outcome"] == "cannot", f"nobody is for giraffes: {found}")
    refuse("POST", "/v1/classify", {"text": ""})
    talk = call("POST", "/v1/chat", {"text": "how tall is a giraffe", "user_id": "ann"})
    check(talk["status"] == "cannot", f"nobody is for giraffes: {talk}")
    refuse("POST", "/v1/chat", {"text": "", "user_id": "ann"})
    call("PUT", "/v1/agents/teller", {"dialect": "kessel", "capabilities": [
        {"code": "TELL_TIME", "description": "The time of day", "examples": ["what time is it", "tell me the time"]}]})
    talk = call("POST", "/v1/chat", {"text": "what time is it", "user_id": "ann"}, headers={"Prefer": "wait=1"})
    call("GET", "/v1/chat/" + talk["chat_id"])
    refuse("GET", "/v1/chat/nothing")
    check(call("POST", "/v1/route", {"agent": "tour", "text": "how tall is a giraffe"})["decision"] == "local", "routed to nobody")
    refuse("POST", "/v1/route", {"agent": "nobody", "text": "what is this"})
    call("POST", "/v1/fleet/stop", {"reason": "drill"})
    check(call("GET", "/v1/fleet")["stopped"], "the fleet is not stopped")
    refuse("POST", "/v1/messages", message("alice", "late", "tour", "HELP_REQUEST"))
    call("POST", "/v1/fleet/resume", {"reason": "over"})
    asked = call("POST", "/v1/human", {"question": "May it?", "kind": "approve", "context": {"sum": 1}})["id"]
    refuse("POST", "/v1/human", {"kind": "guess"})
    check(len(call("GET", "/v1/human?state=waiting")["human_tasks"]) == 1, "one thing waits")
    check(call("GET", f"/v1/human/{asked}")["context"] == {"sum": 1}, "the context is not there")
    refuse("POST", f"/v1/human/{asked}/answer", {"decision": "reject"})
    call("POST", f"/v1/human/{asked}/answer", {"decision": "approve"}, {"Parlance-Operator": "ann"})
    tour = {"Parlance-Agent": "tour"}
    refuse("GET", "/v1/contexts/flow")
    call("PATCH", "/v1/contexts/flow", {"entities": {"tour": {"at": 1}}, "history": [{"action": "began"}]}, tour)
    check(call("GET", "/v1/contexts/flow")["current_agent"] == "tour", "the writer does not have the context")
    refuse("PATCH", "/v1/contexts/flow", {"history": []})
    call("POST", "/v1/contexts/flow/handoff", {"to": "delegate", "timeout_ms": 60_000}, tour)
    refuse("POST", "/v1/contexts/flow/handoff", {"to": "delegate"})
    task = {"operation": "CREATE", "entity_type": "TASK", "entity_id": "one", "changes": {"assigned_agent": "tour"}}
    call("POST", "/v1/state", task)
    refuse("POST", "/v1/state", task)
    call("GET", "/v1/state/tasks/one")
    call("POST", "/v1/state", {"operation": "DELETE", "entity_type": "TASK", "entity_id": "one", "version": 1})
    for kind in ("tasks", "agents", "resources", "policy"):
        call("GET", f"/v1/state/{kind}")
    call("POST", "/v1/sessions/talk", {"user_id": "u", "workflow_state": {"step": 1}})
    call("GET", "/v1/sessions/talk")
    refuse("GET", "/v1/sessions/nobody")
    call("POST", "/v1/sessions/talk/facts", {"about": "colour", "value": "red"})
    check(call("GET", "/v1/sessions/talk/facts?about=colour")["value"] == "red", "the answer is not known")
    call("POST", "/v1/sessions/talk/analyses", {"capability": "T", "inputs": {"a": 1}, "result": 2})
    check(call("POST", "/v1/sessions/talk/analyses", {"capability": "T", "inputs": {"a": 1}})["known"], "not kept")
    call("GET", "/v1/sessions/talk/analyses")
    call("GET", "/v1/delegations?user=u")
    refuse("GET", "/v1/delegations?max=many")
    for part in ("", "/messages", "/timeline"):
        check(call("GET", f"/v1/correlations/s{part}")["correlation_id"] == "s", "another conversation")
        refuse("GET", f"/v1/correlations/nothing{part}")
        refuse("GET", f"/v1/correlations/s{part}?at=never")
    call("GET", "/v1/analytics")
    refuse("GET", "/v1/analytics?since=never")
    letters = call("GET", "/v1/dead-letters?agent=tour")["dead_letters"]
    letter = f"/v1/dead-letters/{letters[0]['dead_letter_id']}"
    call("GET", letter)
    refuse("POST", letter + "/discard", {})
    call("POST", letter + "/redeliver")
    delivery = call("GET", "/v1/agents/tour/inbox")["messages"][0]
    call("POST", f"/v1/deliveries/{delivery['delivery_id']}/nack", {"final": True})
    call("POST", letter + "/discard", {"reason": "enough"})
    call("PUT", "/v1/topics/news/subscribers/tour")
    call("GET", "/v1/topics")
    call("DELETE", "/v1/topics/news/subscribers/tour")
    call("DELETE", "/v1/agents/tour")
    call("GET", "/v1/events?from=1&follow=false&limit=3")
    refuse("GET", "/v1/connect")
    for path in ("/v1/hub", "/schemas", "/schemas/sam/ERROR.json", "/openapi.json", "/asyncapi.json", "/healthz",
                 "/readyz", "/metrics", "/"):
        call("GET", path)
    missed = {(method.upper(), path) for path, item in routes.root["paths"].items() for method in item} - routes.visited
    check(not missed, f"no call was made to {missed}")
    print(f"{len(routes.visited)} routes do what is said of them")


class WatchedSocket(Socket):
    """A WebSocket that validates every frame in both directions against /asyncapi.json."""

    def __init__(self, document, *words, **hello):
        self.document, self.seen = document, set()
        super().__init__(*words, **hello)

    def hold(self, frame, direction):
        for verb in frame:
            said = self.document.root["components"]["messages"].get(direction + verb)
            check(said, f"{direction}{verb} is not in the document: {frame}")
            self.document.expect(said["payload"], frame, direction + verb)
            self.seen.add(direction + verb)

    def say(self, frame):
        self.hold(frame, "hear_")
        super().say(frame)

    def hear(self):
        frame = super().hear()
        self.hold(frame, "say_")
        return frame


def until(socket, verb):
    while True:
        frame = socket.hear()
        if verb in frame:
            return frame[verb]


def the_frames_are_as_described(hub, schemas):
    document = Document(hub, "/asyncapi.json", schemas)
    socket = WatchedSocket(document, hub.port, "watched", credit=1, register={"dialect": "taskwire"})
    socket.say({"subscribe": ["news"], "heartbeat": {}})
    for verb, kind, rest in (("ack", "ERROR_REPORT", {}), ("nack", "ERROR_REPORT", {"final": True}),
                             ("reply", "HELP_REQUEST", {"message": {"type": "HELP_RESPONSE", "payload": 1}})):
        socket.say({"send": [message("watched", verb, "watched", kind)]})
        held = until(socket, "deliver")[0]["delivery_id"]
        socket.say({"extend": [{"delivery_id": held, "by_ms": 9000}], "progress": [{"delivery_id": held, "note": "half"}]})
        socket.say({verb: [held] if verb == "ack" else [{"delivery_id": held, **rest}]})
        until(socket, "settled")
    socket.say({"stream": [{"message_id": "watched-reply", "after": 0}]})
    until(socket, "progress")
    # Uses another task, because an unsettled answer blocks later messages of the same task.
    socket.say({"credit": 3, "send": [message("other", "unwanted", "watched", "HELP_REQUEST") | {"from": "watched"}]})
    while not any(item["message"]["id"] == "other-unwanted" for item in until(socket, "deliver")):
        pass
    status, answer = hub.ask("POST", "/v1/workflows/other-unwanted/cancel", {"reason": "no longer needed"})
    check(status == 204, f"the cancellation got {status} {answer}")
    until(socket, "cancelled")
    socket.say({"ack": ["nonsense"], "unsubscribe": ["news"], "credit": 2})
    until(socket, "refused")
    socket.write(1, b'{"nonsense":1}')
    until(socket, "error")
    missed = set(document.root["components"]["messages"]) - socket.seen
    check(not missed, f"nobody said {missed}")
    print(f"{len(socket.seen)} verbs carry what is said of them")


def main():
    with Scratch() as scratch:
        hub = Hub(scratch + "/data").start()
        try:
            schemas = Schemas(hub)
            an_unknown_kind_is_told_the_known_ones(hub)
            the_schema_agrees_with_the_hub(hub, schemas)
            what_is_delivered_keeps_its_schema(hub, schemas)
            the_routes_are_as_described(hub, schemas)
            the_frames_are_as_described(hub, schemas)
        finally:
            hub.stop()


if __name__ == "__main__":
    main()
