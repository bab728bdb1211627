"""Identity: a real hub without --dev, over TLS, and callers with missing, wrong and revoked identities.

Proves I1: nobody is served without an identity, and nobody speaks as another caller, over HTTP or WebSocket
Proves S14: the hub speaks neither TLS below 1.3 nor plain HTTP
Proves S15: a certificate is an agent's identity; an expired, foreign, revoked or misnamed certificate is refused
Proves X12: only services make delegations: a user's token, or a header that contradicts the body, is refused
"""
import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import time
import uuid

import hub as tools
from hub import BINARY, Hub, Scratch, Socket, check, message

PROFILE = {"dialect": "taskwire"}


def parlance(*words, env=None):
    done = subprocess.run([BINARY, *words], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **(env or {})})
    check(done.returncode == 0, f"parlance {words[:2]}: {done.returncode} {done.stdout}{done.stderr}")
    return done.stdout


class Proof:
    """A caller's proof of identity: a token, a certificate, both or nothing."""

    def __init__(self, token=None, cert=None):
        self.token = token
        self.cert = cert

    def headers(self):
        return {"Authorization": "Bearer " + self.token} if self.token else {}


class SecureHub(Hub):
    """A hub without --dev; its clients trust the hub's certificate authority."""

    def __init__(self, data, settings=None):
        super().__init__(data, settings)
        parlance("cert", "init", "--data", data)

    def launch(self, wrapper=(), env=None):
        with open(self.log, "ab") as log:
            words = [BINARY, "serve", "--data", self.data, "--listen", f"127.0.0.1:{self.port}"]
            self.process = subprocess.Popen([*words, *(["--config", self.config] if self.config else [])],
                                            stdout=log, stderr=log)
        self.starts += 1

    def file(self, name):
        return os.path.join(self.data, "identity", name)

    def context(self, proof):
        context = ssl.create_default_context(cafile=self.file("ca.pem"))
        if proof.cert:
            context.load_cert_chain(*proof.cert)
        return context

    def ask(self, method, path, body=None, headers=None, timeout=20, proof=Proof()):
        end = time.monotonic() + timeout
        while True:
            line = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout,
                                               context=self.context(proof))
            try:
                answer = tools.ask_on(line, method, path, body, {**proof.headers(), **(headers or {})})
            finally:
                line.close()
            if not tools.is_held_up(answer) or time.monotonic() > end:
                return answer
            time.sleep(0.1)

    def token(self, *words):
        made = json.loads(parlance("token", "mint", "--json", "--data", self.data, *words))
        return made["id"], Proof(token=made["token"])

    def certificate(self, agent, *words):
        made = json.loads(parlance("cert", "issue", "--json", "--data", self.data, "--agent", agent, *words))
        return Proof(cert=(made["certificate"], made["key"]))

    def socket(self, proof, **hello):
        return SecureSocket(self, proof, **hello)


class SecureSocket(Socket):
    """A WebSocket over TLS."""

    def __init__(self, hub, proof, agent=None, **hello):
        self.hub = hub
        self.proof = proof
        super().__init__(hub.port, agent, **hello)

    def dress(self, line):
        return self.hub.context(self.proof).wrap_socket(line, server_hostname="localhost")

    def headers(self):
        return "".join(f"{name}: {value}\r\n" for name, value in self.proof.headers().items())


def refusal(answer):
    return answer[0], answer[1].get("code") if isinstance(answer[1], dict) else answer[1]


def expect(answer, status, code=None):
    found = refusal(answer)
    check(found[0] == status and code in (None, found[1]), f"expected {status} {code}, got {answer}")


def is_turned_away(hub, proof):
    """Returns whether the TLS handshake refuses the certificate."""
    try:
        hub.ask("GET", "/healthz", proof=proof)
        return False
    except OSError:  # ssl.SSLError is an OSError.
        return True


def nothing_below_tls_1_3_is_spoken(scratch):
    """Proves S14: TLS 1.2 and plain HTTP get no answer."""
    hub = SecureHub(scratch + "/tls").start()
    try:
        old = ssl.create_default_context(cafile=hub.file("ca.pem"))
        old.maximum_version = ssl.TLSVersion.TLSv1_2
        line = http.client.HTTPSConnection("127.0.0.1", hub.port, timeout=20, context=old)
        try:
            line.request("GET", "/healthz")
            raise AssertionError("TLS 1.2 is spoken")
        except ssl.SSLError as error:
            check("version" in str(error).lower(), f"refused, and not for its version: {error}")
        try:
            Hub.ask(hub, "GET", "/healthz")
            raise AssertionError("plain HTTP is answered")
        except OSError:
            pass
        check(hub.ask("GET", "/healthz")[0] == 200, "TLS 1.3 is not spoken")
    finally:
        hub.kill()


