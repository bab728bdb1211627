#!/usr/bin/env python3
"""Compares the documents with the tables in the code that the documents describe.

Every setting, metric, route, policy rule, event, WebSocket verb and command has a heading of its own in
docs/reference/, and no heading names one that does not exist. A route's entry names its callers, a rule's entry its
default and its scopes. docs/generated/refusals.md is what src/model/refusal.h says; --write writes the page anew. Every
link leads to a file and a heading, every source file that a page names exists, and no line is longer than 120 columns.
"""
import argparse
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLANK = re.compile(r"\{[^}]*\}")
COLUMNS = 120
REFUSALS = "docs/generated/refusals.md"


def read(name):
    return (ROOT / name).read_text()


def headings(name, level=3):
    """The code spans of a page's headings: '### `a`, `b`' names two entries."""
    for line in re.findall(rf"^{'#' * level} (`.*)$", read(name), re.MULTILINE):
        yield from re.findall(r"`([^`]*)`", line)


def differences(kind, code, name, document):
    for entry in sorted(code - document):
        yield f"{name}: {kind} {entry} has no heading"
    for entry in sorted(document - code):
        yield f"{name}: there is no {kind} {entry}"


def settings():
    source = read("src/app/config.cc")
    code = {f"{section}.{key}" for section, key in re.findall(r'Key\{\s*"(\w+)",\s*"(\w+)"', source)}
    code |= {f"people.ROLE.{key}" for key in re.findall(r'RoleKey\{\s*"(\w+)",\s*"', source)}
    code |= {f"mail.{key}" for key in re.findall(r'MailKey\{\s*"(\w+)"', source)}
    code -= {f"{key}.{meaning}" for key, meaning in re.findall(r'RoleKey\{\s*"(\w+)",\s*"(\w+)"', source)}
    # Settings that are read by a function of their own.
    for section, reader in (("personal", "read_personal"), ("people", "read_people"), ("mail", "read_mail")):
        body = re.search(rf"^Result<void> {reader}\(.*?^}}", source, re.MULTILINE | re.DOTALL)[0]
        code |= {f"{section}.{key}" for key in re.findall(r'\bname == "(\w+)"', body)}
    code |= {f"{section}.{key}" for section, key
             in re.findall(r'section\.str\(\) == "(\w+)" && name\.str\(\) == "(\w+)"', source)}
    name = "docs/reference/configuration.md"
    return differences("setting", code, name, set(headings(name)))


def metrics():
    code = set(re.findall(r'"(parlance_\w+)"', read("src/gateway/health.cc")))
    name = "docs/reference/metrics.md"
    return differences("metric", code, name, set(headings(name)))


CALLERS = {
    "kAgents": "agents, not operators", "kWorkers": "agents", "kWatchers": "watchers", "kInsiders": "insiders",
    "kOperators": "operators", "kAdmins": "admins", "kWorkers | kUsers": "agents and users",
    "kIdentified": "insiders and users", "kAnyone": "everybody",
}


def entries(name):
    """The entries of a page: what stands in a heading, and the text below the heading."""
    for heading, text in re.findall(r"^### `([^`]*)`$(.*?)(?=^#|\Z)", read(name), re.MULTILINE | re.DOTALL):
        yield heading, " ".join(text.split())


def routes():
    rows = re.findall(r'Route\{\s*"([A-Z]+)",\s*"([^"]+)",\s*\w+,\s*([\w |]+),', read("src/gateway/route_table.h"))
    code = {f"{method} {BLANK.sub('{}', path)}": who for method, path, who in rows}
    name = "docs/reference/http.md"
    document = {BLANK.sub("{}", heading): text for heading, text in entries(name)}
    yield from differences("route", set(code), name, {heading for heading in document if " /" in heading})
    for route, who in code.items():
        if not document.get(route, "").startswith(f"Callers: {CALLERS[who]}."):
            yield f"{name}: the callers of {route} are {CALLERS[who]}"


SCOPES = {
    "kOfTheHub": "Scope: hub.", "kOfUsers": "Scopes: hub, user.", "kOfAgents": "Scopes: hub, platform, agent.",
    "kOfChains": "Scopes: hub, platform, agent, chain.",
    "kOfRequests": "Scopes: hub, platform, agent, capability, user.",
}


