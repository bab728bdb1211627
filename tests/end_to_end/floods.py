"""Floods beside well-behaved traffic: clients that never read answers, that send without end, and that stay idle.

`floods.py STORY...` runs the named functions below, or all functions without a name.

Proves G7: the hub's memory and file descriptors for a thousand such clients, known or unknown, are bounded
Proves G6: meanwhile /healthz answers, and every message of the well-behaved agents is accepted and delivered
"""
import http.client
import json
import multiprocessing
import os
import resource
import socket
import statistics
import subprocess
import sys
import threading
import time

from hub import BINARY, Hub, Scratch, Socket, ask_on, check, message, skip

CONNECTIONS = 1000
FLOOD_SECONDS = 6
GROWTH_MAX = 256 << 20
STREAMS_GROWTH_MAX = 384 << 20  # For a thousand event streams.
LAST = "last"
PATIENCE = 1.0  # Seconds, on an idle machine; the test prints the measured time.


class ProvingHub(Hub):
    """A hub without --dev and without TLS on loopback: callers need tokens."""

    def launch(self, wrapper=(), env=None):
        with open(self.log, "ab") as log:
            words = [BINARY, "serve", "--data", self.data, "--listen", f"127.0.0.1:{self.port}"]
            self.process = subprocess.Popen([*wrapper, *words, *(["--config", self.config] if self.config else [])],
                                            stdout=log, stderr=log)
        self.starts += 1

    def token(self, *words):
        made = subprocess.run([BINARY, "token", "mint", "--json", "--data", self.data, *words],
                              capture_output=True, text=True, timeout=60, check=True)
        return json.loads(made.stdout)["token"]

    def memory(self, key):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith(key + ":"))


def bearer(token):
    return {"Authorization": "Bearer " + token}


class ProvedSocket(Socket):
    def __init__(self, port, agent, token, **hello):
        self.token = token
        super().__init__(port, agent, timeout=30, **hello)

    def headers(self):
        return f"Authorization: Bearer {self.token}\r\n"


class Background:
    """Calls `run` in a thread that stops when the block ends; the end of the block raises the thread's exception."""

    def __enter__(self):
        self.stops = threading.Event()
        self.failure = None
        self.thread = threading.Thread(target=self.guarded)
        self.thread.start()
        return self

    def guarded(self):
        try:
            self.run()
        except Exception as error:
            self.failure = error

    def __exit__(self, kind, *_):
        self.stops.set()
        self.thread.join(60)
        if kind is None and self.failure is not None:
            raise self.failure


