"""An agent that lies about depth, origin, user and budget gains nothing; and the operators' controls work.

Proves X4, X8, X13, G1, G4, I3: an agent escapes no limit by naming no user, by another dialect, by returning its work or
by another user's session
Proves X14, I4: an agent adds no tool to the tools that an operator allowed
Proves X8, W9: the approved budget is the delivered budget, and two people approve the same number
Proves T14: a policy file is checked, applied and explained; an invalid file changes nothing
Proves X4, X7, D9: `listen --json` shows a delegate's limits beside the requester's message
"""
import json
import os
import subprocess
import uuid

from hub import BINARY, Hub, Scratch, check
from identity import Proof, SecureHub, expect, refusal

# On a slow machine it takes longer than the default lease to tell every lie by every proof and at every door.
LONG_LEASES = "[delivery]\nlease_ms = 1800000\n[agents]\nheartbeat_timeout_ms = 1800000\n"
LONG_MS = 1_800_000
REFUSED = 1
MISUSED = 2


def delegation(origin, target, session, objective="Extract receipt data", user="u1", **rest):
    return {"request_id": str(uuid.uuid4()), "origin_employee": origin, "target_employee": target, "user_id": user,
            "parent_session_id": session, "objective": objective, "input": "all fields", **rest}


def by_message(hub, proof, lie):
    return refusal(hub.ask("POST", "/v1/messages", lie, proof=proof))[1]


def by_headers(hub, proof, lie):
    """Sends a delegation in the document's HTTP form, with the false origin in the headers only."""
    names = {"request_id": "X-Agent-Request-ID", "origin_employee": "X-Agent-Origin",
             "parent_session_id": "X-Agent-Parent-Session", "current_depth": "X-Agent-Depth"}
    headers = {header: str(lie[name]) for name, header in names.items() if name in lie}
    body = {name: value for name, value in lie.items() if name not in names}
    return refusal(hub.ask("POST", "/v1/delegations", body, headers, proof=proof))[1]


def by_frame(hub, proof, lie):
    socket = hub.socket(proof, credit=0)
    try:
        socket.say({"send": [lie]})
        told = socket.hear()
        check("refused" in told, f"it is not refused on its connection: {told}")
        return told["refused"][0]["code"]
    finally:
        socket.close()


DOORS = (by_message, by_headers, by_frame)
REFUSALS = {"MessageRefused": "from", "ToolRefused": "by", "SettlementRefused": "by"}  # The event's member with the caller.


def refusals_on_record(hub, proof):
    """Returns (caller, code) of every recorded refusal, in order."""
    _, text = hub.ask("GET", "/v1/events?from=1&follow=false", proof=proof)
    told = []
    for event in text.strip().split("\n\n"):
        kind, data = (line.split(": ", 1)[1] for line in event.split("\n")[1:3])
        if kind in REFUSALS:
            told.append((json.loads(data)[REFUSALS[kind]], json.loads(data)["refusal"]))
    return told


class Liars:
    """Lying agents, each with a token and a certificate, and the expected records of their refusals."""

    def __init__(self, hub):
        self.hub = hub
        self.proofs = {}
        self.on_record = []  # (caller, code)
        self.logged = {}  # (caller, code) of each delegation by id.

    def let_in(self, name, *words):
        token = self.hub.token("--agent", name, *words)[1]
        self.proofs[name] = (token, self.hub.certificate(name))
        return token

    def lie(self, name, code, target, session, objective, user="u1", origin=None, **rest):
        """Sends the lie with each identity over HTTP and WebSocket, as separate requests."""
        for proof in self.proofs[name]:
            for door in DOORS:
                said = delegation(origin or name, target, session, objective, user, **rest)
                told = door(self.hub, proof, said)
                check(told == code, f"{name} is told {told} and not {code} {door.__name__}: {said}")
                self.on_record.append((name, code))
                self.logged[said["request_id"]] = (name, code)

    def try_it(self, name, status, code, *words):
        for proof in self.proofs[name]:
            expect(self.hub.ask(*words, proof=proof), status, code)
            self.on_record.append((name, code))

    def greet_as(self, name, other):
        for proof in self.proofs[name]:
            try:
                self.hub.socket(proof, agent=other)
                check(False, f"{name} is welcome as {other}")
            except OSError as error:
                check("IDENTITY_MISMATCH" in str(error), f"it is not told why: {error}")
            self.on_record.append((name, "IDENTITY_MISMATCH"))


