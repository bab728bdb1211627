"""Loads of the kill test that hand work and data over between agents: tasks, contexts and shared state."""
import itertools
import json
import re
import time

from dialect_forms import NOW, REQUESTS, TIMEOUT_MS, outcome_in, reference_in, text_of
from patient_clients import Sent
from story_loads import Story
from worker_loads import STALE_CODES

TASK_OVER = "DELEGATION_NOT_FOUND"  # The task has ended while it was offered.
OFFER = re.compile(r"offer-\d+")


class TaskHandoffs(Story):
    """A planner gives Ann a task; Ann offers the task to Bob, who accepts or refuses; both try to answer the task."""

    kind = "handoff"
    proof = ("transfer_acknowledged", "handoff")

    def __init__(self, world, chance):
        super().__init__(world, chance)
        self.offers = itertools.count()

    def register(self):
        self.agent("ho-planner", "taskwire")
        self.agent("ho-ann", "taskwire")
        self.agent("ho-bob", "sam")

    def begin(self, name):
        self.open[name] = {"is_asked": False, "offer": None, "has_answer": False, "is_accepted": self.chance.random() < 0.7}

    def work(self):
        self.begin_some()
        for name, story in list(self.open.items()):
            if not story["is_asked"]:
                self.ask(name, story)
        for agent in ("ho-ann", "ho-bob", "ho-planner"):
            for reference, delivery in self.deliveries(agent):
                self.take(agent, reference, delivery)
        time.sleep(0.01)

    def ask(self, name, story):
        body = REQUESTS["taskwire"](name, "ho-planner", "ho-ann", "high", TIMEOUT_MS)
        body["payload"]["task_id"] = name
        self.world.sent[name] = Sent(self.kind, "high")
        status, answer = self.line.ask("POST", "/v1/messages", body)
        assert status == 202, f"{name}: {status} {answer}"
        self.ledger.accepted(self.kind, name, answer["sequence"], "high", awaits_answer=True)
        story["is_asked"] = True

    def take(self, agent, reference, delivery):
        kind = delivery["message"].get("type")
        if agent == "ho-planner":
            self.take_answer(delivery)
        elif agent == "ho-ann" and kind == "TASK_ASSIGNMENT":
            self.offer(reference, delivery)
        elif agent == "ho-ann":
            self.hear_of_offer(delivery)
        elif OFFER.search(json.dumps(delivery["message"])):
            self.answer_offer(delivery)
        else:
            self.finish(reference, delivery, "ho-bob", "sam")

    def offer(self, name, delivery):
        """Ann offers a delivered task once, and answers the task if Bob did not accept."""
        story = self.open.get(name)
        if story is None or story["offer"] == "over":
            return self.finish(name, delivery, "ho-ann", "taskwire")
        story["offer"] = story["offer"] or f"offer-{next(self.offers)}"
        body = {"id": story["offer"], "from": "ho-ann", "to": "ho-bob", "type": "TASK_HANDOFF",
                "payload": {"task_id": name, "reason": "LOAD_BALANCING", "context": {"task_type": text_of(name)}},
                "metadata": {"correlation_id": name, "timeout_ms": TIMEOUT_MS}}
        self.world.sent[story["offer"]] = Sent("offer", "high")
        status, answer = self.line.ask("POST", "/v1/messages", body)
        story["ann"] = delivery
        if status == 202:
            return self.ledger.accepted("offer", story["offer"], answer["sequence"], "high", awaits_answer=True)
        story["offer"] = None  # The lease expired; the hub delivers the task again.
        return None

    def answer_offer(self, delivery):
        name, offer, mark = reference_in(delivery["message"]), OFFER.search(json.dumps(delivery["message"]))[0], self.mark()
        story = self.open.get(name, {"is_accepted": False, "offer": "over"})
        # When Bob's first answer came too late, Ann has answered the task by now: there is nothing to take over.
        is_accepted = story["is_accepted"] and story["offer"] != "over"
        refusal = {"code": "AGENT_BUSY", "message": f"no time {offer} said:{mark};", "source": "ho-bob", "severity": "LOW",
                   "retryable": False}
        body = ({"accepted": True, "requirements": [f"{offer} said:{mark};"]} if is_accepted else
                {"message_type": "ERROR", "error": refusal, "payload": {}})
        self.ledger.delivered("offer", offer, delivery["attempt"], "high")
        if self.settle(delivery, "reply", body, (*STALE_CODES, TASK_OVER)):
            self.ledger.reply_acknowledged("offer", offer, mark, "ho-bob")
            if is_accepted:
                self.ledger.transfer_acknowledged(self.kind, name, "ho-bob")
        story["offer"] = "over"
        if "ann" in story:  # Ann answers too: either Ann or Bob has the task.
            self.finish(name, story.pop("ann"), "ho-ann", "taskwire")

    def hear_of_offer(self, delivery):
        offer = OFFER.search(json.dumps(delivery["message"]))[0]
        self.ledger.answered("offer", offer, outcome_in(delivery["message"]), "inbox", delivery["attempt"])
        if self.settle(delivery, "ack"):
            self.ledger.answer_settled("offer", offer, delivery["attempt"])

    def finish(self, name, delivery, agent, dialect):
        if self.reply(self.kind, name, delivery, dialect, agent):
            self.ledger.held(self.kind, name, agent, "in the end")

    def take_answer(self, delivery):
        # Answers made by the hub do not carry the request's content.
        name = reference_in(delivery["message"]) or delivery["message"]["payload"]["request_id"]
        self.ledger.answered(self.kind, name, outcome_in(delivery["message"]), "inbox", delivery["attempt"])
        self.ledger.held(self.kind, name, delivery["message"]["from"], "in the end")
        self.open.pop(name, None)
        if self.settle(delivery, "ack"):
            self.ledger.answer_settled(self.kind, name, delivery["attempt"])


