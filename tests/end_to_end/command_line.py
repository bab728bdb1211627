"""The command line against a real hub: it waits for a hub that restarts, ends what it started, tells how it went.

Each story has a hub of its own; the exit codes are those of docs/reference/exit-codes.md.
"""
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time

from hub import BINARY, Hub, Scratch, check, free_port, message

DONE, REFUSED, MISUSED, NO_HUB, TIMED_OUT, DAMAGED, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
ECHO = "import sys\nfor line in sys.stdin: print('{\"heard\":true}', flush=True)"
STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: open(sys.argv[1] + ".asked", "w").close())
with open(sys.argv[1] + ".new", "w") as file: file.write(str(os.getpid()))
os.rename(sys.argv[1] + ".new", sys.argv[1])
while True: time.sleep(1)
"""


def parlance(hub, *words, stdin=None, env=None):
    """Runs one command and waits for the exit."""
    where = ["--hub", f"127.0.0.1:{hub.port}"] if hub else []
    return subprocess.run([BINARY, *where, *words], input=stdin, capture_output=True, text=True,
                          timeout=60, env={**os.environ, **(env or {})})


class Running:
    """A command that runs until a signal stops it."""

    def __init__(self, hub, *words):
        where = ["--hub", f"127.0.0.1:{hub.port}"] if hub else []
        self.process = subprocess.Popen([BINARY, *where, *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)

    def line(self, seconds=30, of="stdout"):
        pipe = getattr(self.process, of)
        ready, _, _ = select.select([pipe], [], [], seconds)
        check(ready, f"no line on {of} within {seconds} s")
        return pipe.readline().decode()

    def end(self, number=signal.SIGINT, seconds=30):
        """Sends the signal and returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(seconds)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(20)
        self.process.stdout.close()
        self.process.stderr.close()


def expect(done, code, *words):
    said = done.stdout + done.stderr
    check(done.returncode == code, f"{done.args} ended with {done.returncode}, not {code}: {said}")
    for word in words:
        check(word in said, f"{done.args} does not say '{word}': {said}")
    return done


def until(is_true, what, seconds=60):
    end = time.monotonic() + seconds
    while not is_true():
        check(time.monotonic() < end, f"{what} within {seconds} s")
        time.sleep(0.01)


def is_here(hub, agent):
    status, shown = hub.ask("GET", f"/v1/agents/{agent}")
    return status == 200 and shown["instances"] != []


def listen_waits_for_the_hub(hub):
    with Running(hub, "listen", "--as", "bob", "--register", "--json") as listening:
        until(lambda: is_here(hub, "bob"), "bob is not here")
        hub.ask("POST", "/v1/messages", message("alice", 1, to="bob"))
        check(json.loads(listening.line())["message"]["payload"]["n"] == 1, "the first is wrong")
        # A printed delivery is not settled yet; a hub that stops earlier would deliver the message again.
        until(lambda: hub.ask("GET", "/v1/agents/bob")[1]["in_flight"] == 0, "it is not settled")
        check(hub.stop() == 0, "no clean stop")
        hub.start()
        until(lambda: is_here(hub, "bob"), "bob did not come back")
        hub.ask("POST", "/v1/messages", message("alice", 2, to="bob"))
        check(json.loads(listening.line())["message"]["payload"]["n"] == 2, "the second is wrong")
        until(lambda: hub.ask("GET", "/v1/agents/bob")[1]["in_flight"] == 0, "it is not settled")
        hub.kill()
        hub.start()
        until(lambda: is_here(hub, "bob"), "bob did not come back from a crash")
        hub.ask("POST", "/v1/messages", message("alice", 3, to="bob"))
        check(json.loads(listening.line())["message"]["payload"]["n"] == 3, "the third is wrong")
        check(listening.end() == INTERRUPTED, "Ctrl-C is not 130")
    check(hub.drain("bob") == [], "what was shown was not acknowledged")


def agent_exec_waits_for_the_hub(hub):
    words = ("agent", "exec", "--as", "echo", "--register", "--", sys.executable, "-c", ECHO)
    ask = ("request", "--as", "alice", "--to", "echo", "--wait", "20000", "--json", "hello")
    with Running(hub, *words) as agent:
        until(lambda: is_here(hub, "echo"), "the agent is not here")
        for restart in (hub.stop, hub.kill, None):
            expect(parlance(hub, *ask), DONE, "heard")
            if restart:
                restart()
                hub.start()
                until(lambda: is_here(hub, "echo"), "the agent did not come back")
        check(agent.end() == INTERRUPTED, "Ctrl-C is not 130")


