"""Damage in old records of a running hub is detected, reported, skipped and repaired.

Proves A2, D1: the scrub finds a flipped bit in an old segment (log, metrics, /readyz), the hub never serves the damaged
record (JOURNAL_DAMAGED), the views lose only that record, and `parlance journal repair --from COPY` restores the record
from a copy of the same journal and refuses other journals
"""
import http.client
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time

from hub import BINARY, Hub, Scratch, check

SECONDS = 60
SETTINGS = """[journal]
segment_bytes = 65536
scrub_bytes_per_second = 200000000
scrub_pause_ms = 50
"""
DONE, REFUSED, MISUSED, DAMAGED = 0, 1, 2, 5


def until(what, is_true):
    """Repeats a check until the check passes or the time is over."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        found = is_true()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"not within {SECONDS} s: {what}")


def metric(hub, name):
    _, text = hub.ask("GET", "/metrics")
    found = re.search(rf"^{name} (\d+)$", text, re.M)
    check(found, f"there is no metric {name}")
    return int(found.group(1))


def await_rounds(hub, count):
    wanted = metric(hub, "parlance_scrub_rounds_total") + count
    until(f"{count} more rounds of the scrub", lambda: metric(hub, "parlance_scrub_rounds_total") >= wanted)


def send(hub, name, count):
    for number in range(count):
        body = {"id": f"{name}-{number:03}", "from": "sender", "to": "worker", "type": "ERROR_REPORT",
                "payload": {"task_id": name, "filler": "x" * 900}}
        status, answer = hub.ask("POST", "/v1/messages", body)
        check(status == 202, f"{status} {answer}")


def ask_worker(hub):
    """Sends a request that is answered; the hub answers repeats of the request from the journal."""
    body = {"id": "asked-1", "from": "sender", "to": "worker", "type": "TASK_ASSIGNMENT",
            "payload": {"task_id": "asked", "action": "x"}}
    status, answer = hub.ask("POST", "/v1/messages", body)
    check(status == 202, f"{status} {answer}")
    taken = hub.ask("GET", "/v1/agents/worker/inbox?max=1000&wait=1000")[1]["messages"]
    for item in taken:
        verb, reply = ("reply", {"result": "answer-of-the-worker"}) if item["message"]["id"] == "asked-1" else ("ack", None)
        status, answer = hub.ask("POST", f"/v1/deliveries/{item['delivery_id']}/{verb}", reply)
        check(status < 300, f"{status} {answer}")
    return body


def segments(data):
    return sorted(name for name in os.listdir(data) if re.fullmatch(r"\d+\.journal", name))


def flip(data, text):
    """Flips one bit of this text in the segment that has the text, and returns the segment's name."""
    for name in segments(data):
        with open(os.path.join(data, name), "r+b") as file:
            at = file.read().find(text)
            if at < 0:
                continue
            file.seek(at)
            byte = file.read(1)
            file.seek(at)
            file.write(bytes([byte[0] ^ 1]))
            return name
    raise AssertionError(f"{text} is in no segment")


def parlance(*words):
    done = subprocess.run([BINARY, *words], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def repair(data, copy, *words):
    return parlance("journal", "repair", "--data", data, "--from", copy, *words)


def contents(data):
    found = {}
    for name in segments(data):
        with open(os.path.join(data, name), "rb") as file:
            found[name] = file.read()
    return found


def events(hub, path="/v1/events?from=1&follow=false"):
    """Returns (the ids of all events, the data of the error events)."""
    _, text = hub.ask("GET", path)
    ids, errors = [], []
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n"))
        if fields["event"] == "error":
            errors.append({**json.loads(fields["data"]), "id": int(fields["id"])})
        else:
            ids.append(int(fields["id"]))
    return ids, errors


def the_scrub_says_it_once(hub, segment):
    until("a damaged place", lambda: metric(hub, "parlance_journal_damaged_places") == 1)
    check(metric(hub, "parlance_journal_damaged_records") == 1, "more than one record is said to be lost")
    check(metric(hub, "parlance_scrub_bytes_total") > 4 * 65536, "the scrub has read less than the journal")
    check(metric(hub, "parlance_scrub_records_total") > 100, "the scrub has checked fewer records than there are")
    check(abs(metric(hub, "parlance_scrub_round_timestamp_seconds") - time.time()) < 3600, "the last round is not of today")
    status, ready = hub.ask("GET", "/readyz")
    check(status == 200 and ready["status"] == "ready", f"/readyz says {status} {ready}: the hub serves on")
    place = ready["damage"]["first_places"][0]
    check(ready["damage"]["code"] == "JOURNAL_DAMAGED" and place["segment"] == segment, str(ready))
    check(place["first"] == place["last"] and "is damaged" in place["problem"], str(ready))
    _, shown = hub.ask("GET", "/v1/hub")
    check(shown["scrub"]["damage"] == ready["damage"] and shown["scrub"]["rounds"] > 0, str(shown["scrub"]))
    await_rounds(hub, 3)
    with open(hub.log) as log:
        lines = [line for line in log if "the journal is damaged" in line]
    check(len(lines) == 1 and segment in lines[0] and "journal repair --from" in lines[0], str(lines))
    return place["first"]


def reads_say_what_is_damaged(hub, lost):
    ids, errors = events(hub)
    check(ids == [number for number in range(1, ids[-1] + 1) if number != lost], "events are missing that are whole")
    check(len(errors) == 1 and errors[0]["code"] == "JOURNAL_DAMAGED", str(errors))
    check((errors[0]["first"], errors[0]["last"], errors[0]["id"]) == (lost, lost, lost), str(errors))
    check(errors[0]["offset"] >= 4096 and errors[0]["segment"] in errors[0]["detail"], str(errors))
    check(events(hub, f"/v1/events?from={lost + 1}&follow=false&limit=1") == ([lost + 1], []), "the next one is not told alone")

    line = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=20)
    line.request("GET", "/v1/correlations/early-007/messages")
    answer = line.getresponse()
    said = json.loads(answer.read())
    line.close()
    check((answer.status, said["code"]) == (500, "JOURNAL_DAMAGED"), f"{answer.status} {said}")
    check(answer.getheader("Retry-After") is None and said["retryable"] is False, "trying again does not help")
    check(f"record {lost} cannot be read" in said["detail"] and "journal repair" in said["detail"], str(said))
    for whole in ("early-006", "early-008", "late-000"):
        status, said = hub.ask("GET", f"/v1/correlations/{whole}/messages")
        check(status == 200 and len(said["messages"]) == 1, f"{whole}: {status} {said}")


