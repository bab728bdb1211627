"""The real hub on a journal whose last acknowledged records are missing, and on a directory whose lock file is missing.

Proves A2: the end of a journal is not lost unnoticed, no sequence number is used twice, and one hub writes to a directory.
"""
import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from hub import BINARY, Hub, Scratch, check, command, message

SETTINGS = "[journal]\nsegment_bytes = 262144\n"
LOST = 6  # The exit code, by docs/reference/exit-codes.md.
MARK = "high-water"


def parlance(*words):
    done = subprocess.run([BINARY, *words], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def verify(hub):
    code, out, err = parlance("journal", "verify", "--json", "--data", hub.data)
    return code, json.loads(out) if out else {}, err


def segments(hub):
    return sorted(name for name in os.listdir(hub.data) if name.endswith(".journal") and name[0].isdigit())


def send(hub, sender, count, text_bytes=20_000):
    for number in range(count):
        item = message(sender, number)
        item["payload"]["text"] = "x" * text_bytes
        status, answer = hub.ask("POST", "/v1/messages", item)
        check(status == 202, f"{status} {answer}")


def sequence(hub):
    return hub.ask("GET", "/v1/hub")[1]["sequence"]


def lived(data):
    """Makes a cleanly stopped hub with several segments; returns the hub and the number of the last record."""
    hub = Hub(data, SETTINGS).start()
    check(hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})[0] == 200, "no registration")
    send(hub, "alice", 40)
    check(hub.stop() == 0, "no clean stop")
    check(len(segments(hub)) >= 3, f"too few segments: {segments(hub)}")
    return hub, verify(hub)[1]["last"]


def marked(hub, scratch):
    """The record at which the high-water mark is: all that is missing, says a verification that finds the mark alone."""
    with tempfile.TemporaryDirectory(dir=scratch) as place:
        if not os.path.exists(f"{hub.data}/{MARK}"):
            return None
        shutil.copy(f"{hub.data}/{MARK}", place)
        return json.loads(parlance("journal", "verify", "--json", "--data", place)[1]).get("last_written")


def await_mark(hub, last, scratch):
    """The mark is at most a second behind; on a slow disk it may be later."""
    end = time.monotonic() + 30
    while (at := marked(hub, scratch)) != last:
        check(time.monotonic() < end, f"the mark is at record {at}, and the hub at {last}")
        time.sleep(0.1)


def twin(hub, data):
    """Copies the data directory; returns a hub on the copy."""
    shutil.copytree(hub.data, data)
    other = Hub(data, SETTINGS)
    return other


def refused(hub):
    """Starts a hub that must refuse the lost end; returns the error text."""
    done = subprocess.run(command(hub.data, hub.port, hub.config), capture_output=True, text=True, timeout=60)
    check(done.returncode == LOST, f"a start ends with {done.returncode}: {done.stderr}")
    return done.stderr


def files(hub):
    """Returns all files of the journal with their bytes, without `lock` and the views, which may change."""
    found = {}
    for name in sorted(os.listdir(hub.data)):
        if name == "lock" or name.startswith("views.db") or not os.path.isfile(f"{hub.data}/{name}"):
            continue
        with open(f"{hub.data}/{name}", "rb") as file:
            found[name] = file.read()
    return found


def delete_last(hub):
    os.remove(f"{hub.data}/{segments(hub)[-1]}")


def zero_last(hub, begin=0):
    path = f"{hub.data}/{segments(hub)[-1]}"
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.seek(begin)
        file.write(b"\0" * (size - begin))


def zero_batches_of_last(hub):
    zero_last(hub, 4096)


def cut_head_of_last(hub):
    os.truncate(f"{hub.data}/{segments(hub)[-1]}", 100)


def cut_batches_of_last(hub):
    os.truncate(f"{hub.data}/{segments(hub)[-1]}", 4096)


def zero_head_of_last(hub):
    with open(f"{hub.data}/{segments(hub)[-1]}", "r+b") as file:
        file.write(b"\0" * 4096)


def no_tail_is_lost_unnoticed(hub, last, scratch):
    for lose in (delete_last, zero_last, zero_batches_of_last, cut_head_of_last, cut_batches_of_last, zero_head_of_last):
        other = twin(hub, f"{scratch}/{lose.__name__}")
        found = int(segments(other)[-1].split(".")[0]) - 1
        lose(other)
        before = files(other)
        code, answer, err = verify(other)
        check(code == LOST and not answer["ok"], f"{lose.__name__}: verify ends with {code}: {answer} {err}")
        check(answer["last_found"] == found, f"{answer}")
        check(answer["last_written"] == last, f"{answer}, but {last} was the last")
        check(answer["records_missing"] == last - found, f"{answer}")
        said = refused(other)
        for word in (f"the last record found is {found}", f"high-water mark is at record {last}",
                     f"{last - found} records are missing", f"accept-loss {last}"):
            check(word in said, f"{lose.__name__}: '{word}' is not in: {said}")
        check(files(other) == before, f"{lose.__name__}: a refused start has changed the journal")
        go_on_after_acceptance(other, found, last)


