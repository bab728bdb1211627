"""Fails one write, sync, open or rename of the real binary at a time, or kills the binary there (injected by strace).

Proves D1, A2: whatever call fails, every acknowledged message is in the journal after a restart, and the chain verifies.
PARLANCE_FAULTS=all tries the first 40 calls of each kind instead of a sample.
"""
import http.client
import os
import shutil
import socket
import subprocess
import sys
import threading
import time

from hub import Hub, Scratch, ask_on, check, message, skip_without_strace

SETTINGS = "[journal]\nsegment_bytes = 262144\n"
MESSAGES = 25
CONTROL = os.environ.get("PARLANCE_CONTROL", "")
ALL = os.environ.get("PARLANCE_FAULTS") == "all"
CALLS = ("pwrite64", "fdatasync", "fsync", "openat", "renameat")
MARK = "high-water"
SPENT = ("EMFILE", "ENFILE", "ENOMEM")  # Errors of open() that the hub treats like a full disk.


def injected(call, fault, when, path=None):
    """With `path`, strace counts only calls on that file, by absolute path or relative to the file's directory."""
    only = ["-P", path, "-P", os.path.basename(path)] if path else []
    return ["strace", "-f", "-D", "-qq", "-o", "/dev/null", *only, "-e", f"trace={call}",
            "-e", f"inject={call}:{fault}:when={when}"]


def send(hub, acknowledged, count=MESSAGES, sender="alice", timeout=5, text_bytes=0):
    """Sends messages until an answer is not 202; returns that status and answer, or None."""
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
    """Restarts the hub without faults; checks that all acknowledged messages are delivered and the chain verifies."""
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
            # Enough messages to start new segments.
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
    """Some writes fail with ENOSPC (injected), then writes succeed again."""
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
    """Messages that the hub decided wait for space and are then acknowledged; later messages are refused."""
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


def no_descriptors_are_a_full_disk(scratch):
    """Proves G7: without file descriptors new work is refused, and accepted again later without a restart."""
    for fault in SPENT:
        hub = Hub(f"{scratch}/{fault}", SETTINGS)
        acknowledged = set()
        try:
            # The hub creates the first segments; creating the next ones fails for a while.
            hub.start(injected("openat", f"error={fault}", "4..12", hub.data + "/spare.tmp"))
            check(register(hub), "no registration before the fault")
            check_spent_and_back(hub, acknowledged, fault)
            everything_is_there(hub, acknowledged, fault)
        finally:
            hub.kill()


def check_spent_and_back(hub, acknowledged, what):
    """While the next segment cannot be created the hub refuses work, and accepts work once creation succeeds."""
    codes = set()
    end = time.monotonic() + 60
    number = 0
    while time.monotonic() < end and (len(acknowledged) < 60 or not codes):
        item = message("filler", number)
        item["payload"]["text"] = "x" * 20_000
        status, answer = hub.ask("POST", "/v1/messages", item)
        if status == 202:
            acknowledged.add(item["id"])
            number += 1
            continue
        codes.add((status, answer["code"]))
        check(hub.ask("GET", "/v1/agents")[0] == 200, f"{what}: reads are not served meanwhile")
        _, ready = hub.ask("GET", "/readyz")
        check(ready.get("condition") != "disk_failed", f"{what}: {ready}")
        time.sleep(0.05)
    check(codes == {(507, "HUB_STORAGE_FULL")}, f"{what}: refused with {codes} after {len(acknowledged)}")
    check(len(acknowledged) >= 60, f"{what}: it does not resume by itself, {len(acknowledged)} were taken")
    end = time.monotonic() + 20
    while hub.ask("GET", "/readyz")[0] != 200:
        check(time.monotonic() < end, f"{what}: it takes messages and is not ready")
        time.sleep(0.05)