class HealthProbe(Background):
    """Measures /healthz on a separate connection."""

    def __init__(self, hub):
        self.hub = hub
        self.seconds = []

    def run(self):
        line = http.client.HTTPConnection("127.0.0.1", self.hub.port, timeout=30)
        while not self.stops.is_set():
            began = time.monotonic()
            status, answer = ask_on(line, "GET", "/healthz")
            self.seconds.append(time.monotonic() - began)
            check(status == 200, f"/healthz: {status} {answer}")
            time.sleep(0.01)

    def report(self, what):
        late = sorted(self.seconds)[len(self.seconds) * 99 // 100 - 1]
        print(f"    {what}: /healthz {statistics.median(self.seconds) * 1e3:.1f} ms median, {late * 1e3:.1f} ms p99, "
              f"{max(self.seconds) * 1e3:.1f} ms at most, of {len(self.seconds)}", flush=True)
        patience = PATIENCE * max(1.0, os.getloadavg()[0] / os.cpu_count())
        check(late < patience, f"{what}: one in a hundred /healthz takes {late:.2f} s and more, above {patience:.2f}")


class GoodAgents(Background):
    """A sender over HTTP and a recipient over WebSocket; every accepted message arrives once and in order."""

    def __init__(self, hub, sender, worker):
        self.hub, self.sender = hub, sender
        self.socket = ProvedSocket(hub.port, "worker", worker, credit=64)
        self.sent = 0
        self.taken = []
        self.taker = threading.Thread(target=self.take)

    def run(self):
        self.taker.start()
        line = http.client.HTTPConnection("127.0.0.1", self.hub.port, timeout=30)
        while not self.stops.is_set():
            self.send(line, self.sent)
            self.sent += 1
            time.sleep(0.005)
        self.send(line, LAST)
        self.taker.join(30)
        check(self.taken == [*range(self.sent), LAST], f"{self.sent} sent, {len(self.taken)} taken: {self.taken[-5:]}")
        self.socket.close()

    def send(self, line, number):
        status, answer = ask_on(line, "POST", "/v1/messages", message("good", number), bearer(self.sender))
        check(status == 202, f"message {number}: {status} {answer}")

    def take(self):
        while LAST not in self.taken[-1:]:
            for item in self.socket.hear().get("deliver", []):
                self.taken.append(item["message"]["payload"]["n"])
                self.socket.say({"ack": [item["delivery_id"]]})


def flood(port, requests, seconds, opened):
    """Each connection repeats its request as long as the hub reads, and reads no answer."""
    lines = {}
    for number in range(CONNECTIONS):
        line = socket.create_connection(("127.0.0.1", port), timeout=30)
        line.setblocking(False)
        lines[line] = requests[number % len(requests)]
    opened.set()
    end = time.monotonic() + seconds
    while lines and time.monotonic() < end:
        moved = False
        for line in list(lines):
            try:
                moved = line.send(lines[line]) > 0 or moved
            except BlockingIOError:
                pass
            except OSError:
                line.close()
                del lines[line]
        if not moved:
            time.sleep(0.02)
    os._exit(0)


def run_flood(hub, what, requests, good):
    """Runs a flood beside well-behaved traffic, and checks memory, /healthz and the well-behaved agents meanwhile."""
    opened = multiprocessing.Event()
    flooder = multiprocessing.Process(target=flood, args=(hub.port, requests, FLOOD_SECONDS, opened))
    with HealthProbe(hub) as probe:
        flooder.start()
        check(opened.wait(60), f"{what}: the flood cannot connect")
        sent = good.sent
        flooder.join(FLOOD_SECONDS + 60)
        check(hub.process.poll() is None, f"{what}: the hub ended: {hub.last_words()}")
        check(good.failure is None, f"{what}: {good.failure}")
        check(good.sent > sent, f"{what}: no good message came through")
    growth = hub.memory("VmHWM") - hub.memory_before
    print(f"    {what}: by now {growth >> 20} MiB more memory at most, {good.sent - sent} good messages meanwhile", flush=True)
    check(growth <= GROWTH_MAX, f"{what}: {growth >> 20} MiB more memory")
    probe.report(what)


def pipelined(method, path, token=None, body=b"", count=500):
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    if token:
        head += f"Authorization: Bearer {token}\r\n"
    return (head.encode() + b"\r\n" + body) * count


def known_clients_that_pipeline_and_read_nothing(hub, good, tokens):
    operator = tokens["operator"]
    run_flood(hub, "known, GET", [pipelined("GET", path, operator)
                                  for path in ("/v1/agents", "/openapi.json", "/metrics")], good)


def known_clients_that_post_and_read_nothing(hub, good, tokens):
    """Clients with tokens send refused messages and endless bodies, and read no answer."""
    wrong = pipelined("POST", "/v1/messages", tokens["rowdy"], b'{"from":"rowdy"}' + b" " * 2000, 100)
    endless = pipelined("POST", "/v1/messages", tokens["rowdy"], b"x" * (1 << 20), 1)[:-1]
    run_flood(hub, "known, POST", [wrong, endless], good)


def strangers_that_pipeline_and_read_nothing(hub, good, _):
    run_flood(hub, "unknown, GET", [pipelined("GET", path) for path in ("/v1/agents", "/healthz", "/nowhere")], good)


def strangers_that_post(hub, good, _):
    body = b"x" * (1 << 20)
    run_flood(hub, "unknown, POST", [pipelined("POST", "/v1/messages", None, body, 1)[:-1],
                                     pipelined("GET", "/healthz", None, body, 1)[:-1]], good)


def a_stranger_is_refused_before_its_body(hub, _, tokens):
    """A caller without identity is refused before the body is sent; the hub waits for the body of a known caller."""
    for path, token, status in (("/v1/messages", None, b"401"), ("/v1/messages", "plt_wrong", b"401"),
                                ("/healthz", None, b"413"), ("/v1/agents/good/inbox", tokens["good"], b"413")):
        line = socket.create_connection(("127.0.0.1", hub.port), timeout=10)
        method = "POST" if path == "/v1/messages" else "GET"
        line.sendall(pipelined(method, path, token, b"x" * 500_000, 1)[:400])
        answer = b""
        while fresh := line.recv(65536):
            answer += fresh
        check(answer.startswith(b"HTTP/1.1 " + status), f"{path}: {answer[:200]}")
        check(b"\r\nConnection: close\r\n" in answer, str(answer[:400]))
        line.close()
    line = socket.create_connection(("127.0.0.1", hub.port), timeout=10)
    request = pipelined("POST", "/v1/messages", tokens["good"], json.dumps(message("good", "x", to="nobody")).encode(), 1)
    line.sendall(request[:-1])
    line.settimeout(0.3)
    try:
        check(False, f"answered before the body was whole: {line.recv(65536)}")
    except TimeoutError:
        pass
    line.settimeout(10)
    line.sendall(request[-1:])
    check(line.recv(65536).startswith(b"HTTP/1.1 404 "), "there is nobody")
    line.close()


def frames_whose_refusals_nobody_reads(hub, _, tokens):
    """Refusals for one frame with half a million invalid items would take hundreds of megabytes."""
    for number in range(8):
        line = ProvedSocket(hub.port, "rowdy", tokens["rowdy"], instance=f"i-{number}")
        count = 400_000 if number % 2 else 4_000  # Above and below the limit of items per frame.
        frame = b'{"ack":[' + b"0," * count + b"0]}"
        try:
            line.write(1, frame)
            while True:
                line.hear()
        except OSError as error:
            check("closed 1008" in str(error), str(error))
        line.close()
    growth = hub.memory("VmHWM") - hub.memory_before
    check(growth <= GROWTH_MAX, f"{growth >> 20} MiB more memory")


def drain_quietly(lines, seconds):
    """Reads and discards bytes until the connection ends."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for line in lines:
            try:
                while line.recv(1 << 18):
                    pass
            except OSError:
                pass
        time.sleep(0.02)


def descriptors(hub):
    return len(os.listdir(f"/proc/{hub.process.pid}/fd"))


def watch_memory(hub):
    """Returns the hub's memory and resets VmHWM, the peak memory."""
    with open(f"/proc/{hub.process.pid}/clear_refs", "w") as refs:
        refs.write("5")
    return hub.memory("VmRSS")


def a_thousand_event_streams(hub, good, _):
    """A thousand streams from the first record, of which some are read, share few files and little memory."""
    viewers = [hub.token("--operator", f"viewer-{number}", "--role", "viewer") for number in range(20)]
    before, memory_before = descriptors(hub), watch_memory(hub)
    lines = [socket.create_connection(("127.0.0.1", hub.port), timeout=30) for _ in range(CONNECTIONS)]
    for number, line in enumerate(lines):
        line.sendall(pipelined("GET", "/v1/events?from=1", viewers[number % len(viewers)], count=1))
        line.setblocking(False)
    with HealthProbe(hub) as probe:
        drain_quietly(lines[::10], 3)
        most = descriptors(hub) - before
    growth = hub.memory("VmHWM") - memory_before
    print(f"    {CONNECTIONS} event streams: {growth >> 20} MiB more memory at most, {most} descriptors more", flush=True)
    check(most <= CONNECTIONS + 64, f"{most} descriptors for {CONNECTIONS} streams")
    check(growth <= STREAMS_GROWTH_MAX, f"{growth >> 20} MiB more memory")
    check(good.failure is None, str(good.failure))
    probe.report("event streams")
    for line in lines:
        line.close()


def takes_of_much_at_once(hub, good, tokens):
    """64 instances take 200 large messages at once; the hub holds only a few answers in memory at a time."""
    line = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=30)
    for number in range(200):
        item = message("good", f"large-{number}", to="rowdy")
        item["payload"] = {"task_id": f"t{number}", "text": "x" * 900_000}
        status, answer = ask_on(line, "POST", "/v1/messages", item, bearer(tokens["good"]))
        check(status == 202, f"{status} {answer}")
    before = watch_memory(hub)
    lines = [socket.create_connection(("127.0.0.1", hub.port), timeout=30) for _ in range(64)]
    with HealthProbe(hub) as probe:
        for number, one in enumerate(lines):
            one.sendall(pipelined("GET", f"/v1/agents/rowdy/inbox?max=1000&instance=i{number}", tokens["rowdy"], count=1))
        time.sleep(2)
    growth = hub.memory("VmHWM") - before
    print(f"    64 takes of 180 MB: {growth >> 20} MiB more memory at most", flush=True)
    check(growth <= 140 << 20, f"{growth >> 20} MiB more memory")
    check(good.failure is None, str(good.failure))
    probe.report("takes of much")
    for one in lines:
        one.close()


