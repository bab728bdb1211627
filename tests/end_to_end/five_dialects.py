"""Five agents, one per dialect and process: each agent sends requests to all five through the hub.

Proves P1: whatever the sender's dialect, each agent receives only its own protocol.
An agent knows only its own dialect: the agent takes a delivery, checks that the message is a request of that dialect, and
answers in that dialect. The requester gets an answer in the requester's dialect with the content of the answer.
"""
import json
import multiprocessing
import sys
import uuid

from hub import Hub, Scratch, check

WAIT_MS = 15_000


def session_id():
    return f"session_user_1692633600_{uuid.uuid4().hex[:8]}_1692633612"


# Kessel requests need a registered capability (K1); the other dialects describe the work in words.
CAPABILITY = {"code": "ANL_NPV", "version": "1.0", "description": "answers a question",
              "input_schema": {"type": "object", "required": ["question"]},
              "output_schema": {"type": ["object", "string"]}}

# A dialect: how to write and recognise a request, and how to write and read an answer. `names` are the members of a
# delivered request, `answers` those of an answer. `echoes` matches an answer to its request: a path in the request, and
# the path in the answer that must have the same value.
DIALECTS = {
    "taskwire": {
        "ask": lambda me, to, what: {"id": str(uuid.uuid4()), "from": me, "to": to, "type": "HELP_REQUEST",
                                     "payload": {"question": what}},
        "names": ["id", "from", "to", "type", "payload"],
        "reply": lambda said: {"answer": said},
        "answers": ["id", "from", "to", "type", "payload"],
        "echoes": [("id", "metadata.correlation_id"), ("from", "to")],
    },
    "kessel": {
        "ask": lambda me, to, what: {"source_agent": me, "target_agent": to, "capability_code": "ANL_NPV",
                                     "request_id": str(uuid.uuid4()), "inputs_json": {"question": what}},
        "names": ["source_agent", "target_agent", "capability_code", "request_id", "inputs_json"],
        "reply": lambda said: {"status": "SUCCESS", "result_json": {"answer": said}, "confidence_level": "HIGH"},
        "answers": ["request_id", "status", "result_json"],
        "echoes": [("request_id", "request_id")],
    },
    "delegation": {
        "ask": lambda me, to, what: {"request_id": str(uuid.uuid4()), "origin_employee": me, "target_employee": to,
                                     "user_id": "user-1", "parent_session_id": "s-1", "objective": "ask",
                                     "input": what},
        "names": ["request_id", "origin_employee", "target_employee", "objective", "input"],
        "reply": lambda said: {"summary": said, "result": said, "status": "success",
                               "token_usage": {"prompt": 1, "completion": 1, "total": 2}},
        "answers": ["request_id", "target_employee", "status", "result"],
        "echoes": [("request_id", "request_id"), ("target_employee", "target_employee")],
    },
    "sam": {
        "ask": lambda me, to, what: {"message_id": str(uuid.uuid4()), "correlation_id": str(uuid.uuid4()),
                                     "timestamp": "2025-11-23T10:00:00Z", "sender": {"agent_id": me},
                                     "recipient": {"agent_id": to}, "message_type": "REQUEST",
                                     "payload": {"action": "ask", "data": {"question": what}, "context": {}}},
        "names": ["message_id", "sender", "recipient", "message_type", "payload"],
        "reply": lambda said: {"message_type": "RESPONSE", "payload": {"data": {"answer": said}}},
        "answers": ["message_id", "sender", "recipient", "message_type", "payload"],
        "echoes": [("message_id", "in_reply_to"), ("correlation_id", "correlation_id"),
                   ("sender.agent_id", "recipient.agent_id"), ("recipient.agent_id", "sender.agent_id")],
    },
    "correlation": {
        "ask": lambda me, to, what: {"correlation_id": session_id(), "agent": me, "target_agent": to,
                                     "timestamp": "2025-08-21T10:30:00Z", "message_type": "orchestration_command",
                                     "status": "pending", "payload": {"question": what}},
        "names": ["correlation_id", "agent", "target_agent", "message_type", "payload"],
        "reply": lambda said: {"message_type": "status_update", "status": "success", "payload": {"answer": said}},
        "answers": ["correlation_id", "agent", "message_type", "status", "payload"],
        "echoes": [("correlation_id", "correlation_id"), ("target_agent", "agent")],
    },
}


