"""Answers to normal-priority requests survive dropped connections and kills of the hub, and a reply from a lost run of
the hub never answers another request.

Proves W1: an answer is delivered until the requester settles the delivery, within the retry limit and then as a dead
letter, and is at /v1/requests/{id}, whatever the request's priority; a waiting requester that is told 202 finds the answer
in the mailbox
Proves D5: after an older copy of the data directory is restored, the delivery ids of the lost run are stale, and the lost
run's ids of human tasks and dead letters are unknown
"""
import http.client
import json
import shutil
import signal
import socket
import struct
import time

from hub import Hub, Scratch, Socket, check

SETTINGS = """
[delivery]
lease_ms = 4000
backoff_base_ms = 50
backoff_ms_max = 100
retry_count_max = {retries}
"""
SECONDS = 60


def begin(path, retries=20, is_brief=True):
    """Starts a hub and registers two agents; with `is_brief`, leases are short."""
    hub = Hub(path, SETTINGS.format(retries=retries) if is_brief else None).start()
    for agent in ("planner", "worker"):
        status, _ = hub.ask("PUT", f"/v1/agents/{agent}", {"dialect": "taskwire"})
        check(status == 200, f"PUT /v1/agents/{agent} answered {status}")
    return hub


def request(name, priority="normal"):
    return {"id": name, "from": "planner", "to": "worker", "type": "TASK_ASSIGNMENT",
            "payload": {"task_id": f"task-{name}"}, "metadata": {"priority": priority}}


def completion(name):
    return {"type": "TASK_COMPLETE", "payload": {"task_id": f"task-{name}", "made": name}}


def ask(hub, name):
    status, answer = hub.ask("POST", "/v1/messages", request(name))
    check(status == 202, f"the request was answered with {status}: {answer}")


