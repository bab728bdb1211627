"""Starts and stops: one hub per data directory, files of a newer version stay unchanged, a clean stop is quick."""
import hashlib
import http.client
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import time

from hub import BINARY, Hub, Scratch, Socket, check, message

SECONDS = 15  # Far less than those wait who wait for something when the hub stops.


def fingerprint(directory):
    found = {}
    for name in sorted(os.listdir(directory)):
        if not os.path.isfile(os.path.join(directory, name)):
            continue
        with open(os.path.join(directory, name), "rb") as file:
            found[name] = hashlib.sha256(file.read()).hexdigest()
    return found


def stops_cleanly_and_starts_at_once(scratch):
    hub = Hub(scratch + "/clean").start()
    try:
        hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})
        for number in range(200):
            hub.ask("POST", "/v1/messages", message("alice", number))
        hub.process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        check(hub.process.poll() is None, "SIGHUP stops a hub that has no certificate to read again")
        began = time.monotonic()
        check(hub.stop() == 0, "SIGTERM is not a clean stop")
        check(time.monotonic() - began < SECONDS, f"the stop took more than {SECONDS} s")
        check(not hub.verify(), hub.verify())
        began = time.monotonic()
        hub.start()
        check(time.monotonic() - began < SECONDS, f"the start after a clean stop took more than {SECONDS} s")
        numbers = [item["payload"]["n"] for item in hub.drain("worker")]
        check(numbers == list(range(200)), "something is missing after a clean restart")
    finally:
        hub.kill()


def held(hub, method, path, body=None, headers=None):
    """Sends a request whose answer comes later; returns the connection."""
    line = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=20)
    line.request(method, path, json.dumps(body) if body else None, headers or {})
    return line


def answer_of(line):
    answer = line.getresponse()
    return answer.status, answer.read().decode(), answer.getheader("Retry-After")


