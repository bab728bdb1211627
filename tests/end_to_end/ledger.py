"""The ledger of the kill test: the acknowledgements and deliveries that clients received, and the promises between them.

The ledger reads no clock and talks to no hub. Clients write entries during the run; `violations` is called once, after
everything has settled. An entry is one fact about one message, request, human task, workflow, handed-over task, stream or
value. `ledger_test.py` tests the ledger on invented histories.
"""
import collections
import threading

AT_LEAST_ONCE = ("critical", "high")
AT_MOST_ONCE = ("normal", "low")

Entry = collections.namedtuple("Entry", "event kind id facts")
Violation = collections.namedtuple("Violation", "rule kind id text")


class Ledger:
    """An append-only list of entries that any thread may write."""

    def __init__(self):
        self.lock = threading.Lock()
        self.entries = []

    def write(self, event, kind, name, **facts):
        if not name:
            raise ValueError(f"{event} of a {kind} without a name: {facts}")
        with self.lock:
            self.entries.append(Entry(event, kind, name, facts))

    # A message, or a request on its way to its target.

    def accepted(self, kind, name, sequence, priority, **more):
        """The hub answered 202 or `accepted`; a repeat under the same id adds another entry."""
        self.write("accepted", kind, name, sequence=sequence, priority=priority, **more)

    def delivered(self, kind, name, attempt, priority, task=None, number=None):
        """The recipient got a delivery."""
        self.write("delivered", kind, name, attempt=attempt, priority=priority, task=task, number=number)

    def settled(self, kind, name, attempt):
        """The hub acknowledged an ack, a final nack or a reply to this attempt."""
        self.write("settled", kind, name, attempt=attempt)

    def dead_lettered(self, kind, name, reason):
        self.write("dead_lettered", kind, name, reason=reason)

    def conflict_accepted(self, kind, name, detail):
        """The hub accepted the same id with other content."""
        self.write("conflict_accepted", kind, name, detail=detail)

    def misdelivered(self, kind, name, detail):
        """A recipient got a message for another recipient, or a message with other content than the sent one."""
        self.write("misdelivered", kind, name, detail=detail)

    # The answer to a request. `outcome` is the mark of one reply by the answering agent, or the hub's error code.

    def reply_acknowledged(self, kind, name, outcome, by):
        """The hub accepted this reply as the answer."""
        self.write("reply_acknowledged", kind, name, outcome=outcome, by=by)

    def answered(self, kind, name, outcome, via, attempt=None):
        """The requester got an answer; `attempt` is set for an answer in the mailbox."""
        self.write("answered", kind, name, outcome=outcome, via=via, attempt=attempt)

    def answer_settled(self, kind, name, attempt):
        """The hub acknowledged the requester's settlement of the answer's delivery."""
        self.write("answer_settled", kind, name, attempt=attempt)

    # A stream.

    def part_acknowledged(self, kind, name, part):
        self.write("part_acknowledged", kind, name, part=part)

    def part_shown(self, kind, name, number, part):
        """The reader got part `part` as number `number`; `part` is None for the whole answer."""
        self.write("part_shown", kind, name, number=number, part=part)

    # A human task.

    def decision_sent(self, kind, name, outcome):
        self.write("decision_sent", kind, name, outcome=outcome)

    def decision_acknowledged(self, kind, name, outcome):
        self.write("decision_acknowledged", kind, name, outcome=outcome)

    def decision_shown(self, kind, name, outcome):
        """The requester got this decision, or the hub shows this decision as the final one."""
        self.write("decision_shown", kind, name, outcome=outcome)

    # A workflow.

    def workflow_started(self, kind, name, steps):
        self.write("workflow_started", kind, name, steps=tuple(steps))

    def step_ran(self, kind, name, step, is_allowed):
        """An agent got the step; `is_allowed` is false if the step needs an approval that nobody sent."""
        self.write("step_ran", kind, name, step=step, is_allowed=is_allowed)

    def workflow_ended(self, kind, name, status, outputs):
        """The hub reported the end of a workflow; `outputs` has the outcome of each step."""
        self.write("workflow_ended", kind, name, status=status, outputs=dict(outputs))

    # A task or a context that is handed over.

    def held(self, kind, name, holder, when):
        """The hub shows at the moment `when` (any word) that `holder` has the task or context."""
        self.write("held", kind, name, holder=holder, when=when)

    def transfer_acknowledged(self, kind, name, to):
        """The hub acknowledged the recipient's acceptance: from now on only the recipient has the task or context."""
        self.write("transfer_acknowledged", kind, name, to=to)

    # Shared state.

    def value_written(self, kind, name, key, value):
        self.write("value_written", kind, name, key=key, value=value)

    def value_read(self, kind, name, values):
        """The hub shows these final values."""
        self.write("value_read", kind, name, values=dict(values))

    # The final journal as printed by `parlance journal list`.

    def recorded(self, kind, name, record):
        """The journal has one record of a fact that must have exactly one."""
        self.write("recorded", kind, name, record=record)


