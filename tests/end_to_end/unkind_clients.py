"""Slow, half-open and surplus clients are closed or refused while well-behaved traffic continues."""
import http.client
import socket
import threading
import time

from hub import Hub, Scratch, Socket, ask_on, check, message

CONNECTIONS = 40
HEAD_SECONDS = 20
GOOD_SECONDS = 8  # Less than any of the others is waited for.
SETTINGS = f"[doors]\nconnections_max = {CONNECTIONS}\n"


def raw(hub, text=b""):
    line = socket.create_connection(("127.0.0.1", hub.port), timeout=30)
    line.sendall(text)
    return line


class GoodTraffic:
    """One well-behaved client on a persistent connection, measured throughout."""

    def __init__(self, hub):
        self.hub = hub
        self.stops = threading.Event()
        self.slowest = 0.0
        self.count = 0
        self.failure = None
        self.thread = threading.Thread(target=self.run)

    def run(self):
        try:
            line = http.client.HTTPConnection("127.0.0.1", self.hub.port, timeout=20)
            while not self.stops.is_set():
                began = time.monotonic()
                status, answer = ask_on(line, "POST", "/v1/messages", message("good", self.count))
                check(status == 202, f"{status} {answer}")
                self.slowest = max(self.slowest, time.monotonic() - began)
                self.count += 1
                time.sleep(0.005)
        except Exception as error:
            self.failure = repr(error)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stops.set()
        self.thread.join(30)


def ends_within(line, seconds):
    line.settimeout(seconds)
    try:
        while line.recv(65536):
            pass
        return True
    except ConnectionError:
        return True
    except TimeoutError:
        return False


def slow_heads_are_shed(hub):
    """Ten connections drip a request that never ends; the door gives a head 10 s and looks every second."""
    lines = [raw(hub, b"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\n") for _ in range(10)]
    end = time.monotonic() + HEAD_SECONDS
    left = set(range(len(lines)))
    while left and time.monotonic() < end:
        for index in sorted(left):
            try:
                lines[index].sendall(b"X")
                lines[index].settimeout(0.01)
                if not lines[index].recv(4096):
                    left.discard(index)
            except TimeoutError:
                pass
            except OSError:
                left.discard(index)
        time.sleep(0.2)
    for line in lines:
        line.close()
    check(not left, f"{len(left)} connections drip on after {HEAD_SECONDS} s")


def half_open_connections_do_no_harm(hub):
    """Idle connections, and connections that stop inside a body, delay nobody."""
    silent = [raw(hub) for _ in range(5)]
    stuck = [raw(hub, b"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\n"
                      b"Content-Length: 100\r\n\r\n{\"half\":") for _ in range(5)]
    check(hub.ask("GET", "/readyz")[0] == 200, "half-open connections stop the hub")
    for line in silent + stuck:
        line.close()


def a_reader_that_reads_nothing_holds_nobody_up(hub):
    """One client follows all events and reads nothing.

    Proves G6: messages of other clients are accepted as before.
    """
    line = raw(hub, b"GET /v1/events?from=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    for number in range(50):
        item = message("big", number, kind="STATUS_UPDATE")
        item["payload"]["text"] = "x" * 100_000
        status, answer = hub.ask("POST", "/v1/messages", item)
        check(status == 202, f"{status} {answer}")
    line.close()


def one_too_many_is_refused(hub):
    """Proves G7: the number of connections is bounded, and the hub tells a surplus client so.

    All connections follow events, because the hub would close idle connections to make room.
    """
    lines = []
    refused = None
    for _ in range(CONNECTIONS + 1):
        line = raw(hub, b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        lines.append(line)
        answer = line.recv(4096)
        if b" 200 " not in answer.split(b"\r\n", 1)[0]:
            refused = answer
            break
    check(refused is not None, f"connection {CONNECTIONS + 1} of {CONNECTIONS} was let in")
    check(refused.startswith(b"HTTP/1.1 429 "), str(refused))
    check(b'"status":429,"code":"CONNECTION_LIMIT_EXCEEDED"' in refused, str(refused))
    check(b"\r\nRetry-After: " in refused, str(refused))
    for line in lines:
        line.close()
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            if hub.ask("GET", "/readyz")[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.02)
    raise AssertionError("no room again after the others left")


def a_client_that_vanishes_is_noticed(hub):
    """Proves T16: the instance of a vanished client ends, and another instance gets the instance's deliveries."""
    hub.ask("PUT", "/v1/agents/fickle", {"dialect": "taskwire"})
    first = Socket(hub.port, "fickle", instance="first", credit=1)
    hub.ask("POST", "/v1/messages", message("alice", 1, to="fickle"))
    check(first.hear()["deliver"][0]["attempt"] == 1, "no delivery")
    first.line.close()
    second = Socket(hub.port, "fickle", instance="second", credit=1)
    frame = second.hear()
    check(frame["deliver"][0]["attempt"] == 2, str(frame))
    second.close()


UPGRADE = (b"GET /v1/connect HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n")
ENDINGS = {1000: b"\x88\x82\0\0\0\0\x03\xe8",
           1003: b"\x82\x81\0\0\0\0x",
           1009: b"\x81\xff" + (2 << 20).to_bytes(8, "big") + b"\0\0\0\0"}


def frames_behind_the_end_reach_nobody(hub):
    """Frames behind a close, a binary frame or an oversized frame in the same write reach no recipient."""
    for code, ending in ENDINGS.items():
        line = raw(hub, UPGRADE)
        heard = b""
        while b"\r\n\r\n" not in heard:
            heard += line.recv(65536)
        writer = threading.Thread(target=line.sendall, args=(ending + b"\x81\x82\0\0\0\0{}" * 40_000,))
        writer.start()
        frame = heard.split(b"\r\n\r\n", 1)[1]
        while len(frame) < 4:
            fresh = line.recv(65536)
            check(fresh, f"no close came where {code} is due")
            frame += fresh
        check(frame[0] == 0x88 and int.from_bytes(frame[2:4], "big") == code, f"{code} is due, and {frame} came")
        writer.join(20)
        check(ends_within(line, 10), f"the connection is open after {code}")
        line.close()
        check(hub.process.poll() is None, f"the hub ended with {hub.process.poll()}")


def main():
    with Scratch() as scratch:
        hub = Hub(scratch + "/data", SETTINGS).start()
        try:
            hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})
            with GoodTraffic(hub) as good:
                for story in (slow_heads_are_shed, half_open_connections_do_no_harm,
                              a_reader_that_reads_nothing_holds_nobody_up,
                              a_client_that_vanishes_is_noticed, frames_behind_the_end_reach_nobody,
                              one_too_many_is_refused):
                    story(hub)
                    print(f"ok: {story.__name__.replace('_', ' ')}", flush=True)
            check(good.failure is None, f"good traffic failed: {good.failure}")
            check(good.count > 100, f"only {good.count} good messages in all that time")
            check(good.slowest < GOOD_SECONDS, f"one good message took {good.slowest:.1f} s")
            print(f"ok: {good.count} good messages meanwhile, the slowest {good.slowest * 1000:.0f} ms")
        finally:
            hub.kill()


if __name__ == "__main__":
    main()