def go_on_after_acceptance(hub, found, last):
    code, _, err = parlance("journal", "accept-loss", str(last + 1), "--data", hub.data)
    check(code == 1 and str(last) in err, f"another loss is accepted than there is: {code} {err}")
    refused(hub)
    code, out, err = parlance("journal", "accept-loss", str(last), "--data", hub.data)
    check(code == 0 and str(last + 1) in out, f"accept-loss: {code} {out} {err}")
    code, answer, err = verify(hub)
    check(code == 0, f"verify after the acceptance: {code} {err}")
    check([(gap["first"], gap["last"]) for gap in answer["lost"]] == [(found + 1, last)], f"{answer}")
    hub.start()
    try:
        check(f"records {found + 1} to {last} are lost" in hub.last_words(), "the log does not say what is lost")
        check(sequence(hub) > last, f"record {last} is used twice")
        check(hub.ask("GET", "/v1/agents/worker")[0] == 200, "what was before the loss is gone")
        send(hub, "bob", 30)
        numbers = [int(line[4:]) for line in events(hub, found - 1, sequence(hub)) if line.startswith("id: ")]
        check(numbers[:3] == [found - 1, found, last + 1], f"the events around the loss are {numbers[:5]}")
        check(hub.stop() == 0, "no clean stop")
        hub.start()
        check(hub.stop() == 0, "no clean stop")
        check(verify(hub)[0] == 0, f"{verify(hub)}")
    finally:
        hub.kill()


def events(hub, begin, end):
    """Returns the lines of /v1/events from record `begin` to record `end`."""
    line = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=20)
    line.request("GET", f"/v1/events?from={begin}")
    answer = line.getresponse()
    lines = []
    while f"id: {end}" not in lines:
        text = answer.readline().decode()
        check(text, f"the events end before record {end}: {lines[-3:]}")
        lines.append(text.rstrip("\n"))
    line.close()
    return lines


def a_lost_end_is_repaired_from_a_copy(scratch):
    """After a kill no snapshot names the missing records; the file `high-water` and the views do."""
    hub = Hub(scratch + "/repaired", SETTINGS).start()
    try:
        check(hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})[0] == 200, "no registration")
        send(hub, "alice", 40)
        last = sequence(hub)
        await_mark(hub, last, scratch)
    finally:
        hub.kill()
    names = segments(hub)
    for number, lost in enumerate((names[-1:], names[-2:], [names[0], names[-1]], names)):
        other = twin(hub, f"{scratch}/repaired-{number}")
        for name in lost:
            os.remove(f"{other.data}/{name}")
        before = files(other)
        short = f"{scratch}/short-{number}"
        shutil.copytree(hub.data, short)
        os.remove(f"{short}/{names[-1]}")
        code, _, err = parlance("journal", "repair", "--data", other.data, "--from", short)
        check(code == 5 and "the copy has no records" in err, f"a copy that is too short: {code} {err}")
        check(files(other) == before, "a copy that is too short has changed the journal")
        code, out, err = parlance("journal", "repair", "--data", other.data, "--from", hub.data)
        check(code == 0 and out.count("restored") == len(lost), f"{lost}: {code} {out} {err}")
        code, answer, err = verify(other)
        check(code == 0 and answer["last"] == last, f"{lost}: verify ends with {code}: {answer} {err}")


def the_views_and_snapshots_tell_too(hub, last, scratch):
    for name in ("views.db", "snapshot"):
        other = twin(hub, f"{scratch}/told-by-{name}")
        os.remove(f"{other.data}/{MARK}")
        for file in os.listdir(other.data):
            is_kept = file.startswith("views.db") if name == "views.db" else file.endswith(".snapshot")
            is_evidence = file.startswith("views.db") or file.endswith(".snapshot")
            if is_evidence and not is_kept:
                os.remove(f"{other.data}/{file}")
        delete_last(other)
        check(name in refused(other), f"{name} is no evidence")
        check(verify(other)[0] == LOST, f"{verify(other)}")


def the_views_alone_are_enough_to_ask(hub, last, scratch):
    other = twin(hub, scratch + "/views-alone")
    for name in os.listdir(other.data):
        if name.endswith((".journal", ".snapshot")) or name == MARK:
            os.remove(f"{other.data}/{name}")
    check("views.db has record" in refused(other), "the views are no evidence")
    code, answer, err = verify(other)
    check(code == LOST and answer["last_written"] == last, f"verify of nothing but views: {code} {answer} {err}")
    code, out, err = parlance("journal", "accept-loss", str(last), "--data", other.data)
    check(code == 0, f"accept-loss of all but the views: {code} {out} {err}")
    check(verify(other)[0] == 0, f"{verify(other)}")