class History:
    """The entries of one message, request or other subject, in the order of writing."""

    def __init__(self, kind, name):
        self.kind, self.id, self.entries = kind, name, []

    def all(self, event):
        return [entry.facts for entry in self.entries if entry.event == event]

    def outcomes(self, event):
        return {facts["outcome"] for facts in self.all(event)}

    def priority(self):
        for entry in self.entries:
            if entry.facts.get("priority"):
                return entry.facts["priority"]
        return None


def histories(entries):
    found = {}
    for entry in entries:
        key = (entry.kind, entry.id)
        found.setdefault(key, History(*key)).entries.append(entry)
    return found


# --- the promises: each function takes one history and yields its violations ---------------------------------------------

def nothing_acknowledged_is_lost(history):
    """D1: an acknowledged critical or high message is delivered or dead-lettered with a reason."""
    if not history.all("accepted") or history.priority() not in AT_LEAST_ONCE:
        return
    letters = history.all("dead_lettered")
    if not history.all("delivered") and not letters and not history.all("answered"):
        yield "acknowledged, and neither delivered nor a dead letter"
    for letter in letters:
        if not letter["reason"]:
            yield "a dead letter without a reason"


def at_most_once_is_once(history):
    """D2: a normal or low message is delivered at most once."""
    count = len(history.all("delivered"))
    if history.priority() in AT_MOST_ONCE and count > 1:
        yield f"{history.priority()}, and delivered {count} times"


def first_outcome_again(history):
    """D4: an id is accepted once, and a repeat gets the first outcome."""
    sequences = sorted({facts["sequence"] for facts in history.all("accepted")})
    if len(sequences) > 1:
        yield f"accepted as records {sequences}"
    for facts in history.all("conflict_accepted"):
        yield f"the same id with other content was not refused: {facts['detail']}"


def settled_is_settled(history):
    """D5, W1: after an acknowledged settlement there is no further attempt."""
    for done, shown in (("settled", "delivered"), ("answer_settled", "answered")):
        attempts = [facts["attempt"] for facts in history.all(done)]
        later = [facts["attempt"] for facts in history.all(shown)
                 if attempts and facts["attempt"] is not None and facts["attempt"] > min(attempts)]
        if later:
            yield f"attempt {min(attempts)} was settled, and attempt {max(later)} came"


def delivered_as_it_was_sent(history):
    """D9: a delivered message equals the sent message and goes to the addressed recipient."""
    for facts in history.all("misdelivered"):
        yield facts["detail"]


def every_request_is_answered(history):
    """W1: every acknowledged request has one final answer, which the requester got, whatever the priority."""
    if history.all("answered"):
        return
    if any(facts.get("awaits_answer") for facts in history.all("accepted")):
        yield f"acknowledged ({history.priority()}), and the requester was never shown an answer"
    if history.all("reply_acknowledged"):
        yield f"its reply was acknowledged ({history.priority()}), and the requester was never shown it"


def no_second_answer(history):
    """W1, W2: all answers to the requester are equal to the acknowledged reply."""
    shown, taken = history.outcomes("answered"), history.outcomes("reply_acknowledged")
    if len(shown) > 1:
        yield f"the requester was shown {len(shown)} different answers: {sorted(map(str, shown))}"
    if len(taken) > 1:
        yield f"the hub took {len(taken)} replies as the answer: {sorted(map(str, taken))}"
    if shown and taken and not shown & taken:
        yield f"the hub took the reply {sorted(map(str, taken))}, and the requester was shown {sorted(map(str, shown))}"


def a_stream_has_no_gap(history):
    """X18: parts have numbers from 1 without a gap; every acknowledged part is shown in order; the answer comes last."""
    shown = {}
    for facts in history.all("part_shown"):
        if shown.setdefault(facts["number"], facts["part"]) != facts["part"]:
            yield f"number {facts['number']} was first {shown[facts['number']]}, then {facts['part']}"
    numbers = sorted(shown)
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"numbers with a gap: {numbers}"
    parts = [shown[number] for number in numbers]
    acknowledged = [facts["part"] for facts in history.all("part_acknowledged")]
    missing = [part for part in acknowledged if part not in parts]
    if missing:
        yield f"acknowledged parts were not shown: {missing}"
    told = [part for part in parts if part is not None]
    if told != sorted(told):
        yield f"parts are out of order: {told}"
    if None in parts[:-1]:
        yield "a part came behind the answer"


def a_decision_counts_once(history):
    """W9: one decision is acknowledged, the acknowledged decision is shown, and every shown decision was sent."""
    sent, taken, shown = (history.outcomes(f"decision_{verb}") for verb in ("sent", "acknowledged", "shown"))
    if len(taken) > 1:
        yield f"{len(taken)} decisions were acknowledged: {sorted(taken)}"
    if len(shown) > 1:
        yield f"{len(shown)} decisions were shown: {sorted(shown)}"
    if taken and shown and taken != shown:
        yield f"the decision {sorted(taken)} was acknowledged, and {sorted(shown)} is shown"
    if taken and not shown:
        yield f"the decision {sorted(taken)} was acknowledged, and nobody was shown it"
    if shown - sent:
        yield f"the decision {sorted(shown - sent)} is shown, and nobody sent it"


