"""Reads delegation_audit_log of a running hub with Python's sqlite3.

Proves X16: rows appear while the hub runs, `parlance audit` and `parlance sql` show the same rows, and the hub keeps
serving and rebuilds the log from the journal when the file is damaged, deleted or unwritable
"""
import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
import uuid

from hub import BINARY, Hub, Scratch, check

COLUMNS = ["id", "request_id", "origin_employee", "target_employee", "user_id", "objective", "success", "duration_ms",
           "created_at"]
SECONDS = 60


def select(data, sql):
    """Runs a query on a new connection, as any reader would."""
    database = sqlite3.connect(f"file:{data}/views.db?mode=ro", uri=True, timeout=5)
    try:
        return database.execute(sql).fetchall()
    finally:
        database.close()


def await_rows(data, sql, wanted):
    end = time.monotonic() + SECONDS
    rows = None
    while time.monotonic() < end:
        try:
            rows = select(data, sql)
        except sqlite3.Error as error:
            rows = error
        if rows == wanted:
            return
        time.sleep(0.02)
    check(False, f"{sql} gives {rows}, and {wanted} was expected")


def delegate(hub, objective, user="u-1"):
    request = {"request_id": str(uuid.uuid4()), "origin_employee": "prime", "target_employee": "byte",
               "user_id": user, "parent_session_id": str(uuid.uuid4()), "objective": objective, "input": "x"}
    status, answer = hub.ask("POST", "/v1/delegations", request)
    check(status == 200, f"{status} {answer}")
    return request["request_id"]


def work(hub, stops):
    """Runs an agent that answers every delegation, and fails the delegations that ask for a failure."""
    while not stops.is_set():
        _, taken = hub.ask("GET", "/v1/agents/byte/inbox?max=10&wait=200")
        for each in taken.get("messages", []):
            status = "failed" if each["message"]["objective"] == "fail" else "success"
            hub.ask("POST", f"/v1/deliveries/{each['delivery_id']}/reply",
                    {"summary": "s", "result": "r", "status": status,
                     "token_usage": {"prompt": 1, "completion": 1, "total": 2}}, {"Parlance-Agent": "byte"})


def tool(hub, *words):
    done = subprocess.run([BINARY, *words, "--json"], capture_output=True, text=True, timeout=SECONDS,
                          env={**os.environ, "PARLANCE_HUB": f"127.0.0.1:{hub.port}"})
    check(done.returncode == 0, f"{words}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def metric(hub, name):
    _, text = hub.ask("GET", "/metrics")
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(name + " "))


def follow(hub, data):
    ids = [delegate(hub, "extract"), delegate(hub, "fail"), delegate(hub, "sort", "u-2")]
    await_rows(data, "SELECT request_id, objective, success, user_id FROM delegation_audit_log ORDER BY sequence",
               [(ids[0], "extract", 1, "u-1"), (ids[1], "fail", 0, "u-1"), (ids[2], "sort", 1, "u-2")])
    named = [row[1] for row in select(data, "PRAGMA table_info(delegation_audit_log)")]
    check(named[:len(COLUMNS)] == COLUMNS, named)
    check([row["request_id"] for row in tool(hub, "audit", "delegations", "--user", "u-1")] == ids[:2], "by user")
    counted = tool(hub, "sql", "--data", data, "SELECT count(*) AS n FROM delegation_audit_log WHERE success")
    check(counted == [{"n": 2}], counted)
    refused = subprocess.run([BINARY, "sql", "--data", data, "DELETE FROM delegation_audit_log"], capture_output=True,
                             timeout=SECONDS)
    check(refused.returncode != 0, "a view can be changed")
    return ids


def lose_and_find(hub, data, ids):
    """All rows return after the file is damaged or deleted."""
    wanted = [(each,) for each in ids]
    everything = "SELECT request_id FROM delegation_audit_log ORDER BY sequence"
    os.remove(f"{data}/views.db")
    await_rows(data, everything, wanted)
    check(metric(hub, "parlance_views_rebuilds_total") == 1, "it does not say that it was written anew")
    hub.stop()
    with open(f"{data}/views.db", "r+b") as file:
        file.seek(4096)
        file.write(b"\x5a" * 8192)
    hub.start()
    await_rows(data, everything, wanted)
    hub.kill()
    hub.start()
    await_rows(data, everything, wanted)


def hold(hub, data, ids):
    """A reader that holds the file's lock delays only the view, which reports the delay."""
    holder = sqlite3.connect(f"{data}/views.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    ids.append(delegate(hub, "extract"))
    end = time.monotonic() + SECONDS
    while metric(hub, "parlance_views_ready") == 1 and time.monotonic() < end:
        time.sleep(0.02)
    check(metric(hub, "parlance_views_lag_records") > 0, "it does not say that it lags")
    check(hub.ask("GET", "/readyz")[0] == 200, "the hub serves on")
    holder.execute("ROLLBACK")
    holder.close()
    await_rows(data, "SELECT count(*) FROM delegation_audit_log", [(len(ids),)])


def main():
    with Scratch() as scratch:
        data = scratch + "/data"
        hub = Hub(data).start()
        for agent in ("prime", "byte"):
            hub.ask("PUT", f"/v1/agents/{agent}", {"dialect": "delegation"})

        def while_working(part, *words):
            stops = threading.Event()
            worker = threading.Thread(target=work, args=(hub, stops))
            worker.start()
            try:
                return part(*words)
            finally:
                stops.set()
                worker.join()

        try:
            ids = while_working(follow, hub, data)
            lose_and_find(hub, data, ids)
            while_working(hold, hub, data, ids)
        finally:
            hub.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