def lies_of_where_it_stands(liars, own, above):
    """The agent `tag` is at depth 2 of 3."""
    for session in (own, above, "s-1", "never-heard-of"):
        for depth in ({}, {"current_depth": 0}):
            liars.lie("tag", "DELEGATION_DEPTH_EXCEEDED", "crystal", session, f"Sort {session}",
                      constraints={"max_depth": 9, "max_tokens": 10}, **depth)
    liars.lie("tag", "DELEGATION_DEPTH_EXCEEDED", "crystal", "s-7", "Sort for nobody", "unknown",
              constraints={"max_depth": 9, "max_tokens": 10})


def lies_of_what_it_has(liars, own):
    """The agent `byte` has 900 tokens left, the tool `ocr`, and the user u1."""
    few = {"max_depth": 9, "max_tokens": 10}
    liars.lie("byte", "IDENTITY_MISMATCH", "crystal", "s-1", "Sort", origin="prime")
    for session in (own, "s-9"):
        liars.lie("byte", "USER_ISOLATION_VIOLATED", "crystal", session, "Sort", "u2", constraints=few)
        liars.lie("byte", "BUDGET_TOKENS_EXCEEDED", "ledger", session, "Sort", constraints={"max_depth": 9, "max_tokens": 901})
        # 501 tokens of the agent `crystal` cost 1002, and the tree's cost budget is 1000.
        liars.lie("byte", "BUDGET_COST_EXCEEDED", "crystal", session, "Sort", constraints={"max_depth": 9, "max_tokens": 501})
        liars.lie("byte", "TOOL_NOT_ALLOWED", "crystal", session, "Sort", constraints=few, tools=["sql"])
        liars.lie("byte", "DELEGATION_CYCLE_DETECTED", "prime", session, "EXTRACT  receipt data", constraints=few)
    liars.lie("byte", "USER_ISOLATION_VIOLATED", "crystal", own, "Sort", constraints=few,
              handoff_data={"references": [{"owner_scope": "user:u2", "source_id": "7"}]})


