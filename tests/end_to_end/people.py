"""The hub notifies people of human tasks over real SMTP and a real webhook, and people answer the tasks.

Proves S13: the role gets a mail and a Slack message without personal data, and the answer reaches the agent as a response
after a kill
Proves W9: an answer counts once, and only from a person with the role who did not make the request
"""
import http.server
import json
import socket
import subprocess
import threading
import time

from hub import BINARY, Hub, Scratch, check, free_port, package
from identity import SecureHub, expect, parlance

SECONDS = 20
Controller = package("aiosmtpd.controller").Controller


class Mailbox:
    """A real mail server (aiosmtpd) that keeps accepted mails and rejects the first mail temporarily."""

    def __init__(self):
        self.mails, self.rejects = [], 1
        self.port = free_port()
        self.server = Controller(self, hostname="127.0.0.1", port=self.port, ready_timeout=30)
        self.server.start()

    async def handle_MAIL(self, server, session, envelope, address, options):
        if self.rejects:
            self.rejects -= 1
            return "451 not now"
        envelope.mail_from = address
        return "250 ok"

    async def handle_DATA(self, server, session, envelope):
        self.mails.append({"to": envelope.rcpt_tos, "text": envelope.content.decode()})
        return "250 kept"


class HangingMailServer:
    """A listener that accepts every connection and never sends a byte."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.lines = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            self.lines.append(self.listener.accept()[0])


class Slack(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Channel)
        self.words = []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Channel(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.words.append((self.path, json.loads(body)["text"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def until(is_true, what):
    end = time.monotonic() + SECONDS
    while not is_true():
        check(time.monotonic() < end, what)
        time.sleep(0.01)


def settings(mailbox, slack, allowed):
    return f"""
