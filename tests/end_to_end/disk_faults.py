"""Every write, sync, open and rename of the real binary fails or kills it, one at a time (strace injects).

Proves D1, A2: whatever call fails, what was acknowledged is there and the chain verifies.
Whatever happens, a restart works and has everything that was acknowledged. PARLANCE_FAULTS=all tries
every call of each kind up to 40 instead of a sample.
"""
import os
import shutil
import subprocess
import sys
import threading
import time

from hub import Hub, Scratch, check, message, skip

SETTINGS = "[journal]\nsegment_bytes = 262144\n"
MESSAGES = 25
CONTROL = os.environ.get("PARLANCE_CONTROL", "")
ALL = os.environ.get("PARLANCE_FAULTS") == "all"
CALLS = ("pwrite64", "fdatasync", "fsync", "openat", "rename")


def injected(call, fault, when):
    return ["strace", "-f", "-D", "-qq", "-o", "/dev/null", "-e", f"trace={call}",
            "-e", f"inject={call}:{fault}:when={when}"]


def send(hub, acknowledged, count=MESSAGES, sender="alice", timeout=5, text_bytes=0):
    """Sends until something else than 202 comes: its status and answer, or None."""
    for number in range(count):
        item = message(sender, number)
        item["payload"]["text"] = "x" * text_bytes
        try:
            status, answer = hub.ask("POST", "/v1/messages", item, timeout=timeout)
        except OSError:
            return None
        if status != 202:
            return status, answer
        acknowledged.add(item["id"])
    return None


def register(hub):
    try:
        return hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"}, timeout=5)[0] == 200
    except OSError:
        return False


def everything_is_there(hub, acknowledged, what):
    """After a restart without faults."""
    hub.kill()
    hub.start()
    if acknowledged:
        there = {item["id"] for item in hub.drain("worker")} | hub.dead_letter_ids()
        lost = acknowledged - there
        check(not lost, f"{what}: {len(lost)} acknowledged messages are lost: {sorted(lost)[:5]}")
    check(hub.stop() == 0, f"{what}: no clean stop after it")
    check(not hub.verify(), f"{what}: {hub.verify()}")


def one_call_goes_wrong(scratch, call, fault, when):
    what = f"{call}:{fault}:when={when}"
    hub = Hub(f"{scratch}/{call}-{fault.replace('=', '-')}-{when}", SETTINGS)
    acknowledged = set()
    try:
        hub.launch(injected(call, fault, when))
        if hub.is_up(20) and register(hub):
            # Enough to go on to the next segments.
            send(hub, acknowledged, text_bytes=20_000)
        everything_is_there(hub, acknowledged, what)
    finally:
        hub.kill()
        shutil.rmtree(hub.data, ignore_errors=True)
    return len(acknowledged)


def a_failed_sync_is_final(scratch):
    hub = Hub(scratch + "/eio", SETTINGS)
    acknowledged = set()
    try:
        hub.start(injected("fdatasync", "error=EIO", "14+"))
        check(register(hub), "no registration before the fault")
        refused = send(hub, acknowledged)
        check(refused is not None, "a message in the turn that failed was left without an answer")
        check(refused[0] == 503 and refused[1]["code"] == "HUB_STORAGE_FAILED", str(refused))
        check(acknowledged, "the fault came before the first message")
        for _ in range(3):
            late = send(hub, acknowledged, 1, "late")
            check(late is not None and late[0] == 503, f"after the failed sync: {late}")
        status, answer = hub.ask("GET", "/readyz")
        check(status == 503 and answer["reason"], f"/readyz says {status} {answer}")
        check(hub.ask("GET", "/healthz")[0] == 200, "it is alive, and says it is not")
        check(hub.ask("GET", "/v1/agents")[0] == 200, "reads are no longer served")
        everything_is_there(hub, acknowledged, "EIO on sync")
    finally:
        hub.kill()


def a_full_disk_refuses_and_resumes(scratch):
    """By injection: so many writes find no space, then there is space again."""
    hub = Hub(scratch + "/enospc", SETTINGS)
    acknowledged = set()
    try:
        hub.start(injected("pwrite64", "error=ENOSPC", "60..75"))
        check(register(hub), "no registration before the fault")
        check_full_and_back(hub, acknowledged, send_until_full, time.sleep)
        everything_is_there(hub, acknowledged, "ENOSPC")
    finally:
        hub.kill()


