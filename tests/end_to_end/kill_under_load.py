"""kill -9 at random moments under load: nothing acknowledged is lost, nothing inside a task is inverted.

Proves D1, D3, T9, A2: over every kill, with the chain verified at the end.
PARLANCE_KILLS says how often (default 10), PARLANCE_SEED when.
"""
import http.client
import os
import random
import threading
import time

from hub import Hub, Scratch, Socket, ask_on, check, message

KILLS = int(os.environ.get("PARLANCE_KILLS", "10"))
SEED = int(os.environ.get("PARLANCE_SEED", str(random.randrange(1 << 30))))
BATCH = 8
BACKLOG = 500


class Record:
    """What was promised and what was seen, over all lives of the hub."""

    def __init__(self):
        self.lock = threading.Lock()
        self.life = 0
        self.accepted = set()
        self.seen = {}  # By task: the numbers, in the order in which they came.
        self.ids = set()
        self.senders_stop = threading.Event()
        self.consumers_stop = threading.Event()
        self.failures = []

    def accept(self, ids):
        with self.lock:
            self.accepted.update(ids)

    def hold_back(self):
        """The consumers, slower than the senders, are to find an end some day."""
        while len(self.accepted) > len(self.ids) + BACKLOG and not self.senders_stop.is_set():
            time.sleep(0.01)

    def see(self, life, arrived):
        """False for what a former life of the hub said: it is settled with a hub that is no more."""
        with self.lock:
            if life != self.life:
                return False
            self.ids.add(arrived["id"])
            self.seen.setdefault(arrived["payload"]["task_id"], []).append(arrived["payload"]["n"])
            return True


def patiently(record, stops, work):
    """Runs `work` again and again: the hub may be away for a while."""
    while not stops.is_set():
        try:
            work()
        except OSError:
            time.sleep(0.005)
        except Exception as error:  # A thread's failure is the test's.
            record.failures.append(repr(error))
            stops.set()


def send_over_http(hub, record, name):
    number = 0

    def work():
        nonlocal number
        line = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=10)
        while not record.senders_stop.is_set():
            status, answer = ask_on(line, "POST", "/v1/messages", message(name, number))
            check(status == 202, f"{status}: {answer}")
            record.accept([answer["message_id"]])
            number += 1
            record.hold_back()

    patiently(record, record.senders_stop, work)


def send_over_socket(hub, record, name):
    number = 0

    def work():
        nonlocal number
        socket = Socket(hub.port, name, credit=0, register={"dialect": "taskwire"})
        while not record.senders_stop.is_set():
            batch = [message(name, n) for n in range(number, number + BATCH)]
            socket.say({"send": batch})
            missing = {item["id"] for item in batch}
            while missing:
                frame = socket.hear()
                check("refused" not in frame, str(frame))
                said = [item["message_id"] for item in frame.get("accepted", [])]
                record.accept(said)
                missing.difference_update(said)
            number += BATCH
            record.hold_back()

    patiently(record, record.senders_stop, work)


def consume(hub, record, name):
    def work():
        life = record.life
        socket = Socket(hub.port, "worker", timeout=1, instance=name, credit=16)
        while not record.consumers_stop.is_set():
            arrived = socket.hear().get("deliver", [])
            done = [item["delivery_id"] for item in arrived if record.see(life, item["message"])]
            if done:
                socket.say({"ack": done})

    patiently(record, record.consumers_stop, work)


def live_and_die(hub, record, chance):
    for count in range(KILLS):
        time.sleep(chance.uniform(0.02, 0.4))
        with record.lock:
            record.life += 1
        hub.kill()
        hub.start()
        if record.failures:
            break
        if count % 10 == 9:
            print(f"{count + 1} kills, {len(record.accepted)} accepted", flush=True)


def wait_until_empty(hub, seconds=120):
    """Everything is settled soon once nobody kills and nobody sends."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        _, shown = hub.ask("GET", "/v1/agents/worker")
        if shown["waiting"] + shown["in_flight"] == 0:
            return
        time.sleep(0.05)
    raise AssertionError(f"worker is not drained after {seconds} s: {shown}")


def end_all(record, threads):
    record.senders_stop.set()
    record.consumers_stop.set()
    for thread in threads:
        thread.join(20)


def hold_to_account(hub, record):
    check(not record.failures, str(record.failures))
    dead = hub.dead_letter_ids()
    lost = record.accepted - record.ids - dead
    check(not lost, f"{len(lost)} acknowledged messages are lost, such as {sorted(lost)[:5]}")
    for task, numbers in record.seen.items():
        pairs = [pair for pair in zip(numbers, numbers[1:]) if pair[1] < pair[0]]
        check(not pairs, f"{task} is inverted at {pairs[:5]}")
    check(len(record.accepted) > KILLS, "hardly anything was accepted")
    check(hub.stop() == 0, "the hub does not stop cleanly")
    check(not hub.verify(), hub.verify())
    print(f"{KILLS} kills: {len(record.accepted)} accepted, {len(dead)} dead letters, none lost")


def main():
    print(f"PARLANCE_KILLS={KILLS} PARLANCE_SEED={SEED}", flush=True)
    chance = random.Random(SEED)
    record = Record()
    with Scratch() as scratch:
        hub = Hub(scratch + "/data").start()
        hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})
        threads = [
            threading.Thread(target=send_over_http, args=(hub, record, "http-a")),
            threading.Thread(target=send_over_http, args=(hub, record, "http-b")),
            threading.Thread(target=send_over_socket, args=(hub, record, "socket-a")),
            threading.Thread(target=consume, args=(hub, record, "one")),
            threading.Thread(target=consume, args=(hub, record, "two")),
        ]
        for thread in threads:
            thread.start()
        try:
            live_and_die(hub, record, chance)
            record.senders_stop.set()
            wait_until_empty(hub)
            end_all(record, threads)
            hold_to_account(hub, record)
        finally:
            end_all(record, threads)
            hub.kill()


if __name__ == "__main__":
    main()