[people]
hosts_allowed = {json.dumps(allowed)}
[people.legal]
email = ["legal@example.com", "deputy@example.com"]
slack_webhook = "http://127.0.0.1:{slack.server_address[1]}/services/secret"
escalate_to = "finance"
[people.finance]
[mail]
server = "smtp://127.0.0.1:{mailbox.port}"
from = "hub@example.com"
"""


def request(number, to="human:legal", action="May jo@example.com be paid?"):
    return {"message_id": f"m-{number}", "correlation_id": f"c-{number}", "timestamp": "2025-11-23T10:00:00Z",
            "sender": {"agent_id": "buyer"}, "recipient": {"agent_id": to}, "message_type": "REQUEST",
            "payload": {"action": action, "data": {"kind": "approve"}, "context": {}}}


def console(hub, *words, operator="carla"):
    return subprocess.run([BINARY, "--hub", f"127.0.0.1:{hub.port}", "human", *words, "--operator", operator],
                          capture_output=True, text=True, timeout=60)


def people_are_told_and_decide(scratch):
    mailbox, slack = Mailbox(), Slack()
    hub = Hub(scratch + "/told", settings(mailbox, slack, ["127.0.0.1"])).start()
    hub.ask("PUT", "/v1/agents/buyer", {"dialect": "sam"})
    status, told = hub.ask("POST", "/v1/messages", request(1))
    check(status == 202, f"{status} {told}")
    until(lambda: mailbox.mails and slack.words, f"nobody was told: {hub.last_words()}")
    mail, (path, words) = mailbox.mails[0], slack.words[0]
    check(mail["to"] == ["legal@example.com", "deputy@example.com"], str(mail))
    check(path == "/services/secret", path)
    for text in (mail["text"], words):
        check("waits for legal" in text and "parlance human answer" in text and "/v1/human/" in text, text)
        check("jo@example.com" not in text and "[EMAIL_" in text, f"personal data left the hub: {text}")
    check("a mail to legal" in hub.last_words(), f"the first try is not in the log: {hub.last_words()}")
    check("secret" not in hub.last_words() and "legal@example.com" not in hub.last_words(), hub.last_words())
    _, metrics = hub.ask("GET", "/metrics")
    check("parlance_human_tasks_waiting 1" in metrics and "parlance_workflows_running 0" in metrics, metrics)
    until(lambda: "parlance_notices_sent_total 2" in hub.ask("GET", "/metrics")[1], "two were sent")

    hub.kill()
    hub.start()
    rows = console(hub, "list", "--json").stdout.splitlines()
    check(len(rows) == 1, f"it did not survive: {rows}")
    task = json.loads(rows[0])["id"]
    check("May [EMAIL_" in console(hub, "list").stdout, "the question is not shown")
    check(json.loads(console(hub, "show", task, "--json").stdout)["message"]["message_id"] == "m-1", "no message")
    done = console(hub, "answer", task, "reject")
    check(done.returncode == 1 and "reason" in done.stderr, str(done))
    done = console(hub, "answer", task, "approve", "--content", '{"limit": 5000}')
    check(done.returncode == 0 and "answered" in done.stdout, str(done))
    done = console(hub, "answer", task, "approve", operator="dora")
    check(done.returncode == 1 and "HUMAN_ALREADY_ANSWERED" in done.stderr, str(done))
    check("Nothing waits" in console(hub, "list").stdout, "it still waits")
    answer = hub.drain("buyer")[0]
    check(answer["message_type"] == "RESPONSE" and answer["correlation_id"] == "c-1", str(answer))
    for said in ("approve", "carla", "5000"):
        check(said in json.dumps(answer["payload"]), str(answer))
    hub.stop()
    check(not hub.verify(), hub.verify())


def what_was_not_told_before_a_kill_is_told_after_it(scratch):
    mailbox, slack = Mailbox(), Slack()
    mailbox.rejects = 1000
    hub = Hub(scratch + "/untold", settings(mailbox, slack, ["127.0.0.1"])).start()
    hub.ask("PUT", "/v1/agents/buyer", {"dialect": "sam"})
    hub.ask("POST", "/v1/messages", request(1))
    until(lambda: slack.words and "a mail to legal" in hub.last_words(), "it was not tried")
    check(not mailbox.mails, "the mail was turned away")
    hub.kill()
    mailbox.rejects = 0
    hub.start()
    until(lambda: mailbox.mails, f"nobody was told after the kill: {hub.last_words()}")
    tasks = lambda: hub.ask("GET", "/v1/human")[1]["human_tasks"]
    until(lambda: all(task["notified"] for task in tasks()), f"it is not on record: {tasks()}")
    hub.kill()
    hub.start()
    hub.ask("POST", "/v1/messages", request(2))
    until(lambda: len(mailbox.mails) > 1, "the next is told as well")
    numbers = [mail["text"].split("Subject: Parlance: ")[1].split()[0] for mail in mailbox.mails]
    check(len(set(numbers)) == len(numbers), f"what was told is told again: {numbers}")
    hub.stop()
    check(not hub.verify(), hub.verify())


def slack_is_told_while_the_mail_server_hangs(scratch):
    mailbox, slack = HangingMailServer(), Slack()
    hub = Hub(scratch + "/hanging", settings(mailbox, slack, ["127.0.0.1"])).start()
    hub.ask("PUT", "/v1/agents/buyer", {"dialect": "sam"})
    hub.ask("POST", "/v1/messages", request(1))
    until(lambda: mailbox.lines, "no mail was tried")
    for number in range(2, 12):
        hub.ask("POST", "/v1/messages", request(number))
    until(lambda: len(slack.words) == 11, f"{len(slack.words)} of 11 came while a mail hangs")
    figures = lambda: dict(line.split() for line in hub.ask("GET", "/metrics")[1].splitlines() if line[0] != "#")
    until(lambda: figures()["parlance_notices_slack_sent_total"] == "11", "eleven are counted")
    now = figures()
    check(now["parlance_notices_mail_sent_total"] == "0" and int(now["parlance_notices_mail_queued"]) >= 10, str(now))
    check(hub.stop() == 0, "the hub does not stop while a mail hangs")
    check(not hub.verify(), hub.verify())


def a_private_webhook_is_not_called(scratch):
    mailbox, slack = Mailbox(), Slack()
    hub = Hub(scratch + "/private", settings(mailbox, slack, [])).start()
    hub.ask("PUT", "/v1/agents/buyer", {"dialect": "sam"})
    hub.ask("POST", "/v1/messages", request(1))
    until(lambda: "its address is private" in hub.last_words(), f"it was not refused: {hub.last_words()}")
    check(not slack.words, f"a private address was called: {slack.words}")
    check(hub.ask("POST", "/v1/messages", request(2, "human:astrology"))[1]["code"] == "HUMAN_ROLE_UNKNOWN", "a role")
    hub.stop()


def only_who_has_the_role_and_did_not_ask(scratch):
    hub = SecureHub(scratch + "/roles").start()
    try:
        _, buyer = hub.token("--agent", "buyer")
        _, user = hub.token("--user", "u1")
        _, legal = hub.token("--operator", "lea", "--groups", "legal,finance")
        _, other = hub.token("--operator", "max", "--groups", "marketing")
        _, viewer = hub.token("--operator", "vera", "--role", "viewer")
        question = {"question": "May it?", "role": "legal", "kind": "approve"}
        _, asked = hub.ask("POST", "/v1/human", question, proof=buyer)
        where = f"/v1/human/{asked['id']}"
        for proof in (buyer, user):
            expect(hub.ask("GET", "/v1/human", proof=proof), 403, "IDENTITY_ROLE_FORBIDDEN")
            expect(hub.ask("GET", where, proof=proof), 403, "IDENTITY_ROLE_FORBIDDEN")
        expect(hub.ask("GET", where, proof=viewer), 200)
        yes = {"decision": "approve"}
        for proof, code in ((buyer, "IDENTITY_ROLE_FORBIDDEN"), (user, "IDENTITY_ROLE_FORBIDDEN"),
                            (viewer, "IDENTITY_ROLE_FORBIDDEN"), (other, "HUMAN_ANSWER_FORBIDDEN")):
            expect(hub.ask("POST", where + "/answer", yes, proof=proof), 403, code)
        expect(hub.ask("POST", where + "/answer", yes, proof=legal), 204)
        _, own = hub.ask("POST", "/v1/human", question, proof=legal)
        expect(hub.ask("POST", f"/v1/human/{own['id']}/answer", yes, proof=legal), 403, "HUMAN_ANSWER_FORBIDDEN")
        check("legal" in parlance("token", "list", "--data", hub.data), "the groups are not listed")
    finally:
        hub.stop()


def main():
    with Scratch() as scratch:
        for story in (people_are_told_and_decide, what_was_not_told_before_a_kill_is_told_after_it,
                      slack_is_told_while_the_mail_server_hangs, a_private_webhook_is_not_called,
                      only_who_has_the_role_and_did_not_ask):
            story(scratch)
            print(f"ok: {story.__name__.replace('_', ' ')}", flush=True)


if __name__ == "__main__":
    main()
