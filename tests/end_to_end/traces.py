"""Reads one conversation of five agents, one per dialect, over HTTP and with `parlance trace`.

Proves C5, C6, C7, C11, C12, C16, P2, P3: one id finds every message of any dialect, during the conversation, across a
crash, and afterwards; the conversation as of any record equals the conversation read at that time; `parlance trace` draws
it; and other agents get the answer for an unknown conversation.
"""
import json
import os
import subprocess
import sys
import uuid

from hub import BINARY, Hub, Scratch, check

CONVERSATION = "session_user_1692633600_a7b2c9d4_1692633612"
WHERE = f"/v1/correlations/{CONVERSATION}"
AGENTS = {"manager": "correlation", "analyst": "kessel", "byte": "delegation", "clerk": "sam", "coder": "taskwire"}
ANSWERS = {
    "analyst": {"status": "SUCCESS", "result_json": {"npv": 17206.82}, "confidence_level": "HIGH"},
    "byte": {"summary": "s", "result": "r", "status": "success",
             "token_usage": {"prompt": 1, "completion": 1, "total": 2}},
    "clerk": {"message_type": "RESPONSE", "payload": {"data": {"costs": 100}}},
    "coder": {"answer": "done"},
}


def call(hub, method, path, body=None, caller=None):
    status, answer = hub.ask(method, path, body, {"Parlance-Agent": caller} if caller else None)
    check(status < 300, f"{method} {path}: {status} {answer}")
    return answer


def see(hub, part="", at=None, agent=None):
    return call(hub, "GET", WHERE + part + (f"?at={at}" if at else ""), caller=agent)


def take(hub, agent):
    return call(hub, "GET", f"/v1/agents/{agent}/inbox?wait=5000", caller=agent)["messages"][0]["delivery_id"]


def reply(hub, agent, delivery):
    call(hub, "POST", f"/v1/deliveries/{delivery}/reply", ANSWERS[agent], agent)


def without_record(conversation):
    return {name: value for name, value in conversation.items() if name != "as_of"}


def converse(hub, seen):
    """The manager asks the analyst, who asks the other three; `seen` keeps the hub's view at each record."""
    def look():
        now = see(hub)
        seen.append(now)
        return now

    call(hub, "POST", "/v1/messages", {
        "correlation_id": CONVERSATION, "agent": "manager", "target_agent": "analyst",
        "timestamp": "2025-08-21T10:30:00Z", "message_type": "orchestration_command", "status": "pending",
        "payload": {"question": "what is it worth?"}})
    now = look()
    check(now["status"] == "active" and now["agents_involved"] == ["analyst", "manager"], now)
    hub.kill()
    hub.start()
    check(without_record(look()) == without_record(now), f"after a crash it is {seen[-1]}, and was {now}")
    own = take(hub, "analyst")
    check(look()["at_work"] == 1, seen[-1])
    for agent in ("byte", "clerk", "coder"):
        call(hub, "POST", "/v1/messages", {
            "source_agent": "analyst", "target_agent": agent, "capability_code": "ANL_NPV",
            "request_id": str(uuid.uuid4()), "inputs_json": {"for": agent}, "correlation_id": CONVERSATION})
        look()
    check(seen[-1]["open_request_count"] == 4 and seen[-1]["agents_involved"] == sorted(AGENTS), seen[-1])
    for agent in ("byte", "clerk", "coder"):
        reply(hub, agent, take(hub, agent))
        look()
    reply(hub, "analyst", own)


def settle(hub, agent):
    """Takes and settles the answers that wait for the agent."""
    while True:
        inbox = call(hub, "GET", f"/v1/agents/{agent}/inbox?max=10", caller=agent)["messages"]
        if not inbox:
            return
        for each in inbox:
            call(hub, "POST", f"/v1/deliveries/{each['delivery_id']}/ack", caller=agent)


def look_back(hub, seen):
    """P3: the conversation as of each record equals the conversation read when that record was the last."""
    for then in seen:
        again = see(hub, at=then["as_of"])
        check(again == then, f"as of {then['as_of']}: {again} and not {then}")
    now = see(hub)
    check(without_record(see(hub, at=now["as_of"])) == without_record(now), "now is not as of now")
    before = hub.ask("GET", f"{WHERE}?at={now['first_sequence'] - 1}")
    check(before[0] == 404, f"it was there before it began: {before}")
    print(f"{len(seen)} looks back are what was seen")


def read(hub):
    """C6, C16, P2: every message is listed in order and in the sender's dialect."""
    page = see(hub, "/messages")
    messages = page["messages"]
    sequences = [each["sequence"] for each in messages]
    check(sequences == sorted(sequences), f"out of order: {sequences}")
    check({each["dialect"] for each in messages} == set(AGENTS.values()), "not every dialect is in it")
    kinds = [each["kind"] for each in messages]
    check(kinds.count("request") == 4 and kinds.count("answer") == 4, kinds)
    check(messages[0]["message"]["payload"] == {"question": "what is it worth?"}, messages[0])
    one = call(hub, "GET", f"{WHERE}/messages?max=1")
    check(one["messages"] == messages[:1] and one["next_after"] == messages[0]["ticket"], one)
    rest = call(hub, "GET", f"{WHERE}/messages?after={one['next_after']}")
    check(rest["messages"] == messages[1:] and rest["next_after"] is None, "the next page is not the rest")


