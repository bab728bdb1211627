"""Clients that survive kills of the hub: they reconnect, and repeat unacknowledged messages under the same id.

A client that gets OSError does not know whether the hub acted on the request. The functions here raise OSError, and the
loads decide which messages to repeat.
"""
import collections
import http.client
import select
import socket
import threading
import time
import traceback

from hub import Socket, ask_on

TIMEOUT_S = 10
INSISTS_S = 60
HUB_AWAY_S = 0.01
NOT_READY = 503


class Stopped(Exception):
    """The test ends: waiting clients give up."""


class World:
    """Shared by the loads of one run: the hub, the ledger and the progress of the run."""

    def __init__(self, hub, ledger):
        self.hub, self.ledger = hub, ledger
        self.sent = {}  # Sent messages and requests by reference, for comparison with deliveries.
        self.unsettled = {}  # References of undelivered at-least-once messages.
        self.closing = threading.Event()  # Set at the end: loads start nothing new and finish open items.
        self.stopping = threading.Event()
        self.failures = []


Sent = collections.namedtuple("Sent", "kind priority to task number", defaults=(None, None, None))


class Line:
    """One persistent HTTP connection, reopened after an error."""

    def __init__(self, world):
        self.world, self.connection = world, None

    def ask(self, method, path, body=None, headers=None):
        """Returns (status, answer); raises OSError without an answer, or if the hub is not ready."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.world.hub.port, timeout=TIMEOUT_S)
        try:
            status, answer = ask_on(self.connection, method, path, body, headers)
        except (OSError, ValueError) as error:
            self.close()
            raise OSError(str(error)) from error
        if status == NOT_READY:
            raise OSError(f"not ready: {answer}")
        return status, answer

    def insist(self, method, path, body=None, headers=None):
        """The same until there is an answer, for a minute; Stopped if the test ends first."""
        end = time.monotonic() + INSISTS_S
        while not self.world.stopping.is_set():
            try:
                return self.ask(method, path, body, headers)
            except OSError:
                if time.monotonic() > end:  # The hub has ended, and nobody starts it again.
                    raise
                time.sleep(HUB_AWAY_S)
        raise Stopped

    def drop(self, path):
        """Sends a poll and closes the connection before reading the answer, so that deliveries in the answer are lost."""
        with socket.create_connection(("127.0.0.1", self.world.hub.port), timeout=TIMEOUT_S) as line:
            line.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class Duplex:
    """The WebSocket of one agent, with the unanswered settlements in order."""

    def __init__(self, world, agent, credit):
        self.agent = agent
        self.socket = Socket(world.hub.port, agent, timeout=TIMEOUT_S, credit=credit)
        self.unanswered = collections.deque()  # (delivery id, what to do once the settlement is on disk)
        self.caught_up_at = time.monotonic()  # When the client last had read everything that the hub had sent.

    def settle(self, verb, item, delivery, when_durable):
        """Sends an ack, nack or reply for one delivery."""
        self.unanswered.append((delivery, when_durable))
        self.socket.say({verb: [item]})

    def hear(self):
        """Returns one frame of the hub, and handles the settlements that the frame answers."""
        frame = self.socket.hear()
        refused = {item.get("delivery_id") for item in frame.get("refused", []) if item.get("delivery_id")}
        if refused:
            self.unanswered = collections.deque(item for item in self.unanswered if item[0] not in refused)
        for _ in range(frame.get("settled", 0)):
            self.unanswered.popleft()[1]()
        return frame

    def has_frame(self):
        return bool(self.socket.heard or self.socket.waiting)

    def close(self):
        self.socket.close()


class Load(threading.Thread):
    """One kind of load: calls `work` repeatedly, also across kills of the hub."""

    kind = "load"
    proof = ("settled", "notice")  # Event and kind of the ledger entries that prove the load's activity.

    def __init__(self, world, chance):
        super().__init__(daemon=True, name=self.kind)
        self.world, self.ledger, self.chance = world, world.ledger, chance
        self.line = Line(world)
        self.sockets = {}

    def register(self):
        """Registers the load's agents, once, before the first kill."""

    def agent(self, name, dialect, **more):
        status, told = self.line.insist("PUT", f"/v1/agents/{name}", {"dialect": dialect, **more})
        assert status == 200, f"{name}: {status} {told}"

    def work(self):
        """Does one unit of work; raises OSError when the hub is down."""
        raise NotImplementedError

    def open_names(self):
        """Returns the names of unfinished items."""
        return []

    def account(self):
        """Enters the hub's final view of all finished items into the ledger."""

    def begins(self):
        return not self.world.closing.is_set()

    def run(self):
        try:
            while not self.world.stopping.is_set():
                try:
                    self.work()
                except OSError:
                    self.disconnect()
                    time.sleep(HUB_AWAY_S)
        except Stopped:
            pass
        except Exception:  # A failed thread fails the test.
            self.world.failures.append(f"{self.kind}: {traceback.format_exc()}")
        self.disconnect()

    def disconnect(self):
        self.line.close()
        for duplex in self.sockets.values():
            duplex.close()
        self.sockets = {}

    def connect(self, agents, credit):
        """Opens a WebSocket for each agent without one."""
        for agent in agents:
            if agent not in self.sockets:
                self.sockets[agent] = Duplex(self.world, agent, credit)
                self.connected(self.sockets[agent])

    def connected(self, duplex):
        """Sends the first frames on a new connection."""

    def frames(self, wait_s):
        """Yields (duplex, frame) for each frame that the hub sends within the time."""
        duplexes = list(self.sockets.values())
        has_frames = any(duplex.has_frame() for duplex in duplexes)
        readable = select.select([duplex.socket.line for duplex in duplexes], [], [], 0 if has_frames else wait_s)[0]
        now = time.monotonic()
        for duplex in duplexes:
            if duplex.has_frame() or duplex.socket.line in readable:
                yield duplex, duplex.hear()
            else:
                duplex.caught_up_at = now