def a_workflow_ends_once(history):
    """W1, W8: an acknowledged workflow ends, once, with the result of each of its steps."""
    started, ends = history.all("workflow_started"), history.all("workflow_ended")
    if started and not ends:
        yield "started, and it never ended"
    if any(end != ends[0] for end in ends[1:]):
        yield f"it ended in two ways: {ends}"
    for end in ends[:1]:
        for step in started[0]["steps"] if started and end["status"] == "COMPLETED" else ():
            if end["outputs"].get(step) is None:
                yield f"completed without a result of step '{step}'"


def no_step_before_its_approval(history):
    """W9: no step runs before its approval, and no step runs after a rejection."""
    for facts in history.all("step_ran"):
        if not facts["is_allowed"]:
            yield f"step '{facts['step']}' ran without its approval"


def exactly_one_holder(history):
    """W7, W5: at any moment one agent has the task or context; after an acknowledged transfer the recipient has it."""
    by_moment = {}
    for facts in history.all("held"):
        by_moment.setdefault(facts["when"], set()).add(facts["holder"])
    for when, holders in by_moment.items():
        if len(holders) > 1:
            yield f"{sorted(holders)} all have it ({when})"
    moves = [facts["to"] for facts in history.all("transfer_acknowledged")]
    final = by_moment.get("in the end", set())
    if moves and final and final != {moves[-1]}:
        yield f"handed over to {moves[-1]}, and {sorted(final)} has it in the end"
    if moves and not final:
        yield f"handed over to {moves[-1]}, and nobody has it in the end"


def acknowledged_writes_are_there(history):
    """S6, T12: an acknowledged write is in the final value."""
    wanted = {facts["key"]: facts["value"] for facts in history.all("value_written")}
    read = history.all("value_read")
    if wanted and not read:
        yield "written, and not there in the end"
    for key, value in wanted.items() if read else ():
        if read[-1]["values"].get(key) != value:
            yield f"'{key}' was written as {value!r}, and is {read[-1]['values'].get(key)!r} in the end"


def no_second_record(history):
    """A1: each acceptance, answer, decision and end has one record."""
    counts = collections.Counter(facts["record"] for facts in history.all("recorded"))
    for record, count in counts.items():
        if count > 1:
            yield f"{count} records of the {record}"


PROMISES = (
    ("D1", nothing_acknowledged_is_lost), ("D2", at_most_once_is_once), ("D4", first_outcome_again),
    ("D5", settled_is_settled), ("D9", delivered_as_it_was_sent), ("W1", every_request_is_answered), ("W2", no_second_answer),
    ("X18", a_stream_has_no_gap), ("W9", a_decision_counts_once), ("W8", a_workflow_ends_once),
    ("W9", no_step_before_its_approval), ("W7", exactly_one_holder), ("S6", acknowledged_writes_are_there),
    ("A1", no_second_record),
)


def inversions(entries):
    """D3, T9: within a task the recipient gets messages in acceptance order; yields violations."""
    newest_attempt, last = {}, {}
    for entry in entries:
        if entry.event != "delivered" or entry.facts["task"] is None:
            continue
        attempt, task, number = (entry.facts[name] for name in ("attempt", "task", "number"))
        # A late read of an earlier attempt is no violation, because the hub sent that attempt before the later one.
        if attempt < newest_attempt.get((entry.kind, entry.id), 0):
            continue
        newest_attempt[entry.kind, entry.id] = attempt
        if number < last.get(task, number):
            yield Violation("D3", entry.kind, entry.id, f"number {number} of {task} came behind number {last[task]}")
        last[task] = number


RECORD_OF = {"accepted": "acceptance", "answered": "answer", "decision_acknowledged": "decision", "workflow_ended": "end"}


def unrecorded(entries):
    """A1: the journal has a record of every acknowledgement; yields violations, or nothing if the journal was not read."""
    records = {(entry.kind, entry.id, entry.facts["record"]) for entry in entries if entry.event == "recorded"}
    told = {(entry.kind, entry.id, entry.event) for entry in entries if entry.event in RECORD_OF}
    for kind, name, event in sorted(told) if records else ():
        if (kind, name, RECORD_OF[event]) not in records:
            yield Violation("A1", kind, name, f"{event}, and the journal has no record of the {RECORD_OF[event]}")


def violations(entries):
    """Returns all violations in the entries; empty if every promise holds."""
    found = [*inversions(entries), *unrecorded(entries)]
    for history in histories(entries).values():
        for rule, promise in PROMISES:
            found += [Violation(rule, history.kind, history.id, text) for text in promise(history)]
    return found