def a_liar_gets_nowhere(scratch):
    """Proves X4, X5, X6, X8, X13, X14, X21, I1, I2, I3, G1, G2, G3, G4, A1: whatever it says of depth, parent, origin, user, budget, money,
    time, tools and breadth, by token and by certificate, in messages, headers and frames: refused, on record under its own name, and nothing has changed"""
    hub = SecureHub(scratch + "/liar", LONG_LEASES).start()
    try:
        liars = Liars(hub)
        prime = liars.let_in("prime", "--user", "u1")
        byte, tag = liars.let_in("byte"), liars.let_in("tag")
        _, olga = hub.token("--operator", "olga", "--role", "admin")
        for name in ("prime", "byte", "tag", "crystal", "ledger"):
            expect(hub.ask("PUT", f"/v1/agents/{name}", {"dialect": "delegation", "tools_allowed": ["ocr", "sql"]}, proof=olga), 200)
        expect(hub.ask("PUT", "/v1/policy", {"hub": {"cost_per_root": 1000}, "agent": {"crystal": {"cost_per_million_tokens": 2000000}}},
                       proof=olga), 204)

        def send(proof, *words, **rest):
            return hub.ask("POST", "/v1/messages", delegation(*words, **rest), proof=proof)

        def take(name, proof):
            _, taken = hub.ask("GET", f"/v1/agents/{name}/inbox", proof=proof)
            return taken["messages"][0]

        def standing():
            """Returns the counts of the mailboxes, the budget that `byte` has left, and the number of open requests."""
            boxes = [hub.ask("GET", f"/v1/agents/{name}", proof=olga)[1] for name in ("prime", "byte", "tag", "crystal", "ledger")]
            question = delegation("byte", "ledger", own, "Sort", constraints={"max_depth": 9, "max_tokens": 900})
            _, told = hub.ask("POST", "/v1/policy/explain", question, proof=olga)
            purse = [guard["detail"] for guard in told["guards"] if guard["guard"] in ("tokens", "fan-out")]
            _, hub_now = hub.ask("GET", "/v1/hub", proof=olga)
            return [(box["waiting"], box["in_flight"], box["dead_letters"]) for box in boxes], purse, hub_now["open_requests"]

        expect(send(prime, "prime", "byte", "s-1", tools=["ocr"],
                    constraints={"max_tokens": 1000, "max_depth": 3, "deadline_ms": LONG_MS}), 202)
        given = take("byte", byte)
        own = given["grant"]["session"]
        # A longer deadline or greater depth is reduced, not refused: `tag` gets no more of either than `byte`.
        expect(send(byte, "byte", "tag", own, "Categorise",
                    constraints={"max_tokens": 100, "max_depth": 9, "deadline_ms": 10 * LONG_MS}), 202)
        passed = take("tag", tag)
        grant = passed["grant"]
        check((grant["depth"], grant["depth_max"], grant["tokens"], grant["tools"]) == (2, 3, 100, ["ocr"]), f"more than there was: {grant}")
        check(0 < grant["deadline_ms"] <= LONG_MS and grant["deadline"] <= given["grant"]["deadline"], f"more time than there was: {grant}")
        before = standing()
        check(before[0] == [(0, 0, 0), (0, 1, 0), (0, 1, 0), (0, 0, 0), (0, 0, 0)], f"not as it was left: {before}")

        lies_of_where_it_stands(liars, grant["session"], own)
        lies_of_what_it_has(liars, own)
        for tool in ("sql", "OCR", "\u043ecr"):
            liars.try_it("byte", 403, "TOOL_NOT_ALLOWED", "POST", "/v1/tools/authorize", {"tool": tool})
        liars.try_it("byte", 403, "IDENTITY_MISMATCH", "POST", "/v1/tools/authorize", {"agent": "tag", "tool": "ocr"})
        liars.try_it("byte", 403, "IDENTITY_MISMATCH", "POST", f"/v1/deliveries/{passed['delivery_id']}/ack")
        liars.try_it("byte", 404, "DELEGATION_NOT_FOUND", "POST", "/v1/workflows/s-1/cancel", {"reason": "no"})
        liars.greet_as("byte", "prime")
        two = Proof(token=prime.token, cert=liars.proofs["byte"][1].cert)
        expect(hub.ask("POST", "/v1/messages", delegation("prime", "tag", "s-1", "Sort"), proof=two), 403, "IDENTITY_MISMATCH")
        liars.on_record.append(("byte", "IDENTITY_MISMATCH"))
        # With true claims the agent may use its limits.
        expect(hub.ask("POST", "/v1/tools/authorize", {"tool": "ocr"}, proof=byte), 200)
        check(standing() == before, f"something has come of it: {before}, and now {standing()}")

        # The remaining budget can be delegated; then a fourth open delegation exceeds the fan-out, in any claimed session.
        for target in ("crystal", "ledger"):
            expect(send(byte, "byte", target, own, "Sort", constraints={"max_depth": 9, "max_tokens": 450}), 202)
        broad = standing()
        for session in (own, "s-1", "never-heard-of"):
            liars.lie("byte", "DELEGATION_FANOUT_EXCEEDED", "prime", session, f"Count {session}", constraints={"max_depth": 9, "max_tokens": 10})
        check(standing() == broad, f"something has come of it: {broad}, and now {standing()}")

        found = refusals_on_record(hub, olga)
        check(found == liars.on_record, f"on record are {len(found)} refusals: {found}, and made were {liars.on_record}")
        _, hub_now = hub.ask("GET", "/v1/hub", proof=olga)
        _, log = hub.ask("GET", f"/v1/delegations?max=1000&after_sequence={hub_now['sequence']}", proof=olga)
        rows = [(row["request_id"], (row["origin_employee"], row["refusal"])) for row in log["delegations"]]
        for lie in liars.logged.items():
            check(rows.count(lie) == 1, f"{lie} is not in the log once: {rows}")
        # The first requester cancels the whole tree.
        expect(hub.ask("POST", "/v1/workflows/s-1/cancel", {"reason": "enough"}, proof=prime), 204)
        _, hub_now = hub.ask("GET", "/v1/hub", proof=olga)
        check(hub_now["open_requests"] == 0, f"something is open still: {hub_now}")
    finally:
        hub.stop()


