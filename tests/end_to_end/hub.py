"""Shared by the end-to-end tests: the real binary as a child process, and its HTTP and WebSocket clients.

Uses the standard library and the packages named in package(), and loopback only. Every wait is bounded, and only
processes started here are stopped.
"""
import base64
import http.client
import importlib
import json
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

BINARY = os.environ.get("PARLANCE_BINARY", "parlance")
CONTROL = os.environ.get("PARLANCE_CONTROL", "")  # Path of control_hub, in a build with planted bugs.
SKIPPED = 77  # Exit code for CTest's "skipped".
DEBIANS_PYTHON = "/usr/bin/python3"  # The Python that Debian packages are installed for.


def command(data, port, config=None):
    """Returns the command that starts a hub."""
    words = [BINARY, "serve", "--dev", "--data", data, "--listen", f"127.0.0.1:{port}"]
    return words + (["--config", config] if config else [])


PORTS = range(20_000, 32_000)  # Below the ports that the kernel gives to outgoing connections.
kept_ports = []  # UDP sockets.


def free_port():
    """A TCP port for this process alone, also while no hub listens there: tests that run beside this one pass over a port whose
    UDP twin is bound."""
    while True:
        port = random.SystemRandom().choice(PORTS)
        keeper, probe = socket.socket(type=socket.SOCK_DGRAM), socket.socket()
        try:
            with probe:
                keeper.bind(("127.0.0.1", port))
                probe.bind(("127.0.0.1", port))
        except OSError:
            keeper.close()
            continue
        kept_ports.append(keeper)
        return port


def check(is_true, what):
    if not is_true:
        raise AssertionError(what)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def skip_without_strace():
    if not shutil.which("strace"):
        skip("strace is not installed")
    traced = subprocess.run(["strace", "-D", "-qq", "-o", "/dev/null", "true"], capture_output=True)
    if traced.returncode != 0:
        skip("this system does not let a process be traced")


def package(name):
    """Imports a module of a Debian package; skips the test if the package is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        if os.path.realpath(sys.executable) != os.path.realpath(DEBIANS_PYTHON) and os.path.exists(DEBIANS_PYTHON):
            os.execv(DEBIANS_PYTHON, [DEBIANS_PYTHON, *sys.argv])
        skip(f"python3-{name.split('.')[0]} is not installed")


class Scratch:
    """A temporary directory, removed at the end of the block."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="parlance-e2e-")
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def is_held_up(answer):
    """Whether a thread beside the loop has answered, because a turn of the loop lasts longer than a second: a slow disk, or a
    slow machine. What it refuses it refuses whole."""
    status, said = answer
    return status == 503 and isinstance(said, dict) and (
        said.get("condition") == "sync_pending" or str(said.get("detail")).startswith("the disk does not answer"))