def what_stands_behind_an_accepted_loss_is_repaired(hub, last, scratch):
    other = twin(hub, scratch + "/behind")
    zero_batches_of_last(other)  # Leaves an empty segment in front of the missing records.
    empty = segments(other)[-1]
    check(parlance("journal", "accept-loss", str(last), "--data", other.data)[0] == 0, "no acceptance")
    other.start()
    send(other, "erin", 30)
    check(other.stop() == 0, "no clean stop")
    copy = twin(other, scratch + "/behind-copy")
    names = segments(copy)
    for name in names[names.index(empty):]:
        damaged = twin(other, f"{scratch}/behind-{name}")
        with open(f"{damaged.data}/{name}", "r+b") as file:
            file.seek(40)
            file.write(b"\xff\xff")
        check(verify(damaged)[0] == 5, f"{verify(damaged)}")
        code, out, err = parlance("journal", "repair", "--data", damaged.data, "--from", copy.data)
        check(code == 0 and name in out, f"{name}, and {empty} is empty: {code} {out} {err}")
        check(verify(damaged)[0] == 0, f"{verify(damaged)}")
        shutil.rmtree(damaged.data)


def a_spare_that_somebody_replaces_costs_nothing(scratch):
    hub = Hub(scratch + "/spare", SETTINGS).start()
    try:
        check(hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})[0] == 200, "no registration")
        send(hub, "alice", 3)
        spare = f"{hub.data}/spare.journal"
        end = time.monotonic() + 20
        while not os.path.exists(spare) and time.monotonic() < end:  # The hub creates the spare segment in the background.
            time.sleep(0.05)
        shutil.copy(spare, f"{scratch}/spare.copy")
        os.replace(f"{scratch}/spare.copy", spare)
        send(hub, "bob", 40)
        last = sequence(hub)
        check(hub.stop() == 0, "no clean stop")
        code, answer, err = verify(hub)
        check(code == 0 and answer["last"] >= last, f"{code} {answer} {err}")
    finally:
        hub.kill()


def a_hub_whose_segment_is_removed_stops_acknowledging(scratch):
    hub = Hub(scratch + "/removed", SETTINGS).start()
    try:
        check(hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})[0] == 200, "no registration")
        send(hub, "alice", 3)
        delete_last(hub)
        end = time.monotonic() + 20
        status, number = 202, 0
        while status == 202 and time.monotonic() < end:
            status, answer = hub.ask("POST", "/v1/messages", message("bob", number))
            number += 1
            time.sleep(0.1)
        check(status == 503 and answer["code"] == "HUB_STORAGE_FAILED", f"{status} {answer}")
        status, answer = hub.ask("GET", "/readyz")
        check(status == 503 and "removed or moved" in answer["reason"], f"{status} {answer}")
        hub.kill()
        refused(hub)
    finally:
        hub.kill()


def a_segment_in_the_middle_is_not_a_tail(hub, scratch):
    other = twin(hub, scratch + "/middle")
    os.remove(f"{other.data}/{segments(other)[1]}")
    check(verify(other)[0] == 5, f"{verify(other)}")
    done = subprocess.run(command(other.data, other.port, other.config), capture_output=True, text=True, timeout=60)
    check(done.returncode == 5 and "is missing" in done.stderr, f"{done.returncode} {done.stderr}")


def a_mark_that_is_missing_or_damaged_keeps_nobody_out(hub, last, scratch):
    foreign, _ = lived(scratch + "/foreign")
    foreign.start()
    send(foreign, "carol", 60)
    check(foreign.stop() == 0, "no clean stop")

    def write(bytes_):
        def change(path):
            with open(path, "wb") as file:
                file.write(bytes_)
        return change

    def copy_foreign(path):
        shutil.copy(f"{foreign.data}/{MARK}", path)

    for number, (change, word) in enumerate(((os.remove, "no file high-water"), (write(b""), "damaged"),
                                             (write(b"\xff" * 9000), "damaged"), (write(b"\0" * 8192), "damaged"),
                                             (copy_foreign, "another journal"))):
        other = twin(hub, f"{scratch}/mark-{number}")
        change(f"{other.data}/{MARK}")
        code, answer, err = verify(other)
        check(code == 0 and word in answer["mark_note"], f"{code} {answer} {err}")
        other.start()
        try:
            check(word in other.last_words(), f"'{word}' is not in the log: {other.last_words()}")
            check(sequence(other) > last, "records are gone")
            check(other.stop() == 0, "no clean stop")
        finally:
            other.kill()
        check(verify(other)[1]["mark_note"] == "", f"the mark was not made anew: {verify(other)}")