def rules():
    rows = re.findall(r'\{Rule::\w+, "(\w+)", ([^,]+), [^,]+, [^,]+, (\w+),', read("src/model/policy.h"))
    name = "docs/reference/policy.md"
    document = dict(entries(name))
    yield from differences("rule", {rule for rule, _, _ in rows}, name, set(document))
    for rule, preset, scopes in rows:
        default = "Default 7 days" if preset == "kWeekMs" else f"Default `{preset}`".replace("'", "")
        for words in (default, SCOPES[scopes]):
            if words not in document.get(rule, ""):
                yield f"{name}: the entry of {rule} does not say '{words}'"


def events():
    listed = re.search(r"^using Event = std::variant<(.*?)>;", read("src/model/event.h"), re.MULTILINE | re.DOTALL)[1]
    name = "docs/reference/events.md"
    return differences("event", set(re.findall(r"\w+", listed)), name, set(headings(name)))


def verbs():
    code = set(re.findall(r'(?:Verb|Word k\w+)\{"(\w+)"', read("src/gateway/verb_table.h")))
    name = "docs/reference/websocket.md"
    return differences("verb", code, name, set(headings(name)))


def commands():
    code = {word for path in (ROOT / "src/app/cli").glob("*.cc") if not path.stem.endswith("_test")
            for word in re.findall(r'\badd_verb\(\s*app,\s*\{\s*"([\w-]+)"', path.read_text())}
    name = "docs/reference/cli.md"
    return differences("command", code, name, {entry.split(" ")[0] for entry in headings(name)})


def refusals():
    """The page that lists every refusal."""
    rows = re.findall(r'RefusalRow\{Refusal::\w+,\s*"(\w+)",\s*(\d+),\s*(true|false),\s*"((?:[^"\\]|\\.)*)"\}',
                      read("src/model/refusal.h"))
    out = ["# Refusals", "",
           "Written by `tools/check_docs.py --write` from `src/model/refusal.h`; the test `docs` compares them.", "",
           "Every refusal has a stable code, an HTTP status, and advice for the caller. A retryable refusal may succeed",
           "later with the same bytes, and its answer has the header `Retry-After`.", ""]
    for code, status, retryable, advice in sorted(rows):
        kind = "retryable" if retryable == "true" else "not retryable"
        out += [f"## `{code}`", "", f"{status}, {kind}.", "", json.loads(f'"{advice}"'), ""]
    return "\n".join(out)


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    for heading in re.findall(r"^#{1,6} (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL),
                              re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def links():
    pages = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
    for path in pages:
        text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
        for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", text):
            is_measured = target.startswith("bench/")  # Written by a measurement, not by hand.
            page = path.parent / target if target else path
            if not is_measured and not page.exists():
                yield f"{path.relative_to(ROOT)}: {target} leads nowhere"
            elif anchor and page.suffix == ".md" and anchor not in anchors(page.read_text()):
                yield f"{path.relative_to(ROOT)}: {target}#{anchor} leads nowhere"


def long_lines():
    for path in sorted([ROOT / "ARCHITECTURE.md", *ROOT.glob("docs/**/*.md")]):
        if path.parent.name == "generated":
            continue  # Rows of tables, as long as the tables of the code make them.
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if len(line) > COLUMNS:
                yield f"{path.relative_to(ROOT)}:{number}: {len(line)} columns; at most {COLUMNS}"


def source_paths():
    """A file that a page names in backticks, such as `core/react.cc`, exists."""
    folders = [path.name for path in [*ROOT.iterdir(), *(ROOT / "src").iterdir()] if path.is_dir()]
    name = re.compile(rf"`((?:{'|'.join(folders)})/[a-z_0-9/.-]+\.(?:h|cc|py|txt|cmake|md))`", re.ASCII)
    for path in sorted([ROOT / "ARCHITECTURE.md", *ROOT.glob("docs/**/*.md")]):
        for file in name.findall(path.read_text()):
            if not (ROOT / file).exists() and not (ROOT / "src" / file).exists():
                yield f"{path.relative_to(ROOT)}: there is no file {file}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"write {REFUSALS} anew")
    if parser.parse_args().write:
        (ROOT / REFUSALS).write_text(refusals())
    wrong = [*settings(), *metrics(), *routes(), *rules(), *events(), *verbs(), *commands(), *links(), *source_paths(),
             *long_lines()]
    if not (ROOT / REFUSALS).exists() or read(REFUSALS) != refusals():
        wrong.append(f"{REFUSALS} is not what src/model/refusal.h says; write it anew with tools/check_docs.py --write")
    print("\n".join(wrong) or "the documents agree with the code")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
