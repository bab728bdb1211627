"""Loads of the kill test with requests: between all dialects, in all priorities, answered in four ways."""
import itertools
import time

from dialect_forms import (DIALECTS, PRIORITIES, REQUESTS, TIMEOUT_MS, answered_name, conversation_of, id_of, outcome_in,
                           priority_of)
from patient_clients import Load, Sent
from worker_loads import CREDIT, STALE_CODES, refuse_nothing, silent_of, worker_of

OPEN_REQUESTS = 12
SILENT_EVERY, SILENT_MS = 12, 700
LOOKED_AT = 20  # Requests of each load that are read once more at the end.


class RequestLoad(Load):
    """Requests from each dialect to each dialect in each priority; some requests go to an agent that never answers."""

    proof = ("answered", "request")

    def __init__(self, world, chance):
        super().__init__(world, chance)
        self.numbers = itertools.count()
        self.names = {}  # References by message id and by correlation id.
        self.open = {}  # (dialect, body) of unanswered requests by reference.
        self.unsent = {}  # The unacknowledged requests of `open`.
        self.answered = {}  # (message id, requester) of answered requests by reference.

    def register(self):
        for dialect in DIALECTS:
            self.agent(self.asker(dialect), dialect)

    def asker(self, dialect):
        return f"{self.kind}-{dialect}"

    def open_names(self):
        return list(self.open)

    def fresh(self):
        number = next(self.numbers)
        dialect, target = DIALECTS[number % 5], DIALECTS[number // 5 % 5]
        name, priority = f"{self.kind}.{dialect}.{number}", PRIORITIES[number // 3 % 4]
        is_silent = number % SILENT_EVERY == SILENT_EVERY - 1
        to, timeout_ms = (silent_of(target), SILENT_MS) if is_silent else (worker_of(target), TIMEOUT_MS)
        body = REQUESTS[dialect](name, self.asker(dialect), to, priority, timeout_ms)
        self.world.sent[name] = Sent("request", priority_of(dialect, True, priority), to)
        self.names[id_of(dialect, name)] = name
        self.names[conversation_of(name) if dialect == "correlation" else name] = name
        self.open[name] = self.unsent[name] = (dialect, body)
        return name

    def may_ask(self):
        return self.begins() and len(self.open) < OPEN_REQUESTS

    def note_accepted(self, name, answer):
        self.unsent.pop(name, None)
        self.ledger.accepted("request", name, answer["sequence"], self.world.sent[name].priority, awaits_answer=True)

    def note_answer(self, answer, via, attempt=None):
        """Enters an answer into the ledger; returns the reference of the answered request."""
        name = answered_name(answer, self.names)
        if name is None:
            raise AssertionError(f"{self.kind} was shown an answer to nothing that it asked: {answer}")
        self.ledger.answered("request", name, outcome_in(answer), via, attempt)
        if name in self.open:
            dialect, _ = self.open.pop(name)
            self.answered[name] = (id_of(dialect, name), self.asker(dialect))
        self.unsent.pop(name, None)
        return name

    def account(self):
        """Checks that `GET /v1/requests/{id}` shows the answer that the requester got."""
        for name in self.chance.sample(sorted(self.answered), min(len(self.answered), LOOKED_AT)):
            number, asker = self.answered[name]
            status, shown = self.line.insist("GET", f"/v1/requests/{number}", headers={"Parlance-Agent": asker})
            self.ledger.answered("request", name, outcome_in(shown.get("answer", f"{status} {shown}")), "request route")

    def poll_answers(self, wait_ms=0):
        """Takes and settles all deliveries that wait for the requesters."""
        for dialect in DIALECTS:
            _, inbox = self.line.ask("GET", f"/v1/agents/{self.asker(dialect)}/inbox?max=10&wait={wait_ms}")
            for delivery in inbox["messages"]:
                name = self.note_answer(delivery["message"], "inbox", delivery["attempt"])
                status, answer = self.line.ask("POST", f"/v1/deliveries/{delivery['delivery_id']}/ack")
                if status == 204:
                    self.ledger.answer_settled("request", name, delivery["attempt"])
                else:
                    assert answer["code"] in STALE_CODES, f"ack of the answer to {name}: {status} {answer}"


class SocketRequests(RequestLoad):
    """Requests sent and answered over WebSocket."""

    kind = "request-socket"

    def work(self):
        self.connect([self.asker(dialect) for dialect in DIALECTS], CREDIT)
        if self.may_ask():
            name = self.fresh()
            dialect, body = self.open[name]
            self.sockets[self.asker(dialect)].socket.say({"send": [body]})
        for duplex, frame in self.frames(0.02):
            self.hear(duplex, frame)

    def connected(self, duplex):
        unsent = [body for dialect, body in self.unsent.values() if self.asker(dialect) == duplex.agent]
        if unsent:
            duplex.socket.say({"send": unsent})

    def hear(self, duplex, frame):
        for item in frame.get("refused", []):
            if "delivery_id" not in item:
                refuse_nothing(0, item)
        for answer in frame.get("accepted", []):
            self.note_accepted(self.names[answer["message_id"]], answer)
        for delivery in frame.get("deliver", []):
            name = self.note_answer(delivery["message"], "socket", delivery["attempt"])
            duplex.settle("ack", delivery["delivery_id"], delivery["delivery_id"],
                          lambda name=name, attempt=delivery["attempt"]: self.ledger.answer_settled("request", name, attempt))


class PollRequests(RequestLoad):
    """Requests sent over HTTP, with answers taken from the inbox, sometimes by a poll whose answer is not read."""

    kind = "request-poll"

    def work(self):
        for name, (_, body) in list(self.unsent.items()):
            self.send(name, body)
        if self.may_ask():
            name = self.fresh()
            self.send(name, self.open[name][1])
        if self.begins() and self.chance.random() < 0.05:
            self.line.drop(f"/v1/agents/{self.asker(self.chance.choice(DIALECTS))}/inbox?max=2")
        self.poll_answers(0 if self.may_ask() else 20)

    def send(self, name, body):
        status, answer = self.line.ask("POST", "/v1/messages", body)
        if refuse_nothing(status, answer):
            self.note_accepted(name, answer)


class WaitRequests(RequestLoad):
    """Requests sent one at a time with `Prefer: wait`, and repeated under the same id until the answer arrives. Sometimes
    an old request is repeated, which must get its first answer (D4, W2)."""

    kind = "request-wait"

    def __init__(self, world, chance):
        super().__init__(world, chance)
        self.finished = []

    def work(self):
        if not self.open and self.begins():
            self.fresh()
        for name, (dialect, body) in list(self.open.items()):
            self.ask(name, dialect, body)
        if self.begins() and self.finished and self.chance.random() < 0.1:
            self.ask(*self.chance.choice(self.finished))
        if not self.begins() or self.chance.random() < 0.2:
            self.poll_answers()
        if not self.open:
            time.sleep(0.01)

    def ask(self, name, dialect, body):
        status, answer = self.line.ask("POST", "/v1/messages", body,
                                       {"Prefer": "wait=2000", "Parlance-Agent": self.asker(dialect)})
        if status == 202:
            self.note_accepted(name, answer)
        elif refuse_nothing(status, answer, (200,)):
            shown = self.note_answer(answer, "wait")
            assert shown == name, f"asked {name}, and was told the answer to {shown}"
            self.finished.append((name, dialect, body))


class Delegations(RequestLoad):
    """Delegations sent to `POST /v1/delegations`, and repeated under the same id after a kill."""

    kind = "delegation"

    def register(self):
        self.agent("delegation-asker", "delegation")

    def asker(self, _dialect):
        return "delegation-asker"

    def fresh(self):
        number = next(self.numbers)
        name = f"{self.kind}.{number}"
        to, priority = worker_of(DIALECTS[number % 5]), PRIORITIES[number % 4]
        body = REQUESTS["delegation"](name, "delegation-asker", to, priority, TIMEOUT_MS)
        self.world.sent[name] = Sent("request", priority, to)
        self.names[id_of("delegation", name)] = self.names[name] = name
        self.open[name] = ("delegation", body)

    def work(self):
        if not self.open and self.begins():
            self.fresh()
        for name, (_, body) in list(self.open.items()):
            headers = {"X-Agent-Request-ID": body["request_id"], "X-Agent-Origin": body["origin_employee"]}
            status, answer = self.line.ask("POST", "/v1/delegations", body, headers)
            if refuse_nothing(status, answer, (200,)):
                shown = self.note_answer(answer, "delegation")
                assert shown == name, f"asked {name}, and was told the answer to {shown}"
        time.sleep(0.01 if self.open or self.begins() else 0.1)
