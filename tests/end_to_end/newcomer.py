"""Does what README.md says, word for word, and sees what it says one sees.

Every line of a code block that begins with `$ ` is a command; the lines below it, up to the next command, are
what it prints, where `…` stands for anything. A command that ends in `&`, or whose output comes only later, is left
running, and the next block without a command is what the oldest such one prints. Only the port differs.
What stands above the first heading is pasted at once: a command that ends in `&` is not waited for.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

from hub import BINARY, Scratch, check, free_port, skip

README = pathlib.Path(__file__).resolve().parent.parent.parent / "README.md"
PORT = "7420"
SECONDS = 60


def screens(text):
    """The code blocks that hold a conversation, as lists of (command or None, the lines it prints)."""
    for block in re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        steps = []
        for line in re.sub(r"\\\n\s*", "", block).splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            elif steps:
                steps[-1][1].append(line)
            elif line.startswith("{"):
                steps.append((None, [line]))
            else:
                break  # A picture, or a list of commands for somebody who builds.
        yield from steps


class Terminal:
    """One command, and what it has printed so far."""

    def __init__(self, command, where, env):
        self.command = command
        self.printed = ""
        self.process = subprocess.Popen(["bash", "-c", command], cwd=where, env=env, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, start_new_session=True)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.printed += line

    def prints(self, lines):
        """Waits until it has printed the lines: what stands between two `…` must be there, in order."""
        wanted = "".join(lines)
        parts = [part for part in re.split("…", re.sub(r"\s+", "", wanted)) if part]
        pattern = re.compile(".*?".join(re.escape(masked(part)) for part in parts), re.DOTALL)
        end = time.monotonic() + SECONDS
        while not pattern.search(masked(re.sub(r"\s+", "", self.printed))):
            check(time.monotonic() < end,
                  f"`{self.command}` should print\n{wanted}\nand prints\n{self.printed}")
            time.sleep(0.01)

    def end(self):
        """Interrupts it, if it still runs, as a newcomer would."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
        try:
            self.process.wait(SECONDS)
        finally:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
            self.reader.join(SECONDS)
            self.process.stdout.close()


# What differs from run to run: ids, hashes, times, durations and what shared a sync.
VOLATILE = (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", r"(?<=chain)[0-9a-f]{64}",
            r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", r"readin[\d.]+[mµ]?s",
            r"in\d+batch(es)?")


def masked(text):
    for pattern in VOLATILE:
        text = re.sub(pattern, "∙", text)
    return text


def await_listening(port):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", int(port))) == 0:
                return
        time.sleep(0.01)
    raise AssertionError("the hub of the README does not come up")


def await_agent(name, env):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        done = subprocess.run([BINARY, "agents", "--json"], env=env, capture_output=True, text=True,
                              timeout=SECONDS)
        agents = [json.loads(line) for line in done.stdout.splitlines()]
        if any(agent["agent"] == name and agent["instances"] for agent in agents):
            return
        time.sleep(0.01)
    raise AssertionError(f"the agent '{name}' of the README does not come up")


class Newcomer:
    def __init__(self, scratch):
        self.port = str(free_port())
        tools = os.path.join(scratch, "bin")
        self.home = os.path.join(scratch, "home")
        os.mkdir(tools)
        os.mkdir(self.home)
        os.symlink(os.path.abspath(BINARY), os.path.join(tools, "parlance"))
        self.env = {**os.environ, "PATH": tools + ":" + os.environ["PATH"],
                    "PARLANCE_HUB": f"127.0.0.1:{self.port}"}
        self.open = []  # Terminals, oldest first.
        self.silent = []  # Those of them whose output the README shows later.
        self.ids = {}  # Delivery ids of the README, and what they are here.

    def translate(self, command):
        for told, real in self.ids.items():
            command = command.replace(told, real)
        command = command.removesuffix("&").strip().replace(PORT, self.port)
        return command.replace("serve --dev", f"serve --dev --listen 127.0.0.1:{self.port}")

    def type(self, command, lines, is_pasted):
        terminal = Terminal(self.translate(command), self.home, self.env)
        self.open.append(terminal)
        if is_pasted and command.endswith("&"):
            return
        if lines:
            self.sees(terminal, lines)
        if "serve --dev" in command:
            return await_listening(self.port)
        if named := re.search(r"(?:agent exec|listen) .*--as (\S+)", command):
            return await_agent(named[1], self.env)
        if lines:
            check(terminal.process.wait(SECONDS) in (0, 1), f"`{command}` ended badly")
            return
        self.silent.append(terminal)
        if polling := re.search(r"/v1/agents/([^/]+)/inbox", command):
            await_agent(polling[1], self.env)

    def sees(self, terminal, lines):
        told = re.search(r'"delivery_id":"([\d.]+)"', "".join(lines))
        text = [re.sub(r'("delivery_id":")[\d.]+', r"\1…", line.replace(PORT, self.port)) for line in lines]
        terminal.prints(text)
        if told:
            self.ids[told[1]] = re.search(r'"delivery_id":"([\d.]+)"', terminal.printed)[1]

    def follow(self, steps, is_pasted):
        for command, lines in steps:
            lines = [line for line in lines if line.strip()]
            if command:
                self.type(command, lines, is_pasted)
            else:
                self.sees(self.silent.pop(0), lines)
            print(f"ok: {command or lines[0][:60]}", flush=True)

    def leave(self):
        for terminal in reversed(self.open):
            terminal.end()


def commands_in(text):
    return [command for command, _ in screens(text) if command]


def main():
    if not shutil.which("curl"):
        skip("there is no curl here")
    text = README.read_text()
    check(len(commands_in(text)) >= 8, f"README shows few commands: {commands_in(text)}")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)
    for section in sections:
        if not commands_in(section):
            continue
        with Scratch() as scratch:
            newcomer = Newcomer(scratch)
            try:
                newcomer.follow(screens(section), is_pasted=section is sections[0])
            finally:
                newcomer.leave()


if __name__ == "__main__":
    main()