def nobody_reads_the_conversation_of_another_user(scratch):
    """Proves X13: a read of another user's conversation answers like a read of an unknown conversation"""
    hub = SecureHub(scratch + "/conversation").start()
    try:
        _, scout = hub.token("--agent", "scout", "--user", "u2")
        _, prime = hub.token("--agent", "prime", "--user", "u1")
        _, olga = hub.token("--operator", "olga", "--role", "admin")
        for name in ("scout", "tag", "prime"):
            expect(hub.ask("PUT", f"/v1/agents/{name}", {"dialect": "delegation"}, proof=olga), 200)
        expect(hub.ask("POST", "/v1/messages", delegation("scout", "tag", "talk-2", user="u2"), proof=scout), 202)
        for part in ("", "/messages", "/timeline", "?at=1"):
            expect(hub.ask("GET", f"/v1/correlations/talk-2{part.partition('?')[0]}", proof=scout), 200)
            real, none = (hub.ask("GET", f"/v1/correlations/{name}{part}", proof=prime) for name in ("talk-2", "talk-0"))
            expect(none, 404, "CORRELATION_NOT_FOUND")
            check(json.dumps(real).replace("talk-2", "talk-0") == json.dumps(none), f"{part}: {real} and {none}")
    finally:
        hub.stop()


def plain(origin, target, user=None):
    """Makes a request in a new conversation, in a dialect without delegations and budgets."""
    metadata = {} if user is None else {"user_id": user}
    return {"id": str(uuid.uuid4()), "from": origin, "to": target, "type": "TASK_ASSIGNMENT",
            "payload": {"action": "SORT", "task_id": str(uuid.uuid4()), **metadata}}