def send_until_full(hub, acknowledged):
    """What is already decided waits for space and is acknowledged then; what comes later is refused."""
    sender = threading.Thread(target=send, args=(hub, acknowledged, 100, "filler", 30))
    sender.start()
    try:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if hub.ask("GET", "/readyz")[0] == 503:
                check(hub.ask("GET", "/v1/agents")[0] == 200, "reads are not served meanwhile")
                return hub.ask("POST", "/v1/messages", message("unlucky", 0))
            time.sleep(0.01)
        return None
    finally:
        sender.join(40)


def check_full_and_back(hub, acknowledged, fill, give_space):
    refused = fill(hub, acknowledged)
    check(refused is not None, "the disk was full and nobody was told")
    check(refused[0] == 507 and refused[1]["code"] == "HUB_STORAGE_FULL", str(refused))
    check("space" in refused[1]["detail"] or "full" in refused[1]["detail"], refused[1]["detail"])
    check(hub.ask("GET", "/v1/agents")[0] == 200, "reads are not served after that")
    give_space(0.1)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if send(hub, acknowledged, 1, "after") is None and "after-0" in acknowledged:
            check(hub.ask("GET", "/readyz")[0] == 200, "it takes messages and is not ready")
            return
        time.sleep(0.05)
    raise AssertionError("it does not resume by itself when there is space again")


def a_really_full_disk(scratch):
    """A file system of 8 MiB; a ballast file is what is removed to make room."""
    place = scratch + "/small"
    os.mkdir(place)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", place],
                             capture_output=True, text=True)
    if mounted.returncode != 0:
        print(f"skipped: a small tmpfs cannot be mounted here ({mounted.stderr.strip()})")
        return
    hub = Hub(place + "/data", SETTINGS.replace("262144", "1048576"))
    hub.log = scratch + "/small.log"
    acknowledged = set()
    try:
        with open(place + "/ballast", "wb") as ballast:
            ballast.write(b"\1" * (4 << 20))
        hub.start()
        check(register(hub), "no registration")

        def fill(hub, acknowledged):
            for number in range(20_000):
                item = message("big", number)
                item["payload"]["text"] = "x" * 200_000
                status, answer = hub.ask("POST", "/v1/messages", item)
                if status != 202:
                    return status, answer
                acknowledged.add(item["id"])
            return None

        check_full_and_back(hub, acknowledged, fill, lambda _: os.remove(place + "/ballast"))
        everything_is_there(hub, acknowledged, "a full file system")
    finally:
        hub.kill()
        subprocess.run(["umount", place], capture_output=True)


def the_control_is_caught(scratch):
    """A hub that acknowledges before it syncs must fail the check that the others pass."""
    if not CONTROL:
        print("skipped: this build has no planted bugs (PARLANCE_MUTANTS)")
        return
    hub = Hub(scratch + "/control", SETTINGS)
    acknowledged = set()
    try:
        words = [CONTROL, "acknowledge-before-sync", hub.data, str(hub.port)]
        with open(hub.log, "ab") as log:
            hub.process = subprocess.Popen(
                injected("pwrite64", "error=EIO", "80+") + words, stdout=log, stderr=log)
        check(hub.is_up(20) and register(hub), f"the control does not start: {hub.last_words()}")
        send(hub, acknowledged, 100)
        try:
            everything_is_there(hub, acknowledged, "control")
        except AssertionError as caught:
            print(f"the control fails as it must: {caught}")
            return
        raise AssertionError("the control, which acknowledges before it syncs, was not caught")
    finally:
        hub.kill()


def sample(call):
    if ALL:
        return range(1, 41)
    return {"pwrite64": (1, 2, 5, 9, 14, 20), "fdatasync": (1, 2, 3, 8, 18), "fsync": (1, 2, 3, 4),
            "openat": (19, 20, 21, 22, 23), "rename": (1, 2, 3)}[call]


def main():
    if not shutil.which("strace"):
        skip("strace is not installed")
    traced = subprocess.run(["strace", "-D", "-qq", "-o", "/dev/null", "true"], capture_output=True)
    if traced.returncode != 0:
        skip("this system does not let a process be traced")
    with Scratch() as scratch:
        for story in (a_failed_sync_is_final, a_full_disk_refuses_and_resumes, a_really_full_disk,
                      the_control_is_caught):
            story(scratch)
            print(f"ok: {story.__name__.replace('_', ' ')}", flush=True)
        for call in CALLS:
            faults = ["error=EIO", "signal=SIGKILL"] + (["error=ENOSPC"] if call != "fsync" else [])
            for fault in faults:
                counts = [one_call_goes_wrong(scratch, call, fault, when) for when in sample(call)]
                print(f"ok: {call} {fault}: {len(counts)} places, acknowledged {counts}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