def odd_certificate(hub, scratch, name, names):
    """Makes a certificate signed by the hub's authority, with names that no agent has."""
    base = os.path.join(scratch, name)
    with open(base + ".ext", "w") as file:
        file.write("extendedKeyUsage=clientAuth\n" + (f"subjectAltName={names}\n" if names else ""))
    for words in (
            ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
             "-subj", "/CN=planner", "-keyout", base + ".key", "-out", base + ".csr"],
            ["x509", "-req", "-in", base + ".csr", "-CA", hub.file("ca.pem"), "-CAkey", hub.file("ca.key"),
             "-set_serial", str(uuid.uuid4().int >> 8), "-days", "1", "-extfile", base + ".ext",
             "-out", base + ".pem"]):
        subprocess.run(["openssl", *words], check=True, capture_output=True, timeout=60)
    return Proof(cert=(base + ".pem", base + ".key"))


def a_certificate_is_an_identity_and_no_other(scratch):
    """Proves S15: the certificate's agent is the caller."""
    hub = SecureHub(scratch + "/certificates").start()
    other = SecureHub(scratch + "/other")
    try:
        planner = hub.certificate("planner")
        check(hub.ask("PUT", "/v1/agents/planner", PROFILE, proof=planner)[0] == 200, "planner is not planner")
        expect(hub.ask("PUT", "/v1/agents/coder", PROFILE, proof=planner), 403, "IDENTITY_MISMATCH")
        expect(hub.ask("GET", "/v1/hub", proof=planner), 403, "IDENTITY_ROLE_FORBIDDEN")
        expect(hub.ask("GET", "/v1/agents"), 401, "IDENTITY_REQUIRED")
        _, token = hub.token("--agent", "coder")
        expect(hub.ask("GET", "/v1/agents", proof=Proof(token.token, planner.cert)), 403, "IDENTITY_MISMATCH")

        foreign = other.certificate("planner")
        check(is_turned_away(hub, foreign), "a certificate of another authority is taken")

        brief = hub.certificate("brief", "--ttl", "2s")
        end = time.monotonic() + 20
        while not is_turned_away(hub, brief):
            check(time.monotonic() < end, "an expired certificate is taken")

        if shutil.which("openssl"):
            right = "URI:parlance://agent/planner"
            check(hub.ask("GET", "/v1/agents", proof=odd_certificate(hub, scratch, "right", right))[0] == 200,
                  "the tool that makes odd certificates makes only those")
            for number, names in enumerate((None, "DNS:planner", "URI:parlance://agent/", right + ",DNS:planner",
                                            right + ",URI:parlance://agent/coder", "URI:parlance://user/planner",
                                            "email:planner@example")):
                odd = odd_certificate(hub, scratch, f"odd{number}", names)
                expect(hub.ask("GET", "/v1/agents", proof=odd), 401, "IDENTITY_REQUIRED")

        socket = hub.socket(planner)
        parlance("cert", "revoke", "planner", "--data", hub.data)
        expect(hub.ask("GET", "/v1/agents", proof=planner), 401, "IDENTITY_REQUIRED")
        check(ends_as_nobody(socket), "a connection outlives its certificate")
    finally:
        hub.kill()


def ends_as_nobody(socket):
    heard = ""
    try:
        while True:
            heard += json.dumps(socket.hear())
    except OSError as error:
        return "IDENTITY_REQUIRED" in heard and "closed 1008" in str(error)