def heartbeats_without_end(hub, _, tokens):
    """60 connections of one agent send heartbeats as fast as possible; other callers are still served."""
    sockets = [ProvedSocket(hub.port, "rowdy", tokens["rowdy"], instance=f"h-{number}") for number in range(60)]
    burst = b"".join(b"\x81\x90\0\0\0\0" + b'{"heartbeat":{}}' for _ in range(2000))
    line = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=30)
    sent = 0
    for one in sockets:
        one.line.setblocking(False)
    end = time.monotonic() + 3
    rest = {one: b"" for one in sockets}
    while time.monotonic() < end:
        for one in sockets:
            try:
                rest[one] = (rest[one] or burst)
                rest[one] = rest[one][one.line.send(rest[one]):]
            except BlockingIOError:
                pass
        status, answer = ask_on(line, "POST", "/v1/messages", message("good", f"beside-{sent}", to="rowdy"),
                                bearer(tokens["good"]))
        check(status == 202, f"message {sent}: {status} {answer}")
        sent += 1
    print(f"    beside heartbeats: {sent} messages taken", flush=True)
    for one in sockets:
        one.line.close()


def frames_of_many_items(hub, _, tokens):
    """A frame of one megabyte with too many items is refused before the hub processes an item."""
    with HealthProbe(hub) as probe:
        one = ProvedSocket(hub.port, "rowdy", tokens["rowdy"], instance="many")
        one.say({"subscribe": [f"t{number}" for number in range(90_000)]})
        said = ""
        try:
            while True:
                said += json.dumps(one.hear())
        except OSError as error:
            said += str(error)
        check("INPUT_VALIDATION_FAILED" in said and "90000" in said and "closed 1008" in said, said[-400:])
        one.close()
    probe.report("a frame of 90,000 topics")