FLOOD = """
import os, sys
sys.stdin.readline()
os.write(1, b'"done"\\n')
while True:
    os.write(1, b"nobody asked for this\\n" * 100)
"""


def cpu_seconds(process):
    """Returns the CPU seconds of the process without its children."""
    with open(f"/proc/{process.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def a_program_that_floods_is_ended_and_reported(hub):
    """`agent exec` uses little CPU, reports the flood on stderr, and every message still gets an answer."""
    words = ("agent", "exec", "--as", "flood", "--register", "--", sys.executable, "-c", FLOOD)
    ask = ("request", "--as", "alice", "--to", "flood", "--wait", "20000", "--json", "hello")
    with Running(hub, *words) as agent:
        until(lambda: is_here(hub, "flood"), "the agent is not here")
        expect(parlance(hub, *ask), DONE, "done")
        before, began = cpu_seconds(agent.process), time.monotonic()
        for _ in range(2):
            expect(parlance(hub, *ask), DONE, "done")
        time.sleep(max(0, began + 3 - time.monotonic()))
        used, passed = cpu_seconds(agent.process) - before, time.monotonic() - began
        check(used < passed / 4, f"a flooding program costs {used:.2f} s of CPU in {passed:.2f} s")
        check(agent.end() == INTERRUPTED, "Ctrl-C is not 130")
        said = agent.process.stderr.read().decode()
        check("lines that no message asked for; it is ended and started again" in said, f"nothing is said: {said}")
        check(len(said.splitlines()) < 100, f"too much is said: {said}")


LARGE = """
import json, sys
for line in sys.stdin:
    size = json.loads(line)["payload"]["size"]
    print(json.dumps({"size": size, "said": "x" * size}), flush=True)
"""


def an_answer_that_is_too_large_harms_nobody_else(hub):
    """The answer is refused for good, and the deliveries of other copies of the program stay leased to them."""
    words = ("agent", "exec", "--as", "writer", "--register", "--concurrency", "3", "--", sys.executable, "-c", LARGE)
    with Running(hub, *words) as agent:
        until(lambda: is_here(hub, "writer"), "the agent is not here")
        sizes = (1_500_000, 900_000, 900_001, 10)
        asking = [Running(hub, "request", "--as", "alice", "--to", "writer", "--json", json.dumps({"size": size}))
                  for size in sizes]
        for size, one in zip(sizes, asking):
            with one:
                said, complaint = one.process.communicate(timeout=60)
                answer = json.loads(said)
                if size < 1 << 20:
                    check(answer["payload"]["size"] == size and one.process.returncode == DONE, str(answer)[:200])
                    continue
                check(one.process.returncode == REFUSED, f"it ended with {one.process.returncode}")
                check("the answer has 1500" in answer["payload"]["error"]["message"], str(answer))
                check(b"is the most" in complaint, complaint)
        check("1048448 is the most" in agent.line(of="stderr"), "the program's user is not told")
        _, shown = hub.ask("GET", "/v1/agents/writer")
        check(len(shown["instances"]) == 1 and shown["in_flight"] == 0, str(shown))
        check(agent.end() == INTERRUPTED, "Ctrl-C is not 130")
    _, letters = hub.ask("GET", "/v1/dead-letters")
    ids = [letter["dead_letter_id"] for letter in letters["dead_letters"]]
    expect(parlance(hub, "dead-letters", "discard", *ids, "--reason", "seen", "--yes"), DONE, "discarded  1 dead letter")
    hub.ask("DELETE", "/v1/agents/writer")


STOPPABLE = """
import json, sys
for line in sys.stdin:
    if json.loads(line)["payload"].get("text") == "long":
        with open(sys.argv[1], "a") as told: told.write("began\\n")
        with open(sys.argv[1], "a") as told: told.write(sys.stdin.readline())
    print('{"heard":true}', flush=True)
"""


def a_cancelled_task_is_not_answered(hub, scratch):
    """Proves X21: the working program is told of a cancellation, its late line is dropped, and queued messages do not start."""
    where = scratch + "/told"
    words = ("agent", "exec", "--as", "worker", "--register", "--tell-cancelled", "--",
             sys.executable, "-c", STOPPABLE, where)

    def told():
        if not os.path.exists(where):
            return []
        with open(where) as file:
            return file.read().splitlines()

    def ask(number):
        body = message("anna", number, to="worker", kind="TASK_ASSIGNMENT")
        body["payload"]["text"] = "long"
        status, _ = hub.ask("POST", "/v1/messages", body)
        check(status == 202, f"it was answered {status}")

    def cancel(number):
        status, _ = hub.ask("POST", f"/v1/workflows/anna-{number}/cancel", {"reason": "no need"}, {"Parlance-Agent": "anna"})
        check(status == 204, f"cancel answered {status}")

    hub.ask("PUT", "/v1/agents/anna", {"dialect": "taskwire"})
    with Running(hub, *words) as agent:
        until(lambda: is_here(hub, "worker"), "the agent is not here")
        ask(1)
        until(lambda: told() == ["began"], "the program has not begun")
        ask(2)
        cancel(2)
        cancel(1)
        until(lambda: len(told()) == 2, "the program is not told")
        check(json.loads(told()[1]) == {"cancelled": {"reason": "no need"}}, str(told()))
        expect(parlance(hub, "request", "--as", "bob", "--to", "worker", "--wait", "20000", "--json", "short"),
               DONE, "heard")
        check(len(told()) == 2, f"what was cancelled has begun: {told()}")
        answers = [item["type"] for item in hub.drain("anna")]
        check(answers == ["TASK_FAILED", "TASK_FAILED"], f"anna was told {answers}")
        check(agent.end() == INTERRUPTED, "Ctrl-C is not 130")
        check(agent.process.stderr.read() == b"", "a late line is complained about")
    hub.ask("DELETE", "/v1/agents/worker")
    hub.ask("DELETE", "/v1/agents/anna")


def bench_agents(hub):
    _, left = hub.ask("GET", "/v1/agents")
    return [agent["agent"] for agent in left["agents"] if agent["agent"].startswith("bench")]


def bench_sends_what_it_was_told_and_leaves_nothing(hub):
    for what, count, connections in (("deliver", 100, 70), ("publish", 3, 8)):
        done = parlance(hub, "bench", what, "--messages", str(count), "--connections", str(connections), "--json")
        check(json.loads(expect(done, DONE).stdout)["messages"] == count, done.stdout)
    told = json.loads(expect(parlance(hub, "bench", "publish", "--http", "--messages", "5", "--json"), DONE).stdout)
    check(told["outstanding"] == 1, str(told))
    expect(parlance(hub, "bench", "publish", "--size", "2000000", "--messages", "1"), REFUSED, "1048576 is the most")
    check(bench_agents(hub) == [], f"bench left {bench_agents(hub)}")


def a_stubborn_program_is_killed(hub, scratch):
    where = scratch + "/stubborn"
    words = ("agent", "exec", "--as", "mule", "--register", "--",
             sys.executable, "-c", STUBBORN, where)
    with Running(hub, *words) as agent:
        until(lambda: os.path.exists(where), "the program does not start")
        with open(where) as file:
            process = int(file.read())
        began = time.monotonic()
        check(agent.end(signal.SIGTERM) == INTERRUPTED, "SIGTERM is not 130")
        took = time.monotonic() - began
        check(os.path.exists(where + ".asked"), "it was not asked with SIGTERM first")
        check(5 <= took < 15, f"it was given {took:.1f} s instead of 5")
        check(not os.path.exists(f"/proc/{process}"), "the program outlived its agent")


def bury(hub, number):
    """Creates a dead letter and returns its id."""
    hub.ask("POST", "/v1/messages", message("ada", number, to="carol"))
    _, taken = hub.ask("GET", "/v1/agents/carol/inbox")
    delivery = taken["messages"][0]["delivery_id"]
    status, _ = hub.ask("POST", f"/v1/deliveries/{delivery}/nack",
                        {"reason": "cannot read it", "final": True})
    check(status == 204, f"nack answered {status}")
    _, letters = hub.ask("GET", "/v1/dead-letters?agent=carol")
    return letters["dead_letters"][-1]["dead_letter_id"]


def dead_letters_are_dealt_with(hub):
    hub.ask("PUT", "/v1/agents/carol", {"dialect": "taskwire"})
    expect(parlance(hub, "dead-letters"), DONE, "No dead letters.")
    first, second = bury(hub, 1), bury(hub, 2)
    for words in (("dead-letters",), ("dead-letters", "list", "--agent", "carol")):
        expect(parlance(hub, *words), DONE,
               "RECIPIENT", first, second, "carol", "ada", "REJECTED", "cannot read it")
    expect(parlance(hub, "dead-letters", "--agent", "nobody"), DONE, "No dead letters.")
    rows = expect(parlance(hub, "dead-letters", "--json"), DONE).stdout.splitlines()
    check([json.loads(row)["dead_letter_id"] for row in rows] == [first, second], str(rows))
    shown = json.loads(expect(parlance(hub, "dead-letters", "show", first, "--json"), DONE).stdout)
    check(shown["message"]["payload"]["n"] == 1, str(shown))

    expect(parlance(hub, "dead-letters", "redeliver", first), DONE, "redelivered  1 dead letter")
    check([item["payload"]["n"] for item in hub.drain("carol")] == [1], "it was not redelivered")
    expect(parlance(hub, "dead-letters", "redeliver", first), REFUSED, "DEAD_LETTER_NOT_FOUND",
           f"there is no dead letter '{first.split('.')[0]}'")

    gone = ("dead-letters", "discard", second, "--reason", "superseded")
    expect(parlance(hub, "dead-letters", "discard", second, "--yes"), MISUSED, "--reason")
    expect(parlance(hub, *gone, stdin="y\n"), MISUSED, "nothing was discarded", "--yes")
    expect(parlance(hub, *gone, "--yes", "--operator", "olga"), DONE, "discarded  1 dead letter")
    expect(parlance(hub, "dead-letters"), DONE, "No dead letters.")
    expect(parlance(hub, *gone, "--yes"), REFUSED, "DEAD_LETTER_NOT_FOUND")
    record = parlance(None, "journal", "list", "--data", hub.data, "--json").stdout
    facts = [row for row in map(json.loads, record.splitlines())
             if row["event"] == "DeadLetterDiscarded"]
    check([(fact["by"], fact["reason"]) for fact in facts] == [("olga", "superseded")], str(facts))

    bury(hub, 3), bury(hub, 4)
    expect(parlance(hub, "dead-letters", "redeliver"), MISUSED, "--all")
    expect(parlance(hub, "dead-letters", "redeliver", "--all"), MISUSED, "--yes")
    expect(parlance(hub, "dead-letters", "redeliver", "--all", "--agent", "carol", "--yes"), DONE,
           "redelivered  2 dead letters")
    check([item["payload"]["n"] for item in hub.drain("carol")] == [3, 4], "not all came back")


COMPLETE = """
source <({binary} completion {shell}) || exit 9
COMP_WORDS=({words}); COMP_CWORD={at}
COMP_LINE="${{COMP_WORDS[*]}}"; COMP_POINT=${{#COMP_LINE}}
function=$(complete -p parlance | sed -n 's/.* -F \\([^ ]*\\) .*/\\1/p')
"$function" parlance "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD-1]}}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def completed(*words):
    """Returns bash's completions for the last word."""
    script = COMPLETE.format(binary=BINARY, shell="bash", at=len(words),
                             words=" ".join(f"'{word}'" for word in ("parlance", *words)))
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, timeout=20)
    check(done.returncode == 0 and not done.stderr, f"bash says {done.stderr}")
    return {word.strip() for word in done.stdout.splitlines()}


