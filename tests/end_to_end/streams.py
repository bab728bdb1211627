"""An answer is read part by part during writing, over dropped connections and kills of the hub.

Proves X18: the hub numbers parts from 1 without a gap; no acknowledged part is lost or sent twice, however often the
reader's connection drops and the hub is killed; and the whole answer comes last
"""
import http.client
import json
import random
import threading
import time

from hub import Hub, Scratch, Socket, check

PARTS = 60
SECONDS = 60


def reader_of(hub, after):
    line = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=10)
    line.request("GET", f"/v1/requests/q-1/stream?agent=alice{f'&after={after}' if after else ''}")
    answer = line.getresponse()
    check(answer.status == 200, f"the stream says {answer.status}")
    return line, answer


def event_of(answer):
    """Returns the next event as (kind, data); raises OSError at the end of the stream."""
    kind, data = None, None
    while True:
        line = answer.readline().decode()
        if not line:
            raise OSError("the stream ended")
        if line.startswith("event: "):
            kind = line[7:].strip()
        elif line.startswith("data: "):
            data = json.loads(line[6:])
        elif line == "\n" and data is not None:
            return kind, data


class Writer(threading.Thread):
    """The agent bob, who repeats each part until acknowledged, in a new attempt if needed, and then sends the answer."""

    def __init__(self, hub):
        super().__init__(daemon=True)
        self.hub, self.failure, self.acknowledged = hub, None, []

    def take(self):
        while True:
            try:
                _, answer = self.hub.ask("GET", "/v1/agents/bob/inbox?wait=500")
                if answer["messages"]:
                    return answer["messages"][0]["delivery_id"]
            except OSError:
                time.sleep(0.02)

    def say(self, verb, body):
        while True:
            try:
                status, answer = self.hub.ask("POST", f"/v1/deliveries/{self.delivery}/{verb}", body)
                if status in (202, 204):
                    return
                check(answer["code"] == "DELIVERY_STALE", f"{status} {answer}")
                self.delivery = self.take()
            except OSError:
                time.sleep(0.02)

    def run(self):
        try:
            self.delivery = self.take()
            for part in range(PARTS):
                self.say("progress", {"part": part})
                self.acknowledged.append(part)
                time.sleep(0.01)
            self.say("reply", {"type": "TASK_COMPLETE", "payload": {"task_id": "t1", "parts": PARTS}})
        except Exception as error:
            self.failure = repr(error)


def read_all(hub, chance):
    """Returns the events of a reader whose connection is dropped repeatedly, while the hub is killed twice."""
    got, kills, end = [], [PARTS // 3, 2 * PARTS // 3], time.monotonic() + SECONDS
    while time.monotonic() < end:
        patience = chance.randint(1, 12)
        try:
            line, answer = reader_of(hub, len(got))
            for _ in range(patience):
                kind, data = event_of(answer)
                got.append((kind, data))
                if kind == "answer":
                    return got
            line.close()
        except (OSError, http.client.HTTPException):
            time.sleep(0.02)
        if kills and len(got) >= kills[0]:
            kills.pop(0)
            hub.kill()
            hub.start()
    raise AssertionError(f"no end after {len(got)} events")


def a_reader_that_is_cut_off_loses_nothing(hub):
    hub.ask("PUT", "/v1/agents/alice", {"dialect": "taskwire"})
    hub.ask("PUT", "/v1/agents/bob", {"dialect": "taskwire"})
    question = {"id": "q-1", "from": "alice", "to": "bob", "type": "TASK_ASSIGNMENT", "priority": "high",
                "payload": {"task_id": "t1"}}
    check(hub.ask("POST", "/v1/messages", question)[0] == 202, "not accepted")
    writer = Writer(hub)
    writer.start()
    got = read_all(hub, random.Random(18))
    writer.join(SECONDS)
    check(writer.failure is None, writer.failure)
    check([data["number"] for _, data in got] == list(range(1, len(got) + 1)), f"a gap, or one twice: {got}")
    check([kind for kind, _ in got] == ["part"] * (len(got) - 1) + ["answer"], "the whole is not the last")
    # A part without acknowledgement is sent again, so parts may repeat but are never missing, and stay in order.
    told = [data["note"]["part"] for kind, data in got if kind == "part"]
    check(sorted(set(told)) == writer.acknowledged and told == sorted(told), f"told {told}")
    check(len(told) - PARTS <= 2, "more were brought again than there were kills")


def a_connection_goes_on_where_it_was(hub):
    socket = Socket(hub.port, "alice")
    socket.say({"stream": [{"message_id": "q-1", "after": PARTS // 2}]})
    told = []
    while not told or "answer" not in told[-1]:
        told += socket.hear().get("progress", [])
    check([item["number"] for item in told] == list(range(PARTS // 2 + 1, PARTS // 2 + 1 + len(told))), str(told))
    socket.close()


def another_finds_nothing(hub):
    for agent in ("bob", "mallory"):
        status, answer = hub.ask("GET", "/v1/requests/q-1/stream?agent=alice", headers={"Parlance-Agent": agent})
        check((status, answer["code"]) == (404, "DELEGATION_NOT_FOUND"), f"{status} {answer}")


def main():
    with Scratch() as scratch:
        hub = Hub(scratch + "/data").start()
        try:
            for story in (a_reader_that_is_cut_off_loses_nothing, a_connection_goes_on_where_it_was,
                          another_finds_nothing):
                story(hub)
                print(f"ok: {story.__name__.replace('_', ' ')}", flush=True)
        finally:
            hub.kill()


if __name__ == "__main__":
    main()