def at(message, place):
    for name in place.split("."):
        message = message.get(name) if isinstance(message, dict) else None
    return message


def lacking(message, names):
    return [name for name in names if name not in message]


def serve(hub, dialect, count, results):
    """Runs an agent that answers the given number of requests."""
    try:
        for _ in range(count):
            status, inbox = hub.ask("GET", f"/v1/agents/{dialect}/inbox?max=1&wait={WAIT_MS}", timeout=30)
            check(status == 200 and inbox["messages"], f"{dialect} got no mail: {status} {inbox}")
            delivery = inbox["messages"][0]
            message = delivery["message"]
            missing = lacking(message, DIALECTS[dialect]["names"])
            check(not missing, f"{dialect} was shown no request of its own: it lacks {missing}: {message}")
            check("what is 6 times 7" in json.dumps(message), f"{dialect} was not told the question: {message}")
            reply = DIALECTS[dialect]["reply"](f"{dialect} says 42")
            status, told = hub.ask("POST", f"/v1/deliveries/{delivery['delivery_id']}/reply", reply)
            check(status < 300, f"the reply of {dialect} was refused: {status} {told} to {message}")
        results.put("")
    except Exception as error:  # Passed on to the parent process.
        results.put(str(error))


def converse(hub, asker, answerer):
    question = DIALECTS[asker]["ask"](asker, answerer, "what is 6 times 7")
    status, answer = hub.ask("POST", "/v1/messages", question,
                             {"Prefer": f"wait={WAIT_MS}", "Parlance-Agent": asker}, timeout=30)
    check(status == 200, f"{asker} asked {answerer} and got {status} {answer}")
    missing = lacking(answer, DIALECTS[asker]["answers"])
    check(not missing, f"{asker} got no answer of its own from {answerer}: it lacks {missing}: {answer}")
    for asked, told in DIALECTS[asker]["echoes"]:
        check(at(question, asked) == at(answer, told),
              f"{asker} asked {answerer} with {asked} {at(question, asked)}, and got {told} {at(answer, told)}: {answer}")
    check(f"{answerer} says 42" in json.dumps(answer), f"{asker} was not told what {answerer} said: {answer}")
    print(f"{asker} asked {answerer}, and understood")


def delegate(hub, answerer):
    """X12: sends the same request to POST /v1/delegations with headers for the origin, and gets the answer at once."""
    question = DIALECTS["delegation"]["ask"]("delegation", answerer, "what is 6 times 7")
    headers = {"X-Agent-Request-ID": question.pop("request_id"), "X-Agent-Origin": question.pop("origin_employee"),
               "X-Agent-Depth": "0", "X-Agent-Parent-Session": question.pop("parent_session_id") + "-over-http"}
    status, answer = hub.ask("POST", "/v1/delegations", question, headers, timeout=30)
    check(status == 200, f"a delegation to {answerer} got {status} {answer}")
    check(answer.get("request_id") == headers["X-Agent-Request-ID"], f"{answerer} answered another request: {answer}")
    check(answer.get("target_employee") == answerer and answer.get("status") == "success", f"not its answer: {answer}")
    check(f"{answerer} says 42" in json.dumps(answer), f"the delegation was not told what {answerer} said: {answer}")


def main():
    with Scratch() as scratch:
        hub = Hub(scratch + "/data").start()
        for dialect in DIALECTS:
            status, told = hub.ask("PUT", f"/v1/agents/{dialect}",
                                   {"dialect": dialect, "capabilities": [CAPABILITY]})
            check(status == 200, f"{dialect} cannot register: {status} {told}")
        results = multiprocessing.Queue()
        agents = [multiprocessing.Process(target=serve, args=(hub, dialect, len(DIALECTS) + 1, results))
                  for dialect in DIALECTS]
        for agent in agents:
            agent.start()
        try:
            for asker in DIALECTS:
                for answerer in DIALECTS:
                    converse(hub, asker, answerer)
            for answerer in DIALECTS:
                delegate(hub, answerer)
            troubles = [trouble for trouble in (results.get(timeout=30) for _ in agents) if trouble]
            check(not troubles, "; ".join(troubles))
        finally:
            for agent in agents:
                agent.terminate()
                agent.join(10)
            while not results.empty():
                print(results.get(), file=sys.stderr)
            hub.stop()
        print(f"{len(DIALECTS) ** 2} pairs understood each other")


if __name__ == "__main__":
    main()