def a_repeat_of_what_was_answered_says_so(hub, asked):
    status, answer = hub.ask("POST", "/v1/messages", asked, {"Prefer": "wait=5000"})
    check(status == 200 and "answer-of-the-worker" in json.dumps(answer), f"{status} {answer}")
    flip(hub.data, b"answer-of-the-worker")
    status, answer = hub.ask("POST", "/v1/messages", asked, {"Prefer": "wait=5000"})
    check((status, answer["code"]) == (500, "JOURNAL_DAMAGED"), f"{status} {answer}")
    flip(hub.data, b"!nswer-of-the-worker".replace(b"!", bytes([ord("a") ^ 1])))
    status, answer = hub.ask("POST", "/v1/messages", asked, {"Prefer": "wait=5000"})
    check(status == 200, f"{status} {answer}")


def views_go_on_behind_it(hub, lost):
    """Views rebuilt from a damaged journal have all other records and report the missing record."""
    os.remove(os.path.join(hub.data, "views.db"))
    until("views without the record", lambda: metric(hub, "parlance_views_missing_records") == 1)
    send(hub, "after", 1)
    for whole in ("early-000", "early-008", "late-000", "after-000"):
        status, said = hub.ask("GET", f"/v1/correlations/{whole}")
        check(status == 200, f"{whole}: {status} {said}")
        is_before = said["first_sequence"] <= lost
        check(said.get("missing_records") == ([{"first": lost, "last": lost}] if is_before else None), str(said))
    status, said = hub.ask("GET", "/v1/correlations/early-007")
    check(status == 404 and f'"first":{lost}' in said["detail"], f"{status} {said}")
    _, said = hub.ask("GET", "/v1/delegations")
    check(said["missing_records"] == [{"first": lost, "last": lost}], str(said))
    _, shown = hub.ask("GET", "/v1/hub")
    check(shown["views"]["missing_records"] == 1 and shown["views"]["problem"] == "", str(shown["views"]))
    check(metric(hub, "parlance_views_ready") == 1, "the views say that they do not follow")
    database = sqlite3.connect(f"file:{hub.data}/views.db?mode=ro", uri=True, timeout=5)
    rows = database.execute("SELECT first, last, segment FROM missing_records").fetchall()
    database.close()
    check([row[:2] for row in rows] == [(lost, lost)], str(rows))


def wrong_copies_are_refused(scratch, data, copy, segment):
    """`journal repair` refuses each wrong copy with the reason, and changes no byte of the journal."""
    before = contents(data)

    def refused(what, code, *words):
        found = repair(data, what)
        check(found[0] == code and all(word in found[2] for word in words), f"{what}: {found}")
        check(contents(data) == before, f"{what} changed the journal")

    other = Hub(scratch + "/other", SETTINGS).start()
    other.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})
    send(other, "early", 120)
    check(other.stop() == 0, "the other hub does not stop")
    refused(other.data, DAMAGED, "does not match this journal")

    short = scratch + "/short"
    shutil.copytree(copy, short)
    os.truncate(os.path.join(short, segment), 30000)
    refused(short, DAMAGED, "the copy is damaged too", "30000 bytes long")
    os.remove(os.path.join(short, segment))
    refused(short, DAMAGED, segment, "is not in it")

    also = scratch + "/also_damaged"
    shutil.copytree(data, also)
    refused(also, DAMAGED, "the copy is damaged too")
    os.mkdir(scratch + "/empty")
    refused(scratch + "/empty", MISUSED, "no journal in the copy")
    refused(scratch + "/nowhere", MISUSED, "nowhere")
    refused(data, MISUSED, "the data directory itself")