def each_token_opens_its_own_routes(scratch):
    """Proves I1: each kind of token opens only its routes, and a revocation acts on the next request."""
    hub = SecureHub(scratch + "/tokens").start()
    try:
        agent_id, agent = hub.token("--agent", "planner", "--user", "u1")
        _, viewer = hub.token("--operator", "vic", "--role", "viewer")
        _, operator = hub.token("--operator", "olga")
        _, user = hub.token("--user", "u1")
        for proof, method, path, status in (
                (agent, "GET", "/v1/agents", 200), (agent, "GET", "/v1/hub", 403),
                (agent, "GET", "/metrics", 403), (agent, "GET", "/v1/events", 403),
                (viewer, "GET", "/v1/hub", 200), (viewer, "GET", "/metrics", 200),
                (viewer, "POST", "/v1/messages", 403), (viewer, "GET", "/v1/agents/planner/inbox", 403),
                (operator, "GET", "/v1/hub", 200), (operator, "DELETE", "/v1/agents/nobody", 404),
                (user, "GET", "/v1/agents", 403), (user, "GET", "/v1/hub", 403),
                (user, "POST", "/v1/messages", 403), (user, "POST", "/v1/delegations", 403),
                (user, "GET", "/healthz", 200), (Proof(), "GET", "/readyz", 200),
                (Proof(), "GET", "/v1/agents", 401), (Proof("plt1.x.y"), "GET", "/v1/agents", 401)):
            expect(hub.ask(method, path, {} if method == "POST" else None, proof=proof), status)

        _, brief = hub.token("--operator", "olga", "--ttl", "1s")
        end = time.monotonic() + 20
        while hub.ask("GET", "/v1/hub", proof=brief)[0] == 200:
            check(time.monotonic() < end, "a token outlives its time")

        hub.ask("PUT", "/v1/agents/planner", PROFILE, proof=agent)
        socket = hub.socket(agent)
        parlance("token", "revoke", agent_id, "--data", hub.data)
        expect(hub.ask("GET", "/v1/agents", proof=agent), 401, "IDENTITY_REQUIRED")
        check(ends_as_nobody(socket), "a connection outlives its token")

        # Tokens and revocations survive a restart of the hub.
        check(hub.stop() == 0, "no clean stop")
        hub.start()
        expect(hub.ask("GET", "/v1/agents", proof=agent), 401, "IDENTITY_REQUIRED")
        check(hub.ask("GET", "/v1/hub", proof=viewer)[0] == 200, "a token did not outlive a restart")
    finally:
        hub.kill()


def nobody_speaks_as_another(scratch):
    """Proves I1, X12: an agent that claims to be another agent is refused, and the refusal is on record."""
    hub = SecureHub(scratch + "/another").start()
    try:
        _, alice = hub.token("--agent", "alice")
        _, mallory = hub.token("--agent", "mallory")
        _, olga = hub.token("--operator", "olga", "--role", "admin")
        for name in ("alice", "worker"):
            hub.ask("PUT", f"/v1/agents/{name}", PROFILE, proof=olga)
        delegation = {"request_id": str(uuid.uuid4()), "target_employee": "worker", "objective": "look",
                      "input": "x", "parent_session_id": "s1", "user_id": "u1"}
        attempts = (
            ("POST", "/v1/messages", message("alice", 1), {}),
            ("GET", "/v1/agents/alice/inbox", None, {}),
            ("PUT", "/v1/agents/alice", PROFILE, {}),
            ("DELETE", "/v1/agents/alice", None, {}),
            ("POST", "/v1/agents/alice/heartbeat", None, {}),
            ("PUT", "/v1/topics/t/subscribers/alice", None, {}),
            ("GET", "/v1/dead-letters?agent=alice", None, {}),
            ("POST", "/v1/delegations", {**delegation, "origin_employee": "alice"}, {}),
            ("POST", "/v1/delegations", delegation, {"X-Agent-Origin": "alice"}),
            ("POST", "/v1/delegations", {**delegation, "origin_employee": "mallory"}, {"X-Agent-Origin": "alice"}),
            ("GET", "/v1/agents", None, {"Parlance-Agent": "alice"}))
        for method, path, body, headers in attempts:
            expect(hub.ask(method, path, body, headers, proof=mallory), 403, "IDENTITY_MISMATCH")
        try:
            hub.socket(mallory, agent="alice")
            raise AssertionError("mallory is welcomed as alice")
        except OSError as error:
            check("IDENTITY_MISMATCH" in str(error), str(error))
        hub.ask("PUT", "/v1/agents/mallory", PROFILE, proof=mallory)
        socket = hub.socket(mallory)
        socket.say({"send": [message("alice", 2)]})
        check(socket.hear()["refused"][0]["code"] == "IDENTITY_MISMATCH", "a frame speaks as another")
        for headers in ({}, {"Authorization": "Bearer x"}):
            try:
                hub.socket(Proof(headers and "x"), agent="alice")
                raise AssertionError("nobody is welcomed")
            except OSError as error:
                check(" 401 " in str(error), str(error))

        _, waiting = hub.ask("GET", "/v1/agents/worker/inbox?max=10", proof=olga)
        check(waiting["messages"] == [], f"something came of it: {waiting}")
        _, record = hub.ask("GET", "/v1/events?from=1&follow=false", proof=olga)
        blamed = [line for line in record.splitlines() if "IDENTITY_MISMATCH" in line]
        check(len(blamed) == len(attempts) + 2, f"{len(blamed)} are on record")
        check(all('"from":"mallory"' in line for line in blamed), f"somebody else is blamed: {blamed}")

        expect(hub.ask("POST", "/v1/messages", message("alice", 1), proof=alice), 202)
    finally:
        hub.kill()