def take(hub, agent, seconds=SECONDS):
    """Returns the next delivery of a polling agent."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        _, answer = hub.ask("GET", f"/v1/agents/{agent}/inbox?wait=200")
        if answer["messages"]:
            return answer["messages"][0]
    raise AssertionError(f"nothing came to {agent} in {seconds} s")


def work(hub, name):
    """The agent `worker` answers the next request."""
    delivery = take(hub, "worker")
    status, answer = hub.ask("POST", f"/v1/deliveries/{delivery['delivery_id']}/reply", completion(name))
    check(status == 202, f"the reply was answered with {status}: {answer}")


def expect_answer(name, delivery):
    check(delivery["message"]["payload"]["made"] == name, f"this is not the answer to {name}: {delivery}")


def expect_fetched(hub, name):
    status, shown = hub.ask("GET", f"/v1/requests/{name}?agent=planner")
    check(status == 200, f"GET /v1/requests/{name} answered {status}: {shown}")
    check(shown["state"] == "answered" and shown["answer"]["payload"]["made"] == name, f"it shows {shown}")


def settle(hub, delivery):
    status, answer = hub.ask("POST", f"/v1/deliveries/{delivery['delivery_id']}/ack")
    check(status == 204, f"ack answered {status}: {answer}")


def drop_a_poll(path):
    """The requester's connection is cut before the requester reads a byte of the delivered answer."""
    hub = begin(path)
    ask(hub, "q-poll")
    line = socket.create_connection(("127.0.0.1", hub.port))
    line.sendall(b"GET /v1/agents/planner/inbox?wait=20000 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    work(hub, "q-poll")
    end = time.monotonic() + SECONDS
    while hub.ask("GET", "/v1/agents/planner")[1]["in_flight"] == 0:  # For the time of a lease.
        check(time.monotonic() < end, "the answer was not handed to the poll")
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    line.close()
    again = take(hub, "planner")
    expect_answer("q-poll", again)
    check(again["attempt"] > 1, "the dropped poll was not the first hand-over")
    settle(hub, again)
    expect_fetched(hub, "q-poll")
    hub.stop()


def kill_before_the_ack(path):
    """The hub is killed after delivering the answer and before the settlement, by poll and by WebSocket."""
    hub = begin(path)
    ask(hub, "q-kill")
    work(hub, "q-kill")
    first = take(hub, "planner")
    hub.kill()
    hub.start()
    again = take(hub, "planner")
    expect_answer("q-kill", again)
    check(again["attempt"] > first["attempt"], "it is the same delivery")
    settle(hub, again)
    expect_fetched(hub, "q-kill")

    ask(hub, "q-socket")
    line = Socket(hub.port, "planner", credit=1, instance="line")
    work(hub, "q-socket")
    frame = {}
    while "deliver" not in frame:
        frame = line.hear()
    hub.kill()
    hub.start()
    again = take(hub, "planner")
    expect_answer("q-socket", again)
    settle(hub, again)
    expect_fetched(hub, "q-socket")
    status, shown = hub.ask("GET", "/v1/requests/q-socket?agent=worker")
    check(status == 404, f"another agent's request was shown: {status} {shown}")
    status, shown = hub.ask("GET", "/v1/requests/q-never?agent=planner")
    check(status == 404, f"a request that was never made was shown: {status} {shown}")
    check(not hub.verify() if hub.stop() == 0 else False, "the journal does not verify")


def never_settle(path):
    """An answer that nobody settles becomes a dead letter at the retry limit, and is still at /v1/requests/{id}."""
    hub = begin(path, retries=2)
    ask(hub, "q-mute")
    status, shown = hub.ask("GET", "/v1/requests/q-mute?agent=planner")
    check(status == 200 and shown["state"] == "open" and "answer" not in shown, f"it shows {status} {shown}")
    work(hub, "q-mute")
    attempts = []
    end = time.monotonic() + SECONDS
    while not hub.dead_letter_ids():
        check(time.monotonic() < end, "the answer is no dead letter")
        _, answer = hub.ask("GET", "/v1/agents/planner/inbox?wait=100")
        attempts += [each["attempt"] for each in answer["messages"]]
    check(attempts == [1, 2, 3], f"it was handed over at {attempts}")
    expect_fetched(hub, "q-mute")
    hub.stop()


def hold_the_line(path):
    """A waiting requester that loses the response fetches the answer, also after a restart of the hub."""
    hub = begin(path, is_brief=False)
    line = socket.create_connection(("127.0.0.1", hub.port))
    body = json.dumps(request("q-line"))
    line.sendall(("POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nPrefer: wait=20000\r\n"
                  f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
    work(hub, "q-line")
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    line.close()
    hub.kill()
    hub.start()
    expect_fetched(hub, "q-line")
    hub.stop()


class Line:
    """A connection whose bytes and end the test controls."""

    def __init__(self, hub):
        self.line = socket.create_connection(("127.0.0.1", hub.port), timeout=SECONDS)
        self.say("GET", "/healthz")  # The hub has now accepted the connection.
        self.hear()

    def say(self, method, path, body=None, prefer=""):
        text = "" if body is None else json.dumps(body)
        self.line.sendall((f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{prefer}"
                           f"Content-Length: {len(text)}\r\n\r\n{text}").encode())

    def hold(self, name):
        self.say("POST", "/v1/messages", request(name), "Prefer: wait=600000\r\n")

    def hear(self):
        """(status, answer)"""
        response = http.client.HTTPResponse(self.line)
        response.begin()
        text = response.read()
        return response.status, json.loads(text) if text else None

    def drop(self):
        self.line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.line.close()


class AtOnce:
    """Stops the hub for the block, so that the hub receives all bytes sent in the block at once."""

    def __init__(self, hub):
        self.process = hub.process

    def __enter__(self):
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(0.05)

    def __exit__(self, *_):
        time.sleep(0.05)
        self.process.send_signal(signal.SIGCONT)


def reply_on(line, delivery, name):
    line.say("POST", f"/v1/deliveries/{delivery['delivery_id']}/reply", completion(name))


def lose_the_line_early(path):
    """A connection ends before the hub has decided the request: the answer is delivered to the mailbox."""
    hub = begin(path, is_brief=False)
    line = Line(hub)
    with AtOnce(hub):
        line.hold("q-early")
        line.line.close()
    work(hub, "q-early")
    told = take(hub, "planner")
    expect_answer("q-early", told)
    settle(hub, told)
    hub.stop()


def ask_again_on_another_line(path):
    """A connection is lost while the same request arrives on another connection: the other connection gets the answer."""
    hub = begin(path, is_brief=False)
    lost, again = Line(hub), Line(hub)
    lost.hold("q-again")
    delivery = take(hub, "worker")
    with AtOnce(hub):
        lost.drop()
        time.sleep(0.02)
        again.hold("q-again")
    time.sleep(0.3)
    status, answer = hub.ask("POST", f"/v1/deliveries/{delivery['delivery_id']}/reply", completion("q-again"))
    check(status == 202, f"the reply was answered with {status}: {answer}")
    status, answer = again.hear()
    if status == 200:
        expect_answer("q-again", {"message": answer})
    else:  # The response was 202: the answer is in the mailbox.
        expect_answer("q-again", take(hub, "planner"))
    hub.stop()


def stop_while_the_answer_comes(path):
    """Answers and SIGTERM arrive at once: a waiting requester gets the answer on the connection or in the mailbox."""
    hub = begin(path, is_brief=False)
    names = [f"q-stop-{i}" for i in range(6)]
    lines = {name: Line(hub) for name in names}
    workers = {name: Line(hub) for name in names}
    for name, line in lines.items():
        line.hold(name)
    held = {}
    while len(held) < len(names):
        delivery = take(hub, "worker")
        held[delivery["message"]["id"]] = delivery
    with AtOnce(hub):
        for name in names:
            reply_on(workers[name], held[name], name)
        hub.process.send_signal(signal.SIGTERM)
    told = {name: line.hear() for name, line in lines.items()}
    check(hub.process.wait(20) == 0, "the hub does not stop")
    hub.start()
    came = {message["payload"].get("made") for message in hub.drain("planner")}
    for name, (status, answer) in told.items():
        on_the_line = status == 200 and answer["payload"]["made"] == name
        state = hub.ask("GET", f"/v1/requests/{name}?agent=planner")[1]["state"]
        check(on_the_line or name in came or state == "open", f"{name} was told {status} {answer}, and its answer never came")
    hub.stop()


def restore_an_older_copy(path):
    """Two runs from one copy use the same tickets; a reply to the first run's delivery is stale in the second run."""
    hub = begin(path, is_brief=False)
    check(hub.stop() == 0, "the hub does not stop")
    shutil.copytree(path, path + ".copy")

    hub.start()
    lost_epoch = hub.ask("GET", "/v1/hub")[1]["epoch"]
    ask(hub, "q-lost")
    lost = take(hub, "worker")["delivery_id"]
    hub.kill()
    shutil.rmtree(path)
    shutil.copytree(path + ".copy", path)

    hub.start()
    check(hub.ask("GET", "/v1/hub")[1]["epoch"] != lost_epoch, "both runs have one epoch")
    ask(hub, "q-kept")
    kept = take(hub, "worker")["delivery_id"]
    check(kept.split(".")[:2] == lost.split(".")[:2], f"the runs do not collide, so this proves nothing: {lost}, {kept}")
    for verb, body in (("reply", completion("q-lost")), ("ack", None), ("nack", {"reason": "no"}), ("progress", {})):
        status, problem = hub.ask("POST", f"/v1/deliveries/{lost}/{verb}", body)
        check(status == 409 and problem["code"] == "DELIVERY_STALE", f"{verb} of the lost run: {status} {problem}")
    for word in (kept.rsplit(".", 1)[0], kept + ".1", kept.replace(".", "-"), "0.1.1", "x.y.z"):
        status, problem = hub.ask("POST", f"/v1/deliveries/{word}/ack")
        check(status == 404 and problem["code"] == "DELIVERY_NOT_FOUND", f"{word}: {status} {problem}")
    line = Socket(hub.port, "worker", credit=0, instance="line")
    line.say({"ack": [lost]})
    heard = line.hear()
    check(heard["refused"][0]["code"] == "DELIVERY_STALE", f"on a connection: {heard}")
    check(hub.ask("GET", "/v1/requests/q-kept?agent=planner")[1]["state"] == "open", "the request of this run has ended")
    status, answer = hub.ask("POST", f"/v1/deliveries/{kept}/reply", completion("q-kept"))
    check(status == 202, f"the reply of this run: {status} {answer}")
    expect_fetched(hub, "q-kept")
    hub.stop()


def kept_for_people(hub, name):
    """Creates a human task and a dead letter, and returns their ids."""
    status, asked = hub.ask("POST", "/v1/human", {"role": "legal", "question": name, "kind": "approve"},
                            {"Parlance-Operator": "olga"})
    check(status == 202, f"POST /v1/human answered {status} {asked}")
    status, told = hub.ask("POST", "/v1/messages", {"id": name, "from": "planner", "to": "worker", "type": "ERROR_REPORT",
                                                    "payload": {"task_id": name}})
    check(status == 202, f"POST /v1/messages answered {status} {told}")
    status, told = hub.ask("POST", f"/v1/deliveries/{take(hub, 'worker')['delivery_id']}/nack", {"reason": "no", "final": True})
    check(status == 204, f"the nack answered {status} {told}")
    return asked["id"], hub.ask("GET", "/v1/dead-letters")[1]["dead_letters"][-1]["dead_letter_id"]


def restore_what_waits_for_people(path):
    """Two runs from one copy use the same tickets for human tasks and dead letters; the first run's ids are unknown in
    the second run."""
    hub = begin(path, is_brief=False)
    check(hub.stop() == 0, "the hub does not stop")
    shutil.copytree(path, path + ".copy")
    hub.start()
    lost = kept_for_people(hub, "lost")
    check(hub.ask("GET", f"/v1/human/{lost[0]}")[0] == 200, "the id that POST /v1/human gave names no human task")
    hub.kill()
    hub.start()
    check(hub.ask("GET", f"/v1/human/{lost[0]}")[0] == 200, "a restart changed the id of a human task")
    check(hub.ask("GET", f"/v1/dead-letters/{lost[1]}")[0] == 200, "a restart changed the id of a dead letter")
    hub.kill()
    shutil.rmtree(path)
    shutil.copytree(path + ".copy", path)

    hub.start()
    kept = kept_for_people(hub, "kept")
    check([word.split(".")[0] for word in kept] == [word.split(".")[0] for word in lost],
          f"the runs do not collide, so this proves nothing: {lost}, {kept}")
    olga = {"Parlance-Operator": "olga"}
    for method, route, body in (("GET", "human/{0}", None), ("POST", "human/{0}/answer", {"decision": "approve"}),
                                ("GET", "dead-letters/{1}", None), ("POST", "dead-letters/{1}/redeliver", None),
                                ("POST", "dead-letters/{1}/discard", {"reason": "no"})):
        status, problem = hub.ask(method, "/v1/" + route.format(*lost), body, olga)
        check(status == 404 and problem["code"] in ("HUMAN_TASK_NOT_FOUND", "DEAD_LETTER_NOT_FOUND"),
              f"{method} {route} of the lost run: {status} {problem}")
    check(hub.ask("GET", f"/v1/human/{kept[0]}")[1]["state"] == "waiting", "the human task of this run was answered")
    status, problem = hub.ask("POST", f"/v1/dead-letters/{kept[1]}/redeliver", None, olga)
    check(status == 204, f"the dead letter of this run: {status} {problem}")
    status, problem = hub.ask("POST", f"/v1/human/{kept[0]}/answer", {"decision": "approve"}, {"Parlance-Operator": "otto"})
    check(status == 204, f"the human task of this run: {status} {problem}")
    hub.stop()


def page_through_what_waits(path):
    """The last id of a page, as the page shows the id, works as `after` of the next page."""
    hub = begin(path, is_brief=False)
    kept = [kept_for_people(hub, f"page-{i}") for i in range(3)]
    for route, items, name, shown in (("human", "human_tasks", "id", [ids[0] for ids in kept]),
                                      ("dead-letters", "dead_letters", "dead_letter_id", [ids[1] for ids in kept])):
        for after, expected in (("", shown[:1]), (f"&after={shown[0]}", shown[1:2]), (f"&after={shown[1].split('.')[0]}", shown[2:]),
                                (f"&after={shown[2]}", [])):
            status, page = hub.ask("GET", f"/v1/{route}?max=1{after}", headers={"Parlance-Operator": "olga"})
            check(status == 200, f"GET /v1/{route}{after} answered {status} {page}")
            check([item[name] for item in page[items]] == expected, f"/v1/{route}{after} shows {page}")
        status, problem = hub.ask("GET", f"/v1/{route}?after=x.1")
        check(status == 422 and problem["code"] == "INPUT_VALIDATION_FAILED", f"no id: {status} {problem}")
    hub.stop()


def read_beyond_the_end(path):
    """A read from beyond the next record is refused at once; a read from the next record waits."""
    hub = begin(path, is_brief=False)
    last = hub.ask("GET", "/v1/hub")[1]["sequence"]
    for words, headers in ((f"?from={last + 2}", {}), ("?from=1000000&follow=false", {}),
                           ("", {"Last-Event-ID": str(last + 1)}), ("", {"Last-Event-ID": "18446744073709551615"})):
        status, problem = hub.ask("GET", f"/v1/events{words}", headers=headers, timeout=5)
        check(status == 404 and problem["code"] == "SEQUENCE_NOT_FOUND", f"{words} {headers}: {status} {problem}")
        check(str(last) in problem["detail"], f"it does not say where the record ends: {problem}")
    status, _ = hub.ask("GET", f"/v1/events?from={last + 1}&follow=false", timeout=5)
    check(status == 200, f"the next record: {status}")
    ask(hub, "q-parts")
    ticket = (hub.ask("GET", "/v1/hub")[1]["sequence"] + 1000) * 1024
    for words in (f"dead-letters?after={ticket}", f"dead-letters?after={ticket}.abc", f"human?after={ticket}"):
        status, problem = hub.ask("GET", f"/v1/{words}", timeout=5)
        check(status == 404 and problem["code"] == "SEQUENCE_NOT_FOUND", f"{words}: {status} {problem}")
    for words in (f"delegations?after={last + 1000}", f"correlations/q-parts/messages?after={ticket}"):
        status, problem = hub.ask("GET", f"/v1/{words}", timeout=5)
        check(status == 422 and "last record" in problem["detail"], f"{words}: {status} {problem}")
    status, problem = hub.ask("GET", "/v1/requests/q-parts/stream?agent=planner&after=3", timeout=5)
    check(status == 404 and problem["code"] == "SEQUENCE_NOT_FOUND", f"parts beyond the end: {status} {problem}")
    hub.stop()


def main():
    for trial in (drop_a_poll, kill_before_the_ack, never_settle, hold_the_line, lose_the_line_early,
                  ask_again_on_another_line, stop_while_the_answer_comes, restore_an_older_copy, restore_what_waits_for_people,
                  page_through_what_waits, read_beyond_the_end):
        with Scratch() as scratch:
            trial(f"{scratch}/data")
        print(f"{trial.__name__}: as promised")


if __name__ == "__main__":
    main()