def main():
    with Scratch() as scratch:
        hub = Hub(scratch + "/hub", SETTINGS).start()
        try:
            run(scratch, hub)
        finally:
            hub.kill()
    print("damage is found, said, read around and repaired")


def run(scratch, hub):
    hub.ask("PUT", "/v1/agents/worker", {"dialect": "taskwire"})
    hub.ask("PUT", "/v1/agents/sender", {"dialect": "taskwire"})
    send(hub, "early", 120)
    asked = ask_worker(hub)
    send(hub, "filler", 120)
    await_rounds(hub, 2)
    check(metric(hub, "parlance_journal_damaged_places") == 0, "a whole journal is said to be damaged")
    check("damage" not in hub.ask("GET", "/readyz")[1], "a whole journal is said to be damaged")
    check(hub.stop() == 0, "the hub does not stop")
    copy = scratch + "/copy"
    shutil.copytree(hub.data, copy)

    hub.start()
    send(hub, "late", 20)
    check(len(segments(hub.data)) >= 4, "there are too few segments")
    check(hub.ask("GET", "/v1/correlations/late-019")[0] == 200, "the views do not follow")
    a_repeat_of_what_was_answered_says_so(hub, asked)
    await_rounds(hub, 2)
    until("no damage", lambda: metric(hub, "parlance_journal_damaged_places") == 0)
    open(hub.log, "w").close()
    segment = flip(hub.data, b"early-007")
    check(segment == segments(hub.data)[0], "the message is not in the oldest segment")
    lost = the_scrub_says_it_once(hub, segment)
    reads_say_what_is_damaged(hub, lost)
    views_go_on_behind_it(hub, lost)
    code, out, err = repair(hub.data, copy)
    check(code == REFUSED and "another hub is using" in err, f"{code} {out} {err}")
    check(len(hub.drain("worker")) > 100, "the hub does not deliver")
    check(hub.stop() == 0, "the hub does not stop")

    code, _, err = parlance("journal", "verify", "--data", hub.data)
    check(code == DAMAGED and "journal repair --from COPY" in err, f"{code} {err}")
    wrong_copies_are_refused(scratch, hub.data, copy, segment)
    before = contents(hub.data)
    code, out, err = repair(hub.data, copy, "--dry-run")
    check(code == DONE and "would restore" in out and segment in out, f"{code} {out} {err}")
    check(contents(hub.data) == before, "--dry-run wrote something")
    code, out, err = repair(hub.data, copy, "--json")
    said = json.loads(out)
    check(code == DONE and said["ok"] and len(said["restored"]) == 1, f"{code} {out} {err}")
    check(said["restored"][0]["segment"] == segment and said["restored"][0]["was"] == "damaged", out)
    with open(os.path.join(hub.data, said["restored"][0]["kept_as"]), "rb") as kept:
        check(kept.read() == before[segment], "the damaged file was not kept")
    check(hub.verify() == "", f"after the repair: {hub.verify()}")
    check(repair(hub.data, copy)[1].startswith("nothing to repair"), "there is still something to repair")

    open(hub.log, "w").close()
    hub.start()
    status, said = hub.ask("GET", "/v1/correlations/early-007/messages")
    check(status == 200 and said["messages"][0]["message"]["id"] == "early-007", f"{status} {said}")
    check("missing_records" not in hub.ask("GET", "/v1/delegations")[1], "the views still lack something")
    check("can be read again" in hub.last_words(), "it is not said why the views are written anew")
    check(events(hub)[1] == [], "an event still cannot be read")
    await_rounds(hub, 1)
    check("damage" not in hub.ask("GET", "/readyz")[1], "/readyz still says damage")
    check(hub.stop() == 0, "the hub does not stop")

    gone = segments(hub.data)[1]
    os.remove(os.path.join(hub.data, gone))
    hub.launch()
    check(hub.process.wait(20) == DAMAGED, "a hub starts without a segment")
    code, out, err = repair(hub.data, copy)
    check(code == DONE and gone in out and "it was missing" in out, f"{code} {out} {err}")
    check(hub.verify() == "", f"after the repair: {hub.verify()}")
    hub.start()
    check(hub.stop() == 0, "the hub does not stop")


if __name__ == "__main__":
    sys.exit(main())
