"""A hanging sync (delayed by strace): the hub reports its health, and no message is lost.

While the main loop's thread waits for the disk, another thread answers /healthz with 200 and /readyz with 503 and the
duration, also on connections that the loop had accepted, and beside many idle connections.
Proves G7, D1: a hanging disk delays acknowledgements, and neither hides the hub's health nor loses a message.
"""
import http.client
import json
import socket
import ssl
import subprocess
import sys
import threading
import time

from hub import BINARY, Hub, Scratch, ask_on, check, message, skip_without_strace

HANG_SECONDS = 8  # Less than the 10 s for which a connection may be silent before its first request.
SETTINGS = "[journal]\nsegment_bytes = 262144\n"  # A start then needs few syncs.
PROBE_SECONDS = 2  # Much less than the sync hangs.
BEFORE = 40  # Syncs of the loop's thread before the one that hangs: a start, a registration and some messages.


def hanging():
    return ["strace", "-f", "-D", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync",
            "-e", f"inject=fdatasync:delay_enter={HANG_SECONDS * 1_000_000}:when={BEFORE}"]


class SecureHub(Hub):
    """A hub with TLS; alice has a token."""

    def __init__(self, data, settings):
        super().__init__(data, settings)
        self.parlance("cert", "init", "--data", data)
        self.tokens = {who: json.loads(self.parlance("token", "mint", "--json", "--data", data, f"--{kind}", who))["token"]
                       for kind, who in (("operator", "olga"), ("agent", "alice"))}

    @staticmethod
    def parlance(*words):
        return subprocess.run([BINARY, *words], check=True, capture_output=True, text=True, timeout=30).stdout

    def launch(self, wrapper=(), env=None):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*wrapper, BINARY, "serve", "--data", self.data, "--listen", f"127.0.0.1:{self.port}",
                 "--config", self.config], stdout=log, stderr=log)
        self.starts += 1

    def line(self, timeout):
        context = ssl.create_default_context(cafile=self.data + "/identity/ca.pem")
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=context)

    def ask(self, method, path, body=None, headers=None, timeout=20):
        token = self.tokens["olga" if method == "PUT" else "alice"]
        return super().ask(method, path, body, {"Authorization": "Bearer " + token, **(headers or {})}, timeout)


SENDS_MAX = 20  # Attempts per message.


class Sender(threading.Thread):
    """Sends messages one after another, and records acknowledgements and the start of the current wait."""

    def __init__(self, hub, count):
        super().__init__()
        self.hub, self.count = hub, count
        self.acknowledged = set()
        self.failure = None
        self.asked_at = time.monotonic()

    def run(self):
        for number in range(self.count):
            self.asked_at = time.monotonic()
            item = message("alice", number)
            status, answer = self.send(item)
            if status != 202:
                self.failure = f"{status} {answer}"
                return
            self.acknowledged.add(f"alice-{number}")

    def send(self, item):
        """Sends a message again under the same id while there is no answer or a retryable one."""
        for attempt in range(SENDS_MAX):
            try:
                status, answer = self.hub.ask("POST", "/v1/messages", item, timeout=30)
            except OSError:  # A TLS handshake times out when the hang lasts longer.
                if attempt == SENDS_MAX - 1:
                    raise
                continue
            if status != 503 or not answer["retryable"]:
                break
            time.sleep(0.2)
        return status, answer


def wait_until_it_hangs(sender):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if sender.is_alive() and time.monotonic() - sender.asked_at > 2:
            return
        time.sleep(0.05)
    raise AssertionError(f"no sync hangs: {sender.failure} {len(sender.acknowledged)}")


def check_while_it_hangs(hub):
    for _ in range(3):
        begin = time.monotonic()
        status, answer = hub.ask("GET", "/healthz", timeout=PROBE_SECONDS)
        check(status == 200 and answer["status"] == "alive", f"/healthz says {status} {answer}")
        status, answer = hub.ask("GET", "/readyz", timeout=PROBE_SECONDS)
        check(status == 503 and answer["reason"].startswith("sync pending for "), f"/readyz says {status} {answer}")
        check(time.monotonic() - begin < PROBE_SECONDS, "the answers take too long")
    status, answer = hub.ask("GET", "/readyz?verbose=1", timeout=PROBE_SECONDS)
    check(status == 503 and answer["condition"] == "sync_pending", f"{status} {answer}")
    status, answer = hub.ask("GET", "/healthzzz", timeout=PROBE_SECONDS)
    check(status == 503, f"another path is taken for /healthz: {status} {answer}")

    # Anything else is refused, whole, and may be sent again.
    line = hub.line(PROBE_SECONDS)
    line.request("POST", "/v1/messages", "x" * 100_000)
    refused = line.getresponse()
    check(refused.status == 503 and refused.getheader("Retry-After") == "1", f"{refused.status}")
    line.close()


