"""Loads of the kill test with several steps: workflows with an approval, human tasks and streams.

Each load plays all roles of its stories over HTTP: a repeated delivery is handled again, and an unacknowledged message is
sent again under the same id.
"""
import http.client
import itertools
import json
import time

from dialect_forms import REQUESTS, TIMEOUT_MS, id_of, outcome_in, reference_in, reply_to, text_of
from hub import Socket
from patient_clients import TIMEOUT_S, Load, Sent
from worker_loads import STALE_CODES

OPEN_STORIES = 5
READ_S = 0.1  # Seconds that a reader waits for more parts of a stream.


class Story(Load):
    """Shared by the story loads: open stories by name, deliveries to several agents, and people who decide."""

    def __init__(self, world, chance):
        super().__init__(world, chance)
        self.numbers, self.marks = itertools.count(), itertools.count()
        self.open = {}
        self.ended = []

    def open_names(self):
        return list(self.open)

    def mark(self):
        return f"{self.kind}.{next(self.marks)}"

    def begin_some(self):
        while self.begins() and len(self.open) < OPEN_STORIES:
            self.begin(f"{self.kind}.{next(self.numbers)}")

    def begin(self, name):
        raise NotImplementedError

    def deliveries(self, agent):
        """Yields the deliveries that wait for the agent, each with its reference."""
        _, inbox = self.line.ask("GET", f"/v1/agents/{agent}/inbox?max=8")
        return [(reference_in(delivery["message"]), delivery) for delivery in inbox["messages"]]

    def settle(self, delivery, verb, body=None, stale_codes=STALE_CODES):
        """Whether the hub took it; False of a delivery that is no longer this agent's."""
        status, answer = self.line.ask("POST", f"/v1/deliveries/{delivery['delivery_id']}/{verb}", body)
        if status in (202, 204):
            return True
        assert answer["code"] in stale_codes, f"{verb}: {status} {answer}"
        return False

    def reply(self, kind, name, delivery, dialect, by):
        """Sends a reply with a new mark, and enters the reply into the ledger once the hub has acknowledged it."""
        mark = self.mark()
        is_taken = self.settle(delivery, "reply", reply_to(dialect, name, mark))
        if is_taken:
            self.ledger.reply_acknowledged(kind, name, mark, by)
        return is_taken

    def decide(self, role, verb_of):
        """A person decides all tasks of the role. A decision with unknown outcome is sent again with another mark."""
        _, answer = self.line.ask("GET", f"/v1/human?role={role}", headers={"Parlance-Operator": "olga"})
        for task in answer["human_tasks"]:
            name, mark = reference_in(task), self.mark()
            self.ledger.decision_sent(self.kind, name, mark)
            body = {"decision": verb_of(name), "reason": f"said:{mark};", "content": {"text": f"said:{mark};"}}
            status, told = self.line.ask("POST", f"/v1/human/{task['id']}/answer", body, {"Parlance-Operator": "olga"})
            if status == 204:
                self.ledger.decision_acknowledged(self.kind, name, mark)
            else:
                assert told["code"] == "HUMAN_ALREADY_ANSWERED", f"{status} {told}"