def talk(hub, tokens, name, count):
    """Makes a conversation with the given number of messages and a cancelled request, which the hub has answered."""
    line = ProvedSocket(hub.port, "talker", tokens["talker"], instance=name)
    for begin in range(0, count, 1000):
        line.say({"send": [{**message("talker", f"{name}-{begin + number}", to="quiet", kind="STATUS_UPDATE"),
                            "metadata": {"correlation_id": name}} for number in range(1000)]})
        taken = 0
        while taken < 1000:
            heard = line.hear()
            check("refused" not in heard, str(heard)[:400])
            taken += len(heard.get("accepted", []))
    request = {**message("talker", f"asked-{name}", to="quiet", kind="TASK_ASSIGNMENT"), "metadata": {"correlation_id": name}}
    status, answer = hub.ask("POST", "/v1/messages", request, bearer(tokens["talker"]))
    check(status == 202, f"{status} {answer}")
    status, answer = hub.ask("POST", f"/v1/workflows/talker-asked-{name}/cancel", {"reason": "enough"}, bearer(tokens["talker"]))
    check(status == 204, f"{status} {answer}")
    line.close()


def answers_streamed_again_and_again(hub, good, tokens):
    """Each item of the frame reads the journal; reads queue per agent, so other agents' reads are not delayed."""
    talk(hub, tokens, "long", 1000)
    before = watch_memory(hub)
    sockets = [ProvedSocket(hub.port, "talker", tokens["talker"], instance=f"again-{number}") for number in range(4)]
    frame = json.dumps({"stream": [{"message_id": "talker-asked-long"}] * 4000}).encode()
    wire = b"\x81\xff" + len(frame).to_bytes(8, "big") + b"\0\0\0\0" + frame
    for one in sockets:
        one.line.setblocking(False)
    rest = dict.fromkeys(sockets, wire)
    end = time.monotonic() + 4
    while rest and time.monotonic() < end:
        drain_quietly([one.line for one in rest], 0)
        for one in list(rest):
            try:
                rest[one] = rest[one][one.line.send(rest[one]):] or wire
            except BlockingIOError:
                pass
            except OSError:
                del rest[one]
    began = time.monotonic()
    status, text = hub.ask("GET", "/v1/events?from=1&follow=false&limit=1", headers=bearer(tokens["operator"]))
    check(status == 200 and text.startswith("id: 1\n"), f"{status} {text[:200]}")
    took = time.monotonic() - began
    growth = hub.memory("VmHWM") - before
    print(f"    answers streamed again and again: {growth >> 20} MiB more memory at most, events after {took:.2f} s", flush=True)
    check(growth <= 128 << 20, f"{growth >> 20} MiB more memory")
    check(took < 5, f"others wait {took:.1f} s for a read of the journal")
    for one in sockets:
        one.line.close()