def an_older_copy_of_everything_starts(hub, last, scratch):
    other = twin(hub, scratch + "/older")
    hub.start()
    send(hub, "dave", 20)
    check(hub.stop() == 0, "no clean stop")
    check(verify(other)[0] == 0, f"{verify(other)}")
    other.start()
    check(other.stop() == 0, "no clean stop")
    # The start is refused if the mark is newer than the segments.
    other = twin(other, scratch + "/mixed")
    shutil.copy(f"{hub.data}/{MARK}", f"{other.data}/{MARK}")
    check("high-water mark" in refused(other), "older segments under a newer mark are taken")


def the_mark_follows_a_hub_that_is_killed(scratch):
    hub = Hub(scratch + "/killed", SETTINGS).start()
    try:
        check(hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})[0] == 200, "no registration")
        send(hub, "alice", 30)
        last = sequence(hub)
        await_mark(hub, last, scratch)
        hub.kill()
        for name in os.listdir(hub.data):
            if name.startswith("views.db"):
                os.remove(f"{hub.data}/{name}")
        check(verify(hub)[0] == 0, f"{verify(hub)}")
        delete_last(hub)
        check(f"high-water mark is at record {last}" in refused(hub), "the mark is behind")
    finally:
        hub.kill()


def the_mark_is_made_anew_while_the_hub_runs(scratch):
    hub = Hub(scratch + "/unmarked", SETTINGS).start()
    try:
        check(hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})[0] == 200, "no registration")
        send(hub, "alice", 3)
        time.sleep(1.5)
        os.remove(f"{hub.data}/{MARK}")
        send(hub, "bob", 3)
        last = sequence(hub)
        await_mark(hub, last, scratch)
        hub.kill()
        for name in os.listdir(hub.data):
            if name.startswith("views.db"):
                os.remove(f"{hub.data}/{name}")
        zero_last(hub)
        check(f"high-water mark is at record {last}" in refused(hub), "the new mark is behind")
    finally:
        hub.kill()


def one_hub_writes_whoever_removes_the_lock_file(scratch):
    first = Hub(scratch + "/locked", SETTINGS).start()
    os.symlink(first.data, scratch + "/alias")
    try:
        check(first.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})[0] == 200, "no registration")
        os.remove(first.data + "/lock")
        for path in (first.data, scratch + "/alias", first.data):
            second = Hub(scratch + "/second", SETTINGS)
            second.data = path
            done = subprocess.run(command(path, second.port, second.config), capture_output=True, text=True, timeout=60)
            check(done.returncode == 1 and "another hub" in done.stderr,
                  f"a second hub at {path} ends with {done.returncode}: {done.stderr}")
        code, _, err = parlance("journal", "accept-loss", "1", "--data", first.data)
        check(code == 1 and "another hub" in err, f"accept-loss beside a hub: {code} {err}")
        check(verify(first)[0] == 0, "a running hub cannot be verified")
        send(first, "alice", 40)
        check(first.ask("GET", "/readyz")[0] == 200, "the first hub is not ready")
        check(first.stop() == 0, "no clean stop")
        check(verify(first)[0] == 0, f"{verify(first)}")
    finally:
        first.kill()


def main():
    with Scratch() as scratch:
        hub, last = lived(scratch + "/lived")
        check(verify(hub)[0] == 0, f"{verify(hub)}")
        stories = (
            lambda: no_tail_is_lost_unnoticed(hub, last, scratch),
            lambda: a_lost_end_is_repaired_from_a_copy(scratch),
            lambda: the_views_and_snapshots_tell_too(hub, last, scratch),
            lambda: the_views_alone_are_enough_to_ask(hub, last, scratch),
            lambda: what_stands_behind_an_accepted_loss_is_repaired(hub, last, scratch),
            lambda: a_spare_that_somebody_replaces_costs_nothing(scratch),
            lambda: a_hub_whose_segment_is_removed_stops_acknowledging(scratch),
            lambda: a_segment_in_the_middle_is_not_a_tail(hub, scratch),
            lambda: a_mark_that_is_missing_or_damaged_keeps_nobody_out(hub, last, scratch),
            lambda: an_older_copy_of_everything_starts(hub, last, scratch),
            lambda: the_mark_follows_a_hub_that_is_killed(scratch),
            lambda: the_mark_is_made_anew_while_the_hub_runs(scratch),
            lambda: one_hub_writes_whoever_removes_the_lock_file(scratch),
        )
        for story in stories:
            story()
            print(f"ok: {story.__code__.co_names[0].replace('_', ' ')}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