def what_was_revoked_stays_so_over_a_restart(scratch):
    """Proves S15: while the hub cannot read the list of revoked certificates, every certificate is refused."""
    hub = SecureHub(scratch + "/damaged").start()
    try:
        planner, coder = hub.certificate("planner"), hub.certificate("coder")
        parlance("cert", "revoke", "planner", "--data", hub.data)
        with open(hub.file("certificates.json")) as file:
            book = file.read()
        hub.kill()
        with open(hub.file("certificates.json"), "w") as file:
            file.write(book[:-4])
        hub.start()
        for proof in (planner, coder):
            expect(hub.ask("GET", "/v1/agents", proof=proof), 401, "IDENTITY_REQUIRED")
        with open(hub.log) as log:
            check("nobody comes in by a certificate" in log.read(), "the log does not say it")
        with open(hub.file("certificates.json"), "w") as file:
            file.write(book)
        expect(hub.ask("GET", "/v1/agents", proof=planner), 401, "IDENTITY_REQUIRED")
        expect(hub.ask("GET", "/v1/agents", proof=coder), 200)
    finally:
        hub.kill()


def what_is_anothers_is_not_there_and_that_is_on_record(scratch):
    """Proves I1, X13: a read of another caller's conversation is answered like a read of an unknown one, and is on record."""
    hub = SecureHub(scratch + "/conversation").start()
    try:
        _, alice = hub.token("--agent", "alice")
        _, mallory = hub.token("--agent", "mallory")
        _, olga = hub.token("--operator", "olga", "--role", "admin")
        for name in ("alice", "worker"):
            hub.ask("PUT", f"/v1/agents/{name}", PROFILE, proof=olga)
        status, sent = hub.ask("POST", "/v1/messages", message("alice", 1), proof=alice)
        check(status == 202, f"{status} {sent}")
        name = sent["correlation_id"]
        paths = ("", "/messages", "/timeline")
        for path in paths:
            check(hub.ask("GET", f"/v1/correlations/{name}{path}", proof=alice)[0] == 200, "alice may not see her own")
            one = hub.ask("GET", f"/v1/correlations/{name}{path}", proof=mallory)
            none = hub.ask("GET", f"/v1/correlations/none{path}", proof=mallory)
            expect(one, 404, "CORRELATION_NOT_FOUND")
            check(json.dumps(one[1]).replace(name, "none") == json.dumps(none[1]), f"{one} is not {none}")
        _, record = hub.ask("GET", "/v1/events?from=1&follow=false", proof=olga)
        told = [line for line in record.splitlines() if "may not see conversation" in line]
        check(len(told) == len(paths) and all('"from":"mallory"' in line for line in told), f"{told}")

        for host, status in (("evil.example", 403), (f"localhost:{hub.port}", 200), ("10.1.2.3", 200)):
            expect(hub.ask("GET", "/v1/hub", headers={"Host": host}, proof=olga), status)
    finally:
        hub.kill()