def waits_at(hub, count):
    """Waits until the given number of connections is open beside the asking connection."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        _, text = hub.ask("GET", "/metrics")
        open_now = re.search(r"^parlance_connections (\d+)$", text, re.MULTILINE)
        _, shown = hub.ask("GET", "/v1/hub")
        if int(open_now[1]) == count + 1 and shown["open_requests"] == 1:
            return
    raise AssertionError(f"not everything is held: {text}")


def whoever_waits_is_told_of_the_stop(scratch):
    hub = Hub(scratch + "/told").start()
    try:
        for name in ("alice", "worker", "idle"):
            hub.ask("PUT", f"/v1/agents/{name}", {"dialect": "taskwire"})
        listener = Socket(hub.port, "worker", credit=0)
        inbox = held(hub, "GET", "/v1/agents/idle/inbox?wait=60000")
        request = held(hub, "POST", "/v1/messages", {
            "id": "question", "from": "alice", "to": "worker", "type": "HELP_REQUEST", "payload": {}},
            {"Prefer": "wait=60000"})
        events = held(hub, "GET", "/v1/events")
        idle = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=20)
        idle.connect()
        waits_at(hub, 5)
        began = time.monotonic()
        check(hub.stop() == 0, "SIGTERM is not a clean stop")
        check(time.monotonic() - began < SECONDS, f"the stop took more than {SECONDS} s")

        farewell = listener.hear()
        check(farewell["error"]["code"] == "HUB_STOPPING", f"the farewell was: {farewell}")
        try:
            listener.hear()
            raise AssertionError("the connection outlived the hub")
        except OSError as error:
            check("closed 1001: the hub stops" in str(error), f"it ended with: {error}")
        status, text, retry = answer_of(inbox)
        check(status == 503 and json.loads(text)["code"] == "HUB_STOPPING" and retry,
              f"the inbox was answered {status} {text}")
        status, text, _ = answer_of(request)
        check(status == 202 and json.loads(text)["message_id"] == "question",
              f"the request was answered {status} {text}")
        check(answer_of(events)[0] == 200, "the stream has no end")
        check(idle.sock.recv(1) == b"", "an idle connection is still open")

        # The inbox gets the answer that the connection no longer waits for.
        hub.start()
        _, taken = hub.ask("GET", "/v1/agents/worker/inbox")
        reply = {"type": "HELP_RESPONSE", "payload": {"help": "yes"}}
        status, _ = hub.ask("POST", f"/v1/deliveries/{taken['messages'][0]['delivery_id']}/reply", reply)
        check(status == 202, f"the reply was answered {status}")
        answers = [item["payload"] for item in hub.drain("alice")]
        check(answers == [{"request_id": "question", "help": "yes"}], f"what came is {answers}")
    finally:
        hub.kill()


def the_second_signal_does_not_wait(scratch):
    hub = Hub(scratch + "/twice").start()
    try:
        hub.process.send_signal(signal.SIGINT)
        hub.process.send_signal(signal.SIGINT)
        check(hub.process.wait(20) == 0, "two signals are not a clean stop")
        check(not hub.verify(), hub.verify())
    finally:
        hub.kill()


def a_second_hub_is_refused(scratch):
    hub = Hub(scratch + "/shared").start()
    second = Hub(scratch + "/shared")
    try:
        second.log += ".second"
        second.launch()
        check(second.process.wait(20) == 1, "a second hub serves the same data, or does not say so by its exit code")
        check("shared" in second.last_words(), f"it does not say why: {second.last_words()}")
        check(hub.ask("GET", "/readyz")[0] == 200, "the first hub was disturbed")
    finally:
        second.kill()
        hub.kill()


def files_of_another_hub_are_refused(scratch):
    """A2: a hub refuses files that another hub writes under other names, because both would damage the journal."""
    hub = Hub(scratch + "/owner").start()
    linked, pointing = Hub(scratch + "/linked"), Hub(scratch + "/pointing")
    try:
        for other, link in ((linked, os.link), (pointing, os.symlink)):
            os.mkdir(other.data)
            for name in os.listdir(hub.data):
                if name == "high-water" or name.endswith(".journal"):
                    link(os.path.join(hub.data, name), os.path.join(other.data, name))
        for other, code, why in ((linked, 1, "another hub is writing to"), (pointing, 2, "is a symbolic link")):
            other.launch()
            check(other.process.wait(20) == code, f"it serves, or ends with {other.process.returncode}: {other.last_words()}")
            check(why in other.last_words(), f"it does not say why: {other.last_words()}")
        check(hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})[0] == 200, "the first hub was disturbed")
        check(hub.stop() == 0 and not hub.verify(), hub.verify())
    finally:
        for other in (hub, linked, pointing):
            other.kill()


def newer_data_is_refused_untouched(scratch):
    hub = Hub(scratch + "/newer").start()
    try:
        hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})
        check(hub.stop() == 0, "no clean stop")
        check(make_newer(hub.data) > 0, "no file with a version was found")
        before = fingerprint(hub.data)
        hub.launch()
        check(hub.process.wait(20) == 5, "a hub serves data of a newer version, or does not say so by its exit code")
        check("data version" in hub.last_words(), f"it does not say why: {hub.last_words()}")
        check(fingerprint(hub.data) == before, "newer data was touched")
    finally:
        hub.kill()


CASTAGNOLI = [0] * 256
for _i in range(256):
    _c = _i
    for _ in range(8):
        _c = (_c >> 1) ^ (0x82F63B78 if _c & 1 else 0)
    CASTAGNOLI[_i] = _c


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CASTAGNOLI[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def make_newer(directory):
    """Writes the next data version with a correct checksum to every file, so that the files are newer, not damaged."""
    changed = 0
    for name in os.listdir(directory):
        path = os.path.join(directory, name)
        if not os.path.isfile(path):
            continue
        with open(path, "r+b") as file:
            head = bytearray(file.read(PREFIX))
            if len(head) < PREFIX or head[:8] not in KINDS:
                continue
            version = int.from_bytes(head[8:12], "little") + 1
            head[8:12] = version.to_bytes(4, "little")
            head[12:16] = crc32c(head[:12]).to_bytes(4, "little")
            file.seek(0)
            file.write(head)
            changed += 1
    return changed


PREFIX = 16
KINDS = (b"PARLSEGM", b"PARLSNAP")


def a_taken_port_is_said(scratch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        # The hub's journal works in the background when the hub fails to listen.
        for number in range(5):
            hub = Hub(f"{scratch}/port-{number}")
            hub.port = taken.getsockname()[1]
            hub.launch()
            try:
                code = hub.process.wait(20)
                check(code == 1, f"a hub at a port that is taken ends with {code}")
                check(f"cannot listen on 127.0.0.1:{hub.port}: " in hub.last_words(),
                      f"it does not say which: {hub.last_words()}")
                check(not hub.verify(), hub.verify())
            finally:
                hub.kill()


def a_damaged_journal_is_said(scratch):
    hub = Hub(scratch + "/damaged").start()
    try:
        hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})
        check(hub.stop() == 0, "no clean stop")
        segment = min(name for name in os.listdir(hub.data) if name.endswith(".journal"))
        with open(os.path.join(hub.data, segment), "r+b") as file:
            file.write(b"\xff" * 16)
        hub.launch()
        code = hub.process.wait(20)
        check(code == 5, f"a hub on a damaged journal ends with {code}")
        check(segment in hub.last_words(), f"it does not say where: {hub.last_words()}")
    finally:
        hub.kill()


def verified(hub):
    done = subprocess.run([BINARY, "journal", "verify", "--json", "--data", hub.data],
                          capture_output=True, text=True, timeout=60)
    return done.returncode, json.loads(done.stdout)


def what_verify_leaves_out_is_said(scratch):
    hub = Hub(scratch + "/tail").start()
    try:
        hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})
        large = message("alice", 1)
        large["payload"]["text"] = "x" * 100_000
        status, _ = hub.ask("POST", "/v1/messages", large)
        check(status == 202, f"the message was answered {status}")
    finally:
        hub.kill()
    code, before = verified(hub)
    check(code == 0 and before["bytes_left_out"] == 0, f"{code} {before}")
    segment = os.path.join(hub.data, min(name for name in os.listdir(hub.data) if name.endswith(".journal")))
    with open(segment, "r+b") as file:
        end = len(file.read().rstrip(b"\0"))
        file.seek(end - 4096)
        file.write(b"\0" * 4096)
    code, after = verified(hub)
    check(code == 0 and after["records"] < before["records"], f"{code} {after}")
    check(after["bytes_left_out"] > 90_000, f"{after}")


def what_makes_no_sense_is_said(scratch):
    here = scratch + "/sense"
    for words, expected in ((["--listen", "bogus"], "--listen 'bogus' names no address"),
                            (["--dev", "--listen", "10.0.0.1:7420"], "--dev listens on loopback only"),
                            (["--listen", "0.0.0.0:7999"], "without TLS"),
                            (["--config", scratch], "it is a directory"),
                            (["--config", scratch + "/none"], "there is no such file"),
                            (["--data", scratch + "/no/where"], "no/where")):
        place = [] if "--data" in words else ["--data", here]
        done = subprocess.run([BINARY, "serve", *place, *words], capture_output=True, text=True, timeout=20)
        check(done.returncode == 2, f"{words} ends with {done.returncode}: {done.stderr}")
        check(expected in done.stderr, f"{words} says {done.stderr}")


def the_greeting_can_be_typed(scratch):
    hub = Hub(scratch + "/greeting").start()
    try:
        hub.ask("PUT", "/v1/agents/bob", {"dialect": "taskwire"})
        hint = re.search(r"parlance (send .*)$", hub.last_words(), re.MULTILINE)
        check(hint, f"it does not say what to try: {hub.last_words()}")
        done = subprocess.run([BINARY, *shlex.split(hint[1])], capture_output=True, text=True, timeout=20)
        check(done.returncode == 0, f"{hint[0]} ends with {done.returncode}: {done.stderr}")
        check([item["payload"] for item in hub.drain("bob")] == [{"hello": "world"}], "nothing came")
    finally:
        hub.kill()


def memory_bytes():
    """Returns the memory of the machine or the lower limit of the cgroup; knows only simple cgroup settings."""
    with open("/proc/meminfo") as file:
        known = [1024 * int(re.search(r"MemTotal: +(\d+)", file.read()).group(1))]
    with open("/proc/self/cgroup") as file:
        groups = dict(line.strip().split(":", 2)[1:] for line in file)
    for place in (f"/sys/fs/cgroup{groups.get('', '')}/memory.max",
                  f"/sys/fs/cgroup/memory{groups.get('memory', '')}/memory.limit_in_bytes",
                  "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        if os.path.exists(place):
            with open(place) as file:
                limit = file.read().strip()
            known += [int(limit)] if limit.isdigit() else []
    return min(known)


def the_room_for_messages_follows_from_the_memory(scratch):
    """Proves G7: hub_bytes_max is a quarter of the memory unless configured; a hub started with less keeps its messages
    and refuses new ones
    """
    hub = Hub(scratch + "/room").start()
    try:
        _, shown = hub.ask("GET", "/v1/hub")
        expected = min(max(memory_bytes() // 4, 64 << 20), 8 << 30)
        check(shown["bytes_max"] <= expected, f"{shown['bytes_max']} of {memory_bytes()}, not {expected}")
        check(shown["bytes_max"] >= 64 << 20, str(shown))
        check(f"parlance_message_bytes_max {shown['bytes_max']}" in hub.ask("GET", "/metrics")[1], "no such figure")
        check("limits.hub_bytes_max; from this machine's memory" in hub.last_words(), hub.last_words())
        hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})
        for number in range(50):
            check(hub.ask("POST", "/v1/messages", message("alice", number))[0] == 202, "not taken")
        hub.kill()
        smaller = Hub(scratch + "/room", "[limits]\nhub_bytes_max = 1000\n").start()
        try:
            check(smaller.ask("GET", "/v1/hub")[1]["bytes_max"] == 1000, "what is configured does not hold")
            status, told = smaller.ask("POST", "/v1/messages", message("alice", 50))
            check("hub_bytes_max" in told["detail"], f"{status} {told}")
            numbers = [item["payload"]["n"] for item in smaller.drain("worker")]
            check(numbers == list(range(50)), f"a smaller limit loses what is there: {numbers}")
            check(smaller.ask("POST", "/v1/messages", message("alice", 50))[0] == 202, "there is room again")
        finally:
            smaller.kill()
    finally:
        hub.kill()


def main():
    with Scratch() as scratch:
        for story in (stops_cleanly_and_starts_at_once, whoever_waits_is_told_of_the_stop,
                      the_second_signal_does_not_wait, a_second_hub_is_refused,
                      files_of_another_hub_are_refused, newer_data_is_refused_untouched, a_taken_port_is_said, a_damaged_journal_is_said,
                      what_verify_leaves_out_is_said,
                      what_makes_no_sense_is_said, the_greeting_can_be_typed,
                      the_room_for_messages_follows_from_the_memory):
            story(scratch)
            print(f"ok: {story.__name__.replace('_', ' ')}", flush=True)


if __name__ == "__main__":
    main()