class IdleClients:
    """Connections without TLS that the loop accepted before the hang: kept alive after an answer, or without a request."""

    def __init__(self, hub):
        self.hub = hub
        self.lines = [hub.line(PROBE_SECONDS) for _ in range(6)]
        for line in self.lines[:3]:
            check(ask_on(line, "GET", "/healthz")[0] == 200, "no health before the hang")
        for line in self.lines[3:]:
            line.connect()
        hub.ask("GET", "/healthz")  # The loop accepts connections in order, so the earlier connections are accepted.

    def check_while_it_hangs(self):
        for line in (self.lines[0], self.lines[3]):
            status, answer = ask_on(line, "GET", "/healthz")
            check(status == 200 and answer["status"] == "alive", f"/healthz says {status} {answer}")
        for line in (self.lines[1], self.lines[4]):
            status, answer = ask_on(line, "GET", "/readyz")
            check(status == 503 and answer["condition"] == "sync_pending", f"/readyz says {status} {answer}")
        # The loop receives the rest of these requests when the disk answers.
        for line in (self.lines[2], self.lines[5]):
            line.request("GET", "/v1/agents/worker")

    def check_afterwards(self):
        for line in (self.lines[2], self.lines[5]):
            line.sock.settimeout(20)
            answer = line.getresponse()
            check(answer.status == 200 and b"taskwire" in answer.read(), f"{answer.status}")
        for line in self.lines:
            line.close()


def silent_connections_keep_nobody_out(hub):
    silent = [socket.create_connection(("127.0.0.1", hub.port)) for _ in range(100)]
    status, answer = hub.ask("GET", "/healthz", timeout=PROBE_SECONDS)
    check(status == 200 and answer["status"] == "alive", f"/healthz says {status} {answer}")
    for line in silent:
        line.close()


def clients_that_stay_keep_nobody_out(hub):
    """Clients that keep their connection after an answer, or stop inside a request, do not block health probes."""
    lines = [socket.create_connection(("127.0.0.1", hub.port)) for _ in range(200)]
    for number, line in enumerate(lines):
        line.sendall(b"GET /v1/agents HTTP/1.1\r\nHost: localhost\r\n\r\n" if number % 2 else b"G")
    status, answer = hub.ask("GET", "/healthz", timeout=2)
    check(status == 200 and answer["status"] == "alive", f"/healthz says {status} {answer}")
    for line in lines:
        line.close()


def hang_once(hub):
    """Delays one sync; returns the ids of the messages acknowledged until the hub continues."""
    hub.launch(hanging())
    check(hub.is_up(20), f"the hub does not start: {hub.last_words()}")
    status, answer = hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})
    check(status == 200, f"no registration: {answer}")
    check(hub.ask("GET", "/readyz")[0] == 200, "it is not ready")
    idle = None if isinstance(hub, SecureHub) else IdleClients(hub)
    sender = Sender(hub, BEFORE + 10)
    sender.start()
    wait_until_it_hangs(sender)
    known = len(sender.acknowledged)
    hub.awaits_disk = False
    if idle:
        idle.check_while_it_hangs()
    check_while_it_hangs(hub)
    silent_connections_keep_nobody_out(hub)
    clients_that_stay_keep_nobody_out(hub)
    check(len(sender.acknowledged) == known, "a message was acknowledged while its sync hung")
    hub.awaits_disk = True
    sender.join(60)
    if idle:
        idle.check_afterwards()
    check(sender.failure is None, f"after the sync: {sender.failure}")
    check(len(sender.acknowledged) == BEFORE + 10, f"only {len(sender.acknowledged)} were acknowledged")
    check(hub.ask("GET", "/readyz")[0] == 200, "the disk answers, and the hub is not ready")
    return sender.acknowledged


def nothing_is_lost(scratch):
    hub = Hub(scratch + "/plain", SETTINGS)
    try:
        acknowledged = hang_once(hub)
        hub.kill()
        hub.start()
        there = {item["id"] for item in hub.drain("worker")}
        check(there == acknowledged, f"lost: {sorted(acknowledged - there)}")
        check(hub.stop() == 0, "no clean stop")
        check(not hub.verify(), "the journal does not verify")
    finally:
        hub.kill()


def over_tls_too(scratch):
    hub = SecureHub(scratch + "/tls", SETTINGS)
    try:
        hang_once(hub)
        check(hub.stop() == 0, "no clean stop")
    finally:
        hub.kill()


def main():
    skip_without_strace()
    with Scratch() as scratch:
        for test in (nothing_is_lost, over_tls_too):
            test(scratch)
            print(f"ok: {test.__name__.replace('_', ' ')}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
