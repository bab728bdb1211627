"""Runs the commands of README.md and docs/tutorials/ word for word, and compares what the commands print.

In a code block, a line that begins with `$ ` is a command. The lines below a command, up to the next command, are the
command's output, where `…` stands for any text. A command that ends in `&`, or whose output the page shows later, goes on
running; the next block without a command is the output of the oldest such command. Only the port differs. A block
that follows "Save this as `NAME`:" is written to that file.

Each section of README.md has a hub of its own, and so has each tutorial as a whole. The part of README.md above the
first heading is pasted at once: a command that ends in `&` is not waited for.
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

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
README = ROOT / "README.md"
TUTORIALS = sorted((ROOT / "docs/tutorials").glob("*.md"))
PORT = "7420"
SECONDS = 60


def screens(text):
    """The code blocks that hold a conversation, as lists of (command or None, the lines it prints)."""
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if language:
            continue
        steps = []
        for line in re.sub(r"\\\n\s*", "", block).splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            elif steps:
                steps[-1][1].append(line)
            elif line.startswith("{"):
                steps.append((None, [line]))
            else:
                break  # The block has no commands to run.
        yield from steps


def saved_files(text):
    """The files that a page asks its reader to save, as (name, content)."""
    return re.findall(r"\bSave\s+this\s+as\s+`([\w.-]+)`:\n\n```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


class Terminal:
    """One command, and what the command has printed so far."""

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

    def has_printed(self, lines):
        """Whether the output contains the lines: the parts between two `…`, in order."""
        parts = [part for part in re.split("…", re.sub(r"\s+", "", "".join(lines))) if part]
        pattern = re.compile(".*?".join(re.escape(masked(part)) for part in parts), re.DOTALL)
        return pattern.search(masked(re.sub(r"\s+", "", self.printed)))

    def prints(self, lines):
        """Waits for the lines; false if the command has ended without them."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            is_over = not self.reader.is_alive()
            if self.has_printed(lines):
                return True
            if is_over:
                return False
            time.sleep(0.01)
        return False

    def end(self):
        """Interrupts the command, if the command still runs."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
        try:
            self.process.wait(SECONDS)
        finally:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
            self.reader.join(SECONDS)
            self.process.stdout.close()


# Output that differs between runs: ids, hashes, times, durations and the number of batches.
VOLATILE = (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", r"(?<=chain)[0-9a-f]{64}",
            r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", r"readin[\d.]+[mµ]?s",
            r"in\d+batch(es)?", r"\d+\.[a-z0-9]{8}(?=waiting|approve)")

# Ids that the reader of a page copies from an output into a later command.
COPIED = (r'"delivery_id":"([\d.]+)"', r"\b(\d+\.[a-z0-9]{8})\s+waiting")

# Commands that only look: a reader who comes too early looks again.
LOOKS = re.compile(r"parlance (agents|human list|workflow show)\b")


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
    raise AssertionError("the hub of the page does not come up")


def await_agent(name, env):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        done = subprocess.run([BINARY, "agents", "--json"], env=env, capture_output=True, text=True,
                              timeout=SECONDS)
        agents = [json.loads(line) for line in done.stdout.splitlines()]
        if any(agent["agent"] == name and agent["instances"] for agent in agents):
            return
        time.sleep(0.01)
    raise AssertionError(f"the agent '{name}' of the page does not come up")


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
        self.silent = []  # Those of them whose output the page shows later.
        self.ids = {}  # Ids of the page, and what they are here.

    def translate(self, command):
        for told, real in self.ids.items():
            command = command.replace(told, real)
        command = command.removesuffix("&").strip().replace(PORT, self.port)
        return command.replace("serve --dev", f"serve --dev --listen 127.0.0.1:{self.port}")

    def start(self, command):
        self.open.append(Terminal(self.translate(command), self.home, self.env))
        return self.open[-1]

    def type(self, command, lines, is_pasted):
        terminal = self.start(command)
        if is_pasted and command.endswith("&"):
            return
        if lines:
            end = time.monotonic() + SECONDS
            while not self.sees(terminal, lines):
                check(LOOKS.match(command) and time.monotonic() < end, self.mismatch(terminal, lines))
                time.sleep(0.1)
                terminal = self.start(command)
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
        """Whether the terminal shows the lines, where copied ids may differ."""
        text = "\n".join(lines).replace(PORT, self.port)
        masked_text = re.sub(r'("delivery_id":")[\d.]+', r"\1…", text)
        if not terminal.prints([masked_text]):
            return False
        for pattern in COPIED:
            self.ids.update(zip(re.findall(pattern, text), re.findall(pattern, terminal.printed)))
        return True

    @staticmethod
    def mismatch(terminal, lines):
        wanted = "\n".join(lines)
        return f"`{terminal.command}` should print\n{wanted}\nand prints\n{terminal.printed}"

    def follow(self, steps, is_pasted):
        for command, lines in steps:
            lines = [line for line in lines if line.strip()]
            if command:
                self.type(command, lines, is_pasted)
            else:
                terminal = self.silent.pop(0)
                check(self.sees(terminal, lines), self.mismatch(terminal, lines))
            print(f"ok: {command or lines[0][:60]}", flush=True)

    def leave(self):
        for terminal in reversed(self.open):
            terminal.end()


def commands_in(text):
    return [command for command, _ in screens(text) if command]


def live(text, is_pasted=False):
    """Follows a text from an empty directory to its end."""
    with Scratch() as scratch:
        newcomer = Newcomer(scratch)
        for name, content in saved_files(text):
            pathlib.Path(newcomer.home, name).write_text(content)
        try:
            newcomer.follow(screens(text), is_pasted)
        finally:
            newcomer.leave()


def main():
    if not shutil.which("curl"):
        skip("there is no curl here")
    text = README.read_text()
    check(len(commands_in(text)) >= 8, f"README shows few commands: {commands_in(text)}")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)
    for section in sections:
        if commands_in(section):
            live(section, is_pasted=section is sections[0])
    for page in TUTORIALS:
        print(f"-- {page.name}", flush=True)
        check(len(commands_in(page.read_text())) >= 5, f"{page.name} shows few commands")
        live(page.read_text())


if __name__ == "__main__":
    main()