class Hub:
    """One data directory, and the hub process on the directory, if the process runs."""

    awaits_disk = True  # Asks again while the hub waits for its disk.

    def __init__(self, data, settings=None):
        self.data = data
        self.port = free_port()
        self.process = None
        self.starts = 0
        self.log = data + ".log"
        self.config = None
        if settings:
            self.config = data + ".toml"
            with open(self.config, "w") as file:
                file.write(settings)

    def launch(self, wrapper=(), env=None):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*wrapper, *command(self.data, self.port, self.config)],
                stdout=log, stderr=log, env={**os.environ, **(env or {})})
        self.starts += 1

    def start(self, wrapper=(), env=None, seconds=60):
        self.launch(wrapper, env)
        check(self.is_up(seconds), f"the hub does not start: {self.last_words()}")
        return self

    def is_up(self, seconds):
        """Returns whether the hub answers; the hub may be unready."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            try:
                self.ask("GET", "/healthz", timeout=5)
                return True
            except OSError:
                time.sleep(0.01)
        return False

    def ask(self, method, path, body=None, headers=None, timeout=20):
        """(status, answer); OSError when there is no answer."""
        end = time.monotonic() + timeout
        while True:
            line = self.line(timeout)
            try:
                answer = ask_on(line, method, path, body, headers)
            finally:
                line.close()
            if not self.awaits_disk or not is_held_up(answer) or time.monotonic() > end:
                return answer
            time.sleep(0.1)

    def line(self, timeout):
        """What the hub is asked over."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        if self.process:
            self.process.wait(60)

    def stop(self):
        """Sends SIGTERM and returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)

    def last_words(self):
        with open(self.log, "rb") as log:
            return log.read()[-2000:].decode(errors="replace")

    def drain(self, agent, seconds=60):
        """Takes and settles all waiting messages of the agent; returns the messages in order."""
        end = time.monotonic() + seconds
        taken = []
        while time.monotonic() < end:
            _, answer = self.ask("GET", f"/v1/agents/{agent}/inbox?max=1000&wait=200")
            for item in answer["messages"]:
                taken.append(item["message"])
                status, _ = self.ask("POST", f"/v1/deliveries/{item['delivery_id']}/ack")
                check(status == 204, f"ack answered {status}")
            _, shown = self.ask("GET", f"/v1/agents/{agent}")
            if not answer["messages"] and shown["waiting"] + shown["in_flight"] == 0:
                return taken
        raise AssertionError(f"{agent} is not drained after {seconds} s")

    def dead_letter_ids(self):
        _, answer = self.ask("GET", "/v1/dead-letters?max=1000")
        return {letter["message_id"] for letter in answer["dead_letters"]}

    def verify(self):
        """Returns the errors that `parlance journal verify` finds; empty if the journal is intact."""
        done = subprocess.run([BINARY, "journal", "verify", "--data", self.data],
                              capture_output=True, text=True, timeout=120)
        return "" if done.returncode == 0 else done.stdout + done.stderr


class ControlHub(Hub):
    """A hub with one planted bug."""

    def __init__(self, data, mutant, settings=None):
        super().__init__(data, settings)
        self.mutant = mutant

    def launch(self, wrapper=(), env=None):
        words = [CONTROL, self.mutant, self.data, str(self.port), *([self.config] if self.config else [])]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log)


def ask_on(line, method, path, body=None, headers=None):
    try:
        line.request(method, path, body if body is None else json.dumps(body), headers or {})
        answer = line.getresponse()
        text = answer.read()
    except http.client.HTTPException as error:
        raise OSError(str(error)) from error
    is_json = text and "json" in (answer.getheader("Content-Type") or "")
    return answer.status, json.loads(text) if is_json else text.decode(errors="replace")


def message(sender, number, to="worker", kind="ERROR_REPORT"):
    """Makes a message that is delivered at least once and in the order of the sender's only task."""
    return {"id": f"{sender}-{number}", "from": sender, "to": to, "type": kind,
            "payload": {"task_id": f"task-{sender}", "n": number}}


class Socket:
    """A blocking WebSocket to /v1/connect; raises OSError when the connection has ended."""

    def __init__(self, port, agent, timeout=10, **hello):
        self.line = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.line = self.dress(self.line)
        self.waiting = b""
        self.heard = []
        key = base64.b64encode(os.urandom(16)).decode()
        self.line.sendall((
            "GET /v1/connect HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
            f"{self.headers()}\r\n"
        ).encode())
        while b"\r\n\r\n" not in self.waiting:
            self.fill()
        head, self.waiting = self.waiting.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n", 1)[0]:
            raise OSError(head.decode())
        self.say({"hello": {**({"agent": agent} if agent else {}), **hello}})
        first = self.hear()
        if "welcome" not in first:
            raise OSError(json.dumps(first))
        del first["welcome"]
        if first:
            self.heard.append(first)  # Waiting messages may arrive in the same frame as the welcome.

    def dress(self, line):
        """Wraps the socket; overridden for TLS."""
        return line

    def headers(self):
        """Returns additional headers of the upgrade request."""
        return ""

    def fill(self):
        fresh = self.line.recv(65536)
        if not fresh:
            raise OSError("the connection ended")
        self.waiting += fresh

    def take(self, count):
        while len(self.waiting) < count:
            self.fill()
        taken, self.waiting = self.waiting[:count], self.waiting[count:]
        return taken

    def write(self, opcode, payload):
        size = len(payload)
        head = struct.pack("!BB", 0x80 | opcode, 0x80 | size) if size < 126 else (
            struct.pack("!BBH", 0x80 | opcode, 0xFE, size) if size < 65536 else
            struct.pack("!BBQ", 0x80 | opcode, 0xFF, size))
        self.line.sendall(head + b"\0\0\0\0" + payload)  # A mask of zeros leaves the payload unchanged.

    def say(self, frame):
        self.write(1, json.dumps(frame).encode())

    def hear(self):
        if self.heard:
            return self.heard.pop(0)
        while True:
            first, size = self.take(2)
            if size == 126:
                size = struct.unpack("!H", self.take(2))[0]
            elif size == 127:
                size = struct.unpack("!Q", self.take(8))[0]
            payload = self.take(size)
            if first & 0x0F == 9:
                self.write(10, payload)
            elif first & 0x0F == 8:
                code = int.from_bytes(payload[:2], "big")
                raise OSError(f"closed {code}: {payload[2:].decode(errors='replace')}")
            elif first & 0x0F == 1:
                return json.loads(payload)

    def close(self):
        self.line.close()
