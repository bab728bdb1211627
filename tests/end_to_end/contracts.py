"""The contracts that the hub serves, held against what it really takes and gives.

Another's implementation of JSON Schema judges messages that were made from the tables, the same with something wrong in
them, and what agents of five dialects were shown; the hub and the schema must agree on each. PARLANCE_SAMPLES says how
many messages of each kind (default 12), PARLANCE_SEED which.
"""
import copy
import json
import os
import random
import subprocess
import uuid

from five_dialects import DIALECTS
from hub import Hub, Scratch, check, skip

try:
    import jsonschema
except ImportError:
    jsonschema = None

COUNT = int(os.environ.get("PARLANCE_SAMPLES", "12"))
SEED = int(os.environ.get("PARLANCE_SEED", "7"))
PROGRAM = os.environ.get("PARLANCE_SAMPLE_PROGRAM", "samples")
WRONG = [None, [], {}, "", "nonsense", 17, -1, 0.5, True, [None], {"x": None}]
UNREAD = {"INPUT_VALIDATION_FAILED", "MESSAGE_MALFORMED", "MESSAGE_DIALECT_UNKNOWN"}
BEYOND_SCHEMAS = "must be prompt and completion together"  # A sum; said in words only.


class Schemas:
    """Everything under /schemas, ready to judge."""

    def __init__(self, hub):
        status, listed = hub.ask("GET", "/schemas")
        check(status == 200, f"/schemas says {status}")
        self.by_path, self.messages = {}, {}
        for row in listed["schemas"]:
            status, schema = hub.ask("GET", row["path"])
            check(status == 200 and schema["$id"] == row["path"], f"{row['path']} says {status}")
            jsonschema.Draft202012Validator.check_schema(schema)
            self.by_path[row["path"]] = jsonschema.Draft202012Validator(schema)
            if row["is_message"]:
                self.messages.setdefault(row["dialect"], []).append(row["path"])

    def complaints(self, path, sample):
        return [f"{error.json_path}: {error.message[:200]}" for error in self.by_path[path].iter_errors(sample)]

    def takes(self, dialect, sample):
        return any(self.by_path[path].is_valid(sample) for path in self.messages[dialect])


def is_read(hub, dialect, sample):
    """Whether the hub can read it: (verdict, its words). Nobody need be there to take it."""
    _, answer = hub.ask("POST", "/v1/messages", sample, {"Parlance-Dialect": dialect, "Parlance-Agent": "caller"})
    problems = [one for one in answer.get("problems", []) if BEYOND_SCHEMAS not in one["rule"]]
    return not (answer.get("code") in UNREAD and problems), answer.get("detail", "")


def places(value, path=()):
    """Every place in it, as the names that lead there."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inner:
        yield from places(each, path + (name,))


def spoilt(sample, chance):
    """A copy with something taken away or put in its place: (what, copy)."""
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
        hub.ask("PUT", f"/v1/agents/{dialect}", {"dialect": dialect})
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


def main():
    if jsonschema is None:
        skip("python3-jsonschema is not installed")
    with Scratch() as scratch:
        hub = Hub(scratch + "/data").start()
        try:
            schemas = Schemas(hub)
            an_unknown_kind_is_told_the_known_ones(hub)
            the_schema_agrees_with_the_hub(hub, schemas)
            what_is_delivered_keeps_its_schema(hub, schemas)
        finally:
            hub.stop()


if __name__ == "__main__":
    main()