def questions_whose_askers_have_left(hub, good, tokens):
    """Queries of views by clients that disconnected delay another caller's query by at most a few of their reads."""
    talk(hub, tokens, "talk", 5000)
    ask = pipelined("GET", "/v1/correlations/talk/timeline", tokens["talker"], count=1)
    held = []
    asked = 0
    end = time.monotonic() + 4
    while time.monotonic() < end:
        line = socket.create_connection(("127.0.0.1", hub.port), timeout=10)
        line.sendall(ask)
        held.append(line)
        asked += 1
        if len(held) > 50:
            held.pop(0).close()
    began = time.monotonic()
    status, answer = hub.ask("GET", "/v1/correlations/talk", headers=bearer(tokens["operator"]))
    took = time.monotonic() - began
    print(f"    {asked} questions to the views; another's was answered after {took:.2f} s", flush=True)
    check(status == 200, f"after {took:.1f} s: {status} {answer}")
    for line in held:
        line.close()


def pages_of_much(hub, good, tokens):
    """A user's facts exceed one answer and are returned in pages."""
    operator = bearer(tokens["operator"])
    line = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=30)
    check(ask_on(line, "POST", "/v1/sessions/s1", {"user_id": "u1"}, operator)[0] == 200, "no session")
    for number in range(100):
        fact = {"about": f"f{number}", "value": "x" * 900_000}
        status, answer = ask_on(line, "POST", "/v1/sessions/s1/facts", fact, operator)
        check(status == 204, f"{status} {answer}")
        task = {"entity_type": "TASK", "entity_id": f"t{number:03}", "operation": "CREATE",
                "changes": {"task_id": f"t{number:03}", "status": "pending", "notes": "x" * 900_000}}
        status, answer = ask_on(line, "POST", "/v1/state", task, operator)
        check(status == 200, f"{status} {answer}")
    before = watch_memory(hub)
    for path, member in (("/v1/sessions/s1/facts", "facts"), ("/v1/state/tasks", "tasks")):
        seen, after, pages = 0, None, 0
        while pages == 0 or after is not None:
            status, page = ask_on(line, "GET", path + (f"?after={after}" if pages else ""), headers=operator)
            check(status == 200, f"{path}: {status}")
            seen, after, pages = seen + len(page[member]), page.get("next_after"), pages + 1
        check(seen == 100, f"{path}: {seen} of 100 in {pages} pages")
    growth = hub.memory("VmHWM") - before
    print(f"    pages of 90 MB: {growth >> 20} MiB more memory at most", flush=True)
    check(growth <= 64 << 20, f"{growth >> 20} MiB more memory")


def metric(hub, name, token):
    _, text = hub.ask("GET", "/metrics", headers=bearer(token))
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(name + " "))


STORIES = (a_stranger_is_refused_before_its_body, known_clients_that_pipeline_and_read_nothing,
           known_clients_that_post_and_read_nothing, strangers_that_pipeline_and_read_nothing,
           strangers_that_post, frames_whose_refusals_nobody_reads, a_thousand_event_streams,
           heartbeats_without_end, frames_of_many_items, takes_of_much_at_once,
           answers_streamed_again_and_again, questions_whose_askers_have_left, pages_of_much)


