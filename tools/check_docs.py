#!/usr/bin/env python3
"""Holds the documents against the tables of the code that they describe.

Every setting of src/app/config.cc and every metric of src/gateway/health.cc is in
docs/reference/configuration.md, every route of src/gateway/route_table.h is in docs/reference/http.md, no document
names one that is not there, and every link between documents leads somewhere.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLANK = re.compile(r"\{[^}]*\}")


def read(name):
    return (ROOT / name).read_text()


def differences(what, code, document, name):
    for entry in sorted(code - document):
        yield f"{name}: {what} {entry} is missing"
    for entry in sorted(document - code):
        yield f"{name}: there is no {what} {entry}"


def settings():
    code = {f"{section}.{key}" for section, key
            in re.findall(r'Key\{\s*"(\w+)",\s*"(\w+)"', read("src/app/config.cc"))}
    name = "docs/reference/configuration.md"
    document = set(re.findall(r"^\| `(\w+\.\w+)` \| [\d–]", read(name), re.MULTILINE))
    return differences("setting", code, document, name)


def metrics():
    source = read("src/gateway/health.cc")
    code = set(re.findall(r'"(parlance_\w+)"', source))
    name = "docs/reference/configuration.md"
    document = set()
    for metric in re.findall(r"`(parlance_[\w{},]+)", read(name)):
        choice = re.search(r"\{([\w,]+)\}", metric)
        words = choice[1].split(",") if choice else [""]
        document |= {metric.replace(choice[0], word) if choice else metric.split("{")[0]
                     for word in words}
    return differences("metric", code, document, name)


def routes():
    code = {f"{method} {BLANK.sub('{}', path)}" for method, path
            in re.findall(r'Route\{\s*"([A-Z]+)",\s*"([^"]+)"', read("src/gateway/route_table.h"))}
    name = "docs/reference/http.md"
    document = set()
    for row in re.findall(r"^\| (`.*?`(?:, `.*?`)*) \|", read(name), re.MULTILINE):
        methods = []
        for words in re.findall(r"`([^`]*)`", row):
            method, _, path = words.partition(" ")
            methods.append(method)
            if path:
                path = BLANK.sub("{}", path.split("?")[0])
                document |= {f"{each} {path}" for each in methods}
                methods = []
    return differences("route", code, document, name)


def links():
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text()):
            is_measured = target.startswith("bench/")  # Written by a measurement, not by us.
            if not is_measured and not (path.parent / target).exists():
                yield f"{path.relative_to(ROOT)}: {target} leads nowhere"


def main():
    argparse.ArgumentParser(description=__doc__,
                            formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    wrong = [*settings(), *metrics(), *routes(), *links()]
    print("\n".join(wrong) or "the documents agree with the code")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