def nobody_leaves_what_it_has_in_hand(scratch):
    hub = SecureHub(scratch + "/in-hand").start()
    try:
        _, prime = hub.token("--agent", "prime", "--user", "u1")
        _, byte = hub.token("--agent", "byte", "--user", "u3")
        _, olga = hub.token("--operator", "olga", "--role", "admin")
        for name in ("prime", "byte", "tag", "crystal"):
            hub.ask("PUT", f"/v1/agents/{name}", {"dialect": "delegation"}, proof=olga)

        def send(proof, message):
            return hub.ask("POST", "/v1/messages", message, proof=proof)

        def take():
            _, taken = hub.ask("GET", "/v1/agents/byte/inbox?wait=20000", proof=byte)
            return taken["messages"][0]["delivery_id"]

        def give(depth, tokens):
            limits = {"max_depth": depth, "max_tokens": tokens, "deadline_ms": 60000}
            expect(send(prime, delegation("prime", "byte", str(uuid.uuid4()), constraints=limits, priority="high")), 202)
            return take()

        def lies():
            wide = {"max_depth": 9, "max_tokens": 10}
            for user in ("unknown", "UNKNOWN ", "", "u1"):
                yield delegation("byte", "tag", str(uuid.uuid4()), f"Sort for {user}", user, constraints=wide)
            yield plain("byte", "tag")
            yield plain("byte", "tag", "unknown")

        def answer(delivery, tokens=0):
            reply = {"summary": "", "result": "", "status": "success",
                     "token_usage": {"prompt": 0, "completion": tokens, "total": tokens}}
            expect(hub.ask("POST", f"/v1/deliveries/{delivery}/reply", reply, proof=byte), 202)

        # The agent names no user and an unknown session, in either dialect.
        held = give(2, 1000)
        for lie in lies():
            expect(send(byte, lie), 403, "DELEGATION_DEPTH_EXCEEDED")
        # The agent returns its work first, and the hub is killed.
        expect(hub.ask("POST", f"/v1/deliveries/{held}/nack", {}, proof=byte), 204)
        for lie in lies():
            expect(send(byte, lie), 403, "DELEGATION_DEPTH_EXCEEDED")
        hub.kill()
        hub.start()
        expect(send(byte, plain("byte", "tag")), 403, "DELEGATION_DEPTH_EXCEEDED")
        # A request for a user that the agent has a grant for is accepted.
        own = delegation("byte", "tag", str(uuid.uuid4()), "Sort", "u3")
        expect(send(byte, own), 202)
        answer(take())
        expect(send(byte, plain("byte", "tag")), 202)
        # A request in a dialect without budgets uses at most the tree's remaining budget.
        held = give(3, 1200)
        expect(send(byte, plain("byte", "tag")), 202)
        expect(send(byte, plain("byte", "tag")), 403, "BUDGET_TOKENS_EXCEEDED")
        answer(held)
        # Another user's session without open requests is not accessible, and stays usable by its owner.
        expect(hub.ask("POST", "/v1/sessions/chat-1", {"user_id": "u1"}, proof=prime), 200)
        for session in ({"child_session_id": "chat-1"}, {"parent_session_id": "chat-1"}):
            theft = {**delegation("byte", "tag", str(uuid.uuid4()), f"Read {session}", "u3"), **session}
            expect(send(byte, theft), 403, "USER_ISOLATION_VIOLATED")
        expect(send(prime, delegation("prime", "crystal", "chat-1")), 202)
        expect(hub.ask("GET", "/v1/sessions/chat-1", proof=prime), 200)
        expect(hub.ask("GET", "/v1/sessions/chat-1", proof=byte), 404, "SESSION_NOT_FOUND")
    finally:
        hub.stop()


def an_agent_gives_itself_no_tool(scratch):
    hub = SecureHub(scratch + "/tools").start()
    try:
        _, byte = hub.token("--agent", "byte")
        _, olga = hub.token("--operator", "olga", "--role", "admin")

        def register(proof, tools):
            return hub.ask("PUT", "/v1/agents/byte", {"dialect": "delegation", "tools_allowed": tools}, proof=proof)

        def may_use(tool):
            return hub.ask("POST", "/v1/tools/authorize", {"tool": tool}, proof=byte)

        expect(register(olga, ["ocr"]), 200)
        for tools in (["ocr", "pay"], ["OCR"], ["ocr\u200b"]):
            expect(register(byte, tools), 403, "TOOL_NOT_ALLOWED")
        expect(may_use("pay"), 403, "TOOL_NOT_ALLOWED")
        expect(may_use("ocr"), 200)
        # The tool is refused on a connection, after the agent has removed itself, and after a kill of the hub.
        widened = {"dialect": "delegation", "tools_allowed": ["ocr", "pay"]}
        try:
            hub.socket(byte, agent="byte", register=widened)
            check(False, "it was welcome with tools of its own")
        except OSError as error:
            check("TOOL_NOT_ALLOWED" in str(error), f"it is not told why: {error}")
        expect(hub.ask("DELETE", "/v1/agents/byte", proof=byte), 204)
        expect(register(byte, ["pay"]), 403, "TOOL_NOT_ALLOWED")
        hub.kill()
        hub.start()
        expect(register(byte, ["pay"]), 403, "TOOL_NOT_ALLOWED")
        expect(register(byte, ["ocr"]), 200)
        _, now = hub.ask("GET", "/v1/agents/byte", proof=olga)
        check(now["tools_allowed"] == ["ocr"] and now["instances"] == [], str(now))
        expect(register(olga, ["ocr", "pay"]), 200)
        expect(may_use("pay"), 200)
    finally:
        hub.stop()