def measure(hub):
    """C12: the timeline has waiting and working time per agent, and names the slowest agent."""
    timeline = see(hub, "/timeline")
    shares = {each["agent"]: each for each in timeline["agents"]}
    check(set(shares) == set(AGENTS) - {"manager"}, shares)
    for share in shares.values():
        check(share["run_ms"]["p50"] <= share["run_ms"]["p99"] and share["own_ms_total"] <= share["run_ms_total"], share)
    check(timeline["bottleneck"].split()[0] in shares, timeline["bottleneck"])
    total = call(hub, "GET", "/v1/analytics")
    check({each["agent"] for each in total["agents"]} == set(shares), total)
    return timeline


def keep_out(hub):
    """Another agent gets the answer for an unknown conversation; a participant sees its own messages."""
    nothing = hub.ask("GET", "/v1/correlations/nothing-like-it", None, {"Parlance-Agent": "mallory"})
    check(nothing[0] == 404 and nothing[1]["code"] == "CORRELATION_NOT_FOUND", nothing)
    for part in ("", "/messages", "/timeline"):
        status, answer = hub.ask("GET", WHERE + part, None, {"Parlance-Agent": "mallory"})
        check((status, answer["code"]) == (404, "CORRELATION_NOT_FOUND"), f"{status} {answer}")
        check(answer["detail"].replace(CONVERSATION, "nothing-like-it") == nothing[1]["detail"], answer["detail"])
        check(hub.ask("GET", WHERE + part, None, {"Parlance-User": "u-1"})[0] == 403, "a user's token is no pass")
    # A message under another agents' correlation id gives no access to their messages.
    call(hub, "POST", "/v1/messages", {"id": "m-1", "from": "mallory", "to": "coder", "type": "TASK_UPDATE", "payload": {},
                                       "metadata": {"correlation_id": CONVERSATION}})
    shown = see(hub, "/messages", agent="mallory")["messages"]
    check([each["message_id"] for each in shown] == ["m-1"], shown)
    own = {name for each in see(hub, "/messages", agent="clerk")["messages"] for name in (each["from"], each["to"])}
    check(own == {"analyst", "clerk"}, own)


def tool(hub, *words):
    done = subprocess.run([BINARY, *words, "--hub", f"127.0.0.1:{hub.port}"], capture_output=True, text=True,
                          timeout=20, env={**os.environ, "COLUMNS": "160"})
    check(done.returncode == 0, f"{words}: {done.stdout} {done.stderr}")
    return done.stdout


def draw(hub, timeline):
    picture = tool(hub, "trace", CONVERSATION)
    for word in ("manager → analyst", "  analyst → clerk", "█", "completed", timeline["bottleneck"]):
        check(word in picture, f"no '{word}' in\n{picture}")
    print(picture)
    check(json.loads(tool(hub, "trace", CONVERSATION, "--json"))["messages"] == timeline["messages"], "--json differs")
    early = tool(hub, "trace", CONVERSATION, "--at", str(timeline["messages"][0]["sequence"]))
    check("clerk" not in early and "active" in early, early)
    said = tool(hub, "trace", CONVERSATION, "--messages", "--json").splitlines()
    check(len(said) == len(timeline["messages"]), f"{len(said)} messages")
    check("analyst" in tool(hub, "stats"), "stats does not name the analyst")
    refused = subprocess.run([BINARY, "trace", "nothing-like-it", "--hub", f"127.0.0.1:{hub.port}"],
                             capture_output=True, text=True, timeout=20)
    check(refused.returncode == 1 and "CORRELATION_NOT_FOUND" in refused.stderr, refused)


def main():
    with Scratch() as scratch:
        hub = Hub(scratch + "/data").start()
        for agent, dialect in {**AGENTS, "mallory": "taskwire"}.items():
            call(hub, "PUT", f"/v1/agents/{agent}", {"dialect": dialect, "capabilities": [{"code": "ANL_NPV"}]})
        seen = []
        converse(hub, seen)
        for agent in ("analyst", "manager"):
            settle(hub, agent)
        seen.append(see(hub))
        check(seen[-1]["status"] == "completed" and seen[-1]["open"] == 0, seen[-1])
        look_back(hub, seen)
        read(hub)
        draw(hub, measure(hub))
        check(hub.stop() == 0, "no clean stop")
        hub.start()
        look_back(hub, seen)
        keep_out(hub)
        hub.stop()


if __name__ == "__main__":
    sys.exit(main())
