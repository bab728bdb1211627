"""Hubs with one planted bug each: the kill test must find every bug by the promise that the bug breaks.

SIGKILL does not lose data written to the operating system, so disk_faults.py, not this test, finds a hub that
acknowledges before the sync. PARLANCE_MUTANT selects one bug.
"""
import os
import random
import subprocess
import sys

import handover_loads as handovers
import notice_loads as notices
import request_loads as requests
import story_loads as stories
import worker_loads as workers
from hub import CONTROL, ControlHub, Scratch, check, skip
from kill_under_load import SETTINGS, broken_promises

KILLS = 4
SEEDS = 12  # Seeds per bug: some bugs need several sequences of kills.
WORKERS = (workers.SocketWorker, workers.PollWorker)
NOTICES = (*WORKERS, notices.HttpNotices, notices.SocketNotices)
REQUESTS = (*WORKERS, requests.SocketRequests, requests.WaitRequests)
LATE_REPLIES = (workers.PollWorker, requests.SocketRequests, requests.PollRequests)  # Only the poll worker sends second answers.

# The planted bug, the promise that the bug breaks, and the loads that suffice to find the bug.
CONTROLS = (
    ("lose-returned-message", "D1", NOTICES),
    ("redeliver-at-most-once", "D2", NOTICES),
    ("ignore-task-order", "D3", NOTICES),
    ("forget-message-ids", "D4", NOTICES),
    ("accept-conflicting-id", "D4", NOTICES),
    ("deliver-to-neighbour", "D9", NOTICES),
    ("change-body", "D9", NOTICES),
    ("answer-twice", "W2", REQUESTS),
    ("show-late-reply", "W2", LATE_REPLIES),
    ("forget-who-is-asked", "W1", (stories.HumanTasks,)),
    ("run-before-what-it-needs", "W9", (stories.Workflows,)),
    ("forget-the-run", "W8", (stories.Workflows,)),
    ("hand-over-twice", "W7", (handovers.Contexts,)),
    ("break-the-chain", "A2", NOTICES),
)


def found_by(scratch, mutant, loads, seed):
    """The promises that are broken; how a run that could not go on ended: a planted bug may also end or hang the hub."""
    hub = ControlHub(f"{scratch}/{mutant}-{seed}", mutant, SETTINGS)
    try:
        return {violation.rule for violation in broken_promises(hub, seed, KILLS, loads, shown_max=1)}
    except (AssertionError, OSError, subprocess.SubprocessError) as error:
        return {f"failed: {error!r}"}


def main():
    if not CONTROL:
        skip("this build has no planted bugs (PARLANCE_MUTANTS)")
    chosen, seed, missed = os.environ.get("PARLANCE_MUTANT"), random.randrange(1 << 30), []
    with Scratch() as scratch:
        for mutant, promise, loads in CONTROLS:
            if chosen and chosen != mutant:
                continue
            tries = []
            while len(tries) < SEEDS and not any(promise in found for found in tries):
                tries.append(found_by(scratch, mutant, loads, seed + len(tries)))
            is_found = promise in tries[-1]
            missed += [] if is_found else [mutant]
            print(f"{'ok' if is_found else 'NOT FOUND'}: {mutant} by {promise}: {tries}", flush=True)
    check(not missed, f"the kill test does not find {missed}")


if __name__ == "__main__":
    sys.exit(main())
