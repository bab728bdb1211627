"""`parlance doctor` against a running hub.

Proves X22: the document's checklist, tried by `parlance doctor` against the running hub
"""
import json
import subprocess

from hub import BINARY, Hub, Scratch, check

REFUSED = 1


def parlance(hub, *words, expected=0):
    done = subprocess.run([BINARY, "--hub", f"127.0.0.1:{hub.port}", *words], capture_output=True, text=True,
                          timeout=60, check=False)
    check(done.returncode == expected, f"parlance {words} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def the_doctor_finds_the_hub_well(scratch):
    hub = Hub(scratch + "/doctor").start()
    try:
        items = [json.loads(line) for line in parlance(hub, "doctor", "--json").splitlines()]
        check(len(items) == 10 and all(item["ok"] for item in items), f"the checklist does not hold: {items}")
        _, agents = hub.ask("GET", "/v1/agents")
        check(agents["agents"] == [], f"the doctor left something behind: {agents}")
        # Each depth is tried where it ends: that of a request which names none, and the hub's own.
        for policy, limit in (({}, 8), ({"depth_max": 5}, 5), ({"depth_max": 2}, 2), ({"depth_max": 64}, 64)):
            hub.ask("PUT", "/v1/policy", {"hub": policy})
            depth = json.loads(parlance(hub, "doctor", "--json").splitlines()[0])
            no = "then 403 DELEGATION_DEPTH_EXCEEDED"
            check(depth["happened"] == f"1 taken, {no}; of 1000 at depth_max {limit}: {limit - 1} taken, {no}", str(depth))
        # What it asks for to be logged is refused, and the row that counts is of that very request.
        hub.ask("PUT", "/v1/policy", {"hub": {"chain_enabled": 0}})
        refused = [json.loads(line) for line in parlance(hub, "doctor", "--json", expected=REFUSED).splitlines()]
        check(refused[6]["happened"] == "403 ROUTE_NOT_PERMITTED, then a row" and refused[6]["ok"], f"not told: {refused[6]}")
        said = parlance(hub, "doctor", expected=REFUSED)
        check("→ Nothing was taken" in said and "chain_enabled" in said and "set fanout_max" not in said, f"misleading: {said}")
        # A smaller breadth than the document's is enforced as well, and is tried where it ends.
        hub.ask("PUT", "/v1/policy", {"hub": {"fanout_max": 2}})
        breadth = json.loads(parlance(hub, "doctor", "--json").splitlines()[1])
        check(breadth["ok"] and breadth["happened"] == "2 of 2 taken, then 429 DELEGATION_FANOUT_EXCEEDED", str(breadth))
        # That nothing is taken at all is said first.
        hub.ask("POST", "/v1/fleet/stop", {})
        said = parlance(hub, "doctor", expected=REFUSED)
        check("the fleet is stopped" in said and "fleet resume" in said and "✗" not in said, f"not said first: {said}")
        hub.ask("POST", "/v1/fleet/resume", {})
        # A hub without breadth or depth for anybody is not well: what is tried there does not work.
        hub.ask("PUT", "/v1/policy", {"hub": {"fanout_max": 1000}})
        ill = [json.loads(line) for line in parlance(hub, "doctor", "--json", expected=REFUSED).splitlines()]
        check([item["item"] for item in ill if not item["ok"]] == ["Fan-out enforced (≤ 3)"], f"not found: {ill}")
        said = parlance(hub, "doctor", expected=REFUSED)
        check("expected 3 of 3 taken, then 429" in said and "→ The document has 3" in said, f"not told what to do: {said}")
        # Nobody is asked to approve what the doctor tries.
        hub.ask("PUT", "/v1/policy", {"hub": {"risk_low": 1}})
        said = parlance(hub, "doctor", expected=REFUSED)
        check("people would be asked" in said and "risk_low" in said, f"not said: {said}")
        hub.ask("PUT", "/v1/policy", {"hub": {"risk_low": 100}})
        parlance(hub, "doctor")
        _, asked = hub.ask("GET", "/v1/human?state=all")
        check(asked["human_tasks"] == [], f"people were asked: {asked}")
        _, agents = hub.ask("GET", "/v1/agents")
        check(agents["agents"] == [], f"the doctor left something behind: {agents}")
    finally:
        hub.stop()


def main():
    with Scratch() as scratch:
        the_doctor_finds_the_hub_well(scratch)
        print("ok: the doctor finds the hub well", flush=True)


if __name__ == "__main__":
    main()