def secrets_stay_secret(scratch):
    hub = SecureHub(scratch + "/secrets").start()
    try:
        _, olga = hub.token("--operator", "olga")
        url = f"https://127.0.0.1:{hub.port}"
        shown = parlance("agents", "--url", url, "--ca", hub.file("ca.pem"), env={"PARLANCE_TOKEN": olga.token})
        check("No agent" in shown, shown)
        token_file = os.path.join(scratch, "token")
        with open(token_file, "w") as file:
            file.write(olga.token + "\n")
        parlance("agents", "--url", url, "--ca", hub.file("ca.pem"), "--token-file", token_file)

        # A token on the command line is erased from the process list after the program has read the token.
        _, x = hub.token("--agent", "x")
        words = [BINARY, "listen", "--register", "--url", url, "--ca", hub.file("ca.pem"), "--as", "x", "--token"]
        listener = subprocess.Popen([*words, x.token], stdout=subprocess.DEVNULL)
        try:
            end = time.monotonic() + 20
            while hub.ask("GET", "/v1/agents/x", proof=olga)[0] != 200:
                check(time.monotonic() < end, "nobody listens")
            with open(f"/proc/{listener.pid}/cmdline", "rb") as file:
                shown = file.read()
            check(b"--token" in shown and x.token.encode() not in shown, f"its words are {shown}")
        finally:
            listener.terminate()
            listener.wait(20)
        said = subprocess.run([*words, olga.token], capture_output=True, text=True, timeout=20)
        check("IDENTITY_ROLE_FORBIDDEN" in said.stderr and olga.token not in said.stderr + said.stdout, said.stderr)
        hub.ask("GET", "/v1/hub", proof=Proof(olga.token + "x"))
        check(hub.stop() == 0, "no clean stop")
        for folder, _, names in os.walk(scratch + "/secrets"):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    check(olga.token.encode() not in file.read(), f"the token is in {name}")
        check(olga.token not in hub.last_words(), "the token is in the log")
        for name in os.listdir(hub.file("")):
            check(os.stat(hub.file(name)).st_mode & 0o077 == 0, f"others may read {name}")
    finally:
        hub.kill()


def the_hub_listens_beyond_loopback_with_tls_only(scratch):
    port = tools.free_port()
    words = [BINARY, "serve", "--data", scratch + "/beyond", "--listen", f"0.0.0.0:{port}"]
    refused = subprocess.run(words, capture_output=True, text=True, timeout=20)
    check(refused.returncode != 0 and "cert init" in refused.stderr, refused.stderr)
    check(not os.path.exists(scratch + "/beyond"), "it made data all the same")
    dev = subprocess.run([*words, "--dev"], capture_output=True, text=True, timeout=20)
    check(dev.returncode != 0 and "loopback" in dev.stderr, dev.stderr)
    hub = SecureHub(scratch + "/beyond")
    hub.port = port
    with open(hub.log, "ab") as log:
        hub.process = subprocess.Popen(words, stdout=log, stderr=log)
    try:
        check(hub.is_up(20), hub.last_words())
    finally:
        hub.kill()


def shown_certificate(hub):
    with hub.context(Proof()).wrap_socket(socket.create_connection(("127.0.0.1", hub.port), timeout=20),
                                          server_hostname="localhost") as line:
        return line.getpeercert(binary_form=True)


def shows_another(hub, before):
    end = time.monotonic() + 20
    while shown_certificate(hub) == before:
        check(time.monotonic() < end, "the certificate of before is still shown")
        time.sleep(0.02)
    return shown_certificate(hub)


def a_renewed_certificate_is_shown_without_a_restart(scratch):
    """Proves S14: the hub reads its certificate again when the file changes or at SIGHUP, and keeps open connections."""
    hub = SecureHub(scratch + "/renewed").start()
    try:
        _, planner = hub.token("--agent", "planner")
        line = hub.socket(planner, agent="planner", register=PROFILE)
        first = shown_certificate(hub)
        parlance("cert", "init", "--data", hub.data)
        second = shows_another(hub, first)
        # An unusable certificate file changes nothing.
        good = open(hub.file("hub.pem")).read()
        with open(hub.file("hub.pem"), "w") as file:
            file.write("no certificate")
        hub.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 20
        while "stays" not in hub.last_words():
            check(time.monotonic() < end, f"it was not read: {hub.last_words()}")
            time.sleep(0.02)
        check(shown_certificate(hub) == second, "the certificate of before is shown no more")
        with open(hub.file("hub.pem"), "w") as file:
            file.write(good)
        parlance("cert", "init", "--data", hub.data)
        hub.process.send_signal(signal.SIGHUP)
        shows_another(hub, second)
        line.say({"send": [message("planner", 1, to="planner")]})
        check("accepted" in line.hear(), "who was connected is not any more")
        line.close()
    finally:
        hub.kill()


def main():
    with Scratch() as scratch:
        for story in (nothing_below_tls_1_3_is_spoken, a_certificate_is_an_identity_and_no_other,
                      each_token_opens_its_own_routes, nobody_speaks_as_another,
                      what_was_revoked_stays_so_over_a_restart,
                      what_is_anothers_is_not_there_and_that_is_on_record, secrets_stay_secret,
                      the_hub_listens_beyond_loopback_with_tls_only,
                      a_renewed_certificate_is_shown_without_a_restart):
            story(scratch)
            print(f"ok: {story.__name__.replace('_', ' ')}", flush=True)


if __name__ == "__main__":
    main()