def what_is_approved_is_what_is_delivered(scratch):
    hub = Hub(scratch + "/approved").start()
    try:
        for name in ("prime", "byte"):
            hub.ask("PUT", f"/v1/agents/{name}", {"dialect": "delegation"})
        hub.ask("PUT", "/v1/policy", {"hub": {"risk_low": 100, "risk_high": 1000}})

        def answer(who, **words):
            task = hub.ask("GET", "/v1/human")[1]["human_tasks"][0]
            return hub.ask("POST", f"/v1/human/{task['id']}/answer", {"decision": "approve", **words},
                           {"Parlance-Operator": who})

        def given():
            _, taken = hub.ask("GET", "/v1/agents/byte/inbox", headers={"Parlance-Agent": "byte"})
            return [each["message"]["constraints"]["max_tokens"] for each in taken["messages"]]

        def send(tokens):
            sent = delegation("prime", "byte", f"s-{tokens}", f"Read {tokens}", constraints={"max_tokens": tokens, "max_depth": 3})
            expect(hub.ask("POST", "/v1/messages", sent), 202)

        send(500)
        expect(answer("olga", tokens=5000), 403, "HUMAN_ANSWER_FORBIDDEN")
        expect(answer("olga", tokens=300), 204)
        check(given() == [300], "the recipient reads another budget than was approved")
        send(2000)
        expect(answer("olga", tokens=3000), 204)
        expect(answer("otto", tokens=9000), 409, "STATE_VERSION_STALE")
        expect(answer("otto", tokens=3000), 204)
        check(given() == [3000], "the recipient reads another budget than both approved")
        send(400)
        task = hub.ask("GET", "/v1/human")[1]["human_tasks"][0]["id"]
        parlance(hub, "human", "answer", task, "approve", "--tokens", "0", expected=MISUSED)
        parlance(hub, "human", "answer", task, "approve", "--tokens", "250", "--operator", "olga")
        check(given() == [250], "the recipient reads another budget than was approved at the console")
    finally:
        hub.stop()


