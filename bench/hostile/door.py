#!/usr/bin/env python3
"""Measures how long a hub takes for hostile texts of one megabyte.

Starts a hub on loopback, posts each text of parlance_hostile_texts to /v1/messages, and takes accepted messages from
the inbox of an agent with another dialect, with personal data redacted. Prints the slowest texts first, in
milliseconds. Each figure is the minimum over the rounds, because load on the machine only adds time. An answer may
take at most 50 ms.

    bench/hostile/door.py build/release [--rounds 3] [--rows 20]
"""
import argparse
import http.client
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EVERY = ["taskwire", "kessel", "delegation", "sam", "correlation"]


def texts(build, scratch):
    """Yields (name, text, schema of the requested capability) for each hostile text."""
    subprocess.run([build / "bench/hostile/parlance_hostile_texts", scratch], check=True)
    for kind in ("request", "person", "stranger", "block"):
        for path in sorted((scratch / kind).iterdir()):
            yield f"{path.name} ({kind})", path.read_bytes(), None
    for path in sorted((scratch / "instance").iterdir()):
        schema = json.loads((scratch / "schema" / path.name).read_bytes())
        yield f"{path.name} (schema)", request(path.read_bytes()), {"properties": {"a": schema}}


def request(instance):
    return (b'{"source_agent":"a","target_agent":"b","capability_code":"c",'
            b'"request_id":"550e8400-e29b-41d4-a716-446655440000","inputs_json":{"a":' + instance + b"}}")


def timed(line, method, path, body=None):
    """Returns the milliseconds from the first byte sent to the last byte received, the status and the answer."""
    begin = time.perf_counter()
    line.request(method, path, body)
    answer = line.getresponse()
    text = answer.read()
    return (time.perf_counter() - begin) * 1000, answer.status, text


def register(line, reader, schema):
    capability = {"code": "c", **({"input_schema": schema} if schema else {})}
    for agent, dialect in (("a", "kessel"), ("b", reader)):
        _, status, text = timed(line, "PUT", f"/v1/agents/{agent}",
                                json.dumps({"dialect": dialect, "capabilities": [capability]}))
        if status != 200:
            sys.exit(f"{agent} cannot register: {status} {text[:500]}")


def measure(line, text, number):
    """Measures one text: the time to the answer, the time to the delivery, and the status of the answer."""
    fresh = text.replace(b"550e8400-e29b-41d4-a716-446655440000", b"550e8400-e29b-41d4-a716-%012d" % number)
    asked, status, _ = timed(line, "POST", "/v1/messages", fresh)
    if status != 202:
        return asked, 0, status
    handed, _, inbox = timed(line, "GET", "/v1/agents/b/inbox?max=1")
    for item in json.loads(inbox)["messages"]:
        timed(line, "POST", f"/v1/deliveries/{item['delivery_id']}/ack")
    return asked, handed, status


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--rows", type=int, default=20)
    asked = arguments.parse_args()
    build = asked.build.resolve()
    os.environ["PARLANCE_BINARY"] = str(build / "src/app/parlance")
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(ROOT / "tests/end_to_end"))
    from hub import Hub, Scratch

    rows = []
    with Scratch() as scratch:
        hub = Hub(scratch + "/data", settings=f"[personal]\ndialects = {json.dumps(EVERY)}\n").start()
        try:
            for number, (name, text, schema) in enumerate(texts(build, pathlib.Path(scratch, "texts"))):
                # Each text gets a new connection, because the hub closes the connection after some refusals.
                line = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=60)
                register(line, EVERY[number % len(EVERY)] if schema is None else "kessel", schema)
                try:
                    rounds = [measure(line, text, number * 1000 + each) for each in range(asked.rounds)]
                except (OSError, http.client.HTTPException) as error:
                    sys.exit(f"{name}: {error!r}; the hub {'runs' if hub.process.poll() is None else 'has ended'}\n"
                             f"{hub.last_words()}")
                rows.append((min(row[0] for row in rounds), min(row[1] for row in rounds), rounds[0][2], name))
                line.close()
        finally:
            hub.kill()
    print(f"{len(rows)} texts, the least of {asked.rounds} rounds; milliseconds to be answered, and to be handed over")
    for answered, handed, status, name in sorted(rows, key=lambda row: -max(row[:2]))[:asked.rows]:
        print(f"{answered:8.1f} {handed:8.1f}  {status}  {name}")


if __name__ == "__main__":
    main()
