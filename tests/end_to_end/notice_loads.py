"""Loads of the kill test with one-way messages: between all dialects, in all priorities, over HTTP and WebSocket."""
import itertools
import json
import time

from dialect_forms import DIALECTS, NOTICES, PRIORITIES, id_of, priority_of, text_of
from ledger import AT_LEAST_ONCE
from patient_clients import Load, Sent
from worker_loads import refuse_nothing, worker_of

BACKLOG = 150  # Undelivered at-least-once messages at which senders wait for the workers.
REPEAT_EVERY = 20


class NoticeLoad(Load):
    """One-way messages. Each pair of sender and recipient is one task with messages of all priorities."""

    proof = ("accepted", "notice")

    def __init__(self, world, chance):
        super().__init__(world, chance)
        self.routes = itertools.cycle([(dialect, to) for to in DIALECTS for dialect in NOTICES])
        self.numbers = itertools.count()
        self.pending = []
        self.accepted = []

    def register(self):
        for dialect in NOTICES:
            self.agent(self.sender(dialect), dialect)

    def sender(self, dialect):
        return f"{self.kind}-{dialect}"

    def open_names(self):
        return [name for name, _, _ in self.pending]

    def fresh(self, dialect, to):
        """Returns (reference, dialect, body) of the next notice between a sender and a recipient."""
        number = next(self.numbers)
        task, name = f"{self.sender(dialect)}.{to}", f"{self.kind}.{dialect}.{number}"
        priority = priority_of(dialect, False, self.chance.choice(PRIORITIES))
        self.world.sent[name] = Sent("notice", priority, worker_of(to), task, number)
        if priority in AT_LEAST_ONCE:
            self.world.unsettled[name] = True
        body = NOTICES[dialect](name, self.sender(dialect), worker_of(to), priority, task)
        return name, dialect, body

    def holds_back(self):
        return len(self.world.unsettled) > BACKLOG or not self.begins()

    def take(self, item, answer):
        """Enters the hub's acknowledgement into the ledger."""
        self.ledger.accepted("notice", item[0], answer["sequence"], self.world.sent[item[0]].priority)
        self.accepted.append(item)


class HttpNotices(NoticeLoad):
    """Sends notices over HTTP, one at a time; sometimes repeats an old notice, also with other content (D4)."""

    kind = "notice-http"

    def work(self):
        if not self.pending:
            if self.holds_back():
                return time.sleep(0.01)
            self.pending = [self.fresh(*next(self.routes))]
        status, answer = self.line.ask("POST", "/v1/messages", self.pending[0][2])
        if refuse_nothing(status, answer):
            self.take(self.pending.pop(), answer)
        if len(self.accepted) % REPEAT_EVERY == 1:
            self.repeat(self.chance.choice(self.accepted))

    def repeat(self, item):
        name, _, body = item
        status, answer = self.line.ask("POST", "/v1/messages", body)
        if refuse_nothing(status, answer):
            self.ledger.accepted("notice", name, answer["sequence"], self.world.sent[name].priority)
        # The copy has the same reference, so that a worker would see the reference twice if the hub accepted the copy.
        other = json.loads(json.dumps(body).replace(text_of(name), f"{text_of(name)} with other content"))
        status, answer = self.line.ask("POST", "/v1/messages", other)
        if (status, answer.get("code")) != (409, "MESSAGE_ID_CONFLICT"):
            self.ledger.conflict_accepted("notice", name, f"{status} {answer}")


class SocketNotices(NoticeLoad):
    """Sends notices over WebSocket, several per frame; repeats the whole frame after a kill."""

    kind = "notice-socket"

    def work(self):
        self.connect([self.sender(dialect) for dialect in NOTICES], 0)
        if not self.pending:
            if self.holds_back():
                return time.sleep(0.01)
            self.send_frames()
        for _, frame in self.frames(0.2):
            self.hear(frame)

    def send_frames(self):
        for dialect in NOTICES:
            to = self.chance.choice(DIALECTS)
            self.pending += [self.fresh(dialect, to) for _ in range(3)]
        for duplex in self.sockets.values():
            self.connected(duplex)

    def connected(self, duplex):
        mine = [body for _, dialect, body in self.pending if self.sender(dialect) == duplex.agent]
        if mine:
            duplex.socket.say({"send": mine})

    def hear(self, frame):
        for item in frame.get("refused", []):
            refuse_nothing(0, item)
        for answer in frame.get("accepted", []):
            for item in [item for item in self.pending if id_of(item[1], item[0]) == answer["message_id"]]:
                self.pending.remove(item)
                self.take(item, answer)
