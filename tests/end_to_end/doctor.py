"""`parlance doctor` against hubs with default limits, stricter limits, looser limits, and broken guards.

Proves X22: `parlance doctor` tries the document's checklist against the running hub
"""
import http.client
import http.server
import json
import os
import signal
import subprocess
import threading

from hub import BINARY, CONTROL, ControlHub, Hub, Scratch, check
from identity import SecureHub

REFUSED = 1
INTERRUPTED = 130
ITEMS = {"depth": "Max depth enforced (≤ 2)", "fan-out": "Fan-out enforced (≤ 3)", "cycle": "Cycle detection active",
         "timeout": "Timeouts configured", "tokens": "Token budgets set", "personal": "PII redaction applied",
         "audit": "Audit logging enabled", "user": "User isolation verified", "tools": "Tool authorization checked",
         "errors": "Error handling complete"}
TOO_DEEP = "then 403 DELEGATION_DEPTH_EXCEEDED"
TOO_WIDE = "then 429 DELEGATION_FANOUT_EXCEEDED"


class Between:
    """A proxy between `parlance doctor` and a hub. A result of `meddle` for (method, path) replaces the hub's answer."""

    def __init__(self, hub, meddle):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                answer = meddle(self.command, self.path)
                if answer is None:
                    line = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=20)
                    line.request(self.command, self.path, body, {"Content-Type": "application/json"})
                    told = line.getresponse()
                    answer = told.status, told.read()
                    line.close()
                self.send_response(answer[0])
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer[1])))
                self.end_headers()
                self.wfile.write(answer[1])

            do_GET = do_PUT = do_POST = do_DELETE = pass_on

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def doctor(hub, *words, expected=0):
    done = subprocess.run([BINARY, "--hub", f"127.0.0.1:{hub.port}", "doctor", *words], capture_output=True, text=True,
                          timeout=60, check=False)
    check(done.returncode == expected, f"doctor ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def examined(hub, expected=0):
    """Returns the doctor's result for each item by short name, and checks that the doctor removed its agents."""
    items = [json.loads(line) for line in doctor(hub, "--json", expected=expected).splitlines()]
    check([item["item"] for item in items] == list(ITEMS.values()), f"not the document's checklist: {items}")
    _, agents = hub.ask("GET", "/v1/agents")
    check(agents["agents"] == [], f"the doctor left something behind: {agents}")
    return dict(zip(ITEMS, items))


def allow(hub, policy):
    status, answer = hub.ask("PUT", "/v1/policy", policy)
    check(status == 204, f"{policy} is no policy: {answer}")


def which(items, verdict):
    return [name for name, item in items.items() if item["ok"] is verdict]


def a_hub_as_it_comes_is_well(hub):
    items = examined(hub)
    check(which(items, True) == list(ITEMS), f"the checklist does not hold: {items}")
    said = doctor(hub)
    check("10 of 10 items hold\n" in said and "✗" not in said and "?" not in said, f"not said so: {said}")
    # The doctor tries both depth limits: the default of a request without max_depth, and the hub's depth_max.
    for policy, limit in (({}, "8 (default)"), ({"depth_max": 8}, "8 (hub)"), ({"depth_max": 5}, "5 (hub)"),
                          ({"depth_max": 2}, "2 (hub)")):
        allow(hub, {"hub": policy})
        depth = examined(hub)["depth"]
        expected = f"1 taken, {TOO_DEEP}; with max_depth 1000: {int(limit[0]) - 1} taken, {TOO_DEEP}; the policy has depth_max {limit}"
        check(depth["happened"] == expected, f"not {expected}: {depth}")
    allow(hub, {})


def a_stricter_hub_is_well_too(hub):
    for policy in ({"fanout_max": 1}, {"fanout_max": 1, "depth_max": 2}, {"requests_per_user_minute": 10},
                   {"messages_per_minute": 10}, {"tokens_in_total": 50}, {"tokens_per_user": 100}, {"tokens_per_root": 60},
                   {"tokens_per_delegation": 10}, {"tokens_per_agent": 41}, {"breaker_failures": 1}, {"root_idle_ms": 1}):
        allow(hub, {"hub": policy})
        items = examined(hub)
        check(which(items, True) == list(ITEMS), f"{policy} is taken for an illness: {items}")
    # The doctor tries a smaller fan-out at that limit.
    allow(hub, {"platform": {"delegation": {"fanout_max": 2}}})
    breadth = examined(hub)["fan-out"]["happened"]
    check(breadth == f"2 of 2 taken, {TOO_WIDE}; the policy has fanout_max 2 (platform delegation)", breadth)
    # The doctor waits only as long as a shorter deadline.
    allow(hub, {"hub": {"deadline_ms_max": 40}})
    said = [json.loads(line) for line in subprocess.run(
        [BINARY, "--hub", f"127.0.0.1:{hub.port}", "doctor", "--json"], capture_output=True, text=True, timeout=60,
        check=False).stdout.splitlines()]
    check(said[3]["ok"] and said[3]["happened"] == "Delegation timeout after 40 ms", f"not the time that it has: {said[3]}")
    allow(hub, {})


def what_another_limit_hinders_is_not_tried(hub):
    # A rate of one message refuses the second message, and a budget of nine tokens refuses the tenth token.
    for policy, hindered in (({"messages_per_minute": 1}, ["depth", "fan-out", "cycle", "user"]),
                             ({"requests_per_user_minute": 1}, ["depth", "fan-out", "cycle"]),
                             ({"tokens_in_total": 9}, ["depth", "fan-out", "cycle", "timeout", "personal", "user"]),
                             ({"tokens_per_root": 20}, ["fan-out"]),
                             ({"depth_max": 1}, ["fan-out", "cycle", "timeout", "tokens", "personal", "user"]),
                             ({"chain_enabled": 0}, ["depth", "fan-out", "cycle", "timeout", "tokens", "personal", "user"]),
                             ({"cost_in_total": 9, "cost_per_million_tokens": 1_000_000},
                              ["depth", "fan-out", "cycle", "timeout", "personal", "user"])):
        allow(hub, {"hub": policy})
        items = examined(hub, expected=REFUSED)
        check(which(items, None) == hindered and which(items, False) == [], f"{policy} hinders something else: {items}")
        rule, value = next(iter(policy.items()))
        for name in hindered:
            because = items[name]["not_tried_because"]
            check(because.startswith(f"{rule} {value} (hub): "), f"the rule is not named: {because}")
        if rule == "chain_enabled":  # Refused delegations are logged too, so the log item passes.
            audit = items["audit"]["happened"]
            check(audit == "403 ROUTE_NOT_PERMITTED, then a row", f"not told: {audit}")
    # The doctor counts failed items and untried items separately.
    allow(hub, {"hub": {"messages_per_minute": 1}})
    said = doctor(hub, expected=REFUSED)
    check("\n6 of 10 items hold, 4 could not be tried\n" in said, f"not counted: {said}")
    check("✗" not in said and said.count("\n? ") == 4, f"not told apart: {said}")
    check(said.count("→ could not be tried, because of messages_per_minute 1 (hub): ") == 4, f"not told: {said}")
    allow(hub, {})


def nobody_is_asked_to_approve_it(hub):
    allow(hub, {"hub": {"risk_low": 1}})
    said = doctor(hub, expected=REFUSED)
    check("people would be asked" in said and "risk_low" in said, f"not said: {said}")
    allow(hub, {"hub": {"risk_low": 100}})
    examined(hub)
    # The same holds when a limit is reached in the middle of an item.
    allow(hub, {"hub": {"tokens_per_root": 20, "budget_asks_people": 1}})
    breadth = examined(hub, expected=REFUSED)["fan-out"]
    check(breadth["ok"] is None and breadth["happened"].startswith("2 of 3 taken, then not sent"), f"not told: {breadth}")
    check(breadth["not_tried_because"].startswith("budget_asks_people 1 (hub): "), f"not told why: {breadth}")
    _, asked = hub.ask("GET", "/v1/human?state=all")
    check(asked["human_tasks"] == [], f"people were asked: {asked}")
    allow(hub, {})
    # The doctor reports first that the hub accepts no work at all.
    hub.ask("POST", "/v1/fleet/stop", {})
    said = doctor(hub, expected=REFUSED)
    check("the fleet is stopped" in said and "fleet resume" in said and "✗" not in said, f"not said first: {said}")
    hub.ask("POST", "/v1/fleet/resume", {})


def a_looser_hub_is_not_well(hub):
    agent, platform, capability, user = "prime-boss", "kessel", "SORT", "u-17"
    for item, rule, most in (("depth", "depth_max", 8), ("fan-out", "fanout_max", 3)):
        for policy, scope in (({"hub": {rule: most + 1}}, "hub"),
                              ({"agent": {agent: {rule: most + 1}}}, f"agent {agent}"),
                              ({"platform": {platform: {rule: most + 1}}}, f"platform {platform}"),
                              ({"capability": {capability: {rule: most + 1}}}, f"capability {capability}"),
                              ({"user": {user: {rule: most + 1}}}, f"user {user}")):
            allow(hub, {"hub": {rule: 2}, **policy})
            items = examined(hub, expected=REFUSED)
            check(which(items, False) == [item] and which(items, None) == [], f"{policy} is not noticed: {items}")
            check(items[item]["happened"].endswith(f"the policy has {rule} {most + 1} ({scope})"), f"not named: {items[item]}")
        # A depth_max equal to the default is not reported as too large.
        allow(hub, {"hub": {rule: 2}, "agent": {agent: {rule: most}}})
        examined(hub)
    allow(hub, {"hub": {"depth_max": 64}})
    depth = examined(hub, expected=REFUSED)["depth"]["happened"]
    check(depth == f"1 taken, {TOO_DEEP}; with max_depth 1000: 8 taken, none refused; the policy has depth_max 64 (hub)", depth)
    said = doctor(hub, expected=REFUSED)
    check("9 of 10 items hold, 1 does not\n" in said and "→ A request that names no max_depth" in said, f"not told what to do: {said}")
    allow(hub, {"hub": {"fanout_max": 1000}})
    said = doctor(hub, expected=REFUSED)
    check("3 of 3 taken, then 202; the policy has fanout_max 1000 (hub)" in said, f"not told what came: {said}")
    check("expected 3 of 3 taken, then 429" in said and "→ The document has 3" in said, f"not told what to do: {said}")
    allow(hub, {})


def a_guard_that_sleeps_is_found(scratch):
    if not CONTROL:
        print("skipped: this build has no planted bugs (PARLANCE_MUTANTS)")
        return
    for mutant, item in (("ignore-depth", "depth"), ("ignore-fanout", "fan-out"), ("ignore-cycles", "cycle"), ("mix-users", "user")):
        hub = ControlHub(f"{scratch}/{mutant}", mutant).start()
        try:
            items = examined(hub, expected=REFUSED)
            check(which(items, False) == [item] and which(items, None) == [], f"{mutant} is not found: {items}")
        finally:
            hub.stop()


def nobody_stays(hub):
    # An agent keeps a delivery after the request's deadline; the doctor settles that delivery too.
    for deadline_ms in (1, 10, 40, 100, 300):
        allow(hub, {"hub": {"deadline_ms_max": deadline_ms}})
        done = subprocess.run([BINARY, "--hub", f"127.0.0.1:{hub.port}", "doctor", "--json"], capture_output=True, text=True,
                              timeout=60, check=False)
        items = dict(zip(ITEMS, (json.loads(line) for line in done.stdout.splitlines())))
        check(which(items, False) == [], f"{deadline_ms} ms are taken for an illness: {items}")
        check(set(which(items, None)) <= {"depth", "fan-out", "personal"}, f"{deadline_ms} ms hinder something else: {items}")
        for name in which(items, None):
            because = items[name]["not_tried_because"]
            check(because.startswith(f"deadline_ms_max {deadline_ms} (hub): "), f"the rule is not named: {because}")
        check(done.returncode == (REFUSED if which(items, None) else 0), f"ended with {done.returncode}: {items}")
        _, agents = hub.ask("GET", "/v1/agents")
        check(agents["agents"] == [], f"the doctor left something behind at {deadline_ms} ms: {agents}")
    allow(hub, {})
    # The doctor retries a failed removal of an agent, and names the agents that cannot be removed.
    busy = {"status": 409, "code": "AGENT_HAS_WORK", "detail": "agent 'b' has 0 waiting, 1 in flight and 0 dead letters"}
    for refusals, expected in ((2, 0), (1000, REFUSED)):
        asked = []

        def meddle(method, path, asked=asked, refusals=refusals):
            if method != "DELETE" or not path.endswith("-b"):
                return None
            asked.append(path)
            return (409, json.dumps(busy).encode()) if len(asked) <= refusals else None

        between = Between(hub, meddle)
        try:
            said = doctor(between, expected=expected)
        finally:
            between.close()
        check("10 of 10 items hold" in said and len(asked) < 100, f"asked {len(asked)} times: {said}")
        _, agents = hub.ask("GET", "/v1/agents")
        names = [f"/v1/agents/{agent['agent']}" for agent in agents["agents"]]
        check(names == (asked[:1] if expected else []), f"these stayed: {agents}")
        complaint = f"an agent of the examination could not be removed: {busy['detail']}"
        check((complaint in said) == (expected == REFUSED), f"who stayed is not said: {said}")
        check(("agents remove" in said) == (expected == REFUSED), f"what to do is not said: {said}")
    hub.ask("DELETE", asked[0])


def who_interrupts_it_is_rid_of_it(hub):
    running = []

    def meddle(method, path):
        if method == "POST" and path == "/v1/messages" and running:
            running.pop().send_signal(signal.SIGINT)

    ready = threading.Event()
    between = Between(hub, lambda method, path: (ready.wait(20), meddle(method, path))[1])
    try:
        process = subprocess.Popen([BINARY, "--hub", f"127.0.0.1:{between.port}", "doctor"], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        running.append(process)
        ready.set()
        said, _ = process.communicate(timeout=60)
    finally:
        between.close()
    check(process.returncode == INTERRUPTED and "items hold" not in said, f"ended with {process.returncode}: {said}")
    _, agents = hub.ask("GET", "/v1/agents")
    check(agents["agents"] == [], f"the doctor left something behind: {agents}")


def only_who_acts_for_agents_may_examine(scratch):
    hub = SecureHub(scratch + "/secure").start()
    try:
        for words, expected in ((("--operator", "olga"), "10 of 10 items hold"),
                                (("--operator", "vic", "--role", "viewer"), "(403 IDENTITY_ROLE_FORBIDDEN)"),
                                (("--agent", "prime"), "(403 IDENTITY_MISMATCH)")):
            token = hub.token(*words)[1].token
            done = subprocess.run([BINARY, "--hub", f"https://127.0.0.1:{hub.port}", "--ca", hub.file("ca.pem"), "doctor"],
                                  capture_output=True, text=True, timeout=60, check=False,
                                  env={**os.environ, "PARLANCE_TOKEN": token})
            said = done.stdout + done.stderr
            check(expected in said and (done.returncode == 0) == ("items hold" in expected), f"ended with {done.returncode}: {said}")
            # A doctor whose registration was refused leaves no agent behind.
            check("could not be removed" not in said, f"who stayed was never there: {said}")
        _, agents = hub.ask("GET", "/v1/agents", proof=hub.token("--operator", "olga")[1])
        check(agents["agents"] == [], f"the doctor left something behind: {agents}")
    finally:
        hub.stop()


def main():
    with Scratch() as scratch:
        stories = [a_hub_as_it_comes_is_well, a_stricter_hub_is_well_too, what_another_limit_hinders_is_not_tried,
                   nobody_is_asked_to_approve_it, a_looser_hub_is_not_well, nobody_stays, who_interrupts_it_is_rid_of_it]
        hub = Hub(scratch + "/hub").start()
        try:
            for story in stories:
                story(hub)
                print(f"ok: {story.__name__.replace('_', ' ')}", flush=True)
        finally:
            hub.stop()
        for story in (only_who_acts_for_agents_may_examine, a_guard_that_sleeps_is_found):
            story(scratch)
            print(f"ok: {story.__name__.replace('_', ' ')}", flush=True)


if __name__ == "__main__":
    main()
