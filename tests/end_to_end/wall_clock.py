"""Starts the real binary with a wrong wall clock (preloads skewed_clock.cc).

Proves G8: deadlines, leases and ttls end in time however far the wall clock is behind the journal, and the hub logs the
difference
"""
import os
import sys
import time

from hub import Hub, Scratch, check, message, skip

LIBRARY = os.environ.get("PARLANCE_SKEWED_CLOCK", "")
HOUR = 3600
YEAR = 365 * 24 * HOUR


def start(hub, skew_seconds):
    return hub.start(env={"LD_PRELOAD": LIBRARY, "SKEW_SECONDS": str(skew_seconds)})


def wait_for(what, is_so, seconds=15):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if is_so():
            return
        time.sleep(0.05)
    raise AssertionError(f"after {seconds} s: {what}")


def check_that_time_goes_on(hub, name):
    """Checks that a ttl, a request's deadline and a lease of about a second end."""
    for agent in ("worker", "taker"):
        check(hub.ask("PUT", f"/v1/agents/{agent}", {"dialect": "taskwire"})[0] == 200, "no registration")
    short = message(name, 1)
    short["metadata"] = {"ttl_ms": 1000}
    check(hub.ask("POST", "/v1/messages", short)[0] == 202, "not taken")
    wait_for("the message outlives its ttl", lambda: hub.ask("GET", "/v1/agents/worker")[1]["waiting"] == 0)

    asked = message(name, 2, to="taker", kind="TASK_ASSIGNMENT")
    asked["metadata"] = {"timeout_ms": 1000}
    begin = time.monotonic()
    status, answer = hub.ask("POST", "/v1/messages", asked, {"Prefer": "wait=15000"})
    check(status == 200 and time.monotonic() - begin < 14, f"no timeout: {status} {answer}")

    leased = message(name, 3)
    leased["metadata"] = {"priority": "high"}
    check(hub.ask("POST", "/v1/messages", leased)[0] == 202, "not taken")
    taken = hub.ask("GET", "/v1/agents/worker/inbox?max=1")[1]["messages"]
    check(len(taken) == 1 and taken[0]["attempt"] == 1, str(taken))
    again = []
    wait_for("a lease does not end",
             lambda: again.extend(hub.ask("GET", "/v1/agents/worker/inbox?max=1&wait=1000")[1]["messages"]) or again)
    check(again[0]["attempt"] == 2, str(again))
    hub.ask("POST", f"/v1/deliveries/{again[0]['delivery_id']}/ack")


def warnings(hub):
    with open(hub.log) as log:
        return [line for line in log if "the wall clock says" in line]


def main():
    if not LIBRARY:
        skip("PARLANCE_SKEWED_CLOCK names no library")
    with Scratch() as scratch:
        hub = Hub(scratch + "/data", "[delivery]\nlease_ms = 1000\n")
        try:
            start(hub, 0)
            check_that_time_goes_on(hub, "first")
            check(not warnings(hub), hub.last_words())
            check(hub.stop() == 0, "no clean stop")

            # The wall clock is an hour behind.
            start(hub, -HOUR)
            check(len(warnings(hub)) == 1, f"no warning: {hub.last_words()}")
            ahead = hub.ask("GET", "/v1/hub")[1]["hub_time_ahead_ms"]
            check(HOUR * 1000 - 60_000 < ahead <= HOUR * 1000, f"{ahead} ms ahead")
            check_that_time_goes_on(hub, "behind")
            hub.kill()

            # The wall clock was a year ahead, on record, and is then correct: hub time continues from the record.
            start(hub, YEAR)
            check_that_time_goes_on(hub, "ahead")
            hub.kill()
            start(hub, 0)
            check(len(warnings(hub)) == 2, f"no second warning: {hub.last_words()}")
            ahead = hub.ask("GET", "/v1/hub")[1]["hub_time_ahead_ms"]
            check(YEAR * 1000 - 60_000 < ahead <= YEAR * 1000, f"{ahead} ms ahead")
            check(f"parlance_hub_time_ahead_ms {str(ahead)[:5]}" in hub.ask("GET", "/metrics")[1], "no such figure")
            check_that_time_goes_on(hub, "right")
            check(hub.stop() == 0, "no clean stop")
            check(not hub.verify(), "the journal does not verify")
        finally:
            hub.kill()
    print("time goes on whatever the wall clock says")


if __name__ == "__main__":
    sys.exit(main())