def floods(stories):
    with Scratch() as scratch:
        hub = ProvingHub(scratch + "/data")
        os.mkdir(hub.data)
        tokens = {name: hub.token("--agent", name) for name in ("good", "worker", "rowdy", "talker")}
        tokens["operator"] = hub.token("--operator", "root", "--role", "admin")
        hub.start()
        try:
            for name in ("worker", "rowdy", "quiet", "talker", *(f"agent-{number}" for number in range(200))):
                hub.ask("PUT", f"/v1/agents/{name}", {"dialect": "taskwire"}, bearer(tokens["operator"]))
            hub.memory_before = hub.memory("VmRSS")  # Measured before the first flood, so that memory kept after a flood counts.
            with GoodAgents(hub, tokens["good"], tokens["worker"]) as good:
                for story in stories:
                    story(hub, good, tokens)
                    print(f"ok: {story.__name__.replace('_', ' ')}", flush=True)
            print(f"ok: {good.sent} good messages, each delivered once and in order")
            closed = metric(hub, "parlance_slow_readers_closed_total", tokens["operator"])
            print(f"    {closed} slow readers were closed")
            check(hub.stop() == 0, hub.last_words())
        finally:
            hub.kill()


def idle_connections_make_room():
    """With a thousand idle connections and 1,024 file descriptors, the journal works and new clients are served."""
    with Scratch() as scratch:
        hub = Hub(scratch + "/data", "[journal]\nsegment_bytes = 65536\n")
        hub.start(("sh", "-c", 'ulimit -n 1024; exec "$@"', "sh"))
        try:
            check("file descriptors: at most 1024" in hub.last_words(), hub.last_words())
            hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})
            lines = [socket.create_connection(("127.0.0.1", hub.port), timeout=30) for _ in range(CONNECTIONS)]
            for number in range(300):
                item = message("alice", number)
                item["payload"]["text"] = "x" * 2000
                status, answer = hub.ask("POST", "/v1/messages", item)  # Each request uses a new connection.
                check(status == 202, f"message {number}: {status} {answer}")
            taken = hub.drain("worker")
            check(len(taken) == 300, f"{len(taken)} of 300 messages")
            status, answer = hub.ask("GET", "/readyz")
            check(status == 200, f"{status} {answer}")
            segments = sum(name.endswith(".journal") and name != "spare.journal" for name in os.listdir(hub.data))
            check(segments > 3, f"{segments} segments: none was rolled while descriptors were few")
            count = len(os.listdir(f"/proc/{hub.process.pid}/fd"))
            check(count < 1024 - 64, f"{count} descriptors are open")
            _, metrics = hub.ask("GET", "/metrics")
            closed = int(metrics.split("\nparlance_idle_connections_closed_total ")[1].split()[0])
            check(closed > 0, "no idle connection was closed")
            check(hub.process.poll() is None, hub.last_words())
            for line in lines:
                line.close()
            hub.kill()
            check(hub.verify() == "", hub.verify())
            print(f"ok: idle connections make room ({closed} closed, {count} descriptors open, {segments} segments)")
        finally:
            hub.kill()


def headers_that_do_not_end_make_room():
    """With a thousand unfinished headers from strangers and 1,024 file descriptors, new clients are served."""
    with Scratch() as scratch:
        hub = Hub(scratch + "/data")
        hub.start(("sh", "-c", 'ulimit -n 1024; exec "$@"', "sh"))
        try:
            hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})
            lines = []
            for _ in range(CONNECTIONS):
                lines.append(socket.create_connection(("127.0.0.1", hub.port), timeout=30))
                lines[-1].sendall(b"GET / HTTP/1.1\r\nHo")
            time.sleep(0.5)
            for number in range(50):
                status, answer = hub.ask("POST", "/v1/messages", message("alice", number))  # Uses a new connection.
                check(status == 202, f"message {number}: {status} {answer}")
                status, answer = hub.ask("GET", "/healthz")
                check(status == 200, f"/healthz {number}: {status} {answer}")
            for line in lines:
                line.close()
            print("ok: headers that do not end make room")
        finally:
            hub.kill()


def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 3 * CONNECTIONS:
        skip(f"{hard} descriptors are too few for a flood of {CONNECTIONS}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    multiprocessing.set_start_method("fork")
    wanted = sys.argv[1:] or [story.__name__ for story in
                              (*STORIES, idle_connections_make_room, headers_that_do_not_end_make_room)]
    stories = [story for story in STORIES if story.__name__ in wanted]
    if stories:
        floods(stories)
    if idle_connections_make_room.__name__ in wanted:
        idle_connections_make_room()
    if headers_that_do_not_end_make_room.__name__ in wanted:
        headers_that_do_not_end_make_room()


if __name__ == "__main__":
    main()