class Contexts(Story):
    """Ann writes a context and hands the context over to Bob, who then writes it; Ann still tries to write."""

    kind = "context"
    proof = ("transfer_acknowledged", "context")
    AGENTS = ("cx-ann", "cx-bob")

    def register(self):
        for agent in self.AGENTS:
            self.agent(agent, "taskwire", domain="order")

    def begin(self, name):
        self.open[name] = {"is_handed": False}

    def work(self):
        self.begin_some()
        for name, story in list(self.open.items()):
            if not story["is_handed"]:
                self.write(name, "cx-ann", "first")
                self.hand_over(name, story)
            else:
                self.look(name)
        for reference, delivery in [pair for agent in self.AGENTS for pair in self.deliveries(agent)]:
            self.take(delivery)
        time.sleep(0.01)

    def patch(self, name, agent, change):
        return self.line.ask("PATCH", f"/v1/contexts/{name}", change, {"Parlance-Agent": agent})

    def write(self, name, agent, key):
        """Writes one more value of the context; returns whether the agent may write."""
        mark = self.mark()
        status, answer = self.patch(name, agent, {"entities": {"order": {key: mark, "ref": text_of(name)}}})
        if status == 200:
            self.ledger.value_written(self.kind, name, key, mark)
        else:
            assert answer["code"] in ("CONTEXT_LOCKED", "CONTEXT_NOT_OWNER"), f"{name}: {status} {answer}"
        return status == 200

    def hand_over(self, name, story):
        status, answer = self.line.ask("POST", f"/v1/contexts/{name}/handoff", {"to": "cx-bob", "timeout_ms": TIMEOUT_MS},
                                       {"Parlance-Agent": "cx-ann"})
        # A repeated write after a kill without acknowledgement: the first write counts.
        assert status == 202 or answer["code"] in ("CONTEXT_LOCKED", "CONTEXT_NOT_OWNER"), f"{name}: {status} {answer}"
        story["is_handed"] = True

    def take(self, delivery):
        """Settles a delivery: the delivery to Bob hands the context over, the delivery to Ann is the answer."""
        name = reference_in(delivery["message"])
        is_taken = self.settle(delivery, "ack")
        if is_taken and "order" in json.dumps(delivery["message"]) and name in self.open:
            self.ledger.transfer_acknowledged(self.kind, name, "cx-bob")

    def look(self, name):
        """When the context is not locked, enters the agent that may write as the holder."""
        _, context = self.line.ask("GET", f"/v1/contexts/{name}")
        if context["locked"]:
            return
        for agent in self.AGENTS:
            if self.write(name, agent, f"by-{agent}"):
                self.ledger.held(self.kind, name, agent, "in the end")
        self.open.pop(name)
        self.ended.append(name)

    def account(self):
        for name in self.ended:
            _, context = self.line.insist("GET", f"/v1/contexts/{name}")
            self.ledger.value_read(self.kind, name, context["entities"]["order"])
            self.ledger.held(self.kind, name, context["current_agent"], "in the end")


class SharedTasks(Story):
    """Creates tasks of the shared state, and updates tasks with the version last read."""

    kind = "state"
    proof = ("value_read", "state")

    def register(self):
        self.agent("st-ann", "taskwire")

    def begin(self, name):
        self.open[name] = {"version": 0, "left": 4}

    def work(self):
        self.begin_some()
        for name, story in list(self.open.items()):
            self.update(name, story)
        time.sleep(0.05)

    def update(self, name, story):
        mark = self.mark()
        operation = "CREATE" if story["version"] == 0 else "UPDATE"
        body = {"operation": operation, "entity_type": "TASK", "entity_id": name, "changes": {"result": mark},
                "version": story["version"], "timestamp": NOW}
        status, answer = self.line.ask("POST", "/v1/state", body, {"Parlance-Agent": "st-ann"})
        if status == 200:
            self.ledger.value_written(self.kind, name, "result", mark)
            story["version"], story["left"] = answer["version"], story["left"] - 1
        else:
            self.catch_up(name, story, status, answer)
        if story["left"] == 0:
            self.open.pop(name)
            self.ended.append(name)

    def catch_up(self, name, story, status, answer):
        """Checks by the version whether a write without acknowledgement was stored."""
        assert answer["code"] in ("STATE_VERSION_STALE", "STATE_ALREADY_EXISTS"), f"{name}: {status} {answer}"
        _, task = self.line.ask("GET", f"/v1/state/tasks/{name}", headers={"Parlance-Agent": "st-ann"})
        story["version"] = task["version"]

    def account(self):
        for name in self.ended:
            _, task = self.line.insist("GET", f"/v1/state/tasks/{name}", headers={"Parlance-Agent": "st-ann"})
            self.ledger.value_read(self.kind, name, {"result": task.get("result")})