def few_descriptors_and_many_connections(scratch):
    """Proves G7: the hub survives connections that use every file descriptor, and serves again after they close."""
    hub = Hub(scratch + "/few", SETTINGS)
    acknowledged = set()
    idle = []
    try:
        hub.start(("prlimit", "--nofile=64:64"))
        check(register(hub), "no registration")
        line = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=20)
        line.connect()
        try:
            for _ in range(80):
                idle.append(socket.create_connection(("127.0.0.1", hub.port), timeout=2))
        except OSError:
            pass
        for number in range(40):  # The messages fill several segments, on a connection opened earlier.
            item = message("filler", number)
            item["payload"]["text"] = "x" * 20_000
            try:
                status, answer = ask_on(line, "POST", "/v1/messages", item)
            except OSError:
                break
            check(status in (202, 507), f"{status} {answer}")
            if status == 202:
                acknowledged.add(item["id"])
        for one in idle:
            one.close()
        line.close()
        end = time.monotonic() + 20
        is_back = False
        while time.monotonic() < end and not is_back:
            try:
                is_back = send(hub, acknowledged, 1, "after") is None and "after-0" in acknowledged
            except OSError:
                pass
            time.sleep(0.05)
        check(is_back, f"it does not resume by itself: {hub.last_words()}")
        check(hub.ask("GET", "/readyz")[0] == 200, "it takes messages and is not ready")
        everything_is_there(hub, acknowledged, "few descriptors")
    finally:
        for one in idle:
            one.close()
        hub.kill()


def the_high_water_mark_goes_wrong(scratch):
    """Proves A2: whatever call on the file `high-water` fails or kills the hub, the next start succeeds."""
    for call, path in (("pwrite64", MARK), ("fdatasync", MARK), ("openat", MARK), ("pwrite64", MARK + ".tmp"),
                       ("fdatasync", MARK + ".tmp"), ("openat", MARK + ".tmp"), ("renameat", MARK + ".tmp")):
        for fault in ("error=EIO", "error=ENOSPC", "error=EMFILE", "signal=SIGKILL"):
            if call == "fdatasync" and fault == "error=EMFILE":
                continue
            for when in (1, 2, 3) if ALL else (1, 2):
                # Once with an existing high-water mark, once with a hub that must write its first mark.
                one_call_on_the_mark_goes_wrong(f"{scratch}/mark-{call}-{path}-{fault[6:]}-{when}", call, path, fault, when)


def one_call_on_the_mark_goes_wrong(data, call, path, fault, when):
    what = f"{path}: {call}:{fault}:when={when}"
    hub = Hub(data, SETTINGS)
    acknowledged = set()
    try:
        hub.launch(injected(call, fault, when, f"{hub.data}/{path}"))
        if hub.is_up(20) and register(hub):
            send(hub, acknowledged, 3)
            time.sleep(1.2)  # The hub writes the mark within a second,
            send(hub, acknowledged, 3, "late")
            if hub.process.poll() is None:
                hub.process.terminate()  # and at a clean stop.
                hub.process.wait(20)
        everything_is_there(hub, acknowledged, what)
    finally:
        hub.kill()
        shutil.rmtree(hub.data, ignore_errors=True)


def a_really_full_disk(scratch):
    """Fills a file system of 8 MiB, then removes a ballast file to make room."""
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
    """A hub that acknowledges before the sync must fail the check of this script."""
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
            "openat": (19, 20, 21, 22, 23), "renameat": (1, 2, 3, 4)}[call]


def main():
    skip_without_strace()
    with Scratch() as scratch:
        for story in (a_failed_sync_is_final, a_full_disk_refuses_and_resumes, a_really_full_disk,
                      no_descriptors_are_a_full_disk, few_descriptors_and_many_connections,
                      the_high_water_mark_goes_wrong, the_control_is_caught):
            story(scratch)
            print(f"ok: {story.__name__.replace('_', ' ')}", flush=True)
        for call in CALLS:
            faults = ["error=EIO", "signal=SIGKILL"] + (["error=ENOSPC"] if call != "fsync" else [])
            faults += [f"error={fault}" for fault in SPENT] if call == "openat" else []
            for fault in faults:
                counts = [one_call_goes_wrong(scratch, call, fault, when) for when in sample(call)]
                print(f"ok: {call} {fault}: {len(counts)} places, acknowledged {counts}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