class Workflows(Story):
    """Workflows with a draft, a person's approval, then two parallel steps; every fourth is rejected."""

    kind = "workflow"
    proof = ("workflow_ended", "workflow")
    STEPS = {"draft": ("wf-kessel", "kessel"), "publish": ("wf-sam", "sam"), "archive": ("wf-taskwire", "taskwire")}
    AFTER_APPROVAL = ("publish", "archive")
    ENDS = ("COMPLETED", "PARTIAL", "FAILED", "CANCELLED", "TIMED_OUT")

    def __init__(self, world, chance):
        super().__init__(world, chance)
        self.decided = set()

    def register(self):
        for agent, dialect in self.STEPS.values():
            self.agent(agent, dialect, capabilities=[{"code": "KT_STEP", "description": "a step"}])

    def verb_of(self, name):
        self.decided.add(name)
        return "reject" if name.endswith("3") else "approve"

    def plan_of(self, name):
        # Steps are retried until done, because a kill may lose a request that is delivered at most once.
        steps = [{"id": step, "agent": agent, "capability": "KT_STEP", "inputs": {"question": text_of(f"{name}-{step}")},
                  "retry": {"limit": 20, "backoff_ms": 20}, "timeout_ms": TIMEOUT_MS, "max_tokens": 100}
                 for step, (agent, _) in self.STEPS.items()]
        for step in steps[1:]:
            step["after"] = ["approval"]
        steps.insert(1, {"id": "approval", "after": ["draft"], "on_error": "fail",
                         "human": {"role": "kt-board", "question": f"May it? {text_of(name)}", "kind": "approve"}})
        return {"workflow_id": name, "steps": steps}

    def begin(self, name):
        self.open[name] = self.plan_of(name)

    def work(self):
        self.begin_some()
        for name, plan in list(self.open.items()):
            self.start_or_look(name, plan)
        for step, (agent, dialect) in self.STEPS.items():
            for reference, delivery in self.deliveries(agent):
                name = reference.removesuffix(f"-{step}")
                is_allowed = step not in self.AFTER_APPROVAL or (name in self.decided and self.verb_of(name) == "approve")
                self.ledger.step_ran(self.kind, name, step, is_allowed)
                self.reply("step", reference, delivery, dialect, agent)
        self.decide("kt-board", self.verb_of)
        time.sleep(0.01)

    def start_or_look(self, name, plan):
        """Repeats the start of a workflow until the hub acknowledges the start; then checks whether the workflow has ended."""
        if plan is not None:
            status, told = self.line.ask("POST", "/v1/workflows", plan)
            assert status in (200, 202), f"{name}: {status} {told}"
            self.ledger.workflow_started(self.kind, name, [*self.STEPS, "approval"])
            self.open[name] = None
        status, report = self.line.ask("GET", f"/v1/workflows/{name}")
        if status == 200 and report["status"] in self.ENDS:
            self.note_end(name, report)
            self.open.pop(name)
            self.ended.append(name)

    def note_end(self, name, report):
        outputs = {step: outcome_in(said) for step, said in report["output"].items() if said is not None}
        for step in self.STEPS:
            if step in outputs:
                self.ledger.answered("step", f"{name}-{step}", outputs[step], "report")
        if mark := outcome_in({"steps": [step for step in report["steps"] if step["id"] == "approval"],
                               "missing": report.get("missing")}):
            self.ledger.decision_shown(self.kind, name, mark)
        self.ledger.workflow_ended(self.kind, name, report["status"], outputs)

    def account(self):
        """Reads each ended workflow again and enters its result, which must be unchanged."""
        for name in self.ended:
            status, report = self.line.insist("GET", f"/v1/workflows/{name}")
            assert status == 200, f"{name}: {status} {report}"
            self.note_end(name, report)