def parlance(hub, *words, expected=0):
    done = subprocess.run([BINARY, "--hub", f"127.0.0.1:{hub.port}", *words], capture_output=True, text=True,
                          timeout=60, check=False)
    check(done.returncode == expected, f"parlance {words} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def a_policy_is_a_file(scratch):
    hub = Hub(scratch + "/policy").start()
    good, bad = scratch + "/good.toml", scratch + "/bad.toml"
    with open(good, "w", encoding="utf-8") as file:
        file.write('[hub]\ndepth_max = 1\n[agent."byte-doc"]\nfanout_max = 2\n')
    with open(bad, "w", encoding="utf-8") as file:
        file.write("[hub]\ndepth_max = 0\n")
    try:
        check("ok" in parlance(hub, "policy", "check", good), "a good policy is not good")
        check("from 1 to 64, not 0" in parlance(hub, "policy", "check", bad, expected=REFUSED), "no word about the value")
        parlance(hub, "policy", "apply", bad, "--reason", "none", expected=REFUSED)
        with open(bad, "w", encoding="utf-8") as file:
            file.write("[platform.nope]\ndepth_max = 3\n")
        said = parlance(hub, "policy", "check", bad, expected=REFUSED)
        check("'nope' must be taskwire, kessel, delegation, sam or correlation" in said, f"which there are is not said: {said}")
        parlance(hub, "policy", "apply", good, "--reason", "a lean month")
        now = json.loads(parlance(hub, "policy", "show", "--json"))
        check(now["version"] == 1 and now["policy"]["agent"] == {"byte-doc": {"fanout_max": 2}}, f"not in force: {now}")
        for name in ("a", "b"):
            hub.ask("PUT", f"/v1/agents/{name}", {"dialect": "delegation"})
        asked = scratch + "/message.json"
        with open(asked, "w", encoding="utf-8") as file:
            json.dump(delegation("a", "b", "s"), file)
        said = parlance(hub, "policy", "explain", asked, expected=REFUSED)
        check("DELEGATION_DEPTH_EXCEEDED" in said and "passed" in said, f"no explanation: {said}")
        check("depth_max 1 (hub)" in said, f"no rule with its scope: {said}")
        expect(hub.ask("POST", "/v1/messages", delegation("a", "b", "s")), 403, "DELEGATION_DEPTH_EXCEEDED")
        # For a message outside a tree, `policy explain` says that the depth guard is not asked.
        with open(asked, "w", encoding="utf-8") as file:
            json.dump({"id": "plain", "from": "a", "to": "b", "type": "TASK_ASSIGNMENT", "payload": {"task_id": "t"}}, file)
        said = parlance(hub, "policy", "explain", asked)
        check("not asked tree" in said and "depth_max" not in said, f"it is asked for what it is not held to: {said}")
        expect(hub.ask("POST", "/v1/messages", {"id": "plain", "from": "a", "to": "b", "type": "TASK_ASSIGNMENT",
                                                "payload": {"task_id": "t"}}), 202)
        hub.kill()
        hub.start()
        check(json.loads(parlance(hub, "policy", "show", "--json"))["version"] == 1, "a restart forgot the policy")
        said = parlance(hub, "fleet")
        check("at work" in said, f"not said that it works: {said}")
        said = parlance(hub, "fleet", "stop", "--reason", "drill", "--yes")
        check("stopped" in said and "still in hand: 0 messages" in said and "parked" in said, f"not said what was done: {said}")
        expect(hub.ask("POST", "/v1/messages", delegation("b", "a", "t")), 503, "FLEET_STOPPED")
        for words in (["fleet"], ["fleet", "status"]):
            said = parlance(hub, *words)
            check("stopped since " in said and "drill" in said, f"not said since when and why: {said}")
        said = json.loads(parlance(hub, "fleet", "status", "--json"))
        check(said["stopped"] and said["by"] and said["reason"] == "drill" and said["at"], f"not all of it: {said}")
        parlance(hub, "fleet", "resume", "--reason", "over")
        parlance(hub, "cancel", "nothing", expected=REFUSED)
    finally:
        hub.stop()


def a_delegate_is_told_what_it_has(scratch):
    hub = Hub(scratch + "/grant").start()
    try:
        for name in ("prime", "byte"):
            hub.ask("PUT", f"/v1/agents/{name}", {"dialect": "delegation"})
        hub.ask("PUT", "/v1/policy", {"hub": {"depth_max": 3, "deadline_ms_max": 60_000}})
        written = {"max_depth": 9, "max_tokens": 700, "deadline_ms": 600_000}
        expect(hub.ask("POST", "/v1/messages", delegation("prime", "byte", "s-1", constraints=written)), 202)
        told = json.loads(parlance(hub, "listen", "--as", "byte", "--count", "1", "--json"))
        check(told["message"]["constraints"] == written, f"the message is not as it was written: {told}")
        grant = told["grant"]
        check(grant["depth"] == 1 and grant["depth_max"] == 3 and grant["tokens"] == 700, f"not what it has: {grant}")
        check(0 < grant["deadline_ms"] <= 60_000 and grant["deadline"].endswith("Z"), f"not its time: {grant}")
        check(grant["user"] == "u1" and grant["parent"] == "prime", f"not its place: {grant}")
        hub.ask("POST", "/v1/messages", {"id": "n", "from": "prime", "to": "byte", "type": "TASK_UPDATE", "payload": {}})
        told = json.loads(parlance(hub, "listen", "--as", "byte", "--count", "1", "--json"))
        check("grant" not in told, f"a grant for nothing: {told}")
    finally:
        hub.stop()


def main():
    with Scratch() as scratch:
        for story in (a_liar_gets_nowhere, nobody_reads_the_conversation_of_another_user, nobody_leaves_what_it_has_in_hand, an_agent_gives_itself_no_tool, what_is_approved_is_what_is_delivered,
                      a_policy_is_a_file, a_delegate_is_told_what_it_has):
            story(scratch)
            print(f"ok: {story.__name__.replace('_', ' ')}", flush=True)


if __name__ == "__main__":
    main()