def completion_works_in_the_shells_that_are_here(_):
    check({"serve", "send", "dead-letters"} <= completed(""), str(completed("")))
    check(completed("dead-l") == {"dead-letters"}, str(completed("dead-l")))
    check({"show", "redeliver", "discard"} <= completed("dead-letters", ""), "verbs below a verb")
    check("--priority" in completed("send", "--pri"), str(completed("send", "--pri")))
    check(completed("send", "--priority", "") == {"critical", "high", "normal", "low"},
          str(completed("send", "--priority", "")))
    check(completed("convert", "--to", "") == {"taskwire", "kessel", "delegation", "sam", "correlation"},
          str(completed("convert", "--to", "")))
    check({"sam", "kessel"} <= completed("schema", ""), str(completed("schema", "")))
    for shell in ("zsh", "fish"):
        script = parlance(None, "completion", shell)
        expect(script, DONE, "dead-letters")
        if shutil.which(shell):
            words = [shell, "-n"] if shell == "zsh" else [shell, "--no-execute"]
            expect(subprocess.run(words, input=script.stdout, capture_output=True, text=True,
                                  timeout=20), DONE)


def every_exit_code_is_the_documented_one(hub, scratch):
    hub.ask("PUT", "/v1/agents/dora", {"dialect": "taskwire"})
    send = ("send", "--as", "alice", "--to")
    expect(parlance(hub, *send, "dora", "hello"), DONE, "accepted")
    expect(parlance(hub, *send, "nobody", "hello"), REFUSED, "AGENT_NOT_REGISTERED", "Register")
    expect(parlance(hub, "agents", "show", "nobody"), REFUSED, "AGENT_NOT_REGISTERED")
    expect(parlance(hub, "listen", "--as", "nobody", "--count", "1"), REFUSED, "AGENT_NOT_REGISTERED", "--register")
    with open("/dev/full", "w", encoding="utf-8") as full:
        lost = subprocess.run([BINARY, "version"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=20)
    check(lost.returncode == REFUSED, f"what could not be written ended with {lost.returncode}")
    check("could not be written" in lost.stderr, f"and was not said to be lost: {lost.stderr}")
    expect(parlance(hub, "sing"), MISUSED, "sing", "--help")
    expect(parlance(hub, *send, "dora", "@/no/such/file"), MISUSED, "/no/such/file")
    expect(parlance(None, "journal", "verify", "--data", scratch + "/nowhere"), MISUSED, "nowhere")
    file, closed = scratch + "/file", scratch + "/closed"
    open(file, "w").close()
    os.mkdir(closed, 0o500)
    for words in (("journal", "verify"), ("serve", "--dev", "--listen", f"127.0.0.1:{free_port()}")):
        expect(parlance(None, *words, "--data", file), MISUSED, file)
        if os.geteuid() != 0 and words[0] == "serve":
            expect(parlance(None, *words, "--data", closed), MISUSED, "may not write")
    expect(parlance(None, "sim", "--seed", "-1"), MISUSED, "--seed", "not '-1'")
    expect(parlance(None, "sim", "--seed", str(2**64 - 1)), DONE, "1 seed")
    expect(parlance(None, "--hub", f"127.0.0.1:{free_port()}", *send, "dora", "x"), NO_HUB,
           "parlance serve --dev")
    expect(parlance(hub, "request", "--as", "alice", "--to", "dora", "--wait", "200", "x"),
           TIMED_OUT, "`parlance listen --as alice --register`")
    hub.ask("PUT", "/v1/agents/erin", {"dialect": "taskwire"})
    expect(parlance(hub, "request", "--as", "erin", "--to", "dora", "--wait", "200", "x"),
           TIMED_OUT, "`parlance listen --as erin`")
    hub.stop()
    copy = scratch + "/damaged"
    shutil.copytree(hub.data, copy)
    segment = sorted(name for name in os.listdir(copy) if re.fullmatch(r"\d+\.journal", name))[0]
    with open(os.path.join(copy, segment), "r+b") as file:
        content = bytearray(file.read(65536))
        at = content.index(b"ERROR_REPORT")  # A byte inside a record.
        content[at] ^= 1
        file.seek(0)
        file.write(content)
    expect(parlance(None, "journal", "verify", "--data", hub.data), DONE, "verified")
    broken = scratch + "/broken"
    shutil.copytree(hub.data, broken)
    snapshot = sorted(name for name in os.listdir(broken) if name.endswith(".snapshot"))[-1]
    with open(os.path.join(broken, snapshot), "r+b") as file:
        file.seek(100)
        file.write(b"\0\1\2\3")
    expect(parlance(None, "journal", "verify", "--data", broken), DAMAGED, snapshot, "The journal is whole", "may be deleted")
    second = Hub(broken).start()
    try:
        check(snapshot in second.last_words(), "the hub does not say that it passes a snapshot over")
    finally:
        second.kill()
    expect(parlance(None, "journal", "verify", "--data", copy), DAMAGED, segment)
    hub.start()


GOOD = {"id": "m-1", "from": "alice", "to": "bob", "type": "HELP_REQUEST", "payload": {"question": "why"},
        "metadata": {"priority": "high"}}
BLOCK = """---
REQUEST

source_agent: ORC
target_agent: ANL
capability_code: ANL_NPV
request_id: sess-789-20250118-143022
inputs_json: {
  cash_flows: [-100000, 25000]
}
---
"""


OLD = {"version": "0.8", "request_id": "550e8400-e29b-41d4-a716-446655440000", "target": "byte", "result": "r", "status": "success"}
# Answers that name no requester and, in kessel, no answering agent.
ANSWER = {"request_id": "sess-789-20250118-143022", "status": "ERROR", "error_code": "DATA_NOT_FOUND", "error_message": "none"}
SPOKEN = {"request_id": "550e8400-e29b-41d4-a716-446655440000", "target_employee": "byte", "summary": "s", "result": "r", "status": "success",
          "token_usage": {"prompt": 1, "completion": 1, "total": 2}}


def messages_are_validated_without_a_hub(_, scratch):
    validate = ("validate", "-")
    expect(parlance(None, *validate, stdin=json.dumps(GOOD)), DONE, "ok taskwire HELP_REQUEST")
    expect(parlance(None, *validate, stdin=BLOCK), DONE, "ok kessel REQUEST")
    bad = {**GOOD, "type": "NONSENSE", "to": 7}
    done = parlance(None, *validate, stdin=json.dumps(bad))
    expect(done, REFUSED, "INPUT_VALIDATION_FAILED", "/type", '"NONSENSE"', "Message Types", "/to", "not 7")
    for text in (json.dumps([GOOD, bad, GOOD]), "\n".join(map(json.dumps, (GOOD, bad, GOOD)))):
        done = parlance(None, *validate, "--json", stdin=text)
        check(done.returncode == REFUSED, done.stderr)
        verdicts = [json.loads(line) for line in done.stdout.splitlines()]
        check([verdict["ok"] for verdict in verdicts] == [True, False, True], done.stdout)
        check({problem["pointer"] for problem in verdicts[1]["problems"]} == {"/type", "/to"}, done.stdout)
    expect(parlance(None, *validate, stdin='{"half":'), REFUSED, "MESSAGE_MALFORMED")
    large = {**GOOD, "payload": "x" * (1 << 20)}
    expect(parlance(None, *validate, stdin=json.dumps(large)), REFUSED, "MESSAGE_TOO_LARGE")
    expect(parlance(None, *validate, stdin="---\nREQUEST\nnonsense\n---\n"), REFUSED, "MESSAGE_MALFORMED in kessel")
    expect(parlance(None, *validate, "--dialect", "sam", stdin=json.dumps(GOOD)), REFUSED, "in sam", "/message_type")
    expect(parlance(None, *validate, stdin=""), MISUSED, "no message")
    handoff = {"session_id": "sess-789", "original_request": "Help me", "prior_agents": ["ORC", "CST"]}
    expect(parlance(None, *validate, stdin=json.dumps(handoff)), DONE, "ok kessel HANDOFF CONTEXT, as a part", "/target_agent")
    error = {"message_type": "ERROR", "error": {"code": "VALIDATION_FAILED", "message": "Tax ID format is invalid",
                                                "source": "compliance_agent", "severity": "CRITICAL", "retryable": False}}
    expect(parlance(None, *validate, stdin=json.dumps(error)), DONE, "ok sam ERROR, as a part", "/recipient")
    expect(parlance(None, *validate, stdin=json.dumps(OLD)), DONE, "ok delegation DelegationResponse")
    expect(parlance(None, "validate", scratch + "/nowhere"), MISUSED, "nowhere")
    expect(parlance(None, *validate, "--dialect", "klingon", stdin="{}"), MISUSED, "klingon")


def messages_are_converted_and_come_back(_, scratch):
    """Proves P1: a message converted to each other dialect and back equals the original."""
    where = scratch + "/message.json"
    with open(where, "w") as file:
        json.dump(GOOD, file)
    for dialect in ("kessel", "delegation", "sam", "correlation"):
        there = parlance(None, "convert", "--to", dialect, where)
        expect(there, DONE, "why")
        expect(parlance(None, "validate", "-", stdin=there.stdout), DONE, f"ok {dialect} ")
        back = parlance(None, "convert", "--from", dialect, "--to", "taskwire", "-", stdin=there.stdout)
        check(json.loads(back.stdout) == GOOD, f"through {dialect}: {back.stdout}{back.stderr}")
    # A message without a sender or recipient has none after the round trip, whatever the other dialect required.
    for nameless, origin in ((ANSWER, "kessel"), (SPOKEN, "delegation")):
        for dialect in ("taskwire", "kessel", "delegation", "sam", "correlation"):
            there = parlance(None, "convert", "--from", origin, "--to", dialect, "-", stdin=json.dumps(nameless))
            back = parlance(None, "convert", "--from", dialect, "--to", origin, "-", stdin=there.stdout)
            check(json.loads(back.stdout) == nameless, f"through {dialect}: {there.stdout}{back.stdout}{back.stderr}")
    block = parlance(None, "convert", "--to", "kessel", "--block", where)
    expect(block, DONE, "REQUEST", "source_agent: alice")
    expect(parlance(None, "validate", "-", stdin=block.stdout), DONE, "ok kessel REQUEST")
    plain = parlance(None, "convert", "--to", "kessel", "-", stdin=BLOCK)
    check(json.loads(plain.stdout)["inputs_json"] == {"cash_flows": [-100000, 25000]}, plain.stdout)
    done = parlance(None, "convert", "--to", "sam", "-", stdin=json.dumps([{**GOOD, "to": 7}, GOOD]))
    expect(done, REFUSED, "/to", "not 7")
    check(len(done.stdout.splitlines()) == 1, done.stdout)
    told = json.loads(expect(parlance(None, "convert", "--to", "sam", "-", stdin=json.dumps(OLD)), DONE).stdout)
    check(told["sender"] == {"agent_id": "byte"} and told["payload"]["data"] == "r", str(told))
    # Where the target dialect requires a field, the source dialect's default value is written.
    request = {"source_agent": "CST", "target_agent": "ANL", "capability_code": "ANL_NPV",
               "request_id": "sess-789-20250118-143022", "inputs_json": {}}
    told = json.loads(parlance(None, "convert", "--to", "delegation", "-", stdin=json.dumps(request)).stdout)
    check(told["constraints"]["deadline_ms"] == 30000, str(told))
    # A part of a message, as the dialect's document shows the part.
    part = {"session_id": "sess-789", "original_request": "Help me", "prior_agents": ["ORC"]}
    expect(parlance(None, "convert", "--from", "kessel", "--to", "sam", "-", stdin=json.dumps(part)), DONE, "Help me")
    done = parlance(None, "convert", "--to", "sam", "--json", "-", stdin=json.dumps([GOOD, {**GOOD, "to": 7}]))
    check(json.loads(done.stderr)["message"] == 2, done.stderr)
    expect(parlance(None, "convert", "--to", "sam", "--block", where), MISUSED, "kessel")
    expect(parlance(None, "convert", where), MISUSED, "--to")


def contracts_are_printed(_):
    expect(parlance(None, "schema"), DONE, "/schemas/kessel/HANDOFF_CONTEXT.json")
    schema = json.loads(parlance(None, "schema", "sam", "ERROR", "--json").stdout)
    check(schema["$id"] == "/schemas/sam/ERROR.json", str(schema)[:200])
    check(json.loads(parlance(None, "schema", "sam", "ERROR").stdout) == schema, "for people it is another")
    expect(parlance(None, "schema", "sam", "NONSENSE"), MISUSED, "NONSENSE")
    rows = parlance(None, "doctor", "--rows")
    expect(rows, DONE, "K1", "A4", "134 rows", "missing")
    first = json.loads(parlance(None, "doctor", "--rows", "--json").stdout.splitlines()[0])
    check(first["row"] == "K1" and first["tests"], str(first))


def a_ready_profile_is_registered(hub):
    """Proves K1: the profile `kessel` registers nine agents from a data file."""
    expect(parlance(hub, "agents", "register"), MISUSED, "--profile")
    expect(parlance(hub, "agents", "register", "--profile", "esperanto"), MISUSED, "esperanto", "kessel")
    expect(parlance(hub, "agents", "register", "--profile", "kessel", "XYZ"), MISUSED, "XYZ")
    expect(parlance(hub, "agents", "register", "--profile", "kessel"), DONE, "registered  ORC", "registered  CHG")
    expect(parlance(hub, "capabilities"), DONE, "ANL_NPV", "ANL_PROJECTION", "ANL_MONTECARLO", "DOC_GENERATE")
    for agent in ("ORC", "ANL", "AUD", "CHA", "SPO", "DOC", "PRF", "CST", "CHG"):
        _, shown = hub.ask("GET", f"/v1/agents/{agent}")
        check(shown["dialect"] == "kessel", str(shown))
        hub.ask("DELETE", f"/v1/agents/{agent}")


def has_begun(process):
    """Returns whether the process catches SIGINT, which is bit 1 of SigCgt in /proc."""
    with open(f"/proc/{process}/status") as file:
        return int(re.search(r"^SigCgt:\s*(\w+)$", file.read(), re.MULTILINE)[1], 16) >> 1 & 1


def words_are_classified(hub):
    expect(parlance(hub, "capabilities"), DONE, "No agent has registered a capability yet.")
    offer = {"code": "ANL_PROJECTION", "version": "2", "description": "Projections of revenue",
             "examples": ["forecast our revenue", "what will sales be next year"]}
    hub.ask("PUT", "/v1/agents/ANL", {"dialect": "kessel", "capabilities": [offer]})
    expect(parlance(hub, "capabilities"), DONE, "ANL_PROJECTION", "ANL", "Projections of revenue")
    row = json.loads(expect(parlance(hub, "capabilities", "--json"), DONE).stdout)
    check(row == {"code": "ANL_PROJECTION", "agent": "ANL", "version": "2", "description": "Projections of revenue"}, str(row))
    expect(parlance(hub, "classify", "forecast the revenue"), DONE, "route", "anl_projection", "built-in")
    answer = json.loads(expect(parlance(hub, "classify", "how tall is a giraffe", "--json"), DONE).stdout)
    check(answer["outcome"] == "cannot" and "Projections of revenue" in answer["message"], str(answer))
    expect(parlance(hub, "classify"), MISUSED, "text")
    expect(parlance(hub, "chat", "--user", "ann", "how tall is a giraffe"), DONE, "I cannot help with that.", "Projections of revenue")
    talk = json.loads(expect(parlance(hub, "chat", "--user", "ann", "--json", "--wait", "1", "forecast the revenue"), DONE).stdout)
    check(talk["status"] == "working" and "ANL" not in talk["answer"], str(talk))
    hub.ask("DELETE", "/v1/agents/ANL")


def a_workflow_is_replayed_from_the_journal_of_a_running_hub(hub):
    """P3: a replay by the same rules shows no difference; by today's policy the second of two parallel steps differs."""
    for agent in ("left", "right"):
        hub.ask("PUT", f"/v1/agents/{agent}", {"dialect": "kessel"})
    steps = [{"id": agent, "agent": agent} for agent in ("left", "right")]
    hub.ask("POST", "/v1/workflows", {"workflow_id": "again", "steps": steps})
    for agent in ("left", "right"):
        _, inbox = hub.ask("GET", f"/v1/agents/{agent}/inbox")
        delivery = inbox["messages"][0]["delivery_id"]
        status, said = hub.ask("POST", f"/v1/deliveries/{delivery}/reply",
                               {"status": "SUCCESS", "result_json": {"of": agent}, "confidence_level": "HIGH"})
        check(status == 202, f"{status}: {said}")
    replay = ("workflow", "replay", "again", "--data", hub.data)
    expect(parlance(None, *replay), DONE, "no difference", "ended")
    hub.ask("PUT", "/v1/policy", {"hub": {"fanout_max": 1}})
    same = json.loads(expect(parlance(None, *replay, "--json"), DONE).stdout)
    check(same["difference"] is None and same["compared"] > 5, str(same))
    other = json.loads(expect(parlance(None, *replay, "--policy", "now", "--json"), REFUSED).stdout)
    found = other["difference"]
    check(found["recorded"]["event"] == "MessageAccepted" and found["decided"] is None, str(other))
    check(found["recorded"]["sequence"] == found["sequence"], str(other))
    expect(parlance(None, *replay, "--policy", "now"), REFUSED, "differs at record", "nothing happens")
    expect(parlance(None, "workflow", "replay", "nowhere", "--data", hub.data), MISUSED, "nowhere")
    hub.ask("PUT", "/v1/policy", {})


def ctrl_c_leaves_cleanly(hub):
    for words in (("listen", "--as", "eve", "--register"),
                  ("bench", "deliver", "--messages", "100000000"),
                  ("sim", "--seeds", "1..1000000"),
                  ("request", "--as", "alice", "--to", "dora", "x"),
                  ("agent", "exec", "--as", "cat", "--register", "--", "cat")):
        with Running(hub, *words) as running:
            until(lambda: has_begun(running.process.pid), f"{words[0]} does not start")
            code = running.end()
            said = running.process.stderr.read().decode()
            check(code == INTERRUPTED, f"{words}: Ctrl-C ended it with {code}: {said}")
            check("terminate" not in said and "core" not in said, f"{words}: {said}")
    check(bench_agents(hub) == [], f"bench left {bench_agents(hub)}")


def main():
    with Scratch() as scratch:
        hub = Hub(scratch + "/hub").start()
        try:
            for story in (listen_waits_for_the_hub, agent_exec_waits_for_the_hub,
                          a_program_that_floods_is_ended_and_reported,
                          an_answer_that_is_too_large_harms_nobody_else, bench_sends_what_it_was_told_and_leaves_nothing,
                          a_cancelled_task_is_not_answered, a_stubborn_program_is_killed, dead_letters_are_dealt_with,
                          completion_works_in_the_shells_that_are_here,
                          every_exit_code_is_the_documented_one, messages_are_validated_without_a_hub,
                          messages_are_converted_and_come_back, contracts_are_printed, a_ready_profile_is_registered, words_are_classified,
                          a_workflow_is_replayed_from_the_journal_of_a_running_hub,
                          ctrl_c_leaves_cleanly):
                needs_scratch = story.__code__.co_argcount == 2
                story(hub, scratch) if needs_scratch else story(hub)
                print(f"ok: {story.__name__.replace('_', ' ')}", flush=True)
        finally:
            hub.kill()


if __name__ == "__main__":
    main()
