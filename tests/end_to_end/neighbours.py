"""One agent that connects too often, floods, sends garbage and crashes harms no other agent.

Proves K22: the hub refuses that agent by name, while every message of other agents is accepted and delivered
Proves G6: the other agents' success rate stays 1
"""
import http.client
import json
import time

from hub import Hub, Scratch, Socket, ask_on, check, message
from unkind_clients import GoodTraffic

LINES = 64
PER_MINUTE = 50
GOOD_MIN = 20
SECONDS_MAX = 10


def it_has_no_more_lines_than_it_may(hub):
    """The hub accepts the 64th connection of a caller and refuses the 65th."""
    lines = [Socket(hub.port, "rowdy", instance=f"i-{number}") for number in range(LINES)]
    try:
        Socket(hub.port, "rowdy", instance="one-more")
        raise AssertionError("there is no limit")
    except OSError as error:
        check("CONNECTION_LIMIT_EXCEEDED" in str(error), str(error))
    Socket(hub.port, "quiet").close()
    return lines


def its_garbage_ends_its_own_connections(hub, lines):
    for number, line in enumerate(lines):
        line.write(1, [b"{", b"[]", b'{"shout":1}', b"\xff\xfe", b'{"send":7}'][number % 5])
    for line in lines:
        try:
            while True:
                check("error" in line.hear(), "garbage was taken")
        except OSError:
            line.close()


def its_flood_is_refused(hub):
    status, answer = hub.ask("PUT", "/v1/policy", {"agent": {"rowdy": {"messages_per_minute": PER_MINUTE}}},
                             {"Parlance-Operator": "root"})
    check(status == 204, f"{status} {answer}")
    line = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=20)
    said = [ask_on(line, "POST", "/v1/messages", message("rowdy", number)) for number in range(4 * PER_MINUTE)]
    codes = {answer["code"] for status, answer in said if status != 202}
    taken = sum(status == 202 for status, _ in said)
    # The flood may last beyond the end of a minute, in which more messages are accepted.
    check(PER_MINUTE <= taken <= 2 * PER_MINUTE and codes == {"RATE_LIMIT_EXCEEDED"}, f"{taken} {codes}")


def its_crash_is_its_own(hub):
    crash = Socket(hub.port, "rowdy", instance="crash", credit=8)
    hub.ask("POST", "/v1/messages", message("alice", "crash", to="rowdy"))
    check("deliver" in crash.hear(), "nothing was delivered")
    crash.line.close()


def main():
    with Scratch() as scratch:
        hub = Hub(scratch + "/data").start()
        try:
            for agent in ("worker", "rowdy", "quiet"):
                hub.ask("PUT", f"/v1/agents/{agent}", {"dialect": "taskwire"})
            with GoodTraffic(hub) as good:
                lines = it_has_no_more_lines_than_it_may(hub)
                its_garbage_ends_its_own_connections(hub, lines)
                its_flood_is_refused(hub)
                its_crash_is_its_own(hub)
                # On a fast machine the flood takes a third of a second: other traffic continues until the rate is significant.
                end = time.monotonic() + SECONDS_MAX
                while good.count <= GOOD_MIN and good.failure is None and time.monotonic() < end:
                    time.sleep(0.01)
            check(good.failure is None, f"good traffic failed: {good.failure}")
            check(good.count > GOOD_MIN, f"only {good.count} good messages in all that time")
            got = [json.dumps(item["payload"]["n"]) for item in hub.drain("worker") if item["from"] == "good"]
            check(len(got) == good.count, f"{len(got)} of {good.count} good messages were delivered")
            print(f"ok: {good.count} good messages meanwhile, the slowest {good.slowest * 1000:.0f} ms")
        finally:
            hub.kill()


if __name__ == "__main__":
    main()