class HumanTasks(Story):
    """Agents of three dialects send requests to a person, and get answers as from an agent."""

    kind = "human"
    proof = ("decision_shown", "human")
    ASKERS = ("sam", "kessel", "taskwire")

    def __init__(self, world, chance):
        super().__init__(world, chance)
        self.dialects = {}

    def register(self):
        for dialect in self.ASKERS:
            self.agent(f"{self.kind}-{dialect}", dialect)

    def begin(self, name):
        dialect = self.ASKERS[len(self.dialects) % len(self.ASKERS)]
        priority = ("high", "normal", "low")[len(self.dialects) // 3 % 3]
        self.dialects[name] = dialect
        self.world.sent[name] = Sent(self.kind, priority)
        body = REQUESTS[dialect](name, f"{self.kind}-{dialect}", "human:kt-legal", priority, TIMEOUT_MS)
        self.open[name] = {key: value for key, value in body.items() if key != "capability_code"} | (
            {"capability_code": "ASK"} if dialect == "kessel" else {})

    def work(self):
        self.begin_some()
        for name, body in list(self.open.items()):
            if body is not None:
                self.ask(name, body)
        self.decide("kt-legal", lambda _: "approve")
        for dialect in self.ASKERS:
            for _, delivery in self.deliveries(f"{self.kind}-{dialect}"):
                self.take_answer(dialect, delivery)
        time.sleep(0.01)

    def ask(self, name, body):
        status, answer = self.line.ask("POST", "/v1/messages", body)
        assert status == 202, f"{name}: {status} {answer}"
        self.ledger.accepted(self.kind, name, answer["sequence"], self.world.sent[name].priority, awaits_answer=True)
        if name in self.open:
            self.open[name] = None

    def take_answer(self, dialect, delivery):
        answer = json.dumps(delivery["message"])
        names = [name for name in self.dialects if f'"{id_of(dialect, name)}"' in answer]
        assert len(names) == 1, f"an answer to nothing that was asked: {answer}"
        mark = outcome_in(delivery["message"])
        self.ledger.answered(self.kind, names[0], mark, "inbox", delivery["attempt"])
        self.ledger.decision_shown(self.kind, names[0], mark)
        self.open.pop(names[0], None)
        if self.settle(delivery, "ack"):
            self.ledger.answer_settled(self.kind, names[0], delivery["attempt"])


class Streams(Story):
    """Answers in parts: the writer repeats each part until acknowledged, the reader continues after the last part shown."""

    kind = "stream"
    proof = ("part_shown", "stream")
    PARTS = 6

    def register(self):
        self.agent("stream-reader", "taskwire")
        self.agent("stream-writer", "taskwire")

    def begin(self, name):
        self.open[name] = {"part": 0, "number": 0, "is_asked": False, "is_over_socket": int(name.split(".")[1]) % 2 == 1}

    def work(self):
        self.begin_some()
        for name, story in list(self.open.items()):
            if not story["is_asked"]:
                self.ask(name, story)
            self.read(name, story)
        for name, delivery in self.deliveries("stream-writer"):
            self.write_on(name, delivery)
        for name, delivery in self.deliveries("stream-reader"):
            self.settle(delivery, "ack")
        time.sleep(0.01)

    def ask(self, name, story):
        body = REQUESTS["taskwire"](name, "stream-reader", "stream-writer", "high", TIMEOUT_MS)
        self.world.sent[name] = Sent(self.kind, "high")
        status, answer = self.line.ask("POST", "/v1/messages", body)
        assert status == 202, f"{name}: {status} {answer}"
        self.ledger.accepted(self.kind, name, answer["sequence"], "high", awaits_answer=True)
        story["is_asked"] = True

    def write_on(self, name, delivery):
        """Sends the remaining parts and the whole answer. The hub repeats a stale delivery."""
        story = self.open.get(name, {"part": self.PARTS})
        for part in range(story["part"], self.PARTS):
            if not self.settle(delivery, "progress", {"part": part}):
                return
            self.ledger.part_acknowledged(self.kind, name, part)
            story["part"] = part + 1
        self.reply(self.kind, name, delivery, "taskwire", "stream-writer")

    def read(self, name, story):
        """Reads the stream after the last number shown; every second stream over WebSocket."""
        try:
            if story["is_over_socket"]:
                self.read_socket(name, story)
            else:
                self.read_http(name, story)
        except TimeoutError:
            pass  # No more parts at present.
        except http.client.HTTPException as error:
            raise OSError(str(error)) from error

    def read_socket(self, name, story):
        reader = Socket(self.world.hub.port, "stream-reader", timeout=TIMEOUT_S, instance="reader", credit=0)
        try:
            reader.line.settimeout(READ_S)  # The welcome may take longer: it waits for the disk.
            reader.say({"stream": [{"message_id": name, "after": story["number"]}]})
            while name in self.open:
                for item in reader.hear().get("progress", []):
                    self.note_event(name, story, item)
        finally:
            reader.close()

    def read_http(self, name, story):
        line = http.client.HTTPConnection("127.0.0.1", self.world.hub.port, timeout=TIMEOUT_S)
        try:
            line.request("GET", f"/v1/requests/{name}/stream?agent=stream-reader&after={story['number']}")
            stream = line.sock  # http.client lets go of the socket when it has the head.
            answer = line.getresponse()
            assert answer.status == 200, f"{name}: {answer.status} {answer.read()}"
            stream.settimeout(READ_S)
            while name in self.open and (text := answer.readline().decode()):
                if text.startswith("data: "):
                    self.note_event(name, story, json.loads(text[6:]))
        finally:
            line.close()

    def note_event(self, name, story, event):
        story["number"] = event["number"]
        self.ledger.part_shown(self.kind, name, event["number"], event["note"]["part"] if "note" in event else None)
        if "answer" in event:
            self.ledger.answered(self.kind, name, outcome_in(event["answer"]), "stream")
            self.open.pop(name, None)
