"""The kill test's agents that receive notices and requests, one per dialect, over WebSocket and by polling."""
import itertools
import json
import time

from dialect_forms import CAPABILITY, DIALECTS, NOW, reference_in, reply_to, text_of
from patient_clients import Load

CREDIT = 8
PROMPT_S = 0.8  # Less than a lease of the kill test.
STALE_CODES = ("DELIVERY_STALE", "REQUEST_ALREADY_ANSWERED")


def worker_of(dialect):
    return f"worker-{dialect}"


def silent_of(dialect):
    """Returns the name of an agent that never takes its deliveries."""
    return f"silent-{dialect}"


def refuse_nothing(status, answer, expected=(202,)):
    """Returns whether the hub accepted a message; fails on a permanent refusal, which no load expects."""
    if status not in expected and not answer.get("retryable"):
        raise AssertionError(f"refused: {status} {answer}")
    return status in expected


class Worker(Load):
    """Takes notices and requests as five agents, one per dialect; settles most deliveries, and refuses or forgets some."""

    proof = None

    def __init__(self, world, chance):
        super().__init__(world, chance)
        self.marks = itertools.count()

    def register(self):
        for agent_of in (worker_of, silent_of):
            for dialect in DIALECTS:
                self.agent(agent_of(dialect), dialect, capabilities=[CAPABILITY])

    def mark(self):
        return f"{self.kind}.{next(self.marks)}"

    def see(self, dialect, delivery, since):
        """(verb, reference) after the delivery is in the ledger; the verb is None if the worker forgets it.

        The hub sent the delivery at the moment `since` or later. A delivery that the worker reads when its lease may be over
        says nothing about the order within its task: another worker may have been handed the next message by then.
        """
        name = reference_in(delivery["message"])
        sent = self.world.sent.get(name)
        if sent is None or sent.to != worker_of(dialect):
            detail = f"{worker_of(dialect)} was handed {json.dumps(delivery['message'])[:300]}"
            self.ledger.misdelivered("notice", name or delivery["delivery_id"], detail)
            return None, name
        task = sent.task if time.monotonic() - since < PROMPT_S else None
        self.ledger.delivered(sent.kind, name, delivery["attempt"], sent.priority, task, sent.number)
        self.world.unsettled.pop(name, None)
        lot = self.chance.random()
        if lot < 0.02:
            return None, name
        if lot < 0.05:
            return "nack", name
        if sent.kind != "notice":
            return "reply", name
        return ("final" if lot < 0.06 else "ack"), name

    def note_settled(self, name, attempt, verb, outcome, dialect):
        kind = self.world.sent[name].kind
        if verb != "nack":
            self.ledger.settled(kind, name, attempt)
        if verb == "reply":
            self.ledger.reply_acknowledged(kind, name, outcome, worker_of(dialect))


class SocketWorker(Worker):
    """Workers over WebSocket."""

    kind = "worker-socket"

    def work(self):
        self.connect([worker_of(dialect) for dialect in DIALECTS], CREDIT)
        for duplex, frame in self.frames(0.2):
            dialect = duplex.agent.split("-")[1]
            for delivery in frame.get("deliver", []):
                self.settle(duplex, dialect, delivery)

    def settle(self, duplex, dialect, delivery):
        verb, name = self.see(dialect, delivery, duplex.caught_up_at)
        number, attempt, mark = delivery["delivery_id"], delivery["attempt"], self.mark()

        def when_durable():
            self.note_settled(name, attempt, verb, mark, dialect)

        if verb == "ack":
            duplex.settle("ack", number, number, when_durable)
        elif verb == "reply":
            duplex.settle("reply", {"delivery_id": number, "message": reply_to(dialect, name, mark)}, number, when_durable)
        elif verb is not None:
            duplex.settle("nack", {"delivery_id": number, "reason": "by lot", "final": verb == "final"}, number, when_durable)


class PollWorker(Worker):
    """Workers that poll, sometimes without reading the answer. A settlement with unknown outcome is sent again, a reply
    with another mark."""

    kind = "worker-poll"

    def work(self):
        found = False
        if self.chance.random() < 0.2:
            self.line.drop(f"/v1/agents/{worker_of(self.chance.choice(DIALECTS))}/inbox?max=4")
        for dialect in DIALECTS:
            since = time.monotonic()
            _, inbox = self.line.ask("GET", f"/v1/agents/{worker_of(dialect)}/inbox?max=4")
            # All of them are in the ledger before the first is settled: on a slow disk that takes longer than a lease.
            seen = [(delivery, *self.see(dialect, delivery, since)) for delivery in inbox["messages"]]
            for delivery, verb, name in seen:
                found = True
                self.settle(dialect, delivery, verb, name)
        if not found:
            time.sleep(0.02)

    def settle(self, dialect, delivery, verb, name):
        for _ in range(2):
            try:
                return self.settle_once(verb, name, dialect, delivery)
            except OSError:
                time.sleep(0.1)
        return None

    def settle_once(self, verb, name, dialect, delivery):
        if verb is None:
            return
        mark = self.mark()
        body = {"reply": reply_to(dialect, name, mark), "ack": None, "nack": {"reason": "by lot"},
                "final": {"reason": "by lot", "final": True}}[verb]
        path = "nack" if verb == "final" else verb
        status, answer = self.line.ask("POST", f"/v1/deliveries/{delivery['delivery_id']}/{path}", body)
        if status in (202, 204):
            self.note_settled(name, delivery["attempt"], verb, mark, dialect)
            if verb == "reply" and self.chance.random() < 0.2:
                self.answer_again(name, dialect, delivery)
        else:
            assert answer["code"] in STALE_CODES, f"{verb} of {name}: {status} {answer}"

    def answer_again(self, name, dialect, delivery):
        """W2: a second answer with another mark is dropped. In taskwire the second answer is a message with the request's id."""
        mark, asked = self.mark(), delivery["message"]
        path, body = f"/v1/deliveries/{delivery['delivery_id']}/reply", reply_to(dialect, name, mark)
        if dialect == "taskwire":
            path, body = "/v1/messages", {
                "id": f"again.{mark}", "from": worker_of(dialect), "to": asked["from"], "type": "TASK_COMPLETE", "timestamp": NOW,
                "payload": {"request_id": asked["id"], "answer": f"{text_of(name)} said:{mark};"},
                "metadata": {"correlation_id": asked.get("metadata", {}).get("correlation_id", name)}}
        status, answer = self.line.ask("POST", path, body)
        if status in (202, 204):
            self.ledger.reply_acknowledged(self.world.sent[name].kind, name, mark, worker_of(dialect))
        else:
            assert answer["code"] in STALE_CODES, f"a second answer to {name}: {status} {answer}"
